"""What is on a display's clipboard, asked of whoever owns it. Reads only; the owner keeps it.

Source: Inter-Client Communication Conventions Manual 2.0, section 2 (selections, and 2.7.2 for what comes in pieces).
Blocks up to its limit: `read_text` is called in a thread, by app for the port that quotes the clipboard; `keep` by the
injector's clipboard holder.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from operator_console.desktop.x11.display import Display
from operator_console.domain.errors import ComputerTimedOut

_NOTHING, _COPY_DEPTH, _INPUT_ONLY = 0, 0, 2
_CW_EVENT_MASK, _PROPERTY_CHANGE = 2048, 1 << 22
_NEW_VALUE = 0
_ANY_TYPE, _WHOLE = 0, 1 << 22
_LONGEST_BYTES = 1 << 22
_KINDS = (("UTF8_STRING", "utf-8"), ("STRING", "latin-1"))
# About the selection and not what it holds; or asked for, they do something; or they name what dies with the owner.
_NOT_CONTENTS = frozenset({
    "TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY",
    "PIXMAP", "BITMAP", "DRAWABLE", "COLORMAP", "FOREGROUND", "BACKGROUND", "CLIENT_WINDOW", "WINDOW",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A selection's answer: its type (an atom), 8, 16 or 32 bits a unit, and the bytes."""

    kind: int
    bits: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """All that a clipboard held, by target (an atom), in the owner's order; `owner` 0: nobody owned it."""

    owner: int
    contents: Mapping[int, Content]


class CannotKeep(Exception):
    """What is on the clipboard cannot be copied whole, in words."""


def read_text(display_name: str, timeout_s: float = 3.0) -> str | None:
    """The clipboard's text; None where it holds none.

    Raises:
        ComputerUnavailable: the display cannot be opened.
        ComputerTimedOut: the owner does not answer.
    """
    display = Display(display_name)
    try:
        asking = _Asking(display, timeout_s, _LONGEST_BYTES)
        if not owner_of(display):
            return None
        for kind, encoding in _KINDS:
            content = asking.converted(display.atom(kind))
            if content is not None:
                return content.data.decode(encoding, errors="replace")
        return None
    finally:
        display.close()


def owner_of(display: Display) -> int:
    """The window that owns the clipboard, 0 for none."""
    reply = display.answer(display.core.GetSelectionOwner(display.atom("CLIPBOARD")))
    return _NOTHING if reply is None else int(reply.owner)


def keep(display: Display, *, within_s: float, most_bytes: int) -> Kept:
    """Copy what the clipboard holds, in every form it is offered in. Raises CannotKeep."""
    owner = owner_of(display)
    if not owner:
        return Kept(owner=owner, contents={})
    asking = _Asking(display, within_s, most_bytes, in_all=True)
    try:
        found: dict[int, Content] = {}
        for target in asking.targets():
            content = asking.converted(target)
            if content is not None:
                found[target] = content
            if sum(len(each.data) for each in found.values()) > most_bytes:
                raise CannotKeep(f"it holds more than {most_bytes >> 20} MB")
    except ComputerTimedOut as late:
        raise CannotKeep("its owner does not answer in time") from late
    finally:
        asking.close()
    if not found:
        raise CannotKeep("its owner does not hand it out")
    return Kept(owner=owner, contents=found)


class _Asking:
    """Questions to the owner, with a window of its own for the answers.

    Args:
        timeout_s: for each answer; `in_all`: for all of them.
        longest: more bytes than these are not read to their end.
    """

    def __init__(self, display: Display, timeout_s: float, longest: int, *, in_all: bool = False) -> None:
        self._display = display
        self._timeout_s = timeout_s
        self._deadline_s = time.monotonic() + timeout_s if in_all else None
        self._longest = longest
        self._events: list[Any] = []
        self._window = display.connection.generate_id()
        display.core.CreateWindow(
            _COPY_DEPTH, self._window, display.root, -10, -10, 1, 1, 0, _INPUT_ONLY, 0, _CW_EVENT_MASK,
            [_PROPERTY_CHANGE],
        )  # fmt: skip
        self._unsubscribe = display.subscribe(self._events.append)

    def close(self) -> None:
        """Ask no more."""
        self._unsubscribe()
        self._display.core.DestroyWindow(self._window)

    def targets(self) -> list[int]:
        """The forms it is offered in, as far as they are contents; where the owner does not say, plain text."""
        display = self._display
        said = self.converted(display.atom("TARGETS"))
        if said is None or said.bits != 32:
            return [display.atom(kind) for kind, _ in _KINDS]
        left_out = {display.atom(name) for name in _NOT_CONTENTS}
        offered = memoryview(said.data[: len(said.data) & ~3]).cast("I")
        return [target for target in dict.fromkeys(offered) if target and target not in left_out]

    def converted(self, target: int) -> Content | None:
        """The contents in this form; None where the owner refuses. Raises ComputerTimedOut."""
        display, answer = self._display, self._display.atom("OPERATOR_CONSOLE_CLIPBOARD")
        display.core.ConvertSelection(self._window, display.atom("CLIPBOARD"), target, answer, 0)
        notice = self._next("SelectionNotifyEvent", lambda event: event.target == target)
        if notice.property == _NOTHING:
            return None
        content = self._take(answer)
        if content is not None and content.kind == display.atom("INCR"):
            return self._pieces(answer)
        return content

    def _pieces(self, answer: int) -> Content | None:
        """What is too long for one property comes in pieces, each asked for by deleting the one before."""
        whole, kind, bits = bytearray(), 0, 8
        while True:
            self._next("PropertyNotifyEvent", lambda event: event.atom == answer and event.state == _NEW_VALUE)
            piece = self._take(answer)
            if piece is None or not piece.data or len(whole) > self._longest:
                return Content(kind=kind, bits=bits, data=bytes(whole)) if whole else None
            whole += piece.data
            kind, bits = piece.kind, piece.bits

    def _take(self, answer: int) -> Content | None:
        reply = self._display.answer(self._display.core.GetProperty(True, self._window, answer, _ANY_TYPE, 0, _WHOLE))
        if reply is None or not reply.type:
            return None
        return Content(kind=int(reply.type), bits=int(reply.format), data=bytes(reply.value.buf()))

    def _next(self, kind: str, wanted: Any) -> Any:
        found: list[Any] = []

        def there() -> bool:
            while self._events and not found:
                event = self._events.pop(0)
                if type(event).__name__ == kind and wanted(event):
                    found.append(event)
            return bool(found)

        left_s = self._timeout_s if self._deadline_s is None else self._deadline_s - time.monotonic()
        if not self._display.wait_until(there, left_s):
            raise ComputerTimedOut(
                "The clipboard cannot be read", detail="The application that owns it does not answer.",
                remedy="Copy the text again.",
            )  # fmt: skip
        return found[0]
