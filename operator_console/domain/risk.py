"""Risk classes, categories and autonomy levels (design §4, "Risk classes"). Closed sets, nothing else."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class RiskClass(IntEnum):
    """C0 looks only ... C4 always asked. Ordered: a higher one never becomes a lower one by adding a reason."""

    C0 = 0
    C1 = 1
    C2 = 2
    C3 = 3
    C4 = 4

    @property
    def word(self) -> str:
        """The word shown beside the colour."""
        return ("none", "low", "medium", "high", "critical")[self.value]


class Category(StrEnum):
    """What a C3 or C4 action would do."""

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
