"""The real window's first moment: what is typed and pressed in it then counts; closed then, it ends in order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from operator_console.settings.file_locations import find_paths
from operator_console.settings.remembered_window import RememberedWindow, write_remembered
from tests.display.acceptance.harness import console_env
from tests.display.rig import AccessibleDesktop, Child, Desktop, WindowInfo, wait_until

WORDS = "Copy the receipt"


def guards(desktop: Desktop) -> list[int]:
    """Guard processes of this display, whoever began them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_text().split("\0")
            if "operator_console.guard" in words and desktop.name in words:
                found.append(int(folder.name))
    return found


def opened(desktop: Desktop, folder: Path, *args: str, **env: str) -> tuple[Child, WindowInfo]:
    """The app as soon as its window has the focus and is drawn."""
    command = [sys.executable, "-m", "operator_console", *args]
    child = desktop.adopt(Child(command, env={**console_env(desktop), **env}, log=folder / "app.txt", cwd=folder))
    window = desktop.wait_window(title="Operator console", pid=child.pid, active=True, still=child.checked)
    wait_until(lambda: drawn(desktop, window), "its first picture", interval_s=0.005)
    return child, window


def drawn(desktop: Desktop, window: WindowInfo) -> bool:
    """Whether something was painted over the black of the screen behind it."""
    return desktop.pixel(window.xid, 8, window.height // 2) != (0, 0, 0)


def test_what_is_typed_at_once_is_the_task(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    desktop, tree = accessible_desktop.desktop, accessible_desktop.tree
    child, _ = opened(desktop, tmp_path, **accessible_desktop.env)
    desktop.xdo("type", "--delay", "0", WORDS)

    def ready() -> bool:
        child.checked()
        return any(node.enabled for node in tree.find_all("Start", "push button", pid=child.pid))

    wait_until(ready, "Start", interval_s=0.05)
    assert [node.text for node in tree.find_all("Task", pid=child.pid) if node.role != "label"] == [WORDS]
    assert (Path(os.environ["OPERATOR_CONSOLE_HOME"]) / "logs" / "operator-console.log").exists()
    child.popen.terminate()
    assert child.popen.wait(30) == 0, child.log_text()


ACCENT = (0x24, 0x56, 0xC7)
"""Colour of an enabled Start."""
LAST_SETTINGS = """
[session]
provider = "runbook"
autonomy = "step"

[notices]
seen = ["start page"]
"""


def remember_last_session(desktop: Desktop) -> None:
    """As if the last session had run written steps on the first monitor."""
    listing = subprocess.run(
        [sys.executable, "-m", "operator_console", "targets", "--json"],
        env=console_env(desktop), capture_output=True, text=True, check=True,
    )  # fmt: skip
    [title] = [each["title"] for each in json.loads(listing.stdout) if each["target"] == "monitor:1"]
    paths = find_paths()
    paths.settings.write_text(LAST_SETTINGS, encoding="utf-8")
    setup = {"target": "monitor:1", "target_title": title, "model_title": "Runbook: written steps, no AI",
             "autonomy": "step", "max_steps": 100, "max_minutes": 30}  # fmt: skip
    write_remembered(paths.remembered, RememberedWindow(setup=setup))


@pytest.mark.full
def test_start_pressed_at_once_begins_the_last_setup(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    """In each run: tests/ui/test_startup_window.py."""
    desktop, tree = accessible_desktop.desktop, accessible_desktop.tree
    remember_last_session(desktop)
    child, window = opened(desktop, tmp_path, **accessible_desktop.env)
    desktop.xdo("type", "--delay", "0", 'ask "Go on?"')
    wait_until(lambda: desktop.pixel(window.xid, 24, window.height - 64) == ACCENT, "Start", interval_s=0.005)
    assert not tree.find_all("Stop", "push button", pid=child.pid), "only the set-up column is there"
    desktop.xdo("mousemove", "--window", str(window.xid), "100", str(window.height - 64), "click", "1")
    tree.wait("Yes", "push button", pid=child.pid)
    [record] = find_paths().sessions.glob("*.ocsession")
    child.popen.terminate()
    assert child.popen.wait(30) == 0, child.log_text()
    assert record.exists()


def closed_by_its_title_bar(desktop: Desktop, child: Child, window: WindowInfo) -> None:
    desktop.close_window(window.xid)


def ended_by_a_signal(desktop: Desktop, child: Child, window: WindowInfo) -> None:
    child.popen.terminate()


@pytest.mark.parametrize("close", [closed_by_its_title_bar, pytest.param(ended_by_a_signal, marks=pytest.mark.full)])
def test_closed_at_once_it_ends_in_order(
    desktop: Desktop, tmp_path: Path, close: Callable[[Desktop, Child, WindowInfo], None]
) -> None:
    child, window = opened(desktop, tmp_path)
    close(desktop, child, window)
    wait_until(lambda: not desktop.windows(), "the window to go", interval_s=0.02)
    assert child.popen.wait(30) == 0, child.log_text()
    assert guards(desktop) == []
    assert "Traceback" not in child.log_text()
