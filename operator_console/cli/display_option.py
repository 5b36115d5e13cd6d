"""The option --display, and the error for an unusable folder of latches."""

from __future__ import annotations

import os

from operator_console.domain.errors import OperatorError

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    import argparse


def add_display(parser: argparse.ArgumentParser) -> None:
    """Add the option --display."""
    parser.add_argument("--display", metavar="D", help="the display (default: $DISPLAY)")


def display_of(args: argparse.Namespace) -> str:
    """The display given, or $DISPLAY. Raises OperatorError (exit code 5) if neither is set."""
    display = args.display or os.environ.get("DISPLAY", "")
    if not display:
        raise OperatorError(
            "No display is known.",
            detail="DISPLAY is not set in this terminal.",
            remedy="Add --display, for example --display :0. Its name is $DISPLAY in a terminal on that desktop.",
        )
    return str(display)


def unusable(error: OSError) -> OperatorError:
    """The error if the run folder cannot be read or written."""
    return OperatorError(
        "The folder for runtime files cannot be used.",
        detail=f"{error.filename or ''}: {error.strerror or error}.".lstrip(": "),
        remedy="Free some space, give yourself permission to write there, or set OPERATOR_CONSOLE_HOME.",
    )
