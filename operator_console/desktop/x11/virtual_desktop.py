"""An isolated desktop, Xvfb and openbox, started for one session and ended with it.

It shows nothing of the user's screen, and the agent's input cannot reach that screen. Its programs have a home folder
of their own, which is removed with it. Xvfb must be installed; openbox is used if it is (without it, windows have no
frames and cannot be moved).
"""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.windows import window_manager_answers
from operator_console.domain.environment import isolated, without_keys
from operator_console.domain.errors import ComputerUnavailable, OperatorError, UnavailableReason
from operator_console.domain.geometry import Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

START_TIMEOUT_S = 20.0
_END_TIMEOUT_S = 5.0
_REMOVE_TIMEOUT_S = 3.0

# Mapping spare keycodes for typing must not renew openbox's key grabs: it would lose the following clicks.
_OPENBOX_RC = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <keyboard><rebindOnMappingNotify>no</rebindOnMappingNotify></keyboard>
  <focus><focusNew>yes</focusNew></focus>
  <desktops><number>1</number></desktops>
</openbox_config>
"""


def missing_program() -> OperatorError | None:
    """The error for a missing Xvfb; None if it is installed."""
    if shutil.which("Xvfb") is not None:
        return None
    return OperatorError(notice(NoticeCode.XVFB_NOT_INSTALLED), remedy=notice(NoticeCode.INSTALL_XVFB))


class VirtualDesktop:
    """Fits `protocols.StartedDesktop`. `display` is the display name (":7") once `start` has returned."""

    def __init__(self) -> None:
        self.display = ""
        self._folder = Path(tempfile.mkdtemp(prefix="operator-console-desktop-"))
        self.home = self._folder / "home"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()  # starting runs in a thread, cancelling on the event loop
        self._abandoned = False
        self._started = False

    @classmethod
    async def start(cls, size: Size) -> VirtualDesktop:
        """Start both and wait until they are ready. If cancelled, it first ends what it has started.

        Raises OperatorError (not installed), ComputerUnavailable (did not start).
        """
        desktop = cls()
        starting = asyncio.ensure_future(asyncio.to_thread(desktop._start, size))
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            if desktop._abandon():
                await asyncio.shield(desktop.close())
            else:
                # The thread cleans up itself, even if this is cancelled again.
                await asyncio.shield(asyncio.gather(starting, return_exceptions=True))
            raise
        return desktop

    async def close(self) -> None:
        """End the window manager and the server, and with it the connections of all applications."""
        await asyncio.to_thread(self._end)

    def _start(self, size: Size) -> None:
        try:
            if (missing := missing_program()) is not None:
                raise missing
            for folder in (self.home, self.home / ".runtime"):
                folder.mkdir(mode=0o700)
            self._start_server(size)
            self._start_manager()
            self._start_keeper()
            with self._lock:
                if self._abandoned:
                    raise _not_started(notice(NoticeCode.VIRTUAL_DESKTOP_CANCELLED))
                self._started = True
        except BaseException:
            self._end()
            raise

    def _abandon(self) -> bool:
        """Make a running start fail; True if it had already succeeded, so that `close` must be called."""
        with self._lock:
            self._abandoned = True
            for process in self._processes:
                process.terminate()
            return self._started

    def _start_server(self, size: Size) -> None:
        reader, writer = os.pipe()
        try:
            self._spawn(
                ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size.width}x{size.height}x24", "-nolisten",
                 "tcp", "-noreset"],
                pass_fds=(writer,),
            )  # fmt: skip
            os.close(writer)
            writer = -1
            number = _read_line(reader, START_TIMEOUT_S)
        finally:
            os.close(reader)
            if writer >= 0:
                os.close(writer)
        if not number:
            raise _not_started(notice(NoticeCode.PROGRAM_NOT_STARTED, program="Xvfb"))
        self.display = f":{number}"

    def _start_manager(self) -> None:
        if shutil.which("openbox") is None:
            return
        config = self._folder / "rc.xml"
        config.write_text(_OPENBOX_RC, encoding="utf-8")
        environment = isolated(os.environ, self.home) | {"DISPLAY": self.display}
        self._spawn(["openbox", "--config-file", str(config)], env=environment)
        connection = Display(self.display)
        try:
            if not window_manager_answers(connection, START_TIMEOUT_S):
                raise _not_started(notice(NoticeCode.PROGRAM_NOT_STARTED, program="openbox"))
        finally:
            connection.close()

    def _start_keeper(self) -> None:
        """Start a shell that ends the others, and removes the folder, if this process dies: the pipe that it reads from
        is closed then.

        It comes last, so that it is ended first, and never ends a process that got one of these numbers later.
        """
        numbers = [str(process.pid) for process in self._processes]
        script = 'folder=$1; shift; read -r _; kill "$@"; sleep 1; rm -rf "$folder"'
        self._spawn(["sh", "-c", script, "keeper", str(self._folder), *numbers], stdin=subprocess.PIPE)

    def _spawn(
        self,
        args: list[str],
        *,
        env: dict[str, str] | None = None,
        pass_fds: tuple[int, ...] = (),
        stdin: int = subprocess.DEVNULL,
    ) -> None:
        with self._lock:
            if self._abandoned:
                raise _not_started(notice(NoticeCode.VIRTUAL_DESKTOP_CANCELLED))
            # A session of its own: Ctrl-C in the terminal must not end the display before the session is recorded.
            process = subprocess.Popen(
                args, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=without_keys(os.environ if env is None else env),
                pass_fds=pass_fds, start_new_session=True,
            )  # fmt: skip
            self._processes.append(process)

    def _end(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            try:
                process.wait(_END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdin is not None:
                process.stdin.close()
        self._processes.clear()
        deadline = time.monotonic() + _REMOVE_TIMEOUT_S
        shutil.rmtree(self._folder, ignore_errors=True)
        while self._folder.exists() and time.monotonic() < deadline:  # applications write until they have ended
            time.sleep(0.05)
            shutil.rmtree(self._folder, ignore_errors=True)


def _read_line(descriptor: int, timeout_s: float) -> str:
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
        detail=notice(NoticeCode.VIRTUAL_DESKTOP_NOT_READY),
        remedy=notice(NoticeCode.RUN_XVFB_FOR_MESSAGE),
    )
