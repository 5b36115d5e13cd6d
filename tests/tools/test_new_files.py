"""Files that appeared since a time are told by the names under which they show."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from operator_console.tools import new_files
from operator_console.tools.new_files import new_file_names


def made(file: Path, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def later_ns(file: Path) -> int:
    """A time after which the file did not change, by the clock of its disk."""
    return file.stat().st_ctime_ns + 1


def test_what_appeared_is_told_wherever_it_is_below_the_folders_and_whatever_its_own_time_says(tmp_path: Path) -> None:
    since_ns = later_ns(made(tmp_path / "old"))
    time.sleep(0.02)  # the clock of the disk is coarser than the processor's
    unpacked = made(tmp_path / "Downloads" / "tool-1.0" / "bin" / "tool")
    os.utime(unpacked, (1, 1))
    made(tmp_path / "Downloads" / "weather")
    made(tmp_path / "Downloads" / ".part")
    made(tmp_path / ".config" / "settings")
    (tmp_path / "link").symlink_to(tmp_path / "old")
    assert new_file_names([tmp_path, tmp_path / "none"], since_ns) == {"tool", "weather", "link"}


def test_an_old_file_that_is_made_a_program_or_renamed_counts(tmp_path: Path) -> None:
    run, named = made(tmp_path / "run"), made(tmp_path / "before")
    since_ns = later_ns(named)
    time.sleep(0.02)
    run.chmod(0o755)
    named.rename(tmp_path / "after")
    assert new_file_names([tmp_path], since_ns) == {"run", "after"}


def test_a_desktop_entry_shows_by_the_names_that_it_gives_itself(tmp_path: Path) -> None:
    made(tmp_path / "a.desktop", "[Desktop Entry]\nName=Weather\nName[de]=Wetter\nExec=true\n")
    assert new_file_names([tmp_path], 0) == {"a.desktop", "Weather", "Wetter"}


def test_the_search_ends_where_there_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        made(tmp_path / str(number))
    monkeypatch.setattr(new_files, "_MOST_ENTRIES", 4)
    assert len(new_file_names([tmp_path, tmp_path], 0)) == 4
