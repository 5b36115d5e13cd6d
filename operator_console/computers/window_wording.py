"""How messages name a window, and the error for a window that is not visible."""

from __future__ import annotations

from operator_console.desktop.values import Window, WindowState
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode


def require_shown(window: Window | None, title: str) -> Window:
    """The window, if it is visible. Raises ComputerUnavailable with the reason if not."""
    name = quoted(title)
    if window is None:
        raise ComputerUnavailable(
            notice(NoticeCode.WINDOW_GONE, window=name),
            reason=UnavailableReason.GONE,
            detail=notice(NoticeCode.WINDOW_WAS_CLOSED),
            remedy=notice(NoticeCode.OPEN_AND_CHOOSE_WINDOW),
        )
    match window.state:
        case WindowState.SHOWN:
            return window
        case WindowState.MINIMISED:
            raise ComputerUnavailable(
                notice(NoticeCode.WINDOW_MINIMISED, window=name),
                reason=UnavailableReason.MINIMISED,
                remedy=notice(NoticeCode.RESTORE_WINDOW),
            )
        case WindowState.OTHER_DESKTOP:
            raise ComputerUnavailable(
                notice(NoticeCode.WINDOW_ON_OTHER_DESKTOP, window=name),
                reason=UnavailableReason.HIDDEN,
                remedy=notice(NoticeCode.SWITCH_DESKTOP),
            )
        case WindowState.HIDDEN:
            raise ComputerUnavailable(
                notice(NoticeCode.WINDOW_HIDDEN, window=name),
                reason=UnavailableReason.HIDDEN,
                detail=notice(NoticeCode.HIDDEN_BY_APPLICATION),
                remedy=notice(NoticeCode.SHOW_WINDOW),
            )


def quoted(title: str) -> str:
    """A window title in quotation marks."""
    return f"“{title}”" if title else notice(NoticeCode.THE_WINDOW)


def named(window: Window | None) -> str:
    """A window's title and application."""
    if window is None:
        return notice(NoticeCode.NO_WINDOW)
    if not window.title:
        return window.app or notice(NoticeCode.WINDOW_BY_ID, id=f"{window.window_id:#x}")
    return quoted(window.title) + (f" ({window.app})" if window.app else "")
