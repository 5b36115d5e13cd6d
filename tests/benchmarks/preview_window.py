"""The console's own preview in a process of its own: bridge and stage as in the window, on another display's monitor.

    preview_window.py TARGET_DISPLAY

Each line on stdin is a command: "rest" and "watch" turn the stall timer off and on and begin counting anew, "tell"
prints what was counted since as JSON. Started by preview.py.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSocketNotifier, Qt, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication

from operator_console.computers.live_preview import LiveSource
from operator_console.computers.targets import open_capture, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ConsoleError
from operator_console.domain.frames import Frame
from operator_console.ui.bridge import Bridge
from operator_console.ui.preview.preview import Preview

_SIZE = (960, 540)
_STALL_TICK_MS = 4


class Backend:
    """What the bridge asks of a backend for live frames, on the real source."""

    def __init__(self, display: str) -> None:
        self._own = OwnWindows()
        self._target = resolve("monitor:1", self._own, display)

    def subscribe_guard(self, _hear: Callable[[Any], None]) -> Callable[[], None]:
        return lambda: None

    def watch(
        self, _target: str, on_frame: Callable[[Frame], None], on_trouble: Callable[[ConsoleError], None]
    ) -> Callable[[], None]:
        source = LiveSource(lambda: open_capture(self._target, self._own))
        source.start(on_frame, on_trouble, on_frame)
        return source.stop


class Counted(Preview):
    """Counts what it paints."""

    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  Qt's own name
        super().paintEvent(event)
        self.painted += 1


class Counters:
    """What was used since the last command."""

    def __init__(self, stage: Counted) -> None:
        self._stage = stage
        self._timer = QTimer(stage)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_STALL_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._input = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, stage)
        self._input.activated.connect(self._command)
        self._begin()

    def _begin(self) -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        self._cpu_s = used.ru_utime + used.ru_stime
        self._began_s = self._ticked_s = time.monotonic()
        self._painted = self._stage.painted
        self._stalls_ms: list[float] = []

    def _tick(self) -> None:
        now_s = time.monotonic()
        self._stalls_ms.append(max(0.0, (now_s - self._ticked_s) * 1000 - _STALL_TICK_MS))
        self._ticked_s = now_s

    def _command(self) -> None:
        for word in os.read(sys.stdin.fileno(), 4096).decode().split() or ["end"]:
            if word == "end":
                QApplication.quit()
            elif word == "tell":
                self._tell()
            else:
                (self._timer.start if word == "watch" else self._timer.stop)()
                self._begin()

    def _tell(self) -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        told = {
            "cpu_s": used.ru_utime + used.ru_stime - self._cpu_s, "took_s": time.monotonic() - self._began_s,
            "frames": self._stage.painted - self._painted, "stalls_ms": self._stalls_ms,
        }  # fmt: skip
        print(json.dumps(told), flush=True)


def main() -> int:
    app = QApplication(sys.argv[:1])
    stage = Counted()
    stage.resize(*_SIZE)
    bridge = Bridge(Backend(sys.argv[1]))  # type: ignore[arg-type]  # live frames are all that is asked of it
    bridge.frame.connect(stage.show_frame)
    stage.show()
    counters = Counters(stage)
    bridge.watch("monitor:1")
    print("ready", flush=True)
    ended = app.exec()
    bridge.watch(None)
    del counters
    return ended


if __name__ == "__main__":
    raise SystemExit(main())
