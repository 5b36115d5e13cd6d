"""The buttons that the side card offers in a state beside those that always stand elsewhere in the window. Pure.

Resume, Hand back, Continue and Start have fixed places; these are for states whose way on would have to be looked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from operator_console.domain.events import EndedOutcome, Stopped
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import Notice, NoticeCode
from operator_console.domain.translations import _
from operator_console.ui.view.session_view import Note, Phase, SessionView
from operator_console.ui.view.state_words import ended_in_words


class NextStep(Enum):
    """A way on."""

    TRY_NOW = auto()
    ANSWER = auto()
    DONE = auto()
    STOP_RECEIPT = auto()
    ENTER_KEY = auto()
    CHOOSE_TARGET = auto()
    CHANGE_TASK = auto()
    OPEN_LOGS = auto()
    CHANGE_SETUP = auto()

    @property
    def words(self) -> str:
        """The text of its button."""
        match self:
            case NextStep.TRY_NOW:
                return _("Try now")
            case NextStep.ANSWER:
                return _("Answer")
            case NextStep.DONE:
                return _("Done")
            case NextStep.STOP_RECEIPT:
                return _("Stop receipt")
            case NextStep.ENTER_KEY:
                return _("Enter key…")
            case NextStep.CHOOSE_TARGET:
                return _("Choose another target")
            case NextStep.CHANGE_TASK:
                return _("Change the task")
            case NextStep.OPEN_LOGS:
                return _("Open the log folder")
            case NextStep.CHANGE_SETUP:
                return _("Change the set-up")


_C = NoticeCode
_REMEDIES: tuple[tuple[NextStep, frozenset[NoticeCode]], ...] = (
    (NextStep.ENTER_KEY, frozenset((_C.SERVICE_REJECTED_KEY, _C.NO_SERVICE_KEY, _C.ENTER_OTHER_KEY))),
    (NextStep.CHOOSE_TARGET, frozenset((_C.TARGET_CLOSED, _C.WINDOW_GONE, _C.WINDOW_WAS_CLOSED, _C.MONITOR_GONE))),
    (NextStep.CHANGE_TASK, frozenset((_C.RUNBOOK_MISTAKE, _C.RUNBOOK_EMPTY, _C.RUNBOOK_ENDED_AT_STEP))),
    (
        NextStep.OPEN_LOGS,
        frozenset((_C.INTERNAL_ERROR, _C.INTERNAL_ERROR_ENDED_SESSION, _C.LOG_AND_RECORD_HAVE_DETAILS)),
    ),
)

LEADING = (NextStep.ANSWER, NextStep.ENTER_KEY, NextStep.CHOOSE_TARGET)
"""Those that stand out instead of Continue and Start: without them these would fail again, or answer nothing."""


def next_steps(view: SessionView, *, replay: bool) -> tuple[NextStep, ...]:
    """The buttons for a state, the most useful first. A record that is only read offers its stop receipt."""
    receipt = (NextStep.STOP_RECEIPT,) if view.phase is Phase.ENDED and last_stop(view) is not None else ()
    if replay:
        return receipt
    match view.phase:
        case Phase.RETRYING:
            return (NextStep.TRY_NOW,)
        case Phase.ENDED if view.ended is not None and view.ended.outcome is EndedOutcome.FAILED:
            return (failure_step(view.ended.message), *receipt)
        case Phase.ENDED if ended_in_words(view):
            return NextStep.ANSWER, NextStep.DONE, *receipt
        case _:
            return receipt


def leads(view: SessionView) -> bool:
    """Whether a button of the card stands out instead of Continue and Start."""
    return any(step in LEADING for step in next_steps(view, replay=False))


def failure_step(message: str) -> NextStep:
    """What helps against the error that ended a session."""
    codes = set(_codes(notices_of(message)))
    return next((step for step, of in _REMEDIES if codes & of), NextStep.CHANGE_SETUP)


def last_stop(view: SessionView) -> tuple[Stopped, str] | None:
    """The stop of the newest run, with its time; None where it was not stopped."""
    if view.stopped is not None:
        return view.stopped, view.stopped_time
    return None


def stop_of(note: object) -> tuple[Stopped, str] | None:
    """The stop that a timeline entry is about, with its time; None if it is about something else."""
    return (note.stopped, note.time) if isinstance(note, Note) and note.stopped is not None else None


def _codes(notices: Iterable[Notice]) -> Iterable[str]:
    for each in notices:
        yield each.code
        for value in each.values.values():
            if isinstance(value, tuple):
                yield from _codes(value)
