"""What the model of a resumed run is told."""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.events import Granted
from operator_console.domain.intents import Say
from operator_console.engine.past_conversation import LINES, history_of, unknown_action, unknown_in_words
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
