"""A console without a display that can be killed: arms for a browser at an address, types for ever, and reports."""

from __future__ import annotations

import asyncio
import secrets
import sys
import time

from operator_console.domain.actions import TypeText
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.frames import BrowserTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.guard.client import open_guard
from operator_console.injector.client import InjectorClient


async def main() -> None:
    injector = InjectorClient()
    guard = await open_guard(NO_DISPLAY, injector)
    target = BrowserTarget(spec="browser", title="Browser", address=sys.argv[1])
    await guard.arm(session="victim", target=target)
    size = Size(100, 100)
    grant = Grant(
        grant_id=secrets.token_hex(16), step=1, call=0, action=TypeText(text="for ever " * 100_000), target=target,
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size), epoch=guard.epoch,
        expires_s=time.monotonic() + 60,
    )  # fmt: skip
    await injector.perform(grant.sealed(guard.grant_key))
    await asyncio.Event().wait()


asyncio.run(main())
