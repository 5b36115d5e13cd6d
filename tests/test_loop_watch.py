"""The watch on the loop finds what holds it, says where, and takes a busy machine for no fault."""

from __future__ import annotations

import asyncio
import hashlib
import time
import traceback
from collections.abc import Callable

from tests.loop_watch import LIMIT_S, LoopWatch, Stall


def computes(seconds: float = 3 * LIMIT_S) -> None:
    """Hold the loop. What is computed counts on a busy machine too, unlike what is slept."""
    began_s = time.thread_time()
    while time.thread_time() - began_s < seconds:
        hashlib.sha256(b"x" * 1000).digest()


async def watched(work: Callable[[], None]) -> LoopWatch:
    """Watch a callback that does `work`, after some beats and before some."""
    watch = LoopWatch()
    watch.start()
    try:
        await asyncio.to_thread(watch.wait_for_beats, 3)
        asyncio.get_running_loop().call_soon(work)
        await asyncio.to_thread(watch.wait_for_beats, 3)
    finally:
        watch.stop()
    return watch


async def test_a_callback_that_holds_the_loop_is_found_and_named() -> None:
    watch = await watched(computes)
    assert len(watch.stalls) == 1
    assert watch.stalls[0].held_s > LIMIT_S
    assert "computes" in str(watch.stalls[0])


async def test_what_held_it_longest_is_named() -> None:
    def longest() -> None:
        computes()

    def goes_on() -> None:
        longest()
        computes(LIMIT_S / 2)

    watch = await watched(goes_on)
    assert len(watch.stalls) == 1
    assert "longest" in [frame.name for frame in watch.stalls[0].stack]


async def test_a_quick_callback_is_none() -> None:
    watch = await watched(lambda: None)
    assert watch.stalls == []


def stack_of(*files: str) -> tuple[traceback.FrameSummary, ...]:
    return tuple(traceback.FrameSummary(file, 1, "f" if "events" not in file else "_run") for file in files)


def test_only_what_the_product_does_counts() -> None:
    loop = "/usr/lib/python3/asyncio/events.py"
    product, test = "/repo/operator_console/engine/loop.py", __file__
    assert Stall(held_s=1, stack=stack_of(test, loop, product)).ours
    assert not Stall(held_s=1, stack=stack_of(test, loop, test, product)).ours
    assert not Stall(held_s=1, stack=stack_of(product, loop)).ours
