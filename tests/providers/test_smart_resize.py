"""The published resize, by values that were computed by hand, and clicks that come back to where they were meant.

By hand for factor 28: 1440/28 = 51.43 -> 51*28 = 1428 and 900/28 = 32.14 -> 32*28 = 896; 42/28 = 1.5 -> 2 and
70/28 = 2.5 -> 2, because halves go to the even number.
"""

from __future__ import annotations

import itertools
import math

import pytest

from operator_console.computers.model_image import sent_size
from operator_console.domain.errors import OutOfRange
from operator_console.domain.geometry import FrameGeometry, GridPoint, NativePoint, ScreenPoint, SentPoint, Size
from operator_console.providers.qwen.options import QwenOptions
from operator_console.providers.qwen.provider import traits_of as traits_of_qwen
from operator_console.providers.shared.smart_resize import SmartResize
from operator_console.providers.ui_tars.options import UiTarsOptions
from operator_console.providers.ui_tars.provider import traits_of as traits_of_ui_tars

TARS = SmartResize(factor=28, min_pixels=100 * 28 * 28, max_pixels=16384 * 28 * 28)
SMALL = SmartResize(factor=28, min_pixels=56 * 56, max_pixels=1280 * 28 * 28)
QWEN3 = SmartResize(factor=32, min_pixels=65536, max_pixels=16_777_216)

SCREENS = [Size(1440, 900), Size(2560, 1600), Size(3840, 2160)]


@pytest.mark.parametrize(
    ("resize", "size", "resized"),
    [
        (TARS, Size(1440, 900), Size(1428, 896)),
        (TARS, Size(1920, 1080), Size(1932, 1092)),
        (TARS, Size(2560, 1600), Size(2548, 1596)),
        (TARS, Size(3840, 2160), Size(3836, 2156)),
        (TARS, Size(1428, 896), Size(1428, 896)),
        # 100*100 < 78400: sqrt(78400/10000) = 2.8 -> 280
        (TARS, Size(100, 100), Size(280, 280)),
        # 224*112 = 25088 < 78400: sqrt(3.125) = 1.7678 -> 395.98 and 197.99, rounded up to 420 and 224
        (TARS, Size(224, 112), Size(420, 224)),
        # 1932*1092 > 1003520: sqrt(2073600/1003520) = 1.43747 -> 1335.68/28 = 47.7 -> 1316, 751.32/28 = 26.83 -> 728
        (SMALL, Size(1920, 1080), Size(1316, 728)),
        (SMALL, Size(42, 70), Size(56, 56)),
        (SMALL, Size(1, 100), Size(28, 112)),
        (QWEN3, Size(1440, 900), Size(1440, 896)),
        (QWEN3, Size(1920, 1080), Size(1920, 1088)),
    ],
)
def test_values_by_hand(resize: SmartResize, size: Size, resized: Size) -> None:
    assert resize.resized(size) == resized


def test_a_picture_that_is_too_long() -> None:
    assert TARS.resized(Size(5600, 28)) == Size(5600, 28)
    with pytest.raises(ValueError, match="too long"):
        TARS.resized(Size(5629, 28))


@pytest.mark.parametrize("screen", [*SCREENS, Size(1000, 700), Size(5120, 1440), Size(801, 603)], ids=str)
@pytest.mark.parametrize("resize", [TARS, SMALL, QWEN3])
def test_what_is_sent_is_left_as_it_is(resize: SmartResize, screen: Size) -> None:
    sent = sent_size(screen, resize.image_needs())
    assert resize.resized(sent) == sent


def _points(screen: Size) -> list[NativePoint]:
    across = [0, 1, screen.width // 3, screen.width // 2 + 7, screen.width - 2, screen.width - 1]
    down = [0, 1, screen.height // 3, screen.height // 2 + 7, screen.height - 2, screen.height - 1]
    return [NativePoint(*point) for point in itertools.product(across, down)]


@pytest.mark.parametrize("screen", SCREENS, ids=str)
@pytest.mark.parametrize("name", ["UI-TARS-1.5-7B", "Qwen2.5-VL-7B-Instruct"])
def test_whole_pixels_of_the_resized_picture_come_back_within_one(name: str, screen: Size) -> None:
    traits = traits_of_ui_tars(name, UiTarsOptions()) if name.startswith("UI") else traits_of_qwen(name, QwenOptions())
    sent = sent_size(screen, traits.resize.image_needs())
    geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=screen, sent=sent)
    for point in _points(screen):
        x = min(sent.width - 1, math.floor((point.x + 0.5) * sent.width / screen.width))
        y = min(sent.height - 1, math.floor((point.y + 0.5) * sent.height / screen.height))
        back = traits.arguments({}, geometry).locate(x, y)
        assert max(abs(back.x - point.x), abs(back.y - point.y)) <= 1, (point, back)


@pytest.mark.parametrize("screen", SCREENS, ids=str)
@pytest.mark.parametrize("name", ["UI-TARS-7B-DPO", "doubao-1-5-ui-tars-250428", "Qwen3-VL-8B-Instruct"])
def test_thousandths_come_back_within_one(name: str, screen: Size) -> None:
    """Those of 2560 and below in whole numbers; on wider screens they cannot name every pixel."""
    qwen = name.startswith("Qwen")
    traits = traits_of_qwen(name, QwenOptions()) if qwen else traits_of_ui_tars(name, UiTarsOptions())
    geometry = FrameGeometry(
        origin=ScreenPoint(0, 0), native=screen, sent=sent_size(screen, traits.resize.image_needs())
    )
    digits = 0 if screen.width <= 2560 else 1
    for point in _points(screen):
        x = round((point.x + 0.5) / screen.width * 1000, digits)
        y = round((point.y + 0.5) / screen.height * 1000, digits)
        back = traits.arguments({}, geometry).locate(x, y)
        assert max(abs(back.x - point.x), abs(back.y - point.y)) <= 1, (point, back)


def test_a_picture_that_the_endpoint_enlarges() -> None:
    """100x100 is seen as 280x280, so that 140 is in the middle."""
    geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=Size(100, 100), sent=Size(100, 100))
    assert TARS.locate(geometry, 140, 140) == NativePoint(50, 50)
    assert TARS.locate(geometry, 0, 279) == NativePoint(0, 99)
    with pytest.raises(OutOfRange):
        TARS.locate(geometry, 281, 0)
    assert geometry.from_sent(SentPoint(50, 50)) == geometry.from_grid(GridPoint(500, 500)) == NativePoint(50, 50)
