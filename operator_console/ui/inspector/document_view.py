"""A document of the record as text: searchable, copyable, never editable.

A stored answer is made readable on a worker thread: indented JSON, long texts shortened, bounded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QGuiApplication, QTextCursor, QTextDocument
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from operator_console.domain.translations import _, ngettext
from operator_console.engine.visible_text import shown_lines
from operator_console.ui.theme_colours import LIGHT, Tokens
from operator_console.ui.widgets.controls import GRID, button, column, enable, label, row_layout

MOST_MARKED = 500


class DocumentView(QWidget):
    """One document with a search field and a copy button."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._tokens = LIGHT
        self._document: Document | None = None
        rows = column(self, spacing=GRID // 2)
        line = row_layout(spacing=GRID)
        self.search = QLineEdit()
        self.search.setAccessibleName(_("Search"))
        self.search.setPlaceholderText(_("Search"))
        self.search.setMaximumWidth(280)
        self.found = label(role="secondary")
        self.next = button(_("Find next"))
        self.copy = button(_("Copy all"))
        line.addWidget(self.search, 1)
        line.addWidget(self.next)
        line.addWidget(self.found)
        line.addStretch(1)
        line.addWidget(self.copy)
        rows.addLayout(line)
        self.text = QPlainTextEdit()
        self.text.setProperty("role", "document")
        self.text.setReadOnly(True)
        self.text.setAccessibleName(name)
        self.text.setTabChangesFocus(True)
        rows.addWidget(self.text, 1)
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(1_500)
        self._copied.timeout.connect(self._copy_again)
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self._find_next)
        self.next.clicked.connect(self._find_next)
        self.copy.clicked.connect(self._copy)
        self.say(_("Loading…"))

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._tokens = tokens
        self._search()

    def say(self, words: str) -> None:
        """Show a sentence instead of a document."""
        self._document = None
        self.text.setPlainText(words)
        self._show_buttons(words)

    def show_document(self, document: Document) -> None:
        """Show a document."""
        self._document = document
        self.text.setPlainText(document.shown)
        self._show_buttons()
        self._search()

    def _show_buttons(self, why_not: str = "") -> None:
        for widget in (self.search, self.next, self.copy):
            enable(widget, why_not)
        self.found.clear()

    def _search(self, _text: str = "") -> None:
        """Mark every match and go to the first one from here."""
        wanted = self.search.text()
        marks: list[QTextEdit.ExtraSelection] = []
        count = 0
        if wanted and self._document is not None:
            count = self._document.shown.casefold().count(wanted.casefold())
            at = self.text.document().find(wanted)
            while not at.isNull() and len(marks) < MOST_MARKED:
                mark = QTextEdit.ExtraSelection()
                mark.cursor = at
                mark.format.setBackground(QColor(self._tokens.accent_soft))
                mark.format.setForeground(QColor(self._tokens.accent))
                marks.append(mark)
                at = self.text.document().find(wanted, at)
            cursor = self.text.textCursor()
            cursor.setPosition(cursor.selectionStart())
            self.text.setTextCursor(cursor)
            self._find(wanted)
        self.text.setExtraSelections(marks)
        self.found.setText(
            (ngettext("{count} match", "{count} matches", count).format(count=count) if count else _("Not found"))
            if wanted and self._document is not None
            else ""
        )

    def _find_next(self) -> None:
        if self.search.text():
            self._find(self.search.text())

    def _find(self, wanted: str) -> None:
        if not self.text.find(wanted):
            self.text.moveCursor(QTextCursor.MoveOperation.Start)
            self.text.find(wanted, QTextDocument.FindFlag(0))

    def _copy(self) -> None:
        if self._document is not None:
            QGuiApplication.clipboard().setText(self._document.whole)
            self.copy.setText(_("Copied"))
            self._copied.start()

    def _copy_again(self) -> None:
        self.copy.setText(_("Copy all"))


LONGEST_STRING, LONGEST_LINE, LONGEST_SHOWN, LONGEST_COPIED = 2_000, 2_000, 100_000, 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text for the screen and the same, longer, for the clipboard; both "" for nothing."""

    shown: str
    whole: str


def readable_document(data: bytes) -> Document:
    """JSON or other text from a record; what is no text is shown with replacement characters."""
    text = data[:LONGEST_COPIED].decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Document(shown=_bounded(text), whole=text)
    whole = json.dumps(value, indent=2, ensure_ascii=False)
    return Document(shown=_bounded(json.dumps(_shortened(value), indent=2, ensure_ascii=False)), whole=whole)


def _shortened(value: Any) -> Any:
    match value:
        case str() if len(value) > LONGEST_STRING:
            return f"{value[:LONGEST_STRING]} {_rest(len(value) - LONGEST_STRING)}"
        case dict():
            return {key: _shortened(inner) for key, inner in value.items()}
        case list():
            return [_shortened(inner) for inner in value]
        case _:
            return value


def _bounded(text: str) -> str:
    """At most so many characters, in lines that a widget lays out at once, without hidden characters."""
    rest = len(text) - LONGEST_SHOWN
    lines = shown_lines(text[:LONGEST_SHOWN]).split("\n")
    broken = [line[start : start + LONGEST_LINE] for line in lines for start in range(0, len(line) or 1, LONGEST_LINE)]
    return "\n".join([*broken, _rest(rest)] if rest > 0 else broken)


def _rest(count: int) -> str:
    """Stands for the rest of a long text."""
    return ngettext("… {count} more character", "… {count} more characters", count).format(count=count)
