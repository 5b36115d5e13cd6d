"""The function read_text is offered, parsed, and answered with the text."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import QuoteText
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, Rect, ScreenPoint, Size
from operator_console.domain.proposals import CallResult, CallStatus
from operator_console.providers.gemini.actions import parse_call
from operator_console.providers.gemini.options import GeminiOptions
from tests.providers.conftest import MakeBench, seen

SIZE = Size(1000, 1000)
GEOMETRY = FrameGeometry(origin=ScreenPoint(0, 0), native=SIZE, sent=SIZE)
EDGES = {"left": 100, "top": 200, "right": 299, "bottom": 599}


def test_the_region_and_the_wish_to_scroll_are_understood() -> None:
    region = Rect(100, 200, 200, 400)
    assert parse_call("read_text", EDGES, GEOMETRY).action == QuoteText(region=region, variable="text")
    scrolling = parse_call("read_text", {**EDGES, "scroll_to_end": "true"}, GEOMETRY).action
    assert scrolling == QuoteText(region=region, variable="text", auto_scroll=True)


@pytest.mark.parametrize("wrong", [{"right": 50}, {"bottom": 1001}, {"left": None}, {"scroll_to_end": "perhaps"}])
def test_what_names_no_region_is_an_error_to_the_model(wrong: dict[str, object]) -> None:
    with pytest.raises(ActionError):
        parse_call("read_text", {**EDGES, **wrong}, GEOMETRY)


async def test_a_call_is_answered_with_the_text(bench: MakeBench) -> None:
    it = await bench([{"calls": [{"name": "read_text", "args": EDGES}]}, {"text": "Done."}])
    (call,) = (await it.provider.propose(seen(size=SIZE))).calls
    assert isinstance(call.action, QuoteText)
    result = CallResult(call=call, status=CallStatus.DONE, text="Read 2 screens, to its end.", output="one\ntwo")
    await it.provider.propose(seen(result, size=SIZE))
    (part,) = it.server.received[-1].body["contents"][-1]["parts"]
    assert part["functionResponse"]["response"]["output"] == "one\ntwo"
    assert it.server.violations == []


async def test_an_operator_can_withhold_it(bench: MakeBench) -> None:
    it = await bench([{"text": "Done."}], options=GeminiOptions(excluded_functions=("read_text",)))
    await it.provider.propose(seen(size=SIZE))
    tools = it.server.received[-1].body["tools"]
    assert "read_text" not in [one["name"] for tool in tools for one in tool.get("functionDeclarations", [])]
