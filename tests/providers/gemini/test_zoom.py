"""Zoom is offered only if the screen has more pixels than the picture or the coordinates of the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.actions import CallFunction, Zoom
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, GridPoint, Rect, ScreenPoint, Size
from operator_console.domain.proposals import CallResult, CallStatus, Observation
from operator_console.domain.tools import ToolSpec
from operator_console.providers.gemini.actions import parse_call
from operator_console.providers.gemini.options import GeminiOptions
from operator_console.providers.shared.own_tools import ZOOM_INSTRUCTION
from tests.providers.conftest import BRIEF, Bench, MakeBench, all_done, geometry, picture, seen

FINE, COARSE = Size(2560, 1600), Size(1000, 800)
CALL = {"name": "zoom", "args": {"left": 100, "top": 200, "right": 199, "bottom": 299, "intent": "the small print"}}


def offered(it: Bench, index: int = -1) -> bool:
    """Whether a request declares zoom and mentions it in the instruction, of which it must have both or neither."""
    body = it.server.received[index].body
    names = [one["name"] for tool in body["tools"] for one in tool.get("functionDeclarations", [])]
    spoken = ZOOM_INSTRUCTION in body["systemInstruction"]["parts"][0]["text"]
    assert spoken == ("zoom" in names)
    assert names.count("zoom") <= 1
    return spoken


def scaled(*results: CallResult, size: Size, sent: Size) -> Observation:
    """A screen that is larger than the picture sent."""
    made = seen(*results, size=size)
    frame = replace(made.frame, geometry=replace(made.frame.geometry, sent=sent))
    return replace(made, frame=frame, picture=picture(0, sent))


@pytest.mark.parametrize(
    ("observation", "expected"),
    [
        (seen(size=FINE), True),
        (seen(size=Size(1001, 500)), True),
        (seen(size=Size(500, 1001)), True),
        (seen(size=Size(1000, 1000)), False),
        (seen(size=Size(400, 300)), False),
        (scaled(size=Size(900, 900), sent=Size(450, 450)), True),
        (scaled(size=Size(7680, 4320), sent=Size(1517, 853)), True),
    ],
)
@pytest.mark.parametrize("model", ["gemini-3.8-flash", "gemini-2.5-computer-use-preview-10-2025"])
async def test_it_is_offered_where_the_screen_is_finer(
    bench: MakeBench, observation: Observation, expected: bool, model: str
) -> None:
    it = await bench([{"text": "Done."}], model=model)
    await it.provider.propose(observation)
    assert offered(it) is expected
    assert it.server.violations == []


async def test_the_answer_holds_the_screen_and_the_part(bench: MakeBench) -> None:
    it = await bench(
        [{"calls": [CALL]}, {"calls": [{"name": "click", "args": {"x": 150.5, "y": 250}}]}, {"text": "Ok."}]
    )
    first = await it.provider.propose(seen(size=FINE))
    (call,) = first.calls
    assert call.action == Zoom(region=Rect(256, 320, 254, 159))
    assert call.intent == "the small print"
    part = picture(99, Size(508, 318))
    answered = CallResult(call=call, status=CallStatus.DONE, picture=part)
    second = await it.provider.propose(seen(answered, size=FINE))
    response = it.contents()[-1]["parts"][0]["functionResponse"]
    screen, part_of_it = (each["inlineData"]["data"] for each in response["parts"])
    assert screen == it.contents()[0]["parts"][1]["inlineData"]["data"]
    assert part_of_it != screen
    assert "refer to the whole screen" in response["response"]["message"]
    assert second.calls[0].action == parse_call("click", {"x": 150.5, "y": 250}, geometry(FINE)).action
    await it.provider.propose(seen(*all_done(second), size=FINE))
    assert it.server.violations == []


async def test_a_zoom_that_failed_has_the_screen_alone(bench: MakeBench) -> None:
    it = await bench([{"calls": [CALL]}, {"text": "Ok."}])
    (call,) = (await it.provider.propose(seen(size=FINE))).calls
    await it.provider.propose(seen(CallResult(call=call, status=CallStatus.FAILED, text="It is gone."), size=FINE))
    response = it.contents()[-1]["parts"][0]["functionResponse"]
    assert len(response["parts"]) == 1
    assert response["response"]["error"] == "It is gone."


async def test_where_it_was_not_offered_it_is_not_there(bench: MakeBench) -> None:
    it = await bench([{"calls": [CALL]}, {"calls": [{"name": "fly"}]}, {"text": "Ok."}])
    first = await it.provider.propose(seen(size=COARSE))
    assert first.calls[0].action is None
    assert "not available" in first.calls[0].error
    undone = CallResult(call=first.calls[0], status=CallStatus.NOT_UNDERSTOOD)
    second = await it.provider.propose(seen(undone, size=COARSE))
    assert "zoom" not in second.calls[0].error


async def test_once_offered_it_stays_until_the_next_task(bench: MakeBench) -> None:
    it = await bench([{"calls": [CALL]}, {"text": "Ok."}, {"text": "Ok."}], complete_history=False)
    first = await it.provider.propose(seen(size=FINE))
    await it.provider.propose(seen(*all_done(first), size=COARSE))
    assert offered(it)
    it.provider.begin(BRIEF)
    await it.provider.propose(seen(size=COARSE))
    assert not offered(it)


async def test_a_screen_that_grew_has_it_from_then_on(bench: MakeBench) -> None:
    it = await bench([{"calls": [{"name": "wait"}]}, {"calls": [CALL]}])
    first = await it.provider.propose(seen(size=COARSE))
    assert not offered(it)
    second = await it.provider.propose(seen(*all_done(first), size=FINE))
    assert offered(it)
    assert isinstance(second.calls[0].action, Zoom)


async def test_the_operators_own_settings_come_first(bench: MakeBench) -> None:
    mine = ToolSpec(name="zoom", description="Mine.")
    it = await bench([{"calls": [{"name": "zoom", "args": {"to": "Berlin"}}]}], tools=(mine,))
    made = await it.provider.propose(seen(size=FINE))
    assert made.calls[0].action == CallFunction(name="zoom", arguments_json='{"to": "Berlin"}')
    names = [one["name"] for one in it.server.received[0].body["tools"][1]["functionDeclarations"]]
    assert names == ["ask_user", "yield_to_user", "done", "read_text", "zoom"]
    it = await bench([{"text": "Ok."}], options=GeminiOptions(excluded_functions=("zoom",)))
    await it.provider.propose(seen(size=FINE))
    assert not offered(it)


@given(
    st.builds(Size, st.integers(1, 8000), st.integers(1, 8000)),
    st.lists(st.floats(0, 1000), min_size=2, max_size=2).map(sorted),
    st.lists(st.floats(0, 1000), min_size=2, max_size=2).map(sorted),
)
def test_the_part_holds_both_points_and_lies_inside(size: Size, across: list[float], down: list[float]) -> None:
    frame = FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size)
    arguments: dict[str, Any] = {"left": across[0], "right": across[1], "top": down[0], "bottom": down[1]}
    action = parse_call("zoom", arguments, frame).action
    assert isinstance(action, Zoom)
    region = action.region
    assert not region.empty
    assert region.intersect(Rect(0, 0, size.width, size.height)) == region
    first, last = (frame.from_grid(GridPoint(across[i], down[i])) for i in (0, 1))
    assert (region.x, region.y) == (first.x, first.y)
    assert (region.right - 1, region.bottom - 1) == (last.x, last.y)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"right": 99}, "smaller"),
        ({"bottom": 1}, "smaller"),
        ({"left": 1001}, "outside"),
        ({"top": "x"}, "not a number"),
    ],
)
def test_an_invalid_region_is_explained(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ActionError, match=words):
        parse_call("zoom", {**CALL["args"], **change}, geometry(FINE))  # type: ignore[dict-item]
