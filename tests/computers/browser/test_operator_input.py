"""The operator's own input in a browser: what is not permitted never goes through; what is goes as it was meant."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import pytest

from operator_console.app.session_handles import hand_may
from operator_console.browser.dialog_layout import PartKind, lay_out
from operator_console.browser.page_state import PageState
from operator_console.computers.browser.operator_input import BrowserHand
from operator_console.domain import states
from operator_console.domain.actions import Button
from operator_console.domain.events import EndedOutcome
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.hand_input import (
    HandButton,
    HandInput,
    HandKey,
    HandMay,
    HandMove,
    HandTab,
    HandText,
    HandWheel,
)
from operator_console.domain.keys import Key
from operator_console.domain.pages import DialogKind, Page, PageDialog
from operator_console.domain.stopping import PauseCause, StopCause

AT = NativePoint(10, 20)
SIZE = Size(800, 600)
EVERYTHING: tuple[HandInput, ...] = (
    HandMove(at=AT), HandButton(button=Button.LEFT, down=True, at=AT), HandWheel(at=AT, dx=0, dy=100),
    HandKey(key=Key("a"), down=True, text="a"), HandText(text="text"), HandTab(number=2),
)  # fmt: skip
ACTING = (
    states.Idle(), states.Starting(), states.Observing(), states.Thinking(), states.Settling(),
    states.Acting(step=1, call=0), states.Retrying(until_s=0.0, reason=""),
    states.Reviewing(request=MagicMock()), states.Stopped(reason=StopCause.BUTTON),
    states.Ended(outcome=EndedOutcome.FINISHED),
)  # fmt: skip


class Browser:
    """A browser that keeps what it was sent."""

    def __init__(self) -> None:
        self.state = PageState(page=Page(document="1", url="https://example.org/"))
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.doors: list[MagicMock] = []
        self.begun, self.answer = asyncio.Event(), asyncio.Event()
        self.answer.set()
        self.hand = BrowserHand(self.open_door, lambda: self.state, lambda: SIZE)

    async def open_door(self) -> Any:
        async def send_raw(method: str, params: dict[str, Any]) -> dict[str, Any]:
            self.sent.append((method, params))
            self.begun.set()
            await self.answer.wait()
            return {}

        door = MagicMock(send_raw=send_raw, close=AsyncMock())
        self.doors.append(door)
        return door

    async def given(self, *inputs: HandInput) -> list[tuple[str, dict[str, Any]]]:
        """What was sent for these."""
        self.sent.clear()
        for each in inputs:
            self.hand.give(each)
        if self.hand._working is not None:
            await self.hand._working
        return self.sent


@pytest.mark.parametrize("given", EVERYTHING)
async def test_nothing_goes_through_before_anything_is_permitted(given: HandInput) -> None:
    page = Browser()
    assert not page.hand.give(given)
    assert (page.doors, page.sent) == ([], [])


@pytest.mark.parametrize("state", ACTING, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("given", EVERYTHING, ids=lambda each: type(each).__name__)
async def test_nothing_goes_through_while_the_agent_may_act(state: states.State, given: HandInput) -> None:
    page = Browser()
    page.hand.permit(hand_may(state))
    assert not page.hand.give(given)
    assert (page.doors, page.sent) == ([], [])


async def test_only_a_tab_can_be_chosen_while_the_session_is_paused() -> None:
    page = Browser()
    page.hand.permit(hand_may(states.Paused(by=PauseCause.HUMAN)))
    assert [page.hand.give(each) for each in EVERYTHING] == [False, False, False, False, False, True]
    assert page.hand._working is not None
    await page.hand._working
    assert page.sent == [("Operator.showTab", {"number": 2})]


async def test_handing_back_drops_what_waits_and_shuts_the_door() -> None:
    page = Browser()
    page.hand.permit(hand_may(states.HandedOver()))
    page.answer.clear()
    page.hand.give(HandText(text="first"))
    page.hand.give(HandText(text="second"))
    await page.begun.wait()
    page.hand.permit(hand_may(states.Observing()))
    page.answer.set()
    assert page.hand._working is not None
    await page.hand._working
    assert [params["text"] for _, params in page.sent] == ["first"]
    page.doors[0].close.assert_called_once()


async def test_a_permission_that_ends_while_the_door_opens_sends_nothing() -> None:
    page = Browser()
    opened, go_on = page.open_door, asyncio.Event()

    async def slowly() -> Any:
        await go_on.wait()
        return await opened()

    page.hand = BrowserHand(slowly, lambda: page.state, lambda: SIZE)
    page.hand.permit(HandMay.EVERYTHING)
    page.hand.give(HandText(text="late"))
    await asyncio.sleep(0)
    page.hand.permit(HandMay.NOTHING)
    go_on.set()
    assert page.hand._working is not None
    await page.hand._working
    assert page.sent == []
    page.doors[0].close.assert_awaited_once()


async def test_a_point_is_the_middle_of_its_pixel_in_css_pixels() -> None:
    page = Browser()
    page.state = replace(page.state, scale=2.0)
    page.hand.permit(HandMay.EVERYTHING)
    ((method, params),) = await page.given(HandMove(at=NativePoint(11, 20)))
    assert method == "Input.dispatchMouseEvent"
    assert (params["type"], params["x"], params["y"]) == ("mouseMoved", 5.75, 10.25)


async def test_the_second_press_of_a_double_click_says_so_and_motions_say_what_is_held() -> None:
    page = Browser()
    page.hand.permit(HandMay.EVERYTHING)
    sent = await page.given(
        HandButton(button=Button.LEFT, down=True, at=AT, count=2), HandMove(at=AT),
        HandButton(button=Button.LEFT, down=False, at=AT, count=2),
    )  # fmt: skip
    mouse = [(p["type"], p["clickCount"], p["buttons"]) for m, p in sent if m == "Input.dispatchMouseEvent"]
    assert mouse == [("mousePressed", 2, 1), ("mouseMoved", 0, 1), ("mouseReleased", 2, 0)]


async def test_the_wheel_turns_by_css_pixels() -> None:
    page = Browser()
    page.hand.permit(HandMay.EVERYTHING)
    ((_, params),) = await page.given(HandWheel(at=AT, dx=0, dy=-100))
    assert (params["type"], params["deltaX"], params["deltaY"]) == ("mouseWheel", 0, -100)


@pytest.mark.parametrize(
    ("given", "kind", "key", "text"),
    [
        (HandKey(key=Key("a"), down=True, text="a"), "keyDown", "a", "a"),
        (HandKey(key=Key("A"), down=True, text="A", holding=frozenset({Key("shift")})), "keyDown", "A", "A"),
        (HandKey(key=Key("enter"), down=True), "keyDown", "Enter", "\r"),
        (HandKey(key=Key("c"), down=True, holding=frozenset({Key("ctrl")})), "rawKeyDown", "c", None),
        (HandKey(key=Key("left"), down=True), "rawKeyDown", "ArrowLeft", None),
        (HandKey(key=Key("a"), down=False), "keyUp", "a", None),
    ],
)
async def test_a_key_writes_only_without_control(given: HandKey, kind: str, key: str, text: str | None) -> None:
    page = Browser()
    page.hand.permit(HandMay.EVERYTHING)
    ((_, params),) = await page.given(given)
    assert (params["type"], params["key"], params.get("text")) == (kind, key, text)


async def test_a_character_without_a_key_is_inserted() -> None:
    page = Browser()
    page.hand.permit(HandMay.EVERYTHING)
    assert await page.given(HandKey(key=Key("漢"), down=True, text="漢")) == [("Input.insertText", {"text": "漢"})]
    assert await page.given(HandKey(key=Key("漢"), down=False)) == []


async def test_a_dialog_is_answered_by_its_buttons_and_fields() -> None:
    page = Browser()
    dialog = PageDialog(dialog_id="7", kind=DialogKind.PROMPT, message="Name?", values=("",))
    page.state = replace(page.state, page=replace(page.state.page, dialog=dialog))
    page.hand.permit(HandMay.EVERYTHING)
    accept = next(each for each in lay_out(dialog, SIZE, 1.0).parts if each.kind is PartKind.ACCEPT)
    at = NativePoint(*accept.box.centre)
    sent = await page.given(
        HandKey(key=Key("a"), down=True, text="a"), HandText(text="da"), HandMove(at=at),
        HandButton(button=Button.LEFT, down=True, at=at), HandButton(button=Button.LEFT, down=False, at=at),
    )  # fmt: skip
    assert sent == [
        ("Operator.dialog", {"dialog": 7, "do": "type", "text": "a"}),
        ("Operator.dialog", {"dialog": 7, "do": "type", "text": "da"}),
        ("Operator.dialog", {"dialog": 7, "do": "accept"}),
    ]


async def test_motions_that_wait_are_one() -> None:
    page = Browser()
    page.hand.permit(HandMay.EVERYTHING)
    sent = await page.given(*(HandMove(at=NativePoint(x, 5)) for x in range(50)))
    assert len(sent) < 3
    assert sent[-1][1]["x"] == 49.5
