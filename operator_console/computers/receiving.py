"""Who an input would reach now: the window that a press at a point hits, or the one that keys go to.

Asked before a call is judged, so that policy judges the application that really gets it; what is answered is bound into
the grant, and looked at again right before anything is sent. Looks only. Runs in the thread of its eye.
"""

from __future__ import annotations

from operator_console.computers.eyes import MonitorEye, WindowEye
from operator_console.desktop.values import Window
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import NativePoint


def receiver(eye: MonitorEye | WindowEye, at: NativePoint | None) -> WindowInfo | None:
    """The window that an input reaches: at a pixel of the target, or (None) by its keys; None: nobody's.

    Our own windows count as not there: they make way. A window target's is one of the target's windows always, since
    nothing else may be hit. Raises ComputerUnavailable where the target cannot be seen.
    """
    window = _with_focus(eye) if at is None else _under(eye, at)
    if isinstance(eye, WindowEye):
        target = eye.window()
        if window is None or not eye.display.belongs(window, target):
            window = target
    return None if window is None else _speaking(eye, window).info(own=eye.is_own(window))


def _with_focus(eye: MonitorEye | WindowEye) -> Window | None:
    who = eye.focus()
    return who.window if who.in_target else None


def _under(eye: MonitorEye | WindowEye, at: NativePoint) -> Window | None:
    place = eye.place()
    x, y = place.x + at.x, place.y + at.y
    hit = eye.display.window_at(x, y)
    if hit is None or not eye.is_own(hit):
        return hit
    for layer in reversed(eye.capture.scene.layers()):
        if not layer.own and any(part.contains(x, y) for part in layer.parts):
            return eye.display.describe(layer.client)
    return None


def _speaking(eye: MonitorEye | WindowEye, window: Window) -> Window:
    """The window whose name says what a menu or popup belongs to; any other speaks for itself."""
    if not window.override:
        return window
    if window.transient_for and (parent := eye.display.describe(window.transient_for)) is not None:
        return parent
    holder = eye.display.focused()
    same = holder is not None and (
        (window.pid is not None and holder.pid == window.pid) or (window.group and holder.group == window.group)
    )
    return holder if holder is not None and same else window
