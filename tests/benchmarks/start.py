"""How long until our window can be used, beside a bare PySide6 window; and light commands, beside `python -c pass`.

"Usable" is: mapped, with the focus, and its first picture drawn, as the X server has it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from tests.benchmarks.figures import Options, Row, Samples, in_turn, ratio_row
from tests.benchmarks.stage import Stage, stage
from tests.display.acceptance.harness import console_env
from tests.display.rig import Child, Desktop, wait_until

_COMMAND_BAR, _WINDOW_BAR = 5.0, 1.5
_COMMANDS = (("--help",), ("run", "--help"), ("status",), ("stop",))
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
    bare: list[float] = []
    ours: list[float] = []
    with stage() as here:
        for turn in range(1 + options.times(11, 2)):
            for taken, words in ((bare, ("-c", _BARE)), (ours, ("-m", "operator_console"))):
                took = _opened_ms(here, words)
                if turn:
                    taken.append(took)
    return [
        ratio_row(
            "our window is there, focused and drawn", Samples.of(ours), Samples.of(bare), _WINDOW_BAR,
            beside="a bare PySide6 window", digits=0,
        )
    ]  # fmt: skip


def _opened_ms(here: Stage, words: tuple[str, ...]) -> float:
    """From the start of the process until its window has the focus and something is drawn in it."""
    desktop = here.desktop
    env = {**console_env(desktop), "QT_QPA_PLATFORM": "xcb"}
    began_s = time.perf_counter()
    child = Child([sys.executable, *words], env=env, log=here.folder / "log.txt", cwd=here.folder)
    try:
        window = desktop.wait_window(title=_TITLE, pid=child.pid, active=True, still=child.checked)
        wait_until(lambda: _drawn(desktop, window.xid), "its first picture", interval_s=0.005)
        return (time.perf_counter() - began_s) * 1000
    finally:
        child.stop()
        wait_until(lambda: not desktop.windows(), "its window to go")


def _drawn(desktop: Desktop, xid: int) -> bool:
    low, high = zip(*desktop.grab(xid).getextrema(), strict=True)
    return low != high
