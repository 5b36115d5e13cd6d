"""The guard's first ear: XInput2 raw events on a connection of its own, read in the guard's event loop.

Knows which device a key came from, so it alone can hear an approval, and stamps how far it has heard, so that the
injector never outruns it. The second ear (second_ear.py) hears the stop independently, and the corners.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from operator_console.domain.geometry import Rect
from operator_console.guard import raw_events
from operator_console.guard.displays import open_display
from operator_console.guard.raw_events import Heard, What

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class EarCalls:
    """What the ear calls, on the loop.

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


class Ear:
    """Opened in the loop's thread; `close` it there."""

    def __init__(self, display_name: str, calls: EarCalls) -> None:
        self._calls = calls
        self._display: Any = open_display(display_name)
        self._side: Any = open_display(display_name)  # for questions: replies would mix with events on the first
        self._extension = raw_events.listen(self._display)
        self._screen_codes = raw_events.watch_screen(self._display)
        self._synthetic = raw_events.synthetic_devices(self._side, self._extension)
        self._socket: socket.socket = self._display.display.socket
        self._buffer = bytearray(self._display.display.data_recv)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._socket.fileno(), self._readable)
        self._open = True
        self.drained_ns = time.monotonic_ns()
        self.hand_s = 0.0  # when a real device (no program's) was last used, monotonic; 0: never

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

    def _readable(self) -> None:
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
            for heard in raw_events.parse(self._buffer, self._extension, self._screen_codes):
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
            self._synthetic = raw_events.synthetic_devices(self._side, self._extension)
        if What.MAPPING in news:
            self._calls.mapping()
        if What.SCREEN in news:
            self._calls.screen()
        self._calls.drained()

    def _key(self, heard: Heard) -> None:
        self._calls.key(heard.detail, heard.what is What.PRESS, heard.source in self._synthetic)

    def _by_hand(self, heard: Heard) -> None:
        if heard.source not in self._synthetic:
            self.hand_s = time.monotonic()

    def _lost(self, why: str) -> None:
        self.close()
        self._calls.lost(why)
