"""A loopback stand-in for an endpoint with chat completions that plays a script and enforces the rules of vLLM.

It knows nothing of our providers: rules are in `chat_rules`. Beside the keys of `scripted_server`, a turn has:

* `content`: the text of the answer; `reasoning`: thoughts that the endpoint keeps apart;
* `calls`: native calls, {"name": NAME, "arguments": {...} or text}; ids are counted;
* `finish_reason`, `usage`; `answer`: the whole completion as it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.servers.chat_rules import ApiError, check_request, form_of
from tests.servers.scripted_server import Json, ScriptedServer, ServerThread, Spoken, Turn


class ChatServer(ScriptedServer):
    """The server on the running loop. Its address for clients is `base_url`."""

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        models: Sequence[str],
        api_key: str = "",
        most_pictures: int = 16,
        log: Path | None = None,
    ) -> None:
        super().__init__(turns, api_key=api_key, log=log)
        self._models = models
        self._most_pictures = most_pictures
        self._calls = 0
        self._tokens = 0

    @property
    def base_url(self) -> str:
        """The address with its path."""
        return f"{self.url}/v1"

    def add_routes(self, app: web.Application) -> None:
        """Chat completions."""
        app.router.add_post("/v1/chat/completions", self.turn)

    def check(self, request: web.Request, body: Json) -> None:
        """All rules of chat completions."""
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self._api_key and key != self._api_key:
            raise ApiError(401, "Unauthorized")
        if not self.continues(body):
            self.served.clear()
            self.conversations += 1
        lawful = check_request(body, models=self._models, most_pictures=self._most_pictures, served=self.served)
        self._tokens = lawful.tokens
        if lawful.pictures:
            self.last_png = lawful.pictures[-1]

    def continues(self, body: Json) -> bool:
        """Whether the model has spoken in it."""
        return any(message["role"] == "assistant" for message in body.get("messages") or [])

    def forms_of(self, body: Json) -> list[Json]:
        """The model's turns."""
        return [form_of(message) for message in body["messages"] if message["role"] == "assistant"]

    def fault(self, turn: Json) -> ApiError | None:
        """The error that a turn asks for."""
        return ApiError(int(turn["status"]), turn.get("message", "Injected.")) if "status" in turn else None

    def end_of_script(self) -> ApiError:
        """A violation: the client asks for more than the test expects."""
        return ApiError(400, "The script is at its end.")

    def speak(self, request: web.Request, turn: Json, size: int) -> Spoken:
        """A completion with the turn's message."""
        answer = turn.get("answer") or self._completion(turn)
        choice = answer["choices"][0]
        kept = choice["finish_reason"] not in {"length", "content_filter"}
        return Spoken(answer=answer, content=form_of(choice["message"]) if kept else None)

    def _completion(self, turn: Json) -> dict[str, Any]:
        calls = [self._call(call) for call in turn.get("calls") or ()]
        message: dict[str, Any] = {"role": "assistant", "content": turn.get("content") or None, "tool_calls": calls}
        if turn.get("reasoning"):
            message["reasoning_content"] = turn["reasoning"]
        if turn.get("refusal"):
            message["refusal"] = turn["refusal"]
        reason = turn.get("finish_reason", "tool_calls" if calls else "stop")
        usage = {"prompt_tokens": self._tokens + 1, "completion_tokens": 25, "total_tokens": self._tokens + 26}
        return {
            "id": f"chatcmpl-{len(self.received):04}", "object": "chat.completion", "created": 1_760_000_000,
            "model": self._models[0], "usage": turn.get("usage", usage),
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
        }  # fmt: skip

    def _call(self, call: Json) -> dict[str, Any]:
        self._calls += 1
        given = call["arguments"]
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        made_id = call.get("id", f"chatcmpl-tool-{self._calls:06}")
        return {"id": made_id, "type": "function", "function": {"name": call["name"], "arguments": text}}


class ChatServerThread(ServerThread[ChatServer]):
    """The same server on a loop of its own."""

    def __init__(self, turns: Sequence[Turn], **options: Any) -> None:
        super().__init__(lambda: ChatServer(turns, **options))
