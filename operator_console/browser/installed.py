"""Finds the browser that is installed here."""

from __future__ import annotations

import shutil
from pathlib import Path

PROGRAMS = (
    "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge-stable",
)  # fmt: skip
"""Browsers that speak the DevTools protocol, by the names of their programs, in the order in which they are taken."""


def find_browser(program: str = "") -> Path | None:
    """The program, or the first of `PROGRAMS` on PATH; None where there is none."""
    found = (shutil.which(name) for name in ((program,) if program else PROGRAMS))
    return next((Path(path) for path in found if path), None)
