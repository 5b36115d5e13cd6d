"""The composition root: the only package that knows all others.

Entry points: the window (`run_app`, also with the practice window), the terminal (`run_headless`), and without the
console's window the Test of a target (`try_target_headless`) and the practice run (`run_practice_headless`). Each
imports what it needs when it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from operator_console.cli.terminal import RunOptions
    from operator_console.domain.session_request import SessionRequest
    from operator_console.domain.target_tests import TargetReport


def run_app(record: Path | None, *, practice: bool, start_log: Callable[[], None]) -> int:
    """Open the window, with a record, with the practice window, or empty. Returns the exit code.

    `start_log` is called from a thread, once the window is drawn.
    """
    from operator_console.app.interpreter_setup import pause_collection, remove_import_hook

    remove_import_hook()
    pause_collection()
    try:
        from operator_console.app.startup import open_window
    except ImportError as error:
        from operator_console.app.qt_failures import from_load_error

        raise from_load_error(error) or error from error
    return open_window(record, practice=practice, start_log=start_log)


def run_headless(request: SessionRequest, options: RunOptions) -> int:
    """Run one session in the terminal. Returns the exit code; raises ConsoleError if it is refused before it starts."""
    from operator_console.app.headless import run_session

    return run_session(request, options)


def try_target_headless(target: str) -> TargetReport:
    """Test a target in the terminal. Raises ConsoleError if it is refused."""
    from operator_console.app.headless import try_target

    return try_target(target)


def run_practice_headless() -> int:
    """Run the practice runbook on the practice window, without the console's window. Returns the exit code."""
    from operator_console.app.practice_session import run_practice

    return run_practice()
