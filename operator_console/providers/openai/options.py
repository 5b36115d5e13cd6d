"""Options of OpenAI sessions: the section [openai] of the settings file."""

from __future__ import annotations

from enum import StrEnum

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


class Cloud(StrEnum):
    """Who serves the model."""

    UNSET = ""
    AZURE = "azure"
    OPENROUTER = "openrouter"


class OpenAIOptions(BaseModel):
    """Options of an OpenAI session."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cloud: Cloud = Field(
        Cloud.UNSET,
        description='`"azure"` or `"openrouter"`: the [cloud](models.md#clouds) that serves the model; empty: OpenAI',
    )
    excluded_functions: tuple[str, ...] = Field(
        (), description="functions of the console that the model does not get, and actions that are refused"
    )
    stored_by_service: bool = Field(
        False, description="let the service store the conversation, so that each request has only what is new"
    )
    keep_turns: int = Field(
        12,
        ge=2,
        le=20,
        title="Turns kept in full",
        description="how many turns are sent in full with their pictures, 2 to 20; older ones become one line each",
    )
    include_thoughts: bool = Field(
        True,
        title="Show the thinking",
        description="show summaries of the model's thinking; some models need a verified organisation for it",
    )
    effort: Effort = Field(
        Effort.UNSET,
        description=(
            '`"none"`, `"minimal"`, `"low"`, `"medium"`, `"high"`, `"xhigh"` or `"max"`; empty leaves it to the service'
        ),
    )
    environment: Environment = Field(
        Environment.UNSET,
        description=(
            '`"linux"`, `"windows"`, `"mac"` or `"browser"`, for the preview tool; empty: this '
            'computer\'s; in a managed browser always `"browser"`'
        ),
    )
    max_output_tokens: int = Field(
        16_384,
        ge=1024,
        le=128_000,
        title="Longest answer, tokens",
        description="how long one answer may be, thinking included, 1024 to 128000",
    )
    request_timeout_s: float = Field(
        180.0, gt=0, le=3600, title="Answer within, seconds", description="how many seconds one answer may take"
    )
