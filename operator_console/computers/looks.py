"""Whether two frames differ, for every computer's `changed`.

Near a point the question is the tolerant one of the screen check (is this still the place the model saw?), anywhere
it is the exact one (did anything happen at all?). Called by the computers of this room.
"""

from __future__ import annotations

from operator_console.desktop.changes import changed_box
from operator_console.desktop.compare import similar
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect


def differs(before: Frame, after: Frame, around: NativePoint | None, radius_px: int) -> bool:
    """Exact without a point, tolerant within `radius_px` of one; another size of the target is always a difference."""
    native = before.geometry.native
    if native != after.geometry.native:
        return True
    if around is None:
        return changed_box(before.pixels, after.pixels, native) is not None
    region = Rect.around(around, radius_px, native)
    return not similar(before.crop(region), after.crop(region), region.size)
