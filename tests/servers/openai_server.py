"""A loopback stand-in for OpenAI's Responses API that plays a script and enforces the rules of the wire.

It knows nothing of our provider: rules are in `openai_rules`. Beside the keys of `scripted_server`, a turn has:

* `items`: ready-made output items; or `thinking`, `text`, `refusal` and `calls`, from which items are made. A call is
  {"actions": [...], "checks": [...]} for the computer tool, or {"function": NAME, "arguments": {...}}. With the preview
  tool, which has one action a call, each action becomes a call. Ids are counted, and reasoning is encrypted content of
  its own.
* an action may hold "at": {"$at": NAME}: the server's locator, which is given the name and the last screenshot, answers
  with a point in pixels of that screenshot, which becomes x and y.
* `state` ("completed"), `incomplete` (the reason), `error`, `usage`; `answer`: the whole response as it is.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.servers.openai_rules import PREVIEW, ApiError, Served, check_request, is_of_model, model_turns
from tests.servers.scripted_server import Json, Locator, ScriptedServer, ServerThread, Spoken, Turn, slim

_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}


class OpenAIServer(ScriptedServer):
    """The server on the running loop. `forgotten` may be set to have it lose what it has stored."""

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        api_key: str = "",
        browser: bool = False,
        locator: Locator | None = None,
        log: Path | None = None,
    ) -> None:
        super().__init__(turns, api_key=api_key, log=log)
        self._browser = browser
        self.forgotten = False
        self._locator = locator
        self._made = 0
        self._turns: list[Served] = []
        self._items: Sequence[Json] = ()
        self._body: Json = {}

    def stored_before(self, body: Json) -> Sequence[Json]:
        """The items that the service has stored and a request goes on from, without the data of pictures."""
        previous = body.get("previous_response_id")
        found = (each for each in self._turns if previous is not None and each.response_id == previous)
        return [slim(item) for each in found for item in (*each.before, *each.items)]

    def add_routes(self, app: web.Application) -> None:
        """Responses."""
        app.router.add_post("/v1/responses", self.turn)

    def _check_key(self, request: web.Request) -> None:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or not key:
            raise ApiError(401, "You didn't provide an API key.")
        if self._api_key and key != self._api_key:
            text = f"Incorrect API key provided: {key}. You can find your API key in your account settings."
            raise ApiError(401, text, kind="invalid_api_key")

    def check(self, request: web.Request, body: Json) -> None:
        """All rules of responses."""
        self._check_key(request)
        if not self.continues(body):
            self.served.clear()
            self._turns.clear()
            self.conversations += 1
        if self.forgotten:
            self._turns = [
                Served(response_id=each.response_id, items=each.items, before=each.before, stored=False)
                for each in self._turns
            ]
            self.forgotten = False
        lawful = check_request(body, request.content_length or 0, self._turns, browser=self._browser)
        self._items, self._body = lawful.items, body
        self.last_png = lawful.newest_png or self.last_png

    def continues(self, body: Json) -> bool:
        """Whether the model has spoken in it, or one of its turns was withdrawn."""
        spoken = "previous_response_id" in body or any(map(is_of_model, body.get("input") or ()))
        return spoken or (bool(self._turns) and all(each.flagged for each in self._turns))

    def forms_of(self, body: Json) -> list[Json]:
        """The items of the model's turns."""
        turns = model_turns([*self.stored_before(body), *body["input"]])
        return [{"items": turn} for turn in turns]

    def withdrawable(self, content: Json) -> bool:
        """Turns with safety checks that were not acknowledged are left out."""
        return any(item.get("pending_safety_checks") for item in content["items"])

    def fault(self, turn: Json) -> ApiError | None:
        """The error that a turn asks for."""
        if "status" not in turn:
            return None
        code = int(turn["status"])
        return ApiError(code, turn.get("message", "Injected."), kind=turn.get("code", _CODES.get(code)))

    def end_of_script(self) -> ApiError:
        """A violation: the client asks for more than the test expects."""
        return ApiError(400, "The script is at its end.")

    def speak(self, request: web.Request, turn: Json, size: int) -> Spoken:
        """A response with the turn's items."""
        answer = turn.get("answer") or self._response(turn, size)
        items = answer["output"]
        if answer["status"] != "completed" or _refuses(items):
            return Spoken(answer=answer, content=None)
        stored = bool(self._body.get("store", True))
        self._turns.append(Served(response_id=answer["id"], items=items, before=self._items, stored=stored))
        return Spoken(answer=answer, content={"items": items})

    def unsay(self, content: Json) -> None:
        """Forget the turn that was served last."""
        super().unsay(content)
        self._turns.pop()

    def _response(self, turn: Json, size: int) -> dict[str, Any]:
        tokens = 400 + size // 4000
        usage = turn.get("usage") or {
            "input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 25, "output_tokens_details": {"reasoning_tokens": 5}, "total_tokens": tokens + 25,
        }  # fmt: skip
        incomplete = turn.get("incomplete")
        state = turn.get("state", "incomplete" if incomplete else "failed" if turn.get("error") else "completed")
        return {
            "id": self._id("resp"), "object": "response", "created_at": 1_780_000_000, "status": state,
            "error": turn.get("error"), "incomplete_details": {"reason": incomplete} if incomplete else None,
            "model": self._body["model"], "output": list(turn["items"]) if "items" in turn else self._output(turn),
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage,
            "store": self._body.get("store", True), "previous_response_id": self._body.get("previous_response_id"),
        }  # fmt: skip

    def _id(self, kind: str) -> str:
        self._made += 1
        return f"{kind}_{id(self):x}{self._made:06}"

    def _output(self, turn: Json) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        if turn.get("thinking"):
            identity = self._id("rs")
            opaque = base64.b64encode(hashlib.sha512(identity.encode()).digest()).decode()
            summary = [{"type": "summary_text", "text": turn["thinking"]}]
            made.append({"id": identity, "type": "reasoning", "summary": summary, "encrypted_content": opaque})
        content: list[dict[str, Any]] = []
        if turn.get("text"):
            content.append({"type": "output_text", "text": turn["text"], "annotations": [], "logprobs": []})
        if turn.get("refusal"):
            content.append({"type": "refusal", "refusal": turn["refusal"]})
        if content:
            made.append(
                {
                    "id": self._id("msg"), "type": "message", "role": "assistant", "status": "completed",
                    "content": content,
                }
            )  # fmt: skip
        for call in turn.get("calls") or ():
            made += [self._function(call)] if "function" in call else self._computer(call)
        return made

    def _function(self, call: Json) -> dict[str, Any]:
        text = call["arguments"] if isinstance(call["arguments"], str) else json.dumps(call["arguments"])
        return {
            "id": self._id("fc"), "type": "function_call", "status": "completed", "call_id": self._id("call"),
            "name": call["function"], "arguments": text,
        }  # fmt: skip

    def _computer(self, call: Json) -> list[dict[str, Any]]:
        actions = [self._located(action) for action in call["actions"]]
        checks = [{"id": self._id("cu_sc"), **check} for check in call.get("checks") or ()]
        preview = self._body["model"] in PREVIEW
        return [
            {
                "id": self._id("cu"), "type": "computer_call", "status": "completed", "call_id": self._id("call"),
                **said, "pending_safety_checks": checks,
            }
            for said in ([{"action": action} for action in actions] if preview else [{"actions": actions}])
        ]  # fmt: skip

    def _located(self, action: Json) -> dict[str, Any]:
        made = dict(action)
        place = made.get("at")
        if isinstance(place, Mapping) and "$at" in place:
            if self._locator is None:
                raise LookupError(f"The script names {place['$at']!r}, but the server has no locator.")
            del made["at"]
            made["x"], made["y"] = (round(number) for number in self._locator(place["$at"], self.last_png))
        return made


def _refuses(items: Sequence[Json]) -> bool:
    return any(part.get("type") == "refusal" for item in items for part in item.get("content") or ())


class OpenAIServerThread(ServerThread[OpenAIServer]):
    """The same server on a loop of its own."""

    def __init__(self, turns: Sequence[Turn], **options: Any) -> None:
        super().__init__(lambda: OpenAIServer(turns, **options))
