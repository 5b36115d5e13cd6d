"""The CLIPBOARD selection of a display: reading it, copying its contents in all formats, and owning it.

Source: Inter-Client Communication Conventions Manual 2.0, section 2 (selections; 2.6.2 for TARGETS, MULTIPLE and
TIMESTAMP; 2.7.2 for incremental transfers). Reading and copying block up to their time limits. Sends no input.
"""

from __future__ import annotations

import io
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

from operator_console.desktop.x11.display import Display
from operator_console.domain.clipboard_contents import Clipboard
from operator_console.domain.errors import ComputerTimedOut
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_NOTHING, _COPY_DEPTH, _INPUT_ONLY = 0, 0, 2
_CW_EVENT_MASK, _STRUCTURE_NOTIFY, _PROPERTY_CHANGE = 2048, 1 << 17, 1 << 22
_NEW_VALUE = 0
_ANY_TYPE, _WHOLE = 0, 1 << 22
_LONGEST_BYTES = 1 << 22
_KINDS = (("UTF8_STRING", "utf-8"), ("STRING", "latin-1"))
_LISTS_OF_FILES = ("text/uri-list", "x-special/gnome-copied-files")
# Targets that describe the selection, have side effects, or name resources that are freed with the owner.
_NOT_CONTENTS = frozenset({
    "TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY",
    "PIXMAP", "BITMAP", "DRAWABLE", "COLORMAP", "FOREGROUND", "BACKGROUND", "CLIENT_WINDOW", "WINDOW",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A converted selection: its type (an atom), its unit of 8, 16 or 32 bits, and the bytes."""

    kind: int
    bits: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The contents of a clipboard by target (an atom), in the owner's order; `owner` is 0 if it had none."""

    owner: int
    contents: Mapping[int, Content]


class CannotKeep(Exception):
    """The clipboard cannot be copied completely; the message is the reason."""


def read(display_name: str, timeout_s: float = 3.0) -> Clipboard:
    """What the clipboard holds; files by a list of addresses (RFC 2483, text/uri-list) or GNOME's list of copied files.

    Raises:
        ComputerUnavailable: the display cannot be opened.
        ComputerTimedOut: the owner does not answer.
    """
    with closing(Display(display_name)) as display:
        asking = _Asking(display, timeout_s, _LONGEST_BYTES)
        if not owner_of(display):
            return Clipboard()
        texts = ((asking.converted(display.atom(kind)), encoding) for kind, encoding in _KINDS)
        text = next((found.data.decode(encoding, errors="replace") for found, encoding in texts if found), None)
        lists = (asking.converted(display.atom(kind)) for kind in _LISTS_OF_FILES)
        files = False
        with suppress(ComputerTimedOut):  # an owner that handed out its text may not answer for another format
            files = any(found is not None and b"file:" in found.data for found in lists)
        return Clipboard(text=text, files=files)


def owner_of(display: Display) -> int:
    """The window that owns the clipboard, 0 if none does."""
    reply = display.answer(display.core.GetSelectionOwner(display.atom("CLIPBOARD")))
    return _NOTHING if reply is None else int(reply.owner)


def keep(display: Display, *, within_s: float, most_bytes: int) -> Kept:
    """Copy the clipboard in every format that is offered. Raises CannotKeep."""
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
    """Requests to the owner, with a window of its own for the replies.

    Args:
        display: the connection.
        timeout_s: time limit for each reply, or for all of them if `in_all`.
        longest: an incremental transfer is ended beyond this number of bytes.
        in_all: see timeout_s.
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
        """Destroy the window."""
        self._unsubscribe()
        self._display.core.DestroyWindow(self._window)

    def targets(self) -> list[int]:
        """The offered formats that are contents; plain text if the owner does not list them."""
        display = self._display
        said = self.converted(display.atom("TARGETS"))
        if said is None or said.bits != 32:
            return [display.atom(kind) for kind, _ in _KINDS]
        left_out = {display.atom(name) for name in _NOT_CONTENTS}
        offered = memoryview(said.data[: len(said.data) & ~3]).cast("I")
        return [target for target in dict.fromkeys(offered) if target and target not in left_out]

    def converted(self, target: int) -> Content | None:
        """The contents in one format, None if the owner refuses. Raises ComputerTimedOut."""
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
        """Receive an incremental transfer. Deleting the property requests the next piece."""
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
                notice(NoticeCode.CLIPBOARD_UNREADABLE), detail=notice(NoticeCode.CLIPBOARD_OWNER_SILENT),
                remedy=notice(NoticeCode.COPY_TEXT_AGAIN),
            )  # fmt: skip
        return found[0]


Offer = Callable[[int], Mapping[int, Content] | None]
"""The contents that a requesting window may have, by target; None: none, not even the list of targets."""
_CHANGE_PROPERTY, _REPLACE, _APPEND, _DELETED = 18, 0, 2, 1
_SELECTION_NOTIFY = 31
_ATOM, _INTEGER, _STRING = 4, 19, 31
_PIECE_BYTES = 1 << 17
_TIME_S = 5.0


@dataclass(slots=True, kw_only=True)
class _Transfer:
    """A reply that has not been read completely; `pieces` are still to be sent."""

    target: int
    pieces: Iterator[Content]


class Owning:
    """Owns CLIPBOARD and replies to requests while the connection's events are processed.

    Args:
        display: the connection.
        offer: see Offer.
        asked: called with the requesting window and the target before a request for contents is answered.
        taken: called with the same once the reply has been read completely.

    Attributes:
        lost: another client owns the clipboard now.
    """

    def __init__(
        self, display: Display, offer: Offer, asked: Callable[[int, int], None], taken: Callable[[int, int], None]
    ) -> None:
        self._display = display
        self._offer, self._asked, self._taken = offer, asked, taken
        self._clipboard = display.atom("CLIPBOARD")
        self._transfers: dict[tuple[int, int], _Transfer] = {}
        self._clock = self._new_window()
        self._times: list[int] = []
        self._window = _NOTHING
        self.lost = False
        display.subscribe(self._on_event)
        self._since = self._now()

    @property
    def busy(self) -> bool:
        """Whether a reply has not been read completely."""
        return bool(self._transfers)

    def own(self) -> bool:
        """Become the owner, with a new window so that clients notice the change; whether it succeeded.

        It fails if another client has become the owner since this object was created: the server compares the
        timestamps of the requests, and ours is that of the creation. So a person's copy is never overwritten.
        """
        window, former = self._new_window(), self._window
        self._window = window
        self._display.core.SetSelectionOwner(window, self._clipboard, self._since)
        self.lost = owner_of(self._display) != window
        if former:
            self._display.core.DestroyWindow(former)
        return not self.lost

    def disown(self) -> None:
        """Give up the ownership, if it is still ours."""
        if not self.lost:
            self._display.core.SetSelectionOwner(_NOTHING, self._clipboard, self._since)
            self._display.sync()
            self.lost = True

    def _new_window(self) -> int:
        window = int(self._display.connection.generate_id())
        self._display.core.CreateWindow(
            _COPY_DEPTH, window, self._display.root, -10, -10, 1, 1, 0, _INPUT_ONLY, 0, _CW_EVENT_MASK,
            [_PROPERTY_CHANGE],
        )  # fmt: skip
        return window

    def _now(self) -> int:
        """The server's current time, from the timestamp of an event."""
        self._times.clear()
        self._put(self._clock, self._display.atom("OPERATOR_CONSOLE_CLIPBOARD"),
                  Content(kind=_STRING, bits=8, data=b""), mode=_APPEND)  # fmt: skip
        self._display.wait_until(lambda: bool(self._times), _TIME_S)
        return self._times[-1] if self._times else 0

    def _on_event(self, event: Any) -> None:
        match type(event).__name__:
            case "SelectionRequestEvent" if event.selection == self._clipboard:
                self._answer(event)
            case "SelectionClearEvent" if event.owner == self._window:
                self.lost = True
            case "PropertyNotifyEvent" if event.window == self._clock:
                self._times.append(int(event.time))
            case "PropertyNotifyEvent" if event.state == _DELETED:
                self._go_on(event.window, event.atom)
            case "DestroyNotifyEvent":
                for place in [place for place in self._transfers if place[0] == event.window]:
                    del self._transfers[place]
            case _:
                pass

    def _answer(self, event: Any) -> None:
        # Obsolete clients give no property; the target is used in its place.
        place = event.property or event.target
        if event.target == self._display.atom("MULTIPLE"):
            given = event.property != _NOTHING and self._give_several(event.requestor, place)
        else:
            given = self._give(event.requestor, event.target, place)
        notice = struct.pack(
            "=BxHIIIII8x", _SELECTION_NOTIFY, 0, event.time, event.requestor, event.selection, event.target,
            place if given else _NOTHING,
        )  # fmt: skip
        self._display.core.SendEvent(False, event.requestor, 0, notice)
        self._display.flush()

    def _give_several(self, requestor: int, place: int) -> bool:
        """Reply to MULTIPLE: pairs of target and property; the property is cleared where a target is refused."""
        asked = self._display.answer(self._display.core.GetProperty(False, requestor, place, _ANY_TYPE, 0, _WHOLE))
        if asked is None or asked.format != 32:
            return False
        atoms = list(memoryview(bytes(asked.value.buf())).cast("I"))
        for index in range(0, len(atoms) - 1, 2):
            if not self._give(requestor, atoms[index], atoms[index + 1]):
                atoms[index + 1] = _NOTHING
        self._put(requestor, place, Content(kind=int(asked.type), bits=32, data=_words(atoms)))
        return True

    def _give(self, requestor: int, target: int, place: int) -> bool:
        content = self._content(requestor, target)
        if content is None or not place:
            return False
        self._display.listen(requestor, _PROPERTY_CHANGE | _STRUCTURE_NOTIFY)
        if len(content.data) <= _PIECE_BYTES:
            self._transfers[requestor, place] = _Transfer(target=target, pieces=iter(()))
            self._put(requestor, place, content)
            return True
        self._transfers[requestor, place] = _Transfer(target=target, pieces=_pieces(content))
        size = Content(kind=self._display.atom("INCR"), bits=32, data=_words([len(content.data)]))
        self._put(requestor, place, size)
        return True

    def _content(self, requestor: int, target: int) -> Content | None:
        offered = self._offer(requestor)
        if offered is None:
            return None
        named = [self._display.atom(name) for name in ("TARGETS", "TIMESTAMP", "MULTIPLE")]
        if target == named[0]:
            return Content(kind=_ATOM, bits=32, data=_words([*named, *offered]))
        if target == named[1]:
            return Content(kind=_INTEGER, bits=32, data=_words([self._since]))
        self._asked(requestor, target)
        return offered.get(target)

    def _go_on(self, requestor: int, place: int) -> None:
        """A piece has been read: send the next one, and an empty one at the end."""
        transfer = self._transfers.get((requestor, place))
        if transfer is None:
            return
        piece = next(transfer.pieces, None)
        if piece is not None:
            self._put(requestor, place, piece)
            self._display.flush()
        if piece is None or not piece.data:
            del self._transfers[requestor, place]
            self._taken(requestor, transfer.target)

    def _put(self, window: int, place: int, content: Content, mode: int = _REPLACE) -> None:
        """ChangeProperty. xcffib's own request packs single bytes, which takes seconds for a picture."""
        units = len(content.data) * 8 // content.bits
        head = struct.pack("=xB2xIIIB3xI", mode, window, place, content.kind, content.bits, units)
        self._display.core.send_request(_CHANGE_PROPERTY, io.BytesIO(head + content.data))


def _pieces(content: Content) -> Iterator[Content]:
    for start in range(0, len(content.data), _PIECE_BYTES):
        yield Content(kind=content.kind, bits=content.bits, data=content.data[start : start + _PIECE_BYTES])
    yield Content(kind=content.kind, bits=content.bits, data=b"")


def _words(numbers: list[int]) -> bytes:
    return struct.pack(f"={len(numbers)}I", *numbers)
