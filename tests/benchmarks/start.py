"""How long until our window can be used, beside a bare PySide6 window; and light commands, beside `python -c pass`.

The window is there when it is mapped, has the focus, and its first picture is painted, as the X server has it; what is
typed from then on is the task (tests/display/app/test_first_moment.py). When Start can be pressed is measured in the
same runs: for the set-up of the last session, which the window remembers, and at a start for which it remembers none.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from operator_console.desktop.platform import new_windows, start_virtual_desktop
from operator_console.domain.geometry import Size
from operator_console.settings.file_locations import find_paths
from operator_console.settings.remembered_window import RememberedWindow, write_remembered
from operator_console.tools.launching import start_programs
from tests.benchmarks.figures import Options, Row, Samples, in_turn, ratio_row
from tests.benchmarks.stage import Stage, stage
from tests.display.acceptance.harness import console_env
from tests.display.rig import Child, Desktop, WindowInfo, wait_until

_COMMAND_BAR, _WINDOW_BAR, _START_BAR, _DESKTOP_BAR_MS = 5.0, 1.2, 2.5, 3000.0
_COMMANDS = (("--help",), ("run", "--help"), ("status",), ("stop",))
_TITLE = "Operator console"
_START_FROM_BOTTOM, _START_X, _START_COLOUR = 64, 24, (0x24, 0x56, 0xC7)
_OURS = ("-m", "operator_console")
_LAST_SETUP: dict[str, str | int] = {
    "target": "monitor:1", "target_title": "Monitor 1 · 1280 × 800", "model_title": "gemini-3.8-flash",
    "autonomy": "guarded", "max_steps": 100, "max_minutes": 30,
}  # fmt: skip
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
    """Commands without a display that answers, then windows, then the isolated desktop."""
    return [*_commands(options), *_windows(options), *_isolated_desktop(options)]


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
    known: list[_Opened] = []
    new: list[_Opened] = []
    with stage() as here:
        for turn in range(1 + options.times(11, 2)):
            for taken, words in ((bare, ("-c", _BARE)), (known, _OURS), (new, _OURS)):
                setup: dict[str, str | int] = _LAST_SETUP if taken is known else {}
                write_remembered(find_paths().remembered, RememberedWindow(setup=setup))
                opened = _opened(here, words, to_start=taken is not bare)
                if turn:
                    taken.append(opened)
    ours = (*known, *new)
    bare_ms, first_ms = (Samples.of([each.took_ms for each in taken]) for taken in (bare, ours))
    bare_cpu, first_cpu = (Samples.of([each.cpu_ms for each in taken]).median for taken in (bare, ours))
    known_ms, new_ms = (Samples.of([each.ready_ms for each in taken]) for taken in (known, new))
    return [
        ratio_row(
            "our window is there, focused and painted", first_ms, bare_ms, _WINDOW_BAR, beside="a bare PySide6 window",
            digits=0,
            note="What is typed from then on is the task. Processor time of the thread that paints, up to then: ours "
            f"{first_cpu:.0f} ms, the bare window {bare_cpu:.0f} ms.",
        ),
        ratio_row(
            "Start can be pressed for the set-up of the last session (in the same runs)", known_ms, bare_ms, _START_BAR,
            beside="a bare PySide6 window", digits=0,
            note="The session begins once the targets and models are listed and the stop is tested.",
        ),
        ratio_row(
            "Start can be pressed where no last session is known (in the same runs)", new_ms, bare_ms, None,
            beside="a bare PySide6 window", digits=0,
        ),
    ]  # fmt: skip


def _isolated_desktop(options: Options) -> list[Row]:
    """Until a session could begin on it: empty, and with an editor that has its window."""

    async def opened(programs: tuple[str, ...]) -> float:
        began_s = time.perf_counter()
        desktop = await start_virtual_desktop(Size(1440, 900))
        try:
            await asyncio.to_thread(start_programs, programs, desktop.programs, new_windows)
            return (time.perf_counter() - began_s) * 1000
        finally:
            await desktop.close()

    rows: list[Row] = []
    for what, programs in (("empty", ()), ("with mousepad and its window", ("mousepad",))):
        took = Samples.of([asyncio.run(opened(programs)) for _ in range(options.times(11, 2))])
        rows.append(
            Row(
                what=f"the isolated desktop is ready, {what}", n=took.n, seen=took.said(digits=0),
                bar=f"<= {_DESKTOP_BAR_MS:.0f} ms", met=took.median <= _DESKTOP_BAR_MS,
            )
        )  # fmt: skip
    return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """Times until a window was painted and until Start could be pressed; `cpu_ms`: of the thread that paints."""

    took_ms: float
    cpu_ms: float
    ready_ms: float = 0.0


def _opened(here: Stage, words: tuple[str, ...], *, to_start: bool = False) -> _Opened:
    """From the start of the process until its window has the focus and is painted; `to_start`: and
    until Start can be pressed."""
    desktop = here.desktop
    env = {**console_env(desktop), "QT_QPA_PLATFORM": "xcb"}
    began_s = time.perf_counter()
    child = Child([sys.executable, *words], env=env, log=here.folder / "log.txt", cwd=here.folder)
    try:
        window = desktop.wait_window(title=_TITLE, pid=child.pid, active=True, still=child.checked)
        wait_until(lambda: _painted(desktop, window), "its first picture", interval_s=0.002)
        opened = _Opened(took_ms=(time.perf_counter() - began_s) * 1000, cpu_ms=_drawing_ms(child.pid))
        if not to_start:
            return opened
        wait_until(lambda: _start_shines(desktop, window), "Start", interval_s=0.005)
        return replace(opened, ready_ms=(time.perf_counter() - began_s) * 1000)
    finally:
        child.stop()
        wait_until(lambda: not desktop.windows(), "its window to go")


def _start_shines(desktop: Desktop, window: WindowInfo) -> bool:
    return desktop.pixel(window.xid, _START_X, window.height - _START_FROM_BOTTOM) == _START_COLOUR


def _drawing_ms(pid: int) -> float:
    """Of the first thread, without the imports that another one begins later. Linux counts it in steps of 10 ms."""
    return _counted_ms(Path(f"/proc/{pid}/task/{pid}/stat"))


def _counted_ms(path: Path) -> float:
    user, system = path.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * 1000 / os.sysconf("SC_CLK_TCK")


def _painted(desktop: Desktop, window: WindowInfo) -> bool:
    """Whether something was painted over the black of the screen behind it."""
    return desktop.pixel(window.xid, _START_X, window.height // 2) != (0, 0, 0)
