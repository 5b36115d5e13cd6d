"""`stop`: the emergency stop, from any terminal. Imports little, to be fast."""

from __future__ import annotations

import os

from operator_console.domain.translations import _

TYPE_CHECKING = False  # importing typing is a tenth of what `stop` may take
if TYPE_CHECKING:
    import argparse

LOGS = False


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
Stops every session on all your displays, and blocks new ones on $DISPLAY even if none is running.
Where DISPLAY is not set, and in a Wayland session, it stops and blocks the sessions without a display instead.
To continue, run operator-console reset, and then start a session.

exit: 0 stopped""")


def execute(args: argparse.Namespace) -> int:
    from operator_console.cli.status import run_folder_unusable, state_in_words
    from operator_console.domain.display_names import display_of_person
    from operator_console.guard.latch import request_stop

    try:
        stopped = request_stop(display_of_person(os.environ))
    except OSError as error:
        raise run_folder_unusable(error) from error
    for status in stopped:
        print(state_in_words(status))
    return 0
