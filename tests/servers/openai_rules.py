"""What OpenAI's Responses API demands of a computer-use conversation, checked on the bytes of a request.

Not part of the product and written without it: shapes come from the SDK's own parameter types, rules and error texts
from the service's documentation and from reports of what it answers. The strict server calls `check_request`; a broken
rule raises `ApiError`, which is what the service would answer.
"""

from __future__ import annotations

import base64
import functools
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, get_type_hints

import pydantic
from openai.types import responses
from openai.types.responses import response_create_params, response_input_item_param
from PIL import Image
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from tests.servers.scripted_server import Json, ServiceError
from tests.servers.tool_rules import openai_refusal

MAX_REQUEST_BYTES = 50 * 1024 * 1024
MAX_PATCHES = 30_000
_PATCH = 32
_FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}
GENERAL = frozenset({"gpt-5.4", "gpt-5.5", "gpt-5.6-sol"})
PREVIEW = frozenset({"computer-use-preview", "computer-use-preview-2025-03-11"})
MODELS = GENERAL | PREVIEW
_CALLS = {"computer_call_output": "computer_call", "function_call_output": "function_call"}
_OF_MODEL = frozenset({"reasoning", "computer_call", "function_call"})
_BODY = get_type_hints(response_create_params.ResponseCreateParamsNonStreaming).keys()


class _Screenshot(TypedDict):
    """The SDK's type with `detail`, which the documentation has and the SDK has not."""

    type: str
    image_url: str
    detail: NotRequired[str]


class _PageScreenshot(TypedDict):
    """A screenshot of a browser; not in the SDK."""

    type: str
    image_url: str
    current_url: str


_ITEMS: Mapping[str, type] = {
    "reasoning": responses.ResponseReasoningItemParam,
    "computer_call": responses.ResponseComputerToolCallParam,
    "function_call": responses.ResponseFunctionToolCallParam,
    "computer_call_output": response_input_item_param.ComputerCallOutput,
    "function_call_output": response_input_item_param.FunctionCallOutput,
}
_PARTS: Mapping[str, type] = {
    "input_text": responses.ResponseInputTextParam,
    "input_image": responses.ResponseInputImageParam,
}
_TOOLS: Mapping[str, type] = {
    "computer": responses.ComputerToolParam,
    "computer_use_preview": responses.ComputerUsePreviewToolParam,
    "function": responses.FunctionToolParam,
}


