"""A loopback stand-in for Anthropic's Messages API that plays a script and enforces the rules of the wire.

It knows nothing of our provider: rules are in `anthropic_rules`. Beside the keys of `scripted_server`, a turn has:

* `content`: ready-made blocks; or `thinking`, `redacted`, `text` and `calls`, from which blocks are made. A call is
  {"action": "left_click", "input": {...}} for the computer tool, which is written as the request's tool demands, or
  {"function": NAME, "input": {...}}. Ids are counted, and each thinking block has a signature of its own.
* an input may hold "coordinate": {"$at": NAME}: the server's locator, which is given the name and the last screenshot,
  answers with a point in pixels of that screenshot.
* `stop_reason`, `stop_details`, `usage`; `answer`: the whole message as it is.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.servers.anthropic_rules import TOOLSET, ApiError, Served, check_request, combined
from tests.servers.scripted_server import Json, Locator, ScriptedServer, ServerThread, Spoken, Turn

_COMPLETE = {"end_turn", "tool_use", "stop_sequence", "pause_turn"}


class AnthropicServer(ScriptedServer):
    """The server on the running loop.

    Attributes:
        dropped: for each lawful request, how many turns had thinking that the service would drop.
    """

    def __init__(
        self, turns: Sequence[Turn], *, api_key: str = "", locator: Locator | None = None, log: Path | None = None
    ) -> None:
        super().__init__(turns, api_key=api_key, log=log)
        self.dropped: list[int] = []
        self._locator = locator
        self._calls = 0
        self._turns: list[Served] = []
        self._before = ""
        self._toolset = True

    def add_routes(self, app: web.Application) -> None:
        """Messages."""
        app.router.add_post("/v1/messages", self.turn)

    def _check_key(self, request: web.Request) -> None:
        key = request.headers.get("x-api-key") or request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not key:
            raise ApiError(401, "x-api-key header is required")
        if self._api_key and key != self._api_key:
            raise ApiError(401, "invalid x-api-key")

    def check(self, request: web.Request, body: Json) -> None:
        """All rules of messages."""
        self._check_key(request)
        if not self.continues(body):
            self.served.clear()
            self._turns.clear()
            self.conversations += 1
        headers = {name.lower(): value for name, value in request.headers.items()}
        lawful = check_request(body, headers, request.content_length or 0, self._turns)
        self.dropped.append(lawful.dropped)
        self._before = lawful.before
        self._toolset = any(tool.get("type") == TOOLSET for tool in body.get("tools") or ())
        self.last_png = lawful.newest_png or self.last_png

    def continues(self, body: Json) -> bool:
        """Whether the model has spoken in it."""
        return any(message["role"] == "assistant" for message in body.get("messages") or [])

    def forms_of(self, body: Json) -> list[Json]:
        """The contents of the model's turns."""
        messages = combined(body["messages"])
        return [{"content": each["content"]} for each in messages if each["role"] == "assistant"]

    def fault(self, turn: Json) -> ApiError | None:
        """The error that a turn asks for."""
        return ApiError(int(turn["status"]), turn.get("message", "Injected.")) if "status" in turn else None

    def end_of_script(self) -> ApiError:
        """A violation: the client asks for more than the test expects."""
        return ApiError(400, "The script is at its end.")

    def speak(self, request: web.Request, turn: Json, size: int) -> Spoken:
        """A message with the turn's blocks."""
        answer = turn.get("answer") or self._message(turn, size)
        content = answer["content"]
        if answer["stop_reason"] not in _COMPLETE or not _says_something(content, answer["stop_reason"]):
            return Spoken(answer=answer, content=None)
        self._turns.append(Served(content=content, before=self._before, paused=answer["stop_reason"] == "pause_turn"))
        return Spoken(answer=answer, content={"content": content})

    def unsay(self, content: Json) -> None:
        """Forget the turn that was served last."""
        super().unsay(content)
        self._turns.pop()

    def _message(self, turn: Json, size: int) -> dict[str, Any]:
        content = list(turn["content"]) if "content" in turn else self._content(turn)
        uses = any(block["type"] == "tool_use" for block in content)
        usage = turn.get("usage") or {
            "input_tokens": 400 + size // 4000, "output_tokens": 25, "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0, "output_tokens_details": {"thinking_tokens": 5},
        }  # fmt: skip
        return {
            "id": f"msg_{len(self.received):04}", "type": "message", "role": "assistant", "model": "claude",
            "content": content, "stop_reason": turn.get("stop_reason", "tool_use" if uses else "end_turn"),
            "stop_details": turn.get("stop_details"), "stop_sequence": None, "usage": usage,
        }  # fmt: skip

    def _content(self, turn: Json) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        if turn.get("thinking"):
            made.append({"type": "thinking", "thinking": turn["thinking"], "signature": self._opaque()})
        if turn.get("redacted"):
            made.append({"type": "redacted_thinking", "data": self._opaque()})
        if turn.get("text"):
            made.append({"type": "text", "text": turn["text"]})
        return [*made, *map(self._use, turn.get("calls") or [])]

    def _opaque(self) -> str:
        self._calls += 1
        return base64.b64encode(hashlib.sha512(str(self._calls).encode()).digest()).decode()

    def _use(self, call: Json) -> dict[str, Any]:
        self._calls += 1
        made = {"type": "tool_use", "id": call.get("id", f"toolu_{self._calls:06}")}
        given = self._located(call.get("input") or {})
        if "function" in call:
            return {**made, "name": call["function"], "input": given}
        if self._toolset:
            return {**made, "name": call["action"], "toolset_name": "computer", "input": given}
        return {**made, "name": "computer", "input": {"action": call["action"], **given}}

    def _located(self, given: Json) -> dict[str, Any]:
        made = dict(given)
        for name, value in given.items():
            if isinstance(value, Mapping) and "$at" in value:
                if self._locator is None:
                    raise LookupError(f"The script names {value['$at']!r}, but the server has no locator.")
                made[name] = [round(number) for number in self._locator(value["$at"], self.last_png)]
        return made


def _says_something(content: Sequence[Json], stop_reason: str) -> bool:
    return stop_reason == "pause_turn" or any(block["type"] in {"text", "tool_use"} for block in content)


class AnthropicServerThread(ServerThread[AnthropicServer]):
    """The same server on a loop of its own."""

    def __init__(self, turns: Sequence[Turn], **options: Any) -> None:
        super().__init__(lambda: AnthropicServer(turns, **options))
