"""Values of the model settings: profiles, the providers they are made of, their options, and what a check found.

Free of Qt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from operator_console.domain.prices import Price

OptionValue: TypeAlias = bool | int | float | str | tuple[str, ...] | None


class OptionKind(StrEnum):
    """How an option is edited."""

    FLAG = "flag"
    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    CHOICE = "choice"
    CHOICES = "choices"
    WORDS = "words"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionField:
    """One option of a provider.

    Attributes:
        name: as in the settings file.
        title: for people ("Keep screenshots").
        help: what it means, in sentences; may be "".
        value: what holds without a profile: that of the provider's section, or its default.
        choices: the values of CHOICE and CHOICES.
        least, most: bounds of INTEGER and NUMBER; None: none.
        zero: what the value 0 means, in a word ("Default"); "": it is a number as the others.
        optional: whether None is allowed.
        common: whether it is about thinking or pictures, and shown first.
    """

    name: str
    title: str
    kind: OptionKind
    value: OptionValue
    help: str = ""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    zero: str = ""
    optional: bool = False
    common: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderChoice:
    """A provider to choose for a profile.

    Attributes:
        takes_key: whether a key can be given; needs_key: whether one must.
        key_source: where the provider's own key is from ("GEMINI_API_KEY in the environment"); "" if there is none.
        has_endpoint: whether it is a service, so that its address can be another one.
        needs_endpoint: whether it works only with an address, here or in its settings.
        options: what can be edited; others that its settings have stay as they are.
    """

    name: str
    title: str
    models: tuple[str, ...] = ()
    default_model: str = ""
    takes_key: bool = False
    needs_key: bool = False
    key_source: str = ""
    has_endpoint: bool = True
    needs_endpoint: bool = False
    options: tuple[OptionField, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProfile:
    """A profile as it is edited. Empty texts and None: as without a profile.

    Attributes:
        options: those that differ from the provider's.
        own_key: whether the keyring has a key for this profile alone.
        problem: why it cannot be used, as sentences; "" if it can.
    """

    name: str
    provider: str
    model: str = ""
    base_url: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    max_steps: int | None = None
    max_minutes: float | None = None
    max_cost: Decimal | None = None
    price: Price | None = None
    own_key: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """All profiles, and the providers that can be chosen."""

    profiles: tuple[ModelProfile, ...]
    providers: tuple[ProviderChoice, ...]


class CheckOutcome(StrEnum):
    """What came back when a model was checked."""

    WORKS = "works"
    DOUBTFUL = "doubtful"
    KEY_MISSING = "key_missing"
    KEY_REFUSED = "key_refused"
    MODEL_UNKNOWN = "model_unknown"
    NO_ADDRESS = "no_address"
    UNREACHABLE = "unreachable"
    OTHER_DIALECT = "other_dialect"
    UNUSABLE = "unusable"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    NOT_SENT = "not_sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What came back.

    Attributes:
        said: what the service or the program said, in sentences.
        remedy: what to do, where the outcome alone does not tell.
        seconds: how long the answers took; 0 where there was none.
    """

    outcome: CheckOutcome
    said: str
    remedy: str = ""
    seconds: float = 0.0
