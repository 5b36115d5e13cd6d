"""What the calls of a turn are checked against: the picture, its windows, the focus, and the turn's own effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
    Wait,
)
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import WindowInfo, WindowTarget
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import Grant, HolderCheck, OwnerCheck
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus, Observation, Proposal
from tests.engine.rig import Rig, Turn, click, does, rig, said

NOTES = WindowInfo(window_id=5, title="Notes", app="Mousepad", pid=1, rect=Rect(0, 0, 200, 300))
OTHER = WindowInfo(window_id=6, title="Other", app="Galculator", pid=2, rect=Rect(200, 0, 200, 300))
POPUP = WindowInfo(window_id=9, title="Popup", app="popup", pid=3, rect=Rect(60, 60, 90, 90))
IN_OTHER = NativePoint(250, 100)
X = Chord(keys=(Key("x"),))


def desktop(*turns: Turn, size: tuple[int, int] = (400, 300)) -> Rig:
    """Two windows side by side; a press gives its window the focus. Grants are refused as the real injector does."""
    r = rig(*turns)
    r.computer.windows, r.computer.focus = [NOTES, OTHER], NOTES
    r.injector.answer = lambda grant: refused_where_changed(r, grant)
    r.injector.on_act = lambda action: gives_focus(r, action)
    return r


def gives_focus(r: Rig, action: Action) -> None:
    at = getattr(action, "at", None)
    if isinstance(action, Click | Press | TypeText) and at is not None:
        r.computer.focus = OTHER if OTHER.rect.contains(at.x, at.y) else NOTES


def refused_where_changed(r: Rig, grant: Grant) -> Outcome | None:
    def refused(why: str) -> Outcome:
        r.injector.grants.remove(grant)
        return Outcome(result=ActResult.FAILED, detail=why, reason=RejectedReason.STALE.value)

    for owner in grant.owners:
        hit = [w for w in r.computer.windows if w.rect.contains(owner.at.x, owner.at.y)]
        if (hit[-1].window_id if hit else None) != owner.window_id:
            return refused(f"{hit[-1].title if hit else 'the desktop'} lies there now")
    holder = r.computer.focus.window_id if r.computer.focus is not None else None
    if grant.holder is not None and holder is not None and holder != grant.holder.window_id:
        return refused("the focus moved")
    return None


def statuses(r: Rig) -> list[CallStatus]:
    return [result.status for result in r.model.seen[1].results]


async def test_a_grant_names_the_owner_of_each_point_and_the_holder_of_the_focus() -> None:
    path = (NativePoint(10, 10), NativePoint(150, 20), IN_OTHER)
    r = desktop(does(click(), Drag(path=path), X))
    r.injector.on_act = lambda _action: None
    r.injector.answer = lambda _grant: None
    await r.run()
    first, drag, key = r.injector.grants
    assert first.owners == (OwnerCheck(at=NativePoint(100, 100), window_id=5, pid=1, title="Notes"),)
    assert [owner.window_id for owner in drag.owners] == [5, 5, 6]
    assert key.owners == ()
    assert {grant.holder for grant in r.injector.grants} == {HolderCheck(window_id=5, title="Notes")}


@pytest.mark.parametrize(
    "change",
    [
        {"owners": (OwnerCheck(at=NativePoint(100, 100), window_id=6),)},
        {"owners": ()},
        {"holder": HolderCheck(window_id=6)},
        {"holder": None},
        {"terminal": True},
    ],
)
async def test_the_seal_covers_owners_holder_and_terminal(change: dict[str, object]) -> None:
    r = desktop(does(click()))
    await r.run()
    (grant,) = r.injector.grants
    assert grant.genuine(r.guard.grant_key)
    assert not replace(grant, **change).genuine(r.guard.grant_key)  # type: ignore[arg-type]


async def test_the_bare_desktop_is_an_owner_too() -> None:
    r = desktop(does(click()))
    r.computer.windows = [OTHER]
    await r.run()
    assert r.injector.grants[0].owners == (OwnerCheck(at=NativePoint(100, 100), window_id=None),)


async def test_a_picture_that_knows_no_windows_asks_for_none() -> None:
    r = rig(does(click()))
    await r.run()
    assert (r.injector.grants[0].owners, r.injector.grants[0].holder) == ((), None)


def covered(r: Rig) -> None:
    r.computer.windows.append(POPUP)


def gone(r: Rig) -> None:
    r.computer.windows.remove(NOTES)


def focus_moved(r: Rig) -> None:
    r.computer.focus = OTHER


@pytest.mark.parametrize("change", [covered, gone, focus_moved])
@pytest.mark.parametrize("second", [False, True])
async def test_nothing_is_sent_where_another_window_came(change: Callable[[Rig], None], second: bool) -> None:
    first = (click(20, 20),) if second else ()
    r = desktop(does(*first, click(), click(20, 250)), said("ok"))
    sent: list[Action] = []

    def act(action: Action) -> None:
        sent.append(action)
        gives_focus(r, action)
        change(r)

    r.injector.on_act = act
    if not second:
        calls = r.model.turns[0]
        assert isinstance(calls, Proposal)

        def think(_seen: Observation) -> Proposal:
            change(r)
            return calls

        r.model.turns[0] = think
    await r.run()
    assert sent == list(first)
    assert statuses(r) == [CallStatus.DONE] * len(first) + [CallStatus.NOT_DONE] * 2


async def test_a_window_that_an_earlier_call_opened_was_not_seen() -> None:
    r = desktop(does(click(20, 20), click()), said("ok"))
    r.injector.on_act = lambda _action: covered(r)
    await r.run()
    assert statuses(r) == [CallStatus.DONE, CallStatus.NOT_DONE]
    assert "Popup" in r.model.seen[1].results[1].text


async def test_the_focus_that_a_click_gave_is_its_effect() -> None:
    r = desktop(does(Click(at=IN_OTHER), X, TypeText(text="a"), click(), X), said("ok"))
    await r.run()
    assert statuses(r) == [CallStatus.DONE] * 5
    assert [grant.holder.window_id for grant in r.injector.grants if grant.holder] == [5, 6, 6, 6, 5]
    assert [grant.focus.window_id for grant in r.injector.grants if grant.focus] == [6, 6, 5]


async def test_keys_do_not_follow_a_focus_that_somebody_else_moved() -> None:
    r = desktop(does(X, Wait(duration_s=1.0), X), said("ok"))
    r.injector.on_act = lambda _action: focus_moved(r)
    await r.run()
    assert statuses(r) == [CallStatus.DONE, CallStatus.DONE, CallStatus.NOT_DONE]
    assert r.injector.actions == [X]


async def test_keys_after_a_click_do_not_follow_a_focus_that_came_back() -> None:
    r = desktop(does(Click(at=IN_OTHER), Wait(duration_s=1.0), X), said("ok"))

    def act(action: Action) -> None:
        r.computer.focus = NOTES

    r.injector.on_act = act
    await r.run()
    assert statuses(r) == [CallStatus.DONE, CallStatus.DONE, CallStatus.NOT_DONE]


@pytest.mark.parametrize("button", [Button.BACK, Button.FORWARD])
async def test_buttons_that_give_no_focus_are_not_expected_to(button: Button) -> None:
    r = desktop(does(Click(at=IN_OTHER, button=button), X), said("ok"))
    r.injector.on_act = lambda _action: None
    await r.run()
    assert statuses(r) == [CallStatus.DONE, CallStatus.DONE]


async def test_a_release_and_a_motion_with_a_button_down_are_always_possible() -> None:
    r = desktop(does(Press(at=NativePoint(20, 20)), Move(at=NativePoint(100, 100)), Release(at=NativePoint(100, 100))))

    def act(action: Action) -> None:
        covered(r)
        focus_moved(r)

    r.injector.on_act = act
    await r.run()
    assert statuses(r) == [CallStatus.DONE] * 3


async def test_a_motion_onto_a_window_that_came_is_not_done() -> None:
    r = desktop(does(Scroll(at=NativePoint(20, 20), dy=1), Move(at=NativePoint(100, 100))), said("ok"))
    r.injector.on_act = lambda _action: covered(r)
    await r.run()
    assert statuses(r) == [CallStatus.DONE, CallStatus.NOT_DONE]


async def test_a_key_is_let_go_wherever_the_focus_is() -> None:
    r = desktop(does(click(), KeyUp(key=Key("shift"))), said("ok"))
    await r.run()
    assert r.injector.grants[1].holder is None


async def test_a_window_target_is_given_the_focus_for_keys_and_needs_none_for_the_pointer() -> None:
    r = desktop(does(click(), X))
    r.computer._target = WindowTarget(spec="window:0x5", title="", window_id=5)
    r.computer.focus, r.computer.focus_in_target = OTHER, False
    r.injector.answer = lambda _grant: None
    r.injector.on_act = lambda _action: None
    await r.run()
    assert r.injector.grants[0].holder is None
    assert r.injector.grants[1].holder is not None
    assert r.injector.grants[1].holder.window_id == 5


# The picture


def pixel(grant: Grant, x: int, y: int) -> tuple[int, int, int]:
    """Red, green, blue at a native pixel, as the grant expects it."""
    (check,) = grant.checks
    place = ((y - check.region.y) * check.region.width + x - check.region.x) * 4
    blue, green, red = check.pixels[place : place + 3]
    return red, green, blue


async def two_clicks(second: NativePoint, painted: Rect) -> tuple[int, int, int]:
    """What the second click of a turn expects in the middle of what the first one, at 100, 100, changed."""
    r = desktop(does(click(), Click(at=second)))
    r.injector.on_act = lambda _action: r.computer.paint(painted, (200, 10, 10))
    await r.run()
    return pixel(r.injector.grants[1], *painted.centre)


async def test_the_control_that_was_pressed_counts_as_seen() -> None:
    assert await two_clicks(NativePoint(130, 120), Rect(80, 90, 60, 24)) == (200, 10, 10)
    assert await two_clicks(NativePoint(100, 100), Rect(80, 90, 60, 24)) == (200, 10, 10)


async def test_what_changed_elsewhere_or_all_over_does_not() -> None:
    assert await two_clicks(NativePoint(190, 120), Rect(170, 90, 30, 24)) == (224, 224, 224)
    assert await two_clicks(NativePoint(120, 120), Rect(10, 10, 350, 250)) == (224, 224, 224)


async def test_a_wait_explains_no_change() -> None:
    r = desktop(does(Wait(duration_s=1.0), click()))
    assert r.task is None
    await r.start()
    r.computer.paint(Rect(80, 90, 60, 24), (200, 10, 10))
    await r.end()
    assert pixel(r.injector.grants[0], 100, 100) == (224, 224, 224)


async def test_a_new_picture_begins_anew() -> None:
    r = desktop(does(click(), click()), does(click()))
    r.injector.on_act = lambda _action: r.computer.paint(Rect(80, 90, 60, 24), (len(r.injector.grants), 0, 0))
    await r.run()
    assert [pixel(grant, 100, 100)[0] for grant in r.injector.grants] == [224, 1, 2]
