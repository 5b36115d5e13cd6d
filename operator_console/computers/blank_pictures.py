"""Detects pictures that show nothing: a single colour, or black where there are windows; and reports the reason.

X does not report protected content: what a video player or a remote viewer protects reads as black, as does a screen
that is switched off. So a black picture or window is always reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from operator_console.computers.window_wording import named
from operator_console.desktop.protocols import Desktop, Layer
from operator_console.desktop.values import Grab, Window
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import listed, notice
from operator_console.domain.notices import NoticeCode

BLANK_TIMEOUT_S = 1.0
"""How long a picture of a single colour is given to change before it is taken as it is, in seconds."""
ONE_COLOUR = notice(NoticeCode.PICTURE_OF_ONE_COLOUR)
_COLOUR = np.uint32(0xFFFFFF)
_LEAST_SIDE = 64  # pixels; smaller windows may well be black
_SAMPLES = 997
_COARSE = 16


def one_colour(grab: Grab) -> bool:
    """Whether all pixels have the same colour. Cheap for an ordinary picture."""
    colours = np.frombuffer(grab.pixels, dtype=np.uint32)
    first = colours[0]
    if (colours[:: max(1, len(colours) // _SAMPLES)] != first).any():
        return False
    return bool((((colours ^ first) & _COLOUR) == 0).all())


def colour_of(grab: Grab) -> int:
    """The first pixel as 0xRRGGBB."""
    return int(np.frombuffer(grab.pixels[:4], dtype=np.uint32)[0] & _COLOUR)


def nothing_but_black(display: Desktop, title: str) -> ComputerUnavailable:
    """The error for a target that is all black."""
    return ComputerUnavailable(
        notice(NoticeCode.TARGET_SHOWS_BLACK, target=title or notice(NoticeCode.THE_TARGET)),
        reason=UnavailableReason.BLANK,
        detail=display.asleep() or notice(NoticeCode.SCREEN_MAY_BE_OFF),
        remedy=notice(NoticeCode.WAKE_SCREEN),
    )


def black_windows(display: Desktop, grab: Grab, layers: Sequence[Layer]) -> str:
    """A sentence that names the windows of the picture that are all black; "" if there are none.

    Args:
        display: the connection by which their names are read.
        grab: the picture.
        layers: everything on the screen, bottom first.
    """
    native = grab.rect.size
    colours = np.frombuffer(grab.pixels, dtype=np.uint32).reshape(native.height, native.width)
    names = [named(display.describe(layer.client)) for layer in _black_layers(display, colours, grab.rect, layers)]
    if not names:
        return ""
    return notice(NoticeCode.WINDOWS_SHOW_BLACK, windows=listed(names), count=len(names))


def windows_lie_on(display: Desktop, rect: Rect, layers: Sequence[Layer]) -> bool:
    """Whether windows of other applications overlap a rectangle; the desktop background does not count."""
    for layer in layers:
        if not layer.own and not layer.rect.intersect(rect).empty:
            window = display.describe(layer.client)
            if window is None or not _is_background(window):
                return True
    return False


def _is_background(window: Window) -> bool:
    return "desktop" in window.kinds


def _black_layers(
    display: Desktop, colours: npt.NDArray[np.uint32], whole: Rect, layers: Sequence[Layer]
) -> Iterator[Layer]:
    for number, layer in enumerate(layers):
        covered = any(not above.rect.intersect(layer.rect).empty for above in layers[number + 1 :])
        if layer.own or covered or not _black(colours, whole, layer.rect, margin=0.2):
            continue
        window = display.describe(layer.client)  # its client area, without the window manager's frame
        if window is not None and not _is_background(window) and _black(colours, whole, window.rect, margin=0.0):
            yield layer


def _black(colours: npt.NDArray[np.uint32], whole: Rect, rect: Rect, *, margin: float) -> bool:
    """Whether a rectangle (root coordinates), less a margin (share of its sides), is black; False if it is small."""
    across, down = int(rect.width * margin), int(rect.height * margin)
    inner = Rect(rect.x + across, rect.y + down, rect.width - 2 * across, rect.height - 2 * down)
    seen = inner.intersect(whole).moved(-whole.x, -whole.y)
    if seen.width < _LEAST_SIDE or seen.height < _LEAST_SIDE:
        return False
    part = colours[seen.y : seen.bottom, seen.x : seen.right]
    coarse = part[:: seen.height // _COARSE, :: seen.width // _COARSE]  # rejects most windows at once
    return not (coarse & _COLOUR).any() and not (part & _COLOUR).any()
