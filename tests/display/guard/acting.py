"""A session that can act, without an engine: a real guard, a real injector, grants sealed by the test itself."""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import pytest

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import Action
from operator_console.domain.decisions import Outcome
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import MonitorTarget, TargetRef, WindowTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.grants import FocusRule, Grant, ScreenCheck
from operator_console.domain.guard_listener import GuardListener
from operator_console.domain.stopping import PauseCause, StopReport
from operator_console.engine import ports
from operator_console.guard import latch
from operator_console.guard.client import GuardClient, open_guard
from operator_console.injector.client import InjectorClient
from tests.display.rig import Desktop, WindowInfo


class Ears:
    """A GuardListener that remembers, and lets a test wait."""

    def __init__(self) -> None:
        self.stops: list[StopReport] = []
        self.pauses: list[PauseCause] = []
        self.reasons: list[str] = []
        self.resumes: list[PauseCause] = []
        self.approvals = 0

    def on_stop(self, report: StopReport) -> None:
        self.stops.append(report)

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        self.pauses.append(cause)
        self.reasons.append(detail)

    def on_resume(self, cause: PauseCause) -> None:
        self.resumes.append(cause)

    def on_approve(self) -> None:
        self.approvals += 1

    async def wait(self, condition: Callable[[], object], timeout_s: float = 20.0) -> None:
        """Until `condition()` holds."""
        async with asyncio.timeout(timeout_s):
            while not condition():  # noqa: ASYNC110  conditions of several kinds, no event for all
                await asyncio.sleep(0.01)

    async def stopped(self) -> StopReport:
        await self.wait(lambda: self.stops)
        return self.stops[0]


@dataclass(kw_only=True)
class Acting:
    """An armed session on a desktop."""

    desktop: Desktop
    guard: GuardClient
    injector: InjectorClient
    target: TargetRef
    ears: Ears = field(default_factory=Ears)

    def grant(self, action: Action, **changes: object) -> Grant:
        """A sealed grant over the whole screen (or what `changes` says)."""
        size = Size(*self.desktop.server.size)
        fields: dict[str, object] = {
            "grant_id": secrets.token_hex(16),
            "step": 1,
            "call": 0,
            "action": action,
            "target": self.target,
            "geometry": FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size),
            "epoch": self.guard.epoch,
            "expires_s": time.monotonic() + 60,
            **changes,
        }
        return Grant(**fields).sealed(self.guard.grant_key)  # type: ignore[arg-type]

    async def do(self, action: Action, **changes: object) -> Outcome:
        """Perform it; again where a lease pause, which sends nothing, came between the grant and the injector."""
        while True:
            # A rig's call that held this loop for half a second has cost the lease, which comes back by itself.
            await self.ears.wait(
                lambda: self.ears.pauses.count(PauseCause.LEASE) <= self.ears.resumes.count(PauseCause.LEASE)
            )
            passed = self.ears.resumes.count(PauseCause.LEASE)
            outcome = await self.injector.perform(self.grant(action, **changes))
            late = outcome.reason == RejectedReason.BAD_GRANT and "epoch" in outcome.detail
            if not late or "epoch" in changes or self.ears.stops:
                return outcome
            await self._resumed_after(passed)

    async def _resumed_after(self, passed: int) -> None:
        await self.ears.wait(lambda: self.ears.stops or self.ears.resumes.count(PauseCause.LEASE) > passed)

    def window_target(self, window: WindowInfo) -> tuple[TargetRef, FrameGeometry]:
        """A window target and its geometry as it stands now."""
        target = WindowTarget(
            spec=f"window:0x{window.xid:x}",
            title=window.title,
            display=self.desktop.name,
            window_id=window.xid,
        )
        size = Size(window.width, window.height)
        return target, FrameGeometry(origin=ScreenPoint(window.x, window.y), native=size, sent=size)


def monitor(desktop: Desktop) -> MonitorTarget:
    return MonitorTarget(spec="monitor:1", title="Monitor 1", display=desktop.name)


def injector_pid(desktop: Desktop) -> int:
    """The process that acts there, as the ledger has it."""
    ledger, fd = Ledger.open_file(latch.path_of(desktop.name, "ledger"))
    try:
        return ledger.get(Word.INJECTOR_PID)
    finally:
        ledger.close()
        os.close(fd)


def held_keycodes(desktop: Desktop) -> Sequence[int]:
    """The keys that are held down there, as the ledger has it."""
    ledger, fd = Ledger.open_file(latch.path_of(desktop.name, "ledger"))
    try:
        return tuple(ledger.keys)
    finally:
        ledger.close()
        os.close(fd)


@dataclass(frozen=True, kw_only=True)
class KeptGuard:
    """A guard that several tests use one after another, on one event loop; no session outlives its test.

    Attributes:
        display: where it listens.
        home: OPERATOR_CONSOLE_HOME of its process; a test that uses it has the same.
    """

    display: str
    guard: GuardClient
    injector: InjectorClient
    home: str

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """What asks for a guard on that display has this one meanwhile, in place of one of its own."""
        _kept[self.display] = self
        try:
            yield
        finally:
            del _kept[self.display]


_kept: dict[str, KeptGuard] = {}


@asynccontextmanager
async def kept_guard(display: str, home: str) -> AsyncIterator[KeptGuard]:
    """A guard for several tests, by the home of its process."""
    injector = InjectorClient(OwnWindows())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPERATOR_CONSOLE_HOME", home)
        guard = await open_guard(display, injector)
    try:
        yield KeptGuard(display=display, guard=guard, injector=injector, home=home)
    finally:
        await guard.close()


@asynccontextmanager
async def guarded(desktop: Desktop, target: TargetRef | None = None, *, display: str = "") -> AsyncIterator[Acting]:
    """A guard that listens; nothing armed yet.

    Args:
        desktop: where it acts.
        target: what it acts on, the first monitor unless told otherwise.
        display: where the guard listens, unless on the desktop.
    """
    display = display or desktop.name
    kept = _kept.get(display)
    injector = kept.injector if kept is not None else InjectorClient(OwnWindows())
    guard = kept.guard if kept is not None else await open_guard(display, injector)
    acting = Acting(desktop=desktop, guard=guard, injector=injector, target=target or monitor(desktop))
    forget = guard.subscribe(acting.ears)
    # The shapes are engine's: mypy checks it here.
    _: tuple[ports.Guard, ports.Injector, GuardListener] = (guard, injector, acting.ears)
    try:
        yield acting
    finally:
        forget()
        if kept is None:
            await guard.close()
        else:
            await _as_before(acting)


async def _as_before(acting: Acting) -> None:
    """A kept guard has no session and no stop, and its injector none of the test's windows."""
    own = acting.injector._own
    own.remove(pids=own.pids - {os.getpid()}, window_ids=own.window_ids)
    if acting.ears.stops:
        await acting.guard.reset()
    elif acting.injector.attached:
        await acting.guard.disarm()


@asynccontextmanager
async def armed(desktop: Desktop) -> AsyncIterator[Acting]:
    """Armed on the monitor; disarmed in order where the test has not stopped it."""
    async with guarded(desktop) as acting:
        await acting.guard.arm(session="test", target=acting.target)
        yield acting
        if not acting.ears.stops:
            await acting.guard.disarm()


__all__ = [
    "Acting",
    "FocusRule",
    "KeptGuard",
    "ScreenCheck",
    "armed",
    "guarded",
    "injector_pid",
    "kept_guard",
    "monitor",
]
