"""What the model of a resumed run is told."""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.actions import Wait
from operator_console.domain.decisions import ActResult, DecidedBy, DecisionKind, Outcome
from operator_console.domain.events import (
    Decided,
    Event,
    Granted,
    Performed,
    Proposed,
    ProposedCall,
    Record,
    SessionStarted,
)
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.intents import Say
from operator_console.domain.proposals import CallStatus, Usage
from operator_console.domain.risk import Autonomy
from operator_console.engine.past_conversation import (
    LINES,
    history_of,
    last_call_of,
    unknown_action,
    unknown_in_words,
)
from operator_console.engine.session_context import Options
from tests.engine.rig import click, does, rig, said


async def test_history_names_task_actions_words_and_end() -> None:
    r = rig(does(click()), said("saved it"))
    r.session.post(Say(text="only the first one"))
    await r.run()
    words = history_of(r.journal.records)
    for part in ("do it", "click at 100, 100", "done", "only the first one", "saved it", "finished"):
        assert part in words
    assert unknown_action(r.journal.records) is None
    assert unknown_in_words(None) == ""


async def test_an_action_without_an_outcome_is_unknown() -> None:
    r = rig(does(click()), does(click(7, 7)))
    await r.run()
    until = next(i for i, e in enumerate(r.events) if isinstance(e, Granted) and e.action == click(7, 7))
    found = unknown_action(r.journal.records[: until + 1])
    assert found is not None
    assert found.action == click(7, 7)
    assert "7, 7" in unknown_in_words(found)
    assert "do not simply repeat" in unknown_in_words(found)


async def test_an_outcome_that_is_not_known_is_unknown() -> None:
    r = rig(does(click()))
    r.injector.answer = lambda _g: Outcome(result=ActResult.UNKNOWN, detail="the child died")
    await r.run()
    found = unknown_action(r.journal.records)
    assert found is not None
    assert found.action == click()
    assert "not known" in r.model.seen[1].results[0].text


BEGUN = SessionStarted(
    task="do it", target=MonitorTarget(spec="monitor:1", title="Monitor 1"), provider="runbook", model="runbook",
    autonomy=Autonomy.STEP, max_steps=9, max_minutes=9.0,
)  # fmt: skip
CALL = ProposedCall(index=0, name="click", action=click())


def _event(event: Event | ProposedCall) -> Event:
    return Proposed(step=1, calls=(event,), usage=Usage()) if isinstance(event, ProposedCall) else event


def test_the_last_call_is_told_with_whether_it_was_done() -> None:
    wait = replace(CALL, call_id="line-2", action=Wait(duration_s=1.0))
    line = replace(CALL, call_id="line-1")
    done = Performed(step=1, call=0, result=ActResult.DONE, status=CallStatus.DONE)
    skipped = Decided(step=1, call=0, decision=DecisionKind.SKIP, by=DecidedBy.HUMAN, rule="skipped")
    cases: tuple[tuple[tuple[Event | ProposedCall, ...], tuple[str, bool]], ...] = (
        ((), ("", False)), ((line,), ("line-1", False)), ((line, done), ("line-1", True)),
        ((line, skipped), ("line-1", True)), ((line, done, wait, done), ("line-2", False)),
        ((line, done, replace(CALL, call_id=""), done), ("line-1", True)),
    )  # fmt: skip
    for events, last in cases:
        told = [BEGUN, *map(_event, events)]
        records = [Record(seq=n, time="", event=event) for n, event in enumerate(told, 1)]
        assert last_call_of(records, "do it") == last
        again = [*records, Record(seq=99, time="", event=replace(BEGUN, task="another"))]
        assert last_call_of(again, "do it") == ("", False)


async def test_the_resumed_model_is_told() -> None:
    r = rig(said("ok"), options=Options(resumed=True, history="Before.", unknown="Look first."))
    await r.run()
    assert r.model.brief is not None
    assert r.model.brief.history == "Before. Look first."
    assert r.events[0].kind == "session_started"
    assert getattr(r.events[0], "resumed", None) is True


async def test_long_histories_are_cut_and_say_so() -> None:
    r = rig(does(click()))
    await r.run()
    granted = next(record for record in r.journal.records if isinstance(record.event, Granted))
    many = [replace(granted, seq=n) for n in range(LINES + 30)]
    words = history_of(many)
    assert "30 earlier lines are left out" in words
    assert words.count("\n") == LINES + 1
    assert history_of([]) == ""
