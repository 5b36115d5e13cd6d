"""Risk classes, categories and autonomy levels, as resources/help/safety.md states them."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class RiskClass(IntEnum):
    """From C0 (only looks) to C4 (always asked), in increasing order of risk."""

    C0 = 0
    C1 = 1
    C2 = 2
    C3 = 3
    C4 = 4


class Category(StrEnum):
    """The kind of effect of a C3 or C4 action."""

    SEND = "send"
    POST = "post"
    DELETE = "delete"
    TERMINAL = "terminal"
    INSTALL = "install"
    DOWNLOAD_RUN = "download-run"
    UPLOAD = "upload"
    LOGIN = "login"
    PERSONAL_DATA = "personal-data"
    SYSTEM = "system"
    UNKNOWN = "unknown"
    """It could act, and what it would do is not known."""
    PAY = "pay"
    CREDENTIALS = "credentials"
    SECURITY = "security"
    LEGAL = "legal"

    @property
    def risk(self) -> RiskClass:
        """C4 for the last four, C3 for the others."""
        return RiskClass.C4 if self in ALWAYS_ASKED else RiskClass.C3


ALWAYS_ASKED = frozenset((Category.PAY, Category.CREDENTIALS, Category.SECURITY, Category.LEGAL))


class Autonomy(StrEnum):
    """How much runs without asking."""

    OBSERVE = "observe"
    STEP = "step"
    GUARDED = "guarded"
    AUTO = "auto"
    HOLD = "hold"
    """As guarded, while a key or the window's button is held."""
