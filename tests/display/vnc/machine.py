"""A machine over VNC, with a desktop on it, and a session that acts on it: a real guard and a real injector."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from operator_console.computers.vnc.computer import VncComputer
from operator_console.computers.vnc.target import open_machine
from operator_console.desktop.ledger import Word
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.frames import VncTarget
from operator_console.rfb.server_login import Login
from tests.display.guard.acting import Acting, guarded
from tests.display.rig import Desktop
from tests.display.rig.server import start_xserver

SECRET = "opensesa"
"""The password of a machine that has one; VNC takes eight characters."""


def free_port() -> int:
    """A port of the loopback address that nothing listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@dataclass(kw_only=True)
class Machine:
    """Xvnc with a window manager. `desktop` is what judges on it, as an X client there."""

    folder: Path
    size: tuple[int, int] = (1024, 768)
    security: str = "None"
    options: Sequence[str] = ()
    port: int = field(default_factory=free_port)
    layout: str = "us"
    password: str = ""
    desktop: Desktop = field(init=False)

    def start(self) -> None:
        """Start it, or start it again at the same port."""
        self.folder.mkdir(exist_ok=True)
        width, height = self.size
        args = [
            "Xvnc", "-geometry", f"{width}x{height}", "-depth", "24", "-nolisten", "tcp", "-noreset", "-dpi", "96",
            "-rfbport", str(self.port), "-localhost", "-AlwaysShared", "-SecurityTypes", self.security, *self.options,
        ]  # fmt: skip
        server = start_xserver(args, "xvnc", self.folder, size=self.size)
        self.desktop = Desktop.start(server, self.folder)

    def stop(self) -> None:
        self.desktop.close()
        self.desktop.server.stop()

    @property
    def target(self) -> VncTarget:
        address = f"127.0.0.1:{self.port}"
        return VncTarget(spec=f"vnc:{address}", title=f"VNC · {address}", layout=self.layout)

    def login(self) -> Login:
        return Login(host="127.0.0.1", port=self.port, password=self.password)

    async def look(self) -> VncComputer:
        return await open_machine(self.target, self.login())


@asynccontextmanager
async def acting_on(machine: Machine, display: str = NO_DISPLAY) -> AsyncIterator[Acting]:
    """Armed on the machine; disarmed in order where the test has not stopped it. `display`: where the stop is heard."""
    async with guarded(machine.desktop, machine.target, display=display) as acting:
        acting.guard.login = machine.login()
        await acting.guard.arm(session="test", target=machine.target)
        yield acting
        if not acting.ears.stops:
            await acting.guard.disarm()


def injector_of(acting: Acting) -> int:
    """The process that acts."""
    ledger = acting.injector._ledger
    assert ledger is not None
    return ledger.get(Word.INJECTOR_PID)


async def nothing_is_held(machine: Machine) -> None:
    """Wait until no key and no button is down there."""
    desktop = machine.desktop
    async with asyncio.timeout(5):
        while desktop.keys_down() or desktop.buttons_down():  # noqa: ASYNC110  the server tells nobody
            await asyncio.sleep(0.01)
