"""A console that is stopped again and again: arms on $DISPLAY, holds Shift and the left button, types or scrolls.

Commands on stdin, a line each: "arm type" and "arm scroll" reset what is latched, arm anew and begin ("acting" is the
answer); "lock MS" answers "locked" and then sits in one C call with the interpreter's lock ("free" when it is over).
Says "stop REASON" when it hears of one. Started by stop_rig.py.
"""

from __future__ import annotations

import asyncio
import ctypes
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
from operator_console.guard.client import GuardClient, open_guard
from operator_console.guard.latch import LatchState
from operator_console.injector.client import InjectorClient

_SIZE = Size(1280, 800)
_TARGET = MonitorTarget(spec="monitor:1", title="Monitor 1", display=os.environ.get("DISPLAY", ""))
_TEXT = "żółw and the lazy dog; " * 4000  # with letters that are lent a key; without the chord's x


def say(text: str) -> None:
    print(text, flush=True)


class Ears:
    """Tells of stops."""

    def __init__(self) -> None:
        self.stopped = asyncio.Event()

    def on_stop(self, report: StopReport) -> None:
        self.stopped.set()
        say(f"stop {report.reason.value}")

    def on_pause(self, cause: PauseCause, detail: str) -> None: ...

    def on_resume(self, cause: PauseCause) -> None: ...

    def on_approve(self) -> None: ...


class Console:
    """Armed or not."""

    def __init__(self, guard: GuardClient, injector: InjectorClient, ears: Ears) -> None:
        self._guard, self._injector, self._ears = guard, injector, ears
        self._task: asyncio.Task[None] | None = None

    def _grant(self, action: Action) -> Grant:
        return Grant(
            grant_id=secrets.token_hex(16), step=1, call=0, action=action, target=_TARGET,
            geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=_SIZE, sent=_SIZE), focus=FocusRule(),
            epoch=self._guard.epoch, expires_s=time.monotonic() + 60,
        ).sealed(self._guard.grant_key)  # fmt: skip

    async def arm(self, what: str) -> None:
        """Begin anew."""
        if self._task is not None:
            await self._task
        if self._guard.status.state is LatchState.STOPPED or self._ears.stopped.is_set():
            await self._guard.reset()
        self._ears.stopped.clear()
        await self._guard.arm(session="benchmark", target=_TARGET)
        for action in (Press(at=NativePoint(1000, 700)), KeyDown(key=Key("shift"))):
            outcome = await self._injector.perform(self._grant(action))
            assert outcome.result is ActResult.DONE, outcome
        act = TypeText(text=_TEXT) if what == "type" else Scroll(at=NativePoint(600, 300), dy=2000)
        self._task = asyncio.create_task(self._go_on(act))
        say("acting")

    async def _go_on(self, action: Action) -> None:
        while not self._ears.stopped.is_set():
            outcome = await self._injector.perform(self._grant(action))
            if outcome.result is not ActResult.DONE:
                await self._ears.stopped.wait()


async def main() -> None:
    injector, ears = InjectorClient(), Ears()
    guard = await open_guard(os.environ["DISPLAY"], injector)
    guard.subscribe(ears)
    console = Console(guard, injector, ears)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := (await reader.readline()).decode().split():
        if line[0] == "arm":
            await console.arm(line[1])
        elif line[0] == "lock":
            say("locked")
            ctypes.PyDLL(None).usleep(int(line[1]) * 1000)  # PyDLL keeps the interpreter's lock
            say("free")
    await guard.close()


if __name__ == "__main__":
    asyncio.run(main())
