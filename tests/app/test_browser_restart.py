"""Which programs can be started again so that they tell their controls, and how."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.app.browser_restart import RunningProgram
from operator_console.desktop.values import Window, WindowState
from operator_console.domain.geometry import Rect

PID = 7


def running(folder: Path, *arguments: str) -> RunningProgram:
    process = folder / str(PID)
    process.mkdir()
    (process / "cmdline").write_bytes("\0".join((*arguments, "")).encode())
    (process / "cwd").symlink_to(folder)
    found = RunningProgram.of(PID, folder)
    assert found is not None
    return found


def window(pid: int) -> Window:
    place = Rect(0, 0, 9, 9)
    return Window(
        window_id=5, frame_id=5, title="Page", app="chromium", pid=pid, rect=place, frame_rect=place,
        state=WindowState.SHOWN, override=False,
    )  # fmt: skip


def test_a_chromium_is_started_as_it_was_and_opens_its_pages_by_itself(tmp_path: Path) -> None:
    found = running(tmp_path, "/usr/lib/chromium/chromium", "--user-data-dir=/tmp/a", "https://example.org/")
    assert found.again == (
        "/usr/lib/chromium/chromium", "--force-renderer-accessibility", "--restore-last-session",
        "--user-data-dir=/tmp/a",
    )  # fmt: skip
    assert found.folder == str(tmp_path)
    assert found.may_be_restarted([window(PID), window(8)])


def test_a_command_line_that_was_made_one_text_is_taken_apart(tmp_path: Path) -> None:
    line = "/usr/lib/chromium/chromium --user-data-dir=/tmp/a b --window-position=0,0 file:///a b.html"
    found = running(tmp_path, line)
    assert found.again[3:] == ("--user-data-dir=/tmp/a b", "--window-position=0,0")
    assert found.may_be_restarted([window(PID)])


def test_where_it_is_not_certain_what_belongs_to_an_option_nothing_is_closed(tmp_path: Path) -> None:
    found = running(tmp_path, "/usr/lib/chromium/chromium --no-first-run https://example.org/ --mute-audio")
    assert not found.may_be_restarted([window(PID)])


def test_several_windows_are_not_closed(tmp_path: Path) -> None:
    found = running(tmp_path, "/usr/bin/google-chrome")
    assert not found.may_be_restarted([window(PID), window(PID)])
    assert not found.may_be_restarted([window(8)])


@pytest.mark.parametrize(
    "arguments",
    [("/usr/bin/chromium", "--incognito"), ("/usr/bin/chromium", "--app=https://example.org/"),
     ("/usr/bin/firefox",), ("/usr/bin/mousepad", "letter.txt")],
    ids=["forgets", "an application of the web", "another browser", "another program"],
)  # fmt: skip
def test_what_would_not_come_back_is_not_closed(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    found = running(tmp_path, *arguments)
    assert not found.may_be_restarted([window(PID)])
    assert found.command


def test_a_program_that_has_ended_is_not_known(tmp_path: Path) -> None:
    assert RunningProgram.of(PID, tmp_path) is None
