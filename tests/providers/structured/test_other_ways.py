"""Other ways to act on an element: their order, and when nothing else is tried."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Chord, Click, TypeText
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
        assert "second way" in point.note

        told.elements = list(ALL)
        (tab,) = (await p.propose(seen(refused(point, why="Still covered.")))).calls
        assert tab.action == Chord(keys=(Key("tab"),), repeat=2)
        assert "third way" in tab.note

        told.elements = with_focus(SAVE)
        (key,) = (await p.propose(seen(CallResult(call=tab, status=CallStatus.DONE)))).calls
        assert key.action == Chord(keys=(Key("space"),))
        assert len(server.received) == 1, "the model is not asked for other ways"

        await p.propose(seen(CallResult(call=key, status=CallStatus.DONE, changed=True)))
        said = "\n".join(chat_messages.texts(server.received[-1].body))
        ways = ["1. click: Done.", "First by its number", "A window covers it.", "Then at a point", "Still covered.",
                "Then by keyboard: Tab", "Then by keyboard: its key", "2. wait: Not done."]  # fmt: skip
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
