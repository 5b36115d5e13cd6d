"""Options that all models at endpoints with OpenAI's chat completions have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class ChatOptions(BaseModel):
    """Options of a session with a model at an endpoint.

    Attributes:
        base_url: The endpoint's address, which usually ends in /v1; "" for that in the environment variable.
        temperature: How much chance there is in answers.
        max_tokens: Limit for one answer, thoughts included.
        keep_screenshots: The number of newest turns whose pictures are sent.
        keep_turns: The number of turns that are sent in full; older ones become one line each.
        max_pixels: The largest picture that is sent, in pixels; 0 for the default of the model. It must not be more
            than the endpoint's image processor takes.
        min_pixels: The smallest number of pixels in the endpoint's image processor.
        request_timeout_s: Limit for one answer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str = ""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    max_tokens: Annotated[int, Field(ge=64, le=131_072)] = 2048
    keep_screenshots: Annotated[int, Field(ge=1, le=100)] = 5
    keep_turns: Annotated[int, Field(ge=2, le=1000)] = 20
    max_pixels: Annotated[int, Field(ge=0, le=16_777_216, json_schema_extra={"zero": "Default"})] = 0
    min_pixels: Annotated[int, Field(ge=1, le=1_000_000)] = 3136
    request_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 180.0
