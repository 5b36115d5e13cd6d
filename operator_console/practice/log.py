"""What the practice window writes down: one JSON line for everything that was done to it, readable while it runs.

The judge (`verdict`) and the tests read this file and nothing else of the window. Called by `window` (writes),
`run_support` and `verdict` (read).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from operator_console.domain.codec import CodecError, decode, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The window is on the screen. `window_id` is the platform's; `scale` device pixels per logical one."""

    kind: Literal["ready"] = "ready"
    pid: int
    window_id: int
    width: int
    height: int
    scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A pointer button went down at (x, y), device pixels of the window's client area; `count` 2: a double click."""

    kind: Literal["pressed"] = "pressed"
    widget: str
    button: str
    x: int
    y: int
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicked:
    """A button of the window did its work."""

    kind: Literal["clicked"] = "clicked"
    button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """A field's whole text after a change."""

    kind: Literal["typed"] = "typed"
    field: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A line of the list: `how` is selected, starred (double click) or pinned (right click)."""

    kind: Literal["chosen"] = "chosen"
    item: str
    how: Literal["selected", "starred", "pinned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrolled:
    """The list was scrolled; `first` is the line at its top now."""

    kind: Literal["scrolled"] = "scrolled"
    first: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slid:
    """The slider was let go at `value` (0..100)."""

    kind: Literal["slid"] = "slid"
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A stroke: its points in logical pixels of the canvas, and the words it began and ended at ("" for none)."""

    kind: Literal["drawn"] = "drawn"
    points: tuple[tuple[int, int], ...]
    start: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """All that the window held when it was saved; `by` names the button or the shortcut."""

    kind: Literal["saved"] = "saved"
    by: str
    plant: str
    room: str
    notes: str
    month: str
    water: int
    strokes: int


PracticeEvent: TypeAlias = Ready | Pressed | Clicked | Typed | Chosen | Scrolled | Slid | Drawn | Saved


class PracticeLog:
    """The file, written one whole line at a time."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)

    def write(self, event: PracticeEvent) -> None:
        """Append one event: a single write, so that a reader sees all of it or nothing."""
        os.write(self._fd, line(event).encode("utf-8"))


def line(event: PracticeEvent) -> str:
    """An event as a line of the file."""
    return json.dumps(encode(event), ensure_ascii=False) + "\n"


def read_log(path: Path) -> list[PracticeEvent]:
    """The events so far. A missing file is no events; a last line without its end is left out. Raises CodecError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return [parse_line(each) for each in text.splitlines(keepends=True) if each.endswith("\n")]


def parse_line(text: str) -> PracticeEvent:
    """One line of the file. Raises CodecError."""
    try:
        event: PracticeEvent = decode(PracticeEvent, json.loads(text))
    except json.JSONDecodeError as error:
        raise CodecError(f"not a line of a practice log: {error}") from error
    return event
