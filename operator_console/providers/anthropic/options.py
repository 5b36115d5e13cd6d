"""Options of Anthropic sessions: the section [anthropic] of the settings file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from operator_console.providers.anthropic.model_traits import MOST_PICTURES


class Effort(StrEnum):
    """How much the model thinks and writes before it acts."""

    UNSET = ""
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class AnthropicOptions(BaseModel):
    """Options of an Anthropic session.

    Attributes:
        excluded_functions: Actions and functions of the console that are not offered to the model.
        keep_screenshots: The number of newest turns that keep their pictures when older ones are left out.
        keep_turns: The number of turns that are sent again in full; older ones become one line each.
        thinking: Whether the model thinks and its thoughts are shown. Some models cannot be kept from thinking; then
            their thoughts are not shown.
        thinking_budget_tokens: Limit for the thoughts of models that do not decide it themselves.
        effort: UNSET for the default of the service; ignored for models without it.
        max_output_tokens: Limit for one answer, thoughts included.
        request_timeout_s: Limit for one answer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    excluded_functions: tuple[str, ...] = ()
    keep_screenshots: Annotated[int, Field(ge=1, le=MOST_PICTURES)] = 3
    keep_turns: Annotated[int, Field(ge=2, le=1000)] = 50
    thinking: bool = True
    thinking_budget_tokens: Annotated[int, Field(ge=1024, le=32_000)] = 2048
    effort: Effort = Effort.UNSET
    max_output_tokens: Annotated[int, Field(ge=4096, le=64_000)] = 16_384
    request_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 180.0
