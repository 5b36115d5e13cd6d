"""What the end of a wait tells of a call's effect is in the timeline's line."""

from __future__ import annotations

from operator_console.domain import actions as a
from operator_console.domain.geometry import NativePoint
from operator_console.ui.view.session_view import Phase
from operator_console.ui.view.timeline_entries import entry_of
from tests.display.ui.scene import Story, call_of
from tests.ui.view.folding import fold_all


def begun(calls: int) -> Story:
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, *(call_of(n, a.Click(at=NativePoint(9, 9))) for n in range(calls)))
    return story


def test_a_click_without_an_effect_is_said_to_have_none() -> None:
    story = begun(1)
    story.done(1, 0)
    story.settled(1, 0, changed=False)
    assert entry_of(fold_all(story.records).items[-1]).detail == "done · screen unchanged"


def test_between_two_calls_the_turn_goes_on() -> None:
    story = begun(2)
    story.done(1, 0)
    story.settled(1, 0, changed=True)
    assert fold_all(story.records).phase is Phase.ACTING
    story.done(1, 1)
    story.settled(1, 1, changed=None)
    view = fold_all(story.records)
    assert view.phase is Phase.OBSERVING
    told = [call.changed for call in view.items[-1].calls]  # type: ignore[union-attr]
    assert told == [True, None]
