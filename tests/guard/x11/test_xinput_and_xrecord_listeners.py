"""Parsing of raw events and of recorded blocks; and that pynput still has the method that is overridden."""

from __future__ import annotations

import inspect
import os
import struct
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from operator_console.guard.x11 import xinput_listener, xrecord_listener
from operator_console.guard.x11.xinput_listener import EventKind, RawEvent

EXTENSION = 131


def raw(kind: int, detail: int, source: int, extra: bytes = b"") -> bytes:
    body = struct.pack("=BBHIHHIIH", 35, EXTENSION, 7, len(extra) // 4, kind, 3, 12345, detail, source)
    return body.ljust(32, b"\0") + extra


def test_presses_releases_pointers_and_devices_are_reported() -> None:
    buffer = bytearray(raw(13, 53, 5) + raw(14, 53, 7, b"\1" * 16) + raw(17, 0, 4, b"\0" * 24) + raw(11, 0, 0))
    found = list(xinput_listener.parse(buffer, EXTENSION))
    expected = [
        RawEvent(EventKind.PRESS, 53, 5),
        RawEvent(EventKind.RELEASE, 53, 7),
        RawEvent(EventKind.MOTION, 0, 4),
        RawEvent(EventKind.DEVICES, 0, 0),
    ]
    assert found == expected
    assert buffer == b""


def test_a_changed_screen_is_recognised_by_its_event_codes() -> None:
    packets = bytes([22]).ljust(32, b"\0") + bytes([89 | 0x80]).ljust(32, b"\0") + bytes([90]).ljust(32, b"\0")
    assert list(xinput_listener.parse(bytearray(packets), EXTENSION, {22, 89})) == [RawEvent(EventKind.SCREEN)] * 2
    assert list(xinput_listener.parse(bytearray(packets), EXTENSION)) == []


def test_other_packets_are_skipped() -> None:
    reply = struct.pack("=BBHI", 1, 0, 9, 2).ljust(32, b"\0") + raw(13, 53, 5)[:8]
    mapping = bytes([34]).ljust(32, b"\0")
    other = raw(13, 53, 5).replace(bytes([35, EXTENSION]), bytes([35, EXTENSION + 1]), 1)
    found = list(xinput_listener.parse(bytearray(reply + mapping + other + raw(13, 9, 5)), EXTENSION))
    assert found == [RawEvent(EventKind.MAPPING), RawEvent(EventKind.PRESS, 9, 5)]


@given(st.lists(st.integers(min_value=1, max_value=200), max_size=6))
def test_packets_may_arrive_in_any_pieces(cuts: list[int]) -> None:
    stream = b"".join(raw(13, code, 5, b"\0" * (4 * (code % 3))) for code in range(8, 16))
    buffer, found, at = bytearray(), [], 0
    for cut in [*cuts, len(stream)]:
        buffer += stream[at : at + cut]
        at += cut
        found += [event.detail for event in xinput_listener.parse(buffer, EXTENSION)]
    assert found == list(range(8, 16))


def test_a_recorded_block_gives_keys_and_positions_in_order() -> None:
    key = bytes([2, 53]).ljust(28, b"\0") + struct.pack("=H", 12) + b"\0\0"
    motion = bytes([6, 0]).ljust(20, b"\0") + struct.pack("=hh", -5, 799) + bytes(8)
    up = bytes([3, 53]).ljust(32, b"\0")
    assert xrecord_listener.read_block(key + motion + up + b"\2") == [(53, True, 12), (-5, 799), (53, False, 0)]


def test_pynput_still_has_the_method_that_is_overridden() -> None:
    """It is a private method: if pynput changes it, this fails before a listener receives nothing."""
    program = (
        "import inspect, sys, types\n"
        "from pynput._util import xorg\n"
        "source = inspect.getsource(xorg.ListenerMixin)\n"
        "print(inspect.signature(xorg.ListenerMixin._handler), hasattr(xorg.ListenerMixin, '_emitter'), "
        "\"'device_events': self._EVENTS\" in source, 'self._context, self._handler' in source)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    if "DISPLAY" in done.stderr or "display" in done.stderr:
        # pynput needs a display to be imported: read its source instead.
        program = (
            "import importlib.util, pathlib\n"
            "root = pathlib.Path(importlib.util.find_spec('pynput').origin).parent\n"
            "source = (root / '_util' / 'xorg.py').read_text()\n"
            "print('(self, events)', '@AbstractListener._emitter\\n    def _handler(self, events):' in source, "
            "\"'device_events': self._EVENTS\" in source, 'self._context, self._handler' in source)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.split()[-3:] == ["True"] * 3, done
    assert "self.running" in inspect.getsource(xrecord_listener)


def test_a_listener_that_fails_before_it_is_ready_does_not_block() -> None:
    # The dummy backend's listener raises in its thread at once, as the real one does without a connection.
    program = (
        "import threading\n"
        "from operator_console.guard.x11.xrecord_listener import RecordListener\n"
        "listener = RecordListener(print, print, 0)\n"
        "listener.start()\n"
        "threading.Thread.join(listener._listener)\n"
        "print(listener.alive)\n"
    )
    environment = {**os.environ, "PYNPUT_BACKEND": "dummy"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.stdout == "False\n", done.stderr
