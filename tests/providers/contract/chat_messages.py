"""What the contract tests read from requests for chat completions."""

from __future__ import annotations

from tests.servers.scripted_server import Json


def texts(body: Json) -> list[str]:
    """All texts, in order."""
    return [text for message in body["messages"] for text in texts_of(message)]


def texts_of(message: Json) -> list[str]:
    """The texts of a message."""
    content = message.get("content") or []
    return [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]


def pictures(body: Json) -> int:
    """The number of pictures."""
    return str(body["messages"]).count("sha256:")


def newest(body: Json) -> list[Json]:
    """The messages after the model's newest turn."""
    last = max(i for i, message in enumerate(body["messages"]) if message["role"] == "assistant")
    return list(body["messages"][last + 1 :])
