"""The console with a stopwatch: `python -m tests.benchmarks.traced_console TRACE ARGS` runs `operator_console ARGS`.

Each call of the functions below is written to the file TRACE at the end, one JSON array a line: its name, begin and end
in seconds of CLOCK_MONOTONIC. The product is not changed, so what is measured is what users run.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_CALLS = (
    "browser.devtools:Connection.send_raw",
    "browser.screenshots:decoded",
    "computers.browser.computer:BrowserComputer._shoot",
    "computers.browser.computer:BrowserComputer.changed",
    "computers.browser.computer:BrowserComputer.glimpse",
    "computers.browser.computer:BrowserComputer.observe",
    "computers.browser.computer:BrowserComputer.picture",
    "computers.browser.computer:BrowserComputer.settle",
    "computers.browser.computer:take_shot",
    "computers.desktop_computer:DesktopComputer.after_input",
    "computers.desktop_computer:DesktopComputer.changed",
    "computers.desktop_computer:DesktopComputer.glimpse",
    "computers.desktop_computer:DesktopComputer.observe",
    "computers.desktop_computer:DesktopComputer.picture",
    "computers.desktop_computer:DesktopComputer.prepare_input",
    "computers.desktop_computer:DesktopComputer.receiver",
    "computers.desktop_computer:DesktopComputer.settle",
    "computers.frame_building:fingerprint",
    "computers.model_image:_png_256",
    "computers.model_image:_scaled",
    "computers.model_image:png",
    "computers.monitor.capture:MonitorCapture.grab",
    "computers.monitor.capture:MonitorCapture.quick_grab",
    "computers.stillness:changed_places",
    "computers.stillness:Stillness._begin",
    "computers.stillness:Stillness._look",
    "computers.target_capture:TargetCapture._surroundings",
    "computers.target_capture:TargetCapture._unreadable",
    "computers.vnc.computer:VncComputer._shoot",
    "computers.vnc.computer:VncComputer.changed",
    "computers.vnc.computer:VncComputer.glimpse",
    "computers.vnc.computer:VncComputer.observe",
    "computers.vnc.computer:VncComputer.picture",
    "computers.vnc.computer:VncComputer.settle",
    "engine.control_finder:ControlFinder._drawn",
    "engine.control_finder:ControlFinder._elements_at",
    "engine.control_finder:ControlFinder.at",
    "engine.control_finder:ControlFinder.begin",
    "engine.recorder:Recorder.durable",
    "engine.screen_text:TargetReader.near",
    "engine.turn.act:Actor.act",
    "engine.turn.grant:Granter._require_same_control",
    "engine.turn.grant:Granter._require_same_window",
    "engine.turn.loop:Loop._propose",
    "engine.turn.observe:Observer._record",
    "engine.turn.observe:Observer.observe",
    "engine.turn.settle:Settler.after",
    "engine.turn.step:Step._glance",
    "engine.turn.step:Step._rule",
    "engine.turn.step:Step._send",
    "engine.turn.step:assessed",
    "providers.gemini.client:GeminiClient.generate",
    "providers.gemini.provider:GeminiProvider.propose",
    "providers.gemini.provider:read_answer",
)  # fmt: skip

_trace: list[tuple[str, float, float]] = []


def _timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def waiting(*args: Any, **kwargs: Any) -> Any:
            began_s = time.monotonic()
            try:
                return await function(*args, **kwargs)
            finally:
                _trace.append((name, began_s, time.monotonic()))

        return waiting

    @functools.wraps(function)
    def calling(*args: Any, **kwargs: Any) -> Any:
        began_s = time.monotonic()
        try:
            return function(*args, **kwargs)
        finally:
            _trace.append((name, began_s, time.monotonic()))

    return calling


def _wrap(place: str) -> None:
    module, _, path = place.partition(":")
    *owners, name = path.split(".")
    owner: Any = importlib.import_module(f"operator_console.{module}")
    for each in owners:
        owner = getattr(owner, each)
    setattr(owner, name, _timed(path, getattr(owner, name)))


def _write(to: Path) -> None:
    to.write_text("".join(json.dumps(call) + "\n" for call in _trace), encoding="utf-8")


def main() -> int:
    """The exit code of the console."""
    to, sys.argv = Path(sys.argv[1]), ["operator-console", *sys.argv[2:]]
    for place in _CALLS:
        _wrap(place)
    code: object = 0
    try:
        from operator_console.cli import main as console

        with suppress(SystemExit):
            code = console()
    finally:
        _write(to)
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    raise SystemExit(main())
