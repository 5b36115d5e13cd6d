"""Where the parts of a dialog are on the picture: the console draws them there, and clicks there answer the dialog.

All boxes are native pixels of the picture. The layout depends on the dialog and the size alone, so that the console and
the injector find the same parts.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.geometry import Rect, Size
from operator_console.domain.pages import DialogKind, ListOption, PageDialog

_WIDTH, _MARGIN, _LINE, _FIELD, _BUTTON_WIDTH, _BUTTON_HEIGHT, _GAP = 460, 20, 20, 30, 92, 32, 10
_COLUMN, _FEWEST_LINES, _MOST_LINES, _MOST_FILES = 8, 1, 14, 12
_ROW, _MOST_ROWS, _ROWS_A_NOTCH = 24, 20, 3
SECRET_FIELDS = {DialogKind.SIGN_IN: 1}
"""By kind, the number of the field that holds a secret."""
NO_FILES = "No file may be uploaded: there is no folder for uploads, or nothing in it that fits."
WHOLE_FOLDER = "A whole folder cannot be uploaded."
_FIELD_NAMES = {
    DialogKind.PROMPT: ("Answer",), DialogKind.SIGN_IN: ("User name", "Password"),
    DialogKind.CHOOSE_FILE: ("File name",),
}  # fmt: skip
_BUTTONS = {
    DialogKind.ALERT: ("OK", ""), DialogKind.CONFIRM: ("OK", "Cancel"), DialogKind.PROMPT: ("OK", "Cancel"),
    DialogKind.LEAVE: ("Leave", "Stay"), DialogKind.SIGN_IN: ("Sign in", "Cancel"),
    DialogKind.CHOOSE_FILE: ("Open", "Cancel"),
}  # fmt: skip


class PartKind(StrEnum):
    """What a part of a dialog is."""

    ACCEPT = "accept"
    DISMISS = "dismiss"
    FIELD = "field"
    FILE = "file"
    """A file that may be chosen: a click writes its name into the field."""
    OPTION = "option"
    """An option of a list that can be chosen."""
    DISABLED = "disabled"
    """One that cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogPart:
    """A button, field, file or option; `number` counts those of its kind from 0, or is that of the option."""

    kind: PartKind
    name: str
    box: Rect
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogLayout:
    """A dialog on the picture: its title, lines of text with their places, and its parts."""

    box: Rect
    title: str
    title_box: Rect
    lines: tuple[tuple[str, Rect], ...]
    parts: tuple[DialogPart, ...]
    scale: float

    @property
    def text(self) -> str:
        """The text without the title."""
        return "\n".join(line for line, _ in self.lines)

    @property
    def default(self) -> str:
        """The name of the button that Enter presses."""
        return next((part.name for part in self.parts if part.kind is PartKind.ACCEPT), "")

    def part_at(self, x: int, y: int) -> DialogPart | None:
        """The part at a pixel."""
        return next((part for part in self.parts if part.box.contains(x, y)), None)


