"""Text for a session's state: the pill, the banner, the side card, also in a replay. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from operator_console.domain import actions as a
from operator_console.domain.decisions import Surface
from operator_console.domain.events import EndedOutcome
from operator_console.domain.message_texts import NoticeText, notices_of, worded
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, WaitsFor
from operator_console.domain.translations import _
from operator_console.engine.visible_text import brief
from operator_console.ui.view.call_words import as_asked, call_title, said_heading
from operator_console.ui.view.cause_words import paused_words
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.target_words import used_in_preview
from operator_console.ui.view.words import ended_words, waits_for_words

if TYPE_CHECKING:
    from operator_console.ui.backend import Elsewhere, GuardStatus


TIMED = (Phase.THINKING, Phase.RETRYING)
"""Phases whose words change with time."""


class PillTone(StrEnum):
    """The pill's colours."""

    PLAIN = "plain"
    ACTIVE = "active"
    STOPPED = "stopped"
    FAILED = "failed"


def pill_words(
    view: SessionView, now_s: float | None = None, since_s: float | None = None, *, elsewhere: Elsewhere | None = None
) -> tuple[str, PillTone]:
    """The pill's text and tone.

    Args:
        view: the session.
        now_s: time.monotonic(), for a countdown and the seconds of thinking; None leaves them out.
        since_s: time.monotonic() when the phase began.
        elsewhere: what a terminal runs on this display; said while this window runs nothing.
    """
    if elsewhere is not None and view.phase in (Phase.IDLE, Phase.ENDED):
        return (_("Waiting in a terminal") if elsewhere.paused else _("Working in a terminal")), PillTone.ACTIVE
    match view.phase:
        case Phase.RETRYING:
            return _retry_words(view, now_s), PillTone.ACTIVE
        case Phase.THINKING if now_s is not None and since_s is not None and now_s - since_s >= 1:
            return _("Thinking · {seconds} s").format(seconds=int(now_s - since_s)), PillTone.ACTIVE
        case Phase.REVIEWING:
            asked = view.question is not None and view.question.about == "review"
            card = view.question is not None and view.question.surface is Surface.CARD
            return (_("Reviewing") if asked and card else waits_for_words(WaitsFor.ANSWER)), PillTone.ACTIVE
        case Phase.PAUSED:
            return (paused_words(view.pause.by) if view.pause else _("Paused")), PillTone.ACTIVE
        case Phase.ACTING:
            return _turn_words(view), PillTone.ACTIVE
        case Phase.ENDED:
            failed = view.ended is not None and view.ended.outcome is EndedOutcome.FAILED
            return (_end_words(view) or _("Ready to continue")), PillTone.FAILED if failed else PillTone.PLAIN
        case Phase.IDLE:
            return _("Ready"), PillTone.PLAIN
        case Phase.STOPPED:
            return _("STOPPED"), PillTone.STOPPED
        case _:
            return _phase_words(view.phase), PillTone.ACTIVE


def _phase_words(phase: Phase) -> str:
    """A phase that needs no more than its name."""
    match phase:
        case Phase.STARTING:
            return _("Starting")
        case Phase.OBSERVING:
            return _("Looking")
        case Phase.THINKING:
            return _("Thinking")
        case Phase.SETTLING:
            return _("Waiting for the screen to settle")
        case Phase.WAITING_FOR_DISK:
            return _("Waiting for the disk")
        case _:
            return waits_for_words(WaitsFor.HAND_BACK)


def _turn_words(view: SessionView) -> str:
    """What a turn is at; it acts only while something is sent or has an effect."""
    call = view.leading_call
    if call is None:
        return _("Checking")
    if call.lead_s > 0 and not call.granted:
        return _("About to act")
    match call.action:
        case a.Wait():
            return _("Waiting")
        case a.Screenshot() | a.Zoom() | a.CursorPosition():
            return _phase_words(Phase.OBSERVING)
        case a.QuoteText(auto_scroll=False):
            return _("Reading")
        case a.AskModel():
            return _phase_words(Phase.THINKING)
        case _:
            return _("Acting")


def _end_words(view: SessionView) -> str:
    """How the session ended; "" after a stop that was reset."""
    if view.ended is None or view.ended.outcome is EndedOutcome.STOPPED:
        return ""
    return ended_words(view.ended.outcome)


