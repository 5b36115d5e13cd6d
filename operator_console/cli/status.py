"""`status`: prints whether a display is idle, running, paused or stopped. Imports little, to be fast.

Also what `stop` and `reset` share with it: the option --display, and the error for a folder of latches that cannot be
used.
"""

from __future__ import annotations

import os

from operator_console.domain.display_names import NO_DISPLAY, display_of_person
from operator_console.domain.errors import OperatorError
from operator_console.domain.translations import _

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    import argparse

    from operator_console.guard.latch import LatchStatus

LOGS = False


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("States: idle, running, paused, stopped (until reset).\n\nexit: 0")
    parser.add_argument("--json", action="store_true", help=_("print a JSON object"))
    add_display(parser)


def execute(args: argparse.Namespace) -> int:
    from operator_console.guard.latch import read_status

    try:
        status = read_status(display_of(args))
    except OSError as error:
        raise run_folder_unusable(error) from error
    if not args.json:
        print(state_in_words(status))
        return 0
    import json

    fields = {
        "state": status.state.value,
        "reason": status.reason or None,
        "since": status.since or None,
        "stop_live": bool(status.stop_live),
        "session": status.session or None,
        "display": status.display,
        "detail": status.detail,
    }
    print(json.dumps(fields))
    return 0


def state_in_words(status: LatchStatus) -> str:
    """The state of a display with time and reason, in one to three lines."""
    without = status.display == NO_DISPLAY
    where = _("no display") if without else status.display
    since = status.since.partition(".")[0].replace("T", " ")
    head = f"{where}: {_state(status)}"
    if since and status.session:
        # Translators: {head} is a display and its state, as in: :0: running.
        head = _("{head} since {time} UTC, session {session}").format(head=head, time=since, session=status.session)
    elif since:
        # Translators: {head} is a display and its state, as in: :0: running.
        head = _("{head} since {time} UTC").format(head=head, time=since)
    elif status.session:
        # Translators: {head} is a display and its state, as in: :0: running.
        head = _("{head}, session {session}").format(head=head, session=status.session)
    lines = [head]
    if status.detail:
        lines.append(f"  {status.detail}")
    match status.state.value:
        case "stopped":
            lines.append(_("  New sessions are blocked until you run operator-console reset."))
        case "running" | "paused" if without:
            lines.append(
                _("  No stop keys are heard: stop it with operator-console stop.")
                if status.stop_live
                else _("  WARNING: operator-console stop does not reach it; end its process.")
            )
        case _ if without:
            lines.append(_("  For sessions on a display, add --display, for example --display :0."))
        case "running" | "paused":
            lines.append(_hotkey_words(works=bool(status.stop_live)))
        case _ if status.stop_live is not None:
            lines.append(_hotkey_words(works=bool(status.stop_live)))
        case _:
            pass
    return "\n".join(_plain(line) for line in lines)


def _hotkey_words(*, works: bool) -> str:
    return _("  The stop hotkey works.") if works else _("  WARNING: the stop hotkey does not work.")


def _state(status: LatchStatus) -> str:
    """The state in the window's words."""
    state, reason = status.state.value, status.reason
    words = _state_word(state)
    if not reason:
        return words
    from operator_console.domain.stopping import PauseCause, StopCause, WaitsFor
    from operator_console.ui.view.cause_words import pause_words, stop_words, waits_for_phrase

    if state == "paused" and reason in tuple(WaitsFor):
        return waits_for_phrase(WaitsFor(reason))
    if state == "paused" and reason in tuple(PauseCause):
        reason = pause_words(PauseCause(reason))
    elif state == "stopped" and reason in tuple(StopCause):
        reason = stop_words(StopCause(reason))
    return f"{words} ({reason.replace('_', ' ')})"


def _state_word(state: str) -> str:
    match state:
        case "idle":
            return _("idle")
        case "running":
            return _("running")
        case "paused":
            return _("paused")
        case _stopped:
            return _("stopped")


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def add_display(parser: argparse.ArgumentParser) -> None:
    """Add the option --display."""
    parser.add_argument(
        "--display",
        metavar="D",
        help=_("the display (default: $DISPLAY; {none} for sessions without one, and on Wayland)").format(
            none=NO_DISPLAY
        ),
    )


def display_of(args: argparse.Namespace) -> str:
    """The display given, or that of the person."""
    return str(args.display or display_of_person(os.environ))


def run_folder_unusable(error: OSError) -> OperatorError:
    """The error if the run folder cannot be read or written."""
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    return OperatorError(
        notice(NoticeCode.RUN_FOLDER_UNUSABLE),
        detail=f"{error.filename or ''}: {error.strerror or error}.".lstrip(": "),
        remedy=notice(NoticeCode.MAKE_RUN_FOLDER_USABLE),
    )
