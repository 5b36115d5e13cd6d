"""An isolated desktop of our own: Xvfb and openbox, started for one session and ended with it.

Nothing of the person's own screen is on it, and nothing that the agent does there reaches that screen. Needs the
system's Xvfb; openbox is used where it is installed (without it windows have no frames and keep their first place).
Called by targets.py of this room.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from operator_console.computers.desktop import DesktopComputer
from operator_console.desktop.x11.display import Display
from operator_console.domain.environment import without_keys
from operator_console.domain.errors import ComputerUnavailable, OperatorError, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, Picture, SettleReason, TargetRef, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect, Size

START_TIMEOUT_S = 20.0
_END_TIMEOUT_S = 5.0

# Grabs are not renewed when spare keycodes are mapped for typing: with it, openbox loses clicks that follow.
_OPENBOX_RC = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <keyboard><rebindOnMappingNotify>no</rebindOnMappingNotify></keyboard>
  <focus><focusNew>yes</focusNew></focus>
  <desktops><number>1</number></desktops>
</openbox_config>
"""


class VirtualDesktop:
    """The two processes. `display` is its name (":7")."""

    def __init__(self, display: str, processes: list[subprocess.Popen[bytes]], folder: Path) -> None:
        self.display = display
        self._processes = processes
        self._folder = folder

    @classmethod
    async def start(cls, size: Size) -> VirtualDesktop:
        """Raises OperatorError (not installed), ComputerUnavailable (did not start)."""
        return await asyncio.to_thread(cls._start, size)

    @classmethod
    def _start(cls, size: Size) -> VirtualDesktop:
        if shutil.which("Xvfb") is None:
            raise OperatorError(
                "A virtual desktop needs Xvfb, which is not installed.",
                remedy="Install it (on Debian and Ubuntu: sudo apt-get install xvfb openbox).",
            )
        folder = Path(tempfile.mkdtemp(prefix="operator-console-desktop-"))
        processes: list[subprocess.Popen[bytes]] = []
        desktop = cls("", processes, folder)
        try:
            desktop.display = _start_server(size, processes)
            _start_manager(desktop.display, folder, processes)
        except BaseException:
            desktop._end()
            raise
        return desktop

    async def close(self) -> None:
        """End the window manager, the server and whatever still shows windows on it."""
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            try:
                process.wait(_END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes.clear()
        shutil.rmtree(self._folder, ignore_errors=True)


def _start_server(size: Size, processes: list[subprocess.Popen[bytes]]) -> str:
    reader, writer = os.pipe()
    try:
        processes.append(
            _spawn(
                ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size.width}x{size.height}x24", "-nolisten",
                 "tcp", "-noreset"],
                pass_fds=(writer,),
            )
        )  # fmt: skip
        os.close(writer)
        writer = -1
        number = _read_line(reader, START_TIMEOUT_S)
    finally:
        os.close(reader)
        if writer >= 0:
            os.close(writer)
    if not number:
        raise _not_started("Xvfb did not start.")
    return f":{number}"


def _start_manager(display: str, folder: Path, processes: list[subprocess.Popen[bytes]]) -> None:
    if shutil.which("openbox") is None:
        return
    config = folder / "rc.xml"
    config.write_text(_OPENBOX_RC, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key not in {"WAYLAND_DISPLAY", "DISPLAY"}}
    processes.append(_spawn(["openbox", "--config-file", str(config)], env={**environment, "DISPLAY": display}))
    connection = Display(display)
    try:
        connection.listen(connection.root, 1 << 22)  # properties
        if not connection.wait_until(
            lambda: bool(connection.words(connection.ask(connection.root, "_NET_SUPPORTING_WM_CHECK"))),
            START_TIMEOUT_S,
        ):
            raise _not_started("openbox did not start.")
    finally:
        connection.close()


def _spawn(
    args: list[str], *, env: dict[str, str] | None = None, pass_fds: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    # A group of its own: Ctrl-C in the terminal must not end the screen before the session is recorded.
    return subprocess.Popen(
        args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=without_keys(os.environ if env is None else env),
        pass_fds=pass_fds, start_new_session=True,
    )  # fmt: skip


def _read_line(descriptor: int, timeout_s: float) -> str:
    import select
    import time

    deadline = time.monotonic() + timeout_s
    data = b""
    while b"\n" not in data:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            return ""
        piece = os.read(descriptor, 64)
        if not piece:
            return ""
        data += piece
    return data.split(b"\n")[0].decode("ascii").strip()


def _not_started(title: str) -> ComputerUnavailable:
    return ComputerUnavailable(
        title,
        reason=UnavailableReason.NO_DISPLAY,
        detail="The virtual desktop could not be made ready in time.",
        remedy="Try it in a terminal (Xvfb :90) to see what it says.",
    )


class VirtualComputer:
    """A virtual desktop as a computer: everything is its monitor's, `close` ends the desktop too."""

    def __init__(self, computer: DesktopComputer, machine: VirtualDesktop) -> None:
        self._computer = computer
        self._machine = machine

    @property
    def target(self) -> TargetRef:
        """What it is; its `display` is the one that injector and guard act on."""
        return self._computer.target

    async def observe(self, needs: ImageNeeds) -> Frame:
        """A fresh capture."""
        return await self._computer.observe(needs)

    async def glimpse(self) -> Frame:
        """The picture now."""
        return await self._computer.glimpse()

    async def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        """The frame for the model."""
        return await self._computer.picture(frame, needs)

    async def zoom(self, frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
        """A region of the frame for the model."""
        return await self._computer.zoom(frame, region, needs)

    async def settle(self, before: Frame, *, at: NativePoint | None, lower_s: float, upper_s: float) -> SettleReason:
        """Wait until it stopped changing."""
        return await self._computer.settle(before, at=at, lower_s=lower_s, upper_s=upper_s)

    async def late_change(self, since: Frame) -> bool:
        """As a monitor."""
        return await self._computer.late_change(since)

    async def receiver(self, at: NativePoint | None) -> WindowInfo | None:
        """As a monitor."""
        return await self._computer.receiver(at)

    async def prepare_input(self, at: NativePoint | None, needs_focus: bool, path: Sequence[NativePoint] = ()) -> None:
        """As a monitor; nothing of ours lies there."""
        await self._computer.prepare_input(at, needs_focus, path)

    async def after_input(self) -> None:
        """As a monitor."""
        await self._computer.after_input()

    async def changed(self, before: Frame) -> bool | None:
        """Whether the picture differs now."""
        return await self._computer.changed(before)

    async def differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        """As a monitor."""
        return await self._computer.differences(before)

    async def close(self) -> None:
        """End the capture, then the desktop."""
        try:
            await self._computer.close()
        finally:
            await self._machine.close()
