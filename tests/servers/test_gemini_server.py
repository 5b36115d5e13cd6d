"""The strict server is strict: judged with the vendor's SDK as its makers show it, and with broken requests."""

from __future__ import annotations

import asyncio
import base64
import copy
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai import errors, types

from tests.providers.conftest import picture
from tests.servers.gemini_server import GeminiServer, GeminiServerThread
from tests.servers.scripted_server import Seen

PNG = picture().data
CLICK: dict[str, Any] = {"name": "click", "args": {"x": 1, "y": 2, "intent": "Open"}}
FLAGGED: dict[str, Any] = {
    "name": "click",
    "args": {"x": 1, "y": 2, "safety_decision": {"decision": "require_confirmation"}},
}


def _options(url: str, **more: Any) -> types.HttpOptions:
    return types.HttpOptions(base_url=url, retry_options=types.HttpRetryOptions(attempts=1), **more)


def _config(environment: types.Environment = types.Environment.ENVIRONMENT_DESKTOP) -> types.GenerateContentConfig:
    tool = types.Tool(computer_use=types.ComputerUse(environment=environment))
    return types.GenerateContentConfig(
        tools=[tool], automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True)
    )


def _reply(content: types.Content) -> types.Content:
    parts = []
    for part in content.parts or []:
        if part.function_call is None:
            continue
        blob = types.FunctionResponseBlob(mime_type="image/png", data=PNG)
        response = types.FunctionResponse(
            id=part.function_call.id,
            name=part.function_call.name,
            response={"url": ""},
            parts=[types.FunctionResponsePart(inline_data=blob)],
        )
        parts.append(types.Part(function_response=response))
    return types.Content(role="user", parts=parts)


async def test_a_session_as_the_sdk_shows_it() -> None:
    turns: list[dict[str, Any]] = [
        {"thought": "Hm.", "calls": [CLICK, CLICK]},
        {"calls": [{**CLICK, "id": None}]},
        {"text": "Done."},
    ]
    async with GeminiServer(turns) as server:
        http = httpx2.AsyncClient(verify=False)
        client = genai.Client(api_key="k", http_options=_options(server.url, httpx_async_client=http))
        image = types.Part.from_bytes(data=PNG, mime_type="image/png")
        history = [types.Content(role="user", parts=[types.Part(text="Do it."), image])]
        async with http:
            while True:
                answer = await client.aio.models.generate_content(
                    model="gemini-3.8-flash", contents=list(history), config=_config()
                )
                assert answer.candidates
                content = answer.candidates[0].content
                assert content is not None
                if not answer.function_calls:
                    break
                history += [content, _reply(content)]
        client.close()
        assert answer.text == "Done."
        assert server.violations == []
        assert [one.code for one in server.received] == [200, 200, 200]
        assert answer.usage_metadata is not None
        assert answer.usage_metadata.prompt_token_count


# -- broken requests: a good second request, and what is done to it ------------------------------------------------


async def _post(url: str, body: dict[str, Any], model: str = "gemini-3.8-flash", key: str = "k") -> httpx2.Response:
    headers = {"Connection": "close", **({"x-goog-api-key": key} if key else {})}
    async with httpx2.AsyncClient(verify=False) as client:  # no TLS here, and certificates take 20 ms
        return await client.post(f"{url}/v1beta/models/{model}:generateContent", json=body, headers=headers)


def _blob(data: bytes = PNG, mime: str = "image/png") -> dict[str, Any]:
    return {"inlineData": {"mimeType": mime, "data": base64.b64encode(data).decode()}}


def _answer(call: dict[str, Any], **response: Any) -> dict[str, Any]:
    made = {"name": call["name"], "response": response, "parts": [_blob()]}
    return {"functionResponse": made | ({"id": call["id"]} if "id" in call else {})}


