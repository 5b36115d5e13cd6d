"""The live preview of a 1080p monitor: frames, the processor's share for each, and how long the window stands still.

The real bridge and stage in a process of their own on a small display; what they watch is another display, on which a
third process paints an 800 x 600 window at a given rate. The picture is shown at half size. What the X servers spend is
not counted. Stalls are taken in a run of their own, because taking them costs processor time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks import changing_window, preview_window
from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.stage import furnish, stage
from tests.display.rig import Desktop, start_xvfb

_SHARE_BAR, _STILL_BAR, _STALL_BAR_MS = 0.3, 1.0, 16.0
_RATES = (15, 30, 60)
_WARM_S = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the preview's process counted."""

    cpu_s: float
    took_s: float
    frames: int
    stalls_ms: list[float]


class Preview:
    """The preview's process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.line()

    def line(self) -> str:
        """Its next line."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the preview ended"
        return line

    def say(self, word: str) -> None:
        """A command."""
        assert self._process.stdin is not None
        self._process.stdin.write(word + "\n")
        self._process.stdin.flush()

    def counted(self, how: str, seconds: float) -> Told:
        """What it used in this time."""
        self.say(how)
        time.sleep(seconds)  # the time that is measured
        self.say("tell")
        return Told(**json.loads(self.line()))


def measure(options: Options) -> list[Row]:
    """Still, and at each rate."""
    seconds = 10.0 if not options.quick else 2.0
    with stage((1920, 1080)) as here, ExitStack() as stack:
        furnish(here.desktop)
        small = start_xvfb(here.scratch("small"), size=(1024, 640))
        stack.callback(small.stop)
        command = [sys.executable, str(Path(preview_window.__file__)), here.desktop.name]
        env = {**small.env, "PYTHONPATH": str(Path(__file__).parents[2]), "QT_QPA_PLATFORM": "xcb"}
        preview = Preview(stack.enter_context(_running(command, env)))
        time.sleep(_WARM_S)
        still = preview.counted("rest", seconds)
        rows = [_still(still)]
        for rate in _RATES:
            with _painted(here.desktop, rate):
                time.sleep(_WARM_S)
                rows += _changing(rate, preview.counted("rest", seconds), preview.counted("watch", seconds))
        return rows


@contextmanager
def _running(command: list[str], env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def _painted(desktop: Desktop, rate: int) -> Iterator[None]:
    command = [sys.executable, str(Path(changing_window.__file__)), str(rate)]
    with _running(command, desktop.env) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield


def _still(told: Told) -> Row:
    share = told.cpu_s / told.took_s * 100
    return Row(
        what="preview of a 1080p monitor that stands still", n=round(told.took_s),
        seen=f"{share:.2f} % of a core", bar=f"<= {_STILL_BAR:g} %", met=share <= _STILL_BAR,
    )  # fmt: skip


def _changing(rate: int, told: Told, watched: Told) -> list[Row]:
    per_s = told.frames / told.took_s
    share = told.cpu_s / told.took_s * 100 / max(per_s, 0.1)
    stalls = Samples.of(watched.stalls_ms)
    what = f"preview of a 1080p monitor painted {rate} times a second"
    return [
        Row(
            what=what, n=told.frames, seen=f"{per_s:.0f} frames/s, {share:.3f} % of a core for each",
            bar=f"<= {_SHARE_BAR:g} %", met=share <= _SHARE_BAR,
        ),
        Row(
            what=f"{what}: stalls of the window", n=stalls.n, seen=stalls.said(tail=True),
            bar=f"p99 <= {_STALL_BAR_MS:.0f} ms", met=stalls.at(0.99) <= _STALL_BAR_MS,
        ),
    ]  # fmt: skip
