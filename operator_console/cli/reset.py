"""`reset`: a person ends the stop. Starts nothing."""

from __future__ import annotations

import argparse
import sys

from operator_console.cli.display import add_display

LOGS = False
WORD = "reset"

_EPILOG = """\
It asks for the word reset. --yes answers it, but only where stdin is no terminal. Nothing is
started or continued by it.

exit: 0 reset (or nothing was stopped), 1 the word was not given, 5 a session runs here"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.epilog = _EPILOG
    parser.add_argument("--yes", action="store_true", help="do not ask (counts only where stdin is no terminal)")
    add_display(parser)


def execute(args: argparse.Namespace) -> int:
    """Ask, and reset."""
    from operator_console.cli.display import display_of, unusable
    from operator_console.cli.status import state_in_words
    from operator_console.domain.errors import ExitCode, OperatorError
    from operator_console.guard.latch import LatchState, ResetRefused, read_status, reset

    display = display_of(args)
    try:
        before = read_status(display)
        print(state_in_words(before))
        if before.state is LatchState.STOPPED and not _confirmed(yes=args.yes):
            print("Not reset: the word was not given.", file=sys.stderr)
            return ExitCode.FAILED
        after = reset(display)
    except ResetRefused as error:
        raise OperatorError(
            "It is not reset.", detail=str(error), remedy="`operator-console stop` stops what runs."
        ) from error
    except OSError as error:
        raise unusable(error) from error
    print("Reset. Start begins a new session." if before.state is LatchState.STOPPED else "Nothing was stopped.")
    return ExitCode.FINISHED if after.state is not LatchState.STOPPED else ExitCode.FAILED


def _confirmed(*, yes: bool) -> bool:
    terminal = sys.stdin is not None and sys.stdin.isatty()
    if not terminal and yes:
        return True
    print(f"Type the word {WORD} to reset it: ", end="", file=sys.stderr, flush=True)
    if terminal and sys.platform != "win32":
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)  # what was typed before the question does not count
    line = sys.stdin.readline() if sys.stdin is not None else ""
    if not line:
        print(file=sys.stderr)
        from operator_console.domain.errors import ExitCode, OperatorError

        raise OperatorError(
            "Nobody answered.",
            detail="There is no terminal to ask on.",
            remedy="Run it in a terminal, or add --yes.",
            exit_code=ExitCode.USAGE,
        )
    return line.strip() == WORD
