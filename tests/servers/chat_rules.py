"""The rules of OpenAI's chat completions as vLLM enforces them, with its words, and those of strict chat templates.

Independent of the providers. Requests are validated with the parameter types of the `openai` SDK.
"""

from __future__ import annotations

import base64
import functools
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pydantic
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from PIL import Image

from tests.servers.scripted_server import Json, ServiceError

MAX_MODEL_LEN = 131_072
_PARAMS = pydantic.TypeAdapter(CompletionCreateParamsNonStreaming)
_KNOWN = frozenset(CompletionCreateParamsNonStreaming.__required_keys__) | frozenset(
    CompletionCreateParamsNonStreaming.__optional_keys__
)
_TYPES = {400: "BadRequestError", 401: "UnauthorizedError", 404: "NotFoundError", 422: "UnprocessableEntityError"}
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SPECIAL = re.compile(r"<\|(?:box_start|box_end)\|>")
_DATA_URL = re.compile(r"data:(image/(?:png|jpeg));base64,(.*)", re.DOTALL)


class ApiError(ServiceError):
    """An error in vLLM's form."""

    def body(self) -> dict[str, Any]:
        """The JSON that vLLM sends."""
        if self.code == 401:
            return {"error": self.message}
        kind = _TYPES.get(self.code, "InternalServerError")
        return {"error": {"message": self.message, "type": kind, "param": None, "code": self.code}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lawful:
    """A request that keeps the rules: its pictures as bytes, oldest first, and an estimate of its tokens."""

    pictures: Sequence[bytes]
    tokens: int


def check_request(body: Json, *, models: Sequence[str], most_pictures: int, served: Sequence[Json]) -> Lawful:
    """All rules. Raises ApiError."""
    _check_shape(body)
    if body["model"] not in models:
        raise ApiError(404, f"The model `{body['model']}` does not exist.")
    messages = body["messages"]
    _check_order(messages)
    _check_history(messages, served)
    _check_tools(body.get("tools") or ())
    pictures = [_picture(part["image_url"]["url"]) for part in _parts(messages) if part["type"] == "image_url"]
    if len(pictures) > most_pictures:
        raise ApiError(400, f"At most {most_pictures} image(s) may be provided in one prompt.")
    tokens = len(_text(messages)) // 4 + sum(count for _, count in pictures)
    asked = body.get("max_tokens") or 1
    if tokens + asked > MAX_MODEL_LEN:
        raise ApiError(
            400,
            f"This model's maximum context length is {MAX_MODEL_LEN} tokens. However, you requested {tokens + asked} "
            f"tokens ({tokens} in the messages, {asked} in the completion). Please reduce the length of the messages "
            "or completion.",
        )
    return Lawful(pictures=[data for data, _ in pictures], tokens=tokens)


def form_of(message: Json) -> Json:
    """A turn of the model, as it is compared: endpoints remove special tokens from answers, and clients add them."""
    return {"content": _SPECIAL.sub("", message.get("content") or ""), "tool_calls": message.get("tool_calls") or []}


def _check_shape(body: Json) -> None:
    try:
        _exhaust(_PARAMS.validate_python({**body, "messages": [*map(_in_parts, body["messages"])]}))
    except pydantic.ValidationError as error:
        raise ApiError(400, str([{k: each[k] for k in ("type", "loc", "msg")} for each in error.errors()])) from None
    if unknown := set(body) - _KNOWN:
        raise ApiError(400, f"Extra inputs are not permitted: {sorted(unknown)}")
    if body.get("temperature", 0) < 0:
        raise ApiError(400, f"temperature must be non-negative, got {body['temperature']}.")
    if not 0 < body.get("top_p", 1) <= 1:
        raise ApiError(400, f"top_p must be in (0, 1], got {body['top_p']}.")
    if body.get("max_tokens") is not None and body["max_tokens"] < 1:
        raise ApiError(400, f"max_tokens must be at least 1, got {body['max_tokens']}.")


def _in_parts(message: Json) -> Json:
    """A message whose text is a part: as a plain text, pydantic also takes it for an iterable of characters."""
    content = message.get("content")
    return {**message, "content": [{"type": "text", "text": content}]} if isinstance(content, str) else message


def _exhaust(value: object) -> None:
    """Validate iterables, which pydantic does only as they are read."""
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for item in value:
            _exhaust(item)


def _check_order(messages: Sequence[Json]) -> None:
    if not messages:
        raise ApiError(400, "messages: List should have at least 1 item after validation, not 0")
    roles = [message["role"] for message in messages]
    if "system" in roles[1:]:
        raise ApiError(400, "System message must be at the beginning.")
    pending: list[str] = []
    before = ""
    for message in messages[roles[0] == "system" :]:
        role = message["role"]
        if role == "tool":
            if not pending or message["tool_call_id"] != pending.pop(0):
                raise ApiError(
                    400, "Message has tool role, but there was no previous assistant message with a tool call!"
                )
        elif pending:
            raise ApiError(
                400,
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(pending)}",
            )
        elif (
            role == before
            or (not before and role != "user")
            or (role == "assistant" and before not in {"user", "tool"})
        ):
            raise ApiError(400, "Conversation roles must alternate user/assistant/user/assistant/...")
        if role != "tool" and not message.get("content") and not message.get("tool_calls"):
            raise ApiError(400, f"a message of the role {role} has no content")
        pending = pending or [call["id"] for call in message.get("tool_calls") or ()]
        before = role
    if before == "assistant" or pending:
        raise ApiError(400, "Cannot set `add_generation_prompt` to True when the last message is from the assistant.")


