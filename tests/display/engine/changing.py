"""A session on a real desktop whose screen changes between the model's picture and the act.

Two programs draw plain windows and count the presses of buttons and keys that reach them. The change comes either while
the model answers, or as soon as the first call of its turn is done, so that it could be taken for that call's effect.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import Action, Click, Wait
from operator_console.domain.decisions import Outcome
from operator_console.domain.events import Ended
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import Grant
from operator_console.domain.proposals import CallResult, Observation, Proposal
from operator_console.domain.session_request import SessionRequest
from operator_console.engine.session import Session
from operator_console.engine.session_context import Options, Ports
from operator_console.guard.client import open_guard
from operator_console.injector.client import InjectorClient
from tests.display.rig import Desktop, wait_until
from tests.engine.rig import Memory, Model, Turn, does, said

GREY, BLUE, RED = 0xE0E0E0, 0x3070C0, 0xD33A30  # blue and red are equally bright
PAGE, SIDE = (100, 80, 400, 260), (620, 400, 400, 260)
AT = NativePoint(PAGE[0] + 200, PAGE[1] + 150)
"""The middle of the page's second button (client area at `PAGE`, moved by the window's frame at most)."""
FAR = NativePoint(PAGE[0] + 30, PAGE[1] + 240)
"""A bare place of the page."""
AROUND = (AT.x - 90, AT.y - 60, 180, 120)


class Program:
    """One client process."""

    def __init__(self, desktop: Desktop) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("changing_client.py"))],
            env=desktop.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.open_names: set[str] = set()

    def ask(self, word: str, **arguments: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([word, arguments]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def open(
        self, name: str, rect: tuple[int, int, int, int], *, ground: int, button: int, override: bool = False
    ) -> int:
        self.open_names.add(name)
        return int(self.ask("open", name=name, rect=rect, ground=ground, button=button, override=override))

    def close(self, name: str) -> None:
        if name in self.open_names:
            self.open_names.remove(name)
            self.ask("close", name=name)

    def received(self) -> int:
        return int(self.ask("received"))

    def end(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


class Screen:
    """The page that is worked on, a window beside it, and what happens to them."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop
        self._restoring = threading.Lock()
        self._page, self._other = Program(desktop), Program(desktop)
        self._other.open("Under", (PAGE[0] - 40, PAGE[1] - 30, 480, 340), ground=BLUE, button=BLUE)
        self._other.open("Side", SIDE, ground=GREY, button=BLUE)

    def restore(self) -> None:
        """As it is before each try: the page lies over the window under it and has the focus."""
        with self._restoring:
            for name in ("Over", "Popup"):
                self._other.close(name)
            self._page.close("Page")
            xid = self._page.open("Page", PAGE, ground=GREY, button=BLUE)
            self._desktop.activate(xid)

    def another_window(self) -> None:
        self._other.open("Over", AROUND, ground=GREY, button=BLUE)

    def popup(self) -> None:
        self._other.open("Popup", AROUND, ground=GREY, button=BLUE, override=True)

    def another_hue(self) -> None:
        self._page.ask("look", name="Page", ground=GREY, button=RED, down=0)

    def window_gone(self) -> None:
        self._page.close("Page")

    def focus_moved(self) -> None:
        self._other.ask("focus", name="Side")

    def layout_moved(self) -> None:
        self._page.ask("look", name="Page", ground=GREY, button=BLUE, down=30)

    def received(self) -> int:
        """The presses that any of the windows got so far."""
        return self._page.received() + self._other.received()

    def wait_received(self, count: int) -> int:
        """As received, once it is at least `count`: a window manager may look at a press first."""
        return wait_until(lambda: found if (found := self.received()) >= count else 0, f"{count} presses")

    def end(self) -> None:
        self._page.end()
        self._other.end()


