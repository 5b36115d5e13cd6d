"""Waiting without blocking the event loop of the session, which must answer the lease."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from tests.display.rig import RigError

T = TypeVar("T")


async def until(probe: Callable[[], T], what: str | Callable[[], str], *, timeout_s: float = 30.0) -> T:
    """Calls `probe` until it returns something true, and returns that; RigError after the deadline.

    `what` may be asked only then, so that it can tell how far things came.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            told = what if isinstance(what, str) else what()
            raise RigError(f"waited {timeout_s:.0f} s for {told}; last seen: {value!r}")
        await asyncio.sleep(0.01)
