"""The desktop app, which opens if no command is given."""

from __future__ import annotations

from functools import partial

from operator_console.domain.translations import _

TYPE_CHECKING = False  # importing typing takes longer than this module
if TYPE_CHECKING:
    import argparse

LOGS = False  # the app opens the log after it has drawn its window


def configure(parser: argparse.ArgumentParser) -> None:
    # Without FILE for the desktop entry, whose %f stands for no file where none is chosen.
    parser.add_argument(
        "--session", nargs="?", metavar="FILE", help=_("open this session file, to read or continue it")
    )


def execute(args: argparse.Namespace) -> int:
    record = None
    if args.session is not None:
        from operator_console.journal.read import check_is_session
        from operator_console.settings.file_locations import find_paths

        record = find_paths().session(args.session)
        check_is_session(record)
    from operator_console.app import run_app
    from operator_console.cli import log

    return run_app(record, practice=False, start_log=partial(log.start, verbose=args.verbose))
