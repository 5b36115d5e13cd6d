"""The option --display, and the error for a folder of latches that cannot be used."""

from __future__ import annotations

import os

from operator_console.domain.display_names import NO_DISPLAY, display_of_person
from operator_console.domain.errors import OperatorError
from operator_console.domain.translations import _

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    import argparse


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
