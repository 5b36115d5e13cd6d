"""Pictures: lossless, small, scaled once, within the byte limit, and honest about what was given up."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from operator_console.computers.frame_building import make_frame
from operator_console.computers.model_image import NoLongerWanted, encode, encode_region, png, sent_size
from operator_console.domain.frames import Frame, ImageNeeds, MonitorTarget
from operator_console.domain.geometry import Rect, ScreenPoint, Size

TARGET = MonitorTarget(spec="monitor:1", title="")


def frame_of(image: Image.Image, needs: ImageNeeds) -> Frame:
    pixels = image.convert("RGBA").tobytes("raw", "BGRA")
    return make_frame(pixels=pixels, native=Size(*image.size), origin=ScreenPoint(0, 0), target=TARGET, needs=needs)


def desktop_like(size: tuple[int, int] = (640, 400)) -> Image.Image:
    image = Image.new("RGB", size, (230, 230, 235))
    draw = ImageDraw.Draw(image)
    for number in range(size[1] // 16):
        text = " ".join(str((number * 7919 + word * 104729) % 9973) for word in range(size[0] // 40))
        draw.text((10, 16 * number), text, fill=(20, 20 + number % 100, 20))
    draw.rectangle((400, 50, 600, 200), fill=(40, 80, 200))
    return image


def photograph(size: tuple[int, int] = (640, 400), *, grain: float = 5) -> Image.Image:
    y, x = np.mgrid[0 : size[1], 0 : size[0]]
    noise = np.random.default_rng(1).normal(0, grain, (size[1], size[0], 3))
    waves = np.stack([np.sin(x / 97 + y / 50), np.cos(y / 130), np.sin((x + y) / 180)], -1) * 90 + 128
    return Image.fromarray((waves + noise).clip(0, 255).astype(np.uint8))


def pillow_png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@given(width=st.integers(1, 40), height=st.integers(1, 150), seed=st.integers(0, 9), smooth=st.booleans())
def test_any_picture_comes_back_as_it_was(width: int, height: int, seed: int, smooth: bool) -> None:
    source = np.random.default_rng(seed)
    pixels = source.integers(0, 256, (height, width, 4), dtype=np.uint8)
    if smooth:
        pixels = np.cumsum(np.cumsum(pixels % 3, axis=0), axis=1).astype(np.uint8)
    decoded = np.asarray(Image.open(io.BytesIO(png(pixels))).convert("RGB"))
    assert (decoded == pixels[..., 2::-1]).all()


def test_a_photograph_is_no_larger_than_pillow_makes_it() -> None:  # real desktops: tests/display/computers
    image = photograph((1440, 900))
    needs = ImageNeeds(max_bytes=None)
    picture = encode(frame_of(image, needs), needs)
    assert Image.open(io.BytesIO(picture.data)).convert("RGB").tobytes() == image.tobytes()
    assert len(picture.data) <= len(pillow_png(image)) * 1.05
    assert picture.note == ""
    assert picture.digest == hashlib.sha256(picture.data).hexdigest()


@pytest.mark.parametrize("colours", [1, 255, 256, 257])
def test_few_colours_take_a_palette_and_are_all_kept(colours: int) -> None:
    numbers = np.arange(640 * 400, dtype=np.uint32).reshape(400, 640) * 2_654_435_761 % colours * 65_599
    image = Image.fromarray(numbers.astype("<u4").view(np.uint8).reshape(400, 640, 4)[..., :3].copy())
    picture = encode(frame_of(image, ImageNeeds(max_bytes=None)), ImageNeeds(max_bytes=None))
    shown = Image.open(io.BytesIO(picture.data))
    assert shown.mode == ("P" if colours <= 256 else "RGB")
    assert shown.convert("RGB").tobytes() == image.tobytes()
    assert (picture.note, picture.reduced) == ("", False)


def test_a_region_of_few_colours_is_kept() -> None:
    needs = ImageNeeds(max_bytes=None)
    frame = frame_of(desktop_like(), needs)
    picture = encode_region(frame, Rect(10, 20, 500, 300), needs)
    shown = Image.open(io.BytesIO(picture.data)).convert("RGB")
    assert shown.tobytes() == desktop_like().crop((10, 20, 510, 320)).tobytes()


def test_above_the_limit_it_goes_to_256_colours_and_says_so() -> None:
    image = photograph()
    needs = ImageNeeds(max_bytes=200_000)
    picture = encode(frame_of(image, needs), needs)
    assert picture.note == "256 colours"
    assert picture.reduced
    assert picture.size == Size(640, 400)
    assert len(picture.data) <= 200_000
    decoded = np.asarray(Image.open(io.BytesIO(picture.data)).convert("RGB")).astype(int)
    assert np.abs(decoded - np.asarray(image).astype(int)).mean() < 12


@pytest.mark.parametrize(
    ("size", "needs"),
    [
        ((1920, 1080), ImageNeeds()),
        ((1600, 1000), ImageNeeds(long_edge=1500, multiple_of=28, max_bytes=300_000)),
        ((1280, 800), ImageNeeds(max_bytes=300_000, mime_type="image/jpeg")),
    ],
)
def test_a_photograph_too_large_in_256_colours_is_scaled_once_more_and_says_so(
    size: tuple[int, int], needs: ImageNeeds
) -> None:
    image = photograph(size, grain=12)
    frame = frame_of(image, needs)
    picture = encode(frame, needs)
    assert needs.max_bytes is not None
    assert 0.5 * needs.max_bytes < len(picture.data) <= needs.max_bytes  # not much smaller than it must be
    assert picture.size.width < frame.geometry.sent.width
    assert picture.size.width % needs.multiple_of == picture.size.height % needs.multiple_of == 0
    assert picture.reduced
    assert picture.note.startswith(f"scaled from {size[0]} x {size[1]} to keep within {needs.max_bytes} bytes")
    shown = Image.open(io.BytesIO(picture.data)).convert("RGB")
    assert Size(*shown.size) == picture.size
    best = np.asarray(image.resize(shown.size, Image.Resampling.LANCZOS)).astype(int)  # scaled once, from the original
    assert np.abs(np.asarray(shown).astype(int) - best).mean() < 12


def test_what_is_small_enough_is_not_called_reduced() -> None:
    needs = ImageNeeds(long_edge=320)
    assert not encode(frame_of(desktop_like(), needs), needs).reduced


def test_a_limit_that_cannot_be_kept_is_said() -> None:
    needs = ImageNeeds(max_bytes=1000)
    picture = encode(frame_of(photograph(), needs), needs)
    assert "larger than 1000 bytes" in picture.note


def test_it_is_scaled_once_to_what_was_asked() -> None:
    needs = ImageNeeds(long_edge=320, multiple_of=28, max_bytes=None)
    frame = frame_of(desktop_like(), needs)
    picture = encode(frame, needs)
    assert picture.size == frame.geometry.sent == Size(308, 196)
    assert Image.open(io.BytesIO(picture.data)).size == (308, 196)
    assert picture.note == "scaled from 640 x 400"
    colour = Image.open(io.BytesIO(picture.data)).convert("RGB").getpixel((240, 60))
    assert colour == (40, 80, 200)


def test_jpeg_where_it_is_asked_for() -> None:
    needs = ImageNeeds(mime_type="image/jpeg", max_bytes=None)
    picture = encode(frame_of(desktop_like(), needs), needs)
    image = Image.open(io.BytesIO(picture.data))
    assert (image.format, image.size, picture.mime_type) == ("JPEG", (640, 400), "image/jpeg")
    red, green, blue = image.convert("RGB").getpixel((500, 100))  # type: ignore[misc]
    assert abs(red - 40) + abs(green - 80) + abs(blue - 200) < 12


def test_a_zoom_shows_the_region_larger_from_its_own_pixels() -> None:
    needs = ImageNeeds(max_bytes=None)
    frame = frame_of(desktop_like(), needs)
    picture = encode_region(frame, Rect(390, 40, 100, 50), needs)
    assert picture.size == Size(600, 300)
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    assert image.getpixel((300, 150)) == (40, 80, 200)


def test_a_region_over_the_edge_is_cut_and_one_outside_is_refused() -> None:
    needs = ImageNeeds()
    frame = frame_of(desktop_like(), needs)
    assert encode_region(frame, Rect(600, 380, 100, 100), needs).size == Size(640, 320)
    with pytest.raises(ValueError, match="outside"):
        encode_region(frame, Rect(640, 0, 10, 10), needs)


@given(
    width=st.integers(1, 8000), height=st.integers(1, 8000), edge=st.none() | st.integers(16, 4000),
    pixels=st.none() | st.integers(1000, 4_000_000), step=st.sampled_from([1, 2, 14, 28]),
)  # fmt: skip
def test_sent_sizes_keep_the_limits(width: int, height: int, edge: int | None, pixels: int | None, step: int) -> None:
    sent = sent_size(Size(width, height), ImageNeeds(long_edge=edge, pixels=pixels, multiple_of=step))
    assert sent.width % step == sent.height % step == 0
    for side, native in ((sent.width, width), (sent.height, height)):
        assert side <= max(native, step)
        assert side == step or edge is None or side <= edge


def test_what_fits_is_sent_as_it_is() -> None:
    assert sent_size(Size(1440, 900), ImageNeeds()) == Size(1440, 900)


def test_a_picture_that_is_no_longer_wanted_is_given_up() -> None:
    needs = ImageNeeds(long_edge=320)
    asked = iter([True, True, True, False])
    with pytest.raises(NoLongerWanted):
        encode(frame_of(desktop_like(), needs), needs, lambda: next(asked))


def test_a_large_picture_scaled_by_several_threads_is_as_if_scaled_by_one() -> None:
    needs = ImageNeeds(long_edge=1500, max_bytes=None)
    source = desktop_like((3840, 2160))
    picture = encode(frame_of(source, needs), needs)
    shown = np.asarray(Image.open(io.BytesIO(picture.data)).convert("RGB")).astype(int)
    best = np.asarray(source.resize((1500, 843), Image.Resampling.BILINEAR)).astype(int)
    assert np.abs(shown - best).max() <= 1  # rounded


def test_a_png_ends_at_its_limit() -> None:
    pixels = np.asarray(photograph().convert("RGBA"))
    whole = png(pixels)
    assert png(pixels, len(whole)) == whole
    assert png(pixels, len(whole) - 1) is None
