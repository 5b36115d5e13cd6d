"""Pictures made while the wait for a still screen goes on: used for equal pixels only, and never twice."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable

import numpy as np
import pytest

from operator_console.computers import prepared_pictures
from operator_console.computers.frame_building import fingerprint, make_frame
from operator_console.computers.model_image import Wanted, encode
from operator_console.computers.prepared_pictures import PreparedPictures
from operator_console.computers.worker_thread import Worker
from operator_console.desktop.values import Grab
from operator_console.domain.frames import Frame, ImageNeeds, MonitorTarget, Picture
from operator_console.domain.geometry import Rect, ScreenPoint, Size

TARGET = MonitorTarget(spec="monitor:1", title="")
SIZE = Size(64, 48)
NEEDS = ImageNeeds()


class Rig:
    """Pictures of a target, and how often one was encoded."""

    def __init__(self, encoder: Worker) -> None:
        self.encoder = encoder
        self.pictures = PreparedPictures(TARGET, encoder)
        self.encoded: list[str] = []

    def encode(self, frame: Frame, needs: ImageNeeds, wanted: Wanted = lambda: True) -> Picture:
        self.encoded.append(fingerprint(frame.pixels, frame.geometry.native))
        return encode(frame, needs, wanted)

    async def shown(self, grab: Grab, needs: ImageNeeds = NEEDS) -> tuple[Frame, Picture]:
        """Show it to the model."""
        known, frame_id = self.pictures.recognised(grab, needs)
        frame = make_frame(
            pixels=known.pixels, native=known.rect.size, origin=ScreenPoint(0, 0), target=TARGET, needs=needs,
            frame_id=frame_id,
        )  # fmt: skip
        return frame, await self.encoder.run(lambda: self.pictures.picture(frame, needs))

    async def idle(self) -> None:
        """Wait until all that was begun is made."""
        await self.encoder.run(lambda: None)


@pytest.fixture
async def rig(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    encoder = Worker("encode")
    made = Rig(encoder)
    monkeypatch.setattr(prepared_pictures, "encode", made.encode)
    yield made
    await encoder.close(lambda: None)


def grab(seed: int, change: Callable[[np.ndarray], None] = lambda _: None) -> Grab:
    pixels = np.random.default_rng(seed).integers(0, 256, (SIZE.height, SIZE.width, 4), dtype=np.uint8)
    change(pixels)
    return Grab(pixels=bytearray(pixels.tobytes()), rect=Rect(0, 0, SIZE.width, SIZE.height))


def id_of(grab: Grab) -> str:
    return fingerprint(memoryview(grab.pixels), SIZE)


async def test_what_was_prepared_is_what_would_have_been_made(rig: Rig) -> None:
    await rig.shown(grab(1))
    rig.pictures.begin_wait()
    rig.pictures.prepare(grab(2))
    await rig.idle()
    prepared = [*rig.encoded]
    frame, picture = await rig.shown(grab(2))
    assert prepared == [id_of(grab(1)), id_of(grab(2))]
    assert rig.encoded == prepared  # not made once more
    assert frame.frame_id == id_of(grab(2))
    assert picture == encode(frame, NEEDS)


async def test_a_picture_that_differs_in_one_pixel_is_made_anew(rig: Rig) -> None:
    await rig.shown(grab(1))
    rig.pictures.begin_wait()
    rig.pictures.prepare(grab(2))

    def last_pixel(pixels: np.ndarray) -> None:
        pixels[-1, -1, 0] ^= 1

    now = grab(2, last_pixel)
    frame, picture = await rig.shown(now)
    assert frame.frame_id == id_of(now)
    assert bytes(frame.pixels) == bytes(now.pixels)
    assert picture == encode(frame, NEEDS)


async def test_an_unchanged_screen_is_encoded_once(rig: Rig) -> None:
    first, picture = await rig.shown(grab(1))
    rig.pictures.begin_wait()
    rig.pictures.prepare(grab(1))
    second, again = await rig.shown(grab(1))
    assert again is picture
    assert second.frame_id == first.frame_id
    assert len(rig.encoded) == 1


async def test_other_needs_get_another_picture(rig: Rig) -> None:
    await rig.shown(grab(1))
    small = ImageNeeds(long_edge=32)
    _, picture = await rig.shown(grab(1), small)
    assert picture.size == Size(32, 24)


async def test_a_screen_that_keeps_changing_is_not_encoded_for_ever(rig: Rig) -> None:
    await rig.shown(grab(1))
    rig.pictures.begin_wait()
    for seed in range(2, 12):
        rig.pictures.prepare(grab(seed))
        await rig.idle()
    assert len(rig.encoded) == 4
    _, picture = await rig.shown(grab(11))
    assert picture == encode((await rig.shown(grab(11)))[0], NEEDS)


async def test_what_was_painted_over_before_its_turn_is_not_encoded(rig: Rig) -> None:
    await rig.shown(grab(1))
    rig.pictures.begin_wait()
    go_on = threading.Event()

    def busy() -> None:
        assert go_on.wait(30.0)

    rig.encoder.start(busy)
    rig.pictures.prepare(grab(2))
    rig.pictures.prepare(grab(3))
    go_on.set()
    await rig.idle()
    assert rig.encoded == [id_of(grab(1)), id_of(grab(3))]


async def test_nothing_is_prepared_before_it_is_known_what_a_model_needs(rig: Rig) -> None:
    rig.pictures.begin_wait()
    rig.pictures.prepare(grab(1))
    await rig.idle()
    assert rig.encoded == []


async def test_a_name_is_given_to_known_pixels_only(rig: Rig) -> None:
    frame, _ = await rig.shown(grab(1))
    assert rig.pictures.name(grab(1)) == frame.frame_id
    assert rig.pictures.name(grab(2)) == ""


async def test_what_is_given_up_halfway_is_made_when_it_is_shown_after_all(rig: Rig) -> None:
    await rig.shown(grab(1))
    rig.pictures.begin_wait()
    go_on = threading.Event()

    def busy() -> None:
        assert go_on.wait(30.0)

    rig.encoder.start(busy)
    rig.pictures.prepare(grab(2))
    rig.pictures.drop()
    go_on.set()
    frame, picture = await rig.shown(grab(2))
    assert picture == encode(frame, NEEDS)
