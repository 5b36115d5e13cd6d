"""Any order of silence, answers, pauses, keys, starts, ends and stops: who may send input when.

The guard's server, its session and its files are the real ones, and the injector's gate reads the same ledger through a
mapping of its own. Only the listener, the injector's process, the line to the console and the clock are played. The
model keeps reasons and times in words; it shares no code with the guard.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.frames import TargetKind
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopCause, StopLiveness, WaitsFor
from operator_console.guard import latch
from operator_console.guard.hotkey_matching import parse_hotkeys
from operator_console.guard.latch import LatchState
from operator_console.guard.server import dispatch, latch_writer, lease, session
from operator_console.guard.server.dispatch import GuardServer
from operator_console.guard.server.injector_child import InjectorChild
from operator_console.guard.server.lease import Tick
from operator_console.injector import input_gate
from operator_console.injector.action_errors import Halted
from operator_console.injector.input_gate import InputGate
from tests.engine.rig import AtOnce
from tests.machines import LONG_S, Machine, run

KEYS = ("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>")
PAUSE_S, STOP_S, INJECTOR_S, BEAT_S = 0.5, 2.0, 0.6, 0.1
"""As the architecture page states them, not as the program has them."""
HAND_GONE_S, HAND_WAITED_S = 1.0, 20.0
REMEMBERED = 32


class Clock:
    """Stands for the module `time`, and moves only when told."""

    def __init__(self) -> None:
        self.ns = 1_000_000_000_000

    @property
    def now(self) -> float:
        return self.ns / 1e9

    def monotonic(self) -> float:
        return self.now

    def monotonic_ns(self) -> int:
        return self.ns

    def sleep(self, seconds: float) -> None:
        self.ns += max(1, round(seconds * 1e9))  # what is left of a wait may be less than a nanosecond


class Listener:
    """Hears nothing; says what the machine tells it."""

    probe_keycode = 9
    drained_ns = 0
    tells_devices = True

    def __init__(self) -> None:
        self.liveness = StopLiveness(live=True)
        self.human_input_s = 0.0

    def hear_hold(self, key: str) -> None:
        return

    def watch_corners(self) -> Any:
        return None

    async def prove(self) -> StopLiveness:
        return self.liveness

    def check_alive(self) -> None:
        return


class Child:
    """An injector's process that only counts its ends."""

    def __init__(self) -> None:
        self.killed = self.closed = False
        self.console_end, self._far = socket.socketpair()

    def watch(self, ended: object) -> None:
        return

    def kill(self) -> None:
        self.killed = True

    def wait_dead(self) -> bool:
        return True

    async def end(self) -> None:
        self.close()

    def close(self) -> None:
        self.closed = True
        self.console_end.close()
        self._far.close()


class Console:
    """What the guard says to its console."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def tell(self, message: dict[str, Any], fds: tuple[int, ...] = (), *, droppable: bool = False) -> None:
        self.told.append(message)

    def answer(self, message: dict[str, Any], epoch: int, fds: tuple[int, ...] = ()) -> None:
        self.told.append({"t": "ok", "epoch": epoch})

    def refuse(self, message: dict[str, Any], epoch: int, error: Exception) -> None:
        self.told.append({"t": "refused", "epoch": epoch})

    def flush(self) -> None:
        return

    def take(self, kind: str) -> list[dict[str, Any]]:
        taken = [message for message in self.told if message["t"] == kind]
        self.told = [message for message in self.told if message["t"] != kind]
        return taken


@dataclass
class Injector:
    """The injector's end of one session: its own view of the ledger, and the gate that it asks."""

    ledger: Ledger
    gate: InputGate
    guard_alive: bool = True
    stopped: bool = False


@dataclass
class Expected:
    """What must hold.

    Attributes:
        shut: why nothing may be sent: "held", "lease", "not live", "let go".
        renewed_s: when the newest question that was answered was asked.
        beat_s: when the guard was last seen to run.
        opening: when the operator said to go on, while a hand is waited for.
    """

    armed: bool = False
    stopped: bool = False
    shut: set[str] = field(default_factory=set)
    renewed_s: float = 0.0
    shown_renewed_s: float = 0.0
    beat_s: float = 0.0
    asked: dict[int, float] = field(default_factory=dict)
    asked_s: float = 0.0
    pressed_s: float = 0.0
    live: bool = True
    hold_to_run: bool = False
    held_by: set[str] = field(default_factory=set)
    by_hand: bool = False
    resumes_after_hand: bool = False
    told_to_resume: bool = False
    opening: list[float] = field(default_factory=list)
    void: bool = True  # what the injector began is of an older epoch
    review: bool = False