@pytest.fixture
async def second() -> AsyncIterator[Callable[..., Any]]:
    """Plays one turn of calls and gives the server and a lawful second request."""
    servers: list[GeminiServer] = []

    async def make(*calls: dict[str, Any], **options: Any) -> tuple[GeminiServer, dict[str, Any]]:
        server = GeminiServer([{"calls": list(calls)}, {"text": "Done."}], **options)
        await server.start()
        servers.append(server)
        body: dict[str, Any] = {
            "contents": [{"role": "user", "parts": [{"text": "Do it."}, _blob()]}],
            "tools": [{"computerUse": {"environment": "ENVIRONMENT_DESKTOP"}}],
        }
        said = (await _post(server.url, body)).json()["candidates"][0]["content"]
        made = [part["functionCall"] for part in said["parts"]]
        body["contents"] += [said, {"role": "user", "parts": [_answer(call) for call in made]}]
        return server, body

    yield make
    for server in servers:
        await server.stop()


def _drop_answer(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"].pop()


def _double_answer(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"] *= 2


def _add_text(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"].append({"text": "and more"})


def _add_picture(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"].append(_blob())


def _no_signature(body: dict[str, Any]) -> None:
    del body["contents"][1]["parts"][0]["thoughtSignature"]


def _other_call(body: dict[str, Any]) -> None:
    body["contents"][1]["parts"][0]["functionCall"]["args"]["x"] = 7


def _other_id(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"][0]["functionResponse"]["id"] = "fc-9"


def _no_id(body: dict[str, Any]) -> None:
    del body["contents"][-1]["parts"][0]["functionResponse"]["id"]


def _other_name(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"][0]["functionResponse"]["name"] = "type"


def _no_picture(body: dict[str, Any]) -> None:
    del body["contents"][-1]["parts"][0]["functionResponse"]["parts"]


def _jpeg_name(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"][0]["functionResponse"]["parts"] = [_blob(PNG, "image/jpeg")]


def _jpeg_bytes(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"][0]["functionResponse"]["parts"] = [_blob(b"\xff\xd8\xff" + PNG)]


def _ack(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"][0]["functionResponse"]["response"]["safety_acknowledgement"] = "true"


def _no_tool(body: dict[str, Any]) -> None:
    body["tools"] = []


def _no_environment(body: dict[str, Any]) -> None:
    body["tools"] = [{"computerUse": {}}]


def _redeclared(body: dict[str, Any]) -> None:
    body["tools"].append({"functionDeclarations": [{"name": "click", "description": "Ours."}]})


def _forget(body: dict[str, Any]) -> None:
    body["contents"][1:] = [{"role": "user", "parts": [{"text": "Go on."}]}]


def _unanswered(body: dict[str, Any]) -> None:
    body["contents"][-1] = {"role": "user", "parts": [{"text": "Go on."}]}


def _model_last(body: dict[str, Any]) -> None:
    body["contents"].pop()


def _unknown_field(body: dict[str, Any]) -> None:
    body["contents"][-1]["parts"][0]["functionResponse"]["surprise"] = 1


def _unknown_top(body: dict[str, Any]) -> None:
    body["surprise"] = 1


def _bad_role(body: dict[str, Any]) -> None:
    body["contents"][-1]["role"] = "function"


BROKEN: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (_drop_answer, "number of function response parts is equal"),
    (_double_answer, "number of function response parts is equal"),
    (_add_text, "function response parts only"),
    (_add_picture, "function response parts only"),
    (_no_signature, "missing a thought_signature"),
    (_other_call, "no turn that the model produced"),
    (_other_id, "is not that of the call"),
    (_no_id, "is not that of the call"),
    (_other_name, "does not answer function call"),
    (_no_picture, "requires image of mime_type image/png"),
    (_jpeg_name, "requires image of mime_type image/png"),
    (_jpeg_bytes, "requires image of mime_type image/png"),
    (_ack, "carries no safety decision"),
    (_no_tool, "requires the use of the Computer Use tool"),
    (_no_environment, "environment must be specified"),
    (_redeclared, "Duplicate function declaration"),
    (_forget, "missing from the history"),
    (_unanswered, "number of function response parts is equal"),
    (_model_last, "end with a user role"),
    (_unknown_field, "Invalid JSON payload"),
    (_unknown_top, "Unknown name"),
    (_bad_role, "valid role"),
]


@pytest.mark.parametrize(("break_it", "words"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
async def test_a_broken_rule_is_a_400(
    second: Callable[..., Any], break_it: Callable[[dict[str, Any]], None], words: str
) -> None:
    server, body = await second(CLICK, CLICK)
    broken = copy.deepcopy(body)
    break_it(broken)
    refused = await _post(server.url, broken)
    assert refused.status_code == 400
    assert words in refused.json()["error"]["message"]
    assert len(server.violations) == 1
    # The turn is still to be said: the lawful request gets it.
    assert (await _post(server.url, body)).json()["candidates"][0]["content"]["parts"] == [{"text": "Done."}]


async def _post_and_leave(server: GeminiServer, body: dict[str, Any]) -> None:
    """Ask as a client that calls the request off while its answer is on its way."""
    host, port = server.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    data = json.dumps(body).encode()
    head = f"POST /v1beta/models/gemini-3.8-flash:generateContent HTTP/1.1\r\nHost: {host}\r\nx-goog-api-key: k\r\n"
    writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
    assert b" 200 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


async def test_an_answer_that_was_called_off_on_its_way_is_said_again(second: Callable[..., Any]) -> None:
    server, body = await second(CLICK)
    again: list[bool] = []

    def answers(seen: Seen) -> dict[str, Any]:
        again.append(seen.again)
        return {"calls": [CLICK]}

    server.pending[:] = [answers, {"text": "Done."}]
    await _post_and_leave(server, body)
    [part] = (await _post(server.url, body)).json()["candidates"][0]["content"]["parts"]
    assert part["functionCall"]["name"] == CLICK["name"]
    assert again == [False, True]
    assert server.violations == []
    assert len(server.pending) == 1


async def test_an_answer_that_has_come_and_is_not_kept_is_to_be_said_again(second: Callable[..., Any]) -> None:
    server, body = await second(CLICK)
    asked = body["contents"][0]
    again: list[bool] = []

    def answers(seen: Seen) -> dict[str, Any]:
        again.append(seen.again)
        return {"calls": [CLICK]}

    server.pending[:] = [answers] * 4
    path, headers = f"{server.url}/v1beta/models/gemini-3.8-flash:generateContent", {"x-goog-api-key": "k"}
    async with httpx2.AsyncClient(verify=False) as kept:
        body["contents"] = [asked]
        await kept.post(path, json=body, headers=headers)
        said = (await kept.post(path, json=body, headers=headers)).json()["candidates"][0]["content"]
        made = [part["functionCall"] for part in said["parts"]]
        body["contents"] = [asked, said, {"role": "user", "parts": [_answer(call) for call in made]}]
        await kept.post(path, json=body, headers=headers)
    body["contents"] = [asked]
    await _post(server.url, body)  # a new conversation
    assert again == [False, True, False, False]
    assert server.violations == []


async def test_a_flag_wants_its_acknowledgement_or_a_withdrawn_turn(second: Callable[..., Any]) -> None:
    server, body = await second(FLAGGED)
    assert "must be acknowledged" in (await _post(server.url, body)).json()["error"]["message"]
    withdrawn = copy.deepcopy(body)
    withdrawn["contents"][1:] = [{"role": "user", "parts": [{"text": "Declined."}, _blob()]}]
    assert (await _post(server.url, withdrawn)).status_code == 200
    server.pending.append({"text": "Done."})
    _ack(body)
    assert (await _post(server.url, body)).status_code == 400  # the second answer is missing by now


async def test_a_big_picture_is_a_503_and_too_many_a_400(second: Callable[..., Any]) -> None:
    server, body = await second(CLICK, keep_screenshots=1)
    assert "pictures" in (await _post(server.url, body)).json()["error"]["message"]
    del body["contents"][0]["parts"][1]
    body["contents"][-1]["parts"][0]["functionResponse"]["parts"] = [_blob(PNG + bytes(500_000))]
    assert (await _post(server.url, body)).status_code == 503


async def test_keys_and_models() -> None:
    async with GeminiServer([], api_key="right") as server:
        assert (await _post(server.url, {}, key="")).status_code == 403
        wrong = await _post(server.url, {}, key="wrong")
        assert wrong.status_code == 400
        assert wrong.json()["error"]["details"][0]["reason"] == "API_KEY_INVALID"
        assert (await _post(server.url, {}, key="right", model="gemini-0")).status_code == 404


async def test_turns_may_be_computed_from_the_last_screenshot() -> None:
    def locate(name: str, png: bytes) -> tuple[float, float]:
        assert png == PNG
        return (10, 20) if name == "Save" else (30, 40)

    def compute(seen: Seen) -> dict[str, Any]:
        return {"calls": [{"name": "click", "args": {"x": len(seen.png) % 1000, "y": 1}}]}

    located = {"name": "drag_and_drop", "args": {"start": {"$at": "Save"}, "end": {"$at": "Here"}, "intent": "i"}}
    body = {
        "contents": [{"role": "user", "parts": [{"text": "Do it."}, _blob()]}],
        "tools": [{"computerUse": {"environment": "ENVIRONMENT_DESKTOP"}}],
    }
    async with GeminiServer([{"calls": [located]}, compute], locator=locate) as server:
        first = (await _post(server.url, body)).json()["candidates"][0]["content"]["parts"][0]
        assert first["functionCall"]["args"] == {"start_x": 10, "start_y": 20, "end_x": 30, "end_y": 40, "intent": "i"}
        again = (await _post(server.url, body)).json()["candidates"][0]["content"]["parts"][0]
        assert again["functionCall"]["args"]["x"] == len(PNG) % 1000


def test_in_a_thread() -> None:
    with GeminiServerThread([{"status": 429, "retry_info": "3s"}]) as server:
        client = genai.Client(api_key="k", http_options=_options(server.url))
        image = types.Part.from_bytes(data=PNG, mime_type="image/png")
        with pytest.raises(errors.ClientError) as caught:
            client.models.generate_content(
                model="gemini-3.8-flash",
                contents=types.Content(role="user", parts=[types.Part(text="Do it."), image]),
                config=_config(),
            )
        client.close()
    assert caught.value.code == 429
    assert caught.value.details["error"]["details"][0]["retryDelay"] == "3s"


def test_as_a_process(tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(json.dumps({"turns": [{"text": "Done."}]}), encoding="utf-8")
    command = [sys.executable, "-m", "tests.servers.gemini_server", str(script), "--log", str(log)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(root)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        body = {
            "contents": [{"role": "user", "parts": [{"text": "Do it."}, _blob()]}],
            "tools": [{"computerUse": {"environment": "ENVIRONMENT_DESKTOP"}}],
        }
        assert asyncio.run(_post(url, body)).status_code == 200
        assert asyncio.run(_post(url, {**body, "tools": []})).status_code == 400
        _, complaints = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "Computer Use tool" in complaints
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [line["code"] for line in lines] == [200, 400]
    assert lines[0]["body"]["contents"][0]["parts"][1]["inlineData"]["data"].startswith("sha256:")


@pytest.mark.parametrize(
    ("environment", "response", "words"),
    [
        ("ENVIRONMENT_DESKTOP", {"url": "https://a.example/"}, "must be ENVIRONMENT_BROWSER"),
        ("ENVIRONMENT_BROWSER", {"url": ""}, "require the url of the page"),
        ("ENVIRONMENT_BROWSER", {}, "require the url of the page"),
        ("ENVIRONMENT_BROWSER", {"url": "a.example"}, "require the url of the page"),
    ],
)
async def test_in_a_browser_the_environment_and_the_address_in_each_answer_are_required(
    environment: str, response: dict[str, Any], words: str
) -> None:
    async with GeminiServer([{"calls": [CLICK]}, {"text": "Done."}], browser=True) as server:
        body: dict[str, Any] = {
            "contents": [{"role": "user", "parts": [{"text": "Do it."}, _blob()]}],
            "tools": [{"computerUse": {"environment": "ENVIRONMENT_BROWSER"}}],
        }
        said = (await _post(server.url, body)).json()["candidates"][0]["content"]
        answer = _answer(said["parts"][0]["functionCall"], **response)
        broken = {
            "contents": [*body["contents"], said, {"role": "user", "parts": [answer]}],
            "tools": [{"computerUse": {"environment": environment}}],
        }
        refused = await _post(server.url, broken)
        assert refused.status_code == 400
        assert words in refused.json()["error"]["message"]
        answer["functionResponse"]["response"]["url"] = "about:blank"
        assert (await _post(server.url, {**broken, "tools": body["tools"]})).status_code == 200