def _check_history(messages: Sequence[Json], served: Sequence[Json]) -> None:
    said = [form_of(message) for message in messages if message["role"] == "assistant"]
    if (said and not all(map(_is_the_turn, said, served[-len(said) :]))) or len(said) > len(served):
        raise ApiError(400, "the history has a turn that the model did not produce, or one is missing")


def _is_the_turn(said: Json, served: Json) -> bool:
    """Whether it is the turn that was served. Ids are the client's to make where the served ones did not differ."""
    ids = [call["id"] for call in served["tool_calls"]]
    if all(ids) and len(set(ids)) == len(ids):
        return said == served
    own = [call["id"] for call in said["tool_calls"]]
    calls = [{**call, "id": given} for call, given in zip(said["tool_calls"], ids, strict=False)]
    return len(set(own)) == len(ids) and {**said, "tool_calls": calls} == served


def _check_tools(tools: Sequence[Json]) -> None:
    names = [tool["function"]["name"] for tool in tools]
    for name in names:
        if not _NAME.fullmatch(name):
            raise ApiError(400, f"Invalid 'tools[0].function.name': string does not match pattern: {name!r}.")
    if len(set(names)) != len(names):
        raise ApiError(400, "Tool names must be unique.")


def _parts(messages: Sequence[Json]) -> list[Json]:
    return [part for message in messages if isinstance(message.get("content"), list) for part in message["content"]]


def _text(messages: Sequence[Json]) -> str:
    plain = [message["content"] for message in messages if isinstance(message.get("content"), str)]
    return "".join([*plain, *(part.get("text", "") for part in _parts(messages))])


@functools.lru_cache(maxsize=64)
def _picture(url: str) -> tuple[bytes, int]:
    """The bytes of a picture, and its tokens."""
    found = _DATA_URL.fullmatch(url)
    if found is None:
        raise ApiError(400, "Invalid image URL: only base64 data URLs of images are supported.")
    try:
        data = base64.b64decode(found[2], validate=True)
        with Image.open(io.BytesIO(data)) as image:
            image.load()
            width, height = image.size
    except (ValueError, OSError) as error:
        raise ApiError(400, f"Failed to load image: {error}") from None
    if max(width, height) > 200 * min(width, height):
        raise ApiError(400, f"absolute aspect ratio must be smaller than 200, got {width}x{height}")
    return data, (width // 28) * (height // 28)
