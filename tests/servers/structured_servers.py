"""The loopback services for requests that ask for answers in a form, without a computer tool.

They know nothing of our providers: rules are in `structured_rules`. Turns are those of the servers that they derive
from, of text and thoughts alone.
"""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tests.servers import anthropic_rules, chat_rules, gemini_rules
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.chat_server import ChatServer
from tests.servers.gemini_server import GeminiServer
from tests.servers.scripted_server import Json, Spoken
from tests.servers.structured_rules import (
    NO_SUCH_TURN,
    check_anthropic,
    check_gemini,
    check_response_format,
    check_turns,
)


class StructuredGeminiServer(GeminiServer):
    """generateContent with a response schema."""

    def forms_of(self, body: Json) -> list[Json]:
        """The texts of the model's turns."""
        return [{"text": _text(one["parts"])} for one in body.get("contents") or [] if one["role"] == "model"]

    def withdrawable(self, content: Json) -> bool:
        """None is."""
        return False

    def speak(self, request: web.Request, turn: Json, size: int) -> Spoken:
        """A candidate with the turn's text."""
        spoken = super().speak(request, turn, size)
        kept = spoken.content is not None and turn.get("finish_reason", "STOP") == "STOP"
        content = {"text": _text((spoken.content or {})["parts"])} if kept else None
        return Spoken(answer=spoken.answer, content=content)

    def _checked(self, model: str, body: Json) -> None:
        if not self.continues(body):
            self.served.clear()
            self.conversations += 1
        pictures = check_gemini(model, body)
        _check(self, body, gemini_rules.ApiError)
        self.last_png = pictures[-1] if pictures else self.last_png


class StructuredAnthropicServer(AnthropicServer):
    """The Messages API with an output format."""

    def forms_of(self, body: Json) -> list[Json]:
        """The texts of the model's turns."""
        return [{"text": _text(one["content"])} for one in body["messages"] if one["role"] == "assistant"]

    def check(self, request: web.Request, body: Json) -> None:
        """Key, rules and history."""
        self._check_key(request)
        if not self.continues(body):
            self.served.clear()
            self.conversations += 1
        pictures = check_anthropic(body, {name.lower(): value for name, value in request.headers.items()})
        _check(self, body, anthropic_rules.ApiError)
        self.last_png = pictures[-1] if pictures else self.last_png

    def speak(self, request: web.Request, turn: Json, size: int) -> Spoken:
        """A message with the turn's text."""
        spoken = super().speak(request, turn, size)
        content = {"text": _text(spoken.content["content"])} if spoken.content is not None else None
        return Spoken(answer=spoken.answer, content=content)


class StructuredChatServer(ChatServer):
    """Chat completions with a response format; `openai`: by the rules of OpenAI's own service.

    `knows_form`: whether it takes a response format.
    """

    def __init__(self, *args: Any, openai: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        self._openai = openai
        self.knows_form = True

    def check(self, request: web.Request, body: Json) -> None:
        """Key, rules, history and form."""
        super().check(request, body)
        if self.knows_form:
            check_response_format(body)
        elif "response_format" in body:
            raise chat_rules.ApiError(400, "This response_format type is unavailable now")
        if self._openai and ("max_tokens" in body or "temperature" in body):
            raise chat_rules.ApiError(
                400, "Unsupported parameter with this model. Use 'max_completion_tokens' instead."
            )


def _text(parts: Any) -> str:
    return "\n".join(part["text"] for part in parts if "text" in part and not part.get("thought"))


def _check(server: GeminiServer | AnthropicServer, body: Json, error: Any) -> None:
    said = [one["text"] for one in server.forms_of(body)]
    if unlike := check_turns(said, [one["text"] for one in server.served]):
        raise error(400, f"{NO_SUCH_TURN}{unlike[:300]}")