def lay_out(dialog: PageDialog, size: Size, scale: float) -> DialogLayout:
    """The layout on a picture of `size` native pixels with `scale` pixels for each CSS pixel."""
    if dialog.kind is DialogKind.LIST:
        return _list_layout(dialog, size, scale)

    def box(x: int, y: int, width: int, height: int) -> Rect:
        return Rect(round(x * scale), round(y * scale), round(width * scale), round(height * scale))

    across = min(_WIDTH, int(size.width / scale) - 2 * _MARGIN)
    left, y = (int(size.width / scale) - across) // 2, _MARGIN
    inner_left, inner = left + _MARGIN, across - 2 * _MARGIN
    top = y
    y += _MARGIN
    title_box = box(inner_left, y, inner, _LINE)
    y += _LINE + _GAP
    lines = []
    files = dialog.files[:_MOST_FILES]
    more = len(dialog.files) - len(files)
    fields = _FIELD_NAMES.get(dialog.kind, ())
    below = (len(files) + bool(more)) * _LINE + len(fields) * (_GAP + _LINE + _FIELD) + 2 * _GAP + _BUTTON_HEIGHT
    room = int(size.height / scale) - 2 * _MARGIN - (y - top) - below - _MARGIN
    for line in _lines(dialog, inner // _COLUMN, max(_FEWEST_LINES, min(_MOST_LINES, room // _LINE))):
        lines.append((line, box(inner_left, y, inner, _LINE)))
        y += _LINE
    parts = []
    for number, name in enumerate(files):
        parts.append(DialogPart(kind=PartKind.FILE, name=name, box=box(inner_left, y, inner, _LINE), number=number))
        y += _LINE
    if more:
        lines.append((f"and {more} more, by name", box(inner_left, y, inner, _LINE)))
        y += _LINE
    for number, name in enumerate(fields):
        y += _GAP
        lines.append((name, box(inner_left, y, inner, _LINE)))
        y += _LINE
        parts.append(DialogPart(kind=PartKind.FIELD, name=name, box=box(inner_left, y, inner, _FIELD), number=number))
        y += _FIELD
    y += 2 * _GAP
    right = left + across - _MARGIN
    kinds = (PartKind.ACCEPT, PartKind.DISMISS)
    for place, (kind, name) in enumerate(zip(kinds, _BUTTONS[dialog.kind], strict=True), start=1):
        if name:
            x = right - place * _BUTTON_WIDTH - (place - 1) * _GAP
            parts.append(DialogPart(kind=kind, name=name, box=box(x, y, _BUTTON_WIDTH, _BUTTON_HEIGHT)))
    y += _BUTTON_HEIGHT + _MARGIN
    return DialogLayout(
        box=box(left, top, across, y - top), title=title_of(dialog), title_box=title_box, lines=tuple(lines),
        parts=tuple(parts), scale=scale,
    )  # fmt: skip


def title_of(dialog: PageDialog) -> str:
    """The title of a dialog, which names the site that asks."""
    site = dialog.origin.partition("://")[2] or "This page"
    match dialog.kind:
        case DialogKind.SIGN_IN:
            return f"Sign in to {site}"
        case DialogKind.CHOOSE_FILE:
            return f"File upload to {site}"
        case DialogKind.LEAVE:
            return "Leave this page?"
        case DialogKind.ALERT | DialogKind.CONFIRM | DialogKind.PROMPT:
            return f"{site} says"
        case DialogKind.LIST:
            return dialog.message or "List"


def rows_of(dialog: PageDialog) -> tuple[str | ListOption, ...]:
    """The rows of a list: its options, with the name of a group before its first one."""
    rows: list[str | ListOption] = []
    group = ""
    for option in dialog.options:
        if option.group and option.group != group:
            rows.append(option.group)
        group = option.group
        rows.append(option)
    return tuple(rows)


def scrolled(dialog: PageDialog, layout: DialogLayout, notches: int) -> int:
    """The first row of a list after scrolling it."""
    shown = len(layout.parts) + len(layout.lines)
    last = max(0, len(rows_of(dialog)) - shown)
    return min(max(0, min(dialog.first, last) + notches * _ROWS_A_NOTCH), last)


def _list_layout(dialog: PageDialog, size: Size, scale: float) -> DialogLayout:
    """Below its element, or above it where there is more room."""
    x, y, width, height = dialog.beside
    page_width, page_height = size.width / scale, size.height / scale
    rows = rows_of(dialog)
    below, above = page_height - (y + height), y
    wanted = min(len(rows), _MOST_ROWS) * _ROW + 2
    is_below = wanted <= below or below >= above
    count = max(1, min(len(rows), _MOST_ROWS, int((max(below if is_below else above, 3 * _ROW) - 2) // _ROW)))
    names = [row if isinstance(row, str) else row.name for row in rows]
    across = min(max(width, 8 * max(map(len, names), default=0) + 36), page_width)
    left = max(0.0, min(x, page_width - across))
    top = y + height if is_below else y - count * _ROW - 2
    top = max(0.0, min(top, page_height - count * _ROW - 2))

    def box(x: float, y: float, width: float, height: float) -> Rect:
        return Rect(round(x * scale), round(y * scale), round(width * scale), round(height * scale))

    first = max(0, min(dialog.first, len(rows) - count))
    parts, lines = [], []
    for place, row in enumerate(rows[first : first + count]):
        where = box(left + 1, top + 1 + place * _ROW, across - 2, _ROW)
        if isinstance(row, str):
            lines.append((row, where))
        else:
            kind = PartKind.DISABLED if row.disabled else PartKind.OPTION
            parts.append(DialogPart(kind=kind, name=row.name, box=where, number=row.number))
    return DialogLayout(
        box=box(left, top, across, count * _ROW + 2), title=title_of(dialog), title_box=Rect(0, 0, 0, 0),
        lines=tuple(lines), parts=tuple(parts), scale=scale,
    )  # fmt: skip


def _lines(dialog: PageDialog, columns: int, most: int) -> list[str]:
    match dialog.kind:
        case DialogKind.LEAVE:
            text = "Changes that you made may not be saved."
        case DialogKind.CHOOSE_FILE if not (dialog.files or dialog.message):
            text = NO_FILES
        case _:
            text = dialog.message
    wrapped = [part for line in text.splitlines() for part in _wrapped(line, columns)]
    return wrapped if len(wrapped) <= most else [*wrapped[: most - 1], "…"]


def _wrapped(line: str, columns: int) -> list[str]:
    """The line in pieces of at most so many columns, cut between words where they are not too long."""
    pieces, piece, width = [], "", 0
    for word in re.findall(r"\s*\S+", line):
        room = columns - width
        if _columns(word) > room and piece and _columns(word.strip()) <= columns:
            pieces.append(piece)
            word, piece, width = word.lstrip(), "", 0  # noqa: PLW2901
        for character in word:
            wide = _columns(character)
            if width + wide > columns:
                pieces.append(piece)
                piece, width = "", 0
            piece += character
            width += wide
    return [*pieces, piece]


def _columns(text: str) -> int:
    """How wide it is, in letters: those of Chinese and the like are twice as wide."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
