"""The operator's own pointer and keys in a browser that has no window: a door of its own, shut unless it is permitted.

With the permission goes the connection, at whose end the browser's host drops what waits and releases what is held.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, assert_never

from operator_console.browser.devtools import Connection, ConnectionLost, ProtocolError
from operator_console.browser.dialog_layout import lay_out
from operator_console.browser.host.dialogs import Do, Step, clicked
from operator_console.browser.key_table import (
    ALT,
    BUTTON_BITS,
    CTRL,
    META,
    SHIFT,
    character_stroke,
    key_params,
    key_stroke,
)
from operator_console.browser.page_state import PageState
from operator_console.computers.operator_hand import OperatorHand
from operator_console.domain.actions import Button
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.hand_input import (
    HandButton,
    HandClipboard,
    HandInput,
    HandKey,
    HandMay,
    HandMove,
    HandTab,
    HandText,
    HandWheel,
)
from operator_console.domain.keys import Key
from operator_console.domain.pages import DialogKind, PageDialog

_BITS: Mapping[str, int] = {"ctrl": CTRL, "shift": SHIFT, "alt": ALT, "super": META}
_log = logging.getLogger(__name__)


class BrowserHand(OperatorHand):
    """The hand in one browser. Nothing is permitted at first.

    Args:
        open_door: connects to the host's socket for the hand. Raises OSError.
        state: what the browser shows now.
        size: of the picture, in native pixels.
    """

    def __init__(
        self, open_door: Callable[[], Awaitable[Connection]], state: Callable[[], PageState], size: Callable[[], Size]
    ) -> None:
        super().__init__()
        self._open_door = open_door
        self._state = state
        self._size = size
        self._door: Connection | None = None
        self._held: list[Button] = []
        self._dragged: Any = None
        self._intercepted: Any = None

    def _permits(self, given: HandInput) -> bool:
        return super()._permits(given) or (self._may is HandMay.CHOOSE_TABS and isinstance(given, HandTab))

    def _withdrawn(self) -> None:
        self._held.clear()
        self._dragged = self._intercepted = None
        if (door := self._door) is not None:
            self._door = None
            closing = asyncio.ensure_future(door.close())
            closing.add_done_callback(_ended)

    async def _carry_out(self, given: HandInput) -> bool:
        try:
            await self._give(given)
        except ProtocolError as error:
            _log.info("the page did not take the operator's input: %s", error)
        except (ConnectionLost, OSError) as error:
            _log.info("the operator's hand does not reach the browser: %s", error)
            self._door = None
            return False
        return True

    async def _give(self, given: HandInput) -> None:
        dialog = self._state().page.dialog
        if isinstance(given, HandTab):
            await self._send(given, "Operator.showTab", {"number": given.number})
        elif isinstance(given, HandClipboard):
            return  # the browser has a clipboard of its own
        elif dialog is not None and not _for_list(given, dialog):
            await self._answer(given, dialog)
        else:
            await self._use(given)

    async def _send(self, given: HandInput, method: str, params: dict[str, Any]) -> None:
        """Send one command of an input, if it is still permitted."""
        if not self._permits(given):
            return
        if self._door is None:
            door = await self._open_door()
            if not self._permits(given):  # it was withdrawn meanwhile
                await door.close()
                return
            self._door = door
            door.listen(self._event, lambda: None)
        await self._door.send_raw(method, params)

    def _event(self, method: str, params: dict[str, Any], _: str) -> None:
        if method == "Input.dragIntercepted":
            self._intercepted = params["data"]

    # the page

    async def _use(self, given: HandMove | HandButton | HandWheel | HandKey | HandText) -> None:
        match given:
            case HandMove():
                await self._move(given)
            case HandButton(down=True, button=button):
                self._held.append(button)
                if button is Button.LEFT:
                    await self._send(given, "Input.setInterceptDrags", {"enabled": True})
                await self._mouse(given, "mousePressed", button.value, given.count)
            case HandButton(button=button):
                await self._release(given)
            case HandWheel(dx=dx, dy=dy):
                await self._mouse(given, "mouseWheel", deltaX=dx, deltaY=dy)
            case HandKey():
                await self._key(given)
            case HandText(text=text):
                await self._send(given, "Input.insertText", {"text": text})
            case _:
                assert_never(given)

    async def _move(self, given: HandMove) -> None:
        if self._dragged is None:
            await self._mouse(given, "mouseMoved", self._held[-1].value if self._held else "none")
        if self._intercepted is not None:
            self._dragged, self._intercepted = self._intercepted, None
            await self._drag(given, "dragEnter")
        if self._dragged is not None:
            await self._drag(given, "dragOver")

    async def _release(self, given: HandButton) -> None:
        if self._dragged is not None:
            await self._drag(given, "dragOver")
            await self._drag(given, "drop")
            self._dragged = None
        if given.button in self._held:
            self._held.remove(given.button)
        await self._mouse(given, "mouseReleased", given.button.value, given.count)
        if given.button is Button.LEFT:
            await self._send(given, "Input.setInterceptDrags", {"enabled": False})

    async def _mouse(
        self, given: HandMove | HandButton | HandWheel, kind: str, button: str = "none", count: int = 0, **more: float
    ) -> None:
        x, y = self._css(given.at)
        await self._send(given, "Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": button, "clickCount": count, "modifiers": _modifiers(given.holding),
            "buttons": sum(BUTTON_BITS[each] for each in self._held), **more,
        })  # fmt: skip

    async def _drag(self, given: HandMove | HandButton, kind: str) -> None:
        x, y = self._css(given.at)
        await self._send(given, "Input.dispatchDragEvent", {
            "type": kind, "x": x, "y": y, "data": self._dragged, "modifiers": _modifiers(given.holding)
        })  # fmt: skip

    async def _key(self, given: HandKey) -> None:
        stroke = key_stroke(given.key) or character_stroke(given.text)
        if stroke is None:
            if given.down and given.text:
                await self._send(given, "Input.insertText", {"text": given.text})
            return
        modifiers = _modifiers(given.holding)
        kind, more = "keyUp", {}
        if given.down:
            text = "" if modifiers & ~SHIFT else stroke.text and (given.text or stroke.text)
            kind = "keyDown" if text else "rawKeyDown"
            more = {"text": text, "unmodifiedText": text} if text else {}
        await self._send(given, "Input.dispatchKeyEvent", {
            "type": kind, **key_params(stroke, modifiers), "autoRepeat": given.repeated, **more,
        })  # fmt: skip

    def _css(self, at: NativePoint) -> tuple[float, float]:
        """The middle of a pixel, in CSS pixels."""
        scale = self._state().scale
        return (at.x + 0.5) / scale, (at.y + 0.5) / scale

    # its dialogs

    async def _answer(
        self, given: HandMove | HandButton | HandWheel | HandKey | HandText, dialog: PageDialog
    ) -> None:  # fmt: skip
        for step, more in self._steps(given, dialog):
            params = {"dialog": int(dialog.dialog_id), "do": step.value, **more}
            await self._send(given, "Operator.dialog", params)

    def _steps(self, given: HandInput, dialog: PageDialog) -> list[Do]:
        match given:
            case HandButton(button=Button.LEFT, down=True, at=at):
                return clicked(lay_out(dialog, self._size(), self._state().scale), at)
            case HandText(text=text):
                return [(Step.TYPE, {"text": text})]
            case HandKey(down=True, key=key, text=text):
                fields = max(len(dialog.values), 1)
                known: dict[str, list[Do]] = {
                    "enter": [(Step.ACCEPT, {})], "kp_enter": [(Step.ACCEPT, {})], "esc": [(Step.DISMISS, {})],
                    "backspace": [(Step.ERASE, {})], "tab": [(Step.FOCUS, {"field": (dialog.focus + 1) % fields})],
                }  # fmt: skip
                typed = text and text.isprintable() and not _modifiers(given.holding) & ~SHIFT
                return known.get(key) or ([(Step.TYPE, {"text": text})] if typed else [])
            case _:
                return []


def _for_list(given: HandInput, dialog: PageDialog) -> bool:
    """Whether it is a key for an open list, which is the page's."""
    return dialog.kind is DialogKind.LIST and isinstance(given, HandKey)


def _modifiers(held: frozenset[Key]) -> int:
    return sum(bit for name, bit in _BITS.items() if name in held)


def _ended(closing: asyncio.Future[None]) -> None:
    if not closing.cancelled() and (error := closing.exception()) is not None:
        _log.info("the operator's hand was not closed in order: %s", error)
