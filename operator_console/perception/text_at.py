"""What the texts of a frame say about a point: the text under it, and the label that names what lies there.

Pure; called by app.py for policy's context and by nobody who acts.
"""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import NativePoint, Rect

_NEAR_PER_HEIGHT = 1.2
_LABEL_REACH_X = 320
_LABEL_REACH_Y = 48


def text_at(boxes: Sequence[TextBox], point: NativePoint) -> TextBox | None:
    """The text that a click at `point` would be taken to mean: the smallest one that contains the point, else the
    nearest within about one line's height (a button is larger than its words)."""
    containing = [box for box in boxes if box.box.contains(point.x, point.y)]
    if containing:
        return min(containing, key=lambda box: box.box.width * box.box.height)
    near = [box for box in boxes if distance(box.box, point) <= _NEAR_PER_HEIGHT * box.box.height]
    return min(near, key=lambda box: distance(box.box, point), default=None)


def label_for(boxes: Sequence[TextBox], point: NativePoint) -> TextBox | None:
    """The label of a field at `point`: the nearest text left of it in its row, or else right above it."""
    left = [
        box
        for box in boxes
        if box.box.right <= point.x <= box.box.right + _LABEL_REACH_X
        and box.box.y - box.box.height <= point.y <= box.box.bottom + box.box.height
    ]
    if left:
        return max(left, key=lambda box: box.box.right)
    above = [
        box
        for box in boxes
        if box.box.bottom <= point.y <= box.box.bottom + _LABEL_REACH_Y
        and box.box.x - box.box.height <= point.x <= box.box.right + _LABEL_REACH_X
    ]
    return max(above, key=lambda box: box.box.bottom, default=None)


def distance(rect: Rect, point: NativePoint) -> float:
    """Pixels from a point to a rectangle; 0 inside."""
    dx = max(rect.x - point.x, 0, point.x - rect.right + 1)
    dy = max(rect.y - point.y, 0, point.y - rect.bottom + 1)
    return float((dx * dx + dy * dy) ** 0.5)
