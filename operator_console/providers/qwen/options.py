"""Options of Qwen sessions: the section [qwen] of the settings file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from operator_console.providers.shared.chat_options import ChatOptions


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
    """Options of a Qwen session.

    Attributes:
        generation: AUTO if the name of the model tells it.
        tool_calls: TEXT if the prompt offers functions, which works with every endpoint; NATIVE if the endpoint does
            (in vLLM with `--enable-auto-tool-choice --tool-call-parser hermes`).
    """

    generation: Generation = Generation.AUTO
    tool_calls: ToolCalls = ToolCalls.TEXT
    max_tokens: Annotated[int, Field(ge=64, le=131_072)] = 4096
    keep_screenshots: Annotated[int, Field(ge=1, le=100)] = 3
    keep_turns: Annotated[int, Field(ge=2, le=1000)] = 10
