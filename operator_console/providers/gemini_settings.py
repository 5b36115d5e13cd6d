"""What an operator may set about Gemini, and what the model's id decides. Values only; no SDK, no network.

Made by settings and app from the settings file; read by the gemini modules.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.errors import ExitCode, OperatorError

DEFAULT_MODEL = "gemini-3.8-flash"

# These speak the older vocabulary and know neither the desktop environment nor the newer options.
_LEGACY_MODELS = frozenset(
    {"gemini-2.5-computer-use-preview-10-2025", "gemini-3-flash-preview", "gemini-3.1-pro-preview"}
)
KNOWN_MODELS = (
    "gemini-3.8-flash",
    "gemini-3.7-flash",
    "gemini-3.6-flash",
    "gemini-3.5-flash",
    "gemini-3.5-flash-lite",
    "gemini-3-flash-preview",
    "gemini-3.1-pro-preview",
    "gemini-2.5-computer-use-preview-10-2025",
)
SAFETY_POLICIES = (
    "FINANCIAL_TRANSACTIONS",
    "SENSITIVE_DATA_MODIFICATION",
    "COMMUNICATION_TOOL",
    "ACCOUNT_CREATION",
    "DATA_MODIFICATION",
    "USER_CONSENT_MANAGEMENT",
    "LEGAL_TERMS_AND_AGREEMENTS",
)
THINKING_LEVELS = ("", "MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH")


class GeminiEnvironment(StrEnum):
    """What the model is told it works on; it decides the set of predefined actions."""

    DESKTOP = "desktop"
    BROWSER = "browser"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFunction:
    """A function of the operator's own: `parameters_json` is its JSON schema (an object) as text."""

    name: str
    description: str
    parameters_json: str = '{"type": "object", "properties": {}}'


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiSettings:
    """Options of a Gemini session.

    Attributes:
        environment: desktop or browser; models that know no desktop are given browser.
        excluded_functions: predefined actions the model must not have.
        own_functions: further functions; one may replace an excluded predefined action of the same name.
        detect_prompt_injection: let the service look for hostile instructions in the picture, where the model can.
        disabled_safety_policies: categories for which the service no longer asks (`SAFETY_POLICIES`).
        keep_screenshots: how many turns keep their pictures in a request.
        keep_turns: how many turns are replayed word for word; older ones become one line each.
        include_thoughts: show the model's thinking.
        thinking_level: "" leaves it to the service.
        request_timeout_s: how long one answer may take.
    """

    environment: GeminiEnvironment = GeminiEnvironment.DESKTOP
    excluded_functions: tuple[str, ...] = ()
    own_functions: tuple[OwnFunction, ...] = ()
    detect_prompt_injection: bool = True
    disabled_safety_policies: tuple[str, ...] = ()
    keep_screenshots: int = 3
    keep_turns: int = 20
    include_thoughts: bool = True
    thinking_level: str = ""
    request_timeout_s: float = 180.0

    def __post_init__(self) -> None:
        unknown = [name for name in self.disabled_safety_policies if name not in SAFETY_POLICIES]
        if unknown:
            raise _bad(f"Gemini has no safety policy {unknown[0]!r}.", f"Known: {', '.join(SAFETY_POLICIES)}.")
        if self.thinking_level not in THINKING_LEVELS:
            raise _bad(f"Gemini has no thinking level {self.thinking_level!r}.", "Use LOW, MEDIUM or HIGH.")
        if self.keep_screenshots < 1 or self.keep_turns < 2:
            raise _bad("Gemini needs at least one screenshot and two turns.", "Raise keep_screenshots or keep_turns.")


def _bad(detail: str, remedy: str) -> OperatorError:
    title = "The Gemini settings cannot be used."
    return OperatorError(title, detail=detail, remedy=remedy, exit_code=ExitCode.USAGE)


def is_legacy(model: str) -> bool:
    """Whether the model knows only the browser environment and none of the newer options."""
    return model.removeprefix("models/") in _LEGACY_MODELS
