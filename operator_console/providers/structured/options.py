"""Options of structured sessions: the section [structured] of the settings file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from operator_console.providers.shared.chat_options import EndpointOptions, KeptTurns


class ServiceName(StrEnum):
    """The service of a model; AUTO: by the model's name."""

    AUTO = ""
    GEMINI = "gemini"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    COMPATIBLE = "compatible"


class ElementsFrom(StrEnum):
    """Where elements are taken from; AUTO: from accessibility, and from text where that tells nothing."""

    AUTO = "auto"
    ACCESSIBILITY = "accessibility"
    TEXT = "text"


class JsonMode(StrEnum):
    """How the form of answers is asked for.

    SCHEMA and OBJECT use the service's own means. NONE uses the instruction only, which all of them contain.
    """

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    NONE = "none"


class StructuredOptions(EndpointOptions):
    """Options of a structured session."""

    service: ServiceName = Field(
        ServiceName.AUTO,
        description='`"gemini"`, `"anthropic"`, `"openai"` or `"compatible"`; empty: by the name of the model',
    )
    base_url: str = Field(
        "", description="the address of the service; empty: its usual one, or that in its environment variable"
    )
    json_mode: JsonMode = Field(
        JsonMode.SCHEMA,
        description=(
            'how the form of answers is asked for: `"json_schema"`, `"json_object"` or `"none"` (by the '
            "instruction only)"
        ),
    )
    elements: ElementsFrom = Field(
        ElementsFrom.AUTO,
        description=(
            'where elements come from: `"accessibility"`, `"text"` (OCR), or `"auto"`: text where '
            "applications tell nothing"
        ),
    )
    max_elements: int = Field(
        120, ge=1, le=400, description="how many elements get a number, and how many further texts are listed, 1 to 400"
    )
    images: bool = Field(
        True, description="whether pictures are sent; without them the model gets the list of elements only"
    )
    max_pixels: int = Field(
        2_073_600,
        ge=10_000,
        le=16_777_216,
        title="Largest picture, pixels",
        description="the largest picture that is sent to a compatible endpoint",
    )
    keep_screenshots: int = Field(
        2,
        ge=1,
        le=20,
        title="Pictures kept",
        description="how many turns keep their pictures and lists of elements in a request, 1 to 20",
    )
    keep_turns: KeptTurns = 10
    max_output_tokens: int = Field(
        8192, ge=256, le=64_000, title="Longest answer, tokens", description="limit for one answer, thoughts included"
    )
    request_timeout_s: float = Field(
        180.0, gt=0, le=3600, title="Answer within, seconds", description="how many seconds one answer may take"
    )
