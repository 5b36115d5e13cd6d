"""What a display's server was last told: `stop_watch.py DISPLAY CHORD_KEYCODES...`; the chord's last key is the last.

Reads raw events as the tests' witness does, but keeps only the last of each kind (of releases, those of what was
down). Each line on stdin is answered with JSON of all that the server had done by then; "mark" also begins anew. Times
are the server's, milliseconds. Started by stop_rig.py.
"""

from __future__ import annotations

import json
import os
import select
import sys
from typing import Any

import xcffib
import xcffib.xinput as xi
import xcffib.xproto

_RAW_EVENTS = sum(1 << number for number in (13, 14, 15, 16, 17))
_ALL_MASTER_DEVICES = 1


class Last:
    """The newest of each kind since the mark, the chord's own keys apart."""

    def __init__(self, chord: frozenset[int], final: int) -> None:
        self._chord, self._final = chord, final
        self._down: set[tuple[bool, int]] = set()
        self.mark()

    def mark(self) -> None:
        self.told: dict[str, int] = {"acts": 0, "last_act_ms": -1, "chord_ms": -1, "last_release_ms": -1}

    def hear(self, event: Any) -> None:
        told = self.told
        if isinstance(event, (xi.RawKeyPressEvent, xi.RawKeyReleaseEvent)) and event.detail in self._chord:
            if event.detail == self._final and isinstance(event, xi.RawKeyPressEvent):
                told["chord_ms"] = event.time
        elif isinstance(event, (xi.RawKeyReleaseEvent, xi.RawButtonReleaseEvent)):
            held = (isinstance(event, xi.RawKeyReleaseEvent), event.detail)
            if held in self._down:  # what is up already may be released again, to be sure of it
                self._down.discard(held)
                told["last_release_ms"] = event.time
        elif isinstance(event, (xi.RawKeyPressEvent, xi.RawButtonPressEvent, xi.RawMotionEvent)):
            told["acts"] += 1
            told["last_act_ms"] = event.time
            if not isinstance(event, xi.RawMotionEvent):
                self._down.add((isinstance(event, xi.RawKeyPressEvent), event.detail))


def main(display: str, *chord: str) -> int:
    conn: Any = xcffib.connect(display=display)  # type: ignore[no-untyped-call]
    xinput = conn(xi.key)
    xinput.XIQueryVersion(2, 2).reply()
    mask = xi.EventMask.synthetic(_ALL_MASTER_DEVICES, 1, [_RAW_EVENTS])  # type: ignore[no-untyped-call]
    xinput.XISelectEvents(conn.get_setup().roots[0].root, 1, [mask], is_checked=True).check()
    last = Last(frozenset(map(int, chord)), int(chord[-1]))
    print("ready", flush=True)
    while True:
        while (event := conn.poll_for_event()) is not None:
            last.hear(event)
        ready, _, _ = select.select([conn.get_file_descriptor(), 0], [], [])
        if 0 not in ready:
            continue
        command = os.read(0, 64)
        if not command:
            return 0
        conn.core.GetInputFocus().reply()
        while (event := conn.poll_for_event()) is not None:
            last.hear(event)
        print(json.dumps(last.told), flush=True)
        if command.strip() == b"mark":
            last.mark()


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
