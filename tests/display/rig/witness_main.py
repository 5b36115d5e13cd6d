"""The witness's own process: writes every raw input event of one display to a file, as JSON lines.

Not imported by tests; started by tests.display.rig.witness as ``python witness_main.py DISPLAY FILE``. It asks the
server for XInput2 raw events, which come through any grab and name the device they came from. "sync" on stdin is
answered on stdout once everything that the server had sent before is in the file.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import Any, TextIO

import xcffib
import xcffib.xinput as xi
import xcffib.xproto

_KINDS = {
    xi.RawKeyPressEvent: "key_down",
    xi.RawKeyReleaseEvent: "key_up",
    xi.RawButtonPressEvent: "button_down",
    xi.RawButtonReleaseEvent: "button_up",
    xi.RawMotionEvent: "motion",
}
_RAW_EVENTS = sum(1 << number for number in (13, 14, 15, 16, 17))  # XI2.h: XI_RawKeyPress ... XI_RawMotion
_ALL_DEVICES = 0
_ALL_MASTER_DEVICES = 1


def main(display: str, path: str) -> int:
    conn: Any = xcffib.connect(display=display)  # type: ignore[no-untyped-call]
    xinput = conn(xi.key)
    xinput.XIQueryVersion(2, 2).reply()
    root = conn.get_setup().roots[0].root
    mask = xi.EventMask.synthetic(_ALL_MASTER_DEVICES, 1, [_RAW_EVENTS])  # type: ignore[no-untyped-call]
    xinput.XISelectEvents(root, 1, [mask], is_checked=True).check()
    with open(path, "w", encoding="utf-8", buffering=1 << 16) as out:  # noqa: PTH123
        names = _device_names(xinput)
        _say({"ready": True})
        while True:
            now = _server_now()
            behind = not _drain(conn, xinput, out, names, now)
            ready, _, _ = select.select([conn.get_file_descriptor(), 0], [], [], 0 if behind else None)
            if 0 in ready:
                command = os.read(0, 64)
                if not command:
                    return 0
                conn.core.GetInputFocus().reply()
                _drain(conn, xinput, out, names, _server_now())
                out.flush()
                _say({"synced": True})


def _server_now() -> int:
    """The X server's clock on Linux: milliseconds, wrapping."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000_000 % 2**32


def _drain(conn: Any, xinput: Any, out: TextIO, names: dict[int, str], until_ms: int) -> bool:
    """Write what came up to that moment; whether that was all. Who types faster than this writes never lets it end."""
    while (event := conn.poll_for_event()) is not None:
        kind = _KINDS.get(type(event))
        if kind is None:
            continue
        if event.sourceid not in names:
            names |= _device_names(xinput)
        record = {
            "kind": kind,
            "detail": event.detail,
            "time_ms": event.time,
            "device": event.sourceid,
            "device_name": names.get(event.sourceid, "?"),
        }
        out.write(json.dumps(record) + "\n")
        if 0 < (event.time - until_ms) % 2**32 < 2**31:
            return False
    return True


def _device_names(xinput: Any) -> dict[int, str]:
    infos = xinput.XIQueryDevice(_ALL_DEVICES).reply().infos
    return {info.deviceid: info.name.to_string() for info in infos}


def _say(message: dict[str, bool]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], sys.argv[2]))
