"""Which window would get an input now: a click at a point, or key presses.

Policy assesses a call by this window, and the grant names it; the injector checks it again right before it sends
anything. Nothing is changed here. Runs in the thread of the capture.
"""

from __future__ import annotations

from operator_console.computers.target_capture import TargetCapture
from operator_console.desktop.values import Window
from operator_console.domain.frames import KeyboardFocus, WindowInfo
from operator_console.domain.geometry import NativePoint


def receiver(capture: TargetCapture, at: NativePoint | None) -> WindowInfo | None:
    """The window that would get an input; None if no window would.

    The console's own windows are passed over, because they let input through. For a window target the result is always
    the target, or a dialog or menu of it: input to any other window is refused.

    Args:
        capture: the target.
        at: the pixel of the target that would be clicked; None: key presses.

    Raises:
        ComputerUnavailable: the target cannot be seen.
    """
    window = capture.receiver_of(_focused(capture) if at is None else _window_at(capture, at))
    return None if window is None else _opener_of(capture, window).info(own=capture.is_own(window))


def keyboard_focus(capture: TargetCapture) -> KeyboardFocus:
    """Where the keyboard focus is now. Raises ComputerUnavailable: the target cannot be seen."""
    if not capture.knows_windows:
        return KeyboardFocus.TARGET
    holder = capture.current_focus()
    # A window that is not on the screen is the window manager's own, and stands for no focus.
    on_screen = holder is not None and not holder.frame_rect.intersect(capture.display.screen_rect()).empty
    if holder is None or not on_screen or capture.is_own(holder):
        return KeyboardFocus.NOBODY
    return KeyboardFocus.TARGET if capture.focus().in_target else KeyboardFocus.ELSEWHERE


def _focused(capture: TargetCapture) -> Window | None:
    focus = capture.focus()
    return focus.window if focus.in_target else None


def _window_at(capture: TargetCapture, at: NativePoint) -> Window | None:
    place = capture.place()
    x, y = place.x + at.x, place.y + at.y
    hit = capture.window_at(x, y)
    if hit is None or not capture.is_own(hit):
        return hit
    for layer in reversed(capture.screen_capture.window_layers.layers()):
        if not layer.own and any(part.contains(x, y) for part in layer.parts):
            return capture.display.describe(layer.client)
    return None


def _opener_of(capture: TargetCapture, window: Window) -> Window:
    """The window that a menu or popup belongs to; any other window itself."""
    if not window.override:
        return window
    if window.transient_for and (parent := capture.display.describe(window.transient_for)) is not None:
        return parent
    focused = capture.display.focused()
    same = focused is not None and (
        (window.pid is not None and focused.pid == window.pid) or (window.group and focused.group == window.group)
    )
    return focused if focused is not None and same else window
