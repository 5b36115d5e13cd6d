"""What Gemini's generateContent demands of a computer-use conversation, checked on the bytes of a request.

Not part of the product and written without it: shapes come from google-genai's own types, rules and error texts from
the service's documentation and from reports of what it answers. The strict server calls `check_request`; a broken rule
raises `ApiError`, which is what the service would answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pydantic
from google.genai import types

from tests.servers.scripted_server import Json, ServiceError
from tests.servers.tool_rules import gemini_refusal

MAX_PNG_BYTES = 500_000
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
LEGACY_MODELS = frozenset(
    {"gemini-2.5-computer-use-preview-10-2025", "gemini-3-flash-preview", "gemini-3.1-pro-preview"}
)
MODELS = LEGACY_MODELS | {
    "gemini-3.8-flash", "gemini-3.7-flash", "gemini-3.6-flash", "gemini-3.5-flash", "gemini-3.5-flash-lite",
}  # fmt: skip
ONLY_WITH_TOOL = frozenset({"gemini-2.5-computer-use-preview-10-2025"})
PREDEFINED = frozenset(
    {
        "open_web_browser", "wait_5_seconds", "go_back", "go_forward", "search", "navigate", "click_at", "hover_at",
        "type_text_at", "key_combination", "scroll_document", "scroll_at", "drag_and_drop", "click", "double_click",
        "triple_click", "middle_click", "right_click", "mouse_down", "mouse_up", "move", "type", "wait", "press_key",
        "key_down", "key_up", "hotkey", "take_screenshot", "scroll", "open_app", "list_apps", "long_press",
    }
)  # fmt: skip
RESPONSE_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
RESPONSE_PLACE = "Please ensure that function response turn comes immediately after a function call turn."
CALL_PLACE = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)


class ApiError(ServiceError):
    """An error answer: HTTP code, the service's status word, its text, and google.rpc details."""

    def __init__(
        self, code: int, message: str, *, status: str = "INVALID_ARGUMENT", details: Sequence[Json] = ()
    ) -> None:
        super().__init__(code, message)
        self.status = status
        self.details = list(details)

    def body(self) -> dict[str, Any]:
        """The JSON the service sends."""
        error: dict[str, Any] = {"code": self.code, "message": self.message, "status": self.status}
        if self.details:
            error["details"] = self.details
        return {"error": error}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectations:
    """What this server knows beside the request.

    Attributes:
        served: the model turns it answered with, oldest first.
        optional: those of them that a client may refuse to read (cut off, blocked).
        keep_screenshots: how many turns may carry pictures.
        complete_history: every answered turn has to be there, but for a prefix that was left out as a whole, and for
            turns with a flagged call (a declined one is withdrawn).
        browser: whether what the model works on is a browser: the environment has to say so, and each function
            response the address of the page.
    """

    served: Sequence[Json]
    optional: Sequence[Json] = ()
    keep_screenshots: int | None = None
    complete_history: bool = True
    browser: bool = False


def normal_content(content: Json) -> dict[str, Any]:
    """A content by the SDK's types: unknown fields refused, names in camelCase, base64 of either kind as bytes."""
    model = types.Content.model_validate_json(json.dumps(content))
    return model.model_dump(by_alias=True, exclude_none=True)


def check_request(model: str, body: Json, expected: Expectations) -> list[dict[str, Any]]:
    """The contents in normal form. Raises ApiError for the first rule that the request breaks.

    `expected` holds contents in normal form too.
    """
    if model not in MODELS:
        raise ApiError(
            404,
            f"models/{model} is not found for API version v1beta, or is not supported for generateContent.",
            status="NOT_FOUND",
        )
    contents, tools = _shape(body)
    if not (is_question(body) and model not in ONLY_WITH_TOOL):
        _check_tools(model, tools)
    if expected.browser:
        _check_browser(contents, tools)
    _check_roles(contents)
    _check_pictures(contents, expected.keep_screenshots)
    _check_model_turns(contents, expected)
    _check_answers(contents)
    return contents


def is_question(body: Json) -> bool:
    """Whether it is one text, without tools, pictures and history."""
    contents = body.get("contents") or []
    return not body.get("tools") and len(contents) == 1 and all(set(part) == {"text"} for part in contents[0]["parts"])