def _retry_words(view: SessionView, now_s: float | None) -> str:
    retry = view.retry
    if retry is None:
        return _("Retrying")
    left = retry.wait_s
    if retry.until_s is not None and now_s is not None:
        left = max(0.0, retry.until_s - now_s)
    if not retry.of:
        return _("Retrying in {seconds} s").format(seconds=math.ceil(left))
    said = _("Retrying in {seconds} s ({attempt} of {of})")
    return said.format(seconds=math.ceil(left), attempt=retry.attempt, of=retry.of)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """Why nothing can be started: `words` in short, `why` in full with what happens next."""

    words: str
    why: str


def start_blocked(guard: GuardStatus) -> Blocked | None:
    """Why no session can be started now; None where one can."""
    if guard.latch is not None:
        return Blocked(
            words=_("Reset the stop first"),
            why=_("Reset the stop first, with Reset stop on the right. Nothing can start until then."),
        )
    if guard.elsewhere is not None:
        return Blocked(
            words=_("A terminal runs a session"),
            why=_("A terminal runs a session on this display. Nothing else can start until it has ended."),
        )
    if not guard.liveness.live:
        why = f"{_('Nothing can start until the stop is ready.')} {brief(guard.liveness.detail, 300)}".strip()
        return Blocked(words=_("The stop is not ready"), why=why)
    return None


def ended_in_words(view: SessionView) -> bool:
    """Whether the model ended the session by words alone, which may be a report or a question."""
    said = view.step.proposed if view.step is not None else None
    finished = view.ended is not None and view.ended.outcome is EndedOutcome.FINISHED and bool(view.ended.message)
    return view.phase is Phase.ENDED and finished and said is not None and said.finished


def card_heading(view: SessionView) -> str:
    """The heading of the side card."""
    match view.phase:
        case Phase.ENDED if ended_in_words(view):
            return _("The model says")
        case Phase.ENDED:
            return _end_words(view) or _("Ready to continue")
        case Phase.STARTING | Phase.THINKING | Phase.WAITING_FOR_DISK if not view.open_calls:
            return _phase_words(view.phase)
        case Phase.RETRYING:
            return _("Waiting to try again")
        case Phase.PAUSED if not view.open_calls:
            return _("Paused")
        case Phase.HANDED_OVER:
            return waits_for_words(WaitsFor.HAND_BACK)
        case _:
            return _("Next action")


def question_heading(view: SessionView) -> str:
    """The heading of a question on the side card that is not about an action."""
    match view.question.about if view.question is not None else "":
        case "limit":
            return _("A limit is reached")
        case "haste":
            return _("Your answers come quickly")
        case _:
            return _("The runbook asks you") if view.plays_runbook else _("The model asks you")


_IN_A_TERMINAL = frozenset((NoticeCode.ENTER_OTHER_KEY, NoticeCode.SET_SERVICE_KEY))


def for_the_window(message: str) -> str:
    """Sentences of the program, without the command of a terminal where a button enters the key."""
    notices = notices_of(message)
    kept = tuple(each for each in notices if each.code not in _IN_A_TERMINAL)
    if len(kept) == len(notices):
        return message
    return worded(NoticeText(message, kept)) if kept else ""


def card_words(view: SessionView, *, blocked: str = "") -> str:
    """The text of the side card while it shows no action; `blocked`: why no session can be started now."""
    match view.phase:
        case Phase.PAUSED:
            return _paused_words(view)
        case Phase.ENDED if _end_words(view):
            message = brief(for_the_window(view.ended.message), 600) if view.ended is not None else ""
            after = (
                _("Answer goes on in the same conversation and record.")
                if ended_in_words(view)
                else _("A follow-up task or Continue uses the same record; Start begins a new session.")
            )
            return f"{message}\n\n{blocked or after}".strip()
        case Phase.ENDED:
            return blocked or _(
                "The stop was reset; nothing runs. Continue goes on in the same record, after a fresh "
                "look at the screen. Start begins a new session."
            )
        case Phase.HANDED_OVER if view.started is not None and used_in_preview(view.started.target):
            return _(
                "The model sees nothing. The target has no window here: click and type in the picture. "
                "F6 gives the keyboard back to the console. Hand back when you are done; a note helps "
                "the model."
            )
        case Phase.RETRYING if view.retry is not None:
            return f"{brief(view.retry.reason, 400)} {_('It is retried automatically; Stop ends the wait.')}"
        case Phase.ACTING if _only_observed(view):
            return _("Observing only: the action of this step was not carried out. Taking the next screenshot.")
        case _:
            return _phase_detail(view.phase)


