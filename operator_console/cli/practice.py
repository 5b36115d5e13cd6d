"""`practice`: runs a runbook on the practice window."""

from __future__ import annotations

import argparse
from functools import partial

from operator_console.domain.translations import _

LOGS = False  # the app opens the log after it has drawn its window


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
Opens a practice window and runs a runbook on it: written steps instead of a model, with the same
review, safety checks and recording. The practice window logs the input that it receives, and the
run succeeds if the log is complete.

exit: 0 succeeded, 1 failed, 3 stopped, 5 refused to start (stopped before, no display ...)""")
    parser.add_argument("--headless", action="store_true", help=_("do not open the app; a display is still needed"))
    parser.add_argument("--verbose", action="store_true", help=_("write log lines to stderr, too"))


def execute(args: argparse.Namespace) -> int:
    from operator_console.cli import log

    if args.headless:
        from operator_console.app import run_practice_headless

        log.start(verbose=args.verbose)
        return run_practice_headless()
    from operator_console.app import run_app

    return run_app(None, practice=True, start_log=partial(log.start, verbose=args.verbose))
