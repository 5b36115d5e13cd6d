"""Model profiles: a provider and a model under a name, with an endpoint, options, limits and a price of their own.

A profile's key is not in the file; see `api_keys`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, PlainSerializer, ValidationError, WithJsonSchema, model_validator

from operator_console.domain.prices import Price
from operator_console.domain.session_request import MOST_OF_A_LIMIT
from operator_console.settings.section import Section, check_address

MAX_NAME = 40
_NAME = re.compile(r"\w(?:[\w .+()-]*[\w+)])?")
_KEY_NAMES = re.compile(r"(?:^|[-_])(?:key|token|secret|password|credentials)$", re.IGNORECASE)


def check_profile_name(name: str) -> str:
    """The name. Raises ValueError, with a message for people, if a profile cannot have it."""
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise ValueError(
            f"name a profile in letters, digits, spaces and . + - _ ( ), beginning with a letter or digit, "
            f"at most {MAX_NAME} characters"
        )
    return name


def _number(amount: Decimal) -> float:
    return float(amount)


# In the file an amount is a number, not a text.
_Money = Annotated[
    Decimal,
    Field(ge=0, lt=1_000_000_000),
    PlainSerializer(_number, when_used="json"),
    WithJsonSchema({"type": "number", "format": "decimal"}),
]
_AS_SET_UP = "As in the set-up"
ProfileName = Annotated[str, AfterValidator(check_profile_name)]


class ProfilePrice(Section):
    """What a million tokens cost, as `domain.prices.Price`. `spoken` and `unset` are words of the window's form."""

    input: _Money = Field(
        title="Input tokens", json_schema_extra={"spoken": "Price of input tokens", "unset": "Unknown"}
    )
    output: _Money = Field(
        title="Output tokens", json_schema_extra={"spoken": "Price of output tokens", "unset": "Unknown"}
    )
    cached: _Money | None = Field(
        None,
        title="Cached input tokens",
        json_schema_extra={"spoken": "Price of cached input tokens", "unset": "As input tokens"},
    )
    cache_write: _Money | None = Field(
        None,
        title="Cache write tokens",
        json_schema_extra={"spoken": "Price of cache write tokens", "unset": "1.25 × input tokens"},
    )
    currency: str = Field("USD", pattern=r"^[^\s\d]{1,8}$", json_schema_extra={"unset": "USD"})

    def as_price(self) -> Price:
        """The price."""
        return Price(**{name: getattr(self, name) for name in type(self).model_fields})


class Profile(Section):
    """A profile. What it leaves out is as without a profile."""

    provider: str = Field(min_length=1, description="the provider; the only value that a profile must have")
    model: str = Field("", description="empty: the provider's default")
    base_url: str = Field("", description="the endpoint's address; empty: that of the provider")
    options: dict[str, Any] = Field(
        default_factory=dict,
        description="options of the provider, as in its section below; others are as in that section",
    )
    max_steps: int | None = Field(
        None,
        ge=1,
        le=MOST_OF_A_LIMIT,
        title="Steps",
        json_schema_extra={"unset": _AS_SET_UP},
        description="steps before the console asks whether to continue; without it as always",
    )
    max_minutes: float | None = Field(
        None,
        gt=0,
        le=MOST_OF_A_LIMIT,
        title="Minutes of work",
        json_schema_extra={"unset": _AS_SET_UP},
        description="minutes of work before it asks",
    )
    max_cost: _Money | None = Field(
        None,
        gt=0,
        title="Cost",
        json_schema_extra={"unset": "No limit"},
        description="cost before it asks, in the currency of `price`",
    )
    price: ProfilePrice | None = Field(
        None,
        description=(
            "what a million tokens cost: `input`, `output`, `cached` (without it as `input`), "
            "`cache_write` (input written to a cache; without it 1.25 times `input`) and `currency` "
            '(`"USD"`)'
        ),
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        # Not validators of the field, whose errors would show the value, and with it a password in an address.
        if self.base_url:
            _check_endpoint(self.base_url)
        if self.max_cost is not None and self.price is None:
            raise ValueError("max_cost needs a price")
        if named := [name for name in self.options if _KEY_NAMES.search(name)]:
            raise ValueError(f"options.{named[0]}: keys are not kept in this file, but in the keyring")
        return self


def _check_endpoint(url: str) -> None:
    try:
        check_address(url)
    except ValueError as error:
        raise ValueError(f"base_url: {error}") from error
    if "?" in url or "#" in url:
        raise ValueError("base_url: the address of an endpoint has no ? and no #")


def profile_options(profile: Profile, model: type[BaseModel], section: BaseModel | None) -> BaseModel:
    """A profile's options, and for the others those of the provider's section. Raises ValidationError.

    Args:
        profile: The profile.
        model: The provider's options model.
        section: The provider's section of the file; None if there is none.
    """
    common: Mapping[str, Any] = section.model_dump(exclude_unset=True) if section is not None else {}
    return model.model_validate({**common, **profile.options})


def option_problems(profile: Profile, model: type[BaseModel], section: BaseModel | None) -> ValidationError | None:
    """Why a profile's options are invalid; None if they are not."""
    try:
        profile_options(profile, model, section)
    except ValidationError as error:
        return error
    return None
