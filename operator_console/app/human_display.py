"""Finds the display of the desktop session in which the program runs."""

from __future__ import annotations

import os

from operator_console.domain.errors import ComputerUnavailable, UnavailableReason


def find_display() -> str:
    """The display of this session. Raises ComputerUnavailable if there is none."""
    display = os.environ.get("DISPLAY", "")
    if display:
        return display
    # Imported late: the window's first picture needs none of it.
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    if os.environ.get("WAYLAND_DISPLAY"):
        detail, remedy = NoticeCode.WAYLAND_WITHOUT_XWAYLAND, NoticeCode.LOG_IN_TO_X11
    else:
        detail, remedy = NoticeCode.DISPLAY_VARIABLE_UNSET, NoticeCode.START_IN_GRAPHICAL_SESSION
    raise ComputerUnavailable(
        notice(NoticeCode.NO_DISPLAY),
        reason=UnavailableReason.NO_DISPLAY,
        detail=notice(detail),
        remedy=notice(remedy),
    )
