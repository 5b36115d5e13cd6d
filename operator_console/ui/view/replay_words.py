"""The side card's text in a replay: the step at the place of the record, and at its end what can be done next. Pure."""

from __future__ import annotations

from operator_console.engine.action_wording import brief
from operator_console.ui.texts import inspector, playback
from operator_console.ui.texts.timeline import OUTCOMES
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.timeline_entries import entry_of


def replay_heading(view: SessionView) -> str:
    """The heading of the side card."""
    if view.phase is Phase.ENDED and view.ended is not None:
        return OUTCOMES[view.ended.outcome]
    return inspector.step_title(view.step.number) if view.step is not None else playback.START


def replay_words(view: SessionView) -> str:
    """The text of the side card while it shows no action."""
    if view.phase is Phase.ENDED and view.ended is not None:
        return "\n".join(part for part in (brief(view.ended.message, 600), playback.AFTER_END) if part)
    if view.step is None:
        return playback.PLAY_OR_CHOOSE
    entry = entry_of(view.step)
    badge = entry.badge.text if entry.badge is not None else ""
    decided = " · ".join(part for part in (badge, entry.detail) if part)
    times = " · ".join(part for part in (entry.time, entry.human) if part)
    return "\n".join(part for part in (entry.title, decided, times) if part)
