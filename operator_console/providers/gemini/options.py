"""Options of Gemini sessions: the section [gemini] of the settings file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

# These use the older set of actions and support neither the desktop environment nor the newer options.
_LEGACY_MODELS = frozenset(
    {"gemini-2.5-computer-use-preview-10-2025", "gemini-3-flash-preview", "gemini-3.1-pro-preview"}
)


class GeminiEnvironment(StrEnum):
    """What the model is told it controls, which selects its predefined actions."""

    DESKTOP = "desktop"
    BROWSER = "browser"


class SafetyPolicy(StrEnum):
    """Categories of actions for which the service requires a confirmation."""

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
        environment: Models without support for the desktop, and all models in a managed browser, get BROWSER.
        excluded_functions: Predefined actions that are not offered to the model.
        detect_prompt_injection: Whether the service looks for hostile instructions in pictures, if the model can.
        disabled_safety_policies: Categories for which the service does not require a confirmation.
        keep_screenshots: The number of turns whose pictures are sent again.
        keep_turns: The number of turns that are sent again in full; older ones become one line each.
        include_thoughts: Whether to request the model's thoughts.
        thinking_level: UNSET for the default of the service.
        request_timeout_s: Limit for one answer.
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
    """Whether the model supports only the browser environment and none of the newer options."""
    return model.removeprefix("models/") in _LEGACY_MODELS
