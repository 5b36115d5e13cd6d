"""A console that can be killed: arms on $DISPLAY, does what its arguments say (hold, type, paused ...), and reports."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import time

from operator_console.domain.actions import Action, KeyDown, Press, Scroll, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.grants import FocusRule, Grant
from operator_console.domain.keys import Key
from operator_console.domain.stopping import PauseCause, StopReport
from operator_console.guard.client import open_guard
from operator_console.injector.client import InjectorClient

TARGET = MonitorTarget(spec="monitor:1", title="Monitor 1", display=os.environ["DISPLAY"])


def say(text: str) -> None:
    print(text, flush=True)


class Ears:
    def on_stop(self, report: StopReport) -> None:
        say(f"stop {report.reason.value}")

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        say(f"pause {cause.value}")

    def on_resume(self, cause: PauseCause) -> None:
        say(f"resume {cause.value}")

    def on_approve(self) -> None:
        say("approve")


async def main() -> None:
    injector = InjectorClient()
    guard = await open_guard(os.environ["DISPLAY"], injector)
    guard.subscribe(Ears())
    await guard.arm(session="victim", target=TARGET)

    def grant(action: Action) -> Grant:
        size = Size(1280, 800)
        return Grant(
            grant_id=secrets.token_hex(16),
            step=1,
            call=0,
            action=action,
            target=TARGET,
            geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size),
            focus=FocusRule(),
            epoch=guard.epoch,
            expires_s=time.monotonic() + 60,
        ).sealed(guard.grant_key)

    if "paused" in sys.argv:
        await guard.set_gate(open_=False)
    if "disarmed" in sys.argv:
        await guard.disarm()
    if "hold" in sys.argv:
        await injector.perform(grant(Press(at=NativePoint(1000, 700))))
        await injector.perform(grant(KeyDown(key=Key("shift"))))
    say(f"armed {guard._process.pid if guard._process else 0}")
    if "type" in sys.argv:
        outcome = await injector.perform(grant(TypeText(text="żółw and the lazy dog; " * 4000)))
        say(f"typed {outcome.result.value} {outcome.delivered}/{outcome.total}")
    while "scroll" in sys.argv:
        outcome = await injector.perform(grant(Scroll(at=NativePoint(600, 300), dy=2000)))
        if outcome.result is not ActResult.DONE:
            say(f"scrolled {outcome.result.value} {outcome.delivered}/{outcome.total}")
            break
    await asyncio.Event().wait()


asyncio.run(main())
