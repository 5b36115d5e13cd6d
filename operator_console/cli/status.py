"""`status`: prints whether a display is idle, running, paused or stopped. Imports little, to be fast."""

from __future__ import annotations

from operator_console.cli.display_option import add_display
from operator_console.domain.display_names import NO_DISPLAY

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    import argparse

    from operator_console.guard.latch import LatchStatus

LOGS = False
_STOP = "  The stop hotkey works."
_NO_STOP = "  WARNING: the stop hotkey does not work."
_STOP_COMMAND = "  No stop keys are heard: stop it with operator-console stop."
_NO_STOP_COMMAND = "  WARNING: operator-console stop does not reach it; end its process."
_OTHERS = "  For sessions on a display, add --display, for example --display :0."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "States: idle, running, paused, stopped (until reset).\n\nexit: 0"
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    add_display(parser)


def execute(args: argparse.Namespace) -> int:
    from operator_console.cli.display_option import display_of, run_folder_unusable
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
    session = f", session {status.session}" if status.session else ""
    since = f" since {status.since.partition('.')[0].replace('T', ' ')} UTC" if status.since else ""
    without = status.display == NO_DISPLAY
    head = f"{'no display' if without else status.display}: {_state(status)}{since}{session}"
    lines = [head]
    if status.detail:
        lines.append(f"  {status.detail}")
    match status.state.value:
        case "stopped":
            lines.append("  New sessions are blocked until you run operator-console reset.")
        case "running" | "paused" if without:
            lines.append(_STOP_COMMAND if status.stop_live else _NO_STOP_COMMAND)
        case _ if without:
            lines.append(_OTHERS)
        case "running" | "paused":
            lines.append(_STOP if status.stop_live else _NO_STOP)
        case _ if status.stop_live is not None:
            lines.append(_STOP if status.stop_live else _NO_STOP)
        case _:
            pass
    return "\n".join(_plain(line) for line in lines)


def _state(status: LatchStatus) -> str:
    """The state in the window's words."""
    reason = status.reason
    if status.state.value == "paused":
        from operator_console.domain.stopping import PauseCause, WaitsFor
        from operator_console.ui.view.words import pause_words, waits_for_words

        for waits_for in WaitsFor:
            if reason == waits_for.value:
                words = waits_for_words(waits_for)
                return words[0].lower() + words[1:]
        reason = next((pause_words(cause) for cause in PauseCause if reason == cause.value), reason)
    return f"{status.state.value} ({reason.replace('_', ' ')})" if reason else status.state.value


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
