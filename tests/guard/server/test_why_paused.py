"""Why a session does not act, and since when, as `status` reports it."""

from __future__ import annotations

import itertools
from unittest.mock import MagicMock

import pytest

from operator_console.desktop.ledger import Gate
from operator_console.domain.stopping import PauseCause, StopLiveness, WaitsFor
from operator_console.guard.corners import Corners
from operator_console.guard.latch import LatchState
from operator_console.guard.server import session
from operator_console.guard.server.lease import PausePolicy
from operator_console.guard.server.session import ArmedSession

LIVE = StopLiveness(live=True)


class Paused:
    """A session armed at 0, and its pauses; each event is one second after the last one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seconds = itertools.count()
        self.now = ""
        monkeypatch.setattr(session, "now_text", lambda: self.now)
        self._seconds = seconds
        self.passes()
        ledger = MagicMock(gate=Gate.OPEN, **{"get.return_value": 0})
        self.armed = ArmedSession("s", MagicMock(ledger=ledger), MagicMock(), 1, Corners(()))
        self.policy = PausePolicy(MagicMock(armed=self.armed, epoch=1))

    def passes(self) -> None:
        self.now = f"{next(self._seconds)} s"

    async def console(self, why: PauseCause | WaitsFor | None, live: StopLiveness = LIVE) -> tuple[str, str]:
        """The console shuts the gate, or opens it (None)."""
        self.passes()
        message = {"open": True} if why is None else {"open": False, "why": why.value}
        await self.policy.set_gate(message, live)
        return self.status

    def guard(self, cause: PauseCause, gate: Gate) -> tuple[str, str]:
        self.passes()
        self.policy.pause(cause, "", gate)
        return self.status

    @property
    def status(self) -> tuple[str, str]:
        status = self.armed.status(":7", live=True)
        assert (status.state is LatchState.PAUSED) == bool(status.reason)
        return status.reason, status.since


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch) -> Paused:
    return Paused(monkeypatch)


async def test_each_state_is_told_with_the_time_when_it_began(paused: Paused) -> None:
    assert paused.status == ("", "0 s")
    assert await paused.console(WaitsFor.ANSWER) == ("question", "1 s")
    assert await paused.console(None) == ("", "2 s")
    assert await paused.console(PauseCause.HUMAN) == ("human", "3 s")
    assert await paused.console(WaitsFor.HAND_BACK) == ("handed_over", "4 s")
    assert await paused.console(None) == ("", "5 s")


async def test_the_console_confirms_a_pause_of_the_guards_without_moving_its_time(paused: Paused) -> None:
    assert paused.guard(PauseCause.HOTKEY, Gate.HELD) == ("hotkey", "1 s")
    assert await paused.console(PauseCause.HOTKEY) == ("hotkey", "1 s")
    assert await paused.console(None) == ("", "3 s")
    assert paused.guard(PauseCause.LEASE, Gate.LEASE) == ("lease", "4 s")
    assert await paused.console(PauseCause.LEASE) == ("lease", "4 s")
    paused.armed.open(Gate.LEASE)
    assert paused.status == ("lease", "4 s")


async def test_the_pause_chord_changes_nothing_where_the_person_has_paused_or_is_in_control(paused: Paused) -> None:
    await paused.console(WaitsFor.HAND_BACK)
    assert paused.guard(PauseCause.HOTKEY, Gate.HELD) == ("handed_over", "1 s")


async def test_a_stop_that_is_not_ready_is_told_until_it_is(paused: Paused) -> None:
    await paused.console(PauseCause.HUMAN)
    assert paused.guard(PauseCause.STOP_NOT_LIVE, Gate.HELD | Gate.NOT_LIVE) == ("stop_not_live", "2 s")
    paused.policy.liveness(LIVE)
    assert paused.status == ("human", "1 s")


async def test_what_is_paused_while_it_reaches_the_machine_again_stays_shut(
    paused: Paused, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def reached_late(_: ArmedSession) -> str:
        paused.guard(PauseCause.HOTKEY, Gate.HELD)
        return ""

    paused.guard(PauseCause.TARGET, Gate.HELD)
    monkeypatch.setattr(ArmedSession, "reach", reached_late)
    await paused.console(None)
    assert Gate.HELD in paused.armed.gate


async def test_a_machine_that_cannot_be_reached_keeps_the_gate_shut(
    paused: Paused, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def not_reached(_: ArmedSession) -> str:
        return "It was not reached."

    paused.guard(PauseCause.TARGET, Gate.HELD)
    monkeypatch.setattr(ArmedSession, "reach", not_reached)
    assert (await paused.console(None))[0] == PauseCause.TARGET
    monkeypatch.undo()
    assert (await paused.console(None))[0] == ""
