"""The lease: what renews it, and after how long without an answer a session pauses or stops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.guard_times import INJECTOR_SILENCE_LIMIT_S, LEASE_PAUSE_AFTER_S, LEASE_STOP_AFTER_S
from operator_console.guard.server.lease import Lease, Verdict, answer_to


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
