"""Turns with a model: numbers of the newest screen, repairs, and what stays in requests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from operator_console.domain.actions import Click, TypeText
from operator_console.domain.errors import OperatorError, ProviderMalformed, ProviderTransient
from operator_console.domain.geometry import NativePoint
from operator_console.domain.proposals import Brief, CallResult, CallStatus, MarksElements, PastTurn
from operator_console.providers.structured.chat_services import connect, service_of
from operator_console.providers.structured.marks import Canvas, Marked, draw_marks
from operator_console.providers.structured.numbered_elements import Numbered
from operator_console.providers.structured.options import ServiceName, StructuredOptions
from operator_console.providers.structured.provider import REPAIRS, StructuredProvider
from tests.providers.contract import chat_messages
from tests.providers.structured.screens import MODEL, NAME, SAVE, Told, asks, element, seen, session
from tests.servers.structured_servers import StructuredChatServer

CLICK_SAVE = {"click": {"index": 1}}


def texts(server: StructuredChatServer, index: int = -1) -> list[str]:
    return chat_messages.texts(server.received[index].body)


async def test_the_marks_are_those_of_the_picture_that_is_sent() -> None:
    async with session(asks(CLICK_SAVE), elements=Told([SAVE, NAME])) as (provider, server):
        assert isinstance(provider, MarksElements)
        observation = seen()
        marks = await provider.marks(observation.frame, observation.picture)
        assert [(mark.number, mark.box, mark.words) for mark in marks] == [
            (1, SAVE.box, "button “Save”"), (2, NAME.box, "text field “Name”"),
        ]  # fmt: skip
        (call,) = (await provider.propose(observation)).calls
        assert call.action == Click(at=NativePoint(140, 115))
        assert "[1] button “Save”\n[2] text field “Name”" in texts(server)[-2]
        assert "data:image/jpeg" in json.dumps(server.received[0].body), "with marks"


async def test_what_was_drawn_for_an_expected_frame_is_used_where_all_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[int] = []

    def draw(canvas: Canvas, numbered: Sequence[Numbered], max_bytes: int | None) -> Marked:
        drawn.append(len(numbered))
        return draw_marks(canvas, numbered, max_bytes)

    monkeypatch.setattr("operator_console.providers.structured.provider.draw_marks", draw)
    told = Told([SAVE, NAME])
    async with session({"status": 500, "message": "busy"}, asks(CLICK_SAVE), elements=told) as (provider, server):
        expected, observation = seen(), seen()
        marks = await provider.marks(expected.frame, expected.picture)
        assert await provider.marks(observation.frame, observation.picture) == marks
        for _ in range(2):
            with suppress(ProviderTransient):
                await provider.propose(observation)
        assert (drawn, told.asked) == ([2], 2)
        assert "[1] button “Save”\n[2] text field “Name”" in texts(server)[-2]


async def test_elements_of_an_expected_frame_are_not_told_for_another_and_use_up_no_numbers() -> None:
    told = Told([element("Gone", (100, 300, 80, 30)), NAME])
    async with session(asks(CLICK_SAVE), elements=told) as (provider, server):
        expected, observation = seen(), seen()
        await provider.marks(expected.frame, expected.picture)
        told.elements = [SAVE, NAME]
        assert [mark.words for mark in await provider.marks(observation.frame, observation.picture)] == [
            "button “Save”", "text field “Name”",
        ]  # fmt: skip
        await provider.propose(observation)
        assert "[1] button “Save”\n[2] text field “Name”" in texts(server)[-2]


async def test_without_marks_the_picture_is_sent_as_it_is() -> None:
    async with session(asks({"wait": {}})) as (provider, server):
        await provider.propose(seen())
        assert "data:image/png" in json.dumps(server.received[0].body)
        assert "(none is known: click points)" in "\n".join(texts(server))


async def test_numbers_are_those_of_the_newest_screen() -> None:
    told = Told([SAVE, NAME])
    async with session(
        asks({"wait": {}}), asks({"click": {"index": 2}}, {"input": {"index": 3, "text": "x"}}), elements=told
    ) as (provider, _):
        (call,) = (await provider.propose(seen())).calls
        told.elements = [SAVE, element("City", (100, 400, 300, 30))]
        gone, new = (await provider.propose(seen(CallResult(call=call, status=CallStatus.DONE)))).calls
        assert gone.action is None
        assert "number 2 on this screen" in gone.error
        assert new.action == TypeText(text="x", at=NativePoint(250, 415))


async def test_a_number_of_an_earlier_run_is_not_given_to_another_element() -> None:
    turns = (asks({"click": {"index": 2}}), asks({"wait": {}}))
    async with session(*turns, elements=Told([SAVE, NAME])) as (provider, server):
        first = seen()
        raw = (await provider.propose(first)).raw
        (call,) = provider.resume(Brief(task="t", instruction=""), [PastTurn(observation=first, raw=raw)])
        await provider.propose(seen(CallResult(call=call, status=CallStatus.DONE)))
        assert "[3] button “Save”\n[4] text field “Name”" in "\n".join(texts(server))


async def test_old_screens_leave_requests_and_the_memory_stays() -> None:
    turns = [asks({"wait": {}}, memory=f"memory {i}") for i in range(5)]
    async with session(*turns, elements=Told([SAVE]), keep_screenshots=2) as (provider, server):
        results: tuple[CallResult, ...] = ()
        for _ in turns:
            proposal = await provider.propose(seen(*results))
            results = tuple(CallResult(call=call, status=CallStatus.DONE) for call in proposal.calls)
        said = "\n".join(texts(server))
        assert said.count("[1] button “Save”") == chat_messages.pictures(server.received[-1].body) == 2
        assert "memory 0" in json.dumps(server.received[-1].body)


async def test_without_images_the_list_is_all_that_is_sent() -> None:
    async with session(asks({"wait": {}}), asks({"wait": {}}), elements=Told([SAVE]), images=False) as (
        provider,
        server,
    ):
        (call,) = (await provider.propose(seen())).calls
        await provider.propose(seen(CallResult(call=call, status=CallStatus.DONE)))
        for received in server.received:
            assert chat_messages.pictures(received.body) == 0
            assert "image" not in json.dumps(received.body["messages"][1:])
        assert "[1] button “Save”" in texts(server)[-1]


async def test_an_answer_that_is_not_in_the_form_is_sent_back_with_what_is_wrong() -> None:
    wrong = {"content": json.dumps({"action": [{"click": {"number": 1}}]})}
    async with session(wrong, asks(CLICK_SAVE), elements=Told([SAVE])) as (provider, server):
        proposal = await provider.propose(seen())
        assert proposal.calls[0].action == Click(at=NativePoint(140, 115))
        assert "index: Field required" in texts(server)[-1]
        assert server.received[1].body["messages"][:-2] == server.received[0].body["messages"]
        assert len(json.loads(proposal.raw)) == 2
        assert proposal.usage.output_tokens == 50
        assert proposal.request_bytes == sum(one.size for one in server.received)


async def test_repairs_are_bounded_and_leave_no_trace_in_the_conversation() -> None:
    wrong = {"content": "I click on Save."}
    async with session(*[wrong] * (REPAIRS + 1), asks({"wait": {}})) as (provider, server):
        observation = seen()
        with pytest.raises(ProviderMalformed, match="not JSON"):
            await provider.propose(observation)
        assert len(server.received) == REPAIRS + 1
        server.served.clear()
        await provider.propose(observation)
        assert server.received[-1].body["messages"] == server.received[0].body["messages"]


@pytest.mark.parametrize(
    ("model", "service"),
    [
        ("gemini-3.8-flash", ServiceName.GEMINI),
        ("models/gemma-4-27b-it", ServiceName.GEMINI),
        ("claude-opus-5-5", ServiceName.ANTHROPIC),
        ("gpt-5.6-sol", ServiceName.OPENAI),
        ("o4-mini", ServiceName.OPENAI),
        ("gpt-oss-120b", ServiceName.COMPATIBLE),
        ("Qwen/Qwen3-VL-8B-Instruct", ServiceName.COMPATIBLE),
        ("openai/gpt-5.6", ServiceName.COMPATIBLE),
    ],
)
def test_the_name_of_the_model_tells_the_service(model: str, service: ServiceName) -> None:
    assert service_of(model, StructuredOptions()) is service
    assert service_of(model, StructuredOptions(service=ServiceName.COMPATIBLE)) is ServiceName.COMPATIBLE


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("gemini-3.8-flash", "GEMINI_API_KEY"),
        ("claude-opus-5-5", "ANTHROPIC_API_KEY"),
        ("gpt-5.6-sol", "OPENAI_API_KEY"),
        (MODEL, "STRUCTURED_BASE_URL"),
    ],
)
def test_what_is_missing_is_named(model: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "STRUCTURED_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(OperatorError) as caught:
        connect(model, StructuredOptions(), api_key=None, base_url=None)
    assert variable in caught.value.remedy
    assert "structured" in caught.value.remedy


@pytest.mark.parametrize("mode", ["json_schema", "json_object", "none"])
async def test_the_form_is_asked_for_as_the_settings_say(mode: Any) -> None:
    options = StructuredOptions(json_mode=mode)
    async with StructuredChatServer([asks({"done": {"text": "ok"}})], models=[MODEL]) as server:
        server.check = lambda request, body: None
        connection = connect(MODEL, options, api_key=None, base_url=server.base_url)
        provider = StructuredProvider(MODEL, connection, options=options)
        await provider.propose(seen())
        await provider.close()
        asked = server.received[0].body.get("response_format", {"type": "none"})
        assert asked["type"] == mode
