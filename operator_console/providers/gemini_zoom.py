"""Looking closer, for Gemini: a function of ours, offered where the screen is finer than the model can name or see.

The service has no such action. Points always refer to the whole screenshot (the dialect knows no other), also after a
zoom, and the function's description says so; they may have decimals, which name pixels between the grid's lines. The
answer carries the screen as it is now and the region as it was. Called by `gemini`, `gemini_actions` and
`gemini_request`; the answer is written in `gemini_contents`. Pure.
"""

from __future__ import annotations

from operator_console.domain.actions import Zoom
from operator_console.domain.geometry import GRID_UNITS, FrameGeometry
from operator_console.providers.gemini_arguments import Arguments
from operator_console.providers.gemini_region import read_region, region_schema

ZOOM = "zoom"
DESCRIPTION = (
    "Look closer at a part of the screen before you act there: where something is small, close to something else, or "
    "its text cannot be read. The answer holds two pictures: first the whole screen as it is now, then the part you "
    "named, enlarged from the screen's own pixels. Nothing on the screen changes. The coordinates of all actions refer "
    "to the whole screen, after this too, never to the enlarged part; they may have decimals (412.6) where whole "
    "numbers are too coarse."
)
INSTRUCTION = (
    "This screen has more pixels than the coordinates 0-999 can name in whole numbers, or than the screenshots show. "
    "Where a target is small or its text unclear, call zoom first; coordinates always refer to the whole screen and "
    "may have decimals."
)


SCHEMA = region_schema(intent={"type": "string", "description": "What you look for, in a few words."})


def worth_zooming(geometry: FrameGeometry) -> bool:
    """Whether the grid, or the picture that is sent, is coarser than the target's own pixels."""
    native = geometry.native
    return geometry.sent != native or max(native.width, native.height) > GRID_UNITS


def read_zoom(arguments: Arguments) -> Zoom:
    """The region between two grid points, both pixels included. Raises ActionError."""
    return Zoom(region=read_region(arguments))
