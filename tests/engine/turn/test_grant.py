"""What a grant says, what is granted at all, and what is prepared for it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from operator_console.domain.actions import (
    Action,
    Chord,
    Click,
    Drag,
    Move,
    OpenBrowser,
    Press,
    QuoteText,
    Release,
    Scroll,
    UseElement,
)
from operator_console.domain.decisions import ActResult, DecidedBy, Decision, DecisionKind
from operator_console.domain.element_uses import ElementIdentity, ElementUse
from operator_console.domain.elements import Element, Role
from operator_console.domain.errors import ComputerRejected, ComputerUnavailable, RejectedReason, UnavailableReason
from operator_console.domain.events import Granted, Performed
from operator_console.domain.frames import Frame, WindowTarget
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import GRANT_LIFE_S
from operator_console.domain.intents import Approve, Intent, Pause, Resume, Stop
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy
from operator_console.engine.session_context import Options
from operator_console.engine.turn.decide import Ruling
from operator_console.engine.turn.grant import Granter, Granting
from tests.engine.rig import click, does, rig
from tests.engine.test_controls import DIARY, approved_after, on_diary
from tests.fakes.elements import FakeElements

AT = NativePoint(100, 100)
SAVE = Element(element_id="1", role=Role.BUTTON, name="Save", box=Rect(90, 90, 60, 30))
IDENTITY = ElementIdentity(
    element_id="1", pid=1, role=Role.BUTTON, role_name="push button", name="Save", extents=Rect(90, 90, 60, 30)
)
USE = UseElement(use=ElementUse.PRESS, element=IDENTITY, at=AT, name="press")


async def test_a_grant_says_which_call_it_is_for_where_and_how_it_is_sent() -> None:
    r = rig(
        does(click(5, 5), click(40, 30)), does(click(5, 5)),
        options=Options(name="test", typing_delay_s=0.02, press_time_s=0.03),
    )  # fmt: skip
    lives: list[float] = []
    r.injector.on_act = lambda _action: lives.append(r.injector.grants[-1].expires_s - r.clock.now)
    await r.run()
    grants = r.injector.grants
    assert [(grant.step, grant.call, grant.action) for grant in grants] == [
        (1, 0, click(5, 5)), (1, 1, click(40, 30)), (2, 0, click(5, 5))
    ]  # fmt: skip
    assert [grant.pointer for grant in grants][1:] == [(5, 5), (40, 30)]
    assert len({grant.grant_id for grant in grants}) == 3
    assert lives == [GRANT_LIFE_S] * 3
    for grant in grants:
        assert (grant.typing_delay_s, grant.press_time_s, grant.paste, grant.terminal) == (0.02, 0.03, False, False)
        assert (grant.target, grant.epoch, grant.document) == (r.computer._target, r.guard.epoch, "")
        assert grant.genuine(r.guard.grant_key)
    recorded = [(event.step, event.call, event.grant_id, event.action, event.epoch) for event in r.of(Granted)]
    assert recorded == [(grant.step, grant.call, grant.grant_id, grant.action, grant.epoch) for grant in grants]


async def test_nothing_is_granted_that_was_not_approved(monkeypatch: pytest.MonkeyPatch) -> None:
    granted = Granter.granted
    refused = 0

    @contextlib.asynccontextmanager
    async def others_first(
        self: Granter, ruled: Ruling, part: Action, frame: Frame, before: Frame | None, *, sends: bool
    ) -> AsyncIterator[Granting]:
        nonlocal refused
        denied = Decision(kind=DecisionKind.DENY, by=DecidedBy.HUMAN, rule="step-by-step")
        reads = QuoteText(region=Rect(0, 0, 20, 20), variable="v")
        for ruling, other in (
            (ruled, click(1, 1)),
            (replace(ruled, decision=denied), part),
            (replace(ruled, action=reads), Scroll(at=NativePoint(10, 10), dy=1)),
            (replace(ruled, action=replace(reads, auto_scroll=True)), Scroll(at=NativePoint(10, 11), dy=1)),
            (replace(ruled, action=replace(reads, auto_scroll=True)), click(10, 10)),
        ):
            with pytest.raises(PermissionError, match="only what was approved"):
                async with granted(self, ruling, other, frame, before, sends=sends):
                    pytest.fail("it was granted")
            refused += 1
        async with granted(self, ruled, part, frame, before, sends=sends) as made:
            yield made

    monkeypatch.setattr(Granter, "granted", others_first)
    r = rig(does(click()))
    await r.run()
    assert refused == 5
    assert r.injector.actions == [click()]
    assert len(r.of(Granted)) == 1


@pytest.mark.parametrize(
    ("shown", "done"),
    [(SAVE, True), (replace(SAVE, element_id="2"), False), (None, False)],
    ids=["it", "another", "nothing"],
)
async def test_an_element_is_used_only_where_it_is_what_was_found(shown: Element | None, done: bool) -> None:
    r = on_diary(rig(does(USE), elements=FakeElements(*([shown] if shown is not None else []))))
    await r.run()
    assert r.injector.actions == ([USE] if done else [])
    [performed] = r.of(Performed)
    assert (performed.reason, performed.detail) == (
        ("", "") if done else (RejectedReason.COVERED.value, notice(NoticeCode.OTHER_ELEMENT_AT_PLACE))
    )


@pytest.mark.parametrize("of_window", [False, True])
async def test_what_is_used_without_the_pointer_may_be_covered_in_a_window(of_window: bool) -> None:
    r = on_diary(rig(does(USE), elements=FakeElements(SAVE)))
    if of_window:
        r.computer._target = WindowTarget(spec="window:0x5", title="", window_id=DIARY.window_id)
    await r.run()
    assert [(each.at, each.needs_focus) for each in r.computer.prepared] == [(None if of_window else AT, False)]


async def test_a_release_is_prepared_where_it_is_named_and_nowhere_else() -> None:
    r = rig(does(Press(at=AT), Release(at=None)), does(Press(at=AT), Release(at=NativePoint(50, 50))))
    await r.run()
    assert [each.at for each in r.computer.prepared] == [AT, None, AT, NativePoint(50, 50)]


async def test_a_target_that_is_gone_after_its_input_fails_no_call() -> None:
    r = rig(does(click()))

    async def gone() -> None:
        raise ComputerUnavailable("It is gone.", reason=UnavailableReason.GONE)

    r.computer.after_input = gone  # type: ignore[method-assign]
    await r.run()
    assert r.model.seen[1].results[0].status is CallStatus.DONE


async def test_the_target_is_let_go_where_nothing_was_granted() -> None:
    r = rig(does(click()))
    r.computer.refuse_next_input(ComputerRejected("It is covered.", reason=RejectedReason.COVERED))
    await r.run()
    assert r.injector.grants == []
    assert (len(r.computer.prepared), r.computer.released) == (1, 1)


@pytest.mark.parametrize(
    ("action", "what"),
    [(click(), NoticeCode.OTHER_CONTROL_THERE), (Chord(keys=(Key("enter"),)), NoticeCode.OTHER_CONTROL_FOCUSED)],
)
async def test_what_stands_there_instead_is_told_with_what_to_do(action: Action, what: NoticeCode) -> None:
    elements = FakeElements(SAVE, focus=SAVE)
    r = on_diary(rig(does(action), autonomy=Autonomy.STEP, elements=elements))
    await r.start()
    r.computer.paint(Rect(300, 200, 20, 20), (200, 0, 0))
    assert await approved_after(r, elements, replace(SAVE, name="Delete")) is CallStatus.NOT_DONE
    told = r.model.seen[1].results[0].text
    assert all(words in told for words in (notice(what), "“Delete”", notice(NoticeCode.LOOK_AGAIN)))
    # It was looked for where it was found, in a picture of the screen as it is now.
    asked = [frame for frame, _ in elements.asked] if isinstance(action, Click) else elements.focus_asked
    assert asked[-1].frame_id != asked[0].frame_id
    assert asked[-1].taken_s > asked[0].taken_s
    assert asked[-1].focus == DIARY
    if isinstance(action, Click):
        assert elements.asked[-1][1] == (action.at,)


async def test_where_a_drag_begins_is_looked_at_too() -> None:
    start, end = replace(SAVE, name="Fern"), replace(SAVE, element_id="2", name="Shelf", box=Rect(200, 90, 60, 30))
    elements = FakeElements(end, start)
    drag = Drag(path=(AT, NativePoint(210, 100)))
    r = on_diary(rig(does(drag), autonomy=Autonomy.STEP, elements=elements))
    await r.start()
    question = r.session.question
    assert question is not None
    await r.clock.advance(5.0)
    elements.shown = [end, replace(start, name="Rose")]
    await r.post(Approve(question_id=question.question_id))
    await r.end()
    result = r.model.seen[1].results[0]
    assert (result.status, "“Rose”" in result.text) == (CallStatus.NOT_DONE, True)
    assert elements.asked[-1][1] == (AT,)


async def test_a_click_where_the_pointer_is_names_the_windows_there() -> None:
    r = on_diary(rig(does(click()), does(Click(at=None))))
    await r.run()
    at_point, at_pointer = r.injector.grants
    assert at_point.owners == at_pointer.owners != ()


@pytest.mark.parametrize("action", [Move(at=AT), Scroll(at=AT, dy=1)])
async def test_what_presses_nothing_is_done_whatever_stands_there_now(action: Action) -> None:
    elements = FakeElements(SAVE)
    r = on_diary(rig(does(action), autonomy=Autonomy.STEP, elements=elements))
    assert await approved_after(r, elements, replace(SAVE, name="Delete")) is CallStatus.DONE


async def test_the_window_is_recorded_and_what_cannot_be_used_names_another_way() -> None:
    r = on_diary(rig(does(click()), does(OpenBrowser())))
    await r.run()
    assert [event.window for event in r.of(Granted)] == [DIARY]
    assert notice(NoticeCode.USE_MOUSE_AND_KEYBOARD) in r.model.seen[2].results[0].text


@pytest.mark.parametrize(("intent", "result"), [(Pause(), ActResult.FAILED), (Stop(), ActResult.STOPPED)])
async def test_what_comes_while_the_record_is_written_closes_it_as_not_sent(intent: Intent, result: ActResult) -> None:
    r = rig(does(click()))
    r.watcher.on_record = lambda record: (  # type: ignore[method-assign]
        r.session.post(intent) if isinstance(record.event, Granted) and len(r.of(Granted)) == 1 else None
    )
    await r.start()
    await r.settled()
    assert r.injector.grants == []
    assert [event.result for event in r.of(Performed)][:1] == [result]
    if isinstance(intent, Pause):
        await r.post(Resume())
    await r.end()
