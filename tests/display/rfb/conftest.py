"""Real VNC servers, one of each kind for the worker, and what an X server shows without VNC."""

from __future__ import annotations

import asyncio
import random
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import numpy as np
import pytest
from numpy.typing import NDArray
from Xlib import X
from Xlib.xobject.drawable import Window

from operator_console.domain.geometry import Size
from operator_console.guard.x11.display import open_display
from operator_console.rfb.protocol_messages import Encoding
from operator_console.rfb.screen import PREFERRED, Screen
from operator_console.rfb.server_login import Login
from tests.display.rig.processes import DEADLINE_S
from tests.display.rig.vnc_servers import VncServer, ask_qemu, qemu, tigervnc, wayvnc, x11vnc

Pixels = NDArray[np.uint8]


@pytest.fixture(scope="session")
def tigervnc_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VncServer]:
    with tigervnc(tmp_path_factory.mktemp("tigervnc")) as server:
        yield server


@pytest.fixture(scope="session")
def x11vnc_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VncServer]:
    with x11vnc(tmp_path_factory.mktemp("x11vnc")) as server:
        yield server


@pytest.fixture(scope="session")
def qemu_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VncServer]:
    with qemu(tmp_path_factory.mktemp("qemu")) as server:
        yield server


@pytest.fixture(scope="session")
def wayvnc_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VncServer]:
    with wayvnc(tmp_path_factory.mktemp("wayvnc")) as server:
        yield server


@pytest.fixture(params=["TigerVNC", "x11vnc"])
def x_server(request: pytest.FixtureRequest, tigervnc_session: VncServer, x11vnc_session: VncServer) -> VncServer:
    """TigerVNC and x11vnc in turn."""
    return tigervnc_session if request.param == "TigerVNC" else x11vnc_session


class Painter:
    """Paints on an X server, and reads what it shows."""

    def __init__(self, server: VncServer) -> None:
        assert server.display is not None
        # Xvnc numbers its extensions in its own way, which python-xlib alone takes for all servers.
        self.display = open_display(server.display.name)
        self._root = self.display.screen().root
        size = self._root.get_geometry()
        self.size = Size(size.width, size.height)
        self.window: Window = self._root.create_window(
            0, 0, size.width, size.height, 0, X.CopyFromParent, override_redirect=True, event_mask=X.ButtonPressMask
            | X.ButtonReleaseMask | X.KeyPressMask | X.KeyReleaseMask
        )  # fmt: skip
        self._context = self.window.create_gc(foreground=0xFFFFFF, graphics_exposures=False)
        self.window.map()
        self.window.set_input_focus(X.RevertToNone, X.CurrentTime)
        self.display.sync()

    def paint(self, seed: int) -> None:
        """Text, areas of one colour, and noise."""
        chance = random.Random(seed)
        for _ in range(30):
            self._context.change(foreground=chance.randrange(1 << 24))
            x, y = chance.randrange(self.size.width), chance.randrange(self.size.height)
            self.window.fill_rectangle(self._context, x, y, chance.randint(1, 400), chance.randint(1, 300))
        for _ in range(40):
            self._context.change(foreground=chance.randrange(1 << 24))
            x, y = chance.randrange(self.size.width), chance.randrange(self.size.height)
            for step in range(60):
                self.window.line(self._context, x + 3 * step, y, x + 3 * step + step % 3, y + 9)
        noise = chance.randbytes(4 * 150 * 100)
        x, y = chance.randrange(self.size.width - 150), chance.randrange(self.size.height - 100)
        for row in range(0, 100, 50):  # a request of X holds 256 KB
            self.window.put_image(
                self._context, x, y + row, 150, 50, X.ZPixmap, 24, 0, noise[600 * row : 600 * (row + 50)]
            )
        self.display.sync()

    def scroll(self) -> None:
        """Copies a part of the picture upwards, over itself."""
        self.window.copy_area(self._context, self.window, 20, 60, 600, 400, 20, 20)
        self.display.sync()

    def shown(self) -> Pixels:
        """Blue, green and red of the whole screen."""
        size = self._root.get_geometry()
        image = self._root.get_image(0, 0, size.width, size.height, X.ZPixmap, 0xFFFFFFFF)
        return np.frombuffer(image.data, np.uint8).reshape(size.height, size.width, 4)[..., :3]

    def held(self) -> tuple[int, list[int]]:
        """Buttons (bit 0 the left one) and keycodes that are down."""
        buttons = self._root.query_pointer().mask >> 8 & 0x1F
        keys = self.display.query_keymap()
        return buttons, [8 * byte + bit for byte in range(32) for bit in range(8) if keys[byte] >> bit & 1]

    def button_events(self) -> list[tuple[bool, int]]:
        """Whether it was a press, and which button, since this was asked last."""
        self.display.sync()
        events = [self.display.next_event() for _ in range(self.display.pending_events())]
        return [
            (event.type == X.ButtonPress, event.detail)
            for event in events
            if event.type in (X.ButtonPress, X.ButtonRelease)
        ]

    def resize(self, width: int, height: int) -> None:
        """Gives the screen another size; returns once it has it."""
        subprocess.run(["xrandr", "-display", self.display.get_display_name(), "-s", f"{width}x{height}"], check=True)

    def close(self) -> None:
        self.window.destroy()
        self.display.close()


@contextmanager
def painting(server: VncServer) -> Iterator[Painter]:
    painter = Painter(server)
    try:
        yield painter
    finally:
        painter.close()


@pytest.fixture
def painter(x_server: VncServer) -> Iterator[Painter]:
    with painting(x_server) as painter:
        yield painter


@asynccontextmanager
async def looking(server: VncServer, encodings: tuple[Encoding, ...] = PREFERRED) -> AsyncIterator[Screen]:
    login = Login(host="127.0.0.1", port=server.port)
    screen = await Screen.connect(login, within_s=DEADLINE_S, encodings=encodings)
    try:
        yield screen
    finally:
        await screen.close()


async def picture_of(screen: Screen) -> Pixels:
    """Blue, green and red of the whole screen, by VNC."""
    pixels, size, _ = await screen.picture(DEADLINE_S)
    return np.frombuffer(pixels, np.uint8).reshape(size.height, size.width, 4)[..., :3]


async def until_equal(screen: Screen, shown: Callable[[], Pixels]) -> None:
    """Waits until VNC shows what the machine shows; fails with how many pixels differ."""
    deadline = asyncio.get_running_loop().time() + DEADLINE_S
    while True:
        ours, theirs = await picture_of(screen), shown()
        if ours.shape == theirs.shape and np.array_equal(ours, theirs):
            return
        if asyncio.get_running_loop().time() > deadline:
            differ = (ours != theirs).any(axis=2).sum() if ours.shape == theirs.shape else "all"
            pytest.fail(f"{differ} pixels differ; {ours.shape} here, {theirs.shape} there")


def screendump(server: VncServer) -> Pixels:
    """Blue, green and red of what QEMU shows."""
    ask_qemu(server, "screendump", filename="screen.ppm")
    data = (server.folder / "screen.ppm").read_bytes()
    _, size, _, pixels = data.split(b"\n", 3)
    width, height = map(int, size.split())
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)[..., ::-1]


def grim(server: VncServer) -> Pixels:
    """Blue, green and red of what a Wayland compositor shows."""
    assert server.display is not None
    done = subprocess.run(["grim", "-t", "ppm", "-"], env=server.display.env, capture_output=True, check=True)
    _, size, _, pixels = done.stdout.split(b"\n", 3)
    width, height = map(int, size.split())
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)[..., ::-1]
