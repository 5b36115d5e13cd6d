"""What changed between the model's picture and the act stops the act: by what the windows received."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Chord, Click, TypeText
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus
from tests.display.engine.changing import AT, CHANGES, FAR, Screen, Try, play
from tests.display.rig import Desktop

X = Chord(keys=(Key("x"),))


@pytest.mark.parametrize("change", CHANGES)
async def test_nothing_is_delivered_after_a_change(desktop: Desktop, change: str) -> None:
    tries = [Try(change=CHANGES[change]), Try(change=CHANGES[change], first=Click(at=FAR))]
    alone, second = await play(desktop, tries)
    assert (alone.delivered, second.delivered) == (0, 0), (alone, second)
    assert [result.status for result in alone.results] == [CallStatus.NOT_DONE], alone
    assert [result.status for result in second.results] == [CallStatus.DONE, CallStatus.NOT_DONE], second


async def test_the_window_that_came_is_named(desktop: Desktop) -> None:
    over, popup, focus = await play(
        desktop, [Try(change=Screen.another_window), Try(change=Screen.popup), Try(change=Screen.focus_moved)]
    )
    assert "“Over”" in over.results[0].text
    assert "“Popup”" in popup.results[0].text
    assert "“Side”" in focus.results[0].text


@pytest.mark.parametrize(
    "action",
    [TypeText(text="abc"), *(pytest.param(each, marks=pytest.mark.full) for each in (X, TypeText(text="abc", at=AT)))],
)
async def test_no_key_follows_a_focus_that_moved(desktop: Desktop, action: Chord | TypeText) -> None:
    moved, gone = Screen.focus_moved, Screen.window_gone
    tries = [Try(change=change, action=action, first=first) for change in (moved, gone) for first in (None, X)]
    tried = await play(desktop, tries)
    assert [each.delivered for each in tried] == [0] * 4, tried
    assert all(each.results[-1].status is not CallStatus.DONE for each in tried), tried


async def test_without_a_change_everything_arrives(desktop: Desktop) -> None:
    tries = [
        Try(change=None),
        Try(change=None, first=Click(at=FAR)),
        Try(change=None, first=Click(at=AT), action=X),
        Try(change=None, first=X, action=TypeText(text="ab")),
    ]
    tried = await play(desktop, tries)
    assert all(result.status is CallStatus.DONE for each in tried for result in each.results), tried
    assert [each.delivered for each in tried] == [1, 1, 1, 2]
