"""The window that receives the input is the one that is assessed, by point or by focus, and part of the grant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Chord, Click, Drag, Press, Scroll, TypeText
from operator_console.domain.decisions import Surface
from operator_console.domain.errors import RejectedReason
from operator_console.domain.events import Granted, Performed, Proposed
from operator_console.domain.frames import VmTarget, WindowInfo, WindowTarget
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint
from operator_console.domain.grants import FocusRule
from operator_console.domain.intents import Answer, Approve
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.viewer_names import Viewer
from tests.engine.rig import Gate, Rig, Turn, Words, click, does, quiet, rig, said

NOTES = WindowInfo(window_id=5, title="notes.txt - Mousepad", app="Mousepad", pid=1, rect=Rect(0, 0, 190, 300))
SHELL = WindowInfo(window_id=6, title="shell", app="XTerm", pid=2, rect=Rect(190, 0, 190, 300))
KEYS = WindowInfo(window_id=7, title="Vault", app="KeePassXC", pid=3, rect=Rect(190, 0, 190, 300))
IN_SHELL = NativePoint(250, 100)
ENTER = Chord(keys=(Key("enter"),))


def two_windows(*turns: Turn, right: WindowInfo = SHELL) -> Rig:
    """The notes have the focus; a click gives it to the window it hits."""
    r = rig(*turns)
    r.computer.windows = [NOTES, right]
    r.computer.focus = NOTES

    def focus(action: Action) -> None:
        if isinstance(action, Click) and action.at is not None:
            r.computer.focus = right if right.rect.contains(action.at.x, action.at.y) else NOTES

    r.injector.on_act = focus
    return r


async def asked(r: Rig) -> set[Category]:
    question = r.session.question
    assert question is not None
    assert question.surface is Surface.DIALOG
    assert question.assessment is not None
    categories = set(question.assessment.categories)
    await r.post(Answer(question_id=question.question_id, answer="no"))
    await r.end()
    return categories


async def test_text_with_a_point_is_judged_by_the_window_at_the_point() -> None:
    r = two_windows(does(TypeText(text="touch it", at=IN_SHELL, submit=True)))
    await r.start()
    await r.settled()
    assert await asked(r) == {Category.TERMINAL}
    assert r.injector.grants == []


async def test_text_after_a_click_is_judged_by_the_focus_that_the_click_gave() -> None:
    r = two_windows(does(Click(at=IN_SHELL), TypeText(text="touch it", submit=True)))
    await r.start()
    await r.settled()
    assert await asked(r) == {Category.TERMINAL}
    assert r.injector.actions == [Click(at=IN_SHELL)]


async def test_text_is_judged_by_the_title_that_its_window_has_now() -> None:
    r = two_windows(does(TypeText(text="Router: admin / Tulpenveld!63")))

    async def receiver(at: NativePoint | None) -> WindowInfo:
        return replace(NOTES, title="passwords.txt - Mousepad")

    r.computer.receiver = receiver  # type: ignore[method-assign]
    await r.start()
    await r.settled()
    assert await asked(r) == {Category.CREDENTIALS}


async def test_a_click_is_judged_by_the_application_that_it_hits() -> None:
    r = two_windows(does(Click(at=IN_SHELL)), right=KEYS)
    await r.start()
    await r.settled()
    assert await asked(r) == {Category.SECURITY}


@pytest.mark.parametrize("turned", [False, True])
async def test_a_drag_is_judged_at_both_ends(turned: bool) -> None:
    path = (NativePoint(20, 20), IN_SHELL)
    r = two_windows(does(Drag(path=path[::-1] if turned else path)), right=KEYS)
    await r.start()
    await r.settled()
    assert await asked(r) == {Category.SECURITY}


async def test_what_is_shown_of_a_proposal_is_judged_the_same_way() -> None:
    gate = Gate(does(TypeText(text="x", at=IN_SHELL), TypeText(text="x")))
    r = two_windows(gate)
    await r.start()
    gate.open()
    await quiet()
    rules = [call.assessment.rule for call in r.of(Proposed)[0].calls if call.assessment is not None]
    assert rules == ["text-into-terminal", "ordinary-typing"]
    await r.end()


async def test_keys_are_bound_to_the_window_that_they_were_judged_for() -> None:
    calls = does(TypeText(text="a"), Click(at=IN_SHELL), TypeText(text="b"), TypeText(text="c", at=NativePoint(9, 9)))
    r = two_windows(calls, does(ENTER), said("ok"))
    r.computer.focus = NOTES
    await r.start()
    await r.settled()
    rules = [grant.focus for grant in r.injector.grants]
    assert rules == [FocusRule(window_id=5), None, FocusRule(window_id=6), FocusRule(window_id=5)]
    assert await asked(r) == {Category.TERMINAL}  # the next frame tells the focus anew, here the terminal's


async def test_keys_of_a_window_target_are_bound_to_it() -> None:
    r = rig(does(TypeText(text="a")))
    r.computer._target = WindowTarget(spec="window:0x4d", title="", window_id=77)
    r.computer.focus, r.computer.focus_in_target = NOTES, False
    await r.run()
    assert r.injector.grants[0].focus == FocusRule(window_id=77)


@pytest.mark.parametrize("action", [Click(at=None), Press(at=None), Scroll(at=None, dy=1)])
async def test_a_click_without_a_point_needs_the_pointer_on_the_target(action: Action) -> None:
    r = rig(does(action))
    r.computer.pointer = ScreenPoint(5000, 20)  # the human's, on another monitor
    await r.run()
    assert r.injector.grants == []
    assert r.of(Performed)[0].reason == RejectedReason.OUT_OF_RANGE.value
    assert r.model.seen[1].results[0].status is CallStatus.FAILED


async def test_every_point_of_a_drag_is_prepared() -> None:
    path = (NativePoint(1, 1), NativePoint(50, 50), NativePoint(90, 10))
    r = rig(does(Drag(path=path)))
    await r.run()
    assert [(p.at, p.path) for p in r.computer.prepared] == [(path[0], path[1:])]


async def test_what_is_sent_without_keys_needs_no_focus() -> None:
    r = two_windows(does(click()))
    await r.run()
    assert r.injector.grants[0].focus is None


@pytest.mark.parametrize("action", [Click(at=IN_SHELL), TypeText(text="x", at=IN_SHELL), Click(at=None)])
async def test_what_was_judged_for_one_window_does_not_reach_another_that_came_since(action: Action) -> None:
    r = rig(does(action), said("ok"), autonomy=Autonomy.STEP)
    r.computer.windows, r.computer.focus = [NOTES, SHELL], NOTES
    r.computer.pointer = ScreenPoint(IN_SHELL.x, IN_SHELL.y)
    await r.start()
    question = r.session.question
    assert question is not None
    r.computer.windows.append(replace(KEYS, rect=Rect(200, 50, 100, 100)))
    await r.post(Approve(question_id=question.question_id))
    await r.end()
    assert (r.injector.grants, r.of(Granted)) == ([], [])
    result = r.model.seen[1].results[0]
    assert result.status is CallStatus.NOT_DONE
    told = (NoticeCode.OTHER_WINDOW_THERE, NoticeCode.LOOK_AGAIN)
    assert all(words in result.text for words in ("“Vault”", *map(notice, told)))


async def test_where_no_window_is_any_more_none_is_named() -> None:
    r = rig(does(Click(at=IN_SHELL)), said("ok"), autonomy=Autonomy.STEP)
    r.computer.windows, r.computer.focus = [NOTES, SHELL], NOTES
    await r.start()
    question = r.session.question
    assert question is not None
    r.computer.windows.pop()
    await r.post(Approve(question_id=question.question_id))
    await r.end()
    [performed] = r.of(Performed)
    assert performed.detail == joined(notice(NoticeCode.OTHER_WINDOW_THERE), notice(NoticeCode.LOOK_AGAIN))


async def test_a_viewers_title_does_not_judge_what_is_clicked_in_its_machine() -> None:
    viewer = replace(SHELL, title="root@bank - TigerVNC", app="TigerVNC Viewer")
    vm = VmTarget(
        spec="vm:0x6", title="Virtual machine · root@bank", window_id=6, viewer=Viewer.TIGERVNC, name="root@bank"
    )
    reader = Words(("OK", Rect(240, 92, 20, 16)))
    r = rig(does(Click(at=IN_SHELL)), target=vm, reader=reader)
    r.computer.windows, r.computer.focus = [viewer], viewer
    await r.start()
    await r.settled()
    assert r.session.question is None
    assert len(r.injector.grants) == 1
    await r.end()
