"""Options of structured sessions: the section [structured] of the settings file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from operator_console.providers.shared.chat_options import EndpointOptions


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
    """Options of a structured session.

    Attributes:
        service: AUTO if the name of the model tells it.
        base_url: The address of the service; "" for its usual one, or that in its environment variable.
        json_mode: How the form of answers is asked for.
        elements: Where elements are taken from.
        max_elements: The number of elements that get a number, and of further texts that are listed.
        images: Whether pictures are sent. Without them the model gets the list of elements only.
        max_pixels: The largest picture that is sent to a compatible endpoint, in pixels.
        keep_screenshots: The number of newest turns whose pictures and lists of elements are sent.
        keep_turns: The number of turns that are sent in full; older ones become one line each.
        max_output_tokens: Limit for one answer, thoughts included.
        request_timeout_s: Limit for one answer.
    """

    service: ServiceName = ServiceName.AUTO
    base_url: str = ""
    json_mode: JsonMode = JsonMode.SCHEMA
    elements: ElementsFrom = ElementsFrom.AUTO
    max_elements: Annotated[int, Field(ge=1, le=400)] = 120
    images: bool = True
    max_pixels: Annotated[int, Field(ge=10_000, le=16_777_216)] = 2_073_600
    keep_screenshots: Annotated[int, Field(ge=1, le=20)] = 2
    keep_turns: Annotated[int, Field(ge=2, le=1000)] = 10
    max_output_tokens: Annotated[int, Field(ge=256, le=64_000)] = 8192
    request_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 180.0
