"""Which windows belong to a target window (itself, dialogs, menus, popups, tooltips), and the area they cover.

Both the picture and the check of input use this, so a point means the same to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.monitors import screen_rect
from operator_console.domain.frames import OneWindow, VmTarget
from operator_console.domain.geometry import Rect

_CHAIN = 8  # longest chain of dialogs of dialogs that is followed
_NEAR_PX = 64
_TRANSIENT = frozenset({"tooltip", "notification", "dnd"})


def belongs(display: Display, window: Window, target: Window) -> bool:
    """Whether `window` is the target, one of its dialogs, or a menu or popup that it opened."""
    if window.window_id == target.window_id or window.frame_id == target.frame_id:
        return True
    found = _leads_to(display, window, target)
    if found is not None:
        return found
    same = (window.pid is not None and window.pid == target.pid) or (window.group and window.group == target.group)
    return bool(same and window.override and _near(window.frame_rect, target.frame_rect))


def takes_input(display: Display, window: Window, target: Window, ref: OneWindow) -> bool:
    """Whether input to `window` is input to the target: dialogs and menus of a viewer are not those of its machine."""
    return window.window_id == target.window_id if isinstance(ref, VmTarget) else belongs(display, window, target)


def _leads_to(display: Display, window: Window, target: Window) -> bool | None:
    """Whether WM_TRANSIENT_FOR leads to the target; None if the window does not have it."""
    current: Window | None = window
    for step in range(_CHAIN):
        if current is None:
            return False
        parent = current.transient_for
        if parent in {target.window_id, target.frame_id} and parent:
            return True
        if parent == display.root:  # a dialog of its whole group
            return bool(current.group) and current.group == target.group
        if not parent:
            return None if step == 0 else False
        current = windows.describe(display, parent)
    return False


def _near(one: Rect, other: Rect) -> bool:
    wider = Rect(other.x - _NEAR_PX, other.y - _NEAR_PX, other.width + 2 * _NEAR_PX, other.height + 2 * _NEAR_PX)
    return not one.intersect(wider).empty


def family(display: Display, target: Window, shown: Iterable[tuple[int, int]]) -> list[Window]:
    """Those of `shown` (children of the root with their clients, bottom first) that are the target or belong to it."""
    found = []
    asked = [
        (lambda: target) if layer == target.frame_id else windows.request_window(display, client, layer)
        for layer, client in shown
    ]
    for answer in asked:
        window = answer()
        if window is not None and window.state is WindowState.SHOWN and belongs(display, window, target):
            found.append(window)
    return found


def area(display: Display, target: Window, relatives: Sequence[Window]) -> Rect:
    """The area of a picture of the target: its client area, extended by dialogs and menus that reach beyond it.

    Tooltips and notifications do not extend it, and nothing extends it beyond the screen.
    """
    rect = target.rect
    screen = screen_rect(display)
    for window in relatives:
        if window.frame_id == target.frame_id or _TRANSIENT.intersection(window.kinds):
            continue
        rect = rect.union(window.frame_rect.intersect(screen))
    return rect


def place_of(display: Display, window_id: int) -> tuple[Rect, list[Window]] | None:
    """The area of the target window's picture (root coordinates) and its family; None if it is gone or not shown.

    An equal size means that the picture has only moved; another size, that it is stale.
    """
    target = windows.describe(display, window_id)
    if target is None or target.state is not WindowState.SHOWN:
        return None
    relatives = family(display, target, windows.shown(display))
    return area(display, target, relatives), relatives
