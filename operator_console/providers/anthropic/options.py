"""Options of Anthropic sessions: the section [anthropic] of the settings file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from operator_console.providers.anthropic.model_traits import MOST_PICTURES
from operator_console.providers.shared.chat_options import KeptTurns


class Effort(StrEnum):
    """How much the model thinks and writes before it acts."""

    UNSET = ""
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class Cloud(StrEnum):
    """Who serves the model."""

    UNSET = ""
    VERTEX = "vertex"
    BEDROCK = "bedrock"
    OPENROUTER = "openrouter"


class AnthropicOptions(BaseModel):
    """Options of an Anthropic session."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cloud: Cloud = Field(
        Cloud.UNSET,
        description=(
            '`"vertex"`, `"bedrock"` or `"openrouter"`: the [cloud](models.md#clouds) that serves the model; empty: '
            "Anthropic"
        ),
    )
    project: str = Field("", description="the Google Cloud project; empty: that of the credentials")
    region: str = Field(
        "",
        title="Cloud region",
        description=(
            'the region, such as `"eu-west-1"`; empty: that of the credentials or the environment, `"global"` on '
            "Vertex AI"
        ),
    )
    aws_profile: str = Field(
        "", title="AWS profile", description="the profile of the AWS configuration; empty: the usual one"
    )
    excluded_functions: tuple[str, ...] = Field(
        (), description="actions, and functions of the console, that the model does not get"
    )
    keep_screenshots: int = Field(
        3,
        ge=1,
        le=MOST_PICTURES,
        title="Pictures kept",
        description="how many turns keep their pictures when older ones are left out, 1 to 20",
    )
    keep_turns: KeptTurns = 50
    thinking: bool = Field(
        True, description="let the model think, and show it; newer models always think, and `false` only hides it"
    )
    thinking_budget_tokens: int = Field(
        2048,
        ge=1024,
        le=32_000,
        title="Thinking, tokens",
        description="limit for the thinking of models before 4.6, 1024 to 32000, at most half of an answer",
    )
    effort: Effort = Field(
        Effort.UNSET, description='`"low"`, `"medium"`, `"high"`, `"xhigh"` or `"max"`; empty leaves it to the service'
    )
    max_output_tokens: int = Field(
        16_384,
        ge=4096,
        le=64_000,
        title="Longest answer, tokens",
        description="how long one answer may be, thinking included, 4096 to 64000",
    )
    request_timeout_s: float = Field(
        180.0, gt=0, le=3600, title="Answer within, seconds", description="how many seconds one answer may take"
    )
