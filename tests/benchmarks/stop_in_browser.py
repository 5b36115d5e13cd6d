"""How long the agent goes on in a page after a stop, and until the page holds nothing; by the page's own clock.

Each run arms anew, holds Shift and the left button (or drags), types, drags, drags and drops or scrolls at full speed,
and is stopped by the chord, or its injector is killed. Without a window and in one.
"""

from __future__ import annotations

import asyncio
import itertools

from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.stage import stage
from tests.browser_rig import browser_on
from tests.display.browser.stopping import ACTS, PAGE, NotUnderWay, Seen, StoppingRig, by_killing_the_injector

_P99_BAR_MS, _MOST_BAR_MS, _RELEASE_BAR_MS = 100, 250, 150
_THOROUGH, _QUICK = 100, 8


def measure(options: Options) -> list[Row]:
    """For each kind of window, all acts in turn, stopped by the chord; a quarter as many deaths."""
    runs = options.runs or options.times(_THOROUGH, _QUICK)
    rows = []
    with stage() as here:
        for headless in (True, False):
            with browser_on({"": PAGE}, headless=headless, display=here.desktop.name) as rig:
                stopping = StoppingRig(here.desktop, rig)
                try:
                    chord, killed = asyncio.run(_all(stopping, runs))
                finally:
                    stopping.close()
            where = "headless browser" if headless else "browser's window"
            rows += _rows(f"chord, {where}", chord) + _rows(f"injector killed, {where}", killed)
    return rows


async def _all(stopping: StoppingRig, runs: int) -> tuple[list[Seen], list[Seen]]:
    acts = itertools.cycle(ACTS)
    chord = [await _one(stopping, next(acts), kill=False) for _ in range(runs)]
    return chord, [await _one(stopping, next(acts), kill=True) for _ in range(-(-runs // 4))]


async def _one(stopping: StoppingRig, what: str, *, kill: bool) -> Seen:
    while True:
        try:
            async with stopping.acting(what) as acting:
                seen = await stopping.stop(acting, by_killing_the_injector if kill else stopping.by_chord)
        except NotUnderWay:
            continue
        assert not {"click", "drop"} & set(seen.kinds), seen
        return seen


def _rows(what: str, seen: list[Seen]) -> list[Row]:
    late = Samples.of([each.late_ms for each in seen])
    released = Samples.of([each.released_ms for each in seen])
    within = sum(value <= _RELEASE_BAR_MS for value in released.values)
    return [
        Row(
            what=f"{what}: to the last press, motion or text", n=late.n, seen=late.said(digits=0, tail=True),
            bar=f"p99 <= {_P99_BAR_MS} ms, max <= {_MOST_BAR_MS} ms",
            met=late.at(0.99) <= _P99_BAR_MS and late.max <= _MOST_BAR_MS,
        ),
        Row(
            what=f"{what}: to the last release in the page", n=released.n,
            seen=f"{released.said(digits=0, tail=True)}; {within} of {released.n} within {_RELEASE_BAR_MS} ms",
            bar=f"<= {_RELEASE_BAR_MS} ms, all", met=within == released.n,
        ),
    ]  # fmt: skip
