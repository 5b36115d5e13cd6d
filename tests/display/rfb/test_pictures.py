"""What real servers show arrives pixel by pixel, in every encoding that they offer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

from operator_console.domain.geometry import Size
from operator_console.rfb.errors import ConnectionLost
from operator_console.rfb.protocol_messages import Encoding
from operator_console.rfb.screen import PREFERRED
from tests.display.rfb.conftest import Painter, grim, looking, painting, picture_of, screendump, until_equal
from tests.display.rig.processes import DEADLINE_S
from tests.display.rig.vnc_servers import VncServer, ask_qemu, qemu, resize_sway, tigervnc, wayvnc, x11vnc

each_encoding = pytest.mark.parametrize(
    "encodings",
    [
        pytest.param(PREFERRED, id="preferred"),
        # In each run: tests/rfb/test_decoding.py, and those that the servers choose of the preferred ones.
        pytest.param((Encoding.RAW,), id="Raw", marks=pytest.mark.full),
        pytest.param((Encoding.ZRLE,), id="ZRLE", marks=pytest.mark.full),
        pytest.param((Encoding.TIGHT,), id="Tight", marks=pytest.mark.full),
        pytest.param((Encoding.COPY_RECT, Encoding.RAW), id="CopyRect", marks=pytest.mark.full),
    ],
)


@each_encoding
async def test_each_pixel_of_an_x_server_arrives(
    x_server: VncServer, painter: Painter, encodings: tuple[Encoding, ...]
) -> None:
    painter.paint(1)
    async with looking(x_server, encodings) as screen:
        for seed in range(2, 6):
            await until_equal(screen, painter.shown)
            painter.paint(seed)
        painter.scroll()
        await until_equal(screen, painter.shown)


@each_encoding
async def test_each_pixel_of_qemu_arrives(qemu_session: VncServer, encodings: tuple[Encoding, ...]) -> None:
    async with looking(qemu_session, encodings) as screen:
        await until_equal(screen, lambda: screendump(qemu_session))
        ask_qemu(qemu_session, "system_reset")  # the screen goes through two sizes
        await until_equal(screen, lambda: screendump(qemu_session))


@each_encoding
async def test_each_pixel_of_a_wayland_desktop_arrives(
    wayvnc_session: VncServer, encodings: tuple[Encoding, ...]
) -> None:
    with painting(wayvnc_session) as painter:
        painter.paint(1)
        async with looking(wayvnc_session, encodings) as screen:
            for seed in range(2, 6):
                await until_equal(screen, lambda: grim(wayvnc_session))
                painter.paint(seed)
            painter.scroll()
            await until_equal(screen, lambda: grim(wayvnc_session))
            assert len(np.unique(grim(wayvnc_session))) > 200, "what was painted is shown"


async def test_tigervnc_shows_at_once_what_was_painted_before(tigervnc_session: VncServer) -> None:
    with painting(tigervnc_session) as painter:
        async with looking(tigervnc_session) as screen:
            for seed in range(20):
                painter.paint(seed)
                assert np.array_equal(await picture_of(screen), painter.shown())


async def test_tigervnc_changes_its_size(tmp_path: Path) -> None:
    with tigervnc(tmp_path) as server, painting(server) as painter:
        async with looking(server) as screen:
            await picture_of(screen)
            for width, height in ((800, 600), (1280, 720)):
                painter.resize(width, height)
                painter.paint(width)
                await until_equal(screen, painter.shown)
                assert screen.size == Size(width, height)


async def test_a_wayland_desktop_changes_its_size(tmp_path: Path) -> None:
    with wayvnc(tmp_path) as server:
        async with looking(server) as screen:
            await picture_of(screen)
            for width, height in ((800, 600), (1280, 720)):
                resize_sway(server, width, height)
                await until_equal(screen, lambda: grim(server))
                assert screen.size == Size(width, height)


@pytest.mark.parametrize(
    "kind",
    [tigervnc, *(pytest.param(each, marks=pytest.mark.full) for each in (x11vnc, qemu, wayvnc))],
    ids=["TigerVNC", "x11vnc", "QEMU", "wayvnc"],
)
async def test_a_killed_server_is_told(
    kind: Callable[[Path], AbstractContextManager[VncServer]], tmp_path: Path
) -> None:
    with kind(tmp_path) as server:
        async with looking(server) as screen:
            lost = asyncio.Event()
            screen.listen(lambda _: None, lambda _: None, lost.set, lambda _: None)
            await picture_of(screen)
            server.child.popen.kill()
            await asyncio.wait_for(lost.wait(), DEADLINE_S)
            assert isinstance(screen.error, ConnectionLost)
