"""How long until our window can be used, beside a bare PySide6 window; and light commands, beside `python -c pass`.

"Usable" is: mapped, with the focus, and its first picture drawn, as the X server has it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.figures import Options, Row, Samples, in_turn, ratio_row
from tests.benchmarks.stage import Stage, stage
from tests.display.acceptance.harness import console_env
from tests.display.rig import Child, Desktop, wait_until

_COMMAND_BAR, _WINDOW_BAR = 5.0, 1.5
_COMMANDS = (("--help",), ("run", "--help"), ("status",), ("stop",))
_ROOMS = "operator_console.app.desktop, operator_console.app.backend, operator_console.ui.console"
_TITLE = "Operator console"
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
                opened = _opened(here, words)
                if turn:
                    taken.append(opened)
    took_ms, bare_ms = (Samples.of([each.took_ms for each in taken]) for taken in (ours, bare))
    ours_cpu, bare_cpu = (Samples.of([each.cpu_ms for each in taken]).median for taken in (ours, bare))
    imports = Samples.of([_imports_ms(_ROOMS) for _ in range(5)]).median
    return [
        ratio_row(
            "our window is there, focused and drawn", took_ms, bare_ms, _WINDOW_BAR, beside="a bare PySide6 window",
            digits=0,
            note=f"Processor time up to then: ours {ours_cpu:.0f} ms, the bare window {bare_cpu:.0f} ms. Importing "
            f"alone takes {imports:.0f} ms of ours: PySide6, the rooms' modules, NumPy, Pillow and pydantic; the "
            "guard's process starts meanwhile. Nothing is shown before it can be used.",
        )
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """Wall-clock and processor time until a window could be used."""

    took_ms: float
    cpu_ms: float


def _imports_ms(modules: str) -> float:
    """Processor time of a process that imports these and nothing else."""
    code = f"import time, {modules}; print(time.process_time())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout) * 1000


def _opened(here: Stage, words: tuple[str, ...]) -> _Opened:
    """From the start of the process until its window has the focus and something is drawn in it."""
    desktop = here.desktop
    env = {**console_env(desktop), "QT_QPA_PLATFORM": "xcb"}
    began_s = time.perf_counter()
    child = Child([sys.executable, *words], env=env, log=here.folder / "log.txt", cwd=here.folder)
    try:
        window = desktop.wait_window(title=_TITLE, pid=child.pid, active=True, still=child.checked)
        wait_until(lambda: _drawn(desktop, window.xid), "its first picture", interval_s=0.005)
        return _Opened(took_ms=(time.perf_counter() - began_s) * 1000, cpu_ms=_cpu_ms(child.pid))
    finally:
        child.stop()
        wait_until(lambda: not desktop.windows(), "its window to go")


def _cpu_ms(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * 1000 / os.sysconf("SC_CLK_TCK")


def _drawn(desktop: Desktop, xid: int) -> bool:
    low, high = zip(*desktop.grab(xid).getextrema(), strict=True)
    return low != high
