"""Pictures that show nothing: of one colour, black where windows lie, and why, as far as the server tells.

X cannot tell that content is protected: what a film player or a remote viewer keeps to itself reads as black, like a
screen that is off. So black is never passed on in silence.
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

ONE_COLOUR = "The picture has one colour only; it may be blank, or its application is still starting."
_COLOUR = np.uint32(0xFFFFFF)
_DARKEST_LOOKED_AT = 64  # pixels a side; what is smaller may well be black
_SAMPLES = 997
_FEW = 16


def one_colour(grab: Grab) -> bool:
    """Whether every pixel is the same; costs next to nothing for an ordinary picture."""
    colours = np.frombuffer(grab.pixels, dtype=np.uint32)
    first = colours[0]
    if (colours[:: max(1, len(colours) // _SAMPLES)] != first).any():
        return False
    return bool((((colours ^ first) & _COLOUR) == 0).all())


def colour_of(grab: Grab) -> int:
    """Its first pixel as 0xRRGGBB."""
    return int(np.frombuffer(grab.pixels[:4], dtype=np.uint32)[0] & _COLOUR)


def nothing_but_black(display: Desktop, title: str) -> ComputerUnavailable:
    """The error for a target of which nothing can be seen."""
    return ComputerUnavailable(
        f"{title or 'The target'} shows nothing but black.",
        reason=UnavailableReason.BLANK,
        detail=display.asleep() or "The screen may be switched off, or its content protected or not readable here.",
        remedy="Wake the screen, or check that its application draws; then go on.",
    )


def black_windows(display: Desktop, grab: Grab, layers: Sequence[Layer]) -> str:
    """Which windows of the picture are black all over, in words; "" where none is.

    Args:
        display: to learn their names.
        grab: the picture.
        layers: what lies on the screen, bottom first.
    """
    native = grab.rect.size
    colours = np.frombuffer(grab.pixels, dtype=np.uint32).reshape(native.height, native.width)
    names = [named(display.describe(layer.client)) for layer in _dark(display, colours, grab.rect, layers)]
    if not names:
        return ""
    verb = "shows" if len(names) == 1 else "show"
    return f"{', '.join(names)} {verb} nothing but black; the content may be protected, or not readable here."


def windows_lie_on(display: Desktop, rect: Rect, layers: Sequence[Layer]) -> bool:
    """Whether other applications' windows lie on a rectangle; the desktop's own ground is none."""
    for layer in layers:
        if not layer.own and not layer.rect.intersect(rect).empty:
            window = display.describe(layer.client)
            if window is None or not _is_ground(window):
                return True
    return False


def _is_ground(window: Window) -> bool:
    return "desktop" in window.kinds


def _dark(display: Desktop, colours: npt.NDArray[np.uint32], whole: Rect, layers: Sequence[Layer]) -> Iterator[Layer]:
    for number, layer in enumerate(layers):
        hidden = [above.rect for above in layers[number + 1 :] if not above.rect.intersect(layer.rect).empty]
        if layer.own or hidden or not _black(colours, whole, layer.rect, margin=0.2):
            continue
        window = display.describe(layer.client)  # without the frame that a window manager draws around it
        if window is not None and not _is_ground(window) and _black(colours, whole, window.rect, margin=0.0):
            yield layer


def _black(colours: npt.NDArray[np.uint32], whole: Rect, rect: Rect, *, margin: float) -> bool:
    """Whether a rectangle (root coordinates) without a margin around it is black; False where there is little of it."""
    across, down = int(rect.width * margin), int(rect.height * margin)
    inner = Rect(rect.x + across, rect.y + down, rect.width - 2 * across, rect.height - 2 * down)
    seen = inner.intersect(whole).moved(-whole.x, -whole.y)
    if seen.width < _DARKEST_LOOKED_AT or seen.height < _DARKEST_LOOKED_AT:
        return False
    part = colours[seen.y : seen.bottom, seen.x : seen.right]
    few = part[:: seen.height // _FEW, :: seen.width // _FEW]  # what is not black mostly shows at once
    return not (few & _COLOUR).any() and not (part & _COLOUR).any()
