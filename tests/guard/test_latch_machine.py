"""Any order of starts, pauses, ends, stops, deaths, damage and resets on two displays: what each latch says.

The files and locks are the real ones; a session does with them what the guard does. The model knows for each display
who holds it and what was said last. After a stop nothing starts until a reset, and a reset starts nothing.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from unittest.mock import patch

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from operator_console.domain.display_names import normal_display
from operator_console.domain.errors import OperatorError
from operator_console.guard import latch
from operator_console.guard.latch import LatchState, LatchStatus, ResetRefused, refuse_if_stopped
from tests.machines import LONG_S, Machine, run

OURS, THEIRS = ":7", ":8"
DISPLAYS = (OURS, THEIRS)
SINCE = "2026-01-01T00:00:00.000000Z"
both = st.sampled_from([(OURS,), (THEIRS,), DISPLAYS])
one = st.sampled_from([OURS, THEIRS, ":7.0", "unix:8"])


@dataclass
class Said:
    """What the file of a display says.

    Attributes:
        displays: those that are stopped and reset together; () for a stop from a terminal.
    """

    state: LatchState
    reason: str
    session: str
    displays: tuple[str, ...]


@dataclass
class Session:
    name: str
    displays: tuple[str, ...]
    locks: list[int]


class Latches(Machine):
    def __init__(self) -> None:
        super().__init__()
        folder = latch.run_dir()
        self.stack = contextlib.ExitStack()
        self.stack.enter_context(patch.object(os, "fsync"))  # no computer is switched off here
        self.stack.enter_context(patch.object(latch, "run_dir", lambda: folder))  # else it is made for each file
        self.at_work: dict[str, Session] = {}
        self.said: dict[str, Said | None] = dict.fromkeys(DISPLAYS)
        self.number = 0
        for display in DISPLAYS:
            latch.forget(display)

    def expected(self, display: str) -> tuple[LatchState, str]:
        """State and reason as they must be told."""
        said = self.said[display]
        if said is None:
            return LatchState.IDLE, ""
        if said.state is not LatchState.STOPPED and display not in self.at_work:
            return LatchState.STOPPED, "guard_died"
        return said.state, said.reason

    def stopped(self, displays: tuple[str, ...]) -> bool:
        return any(self.expected(each)[0] is LatchState.STOPPED for each in displays)

    def say(self, session: Session, state: LatchState, reason: str) -> None:
        for display in session.displays:
            said = Said(state, reason, session.name, session.displays)
            latch.write_latch(
                LatchStatus(
                    display=display, state=said.state, reason=reason, since=SINCE, session=session.name,
                    displays=session.displays, pid=1, stop_live=True,
                ),
                keep_room=True,
            )  # fmt: skip
            self.said[display] = said

    def unlock(self, session: Session) -> None:
        while session.locks:
            os.close(session.locks.pop())
        for display in session.displays:
            del self.at_work[display]

    @rule(displays=both)
    def start(self, displays: tuple[str, ...]) -> None:
        may = not self.stopped(displays) and not any(each in self.at_work for each in displays)
        self.number += 1
        session = Session(f"s{self.number}", displays, [])
        try:
            refuse_if_stopped(displays)
            for display in displays:
                lock = latch.take_lock(display) if display not in self.at_work else None
                if lock is None:
                    raise OperatorError("taken")
                session.locks.append(lock)
            refuse_if_stopped(displays, ours=True)
        except OperatorError:
            assert not may
            while session.locks:
                os.close(session.locks.pop())
            return
        assert may
        self.at_work |= dict.fromkeys(displays, session)
        self.say(session, LatchState.RUNNING, "")

    @rule(display=st.sampled_from(DISPLAYS), paused=st.booleans())
    def pause_or_go_on(self, display: str, *, paused: bool) -> None:
        session = self.at_work.get(display)
        if session is not None:
            self.say(session, LatchState.PAUSED if paused else LatchState.RUNNING, "human" if paused else "")

    @rule(display=st.sampled_from(DISPLAYS))
    def end(self, display: str) -> None:
        session = self.at_work.get(display)
        if session is None:
            return
        for each in session.displays:
            latch.clear_latch(each)
            self.said[each] = None
        self.unlock(session)

    @rule(display=st.sampled_from(DISPLAYS), reason=st.sampled_from(["hotkey", "corner", "lapse"]))
    def stop(self, display: str, reason: str) -> None:
        session = self.at_work.get(display)
        if session is not None:
            self.say(session, LatchState.STOPPED, reason)
            self.unlock(session)

    @rule(display=st.sampled_from(DISPLAYS))
    def die(self, display: str) -> None:
        session = self.at_work.get(display)
        if session is not None:
            self.unlock(session)

    @rule(display=st.sampled_from(DISPLAYS), content=st.sampled_from([b"", b"{", b'{"state": "fine"}', b"\xff"]))
    def damage(self, display: str, content: bytes) -> None:
        if self.said[display] is None or display in self.at_work:
            return
        latch.path_of(display, "latch.json").write_bytes(content)
        self.said[display] = Said(LatchState.STOPPED, "guard_died", "", ())

    @rule(display=one)
    def stop_from_a_terminal(self, display: str) -> None:
        """Stops what is at work anywhere, and the display, whatever is there. A first reason stays."""
        name = normal_display(display)
        asked = sorted({name, *self.at_work})
        told = latch.request_stop(display)
        assert [status.display for status in told] == asked
        assert all(status.state is LatchState.STOPPED for status in told)
        for each in asked:
            if self.expected(each)[0] is not LatchState.STOPPED:
                self.said[each] = Said(LatchState.STOPPED, "command", "", ())
        for session in list(self.at_work.values()):
            if session.locks:
                self.unlock(session)  # its guard is killed

    @rule(display=one)
    def reset(self, display: str) -> None:
        name = normal_display(display)
        if self.expected(name)[0] in {LatchState.RUNNING, LatchState.PAUSED}:
            with pytest.raises(ResetRefused):
                latch.reset(display)
            return
        said = self.said[name]
        assert latch.reset(display).state is LatchState.IDLE
        for each in {name, *(said.displays if said is not None else ())}:
            if each == name or each not in self.at_work:
                self.said[each] = None

    @invariant()
    def the_files_say_what_happened(self) -> None:
        for display in DISPLAYS:
            state, reason = self.expected(display)
            said = self.said[display]
            for found in (latch.read_file(display), latch.read_status(display)):
                assert (found.state, found.reason) == (state, reason)
                assert found.session == (said.session if said is not None else "")
            assert latch.locked(display) == (display in self.at_work)

    @invariant()
    def nothing_starts_where_it_was_stopped(self) -> None:
        for display in DISPLAYS:
            if self.stopped((display,)):
                with pytest.raises(OperatorError, match="stopped"):
                    refuse_if_stopped([display])
            else:
                refuse_if_stopped([display])

    @invariant()
    def a_reader_never_writes(self) -> None:
        names = {path.name.removeprefix("_3a") for path in latch.run_dir().iterdir()}
        kinds = ("latch.json", "lock", "latch.0.kept", "latch.1.kept")
        assert names <= {f"{display[1:]}.{kind}" for display in DISPLAYS for kind in kinds}

    def teardown(self) -> None:
        for session in self.at_work.values():
            while session.locks:
                os.close(session.locks.pop())
        self.stack.close()


@pytest.mark.timeout(LONG_S)
def test_any_order_of_starts_stops_and_resets() -> None:
    run(Latches)
