"""Slow, bounce and sticky keys of an X display's keyboard, over a python-xlib connection.

The server applies them to keys from XTEST as well. Source: "The X Keyboard Extension: Protocol Specification",
section 4.6 and the requests LatchLockState, GetControls and SetControls; X.Org's xkb/xkbAccessX.c.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

from Xlib.display import Display
from Xlib.protocol import rq

from operator_console.desktop.values import KeyControls
from operator_console.desktop.x11.keyboard_map import CORE_KEYBOARD, Keyboard
from operator_console.desktop.x11.keys_down import keys_down

_SLOW, _BOUNCE, _STICKY = 1 << 1, 1 << 2, 1 << 3
_ENABLED = 1 << 31


class _LatchLockState(rq.Request):  # type: ignore[misc]  # python-xlib carries no types
    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(5), rq.RequestLength(), rq.Card16("device"), rq.Pad(4),
        rq.Card8("affect_latches"), rq.Card8("latches"), rq.Pad(4),
    )  # fmt: skip


class _GetControls(rq.ReplyRequest):  # type: ignore[misc]
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(6), rq.RequestLength(), rq.Card16("device"), rq.Pad(2))
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Card8("device"), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Pad(16),
        rq.Card16("slow_ms"), rq.Card16("bounce_ms"), rq.Pad(28), rq.Card32("enabled"), rq.Pad(32),
    )  # fmt: skip


class _SetControls(rq.Request):  # type: ignore[misc]
    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(7), rq.RequestLength(), rq.Card16("device"), rq.Pad(18),
        rq.Card32("affect_enabled"), rq.Card32("enabled"), rq.Card32("change"), rq.Pad(64),
    )  # fmt: skip


class AccessX:
    """Raises OperatorError without XKB."""

    def __init__(self, display: Any) -> None:
        self._display = display
        keyboard = Keyboard(display)
        self._opcode, self._devices = keyboard.opcode, keyboard.devices

    def controls(self) -> KeyControls:
        """Those of the keyboard or of its XTEST device, whose own are in force once it has sent a key."""
        found = [
            _GetControls(display=self._display.display, opcode=self._opcode, device=device) for device in self._devices
        ]
        return KeyControls(
            slow_s=max(each.slow_ms if each.enabled & _SLOW else 0 for each in found) / 1000,
            bounce_s=max(each.bounce_ms if each.enabled & _BOUNCE else 0 for each in found) / 1000,
            sticky=any(each.enabled & _STICKY for each in found),
        )

    def is_down(self, keycode: int) -> bool:
        """Whether a key is down for applications, on any device: slow keys have let it through."""
        return keycode in keys_down(self._display)

    def clear_latches(self) -> None:
        """Have no modifier act on the next key."""
        _LatchLockState(
            display=self._display.display, opcode=self._opcode, device=CORE_KEYBOARD, affect_latches=0xFF, latches=0
        )
        self._display.sync()

    def turn_sticky_on(self) -> None:
        """The server turns sticky keys off when another key is pressed while a modifier is down, unless told not to."""
        _SetControls(
            display=self._display.display, opcode=self._opcode, device=CORE_KEYBOARD, affect_enabled=_STICKY,
            enabled=_STICKY, change=_ENABLED,
        )  # fmt: skip
        self._display.sync()


def read_controls(display_name: str) -> KeyControls:
    """As `AccessX.controls`, over a connection of its own."""
    with closing(Display(display_name)) as display:
        return AccessX(display).controls()