class ApiError(ServiceError):
    """An error answer: HTTP code, the service's text, and its own code."""

    def __init__(self, code: int, message: str, *, kind: str | None = None, param: str | None = None) -> None:
        super().__init__(code, message)
        self.kind = kind
        self.param = param

    def body(self) -> dict[str, Any]:
        """The JSON the service sends."""
        group = "server_error" if self.code >= 500 else "invalid_request_error"
        return {"error": {"message": self.message, "type": group, "param": self.param, "code": self.kind}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """An answer: its id and items, and the items that it was an answer to."""

    response_id: str
    items: Sequence[Json]
    before: Sequence[Json]
    stored: bool

    @property
    def flagged(self) -> bool:
        """Whether a call in it has safety checks."""
        return any(item.get("pending_safety_checks") for item in self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lawful:
    """What a request says that keeps the rules: all items of the conversation, and the newest screenshot."""

    items: Sequence[Json]
    newest_png: bytes


def check_request(body: Json, size: int, served: Sequence[Served], *, browser: bool = False) -> Lawful:
    """What the request says. Raises ApiError for the first rule that it breaks.

    `browser` is whether what the model works on is a browser, which the preview tool has to say.
    """
    if size > MAX_REQUEST_BYTES:
        raise ApiError(413, "The request payload is too large.")
    for name in body:
        if name not in _BODY:
            raise ApiError(400, f"Unknown parameter: '{name}'.", kind="unknown_parameter", param=name)
    for name in ("model", "input"):
        if name not in body:
            raise ApiError(400, f"Missing required parameter: '{name}'.", kind="missing_required_parameter")
    model = body["model"]
    if model not in MODELS:
        text = f"The model `{model}` does not exist or you do not have access to it."
        raise ApiError(404, text, kind="model_not_found")
    _check_limits(body)
    _check_tools(body)
    environment = next((tool["environment"] for tool in body.get("tools") or () if "environment" in tool), "")
    if model in PREVIEW and browser != (environment == "browser"):
        raise ApiError(400, f"The test expects the environment {'browser' if browser else 'of a desktop'}.")
    for index, item in enumerate(body["input"]):
        _check_item(f"input[{index}]", item, preview=model in PREVIEW, browser=environment == "browser")
    items = [*_earlier(body, served), *body["input"]]
    _check_pairs(items)
    _check_safety(items)
    _check_reasoning(body, items, served)
    _check_model_turns(items, served)
    return Lawful(items=items, newest_png=_check_pictures(body, items))


def model_turns(items: Sequence[Json]) -> list[list[Json]]:
    """The items that the model said, one list for each of its turns."""
    made: list[list[Json]] = []
    speaking = False
    for item in items:
        if is_of_model(item):
            if not speaking:
                made.append([])
            made[-1].append(item)
        speaking = is_of_model(item)
    return made


def is_of_model(item: Json) -> bool:
    """Whether the model said this."""
    return item.get("type") in _OF_MODEL or item.get("role") == "assistant"


def _earlier(body: Json, served: Sequence[Served]) -> Sequence[Json]:
    """The items that the service has stored."""
    previous = body.get("previous_response_id")
    if previous is None:
        return []
    for answer in served:
        if answer.response_id == previous and answer.stored:
            return [*answer.before, *answer.items]
    text = f"Previous response with id '{previous}' not found."
    raise ApiError(400, text, kind="previous_response_not_found", param="previous_response_id")


def _check_limits(body: Json) -> None:
    limit = body.get("max_output_tokens")
    if limit is not None and limit < 16:
        raise ApiError(
            400,
            f"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got {limit} "
            "instead.",
            kind="integer_below_min_value",
        )
    if not str(body.get("instructions") or "").strip():
        raise ApiError(400, "The test expects instructions with each request: the service does not keep them.")


def _check_tools(body: Json) -> None:
    names: list[str] = []
    computers: list[str] = []
    for index, tool in enumerate(body.get("tools") or []):
        kind = tool.get("type")
        if kind not in _TOOLS:
            raise ApiError(400, f"Invalid value: '{kind}'. Supported values are: 'function', 'computer'.")
        _check_shape(f"tools[{index}]", tool, _TOOLS[kind])
        if kind != "function":
            computers.append(kind)
            if (kind == "computer_use_preview") != (body["model"] in PREVIEW):
                raise ApiError(400, f"Hosted tool '{kind}' is not supported with {body['model']}.")
            continue
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"]):
            raise ApiError(
                400,
                f"Invalid 'tools[{index}].name': string does not match pattern. Expected a string that matches the "
                "pattern '^[a-zA-Z0-9_-]+$'.",
            )
        if (tool["parameters"] or {}).get("type") != "object" or "properties" not in tool["parameters"]:
            raise ApiError(
                400,
                f"Invalid schema for function '{tool['name']}': schema must be a JSON Schema of 'type: \"object\"'.",
            )
        if refusal := openai_refusal(tool["parameters"]):
            raise ApiError(400, f"Invalid schema for function '{tool['name']}': {refusal}")
        names.append(tool["name"])
    if len(set(names)) != len(names):
        raise ApiError(400, "Tool names must be unique.")
    if is_question(body):
        return
    if len(computers) != 1:
        raise ApiError(400, "The test expects exactly one computer tool.")
    if computers == ["computer_use_preview"] and body.get("truncation") != "auto":
        raise ApiError(400, "`truncation` must be set to 'auto' when the computer use tool is used.")


def is_question(body: Json) -> bool:
    """Whether it is one text, without tools, pictures and history; the preview model takes none."""
    alone = [part.get("type") for item in body["input"] for part in item.get("content") or ()] == ["input_text"]
    return alone and not body.get("tools") and body["model"] not in PREVIEW


@functools.cache
def _adapter(shape: type) -> pydantic.TypeAdapter[Any]:
    return pydantic.TypeAdapter(shape)


@functools.cache
def _names(shape: type) -> frozenset[str]:
    return frozenset(get_type_hints(shape))


def _check_shape(where: str, value: object, shape: type) -> None:
    if not isinstance(value, dict):
        raise ApiError(400, f"Invalid type for '{where}': expected an object.", kind="invalid_type", param=where)
    for name in value:
        if name not in _names(shape):
            raise ApiError(400, f"Unknown parameter: '{where}.{name}'.", kind="unknown_parameter", param=where)
    try:
        _adapter(shape).validate_python(value)
    except pydantic.ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join([where, *map(str, first["loc"])])
        if first["type"] == "missing":
            raise ApiError(
                400, f"Missing required parameter: '{place}'.", kind="missing_required_parameter", param=place
            ) from error
        raise ApiError(400, f"Invalid value for '{place}': {first['msg']}", kind="invalid_value") from error


def _check_item(where: str, item: Any, *, preview: bool, browser: bool) -> None:
    if not isinstance(item, dict):
        raise ApiError(400, f"Invalid type for '{where}': expected an object.", kind="invalid_type", param=where)
    kind = item.get("type", "message")
    if kind == "message":
        _check_message(where, item)
        return
    if kind not in _ITEMS:
        raise ApiError(400, f"Invalid value: '{kind}'.", kind="invalid_value", param=f"{where}.type")
    if kind != "computer_call_output":
        _check_shape(where, item, _ITEMS[kind])
        if kind == "function_call_output" and not isinstance(item["output"], str):
            _check_parts(f"{where}.output", item["output"])
        return
    output: Any = item.get("output")
    if browser:
        _check_page(f"{where}.output", output)
        output = {"type": "computer_screenshot", "image_url": output["image_url"]}
    _check_shape(f"{where}.output", output, _Screenshot)
    if output["type"] != "computer_screenshot":
        raise ApiError(400, f"Invalid value: '{output['type']}'. Supported values are: 'computer_screenshot'.")
    if preview and "detail" in output:
        raise ApiError(400, f"Unknown parameter: '{where}.output.detail'.", kind="unknown_parameter")
    if not preview and output.get("detail") != "original":
        raise ApiError(400, "The test expects the original detail: else the service scales what is clicked on.")
    plain = {name: value for name, value in output.items() if name != "detail"}
    _check_shape(where, {**item, "output": plain}, _ITEMS[kind])


def _check_page(where: str, output: Any) -> None:
    """The output of the preview tool in a browser, as its documentation had it: an input image with the address."""
    _check_shape(where, output, _PageScreenshot)
    if output["type"] != "input_image":
        raise ApiError(400, f"Invalid value: '{output['type']}'. Supported values are: 'input_image'.")
    if not re.match(r"[a-z][a-z0-9+.-]*:\S", output["current_url"]):
        raise ApiError(400, f"Invalid value for '{where}.current_url': expected a URL.", kind="invalid_value")


def _check_message(where: str, item: Json) -> None:
    if item.get("role") == "assistant":
        _check_shape(where, item, responses.ResponseOutputMessageParam)
        return
    if isinstance(item.get("content"), list):
        _check_parts(f"{where}.content", item["content"])
    _check_shape(where, item, response_input_item_param.Message)


def _check_parts(where: str, parts: Any) -> None:
    if not parts:
        raise ApiError(
            400,
            f"Invalid '{where}': empty array. Expected an array with minimum length 1, but got an empty array with "
            "length 0 instead.",
            kind="empty_array",
        )
    for index, part in enumerate(parts):
        if part.get("type") not in _PARTS:
            raise ApiError(400, f"Invalid value: '{part.get('type')}'.", kind="invalid_value", param=where)
        _check_shape(f"{where}[{index}]", part, _PARTS[part["type"]])


def _check_pairs(items: Sequence[Json]) -> None:
    open_: dict[str, str] = {}
    ids: set[str] = set()
    for item in items:
        kind = item.get("type", "message")
        if is_of_model(item) and "id" in item:
            if item["id"] in ids:
                text = (
                    f"Duplicate item found with id {item['id']}. Remove duplicate items from your input and try again."
                )
                raise ApiError(400, text, param="input")
            ids.add(item["id"])
        if kind in _CALLS.values():
            open_[item["call_id"]] = kind
        elif kind in _CALLS:
            if open_.pop(item["call_id"], None) != _CALLS[kind]:
                what = _CALLS[kind].replace("_", " ")
                raise ApiError(400, f"No tool call found for {what} output with call_id {item['call_id']}.")
        elif open_ and item.get("role") == "user":
            break
    for call_id, kind in open_.items():
        what = kind.replace("_", " ")
        raise ApiError(400, f"No tool output found for {what} {call_id}.", param="input")


def _check_safety(items: Sequence[Json]) -> None:
    pending: dict[str, list[Json]] = {}
    for item in items:
        if item.get("type") == "computer_call":
            pending[item["call_id"]] = list(item.get("pending_safety_checks") or ())
        elif item.get("type") == "computer_call_output":
            checks = pending[item["call_id"]]
            agreed = [check["id"] for check in item.get("acknowledged_safety_checks") or ()]
            missing = [check["id"] for check in checks if check["id"] not in agreed]
            if missing:
                raise ApiError(400, f"Computer tool has unacknowledged safety check for {missing}", param="input")
            if set(agreed) - {check["id"] for check in checks}:
                raise ApiError(400, f"Computer tool has no safety check for {agreed}", param="input")


def _check_reasoning(body: Json, items: Sequence[Json], served: Sequence[Served]) -> None:
    known = {item["id"]: item for answer in served for item in answer.items if "id" in item}
    needs = _needed_reasoning(served)
    stored = {item["id"] for answer in served if answer.stored for item in answer.items if "id" in item}
    present = {item["id"] for item in items if item.get("type") == "reasoning"}
    for index, item in enumerate(items):
        if item.get("type") == "reasoning":
            following = items[index + 1] if index + 1 < len(items) else {}
            if not is_of_model(following):
                text = f"Item '{item['id']}' of type 'reasoning' was provided without its required following item."
                raise ApiError(400, text, param="input")
            if not item.get("encrypted_content") and item["id"] not in stored:
                text = (
                    f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false. Try "
                    "again with `store` set to true, or remove this item from your input."
                )
                raise ApiError(400, text, param="input")
            if item["id"] in known and item != known[item["id"]]:
                text = f"The encrypted content for item {item['id']} could not be verified."
                raise ApiError(400, text, kind="invalid_encrypted_content")
        required = needs.get(item.get("id", ""))
        if required is not None and required not in present:
            text = (
                f"Item '{item['id']}' of type '{item['type']}' was provided without its required 'reasoning' item: "
                f"'{required}'."
            )
            raise ApiError(400, text, param="input")


def _needed_reasoning(served: Sequence[Served]) -> dict[str, str]:
    """The reasoning item before each item of the model, by id."""
    needs: dict[str, str] = {}
    for answer in served:
        reasoning = ""
        for item in answer.items:
            if item["type"] == "reasoning":
                reasoning = item["id"]
            elif reasoning and "id" in item:
                needs[item["id"]] = reasoning
    return needs


def _check_model_turns(items: Sequence[Json], served: Sequence[Served]) -> None:
    """Every turn was served, and is unchanged and in order; only the beginning and flagged ones may be left out."""
    position = len(served)
    for turn in reversed(model_turns(items)):
        position -= 1
        while position >= 0 and list(served[position].items) != turn and served[position].flagged:
            position -= 1
        if position < 0 or list(served[position].items) != turn:
            raise ApiError(
                400, f"This is no turn that the model produced, or one is missing from the history: {str(turn)[:300]}"
            )


def _pictures(items: Sequence[Json]) -> Iterator[str]:
    for item in items:
        if item.get("type") == "computer_call_output":
            yield item["output"]["image_url"]
        output = item.get("output")
        for part in item.get("content") or (output if isinstance(output, list) else ()):
            if part["type"] == "input_image":
                yield part["image_url"]


def _check_pictures(body: Json, items: Sequence[Json]) -> bytes:
    newest = b""
    for url in _pictures(items):
        found = re.fullmatch(r"data:(image/[a-z]+);base64,(.*)", url)
        if found is None:
            raise ApiError(400, "Invalid 'image_url'. Expected a valid URL, but got a value with an invalid format.")
        width, height = _size_of(found[1], found[2])
        if math.ceil(width / _PATCH) * math.ceil(height / _PATCH) > MAX_PATCHES:
            raise ApiError(400, f"The image is too large: {width}x{height}.", kind="image_too_large")
        newest = base64.b64decode(found[2])
    tool = next((tool for tool in body.get("tools") or () if tool["type"] != "function"), None)
    if tool is not None and tool["type"] == "computer_use_preview" and newest:
        with Image.open(io.BytesIO(newest)) as picture:
            if picture.size != (tool["display_width"], tool["display_height"]):
                raise ApiError(400, f"The test expects a display of {picture.size}.")
    return newest


@functools.lru_cache(maxsize=256)
def _size_of(media_type: str, data: str) -> tuple[int, int]:
    try:
        with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as picture:
            size, kind = picture.size, picture.format
    except (ValueError, OSError):
        kind, size = None, (0, 0)
    if kind is None or _FORMATS.get(media_type) != kind:
        raise ApiError(
            400,
            "The image data you provided does not represent a valid image. Please check your input and try again with "
            "one of the following image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
            kind="invalid_image",
        )
    return size
