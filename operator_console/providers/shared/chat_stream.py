"""A chat completion from the pieces of a stream (server-sent events whose data are `chat.completion.chunk` objects)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared import answers

_DATA, _DONE = "data:", "[DONE]"
_TEXTS = ("content", "reasoning_content", "reasoning", "refusal")
MOST_BYTES = 16 << 20


class StreamedCompletion:
    """The completion that pieces make. `complete`: the stream said that nothing more comes."""

    def __init__(self) -> None:
        self.complete = False
        self._whole: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._reason: str | None = None
        self._read = 0

    def add_line(self, line: str) -> None:
        """Take a line of the stream. Raises ProviderMalformed: it is no piece, an error, or there are too many."""
        if not line.startswith(_DATA):
            return  # names, comments and empty lines
        data = line.removeprefix(_DATA).strip()
        self._read += len(data)
        if data == _DONE:
            self.complete = True
            return
        if self._read > MOST_BYTES:
            raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), notice(NoticeCode.ANSWER_TOO_LONG))
        try:
            piece = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), str(error)[:300]) from error
        if not isinstance(piece, dict) or piece.get("error"):
            raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), str(piece)[:300])
        self._add(piece)

    def body(self) -> bytes:
        """The completion, as it would have come whole."""
        message = dict(self._message)
        if self._calls:
            message["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
        choice = {"index": 0, "message": message, "finish_reason": self._reason}
        return json.dumps({**self._whole, "object": "chat.completion", "choices": [choice]}).encode()

    def _add(self, piece: Mapping[str, Any]) -> None:
        self._whole.update((name, value) for name, value in piece.items() if name != "choices" and value is not None)
        choices = piece.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index", 0) != 0:
                continue
            if choice.get("finish_reason"):
                self._reason, self.complete = str(choice["finish_reason"]), True
            delta = choice.get("delta")
            if isinstance(delta, dict):
                self._add_delta(delta)

    def _add_delta(self, delta: Mapping[str, Any]) -> None:
        if delta.get("role"):
            self._message["role"] = delta["role"]
        for name in _TEXTS:
            if isinstance(delta.get(name), str):
                self._message[name] = self._message.get(name, "") + delta[name]
        calls = delta.get("tool_calls")
        for place, part in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(part, dict):
                self._add_call(part, place)

    def _add_call(self, part: Mapping[str, Any], place: int) -> None:
        index = part.get("index", place)
        call = self._calls.setdefault(
            index if isinstance(index, int) else place, {"type": "function", "function": {"name": "", "arguments": ""}}
        )
        if part.get("id"):
            call["id"] = part["id"]
        given = part.get("function")
        if isinstance(given, dict):
            call["function"]["name"] = call["function"]["name"] or given.get("name") or ""
            if isinstance(given.get("arguments"), str):
                call["function"]["arguments"] += given["arguments"]
