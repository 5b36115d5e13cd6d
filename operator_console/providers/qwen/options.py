"""Options of Qwen sessions: the section [qwen] of the settings file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from operator_console.providers.shared.chat_options import ChatOptions, KeptPictures, KeptTurns, LongestAnswer

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
    max_tokens: LongestAnswer = 4096
    keep_screenshots: KeptPictures = 3
    keep_turns: KeptTurns = 10
