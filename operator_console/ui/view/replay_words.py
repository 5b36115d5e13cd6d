"""The side card's text in a replay: the step at the place of the record, and at its end what can be done next. Pure."""

from __future__ import annotations

from operator_console.domain.translations import _
from operator_console.engine.action_wording import brief
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.timeline_entries import entry_of
from operator_console.ui.view.words import ended_words


def replay_heading(view: SessionView) -> str:
    """The heading of the side card."""
    if view.phase is Phase.ENDED and view.ended is not None:
        return ended_words(view.ended.outcome)
    return _("Step {number}").format(number=view.step.number) if view.step is not None else _("Start")


def replay_words(view: SessionView) -> str:
    """The text of the side card while it shows no action."""
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
    entry = entry_of(view.step)
    badge = entry.badge.text if entry.badge is not None else ""
    decided = " · ".join(part for part in (badge, entry.detail) if part)
    times = " · ".join(part for part in (entry.time, entry.human) if part)
    return "\n".join(part for part in (entry.title, decided, times) if part)
