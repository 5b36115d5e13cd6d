"""Finds the display of the desktop session in which the program runs."""

from __future__ import annotations

import os

from operator_console.domain.display_names import NO_DISPLAY, display_of_person, in_wayland_session
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason


def find_display() -> str:
    """The display of this session; NO_DISPLAY in a Wayland session. Raises ComputerUnavailable if there is none."""
    display = display_of_person(os.environ)
    if display != NO_DISPLAY or in_wayland_session(os.environ):
        return display
    # Imported late: the window's first picture needs none of it.
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    raise ComputerUnavailable(
        notice(NoticeCode.NO_DISPLAY),
        reason=UnavailableReason.NO_DISPLAY,
        detail=notice(NoticeCode.DISPLAY_VARIABLE_UNSET),
        remedy=notice(NoticeCode.START_IN_GRAPHICAL_SESSION),
    )
