"""Looking at a machine: the picture is whole, of the time it was asked for, and of the size that the machine has."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from operator_console.domain.geometry import Rect, Size
from operator_console.rfb.errors import ConnectionLost, NoAnswer, NotReachable, NotVnc, PasswordWrong
from operator_console.rfb.screen import Cursor, Screen
from operator_console.rfb.server_login import Login
from tests.servers.rfb_encoders import rectangle, update
from tests.servers.rfb_referee import (
    Clipboard,
    Encodings,
    Fence,
    Referee,
    Request,
    Rules,
    clipboard_notice,
    clipboard_text,
    raw_server,
)

SOON_S = 8.0
RED, BLUE = (200, 1, 2), (3, 4, 250)


@dataclass(slots=True)
class News:
    """What a screen told."""

    changed: list[Rect] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lost: asyncio.Event = field(default_factory=asyncio.Event)
    _told: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, screen: Screen) -> None:
        """Listens."""
        screen.listen(
            lambda rects: self._add(self.changed, *rects),
            lambda size: self._add(self.sizes, size),
            self.lost.set,
            lambda text: self._add(self.texts, text),
        )

    def _add(self, to: list[Rect] | list[Size] | list[str], *what: object) -> None:
        to.extend(what)  # type: ignore[arg-type]
        self._told.set()

    async def until(self, done: Callable[[], bool]) -> None:
        """Waits until something was told."""
        async with asyncio.timeout(SOON_S):
            while not done():
                self._told.clear()
                await self._told.wait()


@asynccontextmanager
async def looking(server: Referee) -> AsyncIterator[tuple[Screen, News]]:
    screen = await Screen.connect(Login(host="127.0.0.1", port=server.port), within_s=SOON_S)
    news = News()
    news.hear(screen)
    try:
        yield screen, news
    finally:
        await screen.close()


PLAIN = Rules(fence=False, extended_size=False)
AS_TIGERVNC = Rules(extended_keys=True, extended_clipboard=True)
AS_QEMU = Rules(fence=False, extended_keys=True, extended_clipboard=True, pointer_mode=1)


@pytest.mark.parametrize("rules", [PLAIN, AS_TIGERVNC, AS_QEMU], ids=["plain", "TigerVNC", "QEMU"])
async def test_a_picture_shows_all_that_was_drawn_before_it_was_asked_for(rules: Rules) -> None:
    with Referee(rules) as server:
        async with looking(server) as (screen, _):
            for x in range(0, 60, 3):
                server.draw(x, 1, 4, 40, RED if x % 2 else BLUE)
                asked = time.monotonic()
                pixels, size, at = await screen.picture(SOON_S)
                assert pixels == bytes(byte if n % 4 != 3 else 255 for n, byte in enumerate(server.pixels))
                assert size == Size(64, 48)
                assert asked <= at <= time.monotonic()


@pytest.mark.parametrize("rules", [PLAIN, Rules(extended_size=False), AS_TIGERVNC], ids=["plain", "fence", "TigerVNC"])
async def test_a_picture_shows_what_was_drawn_while_nothing_was_asked_for(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("operator_console.rfb.screen._PACE_S", 60.0)
    with Referee(rules) as server:
        async with looking(server) as (screen, _):
            await screen.picture(SOON_S)
            for x in range(0, 60, 3):
                server.draw(63, 47, 1, 1, RED)  # answers what was asked for
                server.draw(x, 1, 4, 40, RED)
                pixels, _, _ = await screen.picture(SOON_S)
                assert pixels == bytes(byte if n % 4 != 3 else 255 for n, byte in enumerate(server.pixels))


async def test_what_a_server_can_do_is_known_once_it_is_connected() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, _):
            await screen.picture(SOON_S)
            assert screen.has_fence and screen.has_extended_keys and screen.has_extended_clipboard
            assert screen.pointer_is_relative is None
            assert screen.name == "mäc"
    with Referee(PLAIN) as server:
        async with looking(server) as (screen, _):
            assert not (screen.has_fence or screen.has_extended_keys or screen.has_extended_clipboard)


@pytest.mark.parametrize("mode", [0, 1])
async def test_the_pointer_mode_is_known(mode: int) -> None:
    with Referee(Rules(pointer_mode=mode)) as server:
        async with looking(server) as (screen, _):
            assert screen.pointer_is_relative is (mode == 0)
            server.send(update(rectangle(1 - mode, 0, 0, 0, -257)))
            server.draw(0, 0, 1, 1, RED)
            await screen.picture(SOON_S)
            assert screen.pointer_is_relative is (mode == 1)


async def test_changes_are_told_without_being_asked_for() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, news):
            await screen.picture(SOON_S)
            news.changed.clear()
            server.draw(10, 20, 5, 6, RED)
            await news.until(lambda: Rect(10, 20, 5, 6) in news.changed)


@pytest.mark.parametrize("rules", [PLAIN, AS_TIGERVNC], ids=["DesktopSize", "ExtendedDesktopSize"])
async def test_another_size_is_told_and_the_next_picture_has_it(rules: Rules) -> None:
    with Referee(rules) as server:
        async with looking(server) as (screen, news):
            await screen.picture(SOON_S)
            for width, height in ((20, 90), (100, 10), (64, 48)):
                server.resize(width, height)
                server.draw(2, 2, 3, 3, RED)
                await news.until(lambda size=Size(width, height): news.sizes[-1:] == [size])  # type: ignore[misc]
                assert screen.size == Size(width, height)
                pixels, size, _ = await screen.picture(SOON_S)
                assert size == Size(width, height)
                assert pixels[4 * (2 * width + 2) :][:4] == bytes((2, 1, 200, 255))


async def test_pictures_that_are_wanted_at_once_all_come() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, _):
            pictures = await asyncio.gather(*(screen.picture(SOON_S) for _ in range(20)))
            assert len({pixels for pixels, _, _ in pictures}) == 1


async def test_the_pointer_is_told_beside_the_picture() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, _):
            pixels = bytes(range(4 * 9 * 2))
            server.send(update(rectangle(3, 1, 9, 2, -239, pixels + b"\x80\0\0\x80")))
            await screen.picture(SOON_S)
            assert screen.cursor is not None
            shown = [n // 4 for n in range(3, 4 * 18, 4) if screen.cursor.pixels[n]]
            assert (screen.cursor.width, screen.cursor.height, screen.cursor.hotspot) == (9, 2, (3, 1))
            assert shown == [0, 17]
            assert screen.cursor.pixels[:3] == pixels[:3]
            server.send(update(rectangle(0, 0, 0, 0, -239)))
            await screen.picture(SOON_S)
            assert screen.cursor == Cursor(pixels=b"", width=0, height=0, hotspot=(0, 0))


async def test_text_of_the_machines_clipboard_is_fetched_and_told() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (_, news):
            server.send(clipboard_notice())
            server.until(lambda: Clipboard("request") in server.said)
            server.send(clipboard_text("Zażółć\n你好 😀"))
            server.send(b"\x03\0\0\0\0\0\0\3caf")
            await news.until(lambda: news.texts == ["Zażółć\n你好 😀", "caf"])


async def test_text_that_is_too_long_is_left_out() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, news):
            server.send(clipboard_text("x" * (2 << 20)))
            server.send(b"\x03\0\0\0\0\x20\0\0" + bytes(2 << 20))
            server.send(clipboard_text("short"))
            await screen.picture(SOON_S)
            assert news.texts == ["short"]


async def test_fences_are_answered() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server):
            server.until(lambda: Fence(0, b"ping") in server.said)


async def test_jpeg_is_not_asked_for() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server):
            (said,) = server.heard(Encodings)
            assert isinstance(said, Encodings)
            assert not any(-32 <= number <= -23 for number in said.numbers)


async def test_a_still_machine_is_not_asked_again_and_again() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, _):
            await screen.picture(SOON_S)
            await screen.picture(SOON_S)
            assert len(server.heard(Request)) <= 12


async def test_a_machine_that_does_not_answer_is_told_in_time() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, _):
            await screen.picture(SOON_S)
            server.rules.answers_requests = False
            with pytest.raises(NoAnswer):
                await screen.picture(0.05)
            server.rules.answers_requests = True
            assert (await screen.picture(SOON_S))[1] == Size(64, 48)


async def test_a_lost_connection_is_told_once_and_all_that_waits_ends() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, news):
            await screen.picture(SOON_S)
            server.rules.answers_requests = False
            waiting = asyncio.create_task(screen.picture(SOON_S))
            await asyncio.sleep(0)
            server.clients[0].close()
            with pytest.raises(ConnectionLost):
                await waiting
            await news.lost.wait()
            assert screen.lost and isinstance(screen.error, ConnectionLost)
            with pytest.raises(ConnectionLost):
                await screen.picture(SOON_S)


async def test_a_server_that_breaks_the_protocol_is_left() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, news):
            server.send(b"\x77")
            await news.lost.wait()
            assert isinstance(screen.error, NotVnc)


async def test_closing_is_not_told_as_a_loss_and_may_be_repeated() -> None:
    with Referee(AS_TIGERVNC) as server:
        async with looking(server) as (screen, news):
            await screen.close()
            await screen.close()
            assert screen.lost and screen.error is None and not news.lost.is_set()


async def test_a_login_that_fails_leaves_nothing() -> None:
    with Referee(Rules(security=(2,), response=bytes(16))) as server, pytest.raises(PasswordWrong):
        await Screen.connect(Login(host="127.0.0.1", port=server.port, password="x"), within_s=SOON_S)


async def test_a_server_that_is_silent_after_the_login_is_told_in_time() -> None:
    with Referee(Rules(answers_requests=False, fence=False)) as server, pytest.raises(NoAnswer):
        await Screen.connect(Login(host="127.0.0.1", port=server.port), within_s=0.2)


async def test_a_login_that_is_cancelled_ends_by_itself() -> None:
    asked = threading.Event()

    def stay_silent(connection: socket.socket) -> None:
        asked.set()
        connection.recv(1)

    with raw_server(stay_silent) as port:
        connecting = asyncio.create_task(Screen.connect(Login(host="127.0.0.1", port=port), within_s=SOON_S))
        await asyncio.to_thread(asked.wait)
        connecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connecting


async def test_a_port_where_nobody_listens_is_told() -> None:
    with raw_server() as port:
        pass
    with pytest.raises(NotReachable):
        await Screen.connect(Login(host="127.0.0.1", port=port), within_s=SOON_S)
