"""Options of Gemini sessions: the section [gemini] of the settings file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from operator_console.providers.shared.chat_options import KeptTurns

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


class Cloud(StrEnum):
    """Who serves the model."""

    UNSET = ""
    VERTEX = "vertex"


class GeminiOptions(BaseModel):
    """Options of a Gemini session."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cloud: Cloud = Field(
        Cloud.UNSET,
        description='`"vertex"`: the [cloud](models.md#clouds) that serves the model; empty: the Gemini API',
    )
    project: str = Field("", description="the Google Cloud project; empty: that of the credentials")
    region: str = Field("global", title="Cloud region", description="the region of Vertex AI")
    environment: GeminiEnvironment = Field(
        GeminiEnvironment.DESKTOP,
        description=(
            '`"desktop"` or `"browser"`: what the model is told it works on; older models, and all in a '
            '[managed browser](browser.md), get `"browser"`'
        ),
    )
    excluded_functions: tuple[str, ...] = Field((), description="predefined actions that the model does not get")
    detect_prompt_injection: bool = Field(
        True, description="let the service look for hostile instructions in the picture, where the model can"
    )
    disabled_safety_policies: tuple[SafetyPolicy, ...] = Field(
        (), description="categories for which the service no longer asks"
    )
    keep_screenshots: int = Field(
        3, ge=1, le=100, title="Pictures kept", description="how many turns keep their pictures in a request, 1 to 100"
    )
    keep_turns: KeptTurns = 20
    include_thoughts: bool = Field(True, title="Show the thinking", description="show the model's thinking")
    thinking_level: ThinkingLevel = Field(
        ThinkingLevel.UNSET,
        description='`"MINIMAL"`, `"LOW"`, `"MEDIUM"`, `"HIGH"` or `"XHIGH"`; empty leaves it to the service',
    )
    request_timeout_s: float = Field(
        180.0, gt=0, le=3600, title="Answer within, seconds", description="how many seconds one answer may take"
    )


def is_legacy(model: str) -> bool:
    """Whether the model supports only the browser environment and none of the newer options."""
    return model.removeprefix("models/") in _LEGACY_MODELS
