"""Which display is the human's."""

from __future__ import annotations

import os

from operator_console.domain.errors import ComputerUnavailable, UnavailableReason


def find_display() -> str:
    """The display of this session. Raises ComputerUnavailable, with what to do, where there is none."""
    display = os.environ.get("DISPLAY", "")
    if display:
        return display
    if os.environ.get("WAYLAND_DISPLAY"):
        detail = "This is a Wayland session without Xwayland; programs may not see or drive other windows there."
        remedy = "Log in to an X11 session, or work an isolated desktop: operator-console run … --target virtual"
    else:
        detail = "The variable DISPLAY is not set."
        remedy = "Start it in a graphical session, or work an isolated desktop: run … --target virtual"
    raise ComputerUnavailable(
        "There is no display here.", reason=UnavailableReason.NO_DISPLAY, detail=detail, remedy=remedy
    )
