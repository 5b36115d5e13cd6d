"""What an endpoint that serves CogAgent demands of a request, checked on its JSON.

Not part of the product and written without it: the rules of vLLM are in `chat_rules`; the form of the message is that
of the model's documentation ("User Input"), and the length that of its context. A broken rule raises `ApiError`, though
of a wrong form the model itself would only make worse answers.
"""

from __future__ import annotations

import base64
import binascii
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from tests.servers.chat_rules import ApiError, check_request
from tests.servers.scripted_server import Json

MODELS = ("cogagent-9b-20241220", "THUDM/cogagent-9b-20241220", "glm-4-9b-chat")
MAX_MODEL_LEN = 8192
_IMAGE_TOKENS = 1600
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
    """The rules of chat completions, and the length of the model's context."""
    check_request(body, models=MODELS, most_pictures=1, served=())
    parts = [part for message in body["messages"] for part in parts_of(message)]
    pictures = sum(part["type"] == "image_url" for part in parts)
    said = math.ceil(sum(len(part["text"]) for part in parts if part["type"] == "text") / 3)
    tokens, asked = pictures * _IMAGE_TOKENS + said, body.get("max_tokens") or 1
    if tokens + asked > MAX_MODEL_LEN:
        raise ApiError(
            400,
            f"This model's maximum context length is {MAX_MODEL_LEN} tokens. However, you requested {tokens + asked} "
            f"tokens ({tokens} in the messages, {asked} in the completion). Please reduce the length of the messages "
            "or completion.",
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
    """Whether the steps are the model's own operations, up to the last.

    They are numbered from the first; or from the oldest that is told where the task says what happened before.
    """
    anew = "What happened before:" in told.task and told.steps and told.steps[0][0] == 0
    left_out = max(0, len(served) - len(told.steps)) if anew else 0
    for number, operation in told.steps:
        place = number + left_out
        said = served[place]["operation"] if place < len(served) else None
        cut = operation.removesuffix("…")
        if said is None or not (operation == said or (cut != operation and said.startswith(cut))):
            raise ApiError(400, f"History step {number} is no turn that the model produced: {operation!r}")
    if served and (not told.steps or told.steps[-1][0] + left_out != len(served) - 1):
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
