"""Which display `status`, `stop` and `reset` are about, and the error when the run folder cannot be used."""

from __future__ import annotations

import os

from operator_console.domain.errors import OperatorError

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    import argparse


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


def unusable(error: OSError) -> OperatorError:
    """The run folder cannot be read or written."""
    return OperatorError(
        "The folder of latches and locks cannot be used.",
        detail=f"{error.filename or ''}: {error.strerror or error}.".lstrip(": "),
        remedy="Make room there and give yourself the right to write, or set OPERATOR_CONSOLE_HOME.",
    )
