"""The in-memory injector and guard refuse, latch and release as the real ones promise."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Click, KeyDown, Press, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.domain.keys import Key
from operator_console.domain.stopping import GuardListener, PauseCause, StopCause, StopReport
from operator_console.engine import ports
from tests.fakes.guard import FakeGuard
from tests.fakes.injector import FakeInjector

TARGET = MonitorTarget(spec="monitor:1", title="Monitor 1")
GEOMETRY = FrameGeometry(origin=ScreenPoint(10, 20), native=Size(100, 80), sent=Size(100, 80))


class Ears:
    """A GuardListener that remembers."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def on_stop(self, report: StopReport) -> None:
        self.heard.append(report)

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        self.heard.append(cause)

    def on_resume(self, cause: PauseCause) -> None:
        self.heard.append(("resume", cause))

    def on_approve(self) -> None:
        self.heard.append("approve")


async def armed() -> tuple[FakeGuard, FakeInjector, Ears]:
    guard = FakeGuard()
    injector = FakeInjector(guard)
    guard.on_kill = injector.kill
    ears = Ears()
    guard.subscribe(ears)
    await guard.arm(session="s", target=TARGET)
    # The shapes are engine's: mypy checks it here.
    _: tuple[ports.Guard, ports.Injector, GuardListener] = (guard, injector, ears)
    return guard, injector, ears


def grant(guard: FakeGuard, action: Action, **changes: object) -> Grant:
    plain = Grant(
        grant_id=f"{id(action):x}",
        step=1,
        call=0,
        action=action,
        target=TARGET,
        geometry=GEOMETRY,
        epoch=guard.epoch,
        expires_s=time.monotonic() + 60,
    )
    return replace(plain, **changes).sealed(guard.grant_key)  # type: ignore[arg-type]


async def test_a_sealed_fresh_grant_is_done_once() -> None:
    guard, injector, _ = await armed()
    one = grant(guard, Click(at=NativePoint(0, 0)))
    first, second = await injector.perform(one), await injector.perform(one)
    assert (first.result, first.pointer) == (ActResult.DONE, (10, 20))
    assert (second.result, second.reason) == (ActResult.FAILED, "bad_grant")
    assert len(injector.grants) == 1


@pytest.mark.parametrize(
    "spoil",
    [
        lambda guard, g: replace(g, action=Click(at=NativePoint(1, 0))),
        lambda guard, g: replace(g, epoch=g.epoch + 1),
        lambda guard, g: replace(g, seal=""),
        lambda guard, g: replace(g, expires_s=time.monotonic() - 1).sealed(guard.grant_key),
        lambda guard, g: replace(g, epoch=g.epoch - 1).sealed(guard.grant_key),
        lambda guard, g: g.sealed(b"x" * 32),
    ],
)
async def test_any_other_grant_is_refused(spoil: object) -> None:
    guard, injector, _ = await armed()
    outcome = await injector.perform(spoil(guard, grant(guard, Click(at=NativePoint(0, 0)))))  # type: ignore[operator]
    assert outcome.reason == "bad_grant"
    assert injector.grants == []


async def test_a_point_outside_is_refused() -> None:
    guard, injector, _ = await armed()
    assert (await injector.perform(grant(guard, Click(at=NativePoint(100, 0))))).reason == "out_of_range"


async def test_stop_ends_a_running_action_releases_and_latches() -> None:
    guard, injector, ears = await armed()
    await injector.perform(grant(guard, Press(at=NativePoint(1, 1))))
    await injector.perform(grant(guard, KeyDown(key=Key("shift"))))
    assert len(injector.held) == 2
    injector.hold()
    late = grant(guard, Click(at=NativePoint(2, 2)))
    task = asyncio.ensure_future(injector.perform(grant(guard, TypeText(text="abc"))))
    await asyncio.sleep(0)
    guard.press_stop()
    assert (await task).result is ActResult.STOPPED
    assert injector.held == set()
    assert guard.latched is StopCause.HOTKEY
    assert isinstance(ears.heard[0], StopReport)
    assert (await injector.perform(late)).reason == "bad_grant"
    with pytest.raises(OperatorError):
        await guard.arm(session="again", target=TARGET)
    guard.reset()
    await guard.arm(session="again", target=TARGET)


async def test_pause_moves_the_epoch_and_approve_needs_a_shut_gate() -> None:
    guard, injector, ears = await armed()
    await guard.set_review_open(True)
    guard.press_approve()
    assert ears.heard == []
    stale = grant(guard, Click(at=NativePoint(0, 0)))
    guard.press_pause()
    guard.press_approve()
    assert ears.heard == [PauseCause.HOTKEY, "approve"]
    await guard.set_gate(open_=True)
    assert (await injector.perform(stale)).reason == "bad_grant"
    assert (await injector.perform(grant(guard, Click(at=NativePoint(0, 0))))).result is ActResult.DONE


async def test_lease_pause_goes_on_by_itself_and_a_lost_stop_does_not() -> None:
    guard, injector, ears = await armed()
    guard.lease_silent()
    assert (await injector.perform(grant(guard, Click(at=None)))).result is ActResult.STOPPED
    guard.lease_answered()
    assert ears.heard == [PauseCause.LEASE, ("resume", PauseCause.LEASE)]
    guard.lose_stop()
    await guard.set_gate(open_=True)
    assert ears.heard[2:] == [PauseCause.STOP_NOT_LIVE, PauseCause.STOP_NOT_LIVE]
    assert not guard.may_act
    guard.find_stop()
    assert not guard.may_act
    await guard.set_gate(open_=True)
    assert guard.may_act
