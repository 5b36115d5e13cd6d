"""Forty steps: the memory that a session uses does not grow with their number."""

from __future__ import annotations

import gc
import itertools
import tracemalloc

from operator_console.domain.actions import TypeText
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.proposals import Observation, Proposal
from operator_console.domain.session_request import SessionRequest
from tests.engine.rig import Words, click, does, rig, said

STEPS, EACH = 40, 10
# One frame of 77 kB kept each step would be 2.3 MB over the steps compared.
GROWTH_BYTES = 600_000


async def test_memory_and_what_the_model_is_given_level_off() -> None:
    sizes: list[int] = []
    kept: list[tuple[int, int]] = []
    numbers = itertools.count(1)

    def turn(observation: Observation) -> Proposal:
        number = next(numbers)
        kept.append((len(observation.results), len(observation.messages)))
        r.model.seen.clear()
        r.injector.grants.clear()
        r.computer.prepared.clear()
        r.watcher.records.clear()
        r.watcher.states.clear()
        r.computer.paint(Rect(number % 150, 0, 10, 120), (number % 256, 0, 0))
        if number % EACH == 0:
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
        return does(click(), TypeText(text=f"number {number}")) if number < STEPS else said("ok")

    r = rig(
        *[turn] * STEPS, request=SessionRequest(task="x", max_steps=500), reader=Words(("Open", Rect(0, 0, 9, 9))),
        size=Size(160, 120),
    )  # fmt: skip
    r.journal.keep = False
    gc.collect()
    gc.freeze()  # what the tests before have left need not be looked through each time
    tracemalloc.start()
    try:
        ended = await r.run()
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    assert ended.steps == STEPS
    assert set(kept[1:]) == {(2, 0)}
    assert len(sizes) == STEPS // EACH
    assert sizes[-1] - sizes[0] < GROWTH_BYTES, sizes
