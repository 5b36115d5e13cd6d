"""A loopback stand-in for an endpoint that serves CogAgent; it plays a script and enforces the rules.

It knows nothing of our provider: rules are in `cogagent_rules`. Beside the keys of `scripted_server`, a turn has:

* `operation`, and `action`, `status_text`, `plan` in words; `mark` is the mark of sensitivity ("一般操作" if it is not
  given, "" for none). A text {NAME} in an operation is the box of what the server's locator finds there in the
  last screenshot.
* or `text`: the whole text;
* `finish_reason`, `refusal`, `usage`; `answer`: the whole completion as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.servers.chat_rules import ApiError
from tests.servers.cogagent_rules import Round, check_chat, check_history, is_round, read_round
from tests.servers.scripted_server import Json, Locator, ScriptedServer, ServerThread, Spoken, Turn

_NAMED = re.compile(r"\{([^{}]+)\}")
_OPERATION = re.compile(r"^Grounded Operation: (.*?)\s*(?:<<[^<>]*>>)?\s*\Z", re.DOTALL | re.MULTILINE)


class CogAgentServer(ScriptedServer):
    """The server on the running loop.

    Attributes:
        rounds: the lawful rounds, oldest first.
        prompts: the texts of requests without a picture.
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        api_key: str = "",
        locator: Locator | None = None,
        log: Path | None = None,
        jpeg_only: bool = False,
    ) -> None:
        super().__init__(turns, api_key=api_key, log=log)
        self.rounds: list[Round] = []
        self.prompts: list[str] = []
        self._locator = locator
        self._jpeg_only = jpeg_only

    @property
    def base_url(self) -> str:
        """What the SDK is given."""
        return f"{self.url}/v1"

    def add_routes(self, app: web.Application) -> None:
        """Completions."""
        app.router.add_post("/v1/chat/completions", self.turn)

    def check(self, request: web.Request, body: Json) -> None:
        """All rules."""
        if self._api_key and request.headers.get("Authorization") != f"Bearer {self._api_key}":
            raise ApiError(401, "Unauthorized")
        check_chat(body)
        if not is_round(body):
            self.prompts.append("".join(part["text"] for part in body["messages"][0]["content"]))
            return
        told = read_round(body, jpeg_only=self._jpeg_only)
        if not told.steps:
            self.served.clear()
            self.conversations += 1
        check_history(told, self.served)
        self.rounds.append(told)
        self.last_png = told.picture

    def continues(self, body: Json) -> bool:
        """Whether there are steps."""
        return bool(self.forms_of(body))

    def forms_of(self, body: Json) -> list[Json]:
        """The operations of the history."""
        try:
            return [{"operation": self._whole(step)} for _, step in read_round(body, jpeg_only=False).steps]
        except (ApiError, KeyError, TypeError):
            return []

    def _whole(self, operation: str) -> str:
        """The operation that was served, of which a history may have the beginning only."""
        begins = operation.removesuffix("…")
        if begins == operation:
            return operation
        return next((each["operation"] for each in self.served if each["operation"].startswith(begins)), operation)

    def fault(self, turn: Json) -> ApiError | None:
        """The error that a turn asks for."""
        return ApiError(int(turn["status"]), turn.get("message", "Injected.")) if "status" in turn else None

    def end_of_script(self) -> ApiError:
        """A violation: the client asks for more than the test expects."""
        return ApiError(400, "The script is at its end.")

    def speak(self, request: web.Request, turn: Json, size: int) -> Spoken:
        """A completion with the turn's text."""
        answer = turn.get("answer") or self._completion(turn, size)
        choice = answer["choices"][0]
        usable = choice["finish_reason"] not in {"length", "content_filter"} and not choice["message"].get("refusal")
        if not usable or not self.rounds or turn.get("prompted"):
            return Spoken(answer=answer, content=None)
        return Spoken(answer=answer, content={"operation": _one_line(_operation_in(choice["message"]["content"]))})

    def _completion(self, turn: Json, size: int) -> dict[str, Any]:
        message = {"role": "assistant", "content": turn.get("text") or self._written(turn)}
        if "refusal" in turn:
            message["refusal"] = turn["refusal"]
        return {
            "id": f"chatcmpl-{len(self.received):04}", "object": "chat.completion", "created": 1, "model": "cogagent",
            "choices": [
                {"index": 0, "message": message, "finish_reason": turn.get("finish_reason", "stop"), "logprobs": None}
            ],
            "usage": turn.get("usage") or {"prompt_tokens": 1700 + size // 4000, "completion_tokens": 40,
                                           "total_tokens": 1740 + size // 4000},
        }  # fmt: skip

    def _written(self, turn: Json) -> str:
        wanted = self.rounds[-1].format if self.rounds else "Action-Operation-Sensitive"
        lines = [f"Status: {turn['status_text']}"] if turn.get("status_text") else []
        lines += [f"Plan: {turn['plan']}"] if turn.get("plan") else []
        lines += [f"Action: {turn.get('action', 'Go on.')}"]
        lines += [f"Grounded Operation: {_NAMED.sub(self._box, turn['operation'])}"] if turn.get("operation") else []
        mark = turn.get("mark", "一般操作" if wanted.endswith("-Sensitive") else "")
        return "\n".join([*lines, *([f"<<{mark}>>"] if mark else [])])

    def _box(self, named: re.Match[str]) -> str:
        if self._locator is None:
            return named[0]
        x, y = self._locator(named[1], self.last_png)
        return f"[[{max(0, round(x) - 4):03},{max(0, round(y) - 4):03},{round(x) + 4:03},{round(y) + 4:03}]]"


def _operation_in(text: str) -> str:
    found = _OPERATION.search(text)
    return found[1] if found is not None else ""


def _one_line(text: str) -> str:
    return text.replace("\n", "\\n").replace("\t", "\\t")


class CogAgentServerThread(ServerThread[CogAgentServer]):
    """The same server on a loop of its own."""

    def __init__(self, turns: Sequence[Turn], **options: Any) -> None:
        super().__init__(lambda: CogAgentServer(turns, **options))
