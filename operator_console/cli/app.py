"""No command: the desktop app."""

from __future__ import annotations

import argparse

LOGS = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument(
        "--session", metavar="FILE", help="open this session file in the app (it can be read, or resumed)"
    )


def execute(args: argparse.Namespace) -> int:
    """Open it."""
    record = None
    if args.session is not None:
        from operator_console.journal.opening import check_is_session
        from operator_console.settings.paths import find_paths

        record = find_paths().session(args.session)
        check_is_session(record)
    from operator_console.app import run_app

    return run_app(record, practice=False)
