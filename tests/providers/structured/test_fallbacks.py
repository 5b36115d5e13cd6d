"""Other ways to act on an element: their order, and when nothing else is tried."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Chord, Click, TypeText, UseElement
from operator_console.domain.element_uses import ElementIdentity, ElementUse
from operator_console.domain.elements import Element, ElementState, Role
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, CallResult, CallStatus
from tests.providers.contract import chat_messages
from tests.providers.structured.screens import Told, asks, element, seen, session

FOCUSABLE, FOCUSED = ElementState.FOCUSABLE, ElementState.FOCUSED
NAME = element("Name", (100, 200, 300, 30), Role.TEXT_FIELD, ElementState.EDITABLE, FOCUSABLE, FOCUSED)
CITY = element("City", (100, 240, 300, 30), Role.TEXT_FIELD, ElementState.EDITABLE, FOCUSABLE)
SAVE = element("Save", (100, 300, 80, 30), Role.BUTTON, FOCUSABLE)
ALL = (NAME, CITY, SAVE)


def without_focus(one: Element) -> Element:
    return replace(one, states=tuple(state for state in one.states if state is not FOCUSED))


def with_focus(focused: Element) -> list[Element]:
    """The form with the focus on this element."""
    others = map(without_focus, ALL)
    return [replace(one, states=(*one.states, FOCUSED)) if one.name == focused.name else one for one in others]


def refused(call: Call, *, code: NoticeCode = NoticeCode.CALL_NOT_DONE, why: str = "A window covers it.") -> CallResult:
    return CallResult(call=call, status=CallStatus.FAILED, text=joined(notice(code), why))


async def test_the_order_is_number_point_keyboard_and_the_model_is_told_of_all() -> None:
    told = Told(list(ALL))
    async with session(asks({"click": {"index": 3}}, {"wait": {}}), asks({"wait": {}}), elements=told) as (p, server):
        first, rest = (await p.propose(seen())).calls
        assert first.action == Click(at=NativePoint(140, 315))
        left = CallResult(call=rest, status=CallStatus.NOT_DONE, text="An earlier call was not done.")

        told.elements = [NAME, CITY, replace(SAVE, box=Rect(100, 350, 80, 30))]
        (point,) = (await p.propose(seen(refused(first), left))).calls
        assert (point.action, point.name) == (Click(at=NativePoint(140, 365)), "click")
        assert point.note == (
            "by its number: Not done. A window covers it. by its accessible action: not known to the accessibility "
            "service. Now at a point of it on the new screen."
        )

        told.elements = list(ALL)
        (tab,) = (await p.propose(seen(refused(point, why="Still covered.")))).calls
        assert tab.action == Chord(keys=(Key("tab"),), repeat=2)
        assert "Still covered." in tab.note and tab.note.endswith("Now by keyboard: Tab to it.")

        told.elements = with_focus(SAVE)
        (key,) = (await p.propose(seen(CallResult(call=tab, status=CallStatus.DONE)))).calls
        assert key.action == Chord(keys=(Key("space"),))
        assert len(server.received) == 1, "the model is not asked for other ways"

        await p.propose(seen(CallResult(call=key, status=CallStatus.DONE, changed=True)))
        said = "\n".join(chat_messages.texts(server.received[-1].body))
        ways = ["1. click: Done.", "by its number:", "A window covers it.", "by its accessible action: not known",
                "at a point of it on the new screen:", "Still covered.", "by keyboard: Tab to it: done",
                "by keyboard: its key", "2. wait: Not done."]  # fmt: skip
        places = [said.index(words) for words in ways]
        assert places == sorted(places)


async def test_a_text_is_typed_once_the_element_has_the_focus() -> None:
    told = Told(with_focus(CITY))
    async with session(asks({"input": {"index": 2, "text": "Oslo", "clear": True}}), elements=told) as (p, _):
        (call,) = (await p.propose(seen())).calls
        (point,) = (await p.propose(seen(refused(call, code=NoticeCode.SCREEN_IS_NOT_AS_SEEN)))).calls
        assert point.action == TypeText(text="Oslo", at=NativePoint(175, 255), clear=True), "not the same point again"
        (key,) = (await p.propose(seen(refused(point, code=NoticeCode.SCREEN_IS_NOT_AS_SEEN)))).calls
        assert key.action == TypeText(text="Oslo", clear=True)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (CallStatus.DECLINED, notice(NoticeCode.CALL_DECLINED)),
        (CallStatus.SKIPPED, notice(NoticeCode.CALL_SKIPPED)),
        (CallStatus.STOPPED, notice(NoticeCode.CALL_CUT_OFF_BY_STOP)),
        (CallStatus.NOT_DONE, notice(NoticeCode.CALL_CUT_OFF_BY_PAUSE)),
        (CallStatus.OBSERVING, notice(NoticeCode.OBSERVING_ONLY)),
        (CallStatus.FAILED, joined(notice(NoticeCode.OUTCOME_UNKNOWN), notice(NoticeCode.DO_NOT_REPEAT))),
        (CallStatus.DONE, ""),
    ],
)
async def test_nothing_else_is_tried_unless_it_was_refused_before_anything_was_sent(
    status: CallStatus, text: str
) -> None:
    async with session(asks({"click": {"index": 3}}), asks({"wait": {}}), elements=Told(ALL)) as (p, server):
        (call,) = (await p.propose(seen())).calls
        await p.propose(seen(CallResult(call=call, status=status, text=text)))
        assert len(server.received) == 2


async def test_a_text_of_which_a_part_may_have_been_typed_is_not_typed_again() -> None:
    async with session(asks({"input": {"index": 2, "text": "x"}}), asks({"wait": {}}), elements=Told(ALL)) as (
        p,
        server,
    ):
        (call,) = (await p.propose(seen())).calls
        await p.propose(seen(refused(call)))
        assert len(server.received) == 2


@pytest.mark.parametrize("why", ["a message", "gone", "a point of its own", "edited"])
async def test_the_model_decides_where_the_element_is_gone_or_a_person_had_a_say(why: str) -> None:
    told = Told(list(ALL))
    asked = {"click_at": {"x": 5, "y": 5}} if why == "a point of its own" else {"click": {"index": 3}}
    async with session(asks(asked), asks({"wait": {}}), elements=told) as (p, server):
        (call,) = (await p.propose(seen())).calls
        result = refused(call)
        if why == "gone":
            told.elements = [NAME]
        if why == "edited":
            result = replace(result, executed=Click(at=NativePoint(1, 1)))
        await p.propose(seen(result, messages=["Take the other one."] if why == "a message" else []))
        assert len(server.received) == 2


async def test_a_message_between_the_ways_reaches_the_model_with_what_was_tried() -> None:
    async with session(asks({"click": {"index": 3}}), asks({"wait": {}}), elements=Told(ALL)) as (p, server):
        (call,) = (await p.propose(seen())).calls
        (point,) = (await p.propose(seen(refused(call)))).calls
        await p.propose(seen(refused(point, why="Still covered."), messages=["Leave it."]))
        said = "\n".join(chat_messages.texts(server.received[-1].body))
        assert "1. click: Failed." in said
        assert said.index("Still covered.") < said.index("Leave it.")


async def test_tab_that_leads_elsewhere_ends_it() -> None:
    told = Told(list(ALL))
    async with session(asks({"click": {"index": 3}}), asks({"wait": {}}), elements=told) as (p, server):
        (call,) = (await p.propose(seen())).calls
        (point,) = (await p.propose(seen(refused(call)))).calls
        (tab,) = (await p.propose(seen(refused(point)))).calls
        told.elements = with_focus(CITY)
        await p.propose(seen(CallResult(call=tab, status=CallStatus.DONE)))
        assert len(server.received) == 2
        assert "1. click: Failed." in "\n".join(chat_messages.texts(server.received[-1].body))


@pytest.mark.parametrize(
    ("elements", "tried"),
    [
        ([without_focus(NAME), SAVE], None),
        ([NAME, replace(SAVE, window="another")], None),
        ([SAVE, replace(NAME, box=Rect(100, 400, 300, 30))], Chord(keys=(Key("shift"), Key("tab")), repeat=1)),
    ],
)
async def test_tab_needs_an_element_with_the_focus_in_the_same_window(
    elements: list[Element], tried: Action | None
) -> None:
    told = Told(elements)
    async with session(asks({"click": {"index": elements.index(next(e for e in elements if e.name == "Save")) + 1}}),
                       asks({"wait": {}}), elements=told) as (p, server):  # fmt: skip
        (call,) = (await p.propose(seen())).calls
        (point,) = (await p.propose(seen(refused(call)))).calls
        (after,) = (await p.propose(seen(refused(point)))).calls
        assert (after.action if tried is not None else None) == tried
        assert len(server.received) == (1 if tried is not None else 2)


def known(one: Element, **more: object) -> Element:
    """As the accessibility service tells it."""
    changed = {"pid": 5, "element_id": f":1.2/{one.name}", "extents": one.box, **more}
    return replace(one, **changed)  # type: ignore[arg-type]


async def test_its_accessible_action_comes_before_the_point() -> None:
    save = known(SAVE, actions=("SetFocus", "Press"), role_name="push button")
    told = Told([NAME, CITY, save])
    async with session(asks({"click": {"index": 3}}), asks({"wait": {}}), elements=told) as (p, server):
        (first,) = (await p.propose(seen())).calls
        told.elements = [NAME, CITY, replace(save, box=Rect(100, 350, 80, 30))]
        (press,) = (await p.propose(seen(refused(first)))).calls
        identity = ElementIdentity(
            element_id=":1.2/Save", pid=5, role=Role.BUTTON, role_name="push button", name="Save", extents=save.box
        )
        use = UseElement(use=ElementUse.PRESS, element=identity, at=NativePoint(140, 365), name="Press")
        assert press.action == use
        assert press.note.endswith("Now by its accessible action.")
        unchanged = notice(NoticeCode.PICTURE_UNCHANGED)
        await p.propose(seen(CallResult(call=press, status=CallStatus.DONE, text=unchanged, changed=False)))
        said = "\n".join(chat_messages.texts(server.received[-1].body))
        assert "1. click: Done." in said
        assert "by its accessible action: done. The picture did not change." in said


async def test_an_action_that_is_no_click_is_not_used() -> None:
    """“activate” of a field is Enter, and “clickAncestor” clicks something else."""
    link = known(element("More", (100, 300, 80, 30), Role.LINK), actions=("clickAncestor", "showContextMenu"))
    async with session(asks({"click": {"index": 1}}), elements=Told([link])) as (p, _):
        (first,) = (await p.propose(seen())).calls
        (point,) = (await p.propose(seen(refused(first)))).calls
        assert isinstance(point.action, Click)
        assert "by its accessible action: the element has none." in point.note


async def test_a_text_is_typed_after_the_accessible_focus_else_at_the_point() -> None:
    told = Told(list(map(known, ALL)))
    for has_focus in (True, False):
        asked = asks({"input": {"index": 2, "text": "Oslo"}})
        async with session(asked, elements=told) as (p, _):
            told.elements = list(map(known, ALL))
            (call,) = (await p.propose(seen())).calls
            (focus,) = (await p.propose(seen(refused(call, code=NoticeCode.SCREEN_IS_NOT_AS_SEEN)))).calls
            assert isinstance(focus.action, UseElement) and focus.action.use is ElementUse.FOCUS
            told.elements = list(map(known, with_focus(CITY if has_focus else NAME)))
            (then,) = (await p.propose(seen(CallResult(call=focus, status=CallStatus.DONE)))).calls
            assert then.action == TypeText(text="Oslo", at=None if has_focus else NativePoint(175, 255))


CITIES = known(element("City", (100, 240, 300, 30), Role.COMBO_BOX))


async def test_an_option_is_chosen_through_accessibility_else_typed_into_the_open_list() -> None:
    told = Told([CITIES])
    async with session(asks({"select": {"index": 1, "option": "Oslo"}}), asks({"wait": {}}), elements=told) as (
        p,
        server,
    ):
        (choose,) = (await p.propose(seen())).calls
        assert isinstance(choose.action, UseElement)
        assert (choose.action.use, choose.action.option) == (ElementUse.CHOOSE, "Oslo")
        why = notice(NoticeCode.OPTION_NOT_CHOOSABLE)
        typed = (await p.propose(seen(refused(choose, why=why)))).calls
        assert [call.action for call in typed] == [
            Click(at=NativePoint(250, 255)), TypeText(text="Oslo"), Chord(keys=(Key("enter"),)),
        ]  # fmt: skip
        opened, *rest = typed
        left = [
            CallResult(call=each, status=CallStatus.NOT_DONE, text="An earlier call was not done.") for each in rest
        ]
        await p.propose(seen(refused(opened, why="A window covers it."), *left))
        assert len(server.received) == 2
        assert "1. select: Failed." in "\n".join(chat_messages.texts(server.received[-1].body))


async def test_an_option_that_is_not_there_is_the_models_to_name_again() -> None:
    async with session(
        asks({"select": {"index": 1, "option": "Atlantis"}}), asks({"wait": {}}), elements=Told([CITIES])
    ) as (p, server):
        (choose,) = (await p.propose(seen())).calls
        missing = notice(NoticeCode.OPTION_NOT_THERE, option="Atlantis")
        await p.propose(seen(refused(choose, why=missing)))
        assert "There is no option “Atlantis”." in "\n".join(chat_messages.texts(server.received[-1].body))


async def test_an_option_that_can_be_seen_is_clicked_and_that_of_a_shut_box_is_not() -> None:
    inside = element("Oslo", (100, 240, 300, 15), Role.MENU_ITEM)
    below = replace(inside, box=Rect(100, 280, 300, 15))
    for option, clicked in ((inside, False), (below, True)):
        asked = asks({"select": {"index": 1, "option": "Oslo"}})
        async with session(asked, elements=Told([CITIES, option])) as (p, _):
            (call,) = (await p.propose(seen())).calls
            assert isinstance(call.action, Click) is clicked
