"""The first listener: XInput2 raw events on its own connection, read in the guard's event loop.

Raw events come from every device, even while another client grabs the keyboard, and carry the source device: XTEST (a
program) or a physical one (a person). Only this listener can therefore report an approval. It also records up to when
it has handled all input, so that the injector never gets ahead of it.

The events are parsed here because python-xlib has no parser for them, and xcffib's takes four times as long (14 us an
event against 3.4): a program that types produces 20,000 events a second, which precede the person's chord in the
stream. Source: XI2proto.txt, version 2.2 (raw events despite grabs since 2.1).
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from Xlib.ext import xinput

from operator_console.desktop.x11.input_devices import has_physical_devices, is_viewed, synthetic_devices
from operator_console.desktop.x11.keys_down import keys_down
from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.guard.x11.display import open_display
from operator_console.guard.x11.hand_motion import HandMotion

_CONFIGURED, _MAPPING, _GENERIC, _HEAD = 22, 34, 35, 32
_RAW_KEY_PRESS, _RAW_KEY_RELEASE, _RAW_BUTTON_PRESS, _RAW_MOTION, _HIERARCHY = 13, 14, 15, 17, 11
_RAW_ALL = 1 << 13 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 17  # keys, buttons, motion
_EVENT = struct.Struct("=HHIIH")
_FIXED = struct.Struct("=iI")
_CHUNK = 1 << 16
_ABSOLUTE = 1


class EventKind(Enum):
    """Kinds of events."""

    PRESS = auto()
    RELEASE = auto()
    BUTTON = auto()
    MOTION = auto()
    MAPPING = auto()
    DEVICES = auto()
    SCREEN = auto()


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One event. `detail` is the keycode or button, `source` the device's id, `moved` a motion's values by its axis."""

    kind: EventKind
    detail: int = 0
    source: int = 0
    moved: Mapping[int, float] | None = None


_KINDS = {
    _RAW_KEY_PRESS: EventKind.PRESS,
    _RAW_KEY_RELEASE: EventKind.RELEASE,
    _RAW_BUTTON_PRESS: EventKind.BUTTON,
    _RAW_MOTION: EventKind.MOTION,
    _HIERARCHY: EventKind.DEVICES,
}


def parse(buffer: bytearray, extension: int, screen_codes: Collection[int] = ()) -> Iterator[RawEvent]:
    """Remove all complete packets from the front of the buffer; replies, errors and other events are skipped.

    Args:
        extension: Major opcode of XInput.
        screen_codes: Codes of the events that report a change of the monitors.
    """
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
                event_kind = _KINDS.get(kind)
                if event_kind is EventKind.MOTION:
                    yield RawEvent(event_kind, detail, source, _axes(view[at : at + size]) or None)
                elif event_kind is not None:
                    yield RawEvent(event_kind, detail, source)
            elif code == _MAPPING:
                yield RawEvent(EventKind.MAPPING)
            elif code in screen_codes:
                yield RawEvent(EventKind.SCREEN)
            at += size
    finally:
        view.release()
        del buffer[:at]


def _axes(event: memoryview) -> dict[int, float]:
    """The values of a raw motion's first two axes (XI2proto: a mask, then 32.32 fixed-point numbers)."""
    words = int.from_bytes(event[22:24], "little")
    if not words:
        return {}
    mask, at, found = event[_HEAD], _HEAD + 4 * words, {}
    for axis in (0, 1):
        if mask >> axis & 1 and at + 8 <= len(event):
            whole, part = _FIXED.unpack_from(event, at)
            found[axis] = whole + part / (1 << 32)
            at += 8
    return found


def listen(display: Any) -> int:
    """Select raw events of every device. Buttons and motion show how far the stream was read, and a person's use.

    Returns XInput's major opcode. Raises OperatorError if the server lacks the extension.
    """
    found = display.query_extension("XInputExtension")
    if found is None or not found.present:
        raise _no_raw_events(notice(NoticeCode.XINPUT_MISSING))
    # python-xlib's own call announces version 2.0, whose clients get no raw events during another client's grab.
    version = xinput.XIQueryVersion(
        display=display.display, opcode=found.major_opcode, major_version=2, minor_version=2
    )
    if (version.major_version, version.minor_version) < (2, 1):
        raise _no_raw_events(
            notice(NoticeCode.XINPUT_TOO_OLD, major=version.major_version, minor=version.minor_version)
        )
    masks = [(xinput.AllMasterDevices, _RAW_ALL), (xinput.AllDevices, xinput.HierarchyChangedMask)]
    display.screen().root.xinput_select_events(masks)
    display.sync()
    return int(found.major_opcode)


def watch_screen(display: Any) -> frozenset[int]:
    """Select events about changes of the monitors; returns their codes."""
    from Xlib import X
    from Xlib.ext import randr

    root = display.screen().root
    root.change_attributes(event_mask=X.StructureNotifyMask)  # reports monitors that RandR's own events do not
    codes = {_CONFIGURED}
    if display.has_extension("RANDR"):
        mask = randr.RRScreenChangeNotifyMask | randr.RRCrtcChangeNotifyMask | randr.RROutputChangeNotifyMask
        root.xrandr_select_input(mask)
        first = display.query_extension("RANDR").first_event
        codes |= {first, first + 1}
    display.sync()
    return frozenset(codes)


def _ranges(display: Any) -> dict[int, tuple[float, float]]:
    """The sizes of both axes of the devices that tell places."""
    found: dict[int, tuple[float, float]] = {}
    for device in display.xinput_query_device(xinput.AllDevices).devices:
        axes = {
            each.number: float(each.max - each.min)
            for each in device.classes
            if each.type == xinput.ValuatorClass and each.mode == _ABSOLUTE and each.number in (0, 1)
        }
        if axes:
            found[device.deviceid] = (axes.get(0, 0.0), axes.get(1, 0.0))
    return found


