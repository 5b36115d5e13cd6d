"""What belongs to a target window: itself, its dialogs, its menus, popups and tooltips; and the area they take.

What is captured and where input may go are both decided by this, so that a point means the same to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.monitors import screen_rect
from operator_console.domain.geometry import Rect

_CHAIN = 8  # a dialog of a dialog of a dialog ...
_NEAR_PX = 64
_PASSING = frozenset({"tooltip", "notification", "dnd"})


def belongs(display: Display, window: Window, target: Window) -> bool:
    """Whether `window` is the target, a dialog of it, or a menu or popup that it opened."""
    if window.window_id == target.window_id or window.frame_id == target.frame_id:
        return True
    leads = _leads_to(display, window, target)
    if leads is not None:
        return leads
    same = (window.pid is not None and window.pid == target.pid) or (window.group and window.group == target.group)
    return bool(same and window.override and _near(window.frame_rect, target.frame_rect))


def _leads_to(display: Display, window: Window, target: Window) -> bool | None:
    """Follow WM_TRANSIENT_FOR; None where the window names nobody."""
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
    """The target and what belongs to it among `shown` (children of the root with their clients, bottom first)."""
    found = []
    asked = [
        (lambda: target) if layer == target.frame_id else windows.reading(display, client, layer)
        for layer, client in shown
    ]
    for answer in asked:
        window = answer()
        if window is not None and window.state is WindowState.SHOWN and belongs(display, window, target):
            found.append(window)
    return found


def area(display: Display, target: Window, relatives: Sequence[Window]) -> Rect:
    """What a picture of the target covers: its client area, widened by dialogs and menus that reach beyond it.

    Tooltips and notifications do not widen it (they come and go), and nothing widens it beyond the screen.
    """
    rect = target.rect
    screen = screen_rect(display)
    for window in relatives:
        if window.frame_id == target.frame_id or _PASSING.intersection(window.kinds):
            continue
        rect = _union(rect, window.frame_rect.intersect(screen))
    return rect


def _union(one: Rect, other: Rect) -> Rect:
    if other.empty:
        return one
    x, y = min(one.x, other.x), min(one.y, other.y)
    return Rect(x, y, max(one.right, other.right) - x, max(one.bottom, other.bottom) - y)


def place_of(display: Display, window_id: int) -> tuple[Rect, list[Window]] | None:
    """Where the target window's picture lies now, root coordinates, and its family; None where it is gone or not shown.

    For the injector: equal size means the picture only moved; another size means it is stale.
    """
    target = windows.describe(display, window_id)
    if target is None or target.state is not WindowState.SHOWN:
        return None
    relatives = family(display, target, windows.shown(display))
    return area(display, target, relatives), relatives
