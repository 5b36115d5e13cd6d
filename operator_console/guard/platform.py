"""The platform backend of the guard: the listener, the lock on a display, the release of held input.

Backends are chosen here and imported when they are used; no other module of the guard names a platform. X11 is the only
backend so far.
"""

from __future__ import annotations

import sys

from operator_console.desktop.ledger import Ledger
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.guard import latch
from operator_console.guard.hotkey_matching import Hotkeys
from operator_console.guard.protocols import ListenerCalls, LockedDisplay, StopListener


def open_listener(display: str, hotkeys: Hotkeys, calls: ListenerCalls) -> StopListener:
    """Listen on a display, or without one on NO_DISPLAY. Raises OperatorError if that is impossible."""
    if display == NO_DISPLAY:
        from operator_console.guard.without_display import ListenerWithoutDisplay

        return ListenerWithoutDisplay(calls)
    _require_x11()
    from operator_console.guard.x11.display import refuse_xwayland
    from operator_console.guard.x11.listener import X11Listener

    refuse_xwayland(display)
    return X11Listener(display, hotkeys, calls)


def lock_display(display: str) -> LockedDisplay | None:
    """Lock a display against consoles of any user and any run folder; None if another console holds it.

    Raises OperatorError if it cannot be opened.
    """
    _require_x11()
    from operator_console.guard.x11.display import X11LockedDisplay

    return X11LockedDisplay.take(display)


def release_left(display: str, ledger: Ledger) -> None:
    """Release what a dead guard's ledger lists. Raises OperatorError if the display cannot be opened."""
    _require_x11()
    from operator_console.guard.x11.display import release_left

    release_left(display, ledger)


def environment_on(display: str) -> dict[str, str]:
    """The environment of a guard or an injector that uses this display; with "" or NO_DISPLAY it knows none."""
    environment = latch.child_environment()
    environment.pop("DISPLAY", None)
    return environment if display in {"", NO_DISPLAY} else {**environment, "DISPLAY": display}


def _require_x11() -> None:
    if sys.platform in {"win32", "darwin"}:
        raise OperatorError(
            notice(NoticeCode.STOP_NOT_HEARD_ON_SYSTEM),
            detail=notice(NoticeCode.NO_LISTENER_FOR_SYSTEM, system=sys.platform),
            remedy=notice(NoticeCode.USE_LINUX_WITH_X),
        )