def _no_raw_events(why: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.STOP_NOT_HEARD_ON_X_SERVER),
        detail=notice(NoticeCode.KEYS_NOT_TOLD_APART, reason=why),
        remedy=notice(NoticeCode.USE_CURRENT_X_SERVER),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RawCalls:
    """Callbacks of the listener, called on the loop.

    Attributes:
        key: (keycode, pressed, synthetic).
        hand: a person pressed a button, or (True) moved a pointing device by more than a few pixels.
        drained: all input that had arrived is handled.
        mapping: the keyboard map changed.
        screen: the monitors changed.
        lost: the display is lost; why.
    """

    key: Callable[[int, bool, bool], None]
    hand: Callable[[bool], None]
    drained: Callable[[], None]
    mapping: Callable[[], None]
    screen: Callable[[], None]
    lost: Callable[[str], None]


class RawListener:
    """Created and closed in the loop's thread.

    Attributes:
        drained_ns: time.monotonic_ns() up to which all input was handled.
        human_input_s: time.monotonic() of the last input from a physical device; 0 for none yet.
        tells_devices: whether there are physical devices, so that input of programs can be told from it.
    """

    def __init__(self, display_name: str, calls: RawCalls) -> None:
        self._calls = calls
        self._display: Any = open_display(display_name)
        # For requests with replies, which would mix with the events on the first connection.
        self._side: Any = open_display(display_name)
        self._extension = listen(self._display)
        self._screen_codes = watch_screen(self._display)
        self._synthetic = synthetic_devices(self._side)
        self.tells_devices = has_physical_devices(self._side)
        self._motion = HandMotion(_ranges(self._side))
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

    def keys_down(self) -> frozenset[int]:
        """Keycodes that are down now on any device."""
        return keys_down(self._side)

    def is_viewed(self) -> bool:
        """Whether x11vnc shows the display elsewhere."""
        return is_viewed(self._side)

    def monitors(self) -> list[tuple[int, int, int, int]]:
        """Rectangles (x, y, width, height) of the monitors within the screen; the whole screen if RandR has none."""
        root = self._side.screen().root
        size = root.get_geometry()
        whole = Rect(0, 0, size.width, size.height)
        found = root.xrandr_get_monitors().monitors if self._side.has_extension("RANDR") else []
        rects = [Rect(m.x, m.y, m.width_in_pixels, m.height_in_pixels).intersect(whole) for m in found]
        return [(r.x, r.y, r.width, r.height) for r in [r for r in rects if not r.empty] or [whole]]

    def symbols(self) -> dict[int, tuple[int, ...]]:
        """Symbols of every keycode, in all groups and levels."""
        info = self._side.display.info
        rows = self._side.get_keyboard_mapping(info.min_keycode, info.max_keycode - info.min_keycode + 1)
        return {info.min_keycode + i: tuple(row) for i, row in enumerate(rows)}

    def close(self) -> None:
        """Close both connections."""
        if not self._open:
            return
        self._open = False
        self._loop.remove_reader(self._socket.fileno())
        for display in (self._display, self._side):
            with contextlib.suppress(Exception):  # python-xlib raises many types when the server is gone
                display.close()

    def _on_readable(self) -> None:
        changes: set[EventKind] = set()
        moved = False
        while self._open:
            try:
                data = self._socket.recv(_CHUNK, socket.MSG_DONTWAIT)
            except (BlockingIOError, InterruptedError):
                break
            except OSError as error:
                self._lost(str(error))
                return
            if not data:
                self._lost(notice(NoticeCode.CONNECTION_CLOSED_BY_X_SERVER))
                return
            self._buffer += data
            for event in parse(self._buffer, self._extension, self._screen_codes):
                if event.kind is EventKind.BUTTON or event.kind is EventKind.MOTION:
                    self._note_physical_input(event)
                    moved = moved or (event.kind is EventKind.MOTION and event.source not in self._synthetic)
                elif event.kind is EventKind.PRESS or event.kind is EventKind.RELEASE:
                    self._note_physical_input(event)
                    self._key(event)
                else:
                    changes.add(event.kind)
            if len(data) < _CHUNK:
                break
        self.drained_ns = time.monotonic_ns()
        if moved:
            # The server keeps the last recorded position back until it has something to send; it may be a corner.
            self._side.sync()
        self._follow(changes)

    def _follow(self, changes: Set[EventKind]) -> None:
        """Look at what has changed, and say that all is read."""
        if EventKind.DEVICES in changes:
            self._synthetic = synthetic_devices(self._side)
            self.tells_devices = has_physical_devices(self._side)
            self._motion = HandMotion(_ranges(self._side))
        if EventKind.MAPPING in changes:
            self._calls.mapping()
        if EventKind.SCREEN in changes:
            self._calls.screen()
        self._calls.drained()

    def _key(self, event: RawEvent) -> None:
        self._calls.key(event.detail, event.kind is EventKind.PRESS, event.source in self._synthetic)

    def _note_physical_input(self, event: RawEvent) -> None:
        if event.source in self._synthetic:
            return
        self.human_input_s = time.monotonic()
        if event.kind is EventKind.MOTION:
            if self._motion.moved(event.source, event.moved or {}, self.human_input_s):
                self._calls.hand(True)
        elif event.kind is EventKind.BUTTON:
            self._calls.hand(False)

    def _lost(self, why: str) -> None:
        self.close()
        self._calls.lost(why)