class Lease(Machine):
    def __init__(self) -> None:
        super().__init__()
        self.clock, self.console, self.listener, self.expected = Clock(), Console(), Listener(), Expected()
        self.waiting: list[asyncio.Future[Tick]] = []
        self.children: list[Child] = []
        self.injectors: list[Injector] = []
        self.answered: list[int] = []
        self.epoch = 0
        self.stack = contextlib.ExitStack()
        for module in (lease, session, dispatch, input_gate):
            self.stack.enter_context(patch.object(module, "time", self.clock))
        for module in (lease, dispatch):
            self.stack.enter_context(patch.object(module, "ticks", self._ticks))
        self.stack.enter_context(patch.object(InjectorChild, "start", self._start))
        self.loop = self.stack.enter_context(asyncio.Runner())
        self.stack.enter_context(patch.object(os, "fsync"))  # no computer is switched off here
        self.stack.enter_context(patch.object(latch_writer, "ThreadPoolExecutor", lambda **_: AtOnce()))
        latch.clear_latch(NO_DISPLAY)
        self.loop.run(self._serve())

    async def _serve(self) -> None:
        self.server = GuardServer(NO_DISPLAY, socket.socket(), parse_hotkeys(*KEYS))
        self.server._line.close()
        self.server._listener = self.listener  # type: ignore[assignment]
        self.server._outbox = self.console  # type: ignore[assignment]
        self.ticking = asyncio.ensure_future(self.server._tick())

    async def _ticks(self) -> AsyncIterator[Tick]:
        while True:
            self.waiting.append(asyncio.get_running_loop().create_future())
            yield await self.waiting[-1]

    async def _start(self, _acted_on: object, ledger_fd: int) -> Child:
        self.children.append(Child())
        ledger = Ledger(os.dup(ledger_fd))
        made = Injector(ledger, InputGate(ledger, lambda: made.guard_alive))
        self.injectors.append(made)
        return self.children[-1]

    def do(self, work: Coroutine[Any, Any, None] | None = None) -> None:
        """Let everything happen that needs no time."""

        async def settled() -> None:
            if work is not None:
                await work
            for _ in range(12):
                await asyncio.sleep(0)

        self.loop.run(settled())

    def handle(self, **message: Any) -> None:
        async def handle() -> None:
            self.server._handle({"id": 1, **message})

        self.do(handle())

    # The ordinary course: each of these rules comes as often as one of the others

    @rule(times=st.integers(1, 4))
    def work(self, times: int) -> None:
        """The session acts while guard and console run as they should."""
        for _ in range(times):
            self.tick(0.05, stalled=False, slept=False, answers=True)
            if self.expected.armed:
                self.begin_action()
            self.input_passes_exactly_when_it_may()

    @rule()
    def go_on(self) -> None:
        """What a patient operator does: whatever stands in the way is moved out of it."""
        e = self.expected
        if e.stopped:
            self.reset(by_terminal=False)
        self.stop_keys(live=True)
        if not e.armed:
            self.start(hold=False, after_hand=False)
        if self.expected.hold_to_run:
            self.hold("key", held=True)
        self.work(2)
        self.console_opens()
        self.work(1)

    @rule()
    def go_on_and_work(self) -> None:
        self.go_on()
        self.work(3)

    @initialize(hold=st.booleans(), after_hand=st.booleans())
    def begin(self, *, hold: bool, after_hand: bool) -> None:
        self.start(hold=hold, after_hand=after_hand)

    # What happens

    @rule(hold=st.booleans(), after_hand=st.booleans())
    def start(self, *, hold: bool, after_hand: bool) -> None:
        self.console.told.clear()
        self.handle(
            t="arm", session="s", target="", kind=TargetKind.BROWSER.value, address="a", hold="<f8>" if hold else None,
            resume_after_hand=after_hand,
        )  # fmt: skip
        e = self.expected
        refused = e.armed or e.stopped or not e.live
        assert bool(self.console.take("refused")) == refused
        if refused:
            return
        now = self.clock.now
        self.expected = replace(
            e, armed=True, shut=set(), renewed_s=now, shown_renewed_s=now, beat_s=now, asked={}, hold_to_run=hold,
            resumes_after_hand=after_hand, opening=[], void=True, by_hand=False, told_to_resume=False,
        )  # fmt: skip
        if hold and not e.held_by:
            self.expected.shut = {"let go"}
        self.answered.clear()

    @rule()
    def end(self) -> None:
        self.handle(t="disarm")
        if self.expected.armed:
            self._no_session()

    def _no_session(self) -> None:
        e = self.expected
        e.armed, e.void, e.review, e.opening = False, True, False, []

    @rule(how=st.sampled_from(["button", "chord", "terminal", "console gone"]))
    def stop(self, how: str) -> None:
        async def stop() -> None:
            match how:
                case "button":
                    self.server._handle({"id": 1, "t": "stop", "cause": "button"})
                case "chord":
                    self.server.stop(StopCause.HOTKEY, "", self.clock.ns)
                case "terminal":
                    await self.server._terminal({"do": "stop"})
                case _:
                    self.server._console_gone("gone")

        self.do(stop())
        e = self.expected
        if how != "console gone" or e.armed:
            self._stops()

    def _stops(self) -> None:
        if self.expected.armed:
            self.injectors[-1].stopped = True
        self.expected.stopped = True
        self._no_session()

    @rule(by_terminal=st.booleans())
    def reset(self, *, by_terminal: bool) -> None:
        epoch = self.server.epoch

        async def reset() -> None:
            if by_terminal:
                await self.server._terminal({"do": "reset"})
            else:
                self.server._handle({"id": 1, "t": "reset"})

        self.do(reset())
        if not self.expected.armed:
            self.expected.stopped = False
        assert self.server.epoch == epoch, "a reset starts nothing"

    @rule(seconds=st.sampled_from([0.04, 0.05, 0.05, 0.1, 0.1, 0.3, 0.41, 0.7, 1.0, 1.9, 2.0, 21.0]))
    def nobody_runs(self, seconds: float) -> None:
        self.clock.sleep(seconds)

    @rule(
        seconds=st.sampled_from([0.05, 0.05, 0.1, 0.1, 0.1, 0.2, 0.4, 0.5, 1.0, 1.6, 2.0]),
        stalled=st.booleans(),
        slept=st.sampled_from([False, False, False, True]),
        answers=st.booleans(),
    )
    def tick(self, seconds: float, *, stalled: bool, slept: bool, answers: bool) -> None:
        """The guard's loop runs; `answers`: so does the console's, at once."""
        self.clock.sleep(seconds)
        now, e = self.clock.now, self.expected
        self.console.take("lease")
        self.console.take("resume")
        self._tick(Tick(now_s=now, stalled=stalled, slept=slept))
        asked = self.console.take("lease")
        if not e.armed:
            assert not asked
            return
        if slept:
            self._pauses({"held"})
        assert bool(asked) == (now - e.asked_s >= BEAT_S)
        for question in asked:
            e.asked_s = e.asked[question["n"]] = now
            for old in list(e.asked)[:-REMEMBERED]:
                del e.asked[old]
        if stalled and not slept:
            e.renewed_s = max(e.renewed_s, now - BEAT_S)
        silent_s = now - e.renewed_s
        if silent_s >= STOP_S:
            self._stops()
            return
        if silent_s >= PAUSE_S and "lease" not in e.shut:
            self._pauses({"lease"})
        quiet_s = now - self.listener.human_input_s
        e.beat_s, e.shown_renewed_s = now, e.renewed_s
        if self._paused_for_hand() and e.resumes_after_hand and not e.told_to_resume and quiet_s >= HAND_GONE_S:
            e.told_to_resume = True
            assert [told["cause"] for told in self.console.take("resume")] == ["hand"]
        self._opening_goes_on(now)
        if answers and asked:
            self.answer_newest()

    def _tick(self, tick: Tick) -> None:
        async def ticked() -> None:
            waiting, self.waiting = self.waiting, []
            for each in waiting:
                each.set_result(tick)

        self.do(ticked())

    def _opening_goes_on(self, now: float) -> None:
        e = self.expected
        if not e.opening:
            return
        if now - self.listener.human_input_s >= HAND_GONE_S:
            self._opens()
        elif now > e.opening[0] + HAND_WAITED_S:
            self._pauses({"held"}, by_hand=True)

    @precondition(lambda self: self.expected.asked)
    @rule()
    def answer_newest(self) -> None:
        self._answer(list(self.expected.asked)[-1])

    @precondition(lambda self: self.expected.asked)
    @rule(which=st.integers(0, 40))
    def answer_an_old_one(self, which: int) -> None:
        asked = list(self.expected.asked)
        self._answer(asked[which % len(asked)])

    @precondition(lambda self: self.answered)
    @rule(which=st.integers(0, 40))
    def answer_again(self, which: int) -> None:
        self._answer(self.answered[which % len(self.answered)])

    @rule(number=st.integers(0, 2**64 - 1))
    def answer_wrong(self, number: int) -> None:
        self._answer(number)

    @precondition(lambda self: self.expected.asked)
    @rule()
    def send_the_question_back(self) -> None:
        self.handle(t="lease", n=list(self.expected.asked)[-1])

    def _answer(self, question: int) -> None:
        self.handle(t="lease", n=2**64 - 1 - question)
        e, now = self.expected, self.clock.now
        asked_s = e.asked.pop(question, None)
        if not e.armed or asked_s is None:
            return
        self.answered.append(question)
        e.renewed_s = e.shown_renewed_s = max(e.renewed_s, asked_s)
        e.beat_s = now
        if "lease" in e.shut and now - e.renewed_s < PAUSE_S:
            e.shut.discard("lease")
            e.void = True

    @rule()
    def pause_chord(self) -> None:
        async def press() -> None:
            self.server._pauses.chord("keys")

        self.do(press())
        e, now = self.expected, self.clock.now
        if now - e.pressed_s > 0.3:
            e.pressed_s = now
            if e.armed:
                self._pauses({"held"})

    @rule()
    def hand(self) -> None:
        """A person takes the mouse."""
        self.listener.human_input_s = self.clock.now

        async def take() -> None:
            self.server._pauses.pause(PauseCause.HAND, "", Gate.HELD)

        self.do(take())
        if self.expected.armed:
            self._pauses({"held"}, by_hand=True)

    def _paused_for_hand(self) -> bool:
        armed = self.server.armed
        return armed is not None and armed.paused_for is PauseCause.HAND

    def _pauses(self, why: set[str], *, by_hand: bool = False) -> None:
        e = self.expected
        e.shut |= why
        e.void = True
        if "held" in why:
            e.opening, e.by_hand, e.told_to_resume = [], by_hand, False

    @rule(live=st.booleans())
    def stop_keys(self, *, live: bool) -> None:
        """The listener hears them, or does not."""
        self.listener.liveness = StopLiveness(live=live, detail="" if live else "deaf")

        async def tell() -> None:
            self.server._liveness(self.listener.liveness)

        self.do(tell())
        e = self.expected
        e.live = live
        if not e.armed:
            return
        if live:
            e.shut.discard("not live")
        elif "not live" not in e.shut:
            self._pauses({"held", "not live"})

    @rule(why=st.sampled_from([PauseCause.HUMAN, WaitsFor.ANSWER, WaitsFor.HAND_BACK]))
    def console_shuts(self, why: PauseCause | WaitsFor) -> None:
        self.handle(t="gate", open=False, why=why.value)
        e = self.expected
        if e.armed:
            if "held" not in e.shut:
                e.void = True
            e.shut.add("held")
            e.opening = []

    @rule()
    def console_opens(self) -> None:
        self.console.take("pause")
        self.handle(t="gate", open=True)
        e = self.expected
        if not e.armed or "held" not in e.shut:
            return
        if "not live" in e.shut:
            assert self.console.take("pause"), "it says why it stays shut"
        elif e.by_hand:
            e.opening.append(self.clock.now)
        else:
            self._opens()

    def _opens(self) -> None:
        e = self.expected
        if "not live" in e.shut:  # noted before the wait; it pauses anew, which ends the wait
            raise AssertionError("a pause ends the wait for the hand")
        e.shut.discard("held")
        e.void, e.by_hand, e.opening = True, False, []
        if "let go" in e.shut:
            self._pauses({"let go"})

    @rule(by=st.sampled_from(["key", "button"]), held=st.booleans())
    def hold(self, by: str, *, held: bool) -> None:
        async def hold() -> None:
            self.server._hold(by, held=held)

        self.do(hold())
        e = self.expected
        before = bool(e.held_by)
        (e.held_by.add if held else e.held_by.discard)(by)
        if not e.armed or not e.hold_to_run or bool(e.held_by) == before:
            return
        if e.held_by:
            e.shut.discard("let go")
            e.void = True
        else:
            self._pauses({"let go"})

    @rule(open_=st.booleans())
    def review(self, *, open_: bool) -> None:
        self.handle(t="review", open=open_)
        self.expected.review = open_ and self.expected.armed

    @rule()
    def approve_chord(self) -> None:
        """Counts only while a question is open and nothing can be sent."""
        self.console.take("approve")

        async def press() -> None:
            self.server._approve_chord()

        self.do(press())
        e = self.expected
        assert bool(self.console.take("approve")) == (e.armed and e.review and bool(e.shut))

    # What the injector does

    @precondition(lambda self: self.expected.armed)
    @rule()
    def begin_action(self) -> None:
        self.epoch = self.server.epoch
        self.injectors[-1].gate.begin(self.epoch)
        self.expected.void = False

    @precondition(lambda self: self.injectors)
    @rule()
    def guard_dies_for_the_injector(self) -> None:
        self.injectors[-1].guard_alive = False

    @precondition(lambda self: self.injectors)
    @rule(waits_s=st.sampled_from([0.005, 0.2, 0.61]))
    def injector_waits(self, waits_s: float) -> None:
        """It looks at the gate while it waits, so a lease that runs out meanwhile ends the wait."""
        injector, began_s = self.injectors[-1], self.clock.now
        try:
            injector.gate.wait(waits_s)
        except Halted:
            assert not self._may_send() or self._at_the_limit()
            return
        assert self.clock.now == pytest.approx(began_s + waits_s)
        e = self.expected
        assert began_s + waits_s - min(e.beat_s, e.shown_renewed_s) <= INJECTOR_S + 0.011

    def _may_send(self) -> bool:
        e = self.expected
        return e.armed and not e.shut and not e.void and self._fresh() and self.injectors[-1].guard_alive

    def _why_not(self) -> NoticeCode:
        """What the record says of an action that is not finished."""
        e = self.expected
        if self.injectors[-1].stopped:
            return NoticeCode.NOT_FINISHED_STOPPED
        if not e.armed or e.shut or e.void:
            return NoticeCode.NOT_FINISHED_PAUSED
        if self.injectors[-1].guard_alive or not self._fresh():
            return NoticeCode.NOT_FINISHED_NO_ANSWER
        return NoticeCode.NOT_FINISHED_GUARD_ENDED

    def _at_the_limit(self) -> bool:
        """Within a microsecond, where the rounding of the clock decides."""
        e = self.expected
        return any(abs(self.clock.now - each_s - INJECTOR_S) < 1e-6 for each_s in (e.beat_s, e.shown_renewed_s))

    def _fresh(self) -> bool:
        now, e = self.clock.now, self.expected
        return now - min(e.beat_s, e.shown_renewed_s) <= INJECTOR_S + 1e-6

    # What must hold

    @invariant()
    def input_passes_exactly_when_it_may(self) -> None:
        for number, injector in enumerate(self.injectors):
            current = number == len(self.injectors) - 1
            sent, said = False, ""
            try:
                with injector.gate.primitive():
                    assert injector.ledger.get(Word.IN_PRIMITIVE) == 1
                    injector.gate.stamp()
                    sent = True
            except Halted as halted:
                said = halted.text
            assert injector.ledger.get(Word.IN_PRIMITIVE) == 0
            if current and self._at_the_limit():
                continue
            assert sent == (current and self._may_send())
            if current and not sent:
                assert said == notice(self._why_not())

    @invariant()
    def a_stop_stands_until_it_is_reset(self) -> None:
        e = self.expected
        assert (self.server.latched is not None) == e.stopped
        assert (self.server.armed is not None) == e.armed
        in_file = latch.read_file(NO_DISPLAY).state
        paused = LatchState.PAUSED if e.shut else LatchState.RUNNING
        assert in_file is (LatchState.STOPPED if e.stopped else paused if e.armed else LatchState.IDLE)
        assert latch.locked(NO_DISPLAY) == e.armed

    @invariant()
    def what_was_stopped_was_killed(self) -> None:
        for child, injector in zip(self.children, self.injectors, strict=True):
            assert child.killed == injector.stopped
            assert child.closed == (injector is not self.injectors[-1] or not self.expected.armed)

    @invariant()
    def epochs_only_rise(self) -> None:
        assert self.server.epoch >= self.epoch
        self.epoch = self.server.epoch

    def teardown(self) -> None:
        async def end() -> None:
            self.ticking.cancel()
            await self.server._tasks.end()
            if self.server.armed is not None:
                self.server.stop(StopCause.COMMAND)
            await self.server._latch_files.close()

        self.loop.run(end())
        for injector in self.injectors:
            injector.ledger.close()
        self.stack.close()


@pytest.mark.timeout(LONG_S)
def test_any_order_of_silence_answers_and_pauses() -> None:
    run(Lease)


def test_a_question_told_after_a_stop_is_none_of_the_next_session() -> None:
    found = Lease()
    try:
        found.begin(hold=False, after_hand=False)
        found.stop(how="button")
        found.review(open_=True)
        found.go_on()
        found.hand()
        found.approve_chord()
    finally:
        found.teardown()
