"""Sends single pointer, key and text events to a page, each only while the gate is open.

A press is entered in the ledger before it is sent. Points are CSS pixels of the page that is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from operator_console.browser.connection import Connection, ConnectionLost, ProtocolError
from operator_console.desktop.ledger import Ledger
from operator_console.domain.actions import Button
from operator_console.domain.errors import RejectedReason
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import DeliveryUnknown, Refused
from operator_console.injector.browser.key_table import SHIFT, KeyStroke, key_stroke
from operator_console.injector.input_gate import InputGate

ANSWER_WITHIN_S = 8.0
"""How long a page may take to take an event, in seconds: it may be busy."""

T = TypeVar("T")
_NUMBERS = {Button.LEFT: 1, Button.MIDDLE: 2, Button.RIGHT: 3, Button.BACK: 8, Button.FORWARD: 9}
_BITS = {Button.LEFT: 1, Button.RIGHT: 2, Button.MIDDLE: 4, Button.BACK: 8, Button.FORWARD: 16}


class PageInput:
    """Input for one browser.

    Args:
        open_connection: connects to the host's socket; called at the first use.
        ledger: shared with the guard.
        gate: asked before each event.
    """

    def __init__(self, open_connection: Callable[[], Awaitable[Connection]], ledger: Ledger, gate: InputGate) -> None:
        self._open = open_connection
        self._ledger = ledger
        self._gate = gate
        self._loop = asyncio.new_event_loop()
        self._connection: Connection | None = None
        self._held_keys: dict[str, KeyStroke] = {}
        self._held_buttons: list[Button] = []
        self._dragged: dict[str, Any] | None = None
        self._intercepted: dict[str, Any] | None = None
        self.pointer: tuple[float, float] | None = None

    @property
    def modifiers(self) -> int:
        """The bits of the modifiers that are held."""
        bits = 0
        for stroke in self._held_keys.values():
            bits |= stroke.modifier
        return bits

    @property
    def held_buttons(self) -> Sequence[Button]:
        """In the order in which they were pressed."""
        return self._held_buttons

    @property
    def dragging(self) -> bool:
        """Whether the page's own drag and drop is under way."""
        return self._dragged is not None

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command that is no input, and wait for its answer.

        Raises:
            ProtocolError: the browser refuses it.
            DeliveryUnknown: it does not answer in time.
            Refused: the browser is gone.
        """
        return self._run(self._sent(method, params or {}))

    def answer(self, dialog: int, step: str, more: dict[str, Any]) -> None:
        """Do something to the dialog with this number. Raises DeliveryUnknown."""
        self._send("Operator.dialog", {"dialog": dialog, "do": step, **more})

    def move(self, x: float, y: float) -> None:
        """Move the pointer; while the page's own drag and drop is under way, over what it may be dropped on."""
        with self._gate.primitive():
            self._gate.stamp()
            if self._dragged is not None:
                self._drag("dragOver", x, y)
            else:
                self._mouse("mouseMoved", x, y, self._held_buttons[-1].value if self._held_buttons else "none")
        self.pointer = (x, y)

    def press(self, button: Button, x: float, y: float, count: int = 1) -> None:
        """Press a button and hold it; `count` is 2 for the second press of a double click."""
        with self._gate.primitive():
            self._gate.stamp()
            self._ledger.mark_button(_NUMBERS[button], True)
            self._held_buttons.append(button)
            if button is Button.LEFT:
                self._send("Input.setInterceptDrags", {"enabled": True})
            self._mouse("mousePressed", x, y, button.value, count)

    def release(self, button: Button, x: float, y: float, count: int = 1) -> None:
        """Release a button, always; drop what is dragged."""
        if self._dragged is not None:
            self._drag("drop", x, y)
            self._dragged = None
        if button in self._held_buttons:
            self._held_buttons.remove(button)
        self._mouse("mouseReleased", x, y, button.value, count)
        self._ledger.mark_button(_NUMBERS[button], False)
        if button is Button.LEFT:
            self._send("Input.setInterceptDrags", {"enabled": False})

    def begin_drag(self, x: float, y: float) -> None:
        """Where the last motion began a drag and drop of the page's own, go on with that."""
        if self._dragged is None and self._connection is not None and self._intercepted is not None:
            self._dragged, self._intercepted = self._intercepted, None
            self._drag("dragEnter", x, y)

    def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        """Scroll by CSS pixels."""
        with self._gate.primitive():
            self._gate.stamp()
            self._send("Input.dispatchMouseEvent", {
                "type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy, "modifiers": self.modifiers,
            })  # fmt: skip

    def press_key(self, stroke: KeyStroke) -> None:
        """Press a key and hold it."""
        with self._gate.primitive():
            self._gate.stamp()
            self._ledger.mark_key(stroke.virtual_key, True)
            self._held_keys[stroke.code] = stroke
            self._key_down(stroke)

    def release_key(self, stroke: KeyStroke) -> None:
        """Release a key, always."""
        self._held_keys.pop(stroke.code, None)
        self._send("Input.dispatchKeyEvent", {"type": "keyUp", **self._key(stroke)})
        self._ledger.mark_key(stroke.virtual_key, False)

    def stroke(self, stroke: KeyStroke) -> None:
        """Press and release a key."""
        self.press_key(stroke)
        self.release_key(stroke)

    @contextmanager
    def holding(self, strokes: Sequence[KeyStroke]) -> Iterator[None]:
        """Hold these keys down in the block."""
        held: list[KeyStroke] = []
        try:
            for each in strokes:
                held.append(each)
                self.press_key(each)
            yield
        finally:
            for each in reversed(held):
                self.release_key(each)

    def insert(self, text: str) -> None:
        """Insert text as an input method does, without keys."""
        with self._gate.primitive():
            self._gate.stamp()
            self._send("Input.insertText", {"text": text})

    def held_key(self, code: str) -> KeyStroke | None:
        """The key with this code, if it is held."""
        return self._held_keys.get(code)

    def release_all(self) -> int:
        """Release everything that is held. Returns how much that was."""
        number = len(self._held_buttons) + len(self._held_keys)
        x, y = self.pointer or (0.0, 0.0)
        for button in reversed(tuple(self._held_buttons)):
            self.release(button, x, y)
        for stroke in reversed(tuple(self._held_keys.values())):
            self.release_key(stroke)
        return number

    def close(self) -> None:
        """Disconnect: the host releases what is held."""
        if self._connection is not None:
            self._loop.run_until_complete(self._connection.close())
        self._loop.close()

    def _key_down(self, stroke: KeyStroke) -> None:
        writes = stroke.text and not self.modifiers & ~SHIFT
        params: dict[str, Any] = {"type": "keyDown" if writes else "rawKeyDown", **self._key(stroke)}
        if writes:
            params |= {"text": stroke.text, "unmodifiedText": stroke.text}
        self._send("Input.dispatchKeyEvent", params)

    def _key(self, stroke: KeyStroke) -> dict[str, Any]:
        return {
            "key": stroke.key, "code": stroke.code, "windowsVirtualKeyCode": stroke.virtual_key,
            "location": stroke.location, "modifiers": self.modifiers, "isKeypad": stroke.location == 3,
        }  # fmt: skip

    def _mouse(self, kind: str, x: float, y: float, button: str, count: int = 0) -> None:
        self._send("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": button, "clickCount": count, "modifiers": self.modifiers,
            "buttons": sum(_BITS[each] for each in self._held_buttons),
        })  # fmt: skip

    def _drag(self, kind: str, x: float, y: float) -> None:
        self._send("Input.dispatchDragEvent", {
            "type": kind, "x": x, "y": y, "data": self._dragged, "modifiers": self.modifiers
        })  # fmt: skip

    def _event(self, method: str, params: dict[str, Any], _: str) -> None:
        if method == "Input.dragIntercepted":
            self._intercepted = params["data"]

    def _send(self, method: str, params: dict[str, Any]) -> None:
        try:
            self._run(self._sent(method, params))
        except ProtocolError as error:
            raise DeliveryUnknown(notice(NoticeCode.NOT_DONE_IN_BROWSER, error=str(error))) from error

    async def _sent(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if self._connection is None:
            self._connection = await self._open()
            self._connection.listen(self._event, lambda: None)
        return await self._connection.send_raw(method, params)

    def _run(self, work: Awaitable[T]) -> T:
        try:
            return self._loop.run_until_complete(asyncio.wait_for(work, ANSWER_WITHIN_S))
        except TimeoutError as error:
            raise DeliveryUnknown(notice(NoticeCode.PAGE_TOOK_NO_INPUT, seconds=ANSWER_WITHIN_S)) from error
        except (ConnectionLost, OSError) as error:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.BROWSER_HAS_ENDED)) from error


def strokes_of(keys: Sequence[Any]) -> list[KeyStroke]:
    """The keys, in order. Raises Refused for one that a page cannot be sent."""
    found = []
    for key in keys:
        stroke = key_stroke(key)
        if stroke is None:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.KEY_NOT_FOR_PAGE, key=key))
        found.append(stroke)
    return found
