"""The lease and the pauses: what renews it, when a session pauses or stops, and what opens its gate again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.desktop.ledger import Gate
from operator_console.domain.guard_times import INJECTOR_SILENCE_LIMIT_S, LEASE_PAUSE_AFTER_S, LEASE_STOP_AFTER_S
from operator_console.domain.message_texts import notice, to_wire
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopCause, StopLiveness, WaitsFor
from operator_console.guard.server import lease as lease_module
from operator_console.guard.server.lease import Lease, PausePolicy, Tick, Verdict, answer_to, ticks

LIVE, NOT_LIVE = StopLiveness(live=True), StopLiveness(live=False, detail="The listener is dead.")
OPEN: dict[str, Any] = {"open": True}


def test_silence_pauses_then_stops() -> None:
    lease = Lease(10.0)
    assert [lease.verdict(t) for t in (10.0, 10.49, 10.5, 11.99, 12.0)] == [
        Verdict.GOOD, Verdict.GOOD, Verdict.PAUSE, Verdict.PAUSE, Verdict.STOP,
    ]  # fmt: skip


def test_an_answer_renews_to_the_time_of_its_question_once() -> None:
    lease = Lease(0.0)
    early, late = lease.ask(0.1), lease.ask(1.0)
    assert lease.answered(answer_to(late))
    assert lease.renewed_s == 1.0
    assert not lease.answered(answer_to(late)), "replayed"
    assert lease.answered(answer_to(early))
    assert lease.renewed_s == 1.0, "an old answer must not turn time back"


@given(st.integers(min_value=0, max_value=2**64 - 1))
def test_only_the_right_answer_renews(answer: int) -> None:
    lease = Lease(0.0)
    challenge = lease.ask(1.0)
    assert lease.answered(answer) == (answer == answer_to(challenge))


def test_the_injector_halts_after_the_pause_and_before_the_stop() -> None:
    assert LEASE_PAUSE_AFTER_S < INJECTOR_SILENCE_LIMIT_S < LEASE_STOP_AFTER_S
    assert pytest.approx(0.6) == INJECTOR_SILENCE_LIMIT_S


def test_of_the_questions_the_newest_32_can_be_answered() -> None:
    lease = Lease(0.0)
    asked = [lease.ask(float(number)) for number in range(33)]
    assert [lease.answered(answer_to(challenge)) for challenge in asked[:2]] == [False, True]


class Clock:
    """Stands for the module `time`.

    Attributes:
        asleep_s: how long the machine was suspended.
    """

    CLOCK_BOOTTIME = 7

    def __init__(self) -> None:
        self.now, self.asleep_s = 100.0, 0.0

    def monotonic(self) -> float:
        return self.now

    def clock_gettime(self, clock: int) -> float:
        assert clock == self.CLOCK_BOOTTIME
        return self.now + self.asleep_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(lease_module, "time", made)
    return made


class Session:
    """An armed session that notes what is done with it.

    Attributes:
        quiet_in_time: whether the event in progress ends.
        trouble: why what releases cannot be reached.
    """

    def __init__(self) -> None:
        self.lease = Lease(100.0)
        self.gate, self.quiet_in_time, self.trouble = Gate.OPEN, True, ""
        self.resumes_after_hand = self.by_hand = self.resuming = False
        self.paused_for: PauseCause | WaitsFor | None = None
        self.beats = 0

    def shut(self, why: Gate, cause: PauseCause | None = None) -> None:
        self.gate |= why
        self.paused_for = cause

    def shut_for(self, cause: PauseCause | WaitsFor) -> None:
        self.gate |= Gate.HELD
        self.paused_for = cause

    def open(self, why: Gate) -> None:
        self.gate &= ~why

    def beat(self) -> None:
        self.beats += 1

    def set_epoch(self, epoch: int) -> None:
        raise NotImplementedError

    async def quiet(self) -> bool:
        return self.quiet_in_time

    async def reach(self) -> str:
        return self.trouble


class Guard:
    """What the policy tells it, in order."""

    def __init__(self) -> None:
        self.armed: Session | None = Session()
        self.epoch = 1
        self.told: list[dict[str, Any]] = []
        self.done: list[Any] = []

    def stop(self, cause: StopCause, detail: str = "") -> None:
        self.done.append((cause, detail))

    def begin_epoch(self, armed: Session) -> None:
        assert armed is self.armed
        self.epoch += 1

    def publish_status(self) -> None:
        self.done.append("status")

    def tell(self, message: dict[str, Any], *, droppable: bool = False) -> None:
        self.told.append(message | ({"droppable": True} if droppable else {}))

    def answer(self, message: dict[str, Any]) -> None:
        self.done.append(message)

    def take(self) -> list[dict[str, Any]]:
        taken, self.told = self.told, []
        self.done.clear()
        return taken


class Rig:
    def __init__(self, clock: Clock) -> None:
        self.clock, self.guard = clock, Guard()
        assert self.guard.armed is not None
        self.armed = self.guard.armed
        self.policy = PausePolicy(self.guard)  # type: ignore[arg-type]

    def tick(self, seconds: float, *, stalled: bool = False, slept: bool = False) -> list[dict[str, Any]]:
        self.clock.now += seconds
        self.policy.tick(self.armed, Tick(now_s=self.clock.now, stalled=stalled, slept=slept))
        return self.guard.take()


@pytest.fixture
def rig(clock: Clock) -> Rig:
    return Rig(clock)


def paused(cause: PauseCause, epoch: int, detail: str) -> dict[str, Any]:
    return {"t": "pause", "cause": cause.value, "epoch": epoch, **to_wire("detail", detail)}


def resumed(cause: PauseCause, epoch: int) -> dict[str, Any]:
    return {"t": "resume", "cause": cause.value, "epoch": epoch}


async def test_a_wake_up_says_whether_the_guard_or_the_machine_did_not_run(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = iter([(0.0625, 0.0), (0.375, 0.0), (0.4375, 0.0), (0.0625, 1.0), (0.0625, 1.125), (0.0625, 0.0)])
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        awake_s, asleep_s = next(passes)
        clock.now, clock.asleep_s = clock.now + awake_s, clock.asleep_s + asleep_s

    monkeypatch.setattr(lease_module, "asyncio", SimpleNamespace(sleep=sleep))
    found = ticks()
    seen = [await anext(found) for _ in range(6)]
    assert [(tick.stalled, tick.slept) for tick in seen] == [
        (False, False), (False, False), (True, False), (False, False), (False, True), (False, False)
    ]  # fmt: skip
    assert [tick.now_s for tick in seen] == [100.0625, 100.4375, 100.875, 100.9375, 101.0, 101.0625]
    assert slept == [0.05] * 6


async def test_where_the_system_does_not_tell_it_no_machine_was_suspended(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def sleep(_seconds: float) -> None:
        clock.asleep_s += 60

    monkeypatch.setattr(lease_module, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.delattr(Clock, "CLOCK_BOOTTIME")
    assert not (await anext(ticks())).slept


def test_a_pause_shuts_the_gate_in_a_new_epoch_and_is_told(rig: Rig) -> None:
    rig.policy.pause(PauseCause.TARGET, "It is gone.", Gate.HELD)
    assert (rig.armed.gate, rig.armed.paused_for) == (Gate.HELD, PauseCause.TARGET)
    assert rig.guard.done == ["status"]
    assert rig.guard.take() == [paused(PauseCause.TARGET, 2, "It is gone.")]


def test_one_press_that_both_listeners_report_pauses_once(rig: Rig) -> None:
    detail = notice(NoticeCode.PAUSE_KEYS_PRESSED, keys="Ctrl+Alt+P")
    for passes, told in ((0.0, 1), (0.3, 0), (0.1, 1)):
        rig.clock.now += passes
        rig.policy.chord("Ctrl+Alt+P")
        assert [each["detail"] for each in rig.guard.take()] == [detail] * told
    assert (rig.armed.gate, rig.armed.paused_for) == (Gate.HELD, PauseCause.HOTKEY)


async def test_a_stop_that_is_not_live_pauses_once_and_a_person_resumes(rig: Rig) -> None:
    for liveness, told, gate in (
        (LIVE, [], Gate.OPEN),
        (NOT_LIVE, [paused(PauseCause.STOP_NOT_LIVE, 2, NOT_LIVE.detail)], Gate.HELD | Gate.NOT_LIVE),
        (NOT_LIVE, [], Gate.HELD | Gate.NOT_LIVE),
    ):
        rig.policy.liveness(liveness)
        assert (rig.guard.take(), rig.armed.gate) == (told, gate)
    await rig.policy.set_gate(OPEN, NOT_LIVE)
    assert rig.guard.done == ["status", OPEN]
    assert rig.guard.take() == [paused(PauseCause.STOP_NOT_LIVE, 2, NOT_LIVE.detail)]
    rig.policy.liveness(LIVE)
    assert rig.armed.gate == Gate.HELD
    await rig.policy.set_gate(OPEN, LIVE)
    assert (rig.armed.gate, rig.guard.take()) == (Gate.OPEN, [])


async def test_without_a_session_nothing_is_paused(rig: Rig) -> None:
    rig.guard.armed = None
    rig.policy.pause(PauseCause.HOTKEY, "", Gate.HELD)
    rig.policy.liveness(NOT_LIVE)
    await rig.policy.set_gate(OPEN, LIVE)
    assert rig.guard.done == [OPEN]
    assert rig.guard.take() == []
    assert rig.armed.gate == Gate.OPEN


def test_it_is_asked_every_tenth_of_a_second_and_silence_pauses_then_stops(rig: Rig) -> None:
    asked = [len(rig.tick(0.0625)) for _ in range(5)]
    assert asked == [1, 0, 1, 0, 1]
    [question] = rig.tick(0.125)
    assert (question["t"], question["droppable"]) == ("lease", True)
    assert answer_to(answer_to(question["n"])) in rig.armed.lease._asked
    detail = notice(NoticeCode.CONSOLE_SILENT_MS, milliseconds=500)
    assert rig.tick(0.125)[1:] == [paused(PauseCause.LEASE, 2, detail)]
    assert (rig.armed.gate, rig.armed.lease.lapsed) == (Gate.LEASE, True)
    assert [each["t"] for each in rig.tick(0.125)] == ["lease"], "it is told once"
    rig.clock.now += 1.5
    rig.policy.tick(rig.armed, Tick(now_s=rig.clock.now, stalled=False, slept=False))
    assert rig.guard.done == [(StopCause.LAPSE, notice(NoticeCode.CONSOLE_SILENT, seconds=2.0))]


def test_a_guard_that_did_not_run_itself_blames_nobody_unless_the_machine_slept(rig: Rig) -> None:
    assert [each["t"] for each in rig.tick(3.0, stalled=True)] == ["lease"]
    assert rig.armed.lease.renewed_s == pytest.approx(102.9)
    rig.armed.lease.renewed_s = 103.0
    rig.tick(0.0, stalled=True)
    assert rig.armed.lease.renewed_s == 103.0, "time is not turned back"
    told = rig.tick(0.625, stalled=True, slept=True)
    assert told[0] == paused(PauseCause.SUSPEND, 2, notice(NoticeCode.MACHINE_SUSPENDED))
    assert told[-1]["cause"] == "lease"
    assert rig.armed.gate == Gate.HELD | Gate.LEASE


def test_an_answer_resumes_what_silence_alone_had_paused(rig: Rig) -> None:
    rig.policy.lease_answered(rig.armed, 1)
    assert rig.armed.beats == 0
    early = rig.armed.lease.ask(100.0)
    rig.tick(0.625)
    late = rig.armed.lease.ask(100.5)
    rig.policy.lease_answered(rig.armed, answer_to(early))
    assert (rig.armed.beats, rig.armed.gate, rig.guard.take()) == (1, Gate.LEASE, []), "it is too old"
    rig.armed.gate |= Gate.HELD
    rig.policy.lease_answered(rig.armed, answer_to(late))
    assert (rig.armed.beats, rig.armed.gate, rig.armed.lease.lapsed) == (2, Gate.HELD, False)
    assert rig.guard.done == ["status"]
    assert rig.guard.take() == [resumed(PauseCause.LEASE, 3)]
    rig.policy.lease_answered(rig.armed, answer_to(rig.armed.lease.ask(100.6)))
    assert rig.guard.take() == [], "it was not paused"


def test_who_holds_the_key_again_resumes(rig: Rig) -> None:
    rig.policy.pause(PauseCause.HOLD, "", Gate.LET_GO)
    rig.guard.take()
    rig.policy.held_again(rig.armed)
    assert (rig.armed.gate, rig.guard.done) == (Gate.OPEN, ["status"])
    assert rig.guard.take() == [resumed(PauseCause.HOLD, 3)]


def test_a_hand_that_has_left_for_a_second_resumes_once_where_that_is_wanted(rig: Rig) -> None:
    def left(hand_s: float) -> list[dict[str, Any]]:
        rig.policy.hand_left(rig.armed, hand_s, rig.clock.now)
        return rig.guard.take()

    rig.policy.pause(PauseCause.HAND, "", Gate.HELD)
    rig.guard.take()
    assert left(90.0) == [], "nobody wants it"
    rig.armed.resumes_after_hand = True
    assert left(99.5) == []
    assert left(99.0) == [resumed(PauseCause.HAND, 2)]
    assert left(99.0) == []
    rig.policy.pause(PauseCause.HAND, "", Gate.HELD)
    rig.guard.take()
    assert left(99.0) == [resumed(PauseCause.HAND, 3)]
    rig.policy.pause(PauseCause.HOTKEY, "", Gate.HELD)
    rig.guard.take()
    assert left(99.0) == [], "a person paused it"


async def test_the_gate_is_shut_for_what_the_console_says_once_no_input_is_sent(rig: Rig) -> None:
    for why in (WaitsFor.ANSWER, PauseCause.HUMAN):
        message = {"open": False, "why": why.value}
        await rig.policy.set_gate(message, LIVE)
        assert (rig.armed.gate, rig.armed.paused_for, rig.guard.epoch) == (Gate.HELD, why, 2)
        assert rig.guard.done == ["status", message]
        rig.guard.take()
    rig.armed.quiet_in_time = False
    await rig.policy.set_gate({"open": False, "why": "human"}, LIVE)
    assert rig.guard.done[0] == (StopCause.STOP_NOT_LIVE, notice(NoticeCode.INPUT_EVENT_HANGS, seconds=2))


async def test_a_session_that_ended_meanwhile_is_not_stopped(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ends() -> bool:
        rig.guard.armed = None
        return False

    monkeypatch.setattr(rig.armed, "quiet", ends)
    await rig.policy.set_gate({"open": False, "why": "human"}, LIVE)
    assert [each for each in rig.guard.done if isinstance(each, tuple)] == []


async def test_the_gate_opens_in_a_new_epoch_and_not_where_the_target_is_out_of_reach(rig: Rig) -> None:
    await rig.policy.set_gate(OPEN, LIVE)
    assert rig.guard.epoch == 1, "it is open"
    rig.policy.pause(PauseCause.HUMAN, "", Gate.HELD)
    rig.armed.trouble = "It was not reached."
    rig.guard.take()
    await rig.policy.set_gate(OPEN, LIVE)
    assert rig.guard.take() == [paused(PauseCause.TARGET, 3, "It was not reached.")]
    rig.armed.trouble = ""
    await rig.policy.set_gate(OPEN, LIVE)
    assert (rig.armed.gate, rig.guard.epoch, rig.guard.take()) == (Gate.OPEN, 4, [])


async def test_who_let_go_of_the_key_while_the_gate_was_shut_finds_it_paused(rig: Rig) -> None:
    rig.armed.gate = Gate.HELD | Gate.LET_GO
    await rig.policy.set_gate(OPEN, LIVE)
    assert rig.guard.take() == [paused(PauseCause.HOLD, 3, notice(NoticeCode.HOLD_KEY_UP))]
    assert rig.armed.gate == Gate.LET_GO


@pytest.mark.parametrize("meanwhile", ["it is paused again", "the session ended"])
async def test_a_gate_that_is_shut_while_it_is_opened_stays_shut(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    async def reach() -> str:
        if meanwhile == "the session ended":
            rig.guard.armed = None
        else:
            await rig.policy.set_gate({"open": False, "why": "human"}, LIVE)
        return ""

    rig.policy.pause(PauseCause.HUMAN, "", Gate.HELD)
    monkeypatch.setattr(rig.armed, "reach", reach)
    await rig.policy.set_gate(OPEN, LIVE)
    assert (rig.armed.gate, rig.guard.epoch) == (Gate.HELD, 2)


@pytest.mark.parametrize(
    ("hand_s", "opens_after_s"), [(99.0, 0.5), (99.75, 1.0), (None, 20.5)], ids=["gone", "leaves", "stays"]
)
async def test_after_a_pause_for_the_hand_the_gate_opens_once_it_has_left(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, hand_s: float | None, opens_after_s: float
) -> None:
    async def half_seconds() -> AsyncIterator[Tick]:
        while True:
            rig.clock.now += 0.5
            yield Tick(now_s=rig.clock.now, stalled=False, slept=False)

    monkeypatch.setattr(lease_module, "ticks", half_seconds)
    rig.policy.pause(PauseCause.HAND, "", Gate.HELD)
    rig.guard.take()
    await rig.policy.set_gate(OPEN, LIVE, lambda: rig.clock.now if hand_s is None else hand_s)
    assert rig.clock.now == 100.0 + opens_after_s
    if hand_s is None:
        assert rig.guard.take() == [paused(PauseCause.HAND, 3, notice(NoticeCode.HAND_STAYS))]
        assert rig.armed.gate == Gate.HELD
    else:
        assert (rig.armed.gate, rig.guard.take()) == (Gate.OPEN, [])
        rig.policy.pause(PauseCause.HUMAN, "", Gate.HELD)
        before = rig.clock.now
        await rig.policy.set_gate(OPEN, LIVE, lambda: rig.clock.now)
        assert rig.clock.now == before, "that was no hand"


@pytest.mark.parametrize("during_the_wait", [False, True])
async def test_a_console_that_was_silent_meanwhile_does_not_end_the_wait_for_the_hand(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, *, during_the_wait: bool
) -> None:
    async def moments() -> AsyncIterator[Tick]:
        if during_the_wait:
            rig.policy.pause(PauseCause.LEASE, "", Gate.LEASE)
        for rig.clock.now in (100.5, 101.0):
            yield Tick(now_s=rig.clock.now, stalled=False, slept=False)

    monkeypatch.setattr(lease_module, "ticks", moments)
    rig.policy.pause(PauseCause.HAND, "", Gate.HELD)
    if not during_the_wait:
        rig.policy.pause(PauseCause.LEASE, "", Gate.LEASE)
    await rig.policy.set_gate(OPEN, LIVE, lambda: 100.0)
    assert (rig.clock.now, rig.armed.gate) == (101.0, Gate.LEASE)


async def test_a_hand_is_no_longer_waited_for_once_the_session_ended_or_was_paused_otherwise(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def moments() -> AsyncIterator[Tick]:
        rig.policy.pause(PauseCause.HUMAN, "", Gate.HELD)
        yield Tick(now_s=rig.clock.now, stalled=False, slept=False)
        rig.guard.armed = None
        yield Tick(now_s=rig.clock.now, stalled=False, slept=False)

    monkeypatch.setattr(lease_module, "ticks", moments)
    rig.policy.pause(PauseCause.HAND, "", Gate.HELD)
    await rig.policy.set_gate(OPEN, LIVE, lambda: rig.clock.now)
    assert (rig.armed.gate, rig.armed.paused_for) == (Gate.HELD, PauseCause.HUMAN)
    assert rig.guard.armed is rig.armed
