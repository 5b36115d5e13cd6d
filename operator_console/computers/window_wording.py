"""How messages name a window, and the error for a window that is not visible."""

from __future__ import annotations

from operator_console.desktop.values import Window, WindowState
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason


def require_shown(window: Window | None, title: str) -> Window:
    """The window, if it is visible. Raises ComputerUnavailable with the reason if not."""
    name = quoted(title)
    if window is None:
        raise ComputerUnavailable(
            f"{name} is gone.",
            reason=UnavailableReason.GONE,
            detail="The window was closed.",
            remedy="Open it again and choose it as the target; `operator-console targets` lists the windows.",
        )
    match window.state:
        case WindowState.SHOWN:
            return window
        case WindowState.MINIMISED:
            raise ComputerUnavailable(
                f"{name} is minimised.",
                reason=UnavailableReason.MINIMISED,
                remedy="Restore it from the task bar, then resume.",
            )
        case WindowState.OTHER_DESKTOP:
            raise ComputerUnavailable(
                f"{name} is on another virtual desktop.",
                reason=UnavailableReason.HIDDEN,
                remedy="Switch to its desktop, or move the window to this one, then resume.",
            )
        case WindowState.HIDDEN:
            raise ComputerUnavailable(
                f"{name} is hidden.",
                reason=UnavailableReason.HIDDEN,
                detail="Its application has hidden it.",
                remedy="Show it again, then resume.",
            )


def quoted(title: str) -> str:
    """A window title in quotation marks."""
    return f"“{title}”" if title else "The window"


def named(window: Window | None) -> str:
    """A window's title and application."""
    if window is None:
        return "no window"
    if not window.title:
        return window.app or f"window {window.window_id:#x}"
    return quoted(window.title) + (f" ({window.app})" if window.app else "")
