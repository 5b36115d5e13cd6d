"""Options of Qwen sessions: the section [qwen] of the settings file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from operator_console.providers.shared.chat_options import ChatOptions

MAX_PATCHES = 2700
"""Of a picture, unless `max_pixels` says otherwise. The processors take up to 16384, but grounding is reported to
become worse far below that."""


class Generation(StrEnum):
    """A generation, which decides coordinates; AUTO: by the name of the model."""

    AUTO = ""
    QWEN2_5 = "2.5"
    QWEN3 = "3"


class ToolCalls(StrEnum):
    """How functions are offered and called."""

    TEXT = "text"
    NATIVE = "native"


class QwenOptions(ChatOptions):
    """Options of a Qwen session."""

    generation: Generation = Field(Generation.AUTO, description='`"2.5"` or `"3"`; empty: by the name of the model')
    tool_calls: ToolCalls = Field(
        ToolCalls.TEXT, description='`"text"`: functions are offered in the system message; `"native"`: by the endpoint'
    )
    base_url: str = Field("", description="the endpoint's address; empty: that in `QWEN_BASE_URL`")
    max_tokens: int = Field(4096, ge=64, le=131_072, title="Longest answer, tokens", description="limit for one answer")
    keep_screenshots: int = Field(
        3,
        ge=1,
        le=100,
        title="Pictures kept",
        description="how many turns keep their pictures in a request, and how many pictures it has at most, 1 to 100",
    )
    keep_turns: int = Field(
        10,
        ge=2,
        le=1000,
        title="Turns kept in full",
        description="how many turns are sent word for word, 2 to 1000; older ones become one line each",
    )
