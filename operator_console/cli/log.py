"""The log file of a command: opened once there is something to run, closed at the end.

Its machinery is imported only when it is opened: `status` and `stop` do without.
"""

from __future__ import annotations

import sys


def start(*, verbose: bool) -> None:
    """Open the log file, and say so where it cannot be written. From any thread."""
    from operator_console.settings.logs import start_logging
    from operator_console.settings.paths import find_paths

    warning = start_logging(find_paths().log_file, verbose=verbose)
    if warning:
        print(warning, file=sys.stderr)


def is_open() -> bool:
    """Whether it was opened, and not closed since."""
    logs = sys.modules.get("operator_console.settings.logs")  # a command that opened it has imported it
    return logs is not None and logs.is_logging()


def stop() -> None:
    """Close it, where it is open."""
    if is_open():
        from operator_console.settings.logs import stop_logging

        stop_logging()


def add_error(text: str) -> str:
    """Put the error that is being handled into the log; returns the log's path."""
    import logging

    from operator_console.settings.paths import find_paths

    opened = is_open()
    if not opened:
        start(verbose=False)
    logging.getLogger(__name__).info(text, exc_info=sys.exc_info())
    if not opened:
        stop()
    return str(find_paths().log_file)
