"""How long the agent goes on after the stop chord: `python -m tests.benchmarks.stop [runs]`.

Each run arms anew, scrolls or types at full speed over an xterm, presses the chord and asks a witness process, which
reads the server's own times, for the last press or motion, and how long it took until nothing was held. Three
situations: nothing else runs; two processes keep both cores busy; the console is frozen (SIGSTOP) before the press.
Prints median, p99 and maximum beside the bars.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from tests.display.rig import Desktop, Witness, later_by_ms, launch_xterm, start_xvfb, wait_until

_CONSOLE = Path(__file__).parents[1] / "display" / "guard" / "console_main.py"
_ROOT = Path(__file__).parents[2]
_BUSY = "while True: sum(range(10000))"


@contextmanager
def console(desktop: Desktop, what: str) -> Iterator[subprocess.Popen[str]]:
    env = {**desktop.env, "OPERATOR_CONSOLE_HOME": os.environ["OPERATOR_CONSOLE_HOME"], "PYTHONPATH": str(_ROOT)}
    command = [sys.executable, str(_CONSOLE), "hold", what]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            while not (line := process.stdout.readline()).startswith("armed"):
                assert line, "the console ended"
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.kill()


def one(desktop: Desktop, witness: Witness, what: str, *, frozen: bool) -> tuple[int, float]:
    """(ms from the chord to the last press or motion, ms until nothing was held)."""
    control = desktop.keycode("Control_L")
    with console(desktop, what) as process:
        witness.wait_count(len(witness.acts()) + 100)
        if frozen:
            process.send_signal(signal.SIGSTOP)
        before = len(witness.events())
        desktop.xdo("keydown", "ctrl", "keydown", "alt", "keydown", "x")
        pressed_s = time.monotonic()
        wait_until(lambda: latch.read_file(desktop.name).state is LatchState.STOPPED, "the latch", interval_s=0.001)
        ours = {desktop.keycode(name) for name in ("Control_L", "Alt_L", "x")}
        wait_until(
            lambda: not (set(desktop.keys_down()) - ours) and not desktop.buttons_down(), "release", interval_s=0.001
        )
        released_ms = (time.monotonic() - pressed_s) * 1000
        desktop.xdo("keyup", "x", "keyup", "alt", "keyup", "ctrl")
        events = witness.wait_quiet()[before:]
    started = next(i for i, e in enumerate(events) if e.kind == "key_down" and e.detail == control)
    chord = next(e for e in events[started:] if e.kind == "key_down" and e.detail == desktop.keycode("x"))
    late = max(later_by_ms(e.time_ms, chord.time_ms) for e in events if e.acts)
    latch.reset(desktop.name)
    return late, released_ms


def situation(desktop: Desktop, name: str, runs: int, *, busy: bool, frozen: bool) -> None:
    with ExitStack() as stack, Witness(desktop) as witness:
        for _ in range(2 if busy else 0):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", _BUSY]))
            stack.callback(process.kill)
        results = [one(desktop, witness, ("scroll", "type")[run % 2], frozen=frozen) for run in range(runs)]
    for what, index, bar in (("last press or motion", 0, "p99 <= 100, max <= 250"), ("all released", 1, "<= 150")):
        values = sorted(r[index] for r in results)
        p99 = values[min(len(values) - 1, round(0.99 * len(values)))]
        print(
            f"{name:22} {what:22} n={len(values)} median {statistics.median(values):6.1f} ms"
            f"  p99 {p99:6.1f}  max {values[-1]:6.1f}   (bar: {bar})"
        )


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        os.environ["OPERATOR_CONSOLE_HOME"] = f"{folder}/home"
        server = start_xvfb(Path(folder))
        stack.callback(server.stop)
        desktop = Desktop.start(server, Path(folder))
        stack.callback(desktop.close)
        launch_xterm(desktop, "sh", "-c", "stty raw -echo -ixon; exec cat > /dev/null")
        situation(desktop, "nothing else runs", runs, busy=False, frozen=False)
        situation(desktop, "both cores busy", runs, busy=True, frozen=False)
        situation(desktop, "console frozen", runs, busy=False, frozen=True)


if __name__ == "__main__":
    main()
