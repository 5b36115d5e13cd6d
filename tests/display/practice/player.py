"""Plays a runbook on a real window without the console: pictures by mss, hands by xdotool, answers by the test.

It stands in for engine, grant and injector, so that the runbook, the reader and the practice window are judged
alone. The provider is asked exactly as the engine asks it.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mss

from operator_console.domain.actions import AskOperator, Button, Chord, Click, Drag, Finish, Scroll, TypeText, Wait
from operator_console.domain.frames import Frame, Picture, StackedWindow, WindowInfo, WindowTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.proposals import Brief, Call, CallResult, CallStatus, Observation
from operator_console.providers.runbook.provider import RunbookProvider
from tests.display.rig import Desktop

_KEYS = {"ctrl": "ctrl", "enter": "Return", "tab": "Tab"}
_BUTTONS = {Button.LEFT: "1", Button.MIDDLE: "2", Button.RIGHT: "3"}
_MOST_TURNS = 80


@dataclass(slots=True, kw_only=True)
class Player:
    """One window on a desktop of the rig; `calls` is what was proposed."""

    desktop: Desktop
    xid: int
    answer: Callable[[AskOperator], str] = field(default=lambda question: "declined")
    calls: list[Call] = field(default_factory=list)

    def frame(self) -> Frame:
        """The window's client area as it looks now."""
        window = self.desktop.window(self.xid)
        area = {"left": window.x, "top": window.y, "width": window.width, "height": window.height}
        with mss.MSS(display=self.desktop.name) as grabber:
            pixels = bytes(grabber.grab(area).raw)
        native = Size(window.width, window.height)
        rect = Rect(window.x, window.y, window.width, window.height)
        info = WindowInfo(window_id=window.xid, title=window.title, app=window.wm_class, pid=window.pid, rect=rect)
        return Frame(
            frame_id=hashlib.sha1(pixels).hexdigest(),
            pixels=memoryview(pixels),
            geometry=FrameGeometry(origin=ScreenPoint(window.x, window.y), native=native, sent=native),
            target=WindowTarget(spec=f"window:{self.xid:#x}", title=window.title, window_id=self.xid),
            taken_s=time.monotonic(),
            stack=(StackedWindow(info=info, parts=(rect,)),),
            focus=info,
        )

    async def settled(self) -> Frame:
        """The first frame that is equal to the one before it."""
        before = self.frame()
        while (after := self.frame()).frame_id != before.frame_id:
            before = after
            await asyncio.sleep(0.02)
        return after

    async def play(self, provider: RunbookProvider, task: str) -> Finish:
        """Every turn until the provider finishes."""
        provider.begin(Brief(task=task, instruction=""))
        results: tuple[CallResult, ...] = ()
        for _ in range(_MOST_TURNS):
            frame = await self.settled()
            picture = Picture(data=b"", mime_type="image/png", size=frame.geometry.sent, digest="")
            observation = Observation(frame=frame, picture=picture, results=results, worked_s=time.monotonic())
            proposal = await provider.propose(observation)
            (call,) = proposal.calls
            self.calls.append(call)
            if isinstance(call.action, Finish):
                return call.action
            output = await self.perform(call.action, frame)
            results = (CallResult(call=call, status=CallStatus.DONE, output=output),)
        raise AssertionError(f"the runbook did not end in {_MOST_TURNS} turns")

    async def perform(self, action: Any, frame: Frame) -> str:
        """Do it with xdotool, or answer it; the call's output."""
        xdo = self.desktop.xdo
        match action:
            case Click(at=NativePoint() as at, button=button, count=count):
                xdo(
                    "mousemove",
                    *_on_screen(frame, at),
                    "click",
                    "--repeat",
                    str(count),
                    "--delay",
                    "40",
                    _BUTTONS[button],
                )
            case TypeText(text=text, at=at):
                if at is not None:
                    xdo("mousemove", *_on_screen(frame, at), "click", "1")
                xdo("type", "--delay", "12", text)
            case Chord(keys=keys):
                xdo("key", "+".join(_KEYS.get(key, key) for key in keys))
            case Scroll(at=NativePoint() as at, dy=dy):
                wheel = "5" if dy > 0 else "4"
                xdo("mousemove", *_on_screen(frame, at), "click", "--repeat", str(abs(dy)), "--delay", "20", wheel)
            case Drag(path=path):
                self._drag(frame, path)
            case Wait(duration_s=duration_s):
                await asyncio.sleep(duration_s)
            case AskOperator():
                return self.answer(action)
            case _:
                raise AssertionError(f"the practice runbook has no {action}")
        return ""

    def _drag(self, frame: Frame, path: tuple[NativePoint, ...]) -> None:
        start, end = path[0], path[-1]
        middle = NativePoint((start.x + end.x) // 2, (start.y + end.y) // 2)
        self.desktop.xdo("mousemove", *_on_screen(frame, start), "mousedown", "1")
        for point in (middle, end):
            self.desktop.xdo("mousemove", *_on_screen(frame, point))
        self.desktop.xdo("mouseup", "1")


def _on_screen(frame: Frame, point: NativePoint) -> tuple[str, str]:
    place = frame.geometry.to_screen(point)
    return str(place.x), str(place.y)
