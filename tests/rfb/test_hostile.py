"""Servers that lie, break off and never end: always one of our errors, in bounded time and memory."""

from __future__ import annotations

import random
import socket
import struct
import time
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_console.domain.geometry import Size
from operator_console.rfb.authentication import log_in
from operator_console.rfb.errors import NotVnc, RfbError
from operator_console.rfb.framebuffer import Framebuffer
from operator_console.rfb.input_line import InputLine, release
from operator_console.rfb.screen import Screen
from operator_console.rfb.server_login import Login
from tests.rfb.test_framebuffer import picture_of
from tests.servers.rfb_encoders import COPY_RECT, RAW, WAYS, Packer, encoded, raw, rectangle, update
from tests.servers.rfb_referee import clipboard_notice, clipboard_text, clipboard_wish, raw_server

EACH_RUN, FULL = settings(max_examples=300), settings(max_examples=10_000)
SOON_S = 8.0
SIZE = 40, 30

seeds = st.integers(0, 1 << 48)

SPECIAL = (0, 1, 2, 3, 15, 16, 63, 64, 65, 127, 128, 129, 130, 150, 248, 254, 255)


def _update_of(way: str, chance: random.Random) -> bytes:
    number, colours, _ = WAYS[way]
    width, height = chance.randint(1, SIZE[0]), chance.randint(1, SIZE[1])
    picture = picture_of(width, height, colours, chance.randrange(1 << 30))
    return update(rectangle(0, 0, width, height, number, encoded(Packer(), way, picture)))


def messages(chance: random.Random) -> list[bytes]:
    """Good messages of every kind, in any order."""
    width, height = chance.randint(1, SIZE[0]), chance.randint(1, SIZE[1])
    pixels = raw(picture_of(width, height, 9, 1))
    screen = b"\1\0\0\0" + bytes(16)
    kinds = [
        *(_update_of(way, chance) for way in WAYS),
        update(rectangle(0, 0, width, height, RAW, pixels)),
        update(rectangle(1, 1, 9, 9, COPY_RECT, b"\0\3\0\4")),
        b"\0\0\xff\xff" + rectangle(0, 0, width, height, RAW, pixels) + rectangle(0, 0, 0, 0, -224),
        update(rectangle(0, 0, *SIZE, -223)),
        update(rectangle(0, 0, *SIZE, -308, screen)),
        update(rectangle(1, 1, 5, 4, -239, bytes(5 * 4 * 4) + bytes(4))),
        update(rectangle(1, 0, 0, 0, -257)),
        update(rectangle(0, 0, *SIZE, -258)),
        struct.pack(">BxHH", 1, 0, 2) + bytes(12),
        b"\2",
        b"\3\0\0\0\0\0\0\3abc",
        clipboard_text("Zażółć"),
        clipboard_notice(),
        clipboard_wish(),
        struct.pack(">BxxxiII", 3, -8, 1 << 24 | 1, 99),
        struct.pack(">BxxxIB", 248, 1 << 31 | 7, 4) + b"ping",
        struct.pack(">BxxxIB", 248, 0, 4) + b"pong",
    ]
    chance.shuffle(kinds)
    return kinds[: chance.randint(1, len(kinds))]


def spoiled(good: bytes, chance: random.Random) -> bytes:
    """Changes, leaves out, repeats or inserts a few bytes, or breaks off."""
    data = bytearray(good)
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(data) + 1)
        count = chance.choice((1, 1, 2, 4, 30))
        match chance.randrange(6):
            case 0:
                data[at : at + count] = bytes(chance.choice(SPECIAL) for _ in range(count))
            case 1:
                data[at : at + count] = chance.randbytes(count)
            case 2:
                del data[at : at + count]
            case 3:
                data[at:at] = data[at : at + count]
            case 4:
                data[at:at] = chance.randbytes(count)
            case _:
                del data[max(1, at) :]
    return bytes(data)


def read_spoiled(seed: int) -> None:
    chance = random.Random(seed)
    said = messages(chance)
    said = [spoiled(message, chance) if chance.random() < 0.4 else message for message in said]
    stream = b"".join(said)
    cut = chance.randint(1, 3000)
    framebuffer = Framebuffer(Size(*SIZE))
    refusal = ""
    try:
        for at in range(0, len(stream), cut):
            framebuffer.give(stream[at : at + cut])
    except NotVnc as error:
        refusal = error.detail
    assert len(refusal) < 200
    assert len(framebuffer.answers) <= 64 * len(said) + len(stream)


@EACH_RUN
@given(seed=seeds)
def test_any_messages_are_drawn_or_refused(seed: int) -> None:
    read_spoiled(seed)


@pytest.mark.full
@pytest.mark.timeout(1200)
@FULL
@given(seed=seeds)
def test_ten_thousand_times_any_messages_are_drawn_or_refused(seed: int) -> None:
    read_spoiled(seed)


@EACH_RUN
@given(noise=st.binary(max_size=300))
def test_noise_is_refused(noise: bytes) -> None:
    framebuffer = Framebuffer(Size(*SIZE))
    try:
        framebuffer.give(noise)
    except NotVnc:
        return


