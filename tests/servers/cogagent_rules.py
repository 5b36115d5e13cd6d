"""What an endpoint that serves CogAgent demands of a request, checked on its JSON.

Not part of the product and written without it: shapes come from the SDK's own parameter types, error texts and limits
from vLLM's OpenAI-compatible server, and the form of the message from the model's documentation ("User Input"). A
broken rule raises `ApiError`, which is what the service would answer; the model itself would only answer worse.
"""

from __future__ import annotations

import base64
import binascii
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

from openai.types.chat import completion_create_params
from PIL import Image

from tests.servers.scripted_server import Json, ServiceError

MODELS = frozenset({"cogagent-9b-20241220", "THUDM/cogagent-9b-20241220", "glm-4-9b-chat"})
MAX_MODEL_LEN = 8192
_IMAGE_TOKENS = 1600
_TYPES = {400: "BadRequestError", 401: "AuthenticationError", 404: "NotFoundError", 429: "RateLimitError"}
_BODY = get_type_hints(completion_create_params.CompletionCreateParamsNonStreaming).keys()
_MESSAGE = re.compile(
    r"Task: (?P<task>.+?)(?P<continue>\[Continue\]\n)?\nHistory steps: (?P<steps>(?:\n\d+\. [^\n\t]*\t[^\n]*)*)"
    r"\n\(Platform: (?P<platform>WIN|Mac|Mobile)\)"
    r"\n\(Answer in (?P<format>[A-Za-z-]+) format\.\)\n",
    re.DOTALL,
)
_FORMATS = frozenset(
    {
        "Action-Operation-Sensitive", "Status-Plan-Action-Operation", "Status-Action-Operation-Sensitive",
        "Status-Action-Operation", "Action-Operation", "Status-Plan-Action-Operation-Sensitive",
    }
)  # fmt: skip
_JPEG = "data:image/jpeg;base64,"


class ApiError(ServiceError):
    """An error answer of vLLM: HTTP code and text."""

    def body(self) -> dict[str, Any]:
        """The JSON the service sends."""
        if self.code == 401:
            return {"error": self.message}
        kind = _TYPES.get(self.code, "InternalServerError")
        return {"error": {"message": self.message, "type": kind, "param": None, "code": self.code}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A lawful request for a round of CogAgent; `steps` are the operations of the history with their numbers."""

    task: str
    continues: bool
    steps: Sequence[tuple[int, str]]
    platform: str
    format: str
    picture: bytes


def check_chat(body: Json) -> None:
    """The rules of chat completions."""
    unknown = sorted(body.keys() - _BODY)
    if unknown:
        raise ApiError(400, f"[{{'type': 'extra_forbidden', 'loc': ('body', '{unknown[0]}')}}]")
    if body.get("model") not in MODELS:
        raise ApiError(404, f"The model `{body.get('model')}` does not exist.")
    temperature, top_p, most = (body.get(name) for name in ("temperature", "top_p", "max_tokens"))
    if temperature is not None and not 0 <= temperature <= 2:
        raise ApiError(400, f"temperature must be non-negative, got {temperature}.")
    if top_p is not None and not 0 < top_p <= 1:
        raise ApiError(400, f"top_p must be in (0, 1], got {top_p}.")
    if most is not None and most < 1:
        raise ApiError(400, f"max_tokens must be at least 1, got {most}.")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ApiError(400, "messages must not be empty")
    parts = [part for message in messages for part in parts_of(message)]
    pictures = sum(part["type"] == "image_url" for part in parts)
    if pictures > 1:
        raise ApiError(400, "At most 1 image(s) may be provided in one request.")
    said = math.ceil(sum(len(part["text"]) for part in parts if part["type"] == "text") / 3)
    tokens = pictures * _IMAGE_TOKENS + said
    if tokens + (most or 0) > MAX_MODEL_LEN:
        raise ApiError(
            400,
            f"This model's maximum context length is {MAX_MODEL_LEN} tokens. However, you requested "
            f"{tokens + (most or 0)} tokens ({tokens} in the messages, {most} in the completion). Please reduce the "
            "length of the messages or completion.",
        )


def is_round(body: Json) -> bool:
    """Whether the request has a picture: others are prompts for a language model."""
    return any(part["type"] == "image_url" for message in body["messages"] for part in parts_of(message))


def read_round(body: Json, *, jpeg_only: bool) -> Round:
    """The round that a request is for. `jpeg_only` is the rule of the vendor's own server."""
    messages = body["messages"]
    if len(messages) != 1 or messages[0]["role"] != "user":
        raise ApiError(400, "CogAgent does not support continuous dialogue: one user message, please.")
    parts = parts_of(messages[0])
    if [part["type"] for part in parts] != ["text", "image_url"]:
        raise ApiError(400, "The message must be one text and one image.")
    url = parts[1]["image_url"]["url"]
    if jpeg_only and not url.startswith(_JPEG):
        raise ApiError(500, f"No connection adapters were found for {url[:30]!r}")
    found = _MESSAGE.fullmatch(parts[0]["text"])
    if found is None:
        raise ApiError(400, "The prompt is not as the model was trained.")
    if found["format"] not in _FORMATS:
        raise ApiError(400, f"There is no format {found['format']}.")
    steps = [_step(line) for line in found["steps"].split("\n") if line]
    numbers = [number for number, _ in steps]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers)) if numbers else []):
        raise ApiError(400, f"The history steps have the numbers {numbers}.")
    return Round(
        task=found["task"], continues=found["continue"] is not None, steps=steps, platform=found["platform"],
        format=found["format"], picture=_decoded(url),
    )  # fmt: skip


def check_history(told: Round, served: Sequence[Json]) -> None:
    """Whether the steps are the model's own operations, up to the last."""
    for number, operation in told.steps:
        said = served[number]["operation"] if number < len(served) else None
        cut = operation.removesuffix("…")
        if said is None or not (operation == said or (cut != operation and said.startswith(cut))):
            raise ApiError(400, f"History step {number} is no turn that the model produced: {operation!r}")
    if served and (not told.steps or told.steps[-1][0] != len(served) - 1):
        raise ApiError(400, "The last step is missing from the history.")


def parts_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parts of a message; a plain text is one part."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content:
        raise ApiError(400, "content must not be empty")
    return content


def _step(line: str) -> tuple[int, str]:
    number, _, rest = line.partition(". ")
    return int(number), rest.partition("\t")[0]


def _decoded(url: str) -> bytes:
    kind, comma, data = url.partition(",")
    try:
        picture = base64.b64decode(data, validate=True)
        with Image.open(io.BytesIO(picture)) as image:
            image.load()
            shape = image.format
    except (binascii.Error, OSError):
        raise ApiError(400, "cannot identify image file") from None
    if not comma or kind != f"data:image/{str(shape).lower()};base64":
        raise ApiError(400, f"The data URL says {kind!r}, but the image is {shape}.")
    return picture
