"""`stop`: the emergency stop, from any terminal. Imports little, to be fast."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing typing is a tenth of what `stop` may take
if TYPE_CHECKING:
    import argparse

LOGS = False

_EPILOG = """\
Stops every session on all your displays, and blocks new ones on $DISPLAY even if none is running.
To continue, run operator-console reset, and then start a session.

exit: 0 stopped, 5 nothing is running and no display is known"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG


def execute(args: argparse.Namespace) -> int:
    from operator_console.cli.display_option import run_folder_unusable
    from operator_console.cli.status import state_in_words
    from operator_console.guard.latch import request_stop

    try:
        stopped = request_stop(os.environ.get("DISPLAY") or None)
    except OSError as error:
        raise run_folder_unusable(error) from error
    if not stopped:
        from operator_console.domain.errors import OperatorError
        from operator_console.domain.message_texts import notice
        from operator_console.domain.notices import NoticeCode

        raise OperatorError(
            notice(NoticeCode.NOTHING_TO_STOP),
            detail=notice(NoticeCode.NO_SESSION_AND_NO_DISPLAY),
            remedy=notice(NoticeCode.RUN_ON_DESKTOP_OR_SET_DISPLAY),
        )
    for status in stopped:
        print(state_in_words(status))
    return 0