def _phase_detail(phase: Phase) -> str:
    """What happens in a phase, in a sentence or two."""
    match phase:
        case Phase.STARTING:
            return _("Preparing the stop and looking at the target. Nothing is sent yet.")
        case Phase.OBSERVING:
            return _("Looking at the screen. The next action appears here.")
        case Phase.THINKING:
            return _("The model was shown the screen and has not answered yet. You can send it a message meanwhile.")
        case Phase.ACTING:
            return _("Step finished. Taking the next screenshot.")
        case Phase.SETTLING:
            return _("The action was performed. Waiting until the screen stands still.")
        case Phase.HANDED_OVER:
            return _(
                "The model sees nothing, and nothing is sent. Hand back when you are done; a note helps the model."
            )
        case Phase.WAITING_FOR_DISK:
            return _("Waiting for the disk: nothing more runs until the record is written. Stop still works.")
        case _:
            return _(
                "While a session runs, each proposed action appears here and in the preview before it happens. You "
                "can approve, edit or skip it."
            )


def _way_on(cause: PauseCause) -> str:
    """What to do before Resume; "" where nothing is needed."""
    match cause:
        case PauseCause.SCREEN_LOCK:
            return _("Unlock the screen first.")
        case PauseCause.LEASE:
            return _("It resumes by itself once the console responds again.")
        case PauseCause.STOP_NOT_LIVE:
            return _("It cannot resume before the stop is ready again; the line below says when it is.")
        case PauseCause.LAPSED_QUESTION:
            return ""
        case PauseCause.PROVIDER_BLOCKED:
            return _("Send the model a message, or take over and do this part yourself.")
        case PauseCause.TARGET:
            return _("Bring the target back first.")
        case PauseCause.RECORD:
            return _("Free some space on the disk first.")
        case PauseCause.HOLD:
            return _("Let go, and it stops at the next event.")
        case PauseCause.HAND:
            return _("Resume waits for a second without mouse and keyboard.")
        case PauseCause.HUMAN | PauseCause.HOTKEY | PauseCause.SUSPEND | PauseCause.LIMIT:
            return ""


def _paused_words(view: SessionView) -> str:
    detail = brief(view.pause.detail, 600) if view.pause is not None else ""
    way_on = _way_on(view.pause.by) if view.pause is not None else ""
    dropped = _("The waiting action was dropped.") if _dropped(view) else ""
    return " ".join(part for part in (detail, dropped, way_on, _("Resuming looks at the screen again.")) if part)


def _dropped(view: SessionView) -> bool:
    """Whether pausing dropped a waiting action."""
    return view.step is not None and any(call.rule == "paused" for call in view.step.calls)


def _only_observed(view: SessionView) -> bool:
    """Whether an action was left out because the session only observes."""
    return view.step is not None and any(call.rule == "observing-only" for call in view.step.calls)


def next_words(view: SessionView) -> str:
    """What comes next, in one line: the open question, the action it asks about, or the next action."""
    if view.phase is Phase.HANDED_OVER:
        return _("Hand back when you are done.")
    if view.question is not None and view.asked_call is None:
        return brief(view.question.text, 400)
    call = view.upcoming_call
    if call is not None:
        return call_title(as_asked(call, view), limit=80)
    return pill_words(view)[0]


def replay_heading(view: SessionView) -> str:
    """The heading of the side card."""
    if view.phase is Phase.ENDED and view.ended is not None:
        return ended_words(view.ended.outcome)
    return _("Step {number}").format(number=view.step.number) if view.step is not None else _("Start")


def replay_words(view: SessionView) -> str:
    """The text of the side card while it shows no action. What a step did stands in its row of the timeline."""
    if view.phase is Phase.ENDED and view.ended is not None:
        return "\n".join(
            part
            for part in (
                brief(view.ended.message, 600),
                _("Continue goes on in this record, Ctrl+E exports it, Ctrl+O opens another one."),
            )
            if part
        )
    if view.step is None:
        return _("Play the record, or choose a step in the timeline.")
    proposed = view.step.proposed
    if proposed is None:
        return ""
    said = proposed.narration or "\n".join(dict.fromkeys(call.intent for call in proposed.calls if call.intent))
    return f"{said_heading(view)}\n{brief(said, 600)}" if said else ""
