"""How far a model's numbers land from the pixel they name, on screens from 1024x768 to 7680x4320.

The named point is worked out here in exact fractions, with nothing of the product: what the conversion adds to it is
the distance to the pixel that is acted on, beyond that pixel's own half.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from operator_console.computers.model_image import sent_size
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import FrameGeometry, GridPoint, ScreenPoint, SentPoint, Size
from tests.benchmarks.figures import Options, Row

_SIZES = (
    (1024, 768), (1280, 800), (1366, 768), (1440, 900), (1600, 1200), (1920, 1080), (1080, 1920), (2560, 1440),
    (2560, 1600), (3440, 1440), (3840, 2160), (5120, 2880), (7680, 4320),
)  # fmt: skip
_BAR = Fraction(1, 2)
_NEEDS = (
    ImageNeeds(),
    ImageNeeds(long_edge=1568),
    ImageNeeds(long_edge=1280, multiple_of=28),
    ImageNeeds(pixels=1 << 20),
)


def measure(options: Options) -> list[Row]:
    """Every number of the 0-999 grid, and every pixel of the sent picture, on both axes of every size."""
    sizes = _SIZES[:: options.times(1, 4)]
    grid: list[Fraction] = []
    sent: list[Fraction] = []
    for width, height in sizes:
        native = Size(width, height)
        geometry = FrameGeometry(origin=ScreenPoint(-width, -height), native=native, sent=native)
        for number in range(1000):
            point = geometry.from_grid(GridPoint(number, number))
            grid += [_off(Fraction(number * width, 1000), point.x), _off(Fraction(number * height, 1000), point.y)]
        for needs in _NEEDS:
            sent += _sent_errors(native, sent_size(native, needs))
    return [_row("0-999 grid", grid, len(sizes)), _row("sent pixels, scaled down", sent, len(sizes))]


def _sent_errors(native: Size, sent: Size) -> Iterable[Fraction]:
    geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=native, sent=sent)
    for x in range(sent.width):
        centre = Fraction((2 * x + 1) * native.width, 2 * sent.width)
        yield _off(centre, geometry.from_sent(SentPoint(x, 0)).x)
    for y in range(sent.height):
        centre = Fraction((2 * y + 1) * native.height, 2 * sent.height)
        yield _off(centre, geometry.from_sent(SentPoint(0, y)).y)


def _off(named: Fraction, pixel: int) -> Fraction:
    """From the named point to the centre of the pixel that is acted on."""
    return abs(named - (pixel + Fraction(1, 2)))


def _row(what: str, errors: list[Fraction], sizes: int) -> Row:
    worst = max(errors)
    return Row(
        what=f"model to pixel, {what}, {sizes} screens of 1024 x 768 to 7680 x 4320", n=len(errors),
        seen=f"at most {float(worst):.3f} native pixels off", bar="<= 0.5 pixel", met=worst <= _BAR,
    )  # fmt: skip
