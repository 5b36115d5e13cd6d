"""The sandboxed tools of a session: which, their working folder, and folders that it must not be."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.app.sandbox_setup import chosen_sandbox, sandbox_trouble
from operator_console.domain.errors import OperatorError
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.tools import SandboxTool
from operator_console.settings.file_locations import find_paths
from operator_console.settings.model import Sandbox

BASH, EDITOR = SandboxTool.BASH, SandboxTool.EDITOR
ON = Sandbox(tools=(BASH,), processes=50, memory_mb=100, file_mb=10, timeout_s=5)


def request(tools: tuple[SandboxTool, ...] | None = None, folder: Path | None = None) -> SessionRequest:
    return SessionRequest(task="do it", sandbox_tools=tools, sandbox_folder=folder)


def test_they_are_off_unless_the_settings_or_the_request_switch_them_on(tmp_path: Path) -> None:
    paths, record = find_paths(), tmp_path / "2026-01-02.ocsession"
    assert chosen_sandbox(Sandbox(), request(), paths, record) is None
    assert chosen_sandbox(ON, request(()), paths, record) is None
    chosen = chosen_sandbox(ON, request(), paths, record)
    assert chosen is not None
    assert (chosen.tools, chosen.folder, chosen.timeout_s) == ((BASH,), paths.workspaces / "2026-01-02", 5)
    assert (chosen.limits.processes, chosen.limits.memory_bytes, chosen.limits.file_bytes) == (50, 10**8, 10**7)
    assert not chosen.folder.exists()
    both = chosen_sandbox(Sandbox(folder=str(tmp_path)), request((EDITOR, BASH)), paths, record)
    assert both is not None
    assert (both.tools, both.folder) == ((EDITOR, BASH), tmp_path.resolve())


def test_a_folder_with_more_than_the_work_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "me"))
    monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(tmp_path / "console"))
    paths = find_paths()
    paths.sessions.mkdir(parents=True)
    (tmp_path / "home" / "me" / "work").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "home")
    file = tmp_path / "file"
    file.touch()
    for folder, why in (
        (Path("/"), "home folder"), (tmp_path / "home" / "me", "home folder"), (tmp_path / "link", "home folder"),
        (paths.sessions, "of this console"), (tmp_path / "console", "of this console"), (file, "not a folder"),
        (tmp_path / "absent", "not a folder"),
    ):  # fmt: skip
        with pytest.raises(OperatorError) as caught:
            chosen_sandbox(ON, request(folder=folder), paths, tmp_path / "a.ocsession")
        assert why in caught.value.detail
        assert caught.value.exit_code == 2
    chosen = chosen_sandbox(ON, request(folder=tmp_path / "home" / "me" / "work"), paths, tmp_path / "a.ocsession")
    assert chosen is not None


def test_where_no_sandbox_can_be_made_it_is_said_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_args, **_options: None)
    trouble = sandbox_trouble(Sandbox())
    assert "bubblewrap" in trouble
    assert "Install" in trouble
