"""Whether a process uses a toolkit that would describe its widgets, by the files it has mapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.perception.accessibility.atspi.toolkit_of_process import could_tell


@pytest.mark.parametrize(
    ("mapped", "tells"),
    [
        ("7f00 r-xp 0 08:01 1 /usr/lib/libgtk-3.so.0.2406", True),
        ("7f00 r-xp 0 08:01 1 /usr/lib/chromium/chromium", True),
        ("7f00 r-xp 0 08:01 1 /usr/lib/libXaw7.so.7.0.0", False),
    ],
)
def test_the_toolkit_is_known_by_its_library(tmp_path: Path, mapped: str, tells: bool) -> None:
    (tmp_path / "42").mkdir()
    (tmp_path / "42" / "maps").write_text(f"5500 r--p 0 08:01 2 /usr/bin/app\n{mapped}\n")
    assert could_tell(42, tmp_path) is tells


def test_of_an_unknown_or_vanished_process_nothing_is_known(tmp_path: Path) -> None:
    assert not could_tell(None, tmp_path)
    assert not could_tell(43, tmp_path)
