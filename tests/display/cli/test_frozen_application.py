"""A runbook whose application is stopped (SIGSTOP) fails, and names the application."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.domain.errors import ExitCode
from tests.cli.command import operator_console
from tests.display.rig import Desktop, launch_mousepad


@pytest.mark.full
def test_a_runbook_for_a_stopped_application_fails(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: tests/providers/runbook/test_provider.py, with input that is not handled."""
    note = tmp_path / "note.txt"
    note.write_text("")
    editor = launch_mousepad(desktop, note)
    words = ("run", 'type "hello"; press Ctrl+S; press Enter', "--provider", "runbook", "--answer", "deny")
    with desktop.frozen(editor.pid):
        result = operator_console(*words, "--target", f"window:{editor.window.xid:#x}", DISPLAY=desktop.name)
    assert result.code == ExitCode.FAILED, result
    assert "does not answer" in result.err, result
    assert "Finished after" not in result.err
