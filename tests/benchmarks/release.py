"""How long what the agent holds stays held when the injector or the console is killed, or the console falls silent.

A silent console is stopped after 2 s without an answer to its lease; its last answer may be as old as one question's
interval when it is frozen, so its figures count from 2 s after the freeze.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from operator_console.guard import latch
from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.stage import stage, terminal_into
from tests.benchmarks.stop_rig import Bench, Lines, bench, console
from tests.display.guard.acting import injector_pid
from tests.display.rig import Desktop, now_ms

_BAR_MS = 150
_LAPSE_MS = 2000
_SHARES = {"injector": 0.6, "console": 0.3, "lapse": 0.1}
_THOROUGH, _QUICK = 40, 10


def measure(options: Options) -> list[Row]:
    """Each cause its share: a lapse takes two seconds a run."""
    runs = (options.runs // 5 if options.runs else 0) or options.times(_THOROUGH, _QUICK)
    counts = {name: max(2, round(runs * share)) for name, share in _SHARES.items()}
    with stage() as here:
        terminal_into(here.desktop, here.folder / "typed.txt")
        with bench(here.desktop) as found:
            with console(here.desktop) as victim:
                killed = [_injector_killed(found, victim, run) for run in range(counts["injector"])]
                lapsed = [_lapsed(found, victim, run) for run in range(counts["lapse"])]
            died = [_console_killed(found, run) for run in range(counts["console"])]
    return [
        _row("SIGKILL of the injector", killed),
        _row("SIGKILL of the console", died),
        _row("a console that falls silent (from 2 s on)", lapsed),
    ]


def _what(run: int) -> str:
    return ("scroll", "type")[run % 2]


def _injector_killed(found: Bench, victim: Lines, run: int) -> int:
    found.under_way(victim, _what(run))
    began_ms = now_ms()
    os.kill(injector_pid(found.desktop), signal.SIGKILL)
    released_ms = found.seen(began_ms, latched=False).released_ms  # another injector takes its place, after a pause
    found.press()
    victim.until("stop")
    found.let_go()
    return released_ms


def _lapsed(found: Bench, victim: Lines, run: int) -> int:
    found.under_way(victim, _what(run))
    began_ms = now_ms()
    victim.process.send_signal(signal.SIGSTOP)
    try:
        released_ms = found.seen(began_ms).released_ms - _LAPSE_MS
    finally:
        victim.process.send_signal(signal.SIGCONT)
    victim.until("stop")
    return released_ms


def _console_killed(found: Bench, run: int) -> int:
    with _fresh(found.desktop) as victim:
        found.under_way(victim, _what(run))
        began_ms = now_ms()
        victim.process.kill()
        return found.seen(began_ms).released_ms


@contextmanager
def _fresh(desktop: Desktop) -> Iterator[Lines]:
    latch.reset(desktop.name)
    with console(desktop) as victim:
        yield victim


def _row(cause: str, released_ms: list[int]) -> Row:
    released = Samples.of([max(0, value) for value in released_ms])
    within = sum(value <= _BAR_MS for value in released.values)
    return Row(
        what=f"everything held released after {cause}", n=released.n,
        seen=f"{released.said(digits=0, tail=True)}; {within} of {released.n} within {_BAR_MS} ms",
        bar=f"<= {_BAR_MS} ms, all", met=within == released.n,
    )  # fmt: skip
