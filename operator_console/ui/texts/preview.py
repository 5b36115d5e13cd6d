"""Texts of the preview and of the bar above it."""

from __future__ import annotations

DESCRIPTION = "The picture of the target, with the places of the next actions."
ZOOM = "Zoom"
FIT, ACTUAL_SIZE, ZOOM_IN, ZOOM_OUT = "Fit", "1:1", "Zoom in", "Zoom out"
ZOOM_TIP = "Zoom. The mouse wheel zooms too; drag to move the picture."


def percent(scale: float) -> str:
    """A zoom in device pixels per native pixel."""
    return f"{scale * 100:.0f} %"


def zoom_words(scale: float, *, fitted: bool) -> str:
    """The zoom on its button."""
    return f"{FIT} · {percent(scale)}" if fitted else percent(scale)


def description(scale: float, *, fitted: bool) -> str:
    """What a screen reader says about the preview; `scale` 0: there is no picture."""
    if scale <= 0:
        return DESCRIPTION
    return f"{DESCRIPTION} Zoom: {percent(scale)}{', fitted to the window' if fitted else ''}."
