"""Opens and closes the log file of a command. The modules for it are imported only when it is opened."""

from __future__ import annotations

import sys


def start(*, verbose: bool) -> None:
    """Open the log file, and print a warning if it cannot be written. Thread-safe."""
    from operator_console.settings.file_locations import find_paths
    from operator_console.settings.logs import start_logging

    warning = start_logging(find_paths().log_file, verbose=verbose)
    if warning:
        print(warning, file=sys.stderr)


def is_open() -> bool:
    """Whether the log file is open."""
    logs = sys.modules.get("operator_console.settings.logs")  # imported if the log was opened
    return logs is not None and logs.is_logging()


def stop() -> None:
    """Close the log file if it is open."""
    if is_open():
        from operator_console.settings.logs import stop_logging

        stop_logging()


def add(text: str) -> None:
    """Log a sentence, if the log file is open."""
    if is_open():
        import logging

        logging.getLogger(__name__).info(text)


def add_error(text: str) -> str:
    """Log the exception that is being handled; returns the path of the log."""
    import logging

    from operator_console.settings.file_locations import find_paths

    opened = is_open()
    if not opened:
        start(verbose=False)
    logging.getLogger(__name__).info(text, exc_info=sys.exc_info())
    if not opened:
        stop()
    return str(find_paths().log_file)
