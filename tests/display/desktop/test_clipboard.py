"""Keeping what a clipboard holds, and offering it, between real connections."""

from __future__ import annotations

import os
import random
import signal
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from Xlib import X
from Xlib.display import Display as Client

from operator_console.desktop.x11.clipboard import CannotKeep, Content, Owning, keep, read
from operator_console.desktop.x11.display import Display
from tests.display.injector.copying import Copied, copy
from tests.display.rig import Desktop

LONG = random.Random(2).randbytes(500_000)


@pytest.fixture
def view(desktop: Desktop) -> Iterator[Display]:
    display = Display(desktop.name)
    yield display
    display.close()


@pytest.fixture
def copied(desktop: Desktop, tmp_path: Path) -> Copied:
    return copy(desktop, tmp_path / "copied")


def test_all_forms_are_kept_byte_by_byte(view: Display, copied: Copied) -> None:
    kept = keep(view, within_s=10, most_bytes=1 << 20)
    forms = [view.atom(name) for name in ("text/plain", "text/html", "image/png")]
    assert tuple(kept.contents[form].data for form in forms) == copied.content
    assert view.atom("TARGETS") not in kept.contents


def test_an_empty_clipboard_is_kept_as_such(view: Display) -> None:
    assert keep(view, within_s=10, most_bytes=1).owner == 0


def test_what_is_too_long_or_not_handed_out_is_not_kept(view: Display, copied: Copied) -> None:
    with pytest.raises(CannotKeep, match="more than"):
        keep(view, within_s=10, most_bytes=600_000)
    os.kill(copied.owner.pid, signal.SIGSTOP)
    try:
        with pytest.raises(CannotKeep, match="does not answer"):
            keep(view, within_s=0.3, most_bytes=1 << 20)
    finally:
        os.kill(copied.owner.pid, signal.SIGCONT)


def test_files_that_were_copied_are_told_from_text_and_from_the_address_of_a_page(
    desktop: Desktop, copied: Copied, tmp_path: Path
) -> None:
    assert not read(desktop.name).files
    for listed, files in (("https://example.org/", False), ("file:///home/ann/taxes.pdf", True)):
        (tmp_path / "copied" / "uris").write_text(f"{listed}\r\n", encoding="utf-8")
        copied.again()
        assert read(desktop.name).files is files


class Asker:
    """A client that asks for the clipboard, by another library; the owner's events are pumped while it waits."""

    def __init__(self, desktop: Desktop, owner: Display) -> None:
        self._owner = owner
        self._client: Any = Client(desktop.name)
        self._window = self._client.screen().root.create_window(0, 0, 1, 1, 0, 0, event_mask=X.PropertyChangeMask)

    def atom(self, name: str) -> int:
        return int(self._client.intern_atom(name))

    def ask(self, target: str) -> Any:
        """The property that comes of it, None where it is refused."""
        place = self.atom("ANSWER")
        self._window.convert_selection(self.atom("CLIPBOARD"), self.atom(target), place, X.CurrentTime)
        event = self.event(X.SelectionNotify)
        return event.property and self._window.get_full_property(place, X.AnyPropertyType)

    def put(self, pairs: list[int]) -> None:
        self._window.change_property(self.atom("ANSWER"), self.atom("ATOM_PAIR"), 32, pairs)

    def read(self, name: str) -> Any:
        return self._window.get_full_property(self.atom(name), X.AnyPropertyType)

    def event(self, kind: int) -> Any:
        while True:
            assert self._owner.wait_until(lambda: self._client.pending_events() > 0, 10), "no answer"
            event = self._client.next_event()
            if event.type == kind:
                return event

    def close(self) -> None:
        self._client.close()


def test_an_owner_answers_lists_several_at_once_and_in_pieces(desktop: Desktop, view: Display) -> None:
    text, png = view.atom("UTF8_STRING"), view.atom("image/png")
    offered = {text: Content(kind=text, bits=8, data=b"text"), png: Content(kind=png, bits=8, data=LONG)}
    taken: list[int] = []
    owning = Owning(view, lambda _: offered, lambda *_: None, lambda _, target: taken.append(target))
    assert owning.own()
    asker = Asker(desktop, view)
    assert {asker.atom(name) for name in ("TARGETS", "TIMESTAMP", "MULTIPLE")} | {text, png} == set(
        asker.ask("TARGETS").value
    )
    assert asker.ask("UTF8_STRING").value == b"text"
    assert not asker.ask("no such form")
    asker.put([text, asker.atom("ONE"), asker.atom("no such form"), asker.atom("TWO")])
    assert list(asker.ask("MULTIPLE").value) == [text, asker.atom("ONE"), asker.atom("no such form"), 0]
    assert (asker.read("ONE").value, asker.read("TWO")) == (b"text", None)
    asker.close()

    reader = Display(desktop.name)
    events: list[Any] = []
    reader.subscribe(events.append)
    window = reader.connection.generate_id()
    reader.core.CreateWindow(0, window, reader.root, 0, 0, 1, 1, 0, 2, 0, 2048, [1 << 22])
    reader.core.ConvertSelection(window, reader.atom("CLIPBOARD"), png, reader.atom("ANSWER"), 0)
    reader.flush()

    def fetched() -> bytes | None:
        reader.wait(0.01)
        reply = reader.answer(reader.core.GetProperty(True, window, reader.atom("ANSWER"), 0, 0, 1 << 20))
        return bytes(reply.value.buf()) if reply is not None and reply.type else None

    pieces: list[bytes] = []
    while not pieces or pieces[-1]:
        view.wait(0.01)
        if (piece := fetched()) is not None:
            pieces.append(piece)
    assert struct.unpack("=I", pieces[0]) == (len(LONG),)
    assert b"".join(pieces[1:]) == LONG
    assert taken[-1] == png
    assert not owning.busy

    other = Owning(reader, lambda _: {}, lambda *_: None, lambda *_: None)
    assert other.own()
    assert view.wait_until(lambda: owning.lost, 10)
    reader.close()
