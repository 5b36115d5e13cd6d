"""Where two frames differ, for every computer's `changed`: exact, and None where they cannot be compared.

Called by the computers of this room.
"""

from __future__ import annotations

from operator_console.desktop.changes import changed_places
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect


def places_that_differ(before: Frame, after: Frame) -> tuple[Rect, ...] | None:
    """The places that changed, none where nothing did; None where the target has another size."""
    native = before.geometry.native
    if native != after.geometry.native:
        return None
    return changed_places(before.pixels, after.pixels, native)
