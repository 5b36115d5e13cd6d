"""Reads the body of an answer as JSON, also of recorded ones, and makes the errors for answers that cannot be used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeVar

import pydantic

from operator_console.domain.errors import ProviderMalformed, ProviderRefused, ProviderRejected
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import without_secrets

Shape = TypeVar("Shape", bound=pydantic.BaseModel)


def read_body(body: bytes, shape: type[Shape]) -> tuple[object, Shape]:
    """The JSON value of a body, unchanged, and the same as the given model. Raises ProviderMalformed.

    A lone surrogate makes an answer malformed: it is valid JSON, but it cannot be sent again in a later request.
    """
    try:
        raw = json.loads(body, parse_constant=_no_constant)
        json.dumps(raw, ensure_ascii=False).encode()
        return raw, shape.model_validate(raw)
    except (ValueError, RecursionError) as error:
        raise malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), without_secrets(str(error))[:300]) from error


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def malformed(title: str, detail: str) -> ProviderMalformed:
    """The error for an answer that is empty, cut off or unreadable."""
    return ProviderMalformed(title, detail=detail, remedy=notice(NoticeCode.REQUEST_IS_REPEATED))


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
