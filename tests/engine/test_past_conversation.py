"""The conversation that a record holds, wherever the run ended, and how a session goes on with it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from operator_console.domain.actions import AskOperator, TypeText, Wait, Zoom
from operator_console.domain.codec import canonical
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ProviderMalformed
from operator_console.domain.events import Decided, Granted, Message, Performed, Proposed, SessionStarted, Warned
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, Say
from operator_console.domain.proposals import Brief, Call, CallStatus, PastTurn
from operator_console.domain.recorded_requests import Told
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.engine.past_conversation import TURNS, NotContinued, PastConversation, past_conversation
from operator_console.engine.session_context import Options
from tests.engine.rig import Model, Rig, click, does, rig, said

TEXT = TypeText(text="abc")


def read(r: Rig, until: int | None = None, **other: Any) -> PastConversation:
    """The conversation in the record up to this event."""
    given = {"provider": "played", "model": "played-1", "task": "do it", **other}
    found = past_conversation(r.journal.records[:until], r.journal.data.get, **given)
    assert found is not None
    return found


def after(r: Rig, kind: type, number: int = 0) -> int:
    """The position after the `number`-th event of a kind."""
    return [i for i, event in enumerate(r.events) if isinstance(event, kind)][number] + 1


async def test_turns_are_what_the_model_was_given_and_said() -> None:
    r = rig(does(click()), replace(does(TEXT), raw=b"[2]"), said("ok"))
    r.session.post(Say(text="Mind the date."))
    await r.run()
    past = read(r, after(r, Performed, 1))
    assert [turn.raw for turn in past.turns] == [b"{}", b"[2]"]
    for turn, seen in zip(past.turns, r.model.seen, strict=False):
        kept = turn.observation
        assert kept.picture.data == seen.picture.data
        assert (kept.frame.geometry, kept.messages) == (seen.frame.geometry, seen.messages)
        assert [(e.call.name, e.status, e.text, e.changed) for e in kept.results] == [
            (e.call.name, e.status, e.text, e.changed) for e in seen.results
        ]
    assert past.history == ""


@pytest.mark.parametrize(
    ("cut", "statuses", "words"),
    [
        (lambda r: after(r, Proposed), ["not_done", "not_done"], "the run ended before"),
        (lambda r: after(r, Decided), ["not_done", "not_done"], "the run ended before"),
        (lambda r: after(r, Granted), ["failed", "not_done"], "not known whether"),
        (lambda r: after(r, Performed), ["done", "not_done"], ""),
        (lambda r: after(r, Granted, 1), ["done", "failed"], ""),
        (lambda r: after(r, Performed, 1), ["done", "done"], ""),
    ],
)
async def test_calls_end_as_far_as_the_record_goes(
    cut: Callable[[Rig], int], statuses: Sequence[str], words: str
) -> None:
    r = rig(does(click(), TEXT))
    await r.run()
    past = read(r, cut(r))
    assert [each.status for each in past.endings] == statuses
    assert words in past.endings[0].text


async def test_an_unknown_outcome_is_never_something_to_repeat() -> None:
    r = rig(does(click()))
    r.injector.answer = lambda _grant: Outcome(result=ActResult.UNKNOWN, detail="the child died")
    await r.run()
    (ending,) = read(r, after(r, Performed)).endings
    assert ending.status is CallStatus.FAILED
    assert "do not simply repeat" in ending.text


async def test_answers_are_kept_and_other_data_is_told_to_be_lost() -> None:
    r = rig(does(AskOperator(question="Which?"), Zoom(region=Rect(0, 0, 50, 50)), Wait(duration_s=0.1)))
    await r.start()
    question = r.session.question
    assert question is not None
    await r.post(Answer(question_id=question.question_id, answer="The left one."))
    await r.end()
    asked, read_out, waited = read(r, after(r, Performed, 2)).endings
    assert (asked.status, asked.output) == (CallStatus.DONE, "The left one.")
    assert (read_out.status, "lost" in read_out.text) == (CallStatus.FAILED, True)
    assert waited.status is CallStatus.DONE


async def test_calls_not_understood_and_observed_are_told_as_such() -> None:
    r = rig(does(click()), does(None), request=SessionRequest(task="do it", autonomy=Autonomy.OBSERVE))
    await r.run()
    assert read(r, after(r, Decided, 0)).endings[0].status is CallStatus.OBSERVING
    assert read(r, after(r, Decided, 1)).endings[0].status is CallStatus.NOT_UNDERSTOOD


async def test_messages_that_the_model_was_not_given_are_kept() -> None:
    r = rig(does(click()))
    r.session.post(Say(text="First."))
    await r.run()
    end = after(r, Proposed)
    later = replace(r.journal.records[0], event=Message(text="Second."))
    records = [*r.journal.records[:end], later]
    given = past_conversation(records, r.journal.data.get, provider="played", model="played-1", task="do it")
    assert given is not None
    assert given.messages == ("Second.",)
    assert given.turns[0].observation.messages == ("First.",)


async def test_old_turns_and_another_task_are_told_in_words() -> None:
    r = rig(*(does(click(n, n)) for n in range(1, TURNS + 6)))
    await r.run()
    past = read(r, after(r, Performed, TURNS + 4))
    assert len(past.turns) == TURNS
    assert past.turns[0].observation.results == ()
    assert "click at 5, 5" in past.history
    assert "click at 6, 6" not in past.history
    assert "The task was: do it" in read(r, after(r, Performed), task="do that").history


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda r, p: {"model": "played-2"}, "another model (played-1)"),
        (lambda r, p: {"provider": "other"}, "another model (played-1)"),
        (lambda r, p: r.journal.data.pop(p.raw) and {}, "lacks a part"),
        (lambda r, p: r.journal.data.pop(p.told) and {}, "lacks a part"),
        (lambda r, p: r.journal.data.update({p.raw: b"{ }"}), "cannot be continued"),
        (lambda r, p: r.journal.data.update({p.told: canonical(Told())[:-1]}), "cannot be continued"),
    ],
)
async def test_what_cannot_be_used_is_refused_with_the_reason(change: Callable[..., Any], why: str) -> None:
    r = rig(does(click()))
    await r.run()
    other = change(r, r.of(Proposed)[0]) or {}
    with pytest.raises(NotContinued) as caught:
        read(r, after(r, Performed), **other)
    assert why in caught.value.why


async def test_a_record_of_an_older_version_is_told_in_words() -> None:
    r = rig(does(click()))
    await r.run()
    old = [
        replace(record, event=replace(record.event, told="")) if isinstance(record.event, Proposed) else record
        for record in r.journal.records[: after(r, Performed)]
    ]
    with pytest.raises(NotContinued, match="lacks a part"):
        past_conversation(old, r.journal.data.get, provider="played", model="played-1", task="do it")


async def test_a_conversation_that_began_anew_in_a_later_run_is_taken_from_there() -> None:
    first, second = rig(does(click(1, 1))), rig(does(click(2, 2)), options=Options(resumed=True, history="Before."))
    await first.run()
    await second.run()
    records = [*first.journal.records[: after(first, Granted)], *second.journal.records[: after(second, Performed)]]
    stored = {**first.journal.data, **second.journal.data}
    past = past_conversation(records, stored.get, provider="played", model="played-1", task="do it")
    assert past is not None
    assert len(past.turns) == 1
    assert "click at 1, 1" in past.history
    assert [each.status for each in past.endings] == [CallStatus.DONE]


async def test_nothing_was_said_yet() -> None:
    r = rig(does(click()))
    await r.run()
    records = r.journal.records[:2]
    assert past_conversation(records, r.journal.data.get, provider="played", model="played-1", task="do it") is None


class _Continuing(Model):
    """A model that goes on with a conversation; `refuses` is raised instead."""

    def __init__(self, calls: Sequence[Call], refuses: Exception | None = None) -> None:
        super().__init__([said("ok")])
        self.calls = tuple(calls)
        self.refuses = refuses
        self.past: Sequence[PastTurn] = ()

    def begin(self, brief: Brief) -> None:
        super().begin(brief)
        self._pending = ()

    def resume(self, brief: Brief, turns: Sequence[PastTurn]) -> tuple[Call, ...]:
        if self.refuses is not None:
            raise self.refuses
        self.brief, self.past, self._pending = brief, turns, self.calls
        return self.calls


async def _resumed(model: Callable[[Sequence[Call]], _Continuing]) -> tuple[Rig, _Continuing]:
    first = rig(does(click(), TEXT))
    await first.run()
    past = read(first, after(first, Granted, 1))
    made = model(past.calls)
    options = Options(resumed=True, history="Before.", unknown="Look.", past=past)
    r = rig(options=options, model=made)
    await r.run()
    return r, made


async def test_a_session_goes_on_with_the_answers_to_the_last_turn() -> None:
    r, model = await _resumed(_Continuing)
    assert r.of(SessionStarted)[0].rebuilt_turns == 1
    assert model.brief is not None
    assert model.brief.history == ""
    (seen,) = model.seen
    assert [(each.status, each.call.name) for each in seen.results] == [("done", "click"), ("failed", "type_text")]
    assert "goes on in a new run" in seen.messages[-1]
    assert "The task is: do it" in seen.messages[-1]
    assert r.injector.grants == []


@pytest.mark.parametrize(
    "model",
    [
        lambda calls: _Continuing(calls, ProviderMalformed("unreadable")),
        lambda calls: _Continuing(calls, ValueError("they do not fit")),
        lambda calls: _Continuing(calls[:1]),
    ],
)
async def test_a_conversation_that_cannot_be_rebuilt_is_told_in_words_and_the_record_says_so(
    model: Callable[[Sequence[Call]], _Continuing],
) -> None:
    r, played = await _resumed(model)
    assert r.of(SessionStarted)[0].rebuilt_turns == 0
    assert played.brief is not None
    assert played.brief.history == "Before. Look."
    assert "in words" in r.of(Warned)[0].title
    assert "cannot be continued" in r.of(Warned)[0].detail


async def test_what_is_told_is_stored_under_its_digest() -> None:
    r = rig(does(click()))
    await r.run()
    told = r.of(Proposed)[0].told
    assert hashlib.sha256(r.journal.data[told]).hexdigest() == told
