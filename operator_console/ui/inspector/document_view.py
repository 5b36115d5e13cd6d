"""A document of the record as text: searchable, copyable, never editable."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QGuiApplication, QTextCursor, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from operator_console.domain.translations import _, ngettext
from operator_console.ui.inspector.readable_document import Document
from operator_console.ui.theme_colours import LIGHT, Tokens
from operator_console.ui.widgets.controls import GRID, button, column, enable, label

MOST_MARKED = 500


class DocumentView(QWidget):
    """One document with a search field and a copy button."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._tokens = LIGHT
        self._document: Document | None = None
        rows = column(self, spacing=GRID // 2)
        line = QHBoxLayout()
        line.setSpacing(GRID)
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
