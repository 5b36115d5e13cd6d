"""Values of the model settings: profiles, the providers they are made of, their options, and what a check found.

Free of Qt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderChoice:
    """A provider to choose for a profile.

    Attributes:
        takes_key: whether a key can be given; needs_key: whether one must.
        key_source: where the provider's own key is from ("GEMINI_API_KEY in the environment"); "" if there is none.
        has_endpoint: whether it is a service, so that its address can be another one.
        needs_endpoint: whether it works only with an address, here or in its settings.
        options: its options as a JSON schema.
        values: those that hold without a profile, by the settings or by default.
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
    options: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProfile:
    """A profile as it is edited.

    Attributes:
        values: as in the settings file; what it leaves out is as without a profile.
        own_key: whether the keyring has a key for this profile alone.
        problem: why it cannot be used, as sentences; "" if it can.
    """

    name: str
    values: Mapping[str, Any]
    own_key: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """All profiles, the providers that can be chosen, and the values of a profile as a JSON schema."""

    profiles: tuple[ModelProfile, ...]
    providers: tuple[ProviderChoice, ...]
    schema: Mapping[str, Any]


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