CHANGES: dict[str, Callable[[Screen], None]] = {
    "another window": Screen.another_window,
    "a popup without frame": Screen.popup,
    "another hue of equal brightness": Screen.another_hue,
    "the window gone": Screen.window_gone,
    "the focus moved": Screen.focus_moved,
    "the layout moved by 30 px": Screen.layout_moved,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """One try: `change` comes before `action`, after the model's picture; with `first`, right after that call."""

    change: Callable[[Screen], None] | None
    action: Action = field(default_factory=lambda: Click(at=AT))
    first: Action | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of it: the presses that any window got of the call after the change, and what the model was told."""

    delivered: int
    results: tuple[CallResult, ...]


class _Changing:
    """An injector after whose first act of a turn the screen changes."""

    def __init__(self, inner: InjectorClient) -> None:
        self.inner = inner
        self.after: Callable[[], Awaitable[None]] | None = None

    async def perform(self, grant: Grant, secret: str = "") -> Outcome:
        outcome = await self.inner.perform(grant, secret)
        if self.after is not None:
            change, self.after = self.after, None
            await change()
        return outcome

    async def release_all(self) -> int:
        return await self.inner.release_all()


class Tries:
    """Plays tries in one session, each in two turns: the screen is restored, then it changes.

    Attributes:
        firsts: how many first calls arrived; each is one press.
        tried: what came of each try so far.
    """

    def __init__(self, screen: Screen, injector: _Changing) -> None:
        self._screen, self.injector = screen, injector
        self._before = 0
        self._open = False
        self.firsts = 0
        self.tried: list[Tried] = []

    def turns(self, tries: list[Try]) -> list[Turn]:
        found: list[Turn] = []
        for each in tries:
            found += [self._restoring, self._trying(each)]
        return [*found, self._ending]

    async def _restoring(self, seen: Observation) -> Proposal:
        await self._take(seen)
        await asyncio.to_thread(self._screen.restore)
        return does(Wait(duration_s=0.05))

    def _trying(self, each: Try) -> Callable[[Observation], Awaitable[Proposal]]:
        async def turn(_seen: Observation) -> Proposal:
            self._before = await asyncio.to_thread(self._screen.received)
            self._open = True

            async def change() -> None:
                if each.first is not None:
                    self._before = await asyncio.to_thread(self._screen.wait_received, self._before + 1)
                    self.firsts += 1
                if each.change is not None:
                    await asyncio.to_thread(each.change, self._screen)

            if each.first is None:
                await change()
                return does(each.action)
            self.injector.after = change
            return does(each.first, each.action)

        return turn

    async def _ending(self, seen: Observation) -> Proposal:
        await self._take(seen)
        return said("done")

    async def _take(self, seen: Observation) -> None:
        # Asked a second time where what it restores is taken for a late effect of the call before.
        if self._open:
            self._open = False
            delivered = await asyncio.to_thread(self._screen.received) - self._before
            self.tried.append(Tried(delivered=delivered, results=tuple(seen.results)))


async def play(desktop: Desktop, tries: list[Try]) -> list[Tried]:
    """Play all tries in one session on the monitor."""
    screen = await asyncio.to_thread(Screen, desktop)
    try:
        played = Tries(screen, _Changing(InjectorClient()))
        ended = await _session(desktop, played.turns(tries), 2 * len(tries), played.injector)
        assert len(played.tried) == len(tries), ended
        counted = played.firsts + sum(each.delivered for each in played.tried)
        assert await asyncio.to_thread(screen.received) == counted, "something arrived after it was counted"
        return played.tried
    finally:
        screen.end()


async def session_on(desktop: Desktop, turns: Sequence[Turn], steps: int) -> Observation:
    """Play turns in a session on the monitor; what the model saw last."""
    last: list[Observation] = []

    def end(seen: Observation) -> Proposal:
        last.append(seen)
        return said("done")

    ended = await _session(desktop, [*turns, end], steps, _Changing(InjectorClient()))
    assert last, ended
    return last[-1]


async def _session(desktop: Desktop, turns: Sequence[Turn], steps: int, injector: _Changing) -> Ended:
    guard = await open_guard(desktop.name, injector.inner)
    computer = await open_computer("monitor:1", OwnWindows(), desktop.name)
    journal = Memory()
    journal.keep = False
    ports = Ports(
        provider=Model(turns), computer=computer, injector=injector, guard=guard, open_journal=lambda: journal
    )
    request = SessionRequest(task="try", target="monitor:1", max_steps=steps + 5, max_minutes=120)
    try:
        return await Session(request, ports, options=Options(name="test")).run()
    finally:
        await computer.close()
        await guard.close()
