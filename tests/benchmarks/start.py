"""How long until our window can be used, beside a bare PySide6 window; and light commands, beside `python -c pass`.

"Usable" is: mapped, with the focus, and its first picture drawn, as the X server has it; the task can be written then
(tests/display/app/test_first_moment.py types at that moment). When Start can be pressed is measured in the same runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.benchmarks.figures import Options, Row, Samples, in_turn, ratio_row
from tests.benchmarks.stage import Stage, stage
from tests.display.acceptance.harness import console_env
from tests.display.rig import Child, Desktop, wait_until

_COMMAND_BAR, _WINDOW_BAR, _START_BAR = 5.0, 1.2, 2.5
_COMMANDS = (("--help",), ("run", "--help"), ("status",), ("stop",))
_TITLE = "Operator console"
_START_FROM_BOTTOM, _START_X, _START_COLOUR = 64, 24, (0x24, 0x56, 0xC7)
_BARE = """
import sys
from PySide6.QtWidgets import QApplication, QPushButton
app = QApplication(sys.argv)
window = QPushButton("Start")
window.setWindowTitle("Operator console")
window.resize(1100, 700)
window.show()
app.exec()
"""


def measure(options: Options) -> list[Row]:
    """Commands without a display that answers, then windows."""
    return [*_commands(options), *_windows(options)]


def _commands(options: Options) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as home, stage() as here:
        env = console_env(here.desktop, OPERATOR_CONSOLE_HOME=home, DISPLAY=":7654321")

        def of(*words: str) -> Callable[[], object]:
            return lambda: subprocess.run([sys.executable, *words], capture_output=True, env=env)

        works = {"pass": of("-c", "pass")} | {" ".join(each): of("-m", "operator_console", *each) for each in _COMMANDS}
        took = in_turn(works, options.times(31, 5))
    beside = "python -c pass"
    return [
        ratio_row(f"`{name}`", samples, took["pass"], _COMMAND_BAR, beside=beside)
        for name, samples in took.items()
        if name != "pass"
    ]


def _windows(options: Options) -> list[Row]:
    bare: list[_Opened] = []
    ours: list[_Opened] = []
    with stage() as here:
        for turn in range(1 + options.times(11, 2)):
            for taken, words in ((bare, ("-c", _BARE)), (ours, ("-m", "operator_console"))):
                opened = _opened(here, words, to_start=taken is ours)
                if turn:
                    taken.append(opened)
    took_ms, bare_ms = (Samples.of([each.took_ms for each in taken]) for taken in (ours, bare))
    ours_cpu, bare_cpu = (Samples.of([each.cpu_ms for each in taken]).median for taken in (ours, bare))
    start_ms = Samples.of([each.ready_ms for each in ours])
    start_cpu = Samples.of([each.ready_cpu_ms for each in ours]).median
    return [
        ratio_row(
            "our window is there, focused and drawn", took_ms, bare_ms, _WINDOW_BAR, beside="a bare PySide6 window",
            digits=0,
            note="The task can be written then. Processor time of the thread that draws, up to then: ours "
            f"{ours_cpu:.0f} ms, the bare window {bare_cpu:.0f} ms, {ours_cpu / bare_cpu:.1f} times.",
        ),
        ratio_row(
            "Start can be pressed (in the same runs)", start_ms, bare_ms, _START_BAR, beside="a bare PySide6 window",
            digits=0,
            note=f"Processor time up to then: {start_cpu:.0f} ms, {start_cpu / bare_cpu:.1f} times the bare one.",
        ),
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """Wall-clock and processor time until a window could be used; `cpu_ms` of the thread that draws alone."""

    took_ms: float
    cpu_ms: float
    ready_ms: float = 0.0
    ready_cpu_ms: float = 0.0


def _opened(here: Stage, words: tuple[str, ...], *, to_start: bool = False) -> _Opened:
    """From the start of the process until its window has the focus and something is drawn in it; `to_start`: and
    until Start can be pressed."""
    desktop = here.desktop
    env = {**console_env(desktop), "QT_QPA_PLATFORM": "xcb"}
    began_s = time.perf_counter()
    child = Child([sys.executable, *words], env=env, log=here.folder / "log.txt", cwd=here.folder)
    try:
        window = desktop.wait_window(title=_TITLE, pid=child.pid, active=True, still=child.checked)
        wait_until(lambda: _drawn(desktop, window.xid), "its first picture", interval_s=0.005)
        opened = _Opened(took_ms=(time.perf_counter() - began_s) * 1000, cpu_ms=_drawing_ms(child.pid))
        if not to_start:
            return opened
        wait_until(lambda: _start_shines(desktop, window.xid), "Start", interval_s=0.01)
        return replace(opened, ready_ms=(time.perf_counter() - began_s) * 1000, ready_cpu_ms=_cpu_ms(child.pid))
    finally:
        child.stop()
        wait_until(lambda: not desktop.windows(), "its window to go")


def _start_shines(desktop: Desktop, xid: int) -> bool:
    picture = desktop.grab(xid)
    return picture.getpixel((_START_X, picture.height - _START_FROM_BOTTOM)) == _START_COLOUR


def _cpu_ms(pid: int) -> float:
    """Of all threads. Linux counts it in steps of 10 ms."""
    return _counted_ms(Path(f"/proc/{pid}/stat"))


def _drawing_ms(pid: int) -> float:
    """Of the first thread, without the imports that another one begins when the window is drawn."""
    return _counted_ms(Path(f"/proc/{pid}/task/{pid}/stat"))


def _counted_ms(path: Path) -> float:
    user, system = path.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * 1000 / os.sysconf("SC_CLK_TCK")


def _drawn(desktop: Desktop, xid: int) -> bool:
    low, high = zip(*desktop.grab(xid).getextrema(), strict=True)
    return low != high
