"""Options that all models at endpoints with OpenAI's chat completions have in common."""

from __future__ import annotations

import json
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

from operator_console.domain.api_keys import key_references, names_key

_OWN_FIELDS = frozenset(("model", "messages", "stream", "stream_options"))


def _from_text(value: object) -> object:
    """The object that a text says in JSON, as the window has it; "" is the empty one."""
    return (json.loads(value) if value.strip() else {}) if isinstance(value, str) else value


class EndpointOptions(BaseModel):
    """What a request to an endpoint has besides what the dialect says.

    Attributes:
        stream: Whether the answer is asked for in pieces, for services that give none else.
        extra_body: Further fields of the request's body, such as {"enable_thinking": false}.
        extra_headers: Further headers, such as {"X-Team": "blue"}. Values may name environment variables as ${NAME};
            keys are given only so.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    stream: bool = False
    extra_body: Annotated[dict[str, JsonValue], BeforeValidator(_from_text)] = Field(default_factory=dict)
    extra_headers: Annotated[dict[str, str], BeforeValidator(_from_text)] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _extras(self) -> Self:
        if own := _OWN_FIELDS.intersection(self.extra_body):
            raise ValueError(f"extra_body: {min(own)} is not set there")
        for name, value in self.extra_headers.items():
            if names_key(name) and value and not key_references(value):
                raise ValueError(f"extra_headers: write the value of {name} as ${{NAME}}, set in the environment")
            if not name.isascii() or not name or any(char.isspace() or char == ":" for char in name):
                raise ValueError(f"extra_headers: {name!r} is not the name of a header")
            if not value.isascii() or not (value.isprintable() or not value):
                raise ValueError(f"extra_headers: the value of {name} cannot be sent")
        return self


class ChatOptions(EndpointOptions):
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

    base_url: str = ""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    max_tokens: Annotated[int, Field(ge=64, le=131_072)] = 2048
    keep_screenshots: Annotated[int, Field(ge=1, le=100)] = 5
    keep_turns: Annotated[int, Field(ge=2, le=1000)] = 20
    max_pixels: Annotated[int, Field(ge=0, le=16_777_216, json_schema_extra={"zero": "Default"})] = 0
    min_pixels: Annotated[int, Field(ge=1, le=1_000_000)] = 3136
    request_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 180.0
