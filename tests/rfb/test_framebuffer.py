"""What servers draw arrives, pixel by pixel, however they encode it and however it is cut into packets."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.geometry import Size
from operator_console.rfb.errors import NotVnc
from operator_console.rfb.framebuffer import Framebuffer
from tests.servers.rfb_encoders import (
    COPY_RECT,
    RAW,
    WAYS,
    Colour,
    Packer,
    Rows,
    bgrx,
    encoded,
    raw,
    rectangle,
    update,
)


def picture_of(width: int, height: int, colours: int, seed: int) -> Rows:
    """A picture with runs of all lengths."""
    chance = random.Random(seed)
    palette: list[Colour] = [
        (chance.randrange(256), chance.randrange(256), chance.randrange(256)) for _ in range(min(colours, 300))
    ]
    pixels: list[Colour] = []
    while len(pixels) < width * height:
        pixels += [chance.choice(palette)] * chance.choice((1, 1, 2, 7, 300))
    return [pixels[y * width : (y + 1) * width] for y in range(height)]


@pytest.mark.parametrize("way", WAYS)
@given(width=st.integers(1, 140), height=st.integers(1, 80), seed=st.integers(0, 1 << 32), cut=st.integers(1, 5000))
def test_a_picture_arrives_exactly(way: str, width: int, height: int, seed: int, cut: int) -> None:
    number, colours, _ = WAYS[way]
    packer = Packer()
    framebuffer = Framebuffer(Size(width, height))
    for turn in range(2):  # the second needs what the streams remember
        picture = picture_of(width, height, colours, seed + turn)
        said = update(rectangle(0, 0, width, height, number, encoded(packer, way, picture)))
        for at in range(0, len(said), cut):
            framebuffer.give(said[at : at + cut])
        assert framebuffer.picture() == bgrx(picture)
        assert framebuffer.complete


@given(width=st.integers(1, 30), height=st.integers(1, 30), seed=st.integers(0, 99))
def test_raw_pixels_arrive_exactly_wherever_they_are_put(width: int, height: int, seed: int) -> None:
    chance = random.Random(seed)
    x, y = chance.randrange(10), chance.randrange(10)
    whole: Rows = [[(0, 0, 0)] * 40 for _ in range(40)]
    picture = picture_of(width, height, 50, seed)
    for row, pixels in enumerate(picture):
        whole[y + row][x : x + width] = pixels
    framebuffer = Framebuffer(Size(40, 40))
    framebuffer.give(update(rectangle(x, y, width, height, RAW, raw(picture))))
    assert framebuffer.picture() == bgrx(whole)
    assert not framebuffer.complete


def test_a_copied_rectangle_may_overlap_its_source() -> None:
    picture = picture_of(20, 20, 300, 1)
    framebuffer = Framebuffer(Size(20, 20))
    framebuffer.give(update(rectangle(0, 0, 20, 20, RAW, raw(picture))))
    framebuffer.give(update(rectangle(3, 2, 15, 15, COPY_RECT, b"\0\1\0\1")))
    moved = [list(row) for row in picture]
    for y in range(15):
        moved[2 + y][3:18] = picture[1 + y][1:16]
    assert framebuffer.picture() == bgrx(moved)


def test_what_is_told_in_an_update_of_unknown_length_ends_with_its_last_rectangle() -> None:
    framebuffer = Framebuffer(Size(2, 1))
    pixels = rectangle(0, 0, 2, 1, RAW, raw([[(1, 2, 3), (4, 5, 6)]]))
    framebuffer.give(b"\0\0\xff\xff" + pixels + rectangle(0, 0, 0, 0, -224))
    assert framebuffer.updates == 1
    assert framebuffer.picture() == bytes((3, 2, 1, 255, 6, 5, 4, 255))


def test_a_new_size_forgets_the_picture_until_all_of_it_was_drawn() -> None:
    framebuffer = Framebuffer(Size(2, 1))
    complete = []
    for said in (
        rectangle(0, 0, 2, 1, RAW, bytes(8)),
        rectangle(0, 0, 1, 2, -223),
        rectangle(0, 0, 1, 1, RAW, bytes(4)),
        rectangle(0, 1, 1, 1, RAW, bytes(4)),
    ):
        framebuffer.give(update(said))
        complete.append(framebuffer.complete)
    assert framebuffer.size == Size(1, 2)
    assert complete == [True, False, False, True]


def test_a_size_that_somebody_wished_for_and_did_not_get_changes_nothing() -> None:
    framebuffer = Framebuffer(Size(2, 1))
    framebuffer.give(update(rectangle(1, 3, 100, 100, -308, b"\1\0\0\0" + bytes(16))))
    assert framebuffer.size == Size(2, 1)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("a rectangle beside the screen", update(rectangle(1, 0, 2, 1, RAW, bytes(8)))),
        ("a copy from beside the screen", update(rectangle(0, 0, 2, 1, COPY_RECT, b"\0\1\0\0"))),
        ("an encoding that was not asked for", update(rectangle(0, 0, 2, 1, 5))),
        ("a screen without pixels", update(rectangle(0, 0, 0, 5, -223))),
        ("a screen that is too large", update(rectangle(0, 0, 65535, 65535, -223))),
        ("a screen with too many pixels", update(rectangle(0, 0, 16384, 16384, -308, bytes(4)))),
        ("a pointer that is too large", update(rectangle(0, 0, 4096, 4096, -239))),
        ("Tight with JPEG", update(rectangle(0, 0, 2, 1, 7, b"\x90"))),
        ("Tight with a filter that does not exist", update(rectangle(0, 0, 2, 1, 7, b"\x40\x03"))),
        ("Tight with a colour beside its palette", update(rectangle(0, 0, 2, 1, 7, b"\x40\1\2" + bytes(9) + b"\3\0"))),
        ("ZRLE that is too long", update(rectangle(0, 0, 2, 1, 16, b"\xff\xff\xff\xff"))),
        ("ZRLE that does not unpack", update(rectangle(0, 0, 2, 1, 16, b"\0\0\0\4abcd"))),
        ("a message that does not exist", b"\x63"),
        ("a clipboard of two gigabytes", b"\x03\0\0\0\x7f\xff\xff\xff"),
        ("an extended clipboard without flags", b"\x03\0\0\0\xff\xff\xff\xff"),
        ("a fence that is too long", b"\xf8\0\0\0\0\0\0\0\xff"),
    ],
)  # fmt: skip
def test_what_breaks_the_protocol_is_refused_at_once(what: str, said: bytes) -> None:
    with pytest.raises(NotVnc):
        Framebuffer(Size(2, 1)).give(said)


def test_pixels_that_unpack_to_more_than_their_rectangle_are_refused() -> None:
    packer = Packer()
    bomb = packer.zrle_raw(picture_of(2000, 100, 2, 1))
    with pytest.raises(NotVnc):
        Framebuffer(Size(10, 10)).give(update(rectangle(0, 0, 10, 10, 16, bomb)))
    bomb = Packer().tight_copy(picture_of(2000, 100, 2, 1))
    with pytest.raises(NotVnc):
        Framebuffer(Size(10, 10)).give(update(rectangle(0, 0, 10, 10, 7, bomb)))


def test_an_update_that_draws_for_ever_is_refused() -> None:
    with pytest.raises(NotVnc):
        Framebuffer(Size(100, 100)).give(update(*[rectangle(0, 0, 100, 100, 7, b"\x80\1\2\3")] * 9))


def test_a_message_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    framebuffer = Framebuffer(Size(100, 100))
    framebuffer.give(b"\0")
    framebuffer.check_time()
    monkeypatch.setattr("operator_console.rfb.protocol_messages.MESSAGE_S", -1.0)
    with pytest.raises(NotVnc):
        framebuffer.check_time()
