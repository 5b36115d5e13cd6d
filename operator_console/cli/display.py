"""Which display a latch command is about, and its state in words. Light: `status` and `stop` use it."""

from __future__ import annotations

import os

from operator_console.domain.errors import OperatorError

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    import argparse

    from operator_console.guard.latch import LatchStatus


def add_display(parser: argparse.ArgumentParser) -> None:
    """The option --display."""
    parser.add_argument("--display", metavar="D", help="the display this is about (default: $DISPLAY)")


def display_of(args: argparse.Namespace) -> str:
    """The display that is meant. Raises OperatorError (exit 5) where none is named."""
    display = args.display or os.environ.get("DISPLAY", "")
    if not display:
        raise OperatorError(
            "No display is named.",
            detail="DISPLAY is not set in this terminal.",
            remedy="Say which one: --display :0 (`echo $DISPLAY` in a terminal of that desktop shows it).",
        )
    return str(display)


def words(status: LatchStatus) -> str:
    """The state of one display in a line or two."""
    reason = status.reason.replace("_", " ")
    session = f", session {status.session}" if status.session else ""
    since = f" since {status.since.partition('.')[0].replace('T', ' ')} UTC" if status.since else ""
    head = f"{status.display}: {status.state.value}{f' ({reason})' if reason else ''}{since}{session}"
    lines = [head]
    if status.detail:
        lines.append(f"  {status.detail}")
    match status.state.value:
        case "stopped":
            lines.append("  Nothing starts here until a person resets it: operator-console reset")
        case "running" | "paused":
            lines.append("  Stop live." if status.stop_live else "  THE STOP IS NOT LIVE.")
        case _ if status.stop_live is not None:
            lines.append("  A guard listens." if status.stop_live else "  A guard runs, but THE STOP IS NOT LIVE.")
        case _:
            pass
    return "\n".join(_plain(line) for line in lines)


def unusable(error: OSError) -> OperatorError:
    """The run folder cannot be read or written."""
    return OperatorError(
        "The folder of latches and locks cannot be used.",
        detail=f"{error.filename or ''}: {error.strerror or error}.".lstrip(": "),
        remedy="Make room there and give yourself the right to write, or set OPERATOR_CONSOLE_HOME.",
    )


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
