"""Windows in messages: their names, and why one cannot be seen."""

from __future__ import annotations

from operator_console.desktop.values import Window, WindowState
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason


def require_shown(window: Window | None, title: str) -> Window:
    """The window where it can be seen; raises ComputerUnavailable with the reason in words where not."""
    name = quoted(title)
    if window is None:
        raise ComputerUnavailable(
            f"{name} is gone.",
            reason=UnavailableReason.GONE,
            detail="The window was closed.",
            remedy="Open it again and choose it anew; `operator-console targets` lists what is there.",
        )
    match window.state:
        case WindowState.SHOWN:
            return window
        case WindowState.MINIMISED:
            raise ComputerUnavailable(
                f"{name} is minimised.",
                reason=UnavailableReason.MINIMISED,
                remedy="Restore it from the task bar, then go on.",
            )
        case WindowState.OTHER_DESKTOP:
            raise ComputerUnavailable(
                f"{name} is on another virtual desktop.",
                reason=UnavailableReason.HIDDEN,
                remedy="Switch to its desktop, or bring the window here, then go on.",
            )
        case WindowState.HIDDEN:
            raise ComputerUnavailable(
                f"{name} is hidden.",
                reason=UnavailableReason.HIDDEN,
                detail="Its application has taken it off the screen.",
                remedy="Show it again, then go on.",
            )


def quoted(title: str) -> str:
    """A window's title in a sentence."""
    return f"“{title}”" if title else "The window"


def named(window: Window | None) -> str:
    """A window for people: its title and application."""
    if window is None:
        return "no window"
    if not window.title:
        return window.app or f"window {window.window_id:#x}"
    return quoted(window.title) + (f" ({window.app})" if window.app else "")
