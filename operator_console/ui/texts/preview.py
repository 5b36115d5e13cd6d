"""Texts of the preview and of the bar above it."""

from __future__ import annotations

DESCRIPTION = "The picture of the target, with the places of the next actions."
MOVE_BY_KEYS = "Arrow keys move the point of the action by one pixel, with Shift by ten."
CHOOSE_END = "Home and End choose the start and the end of the drag."
FIT, ACTUAL_SIZE, ZOOM_IN, ZOOM_OUT = "Fit", "1:1", "Zoom in", "Zoom out"


def loupe_words(x: int, y: int, times: int) -> str:
    """The line under the enlarged pixels: the target's pixel and how many times it is enlarged."""
    return f"{x}, {y} · {times}×"


def percent(scale: float) -> str:
    """A zoom in device pixels per native pixel."""
    return f"{scale * 100:.0f} %"


def zoom_words(scale: float, *, fitted: bool) -> str:
    """The zoom on its button."""
    return f"{FIT} · {percent(scale)}" if fitted else percent(scale)


def description(scale: float, *, fitted: bool, editing: bool = False, drag: bool = False) -> str:
    """What a screen reader says about the preview.

    Args:
        scale: the zoom; 0: there is no picture.
        fitted: whether the picture is fitted to the window.
        editing: whether the point of an action is moved here now; `drag`: whether it has a start and an end.
    """
    parts = [DESCRIPTION]
    if scale > 0:
        parts.append(f"Zoom: {percent(scale)}{', fitted to the window' if fitted else ''}.")
    if editing:
        parts.append(MOVE_BY_KEYS)
        if drag:
            parts.append(CHOOSE_END)
    return " ".join(parts)
