"""Which windows belong to a target window (itself, dialogs, menus, popups, tooltips), and the area they cover.

Both the picture and the check of input use this, so a point means the same to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.monitors import screen_rect
from operator_console.domain.frames import OneWindow, VmTarget, WindowTarget
from operator_console.domain.geometry import Rect

_CHAIN = 8  # longest chain of dialogs of dialogs that is followed
_NEAR_PX = 64
_TRANSIENT = frozenset({"tooltip", "notification", "dnd"})
_APART = _TRANSIENT | {"dock", "desktop"}


def belongs(display: Display, window: Window, target: Window, joined: Sequence[int] = ()) -> bool:
    """Whether `window` is the target or one of `joined`, a dialog of these, or a menu or popup that they opened.

    Args:
        display: the connection.
        window: the window in question.
        target: the target.
        joined: further windows that count as the target, where they are its program's.
    """
    return any(_belongs_to(display, window, each) for each in (target, *_of_program(display, target, joined)))


def _of_program(display: Display, target: Window, joined: Sequence[int]) -> list[Window]:
    """Those of `joined` that are there and the target program's: the id of a window that was closed may be reused."""
    found = (windows.describe(display, each) for each in joined)
    return [
        each for each in found if each is not None and each.window_id in joined and windows.same_program(each, target)
    ]


def _belongs_to(display: Display, window: Window, target: Window) -> bool:
    if window.window_id == target.window_id or window.frame_id == target.frame_id:
        return True
    found = _leads_to(display, window, target)
    if found is not None:
        return found
    return windows.same_program(window, target) and window.override and _near(window.frame_rect, target.frame_rect)


def takes_input(display: Display, window: Window, target: Window, ref: OneWindow) -> bool:
    """Whether input to `window` is input to the target: dialogs and menus of a viewer are not those of its machine."""
    if isinstance(ref, VmTarget):
        return window.window_id == target.window_id
    return belongs(display, window, target, ref.joined)


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


def family(
    display: Display, target: Window, shown: Iterable[tuple[int, int]], joined: Sequence[int] = ()
) -> tuple[list[Window], list[Window]]:
    """Those of `shown` (children of the root with their clients, bottom first) that are the target or belong to it, as
    of `belongs`; and the other windows of its program that a window manager manages."""
    found: list[Window] = []
    others: list[Window] = []
    heads = (target, *_of_program(display, target, joined))
    asked = [
        (lambda: target) if layer == target.frame_id else windows.request_window(display, client, layer)
        for layer, client in shown
    ]
    for answer in asked:
        window = answer()
        if window is None or window.state is not WindowState.SHOWN:
            continue
        if any(_belongs_to(display, window, each) for each in heads):
            found.append(window)
        elif windows.same_program(window, target) and not window.override and not _APART.intersection(window.kinds):
            others.append(window)
    return found, others


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


def place_of(display: Display, ref: OneWindow) -> tuple[Rect, list[Window]] | None:
    """The area of the target window's picture (root coordinates) and its family; None if it is gone or not shown.

    An equal size means that the picture has only moved; another size, that it is stale.
    """
    target = windows.describe(display, ref.window_id)
    if target is None or target.state is not WindowState.SHOWN:
        return None
    joined = ref.joined if isinstance(ref, WindowTarget) else ()
    relatives, _ = family(display, target, windows.shown(display), joined)
    return area(display, target, relatives), relatives
