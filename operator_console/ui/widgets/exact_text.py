"""A field of lines for an exact text of any length, which is edited without changing any other character of it.

Qt lays out a line as a whole, which takes seconds for one of a megabyte. Long lines are therefore kept in several
blocks of the document, of which all but the first are marked as going on from the one before. The mark is a block
format, so that undo restores it.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextBlock, QTextBlockFormat, QTextCursor, QTextFormat, QTextOption
from PySide6.QtWidgets import QPlainTextEdit

from operator_console.domain.translations import ngettext
from operator_console.engine.visible_text import is_hidden

CHUNK, LINE = 8_192, 1_000
"""Characters laid out at once, and at most in one block."""
_GOES_ON = int(QTextFormat.Property.UserProperty) + 1
_MANY = 20_000
"""Characters; a change to a longer text is told a moment later, so that typing stays fluent."""
_LATER_MS = 150
_NAMED = 6
"""Kinds of invisible characters that are named."""


class ExactTextField(QPlainTextEdit):
    """Edits a text; tabs are drawn as arrows and spaces as dots where a text has tabs.

    Signals:
        edited: the text was changed by a person or a program, not by `load` (no payload).
        complete: the whole text is laid out and can be edited (no payload).
    """

    edited = Signal()
    complete = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._original = ""
        self._rest: Iterator[str] | None = None
        self._changed = False
        self._split = False
        self._loading = QTimer(self)
        self._loading.timeout.connect(self._lay_out_next)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_LATER_MS)
        self._later.timeout.connect(self.edited)
        self.textChanged.connect(self._text_changed)

    @property
    def whole(self) -> bool:
        """Whether the whole text is laid out."""
        return self._rest is None

    def load(self, text: str) -> None:
        """Show a text; it cannot be edited until all of it is laid out."""
        self._later.stop()
        self._original, self._changed, self._split = text, False, False
        self.document().setUndoRedoEnabled(False)
        self._rest = iter(())
        self.clear()
        self._rest = iter([text[at : at + CHUNK] for at in range(0, len(text), CHUNK)])
        self._draw_tabs("\t" in text)
        self.setReadOnly(True)
        self._lay_out_next()
        if not self.whole:
            self._loading.start(0)

    def exact(self) -> str:
        """The text: exactly what was loaded, until it is changed."""
        if not self._changed:
            return self._original
        if not self._split:
            return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")
        parts: list[str] = []
        block = self.document().begin()
        while block.isValid():
            if parts and not _goes_on(block):
                parts.append("\n")
            parts.append(block.text().replace("\u2028", "\n"))
            block = block.next()
        return "".join(parts)

    def replace(self, text: str) -> None:
        """Replace everything, as a person would: it can be undone."""
        while not self.whole:
            self._lay_out_next()
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        self._insert(cursor, text)

    def hidden_words(self) -> str:
        """The invisible characters in the text, "U+202E (2 times)"; "" for none."""
        text = self.exact()
        hidden = sorted(char for char in set(text) if char not in "\n\t" and is_hidden(char))
        return ", ".join(_code(char, text.count(char)) for char in hidden[:_NAMED])

    # editing

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter begins a line of its own, also inside a long one."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.isReadOnly():
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                event.ignore()
                return
            self._insert(self.textCursor(), "\n")
            self.ensureCursorVisible()
            event.accept()
            return
        super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste or drop plain text, in blocks of a bearable length."""
        if source.hasText():
            self._insert(self.textCursor(), source.text())
            self.ensureCursorVisible()

    def _draw_tabs(self, drawn: bool) -> None:
        option = self.document().defaultTextOption()
        option.setFlags(QTextOption.Flag.ShowTabsAndSpaces if drawn else QTextOption.Flag(0))
        self.document().setDefaultTextOption(option)

    def _insert(self, cursor: QTextCursor, text: str) -> None:
        if "\t" in text:
            self._draw_tabs(True)
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        self._append(cursor, text.replace("\r\n", "\n").replace("\r", "\n"))
        cursor.endEditBlock()

    def _append(self, cursor: QTextCursor, text: str) -> None:
        room = LINE - cursor.positionInBlock()
        for place, line in enumerate(text.split("\n")):
            if place:
                cursor.insertBlock(QTextBlockFormat())
                room = LINE
            first = min(max(0, room), len(line))
            cursor.insertText(line[:first])
            room -= first
            for at in range(first, len(line), LINE):
                cursor.insertBlock(_CONTINUED)
                cursor.insertText(line[at : at + LINE])
                self._split, room = True, LINE - len(line[at : at + LINE])

    def _lay_out_next(self) -> None:
        assert self._rest is not None
        piece = next(self._rest, None)
        if piece is None:
            self._rest = None
            self._loading.stop()
            self.document().setUndoRedoEnabled(True)
            self.setReadOnly(False)
            self.moveCursor(QTextCursor.MoveOperation.Start)
            self.complete.emit()
            return
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()  # else Qt lays out and tells of each line by itself, which takes seven times as long
        self._append(cursor, piece.replace("\r\n", "\n").replace("\r", "\n"))
        cursor.endEditBlock()
        if not self._loading.isActive() and len(self._original) <= CHUNK:
            self._lay_out_next()

    def _text_changed(self) -> None:
        if self._rest is not None:
            return
        self._changed = True
        if len(self._original) > _MANY:
            self._later.start()
        else:
            self.edited.emit()


def _code(char: str, times: int) -> str:
    """An invisible character by its number, and how often it occurs."""
    code = f"U+{ord(char):04X}"
    said = ngettext("{code} ({count} time)", "{code} ({count} times)", times)
    return code if times == 1 else said.format(code=code, count=times)


def _continued() -> QTextBlockFormat:
    made = QTextBlockFormat()
    made.setProperty(_GOES_ON, True)
    return made


_CONTINUED = _continued()


def _goes_on(block: QTextBlock) -> bool:
    return bool(block.blockFormat().property(_GOES_ON))
