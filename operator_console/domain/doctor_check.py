"""One line of the report of `doctor`, which each package makes for what it needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorCheck:
    """One line of `doctor`: what was checked, whether it works, what to do."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
