"""`stop`: the emergency stop from any terminal. Imports next to nothing."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing typing is a tenth of what `stop` may take
if TYPE_CHECKING:
    import argparse

LOGS = False

_EPILOG = """\
Stops every session on every display of yours, and latches $DISPLAY also when nothing runs.
Leaving it takes two acts of a person: `operator-console reset`, then a new start.

exit: 0 stopped, 5 no display is known and nothing runs"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.epilog = _EPILOG


def execute(args: argparse.Namespace) -> int:
    """Stop."""
    from operator_console.cli.display import unusable
    from operator_console.cli.status import state_in_words
    from operator_console.domain.errors import OperatorError
    from operator_console.guard.latch import request_stop

    try:
        stopped = request_stop(os.environ.get("DISPLAY") or None)
    except OSError as error:
        raise unusable(error) from error
    if not stopped:
        raise OperatorError(
            "There is nothing to stop.",
            detail="No session runs, and DISPLAY names no display that could be latched.",
            remedy="Run it in a terminal of the desktop, or set DISPLAY.",
        )
    for status in stopped:
        print(state_in_words(status))
    return 0
