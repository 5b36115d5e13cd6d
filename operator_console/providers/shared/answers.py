"""Reads the body of an answer: its JSON, also of recorded ones, and the tokens that it reports. Makes the errors for
answers that cannot be used.

`Usage` counts tokens of all kinds in one way. What a service leaves out is None, and so is what cannot be a count: an
answer is usable whatever its count of tokens says.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pydantic

from operator_console.domain.errors import ProviderMalformed, ProviderRefused, ProviderRejected
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.http_faults import plain_reason, plain_text
from operator_console.providers.shared.written_values import without_thinking

Shape = TypeVar("Shape", bound=pydantic.BaseModel)

_FENCED = re.compile(r"```(?:json)?\s*(\{.*?\})\s*```", re.DOTALL)
_MOST_TOKENS = 10**12
"""More than a request can have; such a number is an error of the service."""


class Wire(pydantic.BaseModel):
    """A part of an answer; fields that are not known are ignored."""

    model_config = pydantic.ConfigDict(extra="ignore")


def read_body(body: bytes, shape: type[Shape]) -> tuple[object, Shape]:
    """The JSON value of a body, unchanged, and the same as the given model.

    Raises:
        ProviderMalformed: It is not of this shape; or no JSON, or no object, which is not by the model.
    """
    try:
        raw = strict_json(body)
    except (ValueError, RecursionError) as error:
        raise unreadable(error, body) from error
    if not isinstance(raw, dict):
        raise unreadable(TypeError("It is no object"), body)
    try:
        return raw, shape.model_validate(raw)
    except (ValueError, RecursionError) as error:
        raise malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), _worded(error)) from error


def read_block(kinds: Mapping[str, type[Shape]], block: Mapping[str, Any]) -> Shape:
    """One of several parts of an answer, as the model for its `type`. Raises ProviderMalformed."""
    try:
        return kinds[block["type"]].model_validate(block)
    except pydantic.ValidationError as error:
        raise malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), _worded(error)) from error


def _worded(error: Exception) -> str:
    """What is wrong with the shape of an answer, and where."""
    if not isinstance(error, pydantic.ValidationError):
        return plain_reason(str(error))
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}."


def strict_json(text: bytes | str) -> object:
    """A JSON value. Raises ValueError, RecursionError.

    NaN and the like are not JSON. A lone surrogate is, but it cannot be sent again in a later request.
    """
    value: object = json.loads(text, parse_constant=_no_constant)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def json_text(text: str) -> str:
    """The JSON object that stands in a text, perhaps in a code block or after thoughts in tags; else all of it."""
    text = without_thinking(text)[1]
    for start in (fenced.start(1) if (fenced := _FENCED.search(text)) else -1, text.find("{")):
        with contextlib.suppress(ValueError, RecursionError):
            if start >= 0:
                return text[start : json.JSONDecoder().raw_decode(text, start)[1]]
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if start >= 0 else text


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def malformed(title: str, detail: str) -> ProviderMalformed:
    """The error for an answer that is empty, cut off or unreadable."""
    return ProviderMalformed(title, detail=detail, remedy=notice(NoticeCode.CHECK_MODELS_ANSWERS))


def unreadable(error: Exception, body: bytes = b"") -> ProviderMalformed:
    """The error for what is no answer of a model at all, but broke on its way. `body`: what came."""
    detail = plain_reason(str(error))
    if begins := plain_text(body[:400].decode("utf-8", "replace"))[:60]:
        detail = joined(detail, notice(NoticeCode.ANSWER_BEGINS_WITH, text=begins))
    elif isinstance(error, json.JSONDecodeError):
        detail = notice(NoticeCode.SERVICE_ANSWER_EMPTY)
    return ProviderMalformed(
        notice(NoticeCode.MODEL_ANSWER_UNREADABLE),
        detail=detail,
        remedy=notice(NoticeCode.CHECK_HOW_SERVICE_RUNS),
        by_model=False,
    )


def broken_off(reason: str) -> ProviderMalformed:
    """The error for an answer that the service did not finish, which is not by the model."""
    return ProviderMalformed(
        notice(NoticeCode.MODEL_ANSWER_CUT_OFF),
        detail=f"{reason}.",
        remedy=notice(NoticeCode.CHECK_HOW_SERVICE_RUNS),
        by_model=False,
    )


def cut_off(reason: str, detail: str = "") -> ProviderMalformed:
    """The error for an answer that may be incomplete."""
    return malformed(notice(NoticeCode.MODEL_ANSWER_CUT_OFF), f"{reason}. {detail}".strip())


def empty() -> ProviderMalformed:
    """The error for an answer with neither text nor a call."""
    return malformed(notice(NoticeCode.SERVICE_ANSWER_EMPTY), notice(NoticeCode.MODEL_ANSWER_WITHOUT_CONTENT))


def refusal(service: str, reason: str, detail: str = "") -> ProviderRefused:
    """The error if the service or the model refuses this screen or task."""
    return ProviderRefused(
        notice(NoticeCode.SERVICE_BLOCKED_SCREEN, service=service),
        detail=f"{reason}{': ' + detail if detail else ''}.".replace("..", "."),
        remedy=notice(NoticeCode.CHECK_SCREEN_FOR_HOSTILE_TEXT),
    )


def conversation_rejected(service: str, reason: str, detail: str = "") -> ProviderRejected:
    """The error if the service cannot continue this conversation."""
    return ProviderRejected(
        notice(NoticeCode.SERVICE_REJECTED_CONVERSATION, service=service),
        detail=f"{reason}. {detail}".strip(),
        remedy=notice(NoticeCode.START_FOLLOW_UP),
    )


def recorded_parts(raw: bytes) -> Sequence[bytes]:
    """The bodies in the `raw` of a proposal, which has several if the turn took several answers."""
    if not raw.lstrip().startswith(b"["):
        return [raw]
    try:
        return [json.dumps(body).encode() for body in json.loads(raw)] or [raw]
    except (ValueError, RecursionError):
        return [raw]


def reported(body: bytes, name: str) -> Mapping[str, Any]:
    """The object of this name in an answer; an empty one if there is none."""
    try:
        return part(json.loads(body), name)
    except (ValueError, RecursionError):
        return {}


def part(holder: object, name: str) -> Mapping[str, Any]:
    """The object of this name in another; an empty one if there is none."""
    found = holder.get(name) if isinstance(holder, dict) else None
    return found if isinstance(found, dict) else {}


def count(holder: Mapping[str, Any], name: str) -> int | None:
    """The count of this name; None if there is none."""
    value = holder.get(name)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if is_count else None


def without(whole: int | None, part_of_it: int | None) -> int | None:
    """The rest of a count; never negative."""
    return whole if whole is None or part_of_it is None else max(0, whole - part_of_it)
