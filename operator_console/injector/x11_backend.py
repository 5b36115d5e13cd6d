"""Carries out grants on an X11 display: opens the connections and chooses what performs an action.

Every check is made before the first event, and repeated while the screen may change during the action.
Three connections send or map input: python-xlib's for queries and the keyboard map, one for XTEST, and pyautogui's.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from Xlib.display import Display as XlibDisplay
from Xlib.error import ConnectionClosedError

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.x11.accessx import AccessX
from operator_console.desktop.x11.display import Display
from operator_console.domain.actions import (
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
    UseElement,
)
from operator_console.domain.errors import RejectedReason
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.accessibility.accessibility_bus import AccessibilityBus
from operator_console.injector.accessibility.element_actions import ElementActions
from operator_console.injector.action_errors import Refused
from operator_console.injector.action_limits import check_limits
from operator_console.injector.input_method.client import InputMethod
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.key_actions import KeyActions
from operator_console.injector.keyboard.typist import Typist
from operator_console.injector.keyboard.viewer_keys import ViewerKeys
from operator_console.injector.pointer import PointerActions
from operator_console.injector.progress import Progress
from operator_console.injector.target_check import TargetCheck
from operator_console.injector.xtest_connection import XTestConnection


class X11Backend:
    """Acts on the display that DISPLAY names.

    Args:
        ledger: shared with the guard.
        ledger_fd: its descriptor, inherited by the input method's process.
        own: the console's windows, which are never acted on.
        guard_alive: whether the guard's end of the pipe is still open.
        accessibility: the only accessibility bus to use; "" for that of the display or the session.
    """

    def __init__(
        self, ledger: Ledger, ledger_fd: int, own: OwnWindows, guard_alive: Callable[[], bool], accessibility: str = ""
    ) -> None:
        pyautogui = _import_pyautogui()
        from pyautogui import _pyautogui_x11

        queries, keys = XlibDisplay(), XlibDisplay()
        _mark_connections(ledger, keys, _pyautogui_x11._display, queries)
        self._sender = InputSender(queries, XTestConnection(keys), pyautogui, ledger, guard_alive, AccessX(queries))
        self._input_method = InputMethod(self._sender, ledger_fd)
        self._input_method.start()
        self._typist = Typist(queries, self._sender, ledger)
        display = Display()
        self._target_check = TargetCheck(display, own, lambda: bool(ledger.keys))
        self._elements = ElementActions(self._sender, self._target_check, own, AccessibilityBus(display, accessibility))
        self._viewer_keys = ViewerKeys()
        self._pointer_actions = PointerActions(self._sender, self._typist, self._target_check)
        self._key_actions = KeyActions(
            self._sender, self._typist, self._target_check, self._pointer_actions, self._input_method
        )

    def perform(self, grant: Grant, progress: Progress) -> None:
        """Carry out an admitted grant. Raises ActionError."""
        self._sender.begin(grant.epoch, self._target_check.corners())
        self._sender.check()
        with self._sender.exact_keys():
            self._perform(grant, progress)

    def _perform(self, grant: Grant, progress: Progress) -> None:
        action = grant.action
        self._viewer_keys.check(grant, holds_keys=self._sender.holds_keys)
        self._key_actions.release_clipboard()
        match action:
            case Move() | Click() | Press() | Release() | Drag() | Scroll():
                check_limits(action)
                self._pointer_actions.perform(grant, action, progress)
            case TypeText() | Chord() | KeyDown() | KeyUp() | HoldKeys():
                check_limits(action)
                self._key_actions.perform(grant, action, progress)
            case UseElement():
                self._elements.perform(grant, action, progress)
            case _:
                raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ACTION_UNSUPPORTED, kind=action.kind))

    def pointer(self) -> tuple[int, int]:
        """The pointer's position, input units."""
        return self._sender.position()

    def look_at_held(self) -> None:
        """Release held keys if the keyboard focus has moved since they were pressed."""
        self._key_actions.look_at_held()

    def release_all(self) -> int:
        """Release every key and button that is held. Returns their number."""
        return self._sender.release_all()

    def close(self) -> None:
        """Release what is held, unmap the spare keycodes and restore the input method, if the display still answers."""
        try:
            self._sender.release_all()
            self._typist.close()
            self._elements.close()
            self._target_check.close()
        except (ConnectionClosedError, OSError) as error:
            sys.stderr.write(f"injector: the display is gone: {error}\n")
        finally:
            self._input_method.close()


def _mark_connections(ledger: Ledger, *connections: Any) -> None:
    """Create a window on each connection. It exists as long as the connection, so once it is gone, the server has
    processed everything that was sent on it; the guard waits for that after it has killed this process."""
    for word, connection in zip((Word.MARK_1, Word.MARK_2, Word.MARK_3), connections, strict=True):
        mark = connection.screen().root.create_window(-10, -10, 1, 1, 0, 0)
        connection.sync()
        ledger.set(word, mark.id)


def _import_pyautogui() -> Any:
    """Import pyautogui without mouseinfo (it ends the process if tkinter is missing), and without pyscreeze and
    pymsgbox, which are not used here and take half of its import time."""
    sys.modules.setdefault("mouseinfo", types.ModuleType("mouseinfo"))
    for name in ("pyscreeze", "pymsgbox"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]
    import pyautogui

    return pyautogui
