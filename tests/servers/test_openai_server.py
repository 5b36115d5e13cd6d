"""The strict server is strict: judged with the vendor's SDK as its makers show it, and with broken requests."""

from __future__ import annotations

import base64
import copy
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import openai
import pytest

from operator_console.domain.geometry import Size
from tests.providers.conftest import picture
from tests.servers.openai_server import OpenAIServer

CLICK: dict[str, Any] = {"type": "click", "button": "left", "x": 1, "y": 2}
CHECK: dict[str, Any] = {"code": "sensitive_domain", "message": "A bank."}
TURN: dict[str, Any] = {
    "thinking": "Hm.",
    "calls": [{"actions": [CLICK, CLICK], "checks": [CHECK]}, {"function": "f", "arguments": {}}],
}
TOOLS: Any = [
    {"type": "computer"},
    {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}, "strict": False},
]
PREVIEW: Any = [{"type": "computer_use_preview", "display_width": 800, "display_height": 600, "environment": "linux"}]


def _url(size: Size = Size(800, 600), media_type: str = "image/png") -> str:
    return f"data:{media_type};base64,{base64.b64encode(picture(0, size).data).decode()}"


def _message(text: str = "Do it.", url: str = "") -> dict[str, Any]:
    content: list[Any] = [{"type": "input_text", "text": text}]
    if url:
        content.append({"type": "input_image", "image_url": url, "detail": "original"})
    return {"type": "message", "role": "user", "content": content}


def _outputs(items: list[Any]) -> list[Any]:
    made: list[Any] = []
    for item in items:
        if item["type"] == "computer_call":
            output = {"type": "computer_screenshot", "image_url": _url(), "detail": "original"}
            checks = list(item["pending_safety_checks"])
            made.append(
                {
                    "type": "computer_call_output", "call_id": item["call_id"], "output": output,
                    "acknowledged_safety_checks": checks,
                }
            )  # fmt: skip
        if item["type"] == "function_call":
            made.append({"type": "function_call_output", "call_id": item["call_id"], "output": "Done."})
    return made


@pytest.mark.parametrize("stored", [False, True])
async def test_a_session_as_the_sdk_shows_it(stored: bool) -> None:
    async with OpenAIServer([TURN, {"text": "Done."}]) as server, httpx2.AsyncClient(verify=False) as http:
        client = openai.AsyncOpenAI(api_key="k", base_url=f"{server.url}/v1", max_retries=0, http_client=http)
        same: dict[str, Any] = {"model": "gpt-5.4", "tools": TOOLS, "instructions": "Work.", "store": stored}
        items: Any = [_message(url=_url())]
        first = await client.responses.create(input=items, **same)
        call = next(item for item in first.output if item.type == "computer_call")
        assert call.actions is not None
        assert [action.type for action in call.actions] == ["click", "click"]
        assert call.pending_safety_checks[0].message == "A bank."
        said = [item.to_dict() for item in first.output]
        if stored:
            second = await client.responses.create(input=_outputs(said), previous_response_id=first.id, **same)
        else:
            second = await client.responses.create(input=[*items, *said, *_outputs(said)], **same)
        assert second.output_text == "Done."
        assert server.violations == []
        with pytest.raises(openai.BadRequestError, match="at its end"):
            await client.responses.create(input=items, **same)


# -- broken requests: a good second request, and what is done to it ------------------------------------------------

Change = Callable[[dict[str, Any]], object]


async def _post(url: str, body: dict[str, Any], key: str = "k") -> httpx2.Response:
    async with httpx2.AsyncClient(verify=False) as client:  # no TLS here, and certificates take 20 ms
        headers = {"Authorization": f"Bearer {key}", "Connection": "close"}
        return await client.post(f"{url}/v1/responses", json=body, headers=headers)


@pytest.fixture
async def second() -> AsyncIterator[tuple[OpenAIServer, dict[str, Any]]]:
    """Plays one turn and gives the server and a lawful second request."""
    async with OpenAIServer([TURN, {"text": "Done."}]) as server:
        body: dict[str, Any] = {
            "model": "gpt-5.4", "tools": copy.deepcopy(TOOLS), "instructions": "Work.", "store": False,
            "input": [_message(url=_url())],
        }  # fmt: skip
        answer = (await _post(server.url, body)).json()
        body["input"] += [*answer["output"], *_outputs(answer["output"]), _message("Hurry.")]
        yield server, body


def _at(body: dict[str, Any], kind: str) -> Any:
    return next(item for item in body["input"] if item["type"] == kind)


def _without(body: dict[str, Any], kind: str) -> None:
    body["input"].remove(_at(body, kind))


def _shot(body: dict[str, Any]) -> Any:
    return _at(body, "computer_call_output")["output"]


