"""Text for a session's state: the pill, the banner, the side card. Pure."""

from __future__ import annotations

import math

from operator_console.domain.decisions import Surface
from operator_console.engine.action_wording import brief
from operator_console.ui.view.call_words import call_title
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.words import PAUSE_WORDS

_WORDS = {
    Phase.IDLE: "Ready",
    Phase.STARTING: "Starting",
    Phase.OBSERVING: "Looking",
    Phase.THINKING: "Thinking",
    Phase.ACTING: "Acting",
    Phase.SETTLING: "Waiting for the screen to settle",
    Phase.WAITING_FOR_DISK: "Waiting for the disk",
    Phase.HANDED_OVER: "You are in control",
    Phase.STOPPED: "STOPPED",
}


def pill_words(view: SessionView, now_s: float | None = None) -> tuple[str, str]:
    """The pill's text and tone: plain, active or stopped. `now_s`: time.monotonic(), for a countdown."""
    match view.phase:
        case Phase.RETRYING:
            return _retry_words(view, now_s), "active"
        case Phase.REVIEWING:
            asked = view.question is not None and view.question.about == "review"
            card = view.question is not None and view.question.surface is Surface.CARD
            return ("Reviewing" if asked and card else "Waiting for your answer"), "active"
        case Phase.PAUSED:
            return (f"Paused: {PAUSE_WORDS[view.pause.by]}" if view.pause else "Paused"), "active"
        case Phase.ACTING:
            call = view.leading_call
            lead = call is not None and call.lead_s > 0 and not call.granted
            return ("About to act" if lead else "Acting"), "active"
        case Phase.ENDED:
            return (view.ended.outcome.value.capitalize() if view.ended else "Stopped, reset"), "plain"
        case Phase.IDLE:
            return "Ready", "plain"
        case Phase.STOPPED:
            return "STOPPED", "stopped"
        case _:
            return _WORDS[view.phase], "active"


def _retry_words(view: SessionView, now_s: float | None) -> str:
    retry = view.retry
    if retry is None:
        return "Retrying"
    left = retry.wait_s
    if retry.until_s is not None and now_s is not None:
        left = max(0.0, retry.until_s - now_s)
    of = f" ({retry.attempt} of {retry.of})" if retry.of else ""
    return f"Retrying in {math.ceil(left)} s{of}"


def waiting(view: SessionView) -> bool:
    """Whether to show the progress line."""
    return view.phase in (
        Phase.STARTING,
        Phase.OBSERVING,
        Phase.THINKING,
        Phase.RETRYING,
        Phase.SETTLING,
        Phase.WAITING_FOR_DISK,
    )


def can_act(view: SessionView) -> bool:
    """Whether an agent can act now; Stop is filled red then."""
    return view.phase.active


def card_heading(view: SessionView) -> str:
    """The heading of the side card."""
    match view.phase:
        case Phase.ENDED if view.ended is not None:
            return view.ended.outcome.value.capitalize()
        case Phase.PAUSED if not view.open_calls:
            return "Paused"
        case Phase.HANDED_OVER:
            return "You are in control"
        case _:
            return "Next action"


def question_heading(view: SessionView) -> str:
    """The heading of a question on the side card that is not about an action."""
    limit = view.question is not None and view.question.about == "limit"
    return "A limit is reached" if limit else "The model asks you"


def card_words(view: SessionView) -> str:
    """The text of the side card while it shows no action."""
    match view.phase:
        case Phase.HANDED_OVER:
            return "Nothing is observed or sent. Hand back when you are done; a note helps the model."
        case Phase.PAUSED:
            detail = brief(view.pause.detail, 600) if view.pause is not None else ""
            dropped = "The waiting action was dropped. " if _dropped(view) else ""
            return f"{detail} {dropped}Resume looks at the screen again.".strip()
        case Phase.ENDED if view.ended is not None:
            message = brief(view.ended.message, 600)
            return f"{message} A follow-up task or Continue uses the same record; Start begins a new session.".strip()
        case Phase.WAITING_FOR_DISK:
            return "Waiting for the disk: nothing more runs until the record is written. Stop still works."
        case Phase.RETRYING if view.retry is not None:
            return f"{brief(view.retry.reason, 400)} It is retried automatically; Stop ends the wait."
        case _:
            return (
                "While a session runs, each proposed action appears here and in the preview before it happens. "
                "You can approve, edit or skip it."
            )


def _dropped(view: SessionView) -> bool:
    """Whether pausing dropped a waiting action."""
    return view.step is not None and any(call.rule == "paused" for call in view.step.calls)


def next_words(view: SessionView) -> str:
    """What comes next, in one line: the open question, the action it asks about, or the next action."""
    if view.question is not None and view.asked_call is None:
        return brief(view.question.text, 400)
    call = view.asked_call or view.leading_call or next(iter(view.open_calls), None)
    if call is not None:
        return call_title(call)
    return pill_words(view)[0]
