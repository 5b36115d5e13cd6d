"""The first listener: XInput2 raw events on a connection of its own, read in the guard's event loop.

Raw events come from every device, also while another client grabs the keyboard, and name the device: XTEST (a program)
or a real one (a person). So this listener alone can hear an approval. It also stamps how far it has heard, so that the
injector never outruns it. The second listener (record.py) hears the stop independently.

The events are parsed here and not by a library: python-xlib has no parser for them, and xcffib's takes four times as
long (14 us an event against 3.4), while a program that types sends 20,000 a second, ahead of the person's chord in the
same stream. Source: XI2proto.txt, version 2.2 (raw events despite grabs since 2.1).
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from Xlib.ext import xinput

from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import Rect
from operator_console.guard.x11.display import open_display

_CONFIGURED, _MAPPING, _GENERIC, _HEAD = 22, 34, 35, 32
_RAW_KEY_PRESS, _RAW_KEY_RELEASE, _RAW_BUTTON_PRESS, _RAW_MOTION, _HIERARCHY = 13, 14, 15, 17, 11
_RAW_ALL = 1 << 13 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 17  # keys, buttons, motion
_EVENT = struct.Struct("=HHIIH")
_CHUNK = 1 << 16


class What(Enum):
    """Kinds of things that are heard."""

    PRESS = auto()
    RELEASE = auto()
    POINTER = auto()
    MAPPING = auto()
    DEVICES = auto()
    SCREEN = auto()


@dataclass(frozen=True, slots=True)
class Heard:
    """One event: `detail` is the keycode (of a pointer's: its button, or nothing), `source` the device's id."""

    what: What
    detail: int = 0
    source: int = 0


_KINDS = {
    _RAW_KEY_PRESS: What.PRESS,
    _RAW_KEY_RELEASE: What.RELEASE,
    _RAW_BUTTON_PRESS: What.POINTER,
    _RAW_MOTION: What.POINTER,
    _HIERARCHY: What.DEVICES,
}


def parse(buffer: bytearray, extension: int, screen_codes: Collection[int] = ()) -> Iterator[Heard]:
    """Take whole packets off the buffer's front; what is no news (replies, errors, other events) is dropped."""
    view, at, end = memoryview(buffer), 0, len(buffer)
    try:
        while end - at >= _HEAD:
            code = view[at] & 0x7F
            size = _HEAD
            if code in {1, _GENERIC}:
                size += 4 * int.from_bytes(view[at + 4 : at + 8], "little")
                if end - at < size:
                    break
            if code == _GENERIC and view[at + 1] == extension:
                kind, _, _, detail, source = _EVENT.unpack_from(view, at + 8)
                what = _KINDS.get(kind)
                if what is not None:
                    yield Heard(what, detail, source)
            elif code == _MAPPING:
                yield Heard(What.MAPPING)
            elif code in screen_codes:
                yield Heard(What.SCREEN)
            at += size
    finally:
        view.release()
        del buffer[:at]


def listen(display: Any) -> int:
    """Ask for raw input of every device (buttons and motion tell how far was heard, and that a person is at work).

    Returns the extension's number. Raises OperatorError where the server lacks it.
    """
    found = display.query_extension("XInputExtension")
    if found is None or not found.present:
        raise _missing("the XInput extension is missing")
    # python-xlib's own call announces 2.0, and a client of 2.0 gets no raw events while another one grabs.
    version = xinput.XIQueryVersion(
        display=display.display, opcode=found.major_opcode, major_version=2, minor_version=2
    )
    if (version.major_version, version.minor_version) < (2, 1):
        raise _missing(f"its XInput is {version.major_version}.{version.minor_version}, 2.1 is needed")
    masks = [(xinput.AllMasterDevices, _RAW_ALL), (xinput.AllDevices, xinput.HierarchyChangedMask)]
    display.screen().root.xinput_select_events(masks)
    display.sync()
    return int(found.major_opcode)


def watch_screen(display: Any) -> frozenset[int]:
    """Ask for word of monitors that come, go or change; the codes of the events that tell it."""
    from Xlib import X
    from Xlib.ext import randr

    root = display.screen().root
    root.change_attributes(event_mask=X.StructureNotifyMask)  # a monitor that is only named anew is told so
    codes = {_CONFIGURED}
    if display.has_extension("RANDR"):
        mask = randr.RRScreenChangeNotifyMask | randr.RRCrtcChangeNotifyMask | randr.RROutputChangeNotifyMask
        root.xrandr_select_input(mask)
        first = display.query_extension("RANDR").first_event
        codes |= {first, first + 1}
    display.sync()
    return frozenset(codes)


def synthetic_devices(display: Any) -> frozenset[int]:
    """Ids of the devices that programs type on (XTEST's)."""
    devices = display.xinput_query_device(xinput.AllDevices).devices
    return frozenset(device.deviceid for device in devices if "XTEST" in device.name)


def _missing(why: str) -> OperatorError:
    return OperatorError(
        "The stop cannot be heard on this X server",
        detail=f"To tell a person's keys from a program's, {why}.",
        remedy="Use a current X server; the isolated desktop (--target virtual) has one.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RawCalls:
    """What the listener calls, on the loop.

    Attributes:
        key: (keycode, pressed, synthetic).
        drained: everything that had arrived is heard.
        mapping: the keyboard map changed.
        screen: monitors came, went or changed.
        lost: the display is gone.
    """

    key: Callable[[int, bool, bool], None]
    drained: Callable[[], None]
    mapping: Callable[[], None]
    screen: Callable[[], None]
    lost: Callable[[str], None]


class RawListener:
    """Opened in the loop's thread; `close` it there.

    Attributes:
        drained_ns: time.monotonic_ns() up to which everything that arrived was heard.
        human_input_s: time.monotonic() of the last input by a real device; 0: none yet.
    """

    def __init__(self, display_name: str, calls: RawCalls) -> None:
        self._calls = calls
        self._display: Any = open_display(display_name)
        self._side: Any = open_display(display_name)  # for questions: replies would mix with events on the first
        self._extension = listen(self._display)
        self._screen_codes = watch_screen(self._display)
        self._synthetic = synthetic_devices(self._side)
        self._socket: socket.socket = self._display.display.socket
        self._buffer = bytearray(self._display.display.data_recv)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket.fileno(), self._on_readable)
        self._open = True
        self.drained_ns = time.monotonic_ns()
        self.human_input_s = 0.0

    @property
    def alive(self) -> bool:
        """Whether the connection is open."""
        return self._open

    def keys_down(self) -> list[int]:
        """Keycodes down now, by any device."""
        bits = self._side.query_keymap()
        return [8 * i + b for i in range(32) for b in range(8) if bits[i] >> b & 1]

    def monitors(self) -> list[tuple[int, int, int, int]]:
        """Rectangles (x, y, width, height) of what the monitors show of the screen; all of it where RandR has none."""
        root = self._side.screen().root
        size = root.get_geometry()
        whole = Rect(0, 0, size.width, size.height)
        found = root.xrandr_get_monitors().monitors if self._side.has_extension("RANDR") else []
        rects = [Rect(m.x, m.y, m.width_in_pixels, m.height_in_pixels).intersect(whole) for m in found]
        return [(r.x, r.y, r.width, r.height) for r in [r for r in rects if not r.empty] or [whole]]

    def symbols(self) -> dict[int, tuple[int, ...]]:
        """The symbols of every keycode, all groups and levels."""
        info = self._side.display.info
        rows = self._side.get_keyboard_mapping(info.min_keycode, info.max_keycode - info.min_keycode + 1)
        return {info.min_keycode + i: tuple(row) for i, row in enumerate(rows)}

    def close(self) -> None:
        """Let go of both connections."""
        if not self._open:
            return
        self._open = False
        self._loop.remove_reader(self._socket.fileno())
        for display in (self._display, self._side):
            with contextlib.suppress(Exception):  # a dead server refuses the goodbye in several ways
                display.close()

    def _on_readable(self) -> None:
        news: set[What] = set()
        while self._open:
            try:
                data = self._socket.recv(_CHUNK, socket.MSG_DONTWAIT)
            except (BlockingIOError, InterruptedError):
                break
            except OSError as error:
                self._lost(str(error))
                return
            if not data:
                self._lost("the X server closed the connection")
                return
            self._buffer += data
            for heard in parse(self._buffer, self._extension, self._screen_codes):
                if heard.what is What.POINTER:
                    self._by_hand(heard)
                elif heard.what is What.PRESS or heard.what is What.RELEASE:
                    self._by_hand(heard)
                    self._key(heard)
                else:
                    news.add(heard.what)
            if len(data) < _CHUNK:
                break
        self.drained_ns = time.monotonic_ns()
        if What.DEVICES in news:
            self._synthetic = synthetic_devices(self._side)
        if What.MAPPING in news:
            self._calls.mapping()
        if What.SCREEN in news:
            self._calls.screen()
        self._calls.drained()

    def _key(self, heard: Heard) -> None:
        self._calls.key(heard.detail, heard.what is What.PRESS, heard.source in self._synthetic)

    def _by_hand(self, heard: Heard) -> None:
        if heard.source not in self._synthetic:
            self.human_input_s = time.monotonic()

    def _lost(self, why: str) -> None:
        self.close()
        self._calls.lost(why)
