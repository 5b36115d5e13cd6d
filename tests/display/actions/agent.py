"""An armed agent that performs actions and checks that each is reported as done and nothing is held at the end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from operator_console.domain.actions import Action, Button, Chord, Click, Drag, Move
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from tests.display.guard.acting import Acting, armed
from tests.display.rig import Desktop

Place = tuple[int, int]


class Agent:
    """Performs actions and checks that each is reported as done."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    async def do(self, action: Action) -> Outcome:
        outcome = await self._acting.do(action, focus=FocusRule())
        assert outcome.result is ActResult.DONE, outcome
        return outcome

    async def click(self, at: Place, button: Button = Button.LEFT, count: int = 1, *modifiers: str) -> None:
        keys = tuple(Key(name) for name in modifiers)
        await self.do(Click(at=NativePoint(*at), button=button, count=count, modifiers=keys))

    async def move(self, at: Place) -> None:
        await self.do(Move(at=NativePoint(*at)))

    async def drag(self, *path: Place) -> None:
        await self.do(Drag(path=tuple(NativePoint(*at) for at in path)))

    async def chord(self, *keys: str, repeat: int = 1) -> None:
        await self.do(Chord(keys=tuple(Key(name) for name in keys), repeat=repeat))


@asynccontextmanager
async def agent_on(desktop: Desktop) -> AsyncIterator[Agent]:
    async with armed(desktop) as acting:
        yield Agent(acting)
    assert desktop.keys_down() == []
    assert desktop.buttons_down() == []
