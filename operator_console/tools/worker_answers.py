"""Turns the answer of a worker process to a call into an outcome. Its texts and pictures are data, without any key."""

from __future__ import annotations

import base64
import hashlib
import logging
from collections.abc import Mapping
from typing import Any

from operator_console.domain.admission import refused
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import OperatorError, RejectedReason
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import Size
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import without_secrets
from operator_console.domain.tools import ToolResult

_MAX_DETAIL = 300
_log = logging.getLogger(__name__)


def outcome_of(name: str, answer: Mapping[str, Any], duration_s: float) -> Outcome:
    """The outcome of a call of the function `name`.

    Args:
        name: The function.
        answer: {"texts", "pictures"}, also with "failed"; {"error"}, also with "trace"; or {"killed"}.
        duration_s: How long it took.
    """
    if answer.get("killed"):
        return Outcome(
            result=ActResult.STOPPED,
            detail=notice(NoticeCode.FUNCTION_KILLED, name=name),
            total=1,
            duration_s=duration_s,
        )
    if "error" in answer:
        if trace := answer.get("trace"):
            _log.warning("the function %s failed:\n%s", name, trace)
        error = error_in(answer)
        return _failed(name, error, (str(error),), duration_s)
    texts = tuple(without_secrets(str(text)) for text in answer["texts"])
    pictures = tuple(_picture(base64.b64decode(data)) for data in answer["pictures"])
    if answer.get("failed"):
        return _failed(name, _shortened(texts), texts, duration_s, pictures)
    shown = _shortened(texts)
    said = (
        notice(NoticeCode.FUNCTION_RETURNED, name=name, result=shown)
        if shown
        else notice(NoticeCode.FUNCTION_RETURNED_NOTHING, name=name)
    )
    return Outcome(
        result=ActResult.DONE, detail=said, delivered=1, total=1,
        duration_s=duration_s, tool=ToolResult(texts=texts, pictures=pictures),
    )  # fmt: skip


def not_called(error: OperatorError | OSError) -> Outcome:
    """The outcome of a call whose process could not be started."""
    return refused(error.text if isinstance(error, OperatorError) else str(error), RejectedReason.UNSUPPORTED)


def error_in(answer: Mapping[str, Any]) -> str:
    """Why there is no result: a notice of this program, or text from the process."""
    error = answer.get("error")
    return error if isinstance(error, NoticeText) else without_secrets(str(error))


def _failed(
    name: str, error: str, texts: tuple[str, ...], duration_s: float, pictures: tuple[Picture, ...] = ()
) -> Outcome:
    shown = error if isinstance(error, NoticeText) else _shortened((error,))
    return Outcome(
        result=ActResult.FAILED,
        detail=notice(NoticeCode.FUNCTION_FAILED, name=name, error=shown),
        delivered=1,
        total=1,
        duration_s=duration_s,
        tool=ToolResult(texts=texts, pictures=pictures, error=True),
    )


def _shortened(texts: tuple[str, ...]) -> str:
    return " ".join(" ".join(texts).split())[:_MAX_DETAIL]


def _picture(data: bytes) -> Picture:
    # Every PNG begins with a header chunk that has width and height.
    size = Size(int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    return Picture(data=data, mime_type="image/png", size=size, digest=hashlib.sha256(data).hexdigest())
