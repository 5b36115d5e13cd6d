"""`reset`: clears a stop after a confirmation. It does not start a session."""

from __future__ import annotations

import argparse
import sys

from operator_console.cli.status import add_display
from operator_console.domain.translations import _

LOGS = False
WORD = "reset"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
Asks you to type the word reset. With --yes it does not ask, but only if stdin is not a terminal.
It does not start or continue a session.

exit: 0 reset (or nothing was stopped), 1 not confirmed, 5 a session is running""")
    parser.add_argument("--yes", action="store_true", help=_("do not ask (only if stdin is not a terminal)"))
    add_display(parser)


def execute(args: argparse.Namespace) -> int:
    from operator_console.cli.status import display_of, run_folder_unusable, state_in_words
    from operator_console.domain.errors import ExitCode, OperatorError
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode
    from operator_console.guard.latch import LatchState, ResetRefused, read_status, reset

    display = display_of(args)
    try:
        before = read_status(display)
        print(state_in_words(before))
        if before.state is LatchState.STOPPED and not _confirmed(yes=args.yes):
            print(_("Not reset, because the answer was not {word}.").format(word=WORD), file=sys.stderr)
            return ExitCode.FAILED
        after = reset(display)
    except ResetRefused as error:
        raise OperatorError(
            notice(NoticeCode.STOP_NOT_RESET), detail=error.text, remedy=notice(NoticeCode.RUN_STOP_FIRST)
        ) from error
    except OSError as error:
        raise run_folder_unusable(error) from error
    print(_("Reset. Sessions can start again.") if before.state is LatchState.STOPPED else _("Nothing was stopped."))
    return ExitCode.FINISHED if after.state is not LatchState.STOPPED else ExitCode.FAILED


def _confirmed(*, yes: bool) -> bool:
    terminal = sys.stdin is not None and sys.stdin.isatty()
    if not terminal and yes:
        return True
    print(_("Type {word} to confirm: ").format(word=WORD), end="", file=sys.stderr, flush=True)
    if terminal and sys.platform != "win32":
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)  # discards input typed before the question
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line:
        print(file=sys.stderr)
        from operator_console.domain.errors import ExitCode, OperatorError
        from operator_console.domain.message_texts import notice
        from operator_console.domain.notices import NoticeCode

        raise OperatorError(
            notice(NoticeCode.RESET_NOT_CONFIRMED),
            detail=notice(NoticeCode.INPUT_EMPTY),
            remedy=notice(NoticeCode.CONFIRM_IN_TERMINAL),
            exit_code=ExitCode.FAILED,
        )
    return line.strip() == WORD
