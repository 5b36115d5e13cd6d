"""Pictures stay as recorded while the page is light; else they get smaller, without loss where that suffices."""

from __future__ import annotations

import base64
import io
import random
import threading

import pytest
from PIL import Image, ImageDraw

from operator_console.ui.reading_page import pictures as module
from operator_console.ui.reading_page.pictures import RecordedPicture, ShownPicture, embedded


def screen(number: int) -> bytes:
    """Text-like: few colours, sharp edges."""
    image = Image.new("RGB", (320, 200), "white")
    draw = ImageDraw.Draw(image)
    for line in range(18):
        draw.text((4, 4 + 11 * line), f"step {number} line {line} of some text on a screen", fill="#1b1f24")
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def photo(mime_type: str = "image/png") -> bytes:
    image = Image.frombytes("RGB", (320, 200), random.Random(1).randbytes(320 * 200 * 3))
    out = io.BytesIO()
    image.save(out, mime_type.removeprefix("image/").upper())
    return out.getvalue()


def shown(*data: bytes, mime_type: str = "image/png") -> list[ShownPicture | None]:
    stored = {str(number): each for number, each in enumerate(data)}
    recorded = [RecordedPicture(digest=d, mime_type=mime_type, size_bytes=len(each)) for d, each in stored.items()]
    with embedded(recorded, stored.get) as found:
        return list(found)


def pixels(picture: ShownPicture | None) -> Image.Image:
    assert picture is not None
    head, _, data = picture.address.partition(",")
    assert head.startswith("data:image/")
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


@pytest.fixture
def heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the pictures were too many."""
    monkeypatch.setattr(module, "LIGHT_PAGE_BYTES", 1000)
    monkeypatch.setattr(module, "_SMALLEST_SHARE", 2500)


def test_a_light_page_has_the_recorded_bytes() -> None:
    data = screen(1)
    (found,) = shown(data)
    assert found == ShownPicture(address=f"data:image/png;base64,{base64.b64encode(data).decode()}")


@pytest.mark.usefixtures("heavy")
def test_screens_get_smaller_without_loss_and_stay_in_order() -> None:
    data = [screen(number) for number in range(30)]
    found = shown(*data)
    for picture, original in zip(found, data, strict=True):
        assert picture is not None
        assert not picture.lossy
        assert len(picture.address) < len(original)
        assert pixels(picture).tobytes() == Image.open(io.BytesIO(original)).convert("RGB").tobytes()


@pytest.mark.usefixtures("heavy")
def test_photographs_lose_a_little_and_say_so() -> None:
    data = photo()
    (found,) = shown(data)
    assert found is not None
    assert len(found.address) < len(data) * 4 / 3
    assert found.lossy
    assert pixels(found).size == (320, 200)


@pytest.mark.usefixtures("heavy")
def test_what_would_not_get_smaller_stays_as_it_is() -> None:
    data = photo("image/jpeg")
    (found,) = shown(data, mime_type="image/jpeg")
    assert found == ShownPicture(address=f"data:image/jpeg;base64,{base64.b64encode(data).decode()}")


@pytest.mark.usefixtures("heavy")
def test_a_broken_picture_is_left_to_the_browser() -> None:
    data = b"\x89PNG" + bytes(5000)
    (found,) = shown(data)
    assert found is not None
    assert found.address.endswith(base64.b64encode(data).decode())


def test_only_a_few_pictures_are_in_memory_at_a_time() -> None:
    reads: list[str] = []

    def read(digest: str) -> bytes:
        reads.append(digest)
        return screen(1)

    recorded = [RecordedPicture(digest=str(n), mime_type="image/png", size_bytes=10) for n in range(100)]
    with embedded(recorded, read) as found:
        next(found)
        assert len(reads) <= 8
        assert len(list(found)) == 99


def test_leaving_early_ends_the_threads() -> None:
    recorded = [RecordedPicture(digest="a", mime_type="image/png", size_bytes=10)] * 20
    before = threading.active_count()
    with embedded(recorded, lambda _: screen(1)) as found:
        next(found)
    assert threading.active_count() == before