def _shape(body: Json) -> tuple[list[dict[str, Any]], list[types.Tool]]:
    known = {"contents", "tools", "generationConfig", "systemInstruction", "toolConfig", "safetySettings"}
    for name in body:
        if name not in known:
            raise ApiError(400, f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.')
    given = body.get("contents")
    if not isinstance(given, list) or not given:
        raise ApiError(400, "* GenerateContentRequest.contents: contents is not specified")
    try:
        contents = [normal_content(content) for content in given]
        normal_content(body.get("systemInstruction") or {})
        types.GenerationConfig.model_validate(body.get("generationConfig") or {})
        tools = [types.Tool.model_validate(tool) for tool in body.get("tools") or []]
    except pydantic.ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise ApiError(400, f"Invalid JSON payload received. {first['loc']}: {first['msg']}") from error
    for index, content in enumerate(contents):
        for part in content.get("parts") or []:
            if len(set(part) - {"thought", "thoughtSignature"}) != 1:
                text = "required oneof field 'data' must have one initialized field"
                raise ApiError(400, f"contents[{index}].parts: {text}")
    return contents, tools


def _check_tools(model: str, tools: Sequence[types.Tool]) -> None:
    uses = [tool.computer_use for tool in tools if tool.computer_use is not None]
    if len(uses) != 1:
        raise ApiError(400, "This model requires the use of the Computer Use tool.")
    (use,) = uses
    if use.environment not in {
        types.Environment.ENVIRONMENT_BROWSER,
        types.Environment.ENVIRONMENT_DESKTOP,
        types.Environment.ENVIRONMENT_MOBILE,
    }:
        raise ApiError(400, "computer_use.environment must be specified.")
    newer = use.enable_prompt_injection_detection is not None or use.disabled_safety_policies is not None
    if model in LEGACY_MODELS and (newer or use.environment is not types.Environment.ENVIRONMENT_BROWSER):
        raise ApiError(400, f"models/{model} does not support these Computer Use options.")
    excluded = set(use.excluded_predefined_functions or [])
    for tool in tools:
        for declaration in tool.function_declarations or []:
            if declaration.name in PREDEFINED - excluded:
                raise ApiError(400, f"Duplicate function declaration found: {declaration.name}")
            if refusal := gemini_refusal(declaration.parameters_json_schema or {}):
                raise ApiError(400, f"GenerateContentRequest.tools: {declaration.name}: {refusal}")


def _check_browser(contents: Sequence[Json], tools: Sequence[types.Tool]) -> None:
    (use,) = (tool.computer_use for tool in tools if tool.computer_use is not None)
    if use.environment is not types.Environment.ENVIRONMENT_BROWSER:
        raise ApiError(400, "computer_use.environment must be ENVIRONMENT_BROWSER for a browser.")
    for content in contents:
        for part in content.get("parts") or []:
            response = (part.get("functionResponse") or {"response": {"url": "about:blank"}}).get("response") or {}
            url = response.get("url")
            if not isinstance(url, str) or not re.match(r"[a-z][a-z0-9+.-]*:\S", url):
                raise ApiError(400, "Computer Use function responses require the url of the page.")


def _check_roles(contents: Sequence[Json]) -> None:
    for index, content in enumerate(contents):
        if content.get("role") not in {"user", "model"}:
            raise ApiError(400, "Please use a valid role: user, model.")
        if not content.get("parts"):
            raise ApiError(400, f"contents[{index}].parts must not be empty.")
    if contents[0]["role"] != "user" or any("functionResponse" in part for part in contents[0]["parts"]):
        raise ApiError(400, CALL_PLACE)
    if contents[-1]["role"] != "user":
        raise ApiError(400, "Please ensure that multiturn requests end with a user role or a function response.")


def pictures_of(content: Json) -> Iterator[Json]:
    """The blobs of one turn, in order."""
    for part in content.get("parts") or []:
        if "inlineData" in part:
            yield part["inlineData"]
        for inner in (part.get("functionResponse") or {}).get("parts") or []:
            if "inlineData" in inner:
                yield inner["inlineData"]


def png_bytes(blob: Json) -> bytes:
    """The bytes of a PNG blob; raises the service's answer for anything else."""
    if blob.get("mimeType") != "image/png":
        raise ApiError(400, "Computer Use requires image of mime_type image/png.")
    data: bytes = blob.get("data", b"")
    if not data.startswith(PNG_SIGNATURE):
        raise ApiError(400, "Unable to process input image. Computer Use requires image of mime_type image/png.")
    if len(data) > MAX_PNG_BYTES:
        raise ApiError(503, "The service is currently unavailable.", status="UNAVAILABLE")
    return data


def _check_pictures(contents: Sequence[Json], keep: int | None) -> None:
    with_pictures = 0
    for content in contents:
        blobs = list(pictures_of(content))
        for blob in blobs:
            png_bytes(blob)
        with_pictures += bool(blobs)
    if keep is not None and with_pictures > keep:
        raise ApiError(400, f"{with_pictures} turns carry pictures, {keep} are wanted at most.")


def _check_model_turns(contents: Sequence[Json], expected: Expectations) -> None:
    """Every model turn is one that was served, unchanged, in the order of serving, none left out but lawfully.

    From the newest to the oldest, because what may be missing without a reason is the beginning.
    """
    served = expected.served
    position = len(served)
    for index in range(len(contents) - 1, -1, -1):
        content = contents[index]
        if content["role"] != "model":
            continue
        found = next((i for i in range(position - 1, -1, -1) if served[i] == content), None)
        if found is None:
            raise _unlike(content, index, served)
        if expected.complete_history:
            _check_left_out(served[found + 1 : position], expected.optional)
        position = found
    if expected.complete_history and position == len(served):
        _check_left_out(served[-1:], expected.optional)


def _check_left_out(turns: Sequence[Json], optional: Sequence[Json]) -> None:
    for turn in turns:
        if turn not in optional and not any(flag_of(call) for call in calls_of(turn)):
            raise ApiError(400, f"A model turn is missing from the history: {str(turn)[:200]}")


def _unlike(content: Json, index: int, served: Sequence[Json]) -> ApiError:
    def bare(turn: Json) -> list[dict[str, Any]]:
        return [{k: v for k, v in part.items() if k != "thoughtSignature"} for part in turn.get("parts") or []]

    if any(bare(turn) == bare(content) for turn in served):
        return ApiError(
            400, f"Function call is missing a thought_signature in functionCall parts. contents position {index}."
        )
    return ApiError(400, f"contents[{index}] is no turn that the model produced: {str(content)[:300]}")


def calls_of(content: Json) -> list[Json]:
    """The function calls of a turn."""
    return [part["functionCall"] for part in content.get("parts") or [] if "functionCall" in part]


def flag_of(call: Json) -> str:
    """The safety decision a call carries, "" where it is an ordinary one; the wire knows several shapes."""
    flag = (call.get("args") or {}).get("safety_decision") or call.get("safetyDecision") or ""
    word = flag.get("decision", "unknown") if isinstance(flag, Mapping) else str(flag)
    return "" if word.lower() in {"", "allowed", "regular"} else word


def _check_answers(contents: Sequence[Json]) -> None:
    newest = max((i for i, c in enumerate(contents) if _is_answer(c)), default=-1)
    seen_since = any(list(pictures_of(content)) for content in contents[newest + 1 :])
    for index, content in enumerate(contents):
        before = contents[index - 1] if index else None
        if _is_answer(content) and not (before and before["role"] == "model" and calls_of(before)):
            raise ApiError(400, RESPONSE_PLACE)
        if content["role"] == "model" and before is not None and before["role"] == "model":
            raise ApiError(400, CALL_PLACE)
        if content["role"] != "model" or not calls_of(content):
            continue
        answers = contents[index + 1] if index + 1 < len(contents) else {"parts": []}
        _check_turn(calls_of(content), answers, need_picture=index + 1 == newest and not seen_since)


def _is_answer(content: Json) -> bool:
    return any("functionResponse" in part for part in content.get("parts") or [])


def _check_turn(calls: Sequence[Json], answers: Json, *, need_picture: bool) -> None:
    parts = answers.get("parts") or []
    responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
    if len(responses) != len(calls):
        raise ApiError(400, RESPONSE_COUNT)
    if len(parts) != len(responses):
        raise ApiError(400, "A function response turn must hold function response parts only.")
    for call, response in zip(calls, responses, strict=True):
        _check_pair(call, response, need_picture=need_picture)


def _check_pair(call: Json, response: Json, *, need_picture: bool) -> None:
    name = call["name"]
    if response.get("name") != name:
        raise ApiError(400, f"Function response {response.get('name')!r} does not answer function call {name!r}.")
    if response.get("id") != call.get("id"):
        raise ApiError(400, f"Function response id {response.get('id')!r} is not that of the call, {call.get('id')!r}.")
    if not isinstance(response.get("response"), dict):
        raise ApiError(400, "function_response.response: Proto field is not repeating, cannot start list.")
    acknowledgement = response["response"].get("safety_acknowledgement")
    flag = flag_of(call)
    if flag and acknowledgement != "true":
        raise ApiError(
            400,
            f"The safety decision from function call {name} must be acknowledged in the corresponding function "
            "response.",
        )
    if not flag and acknowledgement is not None:
        raise ApiError(400, f"Function call {name} carries no safety decision, but its response acknowledges one.")
    if flag.rsplit(".", 1)[-1].lower().startswith("block"):
        raise ApiError(400, f"Function call {name} was blocked and must not be answered.")
    if need_picture and not list(pictures_of({"parts": [{"functionResponse": response}]})):
        raise ApiError(400, f"The function response to {name} requires image of mime_type image/png.")
