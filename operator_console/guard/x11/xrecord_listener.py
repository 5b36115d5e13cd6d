"""The second listener: pynput's keyboard listener (XRecord), in its own threads.

Independent of the first: another extension, another connection, another library. pynput's callback gives no keycode and
depends on the layout, so the listener is subclassed one step lower, where the core events are (a test checks that
pynput still has this step). It receives keys, and every pointer position in order, for the corners. It cannot tell
devices apart, so it never reports an approval.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from typing import Any

_EVENT_BYTES = 32
_START_OF_DATA = 4
"""The category of the first reply, after which everything is recorded (RECORD protocol, EnableContext)."""
_START_LIMIT_S = 2.0
"""Longest wait for it: a server that does not answer must not stop the guard's loop. The probe fails then."""
_PRESS, _RELEASE, _MOTION = 2, 3, 6
_PLACE_AT, _STATE_AT = 20, 28
_PRESSES_DELIVERED: dict[str, Any] = {
    "core_requests": (0, 0), "core_replies": (0, 0), "ext_requests": (0, 0, 0, 0), "ext_replies": (0, 0, 0, 0),
    "delivered_events": (_PRESS, _PRESS), "device_events": (0, 0), "errors": (0, 0), "client_started": False,
    "client_died": False,
}  # fmt: skip

Key = tuple[int, bool, int]
"""(keycode, pressed, modifier state before it)."""
Position = tuple[int, int]


def read_block(data: bytes) -> list[Key | Position]:
    """Keys and pointer positions in a block of recorded core events, in order."""
    found: list[Key | Position] = []
    for at in range(0, len(data) - _EVENT_BYTES + 1, _EVENT_BYTES):
        code = data[at] & 0x7F
        if code in {_PRESS, _RELEASE}:
            (state,) = struct.unpack_from("=H", data, at + _STATE_AT)
            found.append((data[at + 1], code == _PRESS, state))
        elif code == _MOTION:
            x, y = struct.unpack_from("=hh", data, at + _PLACE_AT)
            found.append((x, y))
    return found


class RecordListener:
    """Listens on $DISPLAY, which pynput always uses.

    Args:
        hear: Receives keys, in pynput's thread; must return at once.
        place: Receives pointer positions, in pynput's thread; must return at once.
        probe_window: Key presses delivered to this window's client are recorded too.
    """

    def __init__(self, hear: Callable[[Key], None], place: Callable[[Position], None], probe_window: int) -> None:
        self._hear = hear
        self._place = place
        self._probe_window = probe_window
        self._listener: Any = None

    def start(self) -> None:
        """Start the threads; returns once the server records for them or they have failed, see `alive`."""
        from pynput.keyboard import Listener

        hear, place, probe_window = self._hear, self._place, self._probe_window
        begun = threading.Event()  # pynput calls itself ready before it asks the server to record

        class KeycodeListener(Listener):  # type: ignore[misc]  # pynput carries no types
            """pynput's listener, overridden before it converts keycodes to its own keys."""

            _EVENTS = (_PRESS, _MOTION)  # first and last of a range

            def run(self) -> None:
                try:
                    super().run()
                finally:
                    # If it fails before it is ready, `wait` would block the guard's loop for ever.
                    self._mark_ready()
                    begun.set()

            def _initialize(self, display: Any) -> None:
                super()._initialize(display)
                display.record_register_clients(self._context, 0, [probe_window], [_PRESSES_DELIVERED])
                display.sync()

            @Listener._emitter  # type: ignore[untyped-decorator]
            def _handler(self, events: Any) -> None:
                if not self.running:
                    raise self.StopException
                if events.category == _START_OF_DATA:
                    begun.set()
                for heard in read_block(bytes(events.data)):
                    if len(heard) == 3:
                        hear(heard)
                    else:
                        place(heard)

        self._listener = KeycodeListener(daemon=True)
        self._listener.start()
        self._listener.wait()
        begun.wait(_START_LIMIT_S)

    @property
    def alive(self) -> bool:
        """Whether the listening thread is running."""
        return self._listener is not None and self._listener.is_alive()

    def stop(self) -> None:
        """End the threads."""
        if self._listener is not None and self._listener.is_alive():
            self._listener.stop()
