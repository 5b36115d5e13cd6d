"""Accessibility is switched on in the desktop session for as long as it is needed, and put back afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from tests.display.rig import AccessibleSession, Desktop, process_alive, wait_until

NAMES = ("IsEnabled", "ScreenReaderEnabled")
_OBJECT = ["gdbus", "call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus", "--method"]


class Status:
    """org.a11y.Status of a session, read and set apart from the product."""

    def __init__(self, env: dict[str, str]) -> None:
        self._env = env

    def _call(self, *arguments: str) -> str:
        command = [*_OBJECT, f"org.freedesktop.DBus.Properties.{arguments[0]}", "org.a11y.Status", *arguments[1:]]
        return subprocess.run(command, env=self._env, capture_output=True, text=True, check=True, timeout=20).stdout

    @property
    def on(self) -> tuple[bool, ...]:
        return tuple("true" in self._call("Get", name) for name in NAMES)

    def set(self, name: str, value: bool) -> None:
        self._call("Set", name, f"<{str(value).lower()}>")


@pytest.fixture
def status(desktop: Desktop, monkeypatch: pytest.MonkeyPatch) -> Iterator[Status]:
    """A session of its own, in which accessibility is off."""
    session = AccessibleSession(desktop)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", session.env["DBUS_SESSION_BUS_ADDRESS"])
    monkeypatch.setenv("GSETTINGS_BACKEND", "memory")
    monkeypatch.delenv("XDG_CURRENT_DESKTOP", raising=False)
    yield Status(session.env)
    session.close()


@pytest.fixture
async def consoles(tmp_path: Path) -> AsyncIterator[list[AccessibleElements]]:
    made = [AccessibleElements(AccessibilityOptions(run_folder=tmp_path)) for _ in range(2)]
    yield made
    for each in made:
        await each.close()


async def until(status: Status, *on: bool) -> None:
    async with asyncio.timeout(20):
        while await asyncio.to_thread(lambda: status.on) != on:
            pass


def noted(folder: Path) -> list[Path]:
    """The notes of what was switched on."""
    return list(folder.glob("*.json"))


def pid_of(console: AccessibleElements) -> int:
    assert console.pid is not None
    return console.pid


def counts_as_user(console: AccessibleElements) -> bool:
    """Whether its process holds the file that counts who needs accessibility."""
    for link in Path(f"/proc/{pid_of(console)}/fd").iterdir():
        with contextlib.suppress(OSError):  # closed meanwhile
            if link.readlink().suffix == ".users":
                return True
    return False


async def test_it_is_on_while_needed_and_off_again(status: Status, consoles: list[AccessibleElements]) -> None:
    assert status.on == (False, False)
    await consoles[0].start()
    await until(status, True, True)
    await consoles[0].close()
    assert status.on == (False, False)


async def test_what_was_on_before_stays_on(status: Status, consoles: list[AccessibleElements]) -> None:
    status.set("IsEnabled", True)
    await consoles[0].start()
    await until(status, True, True)
    await consoles[0].close()
    assert status.on == (True, False)


async def test_what_the_user_changed_meanwhile_is_left_alone(
    status: Status, consoles: list[AccessibleElements]
) -> None:
    await consoles[0].start()
    await until(status, True, True)
    status.set("IsEnabled", False)
    await consoles[0].close()
    assert status.on == (False, False)


async def test_the_last_of_several_consoles_switches_it_off(status: Status, consoles: list[AccessibleElements]) -> None:
    for console in consoles:
        await console.start()
    await until(status, True, True)
    wait_until(lambda: all(map(counts_as_user, consoles)), "both consoles to be counted")
    await consoles[0].close()
    assert status.on == (True, True)
    await consoles[1].close()
    assert status.on == (False, False)


async def test_the_next_start_puts_back_what_a_killed_process_left(
    status: Status, consoles: list[AccessibleElements], tmp_path: Path
) -> None:
    await consoles[0].start()
    await until(status, True, True)
    killed = pid_of(consoles[0])
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: not process_alive(killed), "the process to end")
    assert status.on == (True, True)
    off = AccessibleElements(AccessibilityOptions(run_folder=tmp_path, switch_on=False))
    try:
        await off.start()
        await until(status, False, False)
    finally:
        await off.close()


async def test_it_is_put_back_when_the_console_itself_is_killed(status: Status, tmp_path: Path) -> None:
    program = (
        "import asyncio, pathlib, sys\n"
        "from operator_console.perception.accessibility.accessible_elements import *\n"
        "async def main():\n"
        "    elements = AccessibleElements(AccessibilityOptions(run_folder=pathlib.Path(sys.argv[1])))\n"
        "    await elements.start()\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    console = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(tmp_path))
    try:
        await until(status, True, True)
    finally:
        console.kill()
        await console.wait()
    await until(status, False, False)
    wait_until(lambda: not noted(tmp_path), "the note to go")


async def test_it_stays_off_where_the_setting_says_so(status: Status, tmp_path: Path) -> None:
    console = AccessibleElements(AccessibilityOptions(run_folder=tmp_path, switch_on=False))
    await console.start()
    await console.close()
    assert status.on == (False, False)
