"""An agent that acts in a browser under a real guard, and is stopped; what the page hears then, by the page's clock."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import xcffib
import xcffib.xproto
import xcffib.xtest

from operator_console.desktop.ledger import Word
from operator_console.domain.actions import Action, Drag, KeyDown, Press, Scroll, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import BrowserTarget
from operator_console.domain.geometry import NativePoint as At
from operator_console.domain.keys import Key
from operator_console.domain.stopping import StopCause
from tests.browser_rig import BrowserRig
from tests.display.guard.acting import Acting, guarded
from tests.display.rig import Desktop

PAGE = """<style>body {margin: 0} body > * {position: absolute; left: 50px}</style>
<textarea id=area autofocus style="top:50px; width:300px; height:100px"></textarea>
<div id=pad style="top:200px; width:700px; height:60px; background:silver" onclick="clicked = true"></div>
<div id=dragged draggable=true style="top:350px; width:60px; height:60px; background:red"></div>
<div id=bin style="top:300px; left:300px; width:400px; height:200px; background:blue"
  ondragover="event.preventDefault()" ondrop="event.preventDefault(); dropped = true"></div>
<div id=box style="top:50px; left:450px; width:200px; height:100px; overflow:scroll">
  <div style="width:100px; height:500000px"></div></div>
<script>clicked = dropped = false</script>"""

_BACK_AND_FORTH = 400
ACTS: dict[str, tuple[tuple[Action, ...], Action]] = {
    "types": (
        (KeyDown(key=Key("shift")), Press(at=At(100, 230))), TypeText(text="for ever and żółw, " * 4000),
    ),
    "drags": ((KeyDown(key=Key("shift")),), Drag(path=(At(100, 230), At(700, 230)) * _BACK_AND_FORTH)),
    "drags and drops": (
        (KeyDown(key=Key("shift")),), Drag(path=(At(80, 380), *((At(350, 400), At(650, 400)) * _BACK_AND_FORTH))),
    ),
    "scrolls": ((KeyDown(key=Key("shift")), Press(at=At(100, 230))), Scroll(at=At(550, 100), dy=2000)),
}  # fmt: skip
"""What it holds first, and what it goes on with; by what is said of it."""

CHORD = ("ControlLeft", "AltLeft", "KeyX")
_ACTS = frozenset((
    "keydown", "keypress", "beforeinput", "input", "pointerdown", "mousedown", "pointermove", "mousemove", "wheel",
    "dragstart", "drag", "dragenter", "dragover", "drop", "click", "auxclick",
))  # fmt: skip
_RELEASES = frozenset(("keyup", "mouseup", "dragend"))
_UNDER_WAY = 40
_AFTERWARDS_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the page heard after the stop: milliseconds to the last press, motion or text, how many came, and
    milliseconds to the last release of what was held."""

    late_ms: float
    late: int
    released_ms: float
    kinds: tuple[str, ...]


class NotUnderWay(AssertionError):
    """It ended before it was stopped: on a machine that is busy with other work, by a pause of the lease."""


class StoppingRig:
    """A browser and the desktop that the person stops it from."""

    def __init__(self, desktop: Desktop, rig: BrowserRig) -> None:
        self.desktop, self.rig = desktop, rig
        self._codes = tuple(desktop.keycode(name) for name in ("Control_L", "Alt_L", "x"))
        self._connection: Any = xcffib.connect(display=desktop.name)  # type: ignore[no-untyped-call]
        self._xtest = self._connection(xcffib.xtest.key)
        self._root = self._connection.get_setup().roots[0].root

    def close(self) -> None:
        self._connection.disconnect()

    def _send(self, kind: int, codes: tuple[int, ...]) -> None:
        for code in codes:
            self._xtest.FakeInput(kind, code, 0, self._root, 0, 0, 0)
        self._connection.core.GetInputFocus().reply()

    def press_chord(self) -> None:
        """The stop chord, kept down."""
        self._send(2, self._codes)

    def let_go(self) -> None:
        """The chord's keys."""
        self._send(3, self._codes[::-1])

    async def run(self, code: str) -> Any:
        """An expression in the page; the session's loop goes on meanwhile."""
        return await asyncio.to_thread(self.rig.run, code)

    @asynccontextmanager
    async def acting(self, what: str) -> AsyncIterator[Acting]:
        """Armed, and on its way."""
        held, act = ACTS[what]
        await asyncio.to_thread(self.rig.open, "")
        async with guarded(self.desktop) as acting:
            address = self.rig.browser.act_address
            shown_on = self.desktop.name
            acting.target = BrowserTarget(spec="browser", title="Browser", display=shown_on, address=address)
            await acting.guard.arm(session="s", target=acting.target)
            for action in held:
                outcome = await acting.do(action, geometry=self.rig.geometry)
                assert outcome.result is ActResult.DONE, outcome
            going = asyncio.ensure_future(acting.do(act, geometry=self.rig.geometry))
            while await self.run("inputs") < _UNDER_WAY:
                if going.done():
                    await acting.guard.disarm()
                    raise NotUnderWay(going.result())
            self.going = going
            try:
                yield acting
            finally:
                self.let_go()
                with contextlib.suppress(OperatorError):  # the guard may be gone
                    await (acting.guard.reset() if acting.ears.stops else acting.guard.disarm())
                await going

    async def stop(
        self, acting: Acting, by: Callable[[Acting], object], *, first: str = "", nothing_held_s: float = 10.0
    ) -> Seen:
        """Stop it, wait until the page holds nothing, and see what it heard from then on.

        `first`: run in the page right before.
        """
        ahead_ms = await self.ahead_ms()
        if first:
            await self.run(first)
        self.rig.server.heard.clear()
        began_ms = time.time() * 1000 + ahead_ms
        by(acting)
        await asyncio.wait({self.going})
        if by in (self.by_chord, by_command):
            await acting.ears.stopped()
        self.let_go()
        async with asyncio.timeout(nothing_held_s):
            while set(await self.run("held()")) - set(CHORD):
                pass
        await asyncio.sleep(_AFTERWARDS_S)  # what would come still, would come by then: the injector is dead
        events = [each for each in await asyncio.to_thread(self.rig.events) if each.get("code") not in CHORD]
        late = [each for each in events if each["type"] in _ACTS and each["at"] >= began_ms]
        released = [each for each in events if each["type"] in _RELEASES and each["at"] >= began_ms]
        return Seen(
            late_ms=late[-1]["at"] - began_ms if late else 0.0, late=len(late),
            released_ms=released[-1]["at"] - began_ms if released else 0.0,
            kinds=tuple(each["type"] for each in events if each["at"] >= began_ms),
        )  # fmt: skip

    async def ahead_ms(self) -> float:
        """How far the page's clock is ahead of ours."""
        before_ms = time.time() * 1000
        theirs_ms: float = await self.run("performance.timeOrigin + performance.now()")
        after_ms = time.time() * 1000
        return min(0.0, theirs_ms - before_ms) or max(0.0, theirs_ms - after_ms)

    def by_chord(self, _: Acting) -> None:
        """As the person does."""
        self.press_chord()


_stopping: list[asyncio.Future[None]] = []


def by_command(acting: Acting) -> None:
    """As `operator-console stop` does."""
    _stopping.append(asyncio.ensure_future(acting.guard.stop(StopCause.COMMAND)))


def by_killing_the_injector(acting: Acting) -> None:
    """Without a chance to release anything."""
    ledger = acting.injector._ledger
    assert ledger is not None
    os.kill(ledger.get(Word.INJECTOR_PID), signal.SIGKILL)
