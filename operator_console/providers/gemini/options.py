"""Options of Gemini sessions: the section [gemini] of the settings file, and what the model's id decides."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

# These speak the older vocabulary and know neither the desktop environment nor the newer options.
_LEGACY_MODELS = frozenset(
    {"gemini-2.5-computer-use-preview-10-2025", "gemini-3-flash-preview", "gemini-3.1-pro-preview"}
)


class GeminiEnvironment(StrEnum):
    """What the model is told it works on; it decides the set of predefined actions."""

    DESKTOP = "desktop"
    BROWSER = "browser"


class SafetyPolicy(StrEnum):
    """Categories that the service asks about by itself."""

    FINANCIAL_TRANSACTIONS = "FINANCIAL_TRANSACTIONS"
    SENSITIVE_DATA_MODIFICATION = "SENSITIVE_DATA_MODIFICATION"
    COMMUNICATION_TOOL = "COMMUNICATION_TOOL"
    ACCOUNT_CREATION = "ACCOUNT_CREATION"
    DATA_MODIFICATION = "DATA_MODIFICATION"
    USER_CONSENT_MANAGEMENT = "USER_CONSENT_MANAGEMENT"
    LEGAL_TERMS_AND_AGREEMENTS = "LEGAL_TERMS_AND_AGREEMENTS"


class ThinkingLevel(StrEnum):
    """How much the model thinks before it answers."""

    UNSET = ""
    MINIMAL = "MINIMAL"
    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"
    XHIGH = "XHIGH"


class GeminiOptions(BaseModel):
    """Options of a Gemini session.

    Attributes:
        environment: desktop or browser; models that know no desktop are given browser.
        excluded_functions: predefined actions that the model must not have.
        detect_prompt_injection: let the service look for hostile instructions in the picture, where the model can.
        disabled_safety_policies: categories for which the service no longer asks.
        keep_screenshots: how many turns keep their pictures in a request.
        keep_turns: how many turns are replayed word for word; older ones become one line each.
        include_thoughts: show the model's thinking.
        thinking_level: "" leaves it to the service.
        request_timeout_s: how long one answer may take.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    environment: GeminiEnvironment = GeminiEnvironment.DESKTOP
    excluded_functions: tuple[str, ...] = ()
    detect_prompt_injection: bool = True
    disabled_safety_policies: tuple[SafetyPolicy, ...] = ()
    keep_screenshots: Annotated[int, Field(ge=1, le=100)] = 3
    keep_turns: Annotated[int, Field(ge=2, le=1000)] = 20
    include_thoughts: bool = True
    thinking_level: ThinkingLevel = ThinkingLevel.UNSET
    request_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 180.0


def is_legacy(model: str) -> bool:
    """Whether the model knows only the browser environment and none of the newer options."""
    return model.removeprefix("models/") in _LEGACY_MODELS
