"""`practice`: the practice window and its runbook."""

from __future__ import annotations

import argparse
from functools import partial

LOGS = False  # the app's window opens it once it is drawn

_EPILOG = """\
A practice window opens, and a runbook of plain steps works it through the same capture, overlay,
review, grant and record as any model. The window writes what was done to it to a file, and that
file judges the run.

exit: 0 it succeeded, 1 it failed, 3 stopped, 5 refused to start (latched, no display ...)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.epilog = _EPILOG
    parser.add_argument("--headless", action="store_true", help="without the app's window; a display is still needed")
    parser.add_argument("--verbose", action="store_true", help="say on stderr what goes into the log")


def execute(args: argparse.Namespace) -> int:
    """Run it."""
    from operator_console.cli import log

    if args.headless:
        from operator_console.app import run_practice_headless

        log.start(verbose=args.verbose)
        return run_practice_headless()
    from operator_console.app import run_app

    return run_app(None, practice=True, start_log=partial(log.start, verbose=args.verbose))
