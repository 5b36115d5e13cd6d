"""Opening a connection to an X server for the guard, with a sentence where that fails. Used by its modules only."""

from __future__ import annotations

from typing import Any

from operator_console.domain.errors import OperatorError


def open_display(name: str) -> Any:
    """A python-xlib Display of its own. Raises OperatorError where there is none."""
    from Xlib.display import Display
    from Xlib.error import DisplayError, XError

    try:
        return Display(name)
    except (DisplayError, XError, OSError) as error:
        raise OperatorError(
            f"The display {name} cannot be opened" if name else "There is no display",
            detail=str(error) or "No X server answers there, or it does not let this user in.",
            remedy="Start from a desktop session, set DISPLAY, or use the isolated desktop: --target virtual.",
        ) from error
