"""A service that does not take all of a request is asked again with less, or in another way, which is told once."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import ProviderRejected, RejectedPart
from operator_console.domain.geometry import Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Observation, Proposal, Provider
from operator_console.engine.turn.request_with_retries import adapted
from operator_console.providers.shared.http_faults import rejected_part
from operator_console.providers.structured.endpoint_model import COMPATIBLE, EndpointModel
from operator_console.providers.structured.options import StructuredOptions
from operator_console.providers.structured.provider import StructuredProvider
from operator_console.providers.ui_tars.options import UiTarsOptions
from operator_console.providers.ui_tars.provider import UiTarsProvider
from tests.providers.conftest import BRIEF, all_done, seen
from tests.servers.chat_server import ChatServer
from tests.servers.scripted_server import Json, Seen, Turn

MODEL = "ByteDance-Seed/UI-TARS-1.5-7B"
CLICK = {"content": "Thought: There.\nAction: click(point='<point>100 100</point>')"}
DONE = {"content": '{"current_plan_item": 0, "next_goal": "", "action": [{"done": {"text": "ok", "success": true}}]}'}


def refusing(limit: int, said: str, turn: Json) -> Turn:
    """Refuses requests with more pictures than that."""

    def answer(asked: Seen) -> Json:
        pictures = str(asked.request["messages"]).count("'type': 'image_url'")
        return {"status": 400, "message": said} if pictures > limit else turn

    return answer


async def turn_of(provider: Provider, observation: Observation, told: list[str]) -> Proposal:
    turn = await adapted(provider, observation, lambda change, _: told.append(change))
    assert turn is not None
    return turn


async def test_fewer_screenshots_are_sent_until_the_service_takes_them() -> None:
    said = "At most 1 image(s) may be provided in one prompt."
    turns = [CLICK, *[refusing(1, said, CLICK)] * 3, refusing(1, said, CLICK)]
    told: list[str] = []
    async with ChatServer(turns, models=[MODEL]) as server:
        provider = UiTarsProvider(model=MODEL, options=UiTarsOptions(base_url=server.base_url, keep_screenshots=5))
        provider.begin(BRIEF)
        first = await turn_of(provider, seen(), told)
        assert told == []
        second = await turn_of(provider, seen(*all_done(first), shade=1), told)
        assert told == [notice(NoticeCode.FEWER_SCREENSHOTS_FROM_NOW, count=count) for count in (2, 1)]
        await turn_of(provider, seen(*all_done(second), shade=2), told)
        await provider.close()
    assert len(told) == 2
    assert len(server.received) == 5


async def test_it_ends_where_there_is_no_less_to_send() -> None:
    told: list[str] = []
    options = UiTarsOptions(base_url="", keep_screenshots=2, keep_turns=5)
    too_long = {"status": 400, "message": "This model's maximum context length is 8192 tokens."}
    async with ChatServer([too_long] * 9, models=[MODEL]) as server:
        provider = UiTarsProvider(model=MODEL, options=options.model_copy(update={"base_url": server.base_url}))
        provider.begin(BRIEF)
        with pytest.raises(ProviderRejected) as raised:
            await turn_of(provider, seen(size=Size(800, 600)), told)
        await provider.close()
    assert told == [
        notice(NoticeCode.FEWER_SCREENSHOTS_FROM_NOW, count=1), notice(NoticeCode.FEWER_TURNS_FROM_NOW, count=2)
    ]  # fmt: skip
    assert raised.value.remedy == notice(NoticeCode.LOWER_WHAT_IS_KEPT)
    assert len(server.received) == 3


async def test_a_form_of_answers_that_is_refused_is_asked_for_in_the_next_way() -> None:
    def answer(asked: Seen) -> Json:
        refused = "response_format" in asked.request
        return {"status": 400, "message": "This response_format type is unavailable now"} if refused else DONE

    told: list[str] = []
    options = StructuredOptions()
    async with ChatServer([answer] * 3, models=["m"]) as server:
        connection = EndpointModel(COMPATIBLE, "m", options, api_key=None, base_url=server.base_url)
        provider = StructuredProvider("m", connection, options=options)
        provider.begin(BRIEF)
        assert [call.name for call in (await turn_of(provider, seen(), told)).calls] == ["done"]
        await provider.close()
    assert told == [notice(NoticeCode.OTHER_JSON_MODE_FROM_NOW, mode=mode) for mode in ("json_object", "none")]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (400, "At most 1 image(s) may be provided in one prompt."),
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000."),
        (400, "the request exceeds the available context size, try increasing it"),
        (400, "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."),
        (400, "Image too large"),
        (422, "prompt is too long: 210000 tokens > 200000 maximum"),
        (413, "Request Entity Too Large nginx"),
    ],
)
def test_what_says_that_a_request_is_too_large(code: int, said: str) -> None:
    assert rejected_part(code, said) is RejectedPart.SIZE


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (400, "temperature must be non-negative"),
        (400, "The image could not be decoded"),
        (401, "maximum context length"),
        (500, "at most 1 image"),
    ],
)
def test_other_faults_are_not_about_the_size(code: int, said: str) -> None:
    assert rejected_part(code, said) is None
