"""An injector without a desktop: checks grants as the real one does and records the actions. It sends no input."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from operator_console.domain.actions import (
    Action,
    Chord,
    Click,
    CursorPosition,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
)
from operator_console.domain.admission import Admission, refused
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import OutOfRange, RejectedReason
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import Grant


class Authority(Protocol):
    """What the fake injector asks of the fake guard."""

    @property
    def grant_key(self) -> bytes:
        """The per-run key."""
        ...

    @property
    def epoch(self) -> int:
        """The epoch that grants must carry."""
        ...

    @property
    def may_act(self) -> bool:
        """Armed, not latched, gate open."""
        ...


class FakeInjector:
    """In memory. Drive it from tests by `answer`, `on_act` and `hold`.

    Attributes:
        grants: every grant that was carried out, in order (refused ones are not in it).
        refusals: outcomes of refused grants.
        secrets: what it was given to type for the names of secrets.
        pointer: where the pointer would be, in input units.
        held: keys and buttons that are down.
        answer: overrides the outcome of an admitted grant; None: done.
        on_act: called with the action right when it "happens" (let a fake computer change its picture here).
    """

    def __init__(self, authority: Authority, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._authority = authority
        self._admission = Admission(lambda: authority.grant_key, lambda: authority.epoch, monotonic=monotonic)
        self._waiting: asyncio.Future[Outcome] | None = None
        self._holding = False
        self.grants: list[Grant] = []
        self.refusals: list[Outcome] = []
        self.secrets: list[str] = []
        self.pointer: tuple[int, int] = (0, 0)
        self.held: set[str] = set()
        self.answer: Callable[[Grant], Outcome | None] = lambda _grant: None
        self.on_act: Callable[[Action], None] = lambda _action: None

    @property
    def actions(self) -> list[Action]:
        """What was carried out."""
        return [grant.action for grant in self.grants]

    @property
    def acting(self) -> bool:
        """Whether a perform is waiting because of `hold`."""
        return self._waiting is not None

    def hold(self) -> None:
        """The next performs do not return before `proceed` or `kill`."""
        self._holding = True

    def proceed(self) -> None:
        """Let a held perform finish as done."""
        self._holding = False
        self._finish(Outcome(result=ActResult.DONE, delivered=1, total=1, pointer=self.pointer))

    def kill(self) -> None:
        """What the guard does on a stop: a held perform ends as stopped, nothing is down any more."""
        self.held.clear()
        self._finish(Outcome(result=ActResult.STOPPED, detail="stopped", total=1))

    async def perform(self, grant: Grant, secret: str = "") -> Outcome:
        """As engine's Injector: once, only when sealed, fresh and of this epoch."""
        if secret:
            self.secrets.append(secret)
        problem = self._admit(grant)
        if problem is not None:
            self.refusals.append(problem)
            return problem
        self.grants.append(grant)
        if self._holding:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                return await self._waiting
            finally:
                self._waiting = None
        given = self.answer(grant)
        if given is not None:
            return given
        self._act(grant)
        total = len(grant.action.text) if isinstance(grant.action, TypeText) else 1
        return Outcome(result=ActResult.DONE, delivered=total, total=total, pointer=self.pointer)

    async def release_all(self) -> int:
        """Release what is held."""
        count = len(self.held)
        self.held.clear()
        return count

    def _admit(self, grant: Grant) -> Outcome | None:
        if refusal := self._admission.refusal(grant):
            return refusal
        if not self._authority.may_act:
            return Outcome(result=ActResult.STOPPED, detail="The injector may not act now.")
        try:
            for point in _points(grant.action):
                grant.geometry.to_screen(point)
        except OutOfRange as error:
            return refused(str(error), RejectedReason.OUT_OF_RANGE)
        return None

    def _act(self, grant: Grant) -> None:
        points = _points(grant.action)
        if points:
            place = grant.geometry.to_screen(points[-1])
            self.pointer = (place.x, place.y)
        match grant.action:
            case Press(button=button):
                self.held.add(f"button {button}")
            case Release(button=button):
                self.held.discard(f"button {button}")
            case KeyDown(key=key):
                self.held.add(key)
            case KeyUp(key=key):
                self.held.discard(key)
            case _:
                pass
        self.on_act(grant.action)

    def _finish(self, outcome: Outcome) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(outcome)


def _points(action: Action) -> tuple[NativePoint, ...]:
    match action:
        case Drag(path=path):
            return path
        case Move(at=at) | Click(at=at) | Press(at=at) | Release(at=at) | Scroll(at=at) | TypeText(at=at):
            return () if at is None else (at,)
        case Chord() | KeyDown() | KeyUp() | HoldKeys() | CursorPosition():
            return ()
        case _:
            return ()
