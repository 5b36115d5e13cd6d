"""Lets a person choose a window by pointing at it: the pointer is grabbed, so no application gets the click.

Only the pointer: the keyboard, and with it the stop chord, works as always. The grab belongs to the connection, so it
ends with the process. The window under the pointer is outlined; the console's own windows cannot be chosen.
"""

from __future__ import annotations

import time
from typing import Any

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.stoppable_thread import StoppableThread
from operator_console.desktop.values import Window
from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.layers import WindowLayers
from operator_console.desktop.x11.outline import Overlay
from operator_console.desktop.x11.xcffib_loading import prepare_xcffib
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

GRAB_TIMEOUT_S = 1.0
"""How long the pointer is tried for: the press that began this may still hold it."""

_RETRY_S = 0.02
_ASYNC, _SUCCESS = 1, 0
_PRESS, _RELEASE, _MOTION = 1 << 2, 1 << 3, 1 << 6
_CROSSHAIR = 34
_LEFT = 1
_ESCAPE = 0xFF1B
_RAW_KEY_PRESS, _ALL_MASTER_DEVICES = 1 << 13, 1
_WAIT_S = 1.0


def load_input_events() -> None:
    """Have the next connections understand XInput2's events: xcffib asks for an extension's when it connects."""
    prepare_xcffib()
    import xcffib.xinput  # noqa: F401


class PointingPicker:
    """Fits `protocols.WindowPicker`; one choice. `pick` runs in a thread of its own, which is stopped to cancel it."""

    def __init__(self, display: Display, own: OwnWindows, colour: int) -> None:
        """Takes over the connection, which `load_input_events` came before. `colour`: of the outline, as 0xRRGGBB."""
        self._display = display
        self._layers = WindowLayers(display, own)
        self._overlay = Overlay(display, colour)
        self._moved, self._pressed, self._released, self._cancelled = True, False, False, False
        self._under: Window | None = None
        self._child = -1
        self._escape = 0

    def pick(self, thread: StoppableThread) -> int | None:
        """The id of the window that was clicked; None if it was cancelled (Escape, another button, our own window).

        Raises ComputerUnavailable if another program holds the pointer.
        """
        display = self._display
        unsubscribe = display.subscribe(self._on_event)
        try:
            self._grab(thread)
            self._hear_escape()
            while not (self._pressed or self._cancelled or thread.stopping):
                if self._moved:
                    self._moved = False
                    self._point()
                display.wait(_WAIT_S, also=thread.wake_fd)
            chosen = self._under if self._pressed and not self._cancelled else None
            if self._pressed:  # the release must not reach an application either
                display.wait_until(lambda: self._released or thread.stopping, _WAIT_S)
            return chosen.window_id if chosen is not None else None
        finally:
            unsubscribe()

    def close(self) -> None:
        """Release the pointer, remove the outline and disconnect."""
        self._display.core.UngrabPointer(0)
        self._overlay.close()
        self._layers.close()
        self._display.sync()
        self._display.close()

    def _grab(self, thread: StoppableThread) -> None:
        display, core = self._display, self._display.core
        font, cursor = int(display.connection.generate_id()), int(display.connection.generate_id())
        core.OpenFont(font, len("cursor"), "cursor")
        core.CreateGlyphCursor(cursor, font, font, _CROSSHAIR, _CROSSHAIR + 1, 0, 0, 0, 0xFFFF, 0xFFFF, 0xFFFF)
        core.CloseFont(font)
        deadline = time.monotonic() + GRAB_TIMEOUT_S
        while True:
            asked = core.GrabPointer(False, display.root, _PRESS | _RELEASE | _MOTION, _ASYNC, _ASYNC, 0, cursor, 0)
            answer = display.answer(asked)
            if answer is not None and answer.status == _SUCCESS:
                return
            if time.monotonic() > deadline or thread.stopping:
                raise ComputerUnavailable(
                    notice(NoticeCode.POINTER_HELD),
                    reason=UnavailableReason.HIDDEN,
                    remedy=notice(NoticeCode.CLOSE_MENUS_AND_TRY_AGAIN),
                )
            time.sleep(_RETRY_S)

    def _hear_escape(self) -> None:
        """Hear of Escape whoever has the keyboard, without taking the key from anybody."""
        import xcffib.xinput as xi

        display = self._display
        setup = display.connection.setup
        count = setup.max_keycode - setup.min_keycode + 1
        reply = display.answer(display.core.GetKeyboardMapping(setup.min_keycode, count))
        if reply is None or not display.core.QueryExtension(len("XInputExtension"), "XInputExtension").reply().present:
            return
        per = reply.keysyms_per_keycode
        places = [place for place, symbol in enumerate(reply.keysyms) if symbol == _ESCAPE]
        self._escape = setup.min_keycode + places[0] // per if places else 0
        events = display.connection(xi.key)
        if display.answer(events.XIQueryVersion(2, 2)) is None:
            return
        mask = xi.EventMask.synthetic(_ALL_MASTER_DEVICES, 1, [_RAW_KEY_PRESS])  # type: ignore[no-untyped-call]
        events.XISelectEvents(display.root, 1, [mask])
        display.flush()

    def _point(self) -> None:
        """Find the window under the pointer, and outline it."""
        display = self._display
        x, y = windows.pointer_position(display)
        reply = display.answer(display.core.TranslateCoordinates(display.root, display.root, x, y))
        child = int(reply.child) if reply is not None else 0
        if child == self._child:
            return
        self._child = child
        found = windows.describe(display, child) if child else None
        self._under = found if found is not None and self._choosable(found) else None
        if self._under is None:
            self._overlay.outline(None)
        else:
            self._overlay.outline(self._under.frame_rect)

    def _choosable(self, window: Window) -> bool:
        return not (window.override or {"desktop", "dock"}.intersection(window.kinds) or self._layers.is_own(window))

    def _on_event(self, event: Any) -> None:
        match type(event).__name__:
            case "MotionNotifyEvent":
                self._moved = True
            case "ButtonPressEvent":
                self._point()
                self._pressed = True
                self._cancelled = event.detail != _LEFT or self._under is None
            case "ButtonReleaseEvent":
                self._released = self._pressed
            case "RawKeyPressEvent" if event.detail == self._escape:
                self._cancelled = True
            case _:
                pass
