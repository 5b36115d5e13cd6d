"""Owning a display's clipboard: answering whoever asks what is on it, in pieces where it is long.

Source: Inter-Client Communication Conventions Manual 2.0, section 2 (2.6.2 for TARGETS, MULTIPLE, TIMESTAMP; 2.7.2 for
pieces). What is offered, and to whom, is the caller's to say. Sends no input. Called by the injector's clipboard
holder only.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from operator_console.desktop.x11.clipboard import Content, owner_of
from operator_console.desktop.x11.display import Display

Offer = Callable[[int], Mapping[int, Content] | None]
"""What the window that asks may have, by target; None: nothing, not even a list."""

_NOTHING, _COPY_DEPTH, _INPUT_ONLY = 0, 0, 2
_CW_EVENT_MASK, _STRUCTURE_NOTIFY, _PROPERTY_CHANGE = 2048, 1 << 17, 1 << 22
_CHANGE_PROPERTY, _REPLACE, _APPEND, _DELETED = 18, 0, 2, 1
_SELECTION_NOTIFY = 31
_ATOM, _INTEGER, _STRING = 4, 19, 31
_ANY_TYPE, _WHOLE = 0, 1 << 22
_PIECE_BYTES = 1 << 17
_TIME_S = 5.0


@dataclass(slots=True, kw_only=True)
class _Transfer:
    """One answer that has not been fetched to its end: what is still to come."""

    target: int
    pieces: Iterator[Content]


class Owning:
    """Answers for CLIPBOARD on one connection while its events are pumped.

    Args:
        offer: see Offer.
        asked: told of each request for contents (the asking window, the target) before it is answered.
        taken: told once an answer was fetched to its end.

    Attributes:
        lost: somebody else owns the clipboard now.
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
        display.subscribe(self._hear)
        self._since = self._now()

    @property
    def busy(self) -> bool:
        """Whether somebody still fetches an answer."""
        return bool(self._transfers)

    def own(self) -> bool:
        """Become the owner, a new one to all who watch owners; whether it worked.

        It does not where anybody else has become it since this was made, or was about to: the server holds to the times
        of who asks, and ours is that of the beginning. A person who copies meanwhile is never overruled.
        """
        window, former = self._new_window(), self._window
        self._window = window
        self._display.core.SetSelectionOwner(window, self._clipboard, self._since)
        self.lost = owner_of(self._display) != window
        if former:
            self._display.core.DestroyWindow(former)
        return not self.lost

    def disown(self) -> None:
        """Leave it without an owner, where it is still ours."""
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
        """The server's time, as it stamps an event."""
        self._times.clear()
        self._put(self._clock, self._display.atom("OPERATOR_CONSOLE_CLIPBOARD"),
                  Content(kind=_STRING, bits=8, data=b""), mode=_APPEND)  # fmt: skip
        self._display.wait_until(lambda: bool(self._times), _TIME_S)
        return self._times[-1] if self._times else 0

    def _hear(self, event: Any) -> None:
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
        # Old clients name no property and mean the target's.
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
        """Pairs of target and property, the property struck out where the target is refused."""
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
        """What was put there has been fetched: the next piece, and an empty one as the end."""
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
        """ChangeProperty; xcffib's own packs bytes one by one, which takes seconds for a picture."""
        units = len(content.data) * 8 // content.bits
        head = struct.pack("=xB2xIIIB3xI", mode, window, place, content.kind, content.bits, units)
        self._display.core.send_request(_CHANGE_PROPERTY, io.BytesIO(head + content.data))


def _pieces(content: Content) -> Iterator[Content]:
    for start in range(0, len(content.data), _PIECE_BYTES):
        yield Content(kind=content.kind, bits=content.bits, data=content.data[start : start + _PIECE_BYTES])
    yield Content(kind=content.kind, bits=content.bits, data=b"")


def _words(numbers: list[int]) -> bytes:
    return struct.pack(f"={len(numbers)}I", *numbers)