LOGIN = [b"RFB 003.008\n", b"\1\1", bytes(4), struct.pack(">HH16xI", *SIZE, 4) + b"name"]
LOGIN_BY_PASSWORD = [b"RFB 003.008\n", b"\1\2", bytes(16), bytes(4), struct.pack(">HH16xI", *SIZE, 4) + b"name"]
LOGIN_OF_3_3 = [b"RFB 003.003\n", b"\0\0\0\1", struct.pack(">HH16xI", *SIZE, 4) + b"name"]
LOGIN_BY_TLS = [b"RFB 003.008\n", b"\1\x13", b"\0\2", b"\0", b"\2\0\0\1\1\0\0\1\4", b"\1", b"\x16\3\3\0\5hello"]


def saying(said: bytes) -> Callable[[socket.socket], None]:
    """Says it all, and leaves once the client does or has said nothing for a moment."""

    def connected(connection: socket.socket) -> None:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(SOON_S)
        while connection.recv(4096):
            pass

    return connected


def log_in_to_spoiled(seed: int) -> None:
    chance = random.Random(seed)
    phases = chance.choice((LOGIN, LOGIN_BY_PASSWORD, LOGIN_OF_3_3, LOGIN_BY_TLS))
    spoil = chance.randrange(len(phases))
    said = b"".join(spoiled(phase, chance) if number == spoil else phase for number, phase in enumerate(phases))
    refusal = ""
    with raw_server(saying(said)) as port:
        try:
            channel, _ = log_in(Login(host="127.0.0.1", port=port, password="x"), time.monotonic() + SOON_S)
            channel.close()
        except RfbError as error:
            refusal = error.detail
    assert refusal.isprintable() and len(refusal) < 200


@EACH_RUN
@given(seed=seeds)
def test_any_login_succeeds_or_is_refused(seed: int) -> None:
    log_in_to_spoiled(seed)


@pytest.mark.full
@pytest.mark.timeout(1200)
@FULL
@given(seed=seeds)
def test_ten_thousand_times_any_login_succeeds_or_is_refused(seed: int) -> None:
    log_in_to_spoiled(seed)


def after_login(seed: int) -> bytes:
    chance = random.Random(seed)
    stream = b"".join(spoiled(m, chance) if chance.random() < 0.3 else m for m in messages(chance))
    return b"".join(LOGIN) + stream


async def look_until_it_ends(port: int) -> None:
    screen = await Screen.connect(Login(host="127.0.0.1", port=port), within_s=SOON_S)
    try:
        while True:
            await screen.picture(SOON_S)
    finally:
        await screen.close()


@pytest.mark.parametrize("seed", range(60))
async def test_a_screen_of_any_server_ends_with_one_of_our_errors(seed: int) -> None:
    with raw_server(saying(after_login(seed))) as port, pytest.raises(RfbError):
        await look_until_it_ends(port)


@pytest.mark.parametrize("seed", range(60))
def test_a_line_to_any_server_ends_with_one_of_our_errors(seed: int) -> None:
    with raw_server(saying(after_login(seed))) as port:
        try:
            line = InputLine.connect(Login(host="127.0.0.1", port=port), within_s=SOON_S)
        except RfbError:
            return
        release(line, [97], 1, (1, 1))
        line.close()


def test_a_server_that_claims_all_sizes_costs_no_memory() -> None:
    """What is claimed, but never comes, is not made room for."""
    claims = [
        update(rectangle(0, 0, *SIZE, 16, b"\0\0\x0f\xff")),
        b"\3\0\0\0\0\xff\xff\xff",
        b"\3\0\0\0\xff\x00\x00\x01",
        struct.pack(">BxHH", 1, 0, 65535),
        update(rectangle(0, 0, 1024, 1024, -239)),
        update(rectangle(0, 0, *SIZE, 7, b"\0\xff\xff\xff")),
    ]
    tracemalloc.start()
    try:
        for claim in claims:
            framebuffer = Framebuffer(Size(*SIZE))
            framebuffer.give(claim)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_flood_of_skipped_clipboards_costs_no_memory() -> None:
    framebuffer = Framebuffer(Size(*SIZE))
    part = bytes(1 << 18)
    tracemalloc.start()
    try:
        framebuffer.give(b"\3\0\0\0\0\xff\xff\xff")
        for _ in range(63):
            framebuffer.give(part)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def read_until_it_ends(port: int) -> None:
    line = InputLine.connect(Login(host="127.0.0.1", port=port), within_s=SOON_S)
    try:
        while True:
            line.read_waiting()
    finally:
        line.close()


async def test_a_server_that_floods_and_does_not_read_is_left() -> None:
    """Each fence asks for an answer, which such a server never takes."""

    def flood(connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(b"".join(LOGIN) + update(rectangle(0, 0, *SIZE, -308, b"\1\0\0\0" + bytes(16))))
        fences = (struct.pack(">BxxxIB", 248, 1 << 31, 64) + bytes(64)) * 1000
        while True:
            connection.sendall(fences)

    with raw_server(flood, flood) as port:
        with pytest.raises(RfbError):
            await look_until_it_ends(port)
        with pytest.raises(RfbError):
            read_until_it_ends(port)


async def test_a_screen_that_is_flooded_with_pixels_can_be_closed() -> None:
    size = 4096, 4096

    def flood(connection: socket.socket) -> None:
        connection.sendall(b"".join(LOGIN[:3]) + struct.pack(">HH16xI", *size, 0))
        fill = update(rectangle(0, 0, *size, 7, b"\x80\1\2\3"))
        while True:
            connection.sendall(fill * 100)

    with raw_server(flood) as port:
        screen = await Screen.connect(Login(host="127.0.0.1", port=port), within_s=SOON_S)
        await screen.close()
        assert screen.lost
