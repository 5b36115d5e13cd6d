"""A question that comes while somebody types leaves the keyboard where it is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.display.rig import Desktop, launch_xterm, wait_until

_ROOT = Path(__file__).resolve().parents[3]
TEXT = "the quick brown fox jumps over the lazy dog " * 12


@contextmanager
def asked_while_typing(desktop: Desktop, written: Path, kind: str) -> Iterator[subprocess.Popen[bytes]]:
    """A question of that kind is open while a person types into a terminal; yields the typing."""
    assert desktop.human is not None
    console = subprocess.Popen(
        [sys.executable, "-m", "tests.display.ui.asking_main"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, env={**desktop.env, "PYTHONPATH": str(_ROOT), "QT_QPA_PLATFORM": "xcb"}, cwd=_ROOT,
    )  # fmt: skip
    typing = None
    try:
        assert console.stdin is not None
        assert console.stdout is not None
        assert console.stdout.readline() == "ready\n"
        launch_xterm(desktop, "sh", "-c", f"stty -icanon -echo; cat > {written}", geometry="40x10+600+500")
        wait_until(written.exists, "the terminal to listen")
        typing = subprocess.Popen(["xdotool", "type", "--delay", "15", TEXT], env=desktop.human.env)
        wait_until(lambda: len(written.read_text()) > 40, "the typing to be under way")
        console.stdin.write(f"{kind}\n")
        console.stdin.flush()
        assert console.stdout.readline() == "asked\n"
        assert typing.poll() is None, "the question came too late to disturb"
        yield typing
    finally:
        if typing is not None:
            typing.wait(60)
        console.communicate(timeout=30)


@pytest.mark.parametrize("kind", ["dialog", "card"])
def test_keys_of_a_real_device_stay_where_they_are_typed(xephyr_desktop: Desktop, tmp_path: Path, kind: str) -> None:
    desktop, written = xephyr_desktop, tmp_path / "written.txt"
    with asked_while_typing(desktop, written, kind) as typing:
        assert typing.wait(60) == 0
        wait_until(lambda: len(written.read_text()) >= len(TEXT), "all keys", timeout_s=5)
        assert written.read_text() == TEXT
        if kind == "dialog":
            desktop.wait_window(title="Question", active=True)  # the hands rest now


def test_a_click_into_the_question_gives_it_the_keyboard_at_once(xephyr_desktop: Desktop, tmp_path: Path) -> None:
    desktop = xephyr_desktop
    with asked_while_typing(desktop, tmp_path / "written.txt", "dialog") as typing:
        question = desktop.wait_window(title="Question")
        desktop.human_xdo("mousemove", str(question.x + 30), str(question.y + 12), "click", "1")
        desktop.wait_window(title="Question", active=True)
        assert typing.poll() is None, "the hands rested: the dialog took the focus by itself"
