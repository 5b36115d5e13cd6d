"""Options of OpenAI sessions: the section [openai] of the settings file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Effort(StrEnum):
    """How much the model thinks before it answers."""

    UNSET = ""
    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class Environment(StrEnum):
    """What the preview tool is told it controls."""

    UNSET = ""
    LINUX = "linux"
    WINDOWS = "windows"
    MAC = "mac"
    BROWSER = "browser"


class OpenAIOptions(BaseModel):
    """Options of an OpenAI session.

    Attributes:
        excluded_functions: Functions of the console that are not offered to the model, and actions of the computer tool
            that are refused.
        stored_by_service: Whether the service stores the conversation, so that each request has only what is new.
            Otherwise it stores nothing, and each request has the whole conversation.
        keep_turns: The number of turns that are sent again in full, with their screenshots; older ones become one line
            each.
        include_thoughts: Whether to request summaries of the model's thoughts.
        effort: UNSET for the default of the service.
        environment: For the preview tool; UNSET for that of this computer. In a managed browser it is BROWSER.
        max_output_tokens: Limit for one answer, thoughts included.
        request_timeout_s: Limit for one answer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    excluded_functions: tuple[str, ...] = ()
    stored_by_service: bool = False
    keep_turns: Annotated[int, Field(ge=2, le=20)] = 12
    include_thoughts: bool = True
    effort: Effort = Effort.UNSET
    environment: Environment = Environment.UNSET
    max_output_tokens: Annotated[int, Field(ge=1024, le=128_000)] = 16_384
    request_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 180.0
