"""Which presses came from a physical device, and which from a program (XTEST, or an event that a client sent).

XInput2's raw events name the device that an event came from, and carry the server's time of it. The event that a
toolkit delivers carries a time as well, taken after that: nearly always the same, about once in a thousand presses a
millisecond later. The server sends a raw event before the other one, so one round trip is enough to have it. Events are
selected only while somebody watches: a model that types causes thousands of those of keys.
Source: XI2proto.txt, version 2.2.
"""

from __future__ import annotations

import collections
import functools
import operator
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import Xlib.display
from Xlib.error import DisplayError, XError
from Xlib.ext import xinput

_RAW_KEYS, _RAW_POINTER = 1 << 13 | 1 << 14, 1 << 15 | 1 << 16 | 1 << 22 | 1 << 24  # the latter: buttons, touches
_RAW = frozenset({13, 14, 15, 16, 22, 24})
_GENERIC = 35
_EVENT = struct.Struct("=HIIH")  # device, time, detail, source
_KEPT = 256
_TIME_MASK = 0xFFFF_FFFF
_LATER_MS = 5
"""By how much the time of a delivered event may be after that of its raw event."""
_PLACEHOLDERS = ("XTEST", "Xvfb ", "dummy_", "Virtual core")
"""Beginnings or parts of the names of devices that no hand moves: those of the XTEST extension; what Xvfb (hw/vfb,
InitInput.c) and xf86-video-dummy's usual configuration have in the place of devices; the master devices."""


class PressesByDevice:
    """Fits `protocols.InputDevices`."""

    @classmethod
    def open(cls, name: str) -> Self | None:
        """On a connection of its own; None where the display tells no devices apart, or cannot be opened."""
        try:
            display: Any = Xlib.display.Display(name)
        except (DisplayError, XError, OSError):
            return None
        found = display.query_extension("XInputExtension")
        if found is None or not found.present or not has_physical_devices(display):
            display.close()
            return None
        # python-xlib's own call announces version 2.0, whose clients get no raw events during another client's grab.
        xinput.XIQueryVersion(display=display.display, opcode=found.major_opcode, major_version=2, minor_version=2)
        return cls(display, int(found.major_opcode))

    def __init__(self, display: Any, opcode: int) -> None:
        """Takes over python-xlib's connection. `opcode`: XInput's."""
        self._display, self._opcode = display, opcode
        self._presses: collections.deque[tuple[int, int]] = collections.deque(maxlen=_KEPT)
        self._watchers: dict[int, int] = {}
        self._selected = 0

    def watch(self, watcher: int, *, pointer: bool, keys: bool) -> None:
        """Note the presses of pointers, touches and keys that any watcher wants, from now on.

        Said again, it takes in what came meanwhile.
        """
        self._watchers.pop(watcher, None)
        if mask := (_RAW_POINTER if pointer else 0) | (_RAW_KEYS if keys else 0):
            self._watchers[watcher] = mask
        wanted = functools.reduce(operator.or_, self._watchers.values(), 0)
        if wanted == self._selected:
            self._take_in()
            return
        self._selected = wanted
        self._display.screen().root.xinput_select_events([(xinput.AllMasterDevices, wanted)])
        self._read()

    def from_device(self, time_ms: int) -> bool:
        """Whether the press or release of this server time came from physical devices alone, as far as was watched."""
        self._read()
        # By the devices of now: a program can add some of XTEST at any time, and take them away.
        physical = _devices(self._display, xtest=False)
        return from_devices_alone(((at, source not in physical) for at, source in self._presses), time_ms)

    def close(self) -> None:
        """Disconnect."""
        self._display.close()

    def _read(self) -> None:
        self._display.sync()
        self._take_in()

    def _take_in(self) -> None:
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type == _GENERIC and event.extension == self._opcode and event.evtype in _RAW:
                _, at, _, source = _EVENT.unpack_from(event.data)
                self._presses.append((at, source))


def from_devices_alone(presses: Iterable[tuple[int, bool]], time_ms: int) -> bool:
    """Whether the press that was delivered with this time came from a physical device.

    Args:
        presses: the server's times of raw events in milliseconds, of 32 bits, and whether each came from a program. One
            from a program within _LATER_MS before is enough for a no.
        time_ms: of the delivered event.
    """
    return {synthetic for at, synthetic in presses if (time_ms - at) & _TIME_MASK <= _LATER_MS} == {False}


def synthetic_devices(display: Any) -> frozenset[int]:
    """Ids of the XTEST devices, which carry input from programs; `display` is python-xlib's."""
    return _devices(display, xtest=True)


def _devices(display: Any, *, xtest: bool) -> frozenset[int]:
    devices = display.xinput_query_device(xinput.AllDevices).devices
    return frozenset(device.deviceid for device in devices if ("XTEST" in device.name) is xtest)


def xtest_keyboard(display: Any) -> int | None:
    """The id of the keyboard that carries keys from programs; None without XInput. `display` is python-xlib's."""
    if not display.has_extension("XInputExtension"):
        return None
    devices = display.xinput_query_device(xinput.AllDevices).devices
    return next((each.deviceid for each in devices if each.use == xinput.SlaveKeyboard and "XTEST" in each.name), None)


def has_physical_devices(display: Any) -> bool:
    """Whether there is a pointer or keyboard that a person moves, so that input of programs can be told from it."""
    devices = display.xinput_query_device(xinput.AllDevices).devices
    return any(not any(each in device.name for each in _PLACEHOLDERS) for device in devices)


def is_viewed(display: Any) -> bool:
    """Whether x11vnc shows the display elsewhere; `display` is python-xlib's.

    While it runs, a property of the root window has its process id and a count (its manual, at -vncconnect: heartbeat).
    It stays where x11vnc was killed. Of other programs that share a screen no such sign is documented.
    """
    ticker = display.screen().root.get_full_text_property(display.intern_atom("X11VNC_TICKER")) or ""
    pid = ticker.partition("/")[0]
    return pid.isdigit() and Path(f"/proc/{pid}").exists()
