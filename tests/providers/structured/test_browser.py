"""Structured reasoning in a managed browser: the state that the model is given, its actions, and its pictures."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

from operator_console.domain.actions import (
    Action,
    Back,
    CloseTab,
    Finish,
    Forward,
    Navigate,
    QuoteText,
    ReadPage,
    Search,
    SwitchTab,
)
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect
from operator_console.domain.pages import Tab
from operator_console.domain.proposals import Observation
from operator_console.providers.structured.action_space import ACTIONS, BROWSER_ACTIONS, description
from operator_console.providers.structured.answer import NotInForm, answer_schema, read_answer
from operator_console.providers.structured.marks import Canvas, draw_marks
from operator_console.providers.structured.numbered_elements import Numbered
from tests.providers.conftest import frame, picture
from tests.providers.contract import chat_messages
from tests.providers.structured.screens import NAME, SAVE, Told, asks, session

HERE, THERE = "https://a.example/start", "https://b.example/end"
TABS = (Tab(tab_id="a", url=HERE, title="Start"), Tab(tab_id="b", url=THERE, title="End", shown=True))
PAGE = frame(url=THERE, tabs=TABS)


def seen(shown: Frame = PAGE) -> Observation:
    return Observation(frame=shown, picture=picture())


async def test_the_model_is_given_address_tabs_and_numbered_elements() -> None:
    async with session(asks({"click": {"index": 1}}), elements=Told([SAVE, NAME]), browser=True) as (provider, server):
        await provider.propose(seen())
        (told,) = [text for text in chat_messages.texts(server.received[0].body) if "The screen now" in text]
    assert told == (
        f"The screen now, 1440x900 pixels.\nThe page now: {THERE}\nTabs:\n1. {HERE} “Start”\n"
        f"2. {THERE} “End” (shown)\nElements with a number:\n[1] button “Save”\n[2] text field “Name”"
    )


MEANT: list[tuple[str, dict[str, Any], Action]] = [
    ("navigate", {"url": "a.example"}, Navigate(url="https://a.example")),
    ("search", {"query": "weather"}, Search(query="weather")),
    ("go_back", {}, Back()),
    ("go_forward", {}, Forward()),
    ("switch_tab", {"number": 2}, SwitchTab(number=2)),
    ("new_tab", {"url": "a.example"}, Navigate(url="https://a.example", new_tab=True)),
    ("new_tab", {}, Navigate(url="about:blank", new_tab=True)),
    ("close_tab", {}, CloseTab()),
    ("extract", {"index": 0}, ReadPage()),
    ("extract", {"index": 1}, QuoteText(region=Rect(100, 100, 80, 30), variable="text")),
    ("done", {"text": "No.", "success": False}, Finish(message="No.", success=False)),
]


async def test_actions_of_a_browser() -> None:
    asked = [{name: arguments} for name, arguments, _ in MEANT]
    turns = asks(*asked[:6]), asks(*asked[6:])
    for turn, meant in zip(turns, (MEANT[:6], MEANT[6:]), strict=True):
        async with session(turn, elements=Told([SAVE]), browser=True) as (provider, _):
            calls = (await provider.propose(seen())).calls
        assert [call.action for call in calls] == [action for _, _, action in meant]


async def test_a_tab_that_is_not_open_is_an_error_to_the_model() -> None:
    async with session(asks({"switch_tab": {"number": 3}}), browser=True) as (provider, _):
        (call,) = (await provider.propose(seen())).calls
    assert call.action is None
    assert "number" in call.error


def test_the_form_is_evaluation_memory_next_goal_and_actions_and_speaks_of_one_browser() -> None:
    schema = answer_schema(with_functions=False, browser=True)
    assert {"evaluation_previous_goal", "memory", "next_goal", "action"} <= set(schema["required"])
    names = {next(iter(each["properties"])) for each in schema["properties"]["action"]["items"]["anyOf"]}
    assert names == set(BROWSER_ACTIONS) - {"call_function"}
    assert "that has the focus" not in " ".join(map(description, BROWSER_ACTIONS.values())).replace("focus is", "")


def test_a_desktop_keeps_its_actions() -> None:
    assert "go_forward" not in ACTIONS
    with pytest.raises(NotInForm, match="no action 'go_forward'"):
        read_answer(json.dumps({"action": [{"go_forward": {}}]}))


async def test_the_picture_with_numbers_is_a_png_of_the_same_size() -> None:
    async with session(asks({"wait": {}}), elements=Told([SAVE]), browser=True) as (provider, server):
        await provider.propose(seen())
        (url,) = (
            part["image_url"]["url"]
            for message in server.received[0].body["messages"]
            for part in message["content"]
            if not isinstance(part, str) and part["type"] == "image_url"
        )
    assert url.startswith("data:image/png;")


def test_a_png_over_the_limit_gets_fewer_colours_and_keeps_its_size() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (900, 1440, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).save(out, "PNG")
    whole = picture()
    base = type(whole)(data=out.getvalue(), mime_type="image/png", size=whole.size, digest="")
    marks = [Numbered(number=1, element=SAVE, box=SAVE.box)]
    drawn = draw_marks(Canvas.of(base, PAGE), marks, 450_000).picture
    assert len(drawn.data) <= 450_000
    assert (drawn.mime_type, drawn.size) == ("image/png", whole.size)
    with Image.open(io.BytesIO(drawn.data)) as image:
        assert (image.format, image.size) == ("PNG", (1440, 900))
