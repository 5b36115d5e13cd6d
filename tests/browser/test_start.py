"""The end of a browser that was killed: what it writes while it ends is removed too."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from operator_console.browser import start
from operator_console.browser.host.host_options import HostOptions


def test_a_folder_that_a_dying_browser_writes_to_is_removed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, remove, times = tmp_path / "session", shutil.rmtree, []

    def removed_while_written(path: str, **options: Any) -> None:
        remove(path, **options)
        times.append(path)
        if len(times) == 1:
            folder.mkdir()

    folder.mkdir()
    monkeypatch.setattr(shutil, "rmtree", removed_while_written)
    start._remove(HostOptions(program="", folder=str(folder), width=1, height=1, downloads=str(tmp_path / "downloads")))
    assert not folder.exists()
    assert len(times) == 2
