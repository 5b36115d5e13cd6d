"""A part of the target that cannot be seen is reported to the operator and the model, once."""

from __future__ import annotations

from operator_console.domain.events import EndedOutcome, Warned
from tests.engine.rig import click, does, rig, said

BLACK = "“Film” shows nothing but black; the content may be protected, or not readable here."


async def test_what_is_black_is_said_to_both_once() -> None:
    r = rig(does(click()), does(click()), said("Done."))
    r.computer.covered = BLACK
    await r.run()
    assert [warned.detail for warned in r.of(Warned)] == [BLACK]
    told = [seen.messages for seen in r.model.seen]
    assert [len(messages) for messages in told] == [1, 0, 0]
    assert BLACK in told[0][0]
    assert "ask the operator" in told[0][0]


async def test_another_thing_that_cannot_be_seen_is_said_anew() -> None:
    r = rig(does(click()), does(click()), said("Done."))
    await r.start()
    r.computer.covered = BLACK
    ended = await r.end()
    assert ended.outcome is EndedOutcome.FINISHED
    assert [len(seen.messages) for seen in r.model.seen] == [0, 1, 0]
