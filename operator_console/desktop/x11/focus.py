"""Which window has the keyboard focus, and giving it to one: by the window manager, then verified. Sends no input."""

from __future__ import annotations

import struct

from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display

ACTIVATE_TIMEOUT_S = 2.0

_PROPERTY_CHANGE = 1 << 22
_FOCUS_CHANGE = 1 << 21
_REDIRECT_AND_NOTIFY = (1 << 20) | (1 << 19)
_PAGER = 2  # who asks: a pager acts for the user, so focus-stealing prevention lets it
_POINTER_ROOT = 1
_REVERT_TO_PARENT = 2


def focus_id(display: Display) -> int:
    """The window that the server says has the focus, perhaps a part of a top-level one; 0 and 1 mean none."""
    reply = display.answer(display.core.GetInputFocus())
    return 0 if reply is None else int(reply.focus)


def focused(display: Display) -> Window | None:
    """The top-level window that keys go to; None where no window has the focus."""
    window = focus_id(display)
    if window in {0, _POINTER_ROOT, display.root}:
        return None
    found = windows.describe(display, window)
    if found is None or found.rect.empty or found.state is not WindowState.SHOWN:
        return None
    return found


def activate(display: Display, window: Window, timeout_s: float = ACTIVATE_TIMEOUT_S) -> bool:
    """Ask once for the focus and wait until the window really has it; whether it came in time."""
    display.listen(display.root, _PROPERTY_CHANGE)
    display.listen(window.window_id, _FOCUS_CHANGE)
    if _manager(display):
        data = struct.pack(
            "<BBHII5I", 33, 32, 0, window.window_id, display.atom("_NET_ACTIVE_WINDOW"), _PAGER, 0, 0, 0, 0
        )
        display.core.SendEvent(False, display.root, _REDIRECT_AND_NOTIFY, data)
    else:
        display.core.ConfigureWindow(window.frame_id, 64, [0])  # stack mode: above
        display.core.SetInputFocus(_REVERT_TO_PARENT, window.window_id, 0)

    def has_it() -> bool:
        now = focused(display)
        return now is not None and now.window_id == window.window_id

    return display.wait_until(has_it, timeout_s)


def _manager(display: Display) -> bool:
    return bool(display.words(display.ask(display.root, "_NET_SUPPORTING_WM_CHECK")))
