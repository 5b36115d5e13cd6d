"""Sends single pointer, key and text events to a page, each only while the gate is open.

A press is entered in the ledger before it is sent. Points are CSS pixels of the page that is shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from operator_console.browser.devtools import Connection, ConnectionLost, ProtocolError
from operator_console.browser.host.input_queue import DRAG_ENDS_S
from operator_console.browser.key_table import BUTTON_BITS, CTRL, SHIFT, KeyStroke, key_params, key_stroke
from operator_console.desktop.ledger import Ledger
from operator_console.domain.actions import Button
from operator_console.domain.errors import RejectedReason
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import DeliveryUnknown, Refused
from operator_console.injector.input_gate import InputGate

ANSWER_WITHIN_S = 8.0
"""How long a page may take to take an event, in seconds: it may be busy."""

Command = tuple[str, dict[str, Any]]
"""A method of the DevTools protocol with its parameters."""

_ENTER = 13
_CLIPBOARD_KEYS = {CTRL: {"KeyC", "KeyV", "KeyX", "Insert"}, SHIFT: {"Insert", "Delete"}}
"""What copies, cuts and pastes, by the modifier that is held."""
_PRESSURE = 0.5
"""Of a mouse with a button down, Pointer Events."""
_NUMBERS = {Button.LEFT: 1, Button.MIDDLE: 2, Button.RIGHT: 3, Button.BACK: 8, Button.FORWARD: 9}


class PageInput:
    """Input for one browser.

    Args:
        open_connection: connects to the host's socket; called at the first use.
        ledger: shared with the guard.
        gate: asked before each event.

    Attributes:
        pointer: where it last moved the pointer, CSS pixels; None: nowhere yet.
        has_clipboard: whether the browser has a clipboard of its own; keys for another one are refused.
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
        self.has_clipboard = True

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
        return self._run((method, params or {}))[0]

    def answer(self, dialog: int, step: str, more: dict[str, Any]) -> None:
        """Do something to the dialog with this number. Raises DeliveryUnknown."""
        self._send(("Operator.dialog", {"dialog": dialog, "do": step, **more}))

    def move(self, x: float, y: float) -> None:
        """Move the pointer; while the page's own drag and drop is under way, over what it may be dropped on."""
        with self._gate.primitive():
            self._gate.stamp()
            if self._dragged is not None:
                self._send(self._drag("dragOver", x, y))
            else:
                self._send(self._mouse("mouseMoved", x, y, self._held_buttons[-1] if self._held_buttons else None))
        self.pointer = (x, y)

    def press(self, button: Button, x: float, y: float, count: int = 1) -> None:
        """Press a button and hold it; `count` is 2 for the second press of a double click."""
        with self._gate.primitive():
            self._gate.stamp()
            self._ledger.mark_button(_NUMBERS[button], True)
            self._held_buttons.append(button)
            self._intercepted = None
            self._send(*self._intercepting(button, True), self._mouse("mousePressed", x, y, button, count))

    def release(self, button: Button, x: float, y: float, count: int = 1) -> None:
        """Release a button that is held, always; drop what is dragged."""
        if button not in self._held_buttons:
            return
        self._held_buttons.remove(button)
        if self._dragged is None:
            self._send(self._mouse("mouseReleased", x, y, button, count), *self._intercepting(button, False))
        else:  # a drop takes the place of the release
            drop, self._dragged = self._drag("drop", x, y), None
            self._send(drop)
            time.sleep(DRAG_ENDS_S)
            self._send(self._mouse("mouseMoved", x, y, None), *self._intercepting(button, False))
        self._ledger.mark_button(_NUMBERS[button], False)

    def begin_drag(self, x: float, y: float) -> None:
        """Where the last motion began a drag and drop of the page's own, go on with that."""
        if self._dragged is None and self._intercepted is not None:
            self._dragged, self._intercepted = self._intercepted, None
            self._send(self._drag("dragEnter", x, y))

    def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        """Scroll by CSS pixels."""
        with self._gate.primitive():
            self._gate.stamp()
            self._send(("Input.dispatchMouseEvent", {
                "type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy, "modifiers": self.modifiers,
            }))  # fmt: skip

    def press_key(self, stroke: KeyStroke, *, again: bool = False) -> None:
        """Press a key and hold it; `again` repeats a key that is held."""
        with self._gate.primitive():
            self._gate.stamp()
            self._send(self._pressed(stroke, again))

    def release_key(self, stroke: KeyStroke) -> None:
        """Release a key that is held, always."""
        if stroke.code in self._held_keys:
            self._send(self._released(stroke))
            self._ledger.mark_key(stroke.virtual_key, False)

    def stroke(self, stroke: KeyStroke) -> None:
        """Press and release a key, in one write."""
        with self._gate.primitive():
            self._gate.stamp()
            self._send(self._pressed(stroke), self._released(stroke))
        self._ledger.mark_key(stroke.virtual_key, False)

    @contextmanager
    def holding(self, strokes: Sequence[KeyStroke]) -> Iterator[None]:
        """Hold these keys down in the block."""
        with ExitStack() as held:
            for each in strokes:
                held.callback(self.release_key, each)
                self.press_key(each)
            yield

    def insert(self, text: str) -> None:
        """Insert text as an input method does, without keys."""
        with self._gate.primitive():
            self._gate.stamp()
            self._send(("Input.insertText", {"text": text}))

    def release_all(self) -> int:
        """Release everything that is held, without a click or a drop. Returns how much that was."""
        number = len(self._held_buttons) + len(self._held_keys)
        if number:
            self.ask("Operator.release")
            self._forget()
        return number

    def close(self) -> None:
        """Disconnect: the host releases what is held."""
        self._disconnect()
        self._loop.close()

    def _disconnect(self) -> None:
        """End the connection, at which the host drops what it has not sent, and releases what is held."""
        connection, self._connection = self._connection, None
        self._forget()
        if connection is not None:
            self._loop.run_until_complete(connection.close())

    def _forget(self) -> None:
        """Nothing is held any more."""
        self._held_keys.clear()
        self._held_buttons.clear()
        self._dragged = self._intercepted = None
        self._ledger.forget(keys=self._ledger.keys, buttons=self._ledger.buttons)

    def _pressed(self, stroke: KeyStroke, again: bool = False) -> Command:
        if not self.has_clipboard and any(
            self.modifiers & bit and stroke.code in codes for bit, codes in _CLIPBOARD_KEYS.items()
        ):
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.CLIPBOARD_IS_THE_DISPLAYS))
        self._ledger.mark_key(stroke.virtual_key, True)
        self._held_keys[stroke.code] = stroke
        text = self._text_of(stroke)
        params: dict[str, Any] = {"type": "keyDown" if text else "rawKeyDown", **key_params(stroke, self.modifiers)}
        if text:
            params |= {"text": text, "unmodifiedText": stroke.text}
        if again:
            params["autoRepeat"] = True
        return "Input.dispatchKeyEvent", params

    def _released(self, stroke: KeyStroke) -> Command:
        self._held_keys.pop(stroke.code, None)
        return "Input.dispatchKeyEvent", {"type": "keyUp", **key_params(stroke, self.modifiers)}

    def _text_of(self, stroke: KeyStroke) -> str:
        """What the key writes with the modifiers that are held."""
        match self.modifiers & ~SHIFT:
            case 0:
                return stroke.above if self.modifiers and stroke.above else stroke.text
            case 2 if stroke.code.startswith("Key"):  # control characters, which a page hears of as `keypress`
                return chr(stroke.virtual_key & 0x1F)
            case 2 if stroke.virtual_key == _ENTER:
                return "\n"
            case _:
                return ""

    def _mouse(self, kind: str, x: float, y: float, button: Button | None, count: int = 0) -> Command:
        return "Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "none" if button is None else button.value, "clickCount": count,
            "modifiers": self.modifiers, "buttons": sum(BUTTON_BITS[each] for each in self._held_buttons),
            "force": _PRESSURE if self._held_buttons else 0,
        }  # fmt: skip

    def _drag(self, kind: str, x: float, y: float) -> Command:
        return "Input.dispatchDragEvent", {
            "type": kind, "x": x, "y": y, "data": self._dragged, "modifiers": self.modifiers
        }  # fmt: skip

    def _intercepting(self, button: Button, enabled: bool) -> Sequence[Command]:
        """The page's own drag and drop is carried out by us, and only while we hold the button that begins it."""
        return [("Input.setInterceptDrags", {"enabled": enabled})] if button is Button.LEFT else []

    def _event(self, method: str, params: dict[str, Any], _: str) -> None:
        if method == "Input.dragIntercepted":
            self._intercepted = params["data"]

    def _send(self, *commands: Command) -> None:
        try:
            self._run(*commands)
        except ProtocolError as error:
            raise DeliveryUnknown(notice(NoticeCode.NOT_DONE_IN_BROWSER, error=str(error))) from error

    def _run(self, *commands: Command) -> list[dict[str, Any]]:
        """Write the commands together, and wait for the answers to all."""
        try:
            return self._loop.run_until_complete(asyncio.wait_for(self._sent(commands), ANSWER_WITHIN_S))
        except TimeoutError as error:
            self._disconnect()
            raise DeliveryUnknown(notice(NoticeCode.PAGE_TOOK_NO_INPUT, seconds=ANSWER_WITHIN_S)) from error
        except (ConnectionLost, OSError) as error:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.BROWSER_HAS_ENDED)) from error

    async def _sent(self, commands: Sequence[Command]) -> list[dict[str, Any]]:
        if self._connection is None:
            self._connection = await self._open()
            self._connection.listen(self._event, lambda: None)
        return await asyncio.gather(*(self._connection.send_raw(*each) for each in commands))


def strokes_of(keys: Sequence[Any]) -> list[KeyStroke]:
    """The keys, in order. Raises Refused for one that a page cannot be sent."""
    found = []
    for key in keys:
        stroke = key_stroke(key)
        if stroke is None:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.KEY_NOT_FOR_PAGE, key=key))
        found.append(stroke)
    return found
