"""What Anthropic's Messages API demands of a computer-use conversation, checked on the bytes of a request.

Not part of the product and written without it: shapes come from the SDK's own parameter types, rules and error texts
from the service's documentation and from reports of what it answers. The strict server calls `check_request`; a broken
rule raises `ApiError`, which is what the service would answer.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

import pydantic
from anthropic.types import beta
from PIL import Image

from tests.servers.scripted_server import Json, ServiceError
from tests.servers.tool_rules import anthropic_refusal

_TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
    404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error",
    504: "timeout_error", 529: "overloaded_error",
}  # fmt: skip

TOOLSET = "computer_toolset_20260801"
BETA_OF = {"computer_20251124": "computer-use-2025-11-24", "computer_20250124": "computer-use-2025-01-24"}
BINDING_BETA = "thinking-binding-controls-2026-08-01"
_BETAS = {*BETA_OF.values(), BINDING_BETA}

MAX_REQUEST_BYTES = 32 * 1024 * 1024
MAX_IMAGE_BYTES = 5 * 1024 * 1024
MAX_IMAGES = 100
_FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}

_BODY = get_type_hints(beta.message_create_params.MessageCreateParamsNonStreaming).keys() - {"betas"}
_BLOCKS: Mapping[str, type] = {
    "text": beta.BetaTextBlockParam,
    "image": beta.BetaImageBlockParam,
    "tool_use": beta.BetaToolUseBlockParam,
    "tool_result": beta.BetaToolResultBlockParam,
    "thinking": beta.BetaThinkingBlockParam,
    "redacted_thinking": beta.BetaRedactedThinkingBlockParam,
}
_TOOLS: Mapping[str, type] = {
    TOOLSET: beta.BetaComputerToolset20260801Param,
    "computer_20251124": beta.BetaToolComputerUse20251124Param,
    "computer_20250124": beta.BetaToolComputerUse20250124Param,
    "bash_20250124": beta.BetaToolBash20250124Param,
    "text_editor_20250728": beta.BetaToolTextEditor20250728Param,
    "custom": beta.BetaToolParam,
}
_PREDEFINED = frozenset({"bash_20250124", "text_editor_20250728"})
"""Those of all models of MODELS; the shape demands their names."""
_THINKING: Mapping[str, type] = {
    "adaptive": beta.BetaThinkingConfigAdaptiveParam,
    "enabled": beta.BetaThinkingConfigEnabledParam,
    "disabled": beta.BetaThinkingConfigDisabledParam,
}


class ApiError(ServiceError):
    """An error answer: HTTP code and the service's text."""

    def body(self) -> dict[str, Any]:
        """The JSON the service sends."""
        error = {"type": _TYPES.get(self.code, "api_error"), "message": self.message}
        return {"type": "error", "error": error, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRules:
    """What the service's documentation says of one model."""

    tools: frozenset[str]
    edge: int
    tokens: int
    pixels: int | None = None
    adaptive: bool = True
    bound: bool = False


_ALL = frozenset({TOOLSET, "computer_20251124"})
_NEWEST = ModelRules(tools=frozenset({TOOLSET}), edge=2576, tokens=4784, bound=True)
_FIVE = ModelRules(tools=_ALL, edge=2576, tokens=4784)
_DATED = frozenset({"computer_20251124"})
MODELS: Mapping[str, ModelRules] = {
    "claude-opus-5-5": _NEWEST, "claude-sonnet-5-5": _NEWEST, "claude-haiku-5-5": _NEWEST,
    "claude-fable-5-2": _NEWEST, "claude-mythos-5-2": _NEWEST,
    "claude-opus-5": _FIVE, "claude-sonnet-5": _FIVE, "claude-opus-4-8": _FIVE,
    "claude-opus-4-7": ModelRules(tools=_DATED, edge=2576, tokens=4784),
    "claude-opus-4-6": ModelRules(tools=_DATED, edge=1568, tokens=1568, pixels=1_150_000),
    "claude-sonnet-4-6": ModelRules(tools=_DATED, edge=1568, tokens=1568, pixels=1_150_000),
    "claude-opus-4-5": ModelRules(tools=_DATED, edge=1568, tokens=1568, pixels=1_150_000, adaptive=False),
    "claude-haiku-4-5": ModelRules(
        tools=frozenset({"computer_20250124"}), edge=1568, tokens=1568, pixels=1_150_000, adaptive=False
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A turn of the model, and the digest of the messages that it was the answer to."""

    content: Sequence[Json]
    before: str
    paused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lawful:
    """What a request says that keeps the rules.

    Attributes:
        messages: with turns of the same role combined.
        before: digest of the messages, for `Served`.
        newest_png: the last picture of all.
        dropped: how many turns had thinking that the service drops, because the messages before it have changed.
    """

    messages: Sequence[Json]
    before: str
    newest_png: bytes
    dropped: int


def check_request(body: Json, headers: Mapping[str, str], size: int, served: Sequence[Served]) -> Lawful:
    """What the request says. Raises ApiError for the first rule that it breaks."""
    if size > MAX_REQUEST_BYTES:
        raise ApiError(413, "Request exceeds the maximum size")
    if "anthropic-version" not in headers:
        raise ApiError(400, "anthropic-version: header is required")
    betas = _betas(headers)
    for name in body:
        if name not in _BODY:
            raise ApiError(400, f"{name}: Extra inputs are not permitted")
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            raise ApiError(400, f"{name}: Field required")
    rules = MODELS.get(body["model"])
    if rules is None:
        raise ApiError(404, f"model: {body['model']}")
    _check_tools(body, rules, betas)
    _check_thinking(body, rules, betas)
    _check_system(body)
    if not body["messages"]:
        raise ApiError(400, "messages: at least one message is required")
    for index, message in enumerate(body["messages"]):
        _check_message(index, message)
    _check_cache_points(body)
    messages = combined(body["messages"])
    _check_pairs(messages)
    _check_images(messages, rules)
    if messages[-1]["role"] != "user" and not (served and served[-1].paused):
        raise ApiError(
            400,
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        )
    dropped = _check_model_turns(body, messages, served, rules)
    newest = list(_images(messages))
    png = base64.b64decode(newest[-1][1]["source"]["data"]) if newest else b""
    return Lawful(messages=messages, before=digest(messages), newest_png=png, dropped=dropped)


def combined(messages: Sequence[Json]) -> list[dict[str, Any]]:
    """The messages with consecutive ones of the same role made one, without cache points."""
    made: list[dict[str, Any]] = []
    for message in messages:
        content = [_without_cache_point(block) for block in message["content"]]
        if made and made[-1]["role"] == message["role"]:
            made[-1]["content"] += content
        else:
            made.append({"role": message["role"], "content": content})
    return made


def digest(messages: Sequence[Json]) -> str:
    """A digest of messages."""
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()


def _without_cache_point(block: Json) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name != "cache_control"}


def _betas(headers: Mapping[str, str]) -> set[str]:
    given = {name.strip() for name in headers.get("anthropic-beta", "").split(",") if name.strip()}
    for name in given - _BETAS:
        raise ApiError(400, f"Unexpected value(s) `{name}` for the `anthropic-beta` header.")
    return given


@functools.cache
def _adapter(shape: type) -> pydantic.TypeAdapter[Any]:
    return pydantic.TypeAdapter(shape)


@functools.cache
def _names(shape: type) -> frozenset[str]:
    return frozenset(get_type_hints(shape))


def _check_shape(where: str, value: object, shape: type) -> None:
    if not isinstance(value, dict):
        raise ApiError(400, f"{where}: Input should be a valid dictionary")
    for name in value:
        if name not in _names(shape):
            raise ApiError(400, f"{where}.{name}: Extra inputs are not permitted")
    try:
        _adapter(shape).validate_python(value)
    except pydantic.ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join([where, *map(str, first["loc"])])
        raise ApiError(400, f"{place}: {first['msg']}") from error


def _check_tools(body: Json, rules: ModelRules, betas: set[str]) -> None:
    names: list[str] = []
    computers = 0
    for index, tool in enumerate(body.get("tools") or []):
        kind = tool.get("type") or "custom"
        if kind not in _TOOLS or (kind in BETA_OF and BETA_OF[kind] not in betas):
            expected = ", ".join(repr(name) for name in ("bash_20250124", "custom", TOOLSET))
            raise ApiError(
                400,
                f"tools.{index}: Input tag '{kind}' found using 'type' does not match any of the expected tags: "
                f"{expected}",
            )
        _check_shape(f"tools.{index}.{kind}", tool, _TOOLS[kind])
        if kind != "custom" and kind not in _PREDEFINED:
            computers += 1
            if kind not in rules.tools:
                supported = ", ".join(sorted(rules.tools))
                raise ApiError(
                    400,
                    f"'{body['model']}' does not support tool types: {kind}. Did you mean one of {supported}?",
                )
        name = "computer" if kind == TOOLSET else str(tool["name"])
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", name):
            raise ApiError(400, f"tools.{index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        names.append(name)
        if kind == "custom" and (refusal := anthropic_refusal(tool["input_schema"])):
            raise ApiError(400, f"tools.{index}.custom.{refusal}")
        if kind in BETA_OF and min(tool["display_width_px"], tool["display_height_px"]) < 1:
            raise ApiError(400, f"tools.{index}.{kind}.display_width_px: Input should be greater than 0")
    if len(set(names)) != len(names):
        raise ApiError(400, "tools: Tool names must be unique.")
    if computers != 1 and not is_question(body):
        raise ApiError(400, "The test expects exactly one computer tool.")


def is_question(body: Json) -> bool:
    """Whether it is one text, without tools, pictures and history."""
    messages = body["messages"]
    alone = len(messages) == 1 and all(block["type"] == "text" for block in messages[0]["content"])
    return alone and not body.get("tools")


def _check_thinking(body: Json, rules: ModelRules, betas: set[str]) -> None:
    thinking = body.get("thinking")
    if thinking is None:
        return
    kind = thinking.get("type")
    if kind not in _THINKING:
        raise ApiError(400, f"thinking: Input tag '{kind}' found using 'type' does not match any of the expected tags")
    _check_shape(f"thinking.{kind}", thinking, _THINKING[kind])
    if "block_binding" in thinking and BINDING_BETA not in betas:
        raise ApiError(400, f"thinking.{kind}.block_binding: Extra inputs are not permitted")
    if kind == "adaptive" and not rules.adaptive:
        raise ApiError(400, "adaptive thinking is not supported on this model")
    if kind == "disabled" and rules.bound:
        raise ApiError(400, "thinking.type: thinking cannot be disabled on this model")
    if kind == "enabled" and not 1024 <= thinking["budget_tokens"] < body["max_tokens"]:
        raise ApiError(400, "`max_tokens` must be greater than `thinking.budget_tokens`.")


def _check_system(body: Json) -> None:
    for index, block in enumerate(body.get("system") or []):
        _check_shape(f"system.{index}", block, beta.BetaTextBlockParam)
        if not block["text"].strip():
            raise ApiError(400, "system: text content blocks must be non-empty")


def _check_message(index: int, message: Json) -> None:
    where = f"messages.{index}"
    if set(message) != {"role", "content"} or message["role"] not in {"user", "assistant"}:
        raise ApiError(400, f"{where}: Unexpected role or fields")
    if not isinstance(message["content"], list) or not message["content"]:
        raise ApiError(400, f"{where}: {message['role']} messages must have non-empty content")
    for place, block in enumerate(message["content"]):
        _check_block(f"{where}.content.{place}", block)
        results_allowed = message["role"] == "user"
        if (block["type"] in {"tool_result", "image"}) and not results_allowed:
            raise ApiError(400, f"{where}: `{block['type']}` blocks can only be in `user` messages")
        if block["type"] in {"tool_use", "thinking", "redacted_thinking"} and results_allowed:
            raise ApiError(400, f"{where}: `{block['type']}` blocks can only be in `assistant` messages")


def _check_block(where: str, block: Any) -> None:
    kind = str(block.get("type")) if isinstance(block, dict) else ""
    if kind not in _BLOCKS:
        raise ApiError(400, f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags")
    _check_shape(f"{where}.{kind}", block, _BLOCKS[kind])
    if kind == "text" and not block["text"].strip():
        raise ApiError(400, "messages: text content blocks must be non-empty")
    if kind == "image":
        _check_shape(f"{where}.image.source", block["source"], beta.BetaBase64ImageSourceParam)
    if kind == "tool_result":
        for place, inner in enumerate(block.get("content") or []):
            if inner.get("type") not in {"text", "image"}:
                raise ApiError(400, f"{where}.tool_result.content.{place}: only text and images are allowed")
            if block.get("is_error") and inner["type"] != "text":
                raise ApiError(400, f'{where}.tool_result: all content must be type "text" if "is_error" is true')
            _check_block(f"{where}.tool_result.content.{place}", inner)
        if block.get("is_error") and not block.get("content"):
            raise ApiError(400, f"{where}.tool_result: content cannot be empty if `is_error` is true")


def _check_cache_points(body: Json) -> None:
    blocks = [*(body.get("tools") or []), *(body.get("system") or [])]
    for message in body["messages"]:
        for block in message["content"]:
            blocks += [block, *(block.get("content") or [])]
    count = sum("cache_control" in block for block in blocks)
    if count > 4:
        raise ApiError(400, f"A maximum of 4 blocks with cache_control may be provided. Found {count}.")
    if any("cache_control" in block and block.get("type") in {"thinking", "redacted_thinking"} for block in blocks):
        raise ApiError(400, "cache_control cannot be set for thinking blocks")


def _check_pairs(messages: Sequence[Json]) -> None:
    if messages[0]["role"] != "user":
        raise ApiError(400, "messages: first message must use the user role")
    for index, message in enumerate(messages):
        uses = {block["id"]: block for block in message["content"] if block["type"] == "tool_use"}
        results = [block for block in message["content"] if block["type"] == "tool_result"]
        before = messages[index - 1]["content"] if index else []
        asked = {block["id"]: block for block in before if block["type"] == "tool_use"}
        for result in results:
            if result["tool_use_id"] not in asked:
                raise ApiError(
                    400,
                    f"messages.{index}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{result['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block in "
                    "the previous message.",
                )
            if result.get("toolset_name") != asked[result["tool_use_id"]].get("toolset_name"):
                raise ApiError(
                    400,
                    f"messages.{index}.content.0: `toolset_name` must be that of the corresponding `tool_use` block",
                )
        ids = [result["tool_use_id"] for result in results]
        if len(set(ids)) != len(ids):
            raise ApiError(400, f"messages.{index}: each tool_use must have a single result.")
        if any(block["type"] != "tool_result" for block in message["content"][: len(results)]):
            raise ApiError(400, f"messages.{index}: `tool_result` blocks must come first in the content")
        following = messages[index + 1]["content"] if index + 1 < len(messages) else []
        answered = {block["tool_use_id"] for block in following if block["type"] == "tool_result"}
        missing = [identity for identity in uses if identity not in answered]
        if missing:
            raise ApiError(
                400,
                f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message.",
            )


def _images(messages: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    for index, message in enumerate(messages):
        for place, block in enumerate(message["content"]):
            where = f"messages.{index}.content.{place}"
            if block["type"] == "image":
                yield where, block
            elif block["type"] == "tool_result":
                for inner_place, inner in enumerate(block.get("content") or []):
                    if inner["type"] == "image":
                        yield f"{where}.tool_result.content.{inner_place}", inner


def _check_images(messages: Sequence[Json], rules: ModelRules) -> None:
    images = list(_images(messages))
    if len(images) > MAX_IMAGES:
        raise ApiError(400, f"Too many images: {len(images)} > {MAX_IMAGES}")
    for where, image in images:
        width, height = _size_of(where, image["source"]["media_type"], image["source"]["data"])
        if max(width, height) > 8000:
            raise ApiError(
                400,
                f"{where}.image.source.base64.data: At least one of the image dimensions exceed max allowed size: "
                "8000 pixels",
            )
        if len(images) > 20 and max(width, height) > 2000:
            raise ApiError(
                400,
                f"{where}.image.source.base64.data: At least one of the image dimensions exceed max allowed size for "
                "many-image requests: 2000 pixels",
            )
        behaviour = (image.get("transformations") or {}).get("oversized_image", "downsize")
        if behaviour == "error" and not fits(width, height, rules):
            raise ApiError(
                400,
                f"{where}.image: image dimensions {width}x{height} exceed the largest that fit this model "
                f"({rules.edge} pixels, {rules.tokens} visual tokens)",
            )


def fits(width: int, height: int, rules: ModelRules) -> bool:
    """Whether the model sees a picture of this size as it is."""
    tokens = math.ceil(width / 28) * math.ceil(height / 28)
    within = rules.pixels is None or width * height <= rules.pixels
    return max(width, height) <= rules.edge and tokens <= rules.tokens and within


@functools.lru_cache(maxsize=256)
def _size_of(where: str, media_type: str, data: str) -> tuple[int, int]:
    try:
        raw = base64.b64decode(data, validate=True)
        with Image.open(io.BytesIO(raw)) as picture:
            size, kind = picture.size, picture.format
    except (ValueError, OSError) as error:
        raise ApiError(400, f"{where}.image.source.base64.data: Could not process image") from error
    if _FORMATS[media_type] != kind:
        raise ApiError(
            400,
            f"{where}.image.source.base64.data: The image was specified using the {media_type} media type, but does "
            "not appear to be one.",
        )
    if len(raw) > MAX_IMAGE_BYTES:
        raise ApiError(
            400,
            f"{where}.image.source.base64: image exceeds 5 MB maximum: {len(raw)} bytes > {MAX_IMAGE_BYTES} bytes",
        )
    return size


def _check_model_turns(body: Json, messages: Sequence[Json], served: Sequence[Served], rules: ModelRules) -> int:
    """Every model turn is one that was served, unchanged and in order; only the beginning may be left out."""
    position = len(served)
    dropped = 0
    for index in range(len(messages) - 1, -1, -1):
        if messages[index]["role"] != "assistant":
            continue
        content = messages[index]["content"]
        first = _find(content, served[:position])
        if first is None:
            raise _unlike(content, index, served)
        thinks = any(block["type"] in {"thinking", "redacted_thinking"} for block in content)
        if rules.bound and thinks and served[first].before != digest(messages[:index]):
            behaviour = ((body.get("thinking") or {}).get("block_binding") or {}).get("prefix_mismatch_behavior")
            if behaviour != "drop_block":
                raise ApiError(
                    400,
                    f"messages.{index}.content.0: the messages before this `thinking` block have changed since it was "
                    "created",
                )
            dropped += 1
        position = first
    return dropped


def _find(content: Sequence[Json], served: Sequence[Served]) -> int | None:
    """Where the turns begin that make up this content, which must be the newest of those served.

    Only the beginning of a conversation may be left out, so none may be missing in between.
    """
    if not served:
        return None
    first, made = len(served) - 1, list(served[-1].content)
    while first and served[first - 1].paused:
        first -= 1
        made = [*served[first].content, *made]
    return first if made == list(content) else None


def _unlike(content: Sequence[Json], index: int, served: Sequence[Served]) -> ApiError:
    def spoken(blocks: Sequence[Json]) -> list[Json]:
        return [block for block in blocks if block["type"] not in {"thinking", "redacted_thinking"}]

    if any(spoken(turn.content) == spoken(content) for turn in served):
        return ApiError(
            400,
            f"messages.{index}.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message "
            "cannot be modified. These blocks must remain as they were in the original response.",
        )
    return ApiError(
        400, f"messages.{index} is no turn that the model produced, or one is missing: {str(content)[:300]}"
    )