BROKEN: list[tuple[str, Change]] = [
    ("Unknown parameter: 'temprature'", lambda body: body.update(temprature=1)),
    ("Missing required parameter: 'input'", lambda body: body.pop("input")),
    ("Unknown parameter: 'input[4].text'", lambda body: _at(body, "computer_call_output").update(text="Clicked.")),
    ("Missing required parameter: 'input[4].call_id'", lambda body: _at(body, "computer_call_output").pop("call_id")),
    ("No tool output found for computer call", lambda body: _without(body, "computer_call_output")),
    ("No tool output found for function call", lambda body: _without(body, "function_call_output")),
    ("No tool call found for computer call output", lambda body: _without(body, "computer_call")),
    ("No tool call found for function call output", lambda body: _without(body, "function_call")),
    ("without its required 'reasoning' item", lambda body: _without(body, "reasoning")),
    ("was provided without its required following item", lambda body: body["input"].append(_rest(body))),
    ("could not be verified", lambda body: _at(body, "reasoning").update(encrypted_content="x")),
    ("Items are not persisted", lambda body: _at(body, "reasoning").pop("encrypted_content")),
    ("Duplicate item found", lambda body: body["input"].insert(1, _at(body, "reasoning"))),
    ("no turn that the model produced", lambda body: _at(body, "computer_call").update(actions=[CLICK])),
    ("unacknowledged safety check", lambda body: _at(body, "computer_call_output").pop("acknowledged_safety_checks")),
    (
        "has no safety check",
        lambda body: _at(body, "computer_call_output")["acknowledged_safety_checks"].append({"id": "x"}),
    ),
    ("original detail", lambda body: _shot(body).update(detail="high")),
    ("Supported values are: 'computer_screenshot'", lambda body: _shot(body).update(type="input_image")),
    ("valid URL", lambda body: _shot(body).update(image_url="nothing")),
    ("does not represent a valid image", lambda body: _shot(body).update(image_url="data:image/png;base64,AAAA")),
    ("does not represent a valid image", lambda body: _shot(body).update(image_url=_url(media_type="image/jpeg"))),
    ("too large", lambda body: _shot(body).update(image_url=_url(Size(32 * 30_001, 1)))),
    ("empty array", lambda body: body["input"].append({"type": "message", "role": "user", "content": []})),
    ("detail", lambda body: body["input"][0]["content"][1].pop("detail")),
    ("not supported with", lambda body: body["tools"].__setitem__(0, PREVIEW[0])),
    ("Unknown parameter: 'tools[0].display_width'", lambda body: body["tools"][0].update(display_width=800)),
    ("does not match pattern", lambda body: body["tools"][1].update(name="a b")),
    ("Missing required parameter: 'tools[1].strict'", lambda body: body["tools"][1].pop("strict")),
    ("Invalid schema for function", lambda body: body["tools"][1].update(parameters={})),
    ("must be unique", lambda body: body["tools"].append(body["tools"][1])),
    ("below minimum value", lambda body: body.update(max_output_tokens=3)),
    ("instructions", lambda body: body.pop("instructions")),
    ("not found", lambda body: body.update(previous_response_id="resp_x")),
]


def _rest(body: dict[str, Any]) -> dict[str, Any]:
    return {**_at(body, "reasoning"), "id": "rs_x"}


@pytest.mark.parametrize(("words", "change"), BROKEN, ids=[f"{i}-{words}" for i, (words, _) in enumerate(BROKEN)])
async def test_a_broken_rule_is_answered_as_the_service_would(
    second: tuple[OpenAIServer, dict[str, Any]], words: str, change: Change
) -> None:
    server, body = second
    broken = copy.deepcopy(body)
    change(broken)
    answer = await _post(server.url, broken)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert words in server.violations[0]
    assert (await _post(server.url, body)).status_code == 200, "the good one"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "truncation"),
        ({"truncation": "auto", "tools": TOOLS}, "not supported with"),
        ({"truncation": "auto", "input": [_message(url=_url(Size(80, 60)))]}, "display"),
    ],
    ids=str,
)
async def test_the_rules_of_the_preview(more: dict[str, Any], words: str) -> None:
    async with OpenAIServer([{"text": "Done."}]) as server:
        body = {
            "model": "computer-use-preview", "tools": PREVIEW, "instructions": "Work.",
            "input": [_message(url=_url())],
        }  # fmt: skip
        assert (await _post(server.url, {**body, **more})).status_code == 400
        assert words in server.violations[0]
        assert (await _post(server.url, {**body, "truncation": "auto"})).status_code == 200


@pytest.mark.parametrize(
    ("environment", "output", "words"),
    [
        ("linux", {"type": "computer_screenshot"}, "expects the environment browser"),
        ("browser", {"type": "computer_screenshot", "current_url": "https://a.example/"}, "input_image"),
        ("browser", {"type": "input_image"}, "current_url"),
        ("browser", {"type": "input_image", "current_url": ""}, "current_url"),
        ("browser", {"type": "input_image", "current_url": "https://a.example/", "detail": "high"}, "detail"),
    ],
    ids=str,
)
async def test_in_a_browser_the_preview_needs_the_environment_and_the_address(
    environment: str, output: dict[str, Any], words: str
) -> None:
    async with OpenAIServer([{"calls": [{"actions": [CLICK]}]}, {"text": "Done."}], browser=True) as server:
        body: dict[str, Any] = {
            "model": "computer-use-preview", "tools": [{**PREVIEW[0], "environment": "browser"}],
            "instructions": "Work.", "truncation": "auto", "input": [_message(url=_url())],
        }  # fmt: skip
        (call,) = (await _post(server.url, body)).json()["output"]
        answer: dict[str, Any] = {"type": "computer_call_output", "call_id": call["call_id"], "output": {}}
        body["input"] += [call, answer]
        answer["output"] = {"image_url": _url(), **output}
        broken = {**body, "tools": [{**PREVIEW[0], "environment": environment}]}
        assert (await _post(server.url, broken)).status_code == 400
        assert words in server.violations[0]
        answer["output"] = {"image_url": _url(), "type": "input_image", "current_url": "about:blank"}
        assert (await _post(server.url, body)).status_code == 200


async def test_key_and_model_are_checked() -> None:
    async with OpenAIServer([{"text": "Done."}], api_key="good") as server:
        body = {"model": "gpt-0", "tools": TOOLS, "instructions": "Work.", "input": []}
        assert (await _post(server.url, body)).json()["error"]["code"] == "invalid_api_key"
        answer = await _post(server.url, body, key="good")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "model_not_found")
