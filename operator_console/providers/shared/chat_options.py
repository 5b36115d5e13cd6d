"""Options that several dialects have in common, and those of all models at endpoints with OpenAI's chat completions."""

from __future__ import annotations

import json
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

from operator_console.domain.api_keys import key_references, names_key

KeptTurns = Annotated[
    int,
    Field(
        ge=2,
        le=1000,
        title="Turns kept in full",
        description="how many turns are sent word for word, 2 to 1000; older ones become one line each",
    ),
]
KeptPictures = Annotated[
    int,
    Field(
        ge=1,
        le=100,
        title="Pictures kept",
        description="how many turns keep their pictures in a request, and how many pictures it has at most, 1 to 100",
    ),
]
LongestAnswer = Annotated[
    int, Field(ge=64, le=131_072, title="Longest answer, tokens", description="limit for one answer")
]

_OWN_FIELDS = frozenset(("model", "messages", "stream", "stream_options"))


def _from_text(value: object) -> object:
    """The object that a text says in JSON, as the window has it; "" is the empty one."""
    return (json.loads(value) if value.strip() else {}) if isinstance(value, str) else value


class EndpointOptions(BaseModel):
    """What a request to an endpoint has besides what the dialect says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stream: bool = Field(
        False,
        title="Answers in pieces",
        description="whether answers are asked for in pieces, for services that give none else",
    )
    extra_body: Annotated[dict[str, JsonValue], BeforeValidator(_from_text)] = Field(
        default_factory=dict,
        title="Further fields, JSON",
        description="further fields of each request, such as `{ enable_thinking = false }`",
    )
    extra_headers: Annotated[dict[str, str], BeforeValidator(_from_text)] = Field(
        default_factory=dict,
        title="Further headers, JSON",
        description=(
            "further headers; a value may name an environment variable as `${NAME}`, and keys are given only so"
        ),
    )

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

    The largest picture must not be more than the endpoint's image processor takes.
    """

    base_url: str = Field("", description="the endpoint's address; empty: that in its environment variable")
    temperature: float = Field(0.0, ge=0, le=2, description="how much chance there is in answers, 0 to 2")
    max_tokens: LongestAnswer = 2048
    keep_screenshots: KeptPictures = 5
    keep_turns: KeptTurns = 20
    max_pixels: int = Field(
        0,
        ge=0,
        le=16_777_216,
        json_schema_extra={"zero": "Default"},
        title="Largest picture, pixels",
        description=(
            "the largest picture that is sent; 0: the default of the model; never more than the endpoint's own limit"
        ),
    )
    min_pixels: int = Field(
        3136,
        ge=1,
        le=1_000_000,
        title="Smallest picture, pixels",
        description="the smallest picture that the endpoint does not enlarge",
    )
    request_timeout_s: float = Field(
        180.0, gt=0, le=3600, title="Answer within, seconds", description="how many seconds one answer may take"
    )
