"""The composition root: the only place where the rooms meet.

Four ways in, called by cli: the window (`run_app`, also for practice), the terminal (`run_headless`) and the practice
run without a window (`run_practice_headless`). Each imports what it needs when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from operator_console.cli.options import RunOptions
    from operator_console.domain.requests import SessionRequest


def run_app(record: Path | None, *, practice: bool, start_log: Callable[[], None]) -> int:
    """Open the window; on a record, on the practice window, or empty. Returns the exit code.

    `start_log` is called from a thread, once the window is drawn.
    """
    from operator_console.app.startup import open_window

    return open_window(record, practice=practice, start_log=start_log)


def run_headless(request: SessionRequest, options: RunOptions) -> int:
    """One session in the terminal. Returns the exit code; raises ConsoleError where it was refused before it began."""
    from operator_console.app.headless import run_session

    return run_session(request, options)


def run_practice_headless() -> int:
    """The practice runbook on the practice window, without the app's. Returns the exit code."""
    from operator_console.app.practice_session import run_practice

    return run_practice()
