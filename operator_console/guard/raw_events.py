"""XInput2 raw events: asking for them, and reading them off the wire.

Raw events come from every device, through other clients' grabs, and name the device: XTEST (a program) or a real one
(a hand). python-xlib has the request classes but no parser for these; a program that types 20,000 events a second is
also why they are read here in one pass. Source: XI2proto.txt, version 2.2 (raw events despite grabs since 2.1).
Called by ear.py.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from Xlib.protocol import rq

from operator_console.domain.errors import OperatorError

_CONFIGURED, _MAPPING, _GENERIC, _HEAD = 22, 34, 35, 32
_RAW_KEY_PRESS, _RAW_KEY_RELEASE, _RAW_BUTTON_PRESS, _RAW_MOTION, _HIERARCHY = 13, 14, 15, 17, 11
_RAW_ALL = 1 << 13 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 17  # keys, buttons, motion
_ALL_DEVICES, _MASTER_DEVICES = 0, 1
_EVENT = struct.Struct("=HHIIH")


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


class _QueryVersion(rq.ReplyRequest):  # type: ignore[misc]  # python-xlib carries no types
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(47), rq.RequestLength(), rq.Card16("major"), rq.Card16("minor"))
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Pad(1), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Card16("major"),
        rq.Card16("minor"), rq.Pad(20),
    )  # fmt: skip


class _QueryDevice(rq.ReplyRequest):  # type: ignore[misc]
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(48), rq.RequestLength(), rq.Card16("device"), rq.Pad(2))
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Pad(1), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Binary("rest"),
    )  # fmt: skip


class _SelectEvents(rq.Request):  # type: ignore[misc]
    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(46), rq.RequestLength(), rq.Window("window"), rq.Card16("count"), rq.Pad(2),
        rq.Binary("masks"),
    )  # fmt: skip


def listen(display: Any) -> int:
    """Ask for raw input of every device (buttons and motion tell how far was heard, and whose hand is at work).

    Returns the extension's number. Raises OperatorError where the server lacks it.
    """
    found = display.query_extension("XInputExtension")
    if found is None or not found.present:
        raise _missing("the XInput extension is missing")
    version = _QueryVersion(display=display.display, opcode=found.major_opcode, major=2, minor=2)
    if (version.major, version.minor) < (2, 1):
        raise _missing(f"its XInput is {version.major}.{version.minor}, 2.1 is needed")
    masks = struct.pack("=HHI", _MASTER_DEVICES, 1, _RAW_ALL) + struct.pack("=HHI", _ALL_DEVICES, 1, 1 << _HIERARCHY)
    _SelectEvents(
        display=display.display, opcode=found.major_opcode, window=display.screen().root, count=2, masks=masks
    )
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


def synthetic_devices(display: Any, extension: int) -> frozenset[int]:
    """Ids of the devices that programs type on (XTEST's)."""
    rest = bytes(_QueryDevice(display=display.display, opcode=extension, device=_ALL_DEVICES).rest)
    (count,) = struct.unpack_from("=H", rest, 0)
    at, found = 24, set()
    for _ in range(count):
        device, _, _, classes, length = struct.unpack_from("=5H", rest, at)
        at += 12
        name = rest[at : at + length].decode("utf-8", "replace")
        at += (length + 3) // 4 * 4
        for _ in range(classes):
            (words,) = struct.unpack_from("=H", rest, at + 2)
            at += 4 * words
        if "XTEST" in name:
            found.add(device)
    return frozenset(found)


def _missing(why: str) -> OperatorError:
    return OperatorError(
        "The stop cannot be heard on this X server",
        detail=f"To tell a person's keys from a program's, {why}.",
        remedy="Use a current X server; the isolated desktop (--target virtual) has one.",
    )
