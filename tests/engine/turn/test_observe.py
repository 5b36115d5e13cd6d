"""What of the target cannot be seen, and further windows, are reported to the operator and the model, once."""

from __future__ import annotations

import pytest

from operator_console.domain.events import EndedOutcome, Warned
from operator_console.domain.frames import WindowInfo, WindowTarget
from operator_console.domain.geometry import Rect
from operator_console.domain.proposals import Observation, Proposal
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


def second(number: int, title: str) -> WindowInfo:
    return WindowInfo(window_id=number, title=title, app="Orders", pid=4, rect=Rect(0, 0, 40, 40))


@pytest.mark.parametrize("joins", [True, False])
async def test_a_further_window_is_told_to_both_once(joins: bool) -> None:
    window = second(2, "Sign in\u202e")

    def opens(_observation: Observation) -> Proposal:
        if joins:
            r.computer.joined, r.computer.windows = (2,), [second(1, "Orders"), window]
        else:
            r.computer.apart = (window,)
        return does(click())

    target = WindowTarget(spec="window:0x1", title="Orders", window_id=1, app="Orders")
    r = rig(opens, does(click()), said("Done."), target=target)
    await r.run()
    [warned] = r.of(Warned)
    part = "It is a part of the target now." if joins else "It is not in the picture."
    assert warned.title == f"A second window of Orders opened: “Sign in⟨U+202E⟩”. {part}"
    assert ("choose that window" in warned.detail) is not joins
    told = [seen.messages for seen in r.model.seen]
    assert [len(messages) for messages in told] == [0, 1, 0]
    assert "“Sign in⟨U+202E⟩”" in told[1][0]
    assert ("ask the operator" in told[1][0]) is not joins
