"""What the injector asks before each event: why it may not go on, and that a wait ends with a stop."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector import input_gate
from operator_console.injector.action_errors import Halted
from operator_console.injector.input_gate import InputGate

SILENCE_NS = 600_000_000


class Clock:
    def __init__(self) -> None:
        self.ns = 10**12
        self.slept: list[float] = []
        self.wakes: Callable[[], None] = lambda: None

    def monotonic(self) -> float:
        return self.ns / 1e9

    def monotonic_ns(self) -> int:
        return self.ns

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept.append(seconds)
        self.ns += max(1, round(seconds * 1e9))
        self.wakes()


class Rig:
    def __init__(self) -> None:
        self.clock, self.guard_alive = Clock(), True
        self.ledger, self._fd = Ledger.in_memory()
        self.ledger.set(Word.EPOCH, 4)
        self.gate = InputGate(self.ledger, lambda: self.guard_alive)
        self.beat()

    def beat(self) -> None:
        self.ledger.set(Word.BEAT_NS, self.clock.ns)
        self.ledger.set(Word.LEASE_NS, self.clock.ns)

    def close(self) -> None:
        self.ledger.close()
        os.close(self._fd)


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    made = Rig()
    monkeypatch.setattr(input_gate, "time", made.clock)
    yield made
    made.close()


def halted(rig: Rig) -> str:
    with pytest.raises(Halted) as caught:
        rig.gate.check()
    return caught.value.text


@pytest.mark.parametrize("why", [Gate.HELD, Gate.LEASE, Gate.NOT_LIVE, Gate.IDLE, Gate.LET_GO])
def test_a_shut_gate_is_a_pause_and_a_stopped_one_a_stop(rig: Rig, why: Gate) -> None:
    rig.ledger.gate = why
    assert halted(rig) == notice(NoticeCode.NOT_FINISHED_PAUSED)
    rig.ledger.gate = why | Gate.STOPPED
    assert halted(rig) == notice(NoticeCode.NOT_FINISHED_STOPPED)


def test_an_action_of_an_older_epoch_does_not_go_on(rig: Rig) -> None:
    rig.gate.check()
    rig.ledger.set(Word.EPOCH, 5)
    assert halted(rig) == notice(NoticeCode.NOT_FINISHED_PAUSED)
    rig.gate.begin(5)
    rig.gate.check()
    rig.gate.begin(6)
    assert halted(rig) == notice(NoticeCode.NOT_FINISHED_PAUSED)


@pytest.mark.parametrize("silent", [Word.BEAT_NS, Word.LEASE_NS])
def test_silence_of_the_guard_or_the_console_halts_after_six_tenths_of_a_second(rig: Rig, silent: Word) -> None:
    began_ns = rig.clock.ns
    rig.clock.ns += SILENCE_NS + 1
    rig.beat()
    rig.ledger.set(silent, began_ns)
    assert halted(rig) == notice(NoticeCode.NOT_FINISHED_NO_ANSWER)
    rig.clock.ns -= 1
    rig.gate.check()


def test_without_a_guard_nothing_goes_on(rig: Rig) -> None:
    rig.guard_alive = False
    assert halted(rig) == notice(NoticeCode.NOT_FINISHED_GUARD_ENDED)


def test_a_primitive_is_announced_before_the_gate_is_read_and_withdrawn_whatever_happens(rig: Rig) -> None:
    announced: list[int] = []

    def alive() -> bool:
        announced.append(rig.ledger.get(Word.IN_PRIMITIVE))
        return True

    rig.gate = InputGate(rig.ledger, alive)
    with rig.gate.primitive():
        assert rig.ledger.get(Word.IN_PRIMITIVE) == 1
    assert announced == [1]
    assert rig.ledger.get(Word.IN_PRIMITIVE) == 0
    with pytest.raises(ZeroDivisionError), rig.gate.primitive():
        raise ZeroDivisionError
    assert rig.ledger.get(Word.IN_PRIMITIVE) == 0
    rig.ledger.gate = Gate.STOPPED
    with pytest.raises(Halted), rig.gate.primitive():
        pytest.fail("the gate is shut")
    assert rig.ledger.get(Word.IN_PRIMITIVE) == 0


def test_events_are_counted_and_their_time_noted(rig: Rig) -> None:
    rig.gate.stamp()
    assert (rig.ledger.get(Word.EVENTS), rig.ledger.get(Word.LAST_EVENT_NS)) == (1, rig.clock.ns)
    rig.clock.ns += 5
    rig.gate.stamp(3)
    assert (rig.ledger.get(Word.EVENTS), rig.ledger.get(Word.LAST_EVENT_NS)) == (4, rig.clock.ns)


def test_a_wait_looks_at_the_gate_every_ten_milliseconds(rig: Rig) -> None:
    began_ns = rig.clock.ns
    rig.gate.wait(0.025)
    assert rig.clock.slept == pytest.approx([0.01, 0.01, 0.005])
    assert rig.clock.ns - began_ns == pytest.approx(25_000_000, abs=10)
    rig.gate.wait(0)
    assert len(rig.clock.slept) == 3
    rig.clock.slept.clear()
    rig.clock.wakes = lambda: setattr(rig.ledger, "gate", Gate.STOPPED)
    with pytest.raises(Halted):
        rig.gate.wait(1.0)
    assert rig.clock.slept == [0.01]


def test_a_condition_is_asked_for_twice_in_a_millisecond_until_its_time_is_up(rig: Rig) -> None:
    asked: list[float] = []

    def third() -> bool:
        asked.append(rig.clock.monotonic())
        return len(asked) == 3

    assert rig.gate.wait_for(third, 1.0)
    assert rig.clock.slept == pytest.approx([0.0005, 0.0005])
    rig.clock.slept.clear()
    assert not rig.gate.wait_for(lambda: False, 0.0012)
    assert rig.clock.slept == pytest.approx([0.0005, 0.0005, 0.0002], abs=1e-6)
    assert not rig.gate.wait_for(lambda: False, 0.0)
    assert rig.gate.wait_for(lambda: True, 0.0)
    rig.ledger.gate = Gate.HELD
    assert rig.gate.wait_for(lambda: True, 1.0), "what is so already needs no wait"
    with pytest.raises(Halted):
        rig.gate.wait_for(lambda: False, 1.0)
