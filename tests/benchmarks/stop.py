"""How long the agent goes on after the stop chord, and until all it held is released.

Each run arms anew, holds Shift and the left button, scrolls or types at full speed (letters that are lent a key, too)
and presses the chord. Situations: nothing else runs; both cores busy; the console frozen (SIGSTOP); its interpreter's
lock held by one C call; lock held and both cores busy. A run counts only when latch, keys, buttons and the keyboard's
mapping are as they must be.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.stage import stage, terminal_into
from tests.benchmarks.stop_rig import Bench, Lines, Seen, bench, both_cores_busy, console

_P99_BAR_MS, _MOST_BAR_MS, _RELEASE_BAR_MS = 100, 250, 150
_LOCKED_MS = 400
_PAUSE_MS = 200
_THOROUGH, _QUICK = 100, 10

Handicap = Callable[[Lines], "nullcontext[None]"]


@contextmanager
def _frozen(victim: Lines) -> Iterator[None]:
    victim.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        victim.process.send_signal(signal.SIGCONT)


@contextmanager
def _locked(victim: Lines) -> Iterator[None]:
    victim.say(f"lock {_LOCKED_MS}")
    victim.until("locked")
    yield
    victim.until("free")


@contextmanager
def _nothing(_victim: Lines) -> Iterator[None]:
    yield


_SITUATIONS = (
    ("nothing else runs", _nothing, False),
    ("both cores busy", _nothing, True),
    ("console frozen", _frozen, False),
    ("interpreter's lock held", _locked, False),
    ("lock held, both cores busy", _locked, True),
)


def measure(options: Options) -> list[Row]:
    """All situations, an equal share of the runs each."""
    runs = options.runs or options.times(_THOROUGH, _QUICK)
    share = -(-runs // len(_SITUATIONS))
    rows: list[Row] = []
    everything: list[Seen] = []
    with stage() as here:
        terminal_into(here.desktop, here.folder / "typed.txt")
        with bench(here.desktop) as found, console(here.desktop) as victim:
            for name, handicap, busy in _SITUATIONS:
                with both_cores_busy() if busy else nullcontext():
                    seen = [_one(found, victim, ("scroll", "type")[run % 2], handicap) for run in range(share)]
                everything += seen
                rows.append(_late(f"stop chord to last press or motion, {name}", seen))
    return [*rows, _late("stop chord to last press or motion, all of these", everything), _released(everything)]


def _one(found: Bench, victim: Lines, what: str, handicap: Callable[[Lines], object]) -> Seen:
    found.under_way(victim, what)
    with handicap(victim):  # type: ignore[attr-defined]
        found.press()
        seen = found.seen()
        found.let_go()
    assert seen.late_ms > -_PAUSE_MS, "the agent was not acting when the chord came"
    return seen


def _late(what: str, seen: list[Seen]) -> Row:
    late = Samples.of([max(0, each.late_ms) for each in seen])
    return Row(
        what=what, n=late.n, seen=late.said(digits=0, tail=True),
        bar=f"p99 <= {_P99_BAR_MS} ms, max <= {_MOST_BAR_MS} ms",
        met=late.at(0.99) <= _P99_BAR_MS and late.max <= _MOST_BAR_MS,
    )  # fmt: skip


def _released(seen: list[Seen]) -> Row:
    released = Samples.of([max(0, each.released_ms) for each in seen])
    within = sum(value <= _RELEASE_BAR_MS for value in released.values)
    return Row(
        what="everything held released after the stop chord, all of these", n=released.n,
        seen=f"{released.said(digits=0, tail=True)}; {within} of {released.n} within {_RELEASE_BAR_MS} ms",
        bar=f"<= {_RELEASE_BAR_MS} ms, all", met=within == released.n,
    )  # fmt: skip
