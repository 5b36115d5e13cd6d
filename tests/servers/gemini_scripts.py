"""What the strict server says, as data: turns of the model and faults, read from JSON or given by a test.

A turn is an object:

* `parts`: ready-made wire parts, used as they are; or `thought`, `text` and `calls` ({"name", "args", "id"}), from
  which parts are made: ids are counted ("fc-1"; `"id": null` leaves them out) and the first call carries a thought
  signature.
* `args` may hold "at": {"$at": NAME}: x and y are put in its place by the server's locator, which is given the name
  and the last screenshot and answers with a point of the 0-999 grid. Under another key, "start", it becomes start_x
  and start_y.
* `finish_reason`, `usage`, `prompt_feedback`, `candidates` (given as they are), `delay_s`.
* a fault: `status` (an HTTP code; with `message`, `retry_info`, `retry_after`, `quota_id`, `reason`), `drop`: true (the
  connection is cut), `body` (sent as it is, with code 200).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from tests.servers.gemini_rules import ApiError
from tests.servers.scripted_server import Json, Locator

_STATUS_WORDS = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED", 413: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 502: "UNAVAILABLE",
    503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}  # fmt: skip


class Composer:
    """Makes wire answers of turns; counts ids and signatures so that each is unique."""

    def __init__(self, locator: Locator | None) -> None:
        self._locator = locator
        self._calls = 0

    def content(self, turn: Json, png: bytes) -> dict[str, Any] | None:
        """The model content of a turn, None where it says nothing."""
        if "parts" in turn:
            return {"role": "model", "parts": list(turn["parts"])}
        parts: list[dict[str, Any]] = []
        if turn.get("thought"):
            parts.append({"text": turn["thought"], "thought": True})
        if turn.get("text"):
            parts.append({"text": turn["text"]})
        for index, call in enumerate(turn.get("calls") or []):
            parts.append(self._call(call, png, first=index == 0))
        return {"role": "model", "parts": parts} if parts else None

    def _call(self, call: Json, png: bytes, *, first: bool) -> dict[str, Any]:
        self._calls += 1
        made: dict[str, Any] = {"name": call["name"], "args": self._located(call.get("args") or {}, png)}
        identity = call.get("id", f"fc-{self._calls}")
        if identity is not None:
            made["id"] = identity
        part: dict[str, Any] = {"functionCall": made}
        if first:
            # Bytes that need both letters in which the two base64 alphabets differ.
            opaque = b"\xfb\xef\xff" + hashlib.sha512(str(self._calls).encode()).digest()
            part["thoughtSignature"] = base64.b64encode(opaque).decode("ascii")
        return part

    def _located(self, args: Json, png: bytes) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in args.items():
            if isinstance(value, Mapping) and "$at" in value:
                if self._locator is None:
                    raise LookupError(f"The script names {value['$at']!r}, but the server has no locator.")
                prefix = "" if key == "at" else f"{key}_"
                made[f"{prefix}x"], made[f"{prefix}y"] = self._locator(value["$at"], png)
            else:
                made[key] = value
        return made


def answer(turn: Json, content: Json | None, *, model: str, serial: int, request_bytes: int) -> dict[str, Any]:
    """The whole answer with its candidate, usage and ids."""
    usage = turn.get("usage") or {
        "promptTokenCount": 258 + request_bytes // 4000,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 5,
        "totalTokenCount": 283 + request_bytes // 4000,
    }
    made: dict[str, Any] = {"modelVersion": model, "responseId": f"answer-{serial}", "usageMetadata": usage}
    if "prompt_feedback" in turn:
        made["promptFeedback"] = turn["prompt_feedback"]
    if "candidates" in turn:
        made["candidates"] = turn["candidates"]
    elif content is not None or "finish_reason" in turn:
        candidate: dict[str, Any] = {"index": 0, "finishReason": turn.get("finish_reason", "STOP")}
        if content is not None:
            candidate["content"] = content
        if "finish_message" in turn:
            candidate["finishMessage"] = turn["finish_message"]
        made["candidates"] = [candidate]
    return made


def fault(turn: Json) -> ApiError | None:
    """The error a turn asks for, None where it is an ordinary one."""
    if "status" not in turn:
        return None
    code = int(turn["status"])
    details: list[dict[str, Any]] = []
    if "quota_id" in turn:
        kind = "type.googleapis.com/google.rpc.QuotaFailure"
        details.append({"@type": kind, "violations": [{"quotaId": turn["quota_id"], "quotaValue": "50"}]})
    if "retry_info" in turn:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": turn["retry_info"]})
    if "reason" in turn:
        details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": turn["reason"]})
    return ApiError(code, turn.get("message", "Injected."), status=_STATUS_WORDS.get(code, "UNKNOWN"), details=details)
