"""A window of another program (xev) that tells the presses and motions it received, in its own pixels."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from tests.display.rig import Application, Desktop, launch, wait_until

_LINES = re.DOTALL | re.MULTILINE
_BUTTON = re.compile(r"^Button(Press|Release) event.*?\(([-\d]+),([-\d]+)\), root.*?button (\d+)", _LINES)
_MOTION = re.compile(r"^MotionNotify event.*?\(([-\d]+),([-\d]+)\), root", _LINES)
_KEY = re.compile(r"^Key(Press|Release) event.*?state 0x(\w+), keycode \d+ \(keysym 0x\w+, (\w+)\)", _LINES)
_TIMES = re.compile(r"^(?:Button|Key)(Press|Release) event.*?, time (\d+),", _LINES)
_MODIFIERS = 0x4D
"""The state in which Shift, Control, Alt or Super is held."""
_MODIFIER_KEYS = ("Shift_L", "Shift_R", "Control_L", "Control_R", "Alt_L", "Alt_R", "Super_L", "Super_R")


@dataclass(frozen=True, slots=True)
class ButtonEvent:
    """A press or release as the window was told of it; `x` and `y` are the window's own pixels."""

    kind: str
    x: int
    y: int
    button: int


class EventWindow:
    """An xev window on a desktop."""

    def __init__(self, desktop: Desktop, title: str = "Event window", geometry: str = "400x300+60+60") -> None:
        args = ["xev", "-name", title, "-geometry", geometry, "-event", "mouse", "-event", "keyboard"]
        self._messages = itertools.count(1)
        self.application: Application = launch(desktop, args, title=title, by_pid=False)

    @property
    def xid(self) -> int:
        """The client window."""
        return self.application.window.xid

    def buttons(self) -> list[ButtonEvent]:
        """Every button event it was sent, in order."""
        return [ButtonEvent(kind, int(x), int(y), int(button)) for kind, x, y, button in _BUTTON.findall(self._told())]

    def press_times_ms(self) -> list[int]:
        """How long each press of a key or button lasted, by the X server's clock, in order of the releases."""
        began: list[int] = []
        lasted = []
        for kind, time_ms in _TIMES.findall(self._told()):
            if kind == "Press":
                began.append(int(time_ms))
            elif began:
                lasted.append(int(time_ms) - began.pop())
        return lasted

    def motions(self) -> list[tuple[int, int]]:
        """Every place that a motion took the pointer to, in order."""
        return [(int(x), int(y)) for x, y in _MOTION.findall(self._told())]

    def plain_keys(self) -> list[tuple[str, str]]:
        """Every key event it was sent, in order: ("Press", "Return"); not modifiers, nor keys while one is held."""
        return [
            (kind, name)
            for kind, state, name in _KEY.findall(self._told())
            if name not in _MODIFIER_KEYS and not int(state, 16) & _MODIFIERS
        ]

    def _told(self) -> str:
        """What it wrote of all that it was sent until now: up to a message that is sent after it."""
        application, name = self.application, f"RIG_{next(self._messages)}"
        if application.desktop.send_message(self.xid, name):
            wait_until(lambda: f"({name})" in application.child.log_text(), "the window to read what it was sent")
        return application.child.log_text()
