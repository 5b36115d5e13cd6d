"""The guard's second ear: pynput's keyboard listener (XRecord), in threads of its own.

Independent of the first: another extension, another connection, another library. pynput's callback gives no keycode
and stumbles over layouts, so its listener is subclassed one step lower, where the core events are (a test holds pynput
to that step). Hears the stop and pause chords and the probe; knows no devices, so it never hears an approval.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

_EVENT_BYTES = 32
_PRESS, _RELEASE = 2, 3
_STATE_AT = 28


def keys_in(data: bytes) -> list[tuple[int, bool, int]]:
    """(keycode, pressed, modifier state before it) of each key event in a block of recorded core events."""
    found: list[tuple[int, bool, int]] = []
    for at in range(0, len(data) - _EVENT_BYTES + 1, _EVENT_BYTES):
        code = data[at] & 0x7F
        if code in {_PRESS, _RELEASE}:
            (state,) = struct.unpack_from("=H", data, at + _STATE_AT)
            found.append((data[at + 1], code == _PRESS, state))
    return found


class SecondEar:
    """Starts at once; pynput binds to $DISPLAY. `hear` is called in pynput's thread: it must only hand over."""

    def __init__(self, hear: Callable[[int, bool, int], None]) -> None:
        self._hear = hear
        self._listener: Any = None

    def start(self) -> None:
        """Start listening; returns when it listens."""
        from pynput.keyboard import Listener

        hear = self._hear

        class KeycodeListener(Listener):  # type: ignore[misc]  # pynput carries no types
            """pynput's listener, before it turns keycodes into its own keys."""

            @Listener._emitter  # type: ignore[untyped-decorator]
            def _handler(self, events: Any) -> None:
                if not self.running:
                    raise self.StopException
                for keycode, pressed, state in keys_in(bytes(events.data)):
                    hear(keycode, pressed, state)

        self._listener = KeycodeListener(daemon=True)
        self._listener.start()
        self._listener.wait()

    @property
    def alive(self) -> bool:
        """Whether its thread still runs."""
        return self._listener is not None and self._listener.is_alive()

    def stop(self) -> None:
        """End its threads."""
        if self._listener is not None and self._listener.is_alive():
            self._listener.stop()
