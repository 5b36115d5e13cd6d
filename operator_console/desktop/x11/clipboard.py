"""The text on a display's clipboard, asked of whoever owns it. Reads only; the owner keeps it.

Source: Inter-Client Communication Conventions Manual 2.0, section 2 (selections, and 2.7.2 for what comes in pieces).
Blocks up to its limit, so it is called in a thread, by app for the port that quotes the clipboard.
"""

from __future__ import annotations

from typing import Any

from operator_console.desktop.x11.display import Display
from operator_console.domain.errors import ComputerTimedOut

_NOTHING, _COPY_DEPTH, _INPUT_ONLY = 0, 0, 2
_CW_EVENT_MASK, _PROPERTY_CHANGE = 2048, 1 << 22
_NEW_VALUE = 0
_ANY_TYPE, _WHOLE = 0, 1 << 22
_LONGEST_BYTES = 1 << 22
_KINDS = (("UTF8_STRING", "utf-8"), ("STRING", "latin-1"))


def read_text(display_name: str, timeout_s: float = 3.0) -> str | None:
    """The clipboard's text; None where it holds none.

    Raises:
        ComputerUnavailable: the display cannot be opened.
        ComputerTimedOut: the owner does not answer.
    """
    display = Display(display_name)
    try:
        return _Asking(display, timeout_s).text()
    finally:
        display.close()


class _Asking:
    """One question, with a window of its own for the answer."""

    def __init__(self, display: Display, timeout_s: float) -> None:
        self._display = display
        self._timeout_s = timeout_s
        self._events: list[Any] = []
        self._window = display.connection.generate_id()
        display.core.CreateWindow(
            _COPY_DEPTH, self._window, display.root, -10, -10, 1, 1, 0, _INPUT_ONLY, 0, _CW_EVENT_MASK,
            [_PROPERTY_CHANGE],
        )  # fmt: skip
        display.subscribe(self._events.append)

    def text(self) -> str | None:
        display = self._display
        owner = display.answer(display.core.GetSelectionOwner(display.atom("CLIPBOARD")))
        if owner is None or owner.owner == _NOTHING:
            return None
        for kind, encoding in _KINDS:
            data = self._converted(kind)
            if data is not None:
                return data.decode(encoding, errors="replace")
        return None

    def _converted(self, kind: str) -> bytes | None:
        display, answer = self._display, self._display.atom("OPERATOR_CONSOLE_CLIPBOARD")
        display.core.ConvertSelection(self._window, display.atom("CLIPBOARD"), display.atom(kind), answer, 0)
        notice = self._next("SelectionNotifyEvent")
        if notice.property == _NOTHING:
            return None
        kind_atom, data = self._take(answer)
        return self._pieces(answer) if kind_atom == display.atom("INCR") else data

    def _pieces(self, answer: int) -> bytes:
        """What is too long for one property comes in pieces, each asked for by deleting the one before."""
        whole = b""
        while True:
            event = self._next("PropertyNotifyEvent")
            if event.atom != answer or event.state != _NEW_VALUE:
                continue
            _, piece = self._take(answer)
            whole += piece
            if not piece or len(whole) > _LONGEST_BYTES:
                return whole

    def _take(self, answer: int) -> tuple[int, bytes]:
        reply = self._display.answer(self._display.core.GetProperty(True, self._window, answer, _ANY_TYPE, 0, _WHOLE))
        return (0, b"") if reply is None else (int(reply.type), bytes(reply.value.buf()))

    def _next(self, kind: str) -> Any:
        found: list[Any] = []

        def there() -> bool:
            while self._events and not found:
                event = self._events.pop(0)
                if type(event).__name__ == kind:
                    found.append(event)
            return bool(found)

        if not self._display.wait_until(there, self._timeout_s):
            raise ComputerTimedOut(
                "The clipboard cannot be read", detail="The application that owns it does not answer.",
                remedy="Copy the text again.",
            )  # fmt: skip
        return found[0]
