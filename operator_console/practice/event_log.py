"""The log of the practice window: one JSON line for each input it received, readable while the window runs.

The outcome of a practice run is judged by this file alone.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from operator_console.domain.codec import CodecError, decode, encode
from operator_console.private_files import open_private


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The window is shown.

    Attributes:
        window_id: the platform's window ID.
        width: device pixels.
        height: device pixels.
        scale: device pixels per logical pixel.
    """

    kind: Literal["ready"] = "ready"
    pid: int
    window_id: int
    width: int
    height: int
    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A pointer button was pressed at (x, y) in device pixels of the client area. `count` is 2 for a double click."""

    kind: Literal["pressed"] = "pressed"
    widget: str
    button: str
    x: int
    y: int
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicked:
    """A push button was activated."""

    kind: Literal["clicked"] = "clicked"
    button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """The full text of a field after a change."""

    kind: Literal["typed"] = "typed"
    field: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A list item was selected, starred (double click) or pinned (right click)."""

    kind: Literal["chosen"] = "chosen"
    item: str
    how: Literal["selected", "starred", "pinned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrolled:
    """The list was scrolled; `first` is the item now at the top."""

    kind: Literal["scrolled"] = "scrolled"
    first: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slid:
    """The slider was released at `value` (0..100)."""

    kind: Literal["slid"] = "slid"
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A stroke: its points in logical pixels of the canvas, and the labels at its start and end ("" for none)."""

    kind: Literal["drawn"] = "drawn"
    points: tuple[tuple[int, int], ...]
    start: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The content of the window when it was saved; `by` is the name of the button or the shortcut."""

    kind: Literal["saved"] = "saved"
    by: str
    plant: str
    room: str
    notes: str
    month: str
    water: int
    strokes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A press in the window of the marks: how far it is from the middle of the nearest mark, in device pixels."""

    kind: Literal["hit"] = "hit"
    mark: int
    dx: int
    dy: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """The field of the window of the marks, and its keys, after a change.

    Attributes:
        text: its beginning.
        length: characters in it.
        held: how many keys are down.
        at_s: `time.time()`.
    """

    kind: Literal["received"] = "received"
    text: str
    length: int
    held: int
    at_s: float


PracticeEvent: TypeAlias = Ready | Pressed | Clicked | Typed | Chosen | Scrolled | Slid | Drawn | Saved | Hit | Received


class PracticeLog:
    """Writes the log file, one complete line at a time."""

    def __init__(self, path: Path) -> None:
        self._fd = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)

    def write(self, event: PracticeEvent) -> None:
        """Append one event with a single write, so that a reader never sees half a line."""
        os.write(self._fd, line(event).encode("utf-8"))


def line(event: PracticeEvent) -> str:
    """The line of the file for an event, with its line break."""
    return json.dumps(encode(event), ensure_ascii=False) + "\n"


def read_log(path: Path) -> list[PracticeEvent]:
    """The events so far; none if the file does not exist. Skips an incomplete last line. Raises CodecError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return [parse_line(each) for each in text.splitlines(keepends=True) if each.endswith("\n")]


def parse_line(text: str) -> PracticeEvent:
    """The event of one line of the file. Raises CodecError."""
    try:
        event: PracticeEvent = decode(PracticeEvent, json.loads(text))
    except json.JSONDecodeError as error:
        raise CodecError(f"not a line of a practice log: {error}") from error
    return event
