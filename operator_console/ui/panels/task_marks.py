"""Line numbers and marks in the task field while a runbook is written or runs: the mistake, and the running line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from operator_console.ui.theme_colours import LIGHT, Tokens

_PAD = 5


class LineNumbers(QWidget):
    """The numbers at the left of the text. The line with the mistake and the running one stand out."""

    def __init__(self, marks: TaskMarks, task: QPlainTextEdit) -> None:
        super().__init__(task)
        self._marks, self._task = marks, task

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the numbers of the lines in view."""
        marks, task = self._marks, self._task
        tokens = marks.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.chip))
        block = task.firstVisibleBlock()
        top = task.blockBoundingGeometry(block).translated(task.contentOffset()).top()
        while block.isValid() and top <= self.height():
            height = task.blockBoundingRect(block).height()
            line = block.blockNumber() + 1
            font = QFont(task.font())
            font.setBold(line in (marks.mistake_line, marks.running_line))
            painter.setFont(font)
            colour = tokens.stop_text if line == marks.mistake_line else tokens.secondary
            painter.setPen(QColor(tokens.accent if line == marks.running_line else colour))
            first = task.fontMetrics().lineSpacing()
            area = QRect(0, round(top), self.width() - _PAD, first)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(area, right, "▸" if line == marks.running_line else str(line))
            if line == marks.mistake_line:
                painter.fillRect(QRect(0, round(top), 3, round(height)), QColor(tokens.stop_text))
            top += height
            block = block.next()
        painter.end()


class TaskMarks(QObject):
    """Marks in one task field; shown while `show_lines` is on.

    Attributes:
        mistake_line, running_line: counted from 1; 0 for none.
    """

    def __init__(self, task: QPlainTextEdit) -> None:
        super().__init__(task)
        self._task = task
        self.tokens: Tokens = LIGHT
        self.mistake_line = self.running_line = 0
        self._column = 0
        self._numbers = LineNumbers(self, task)
        self._numbers.hide()
        task.updateRequest.connect(self._updated)
        task.blockCountChanged.connect(self._fit)
        task.installEventFilter(self)

    @property
    def lines_shown(self) -> bool:
        """Whether lines are numbered."""
        return not self._numbers.isHidden()

    def set_tokens(self, tokens: Tokens) -> None:
        """Use a theme's colours."""
        self.tokens = tokens
        self._mark()

    def show_lines(self, shown: bool) -> None:
        """Number the lines, or show plain text without marks."""
        self._numbers.setVisible(shown)
        self._fit()
        self._mark()

    def show_mistake(self, line: int, column: int = 0) -> None:
        """Mark a mistake: its word, or the whole line with column 0; line 0 for none."""
        self.mistake_line, self._column = line, column
        self._mark()

    def show_running(self, line: int) -> None:
        """Mark the running line and bring it into view; 0 for none."""
        if line == self.running_line:
            return
        self.running_line = line
        self._mark()
        block = self._block(line)
        if block is not None:
            self._task.setTextCursor(QTextCursor(block))
            self._task.ensureCursorVisible()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the field."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange):
            self._fit()
        return super().eventFilter(watched, event)

    def _block(self, line: int) -> QTextBlock | None:
        block = self._task.document().findBlockByNumber(line - 1)
        return block if line > 0 and block.isValid() else None

    def _mark(self) -> None:
        found: list[QTextEdit.ExtraSelection] = []
        if self.lines_shown and (block := self._block(self.running_line)) is not None:
            others = QTextCharFormat()
            others.setForeground(QColor(self.tokens.secondary))  # the field is disabled while it runs
            whole = QTextCursor(block)
            whole.select(QTextCursor.SelectionType.Document)
            found.append(_selection(whole, others))
            form = QTextCharFormat()
            form.setBackground(QColor(self.tokens.accent_soft))
            form.setForeground(QColor(self.tokens.text))
            form.setProperty(QTextFormat.Property.FullWidthSelection, True)
            found.append(_selection(QTextCursor(block), form))
        if self.lines_shown and (block := self._block(self.mistake_line)) is not None:
            form = QTextCharFormat()
            form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            form.setUnderlineColor(QColor(self.tokens.stop_text))
            found.append(_selection(_word(block, self._column), form))
        self._task.setExtraSelections(found)
        self._numbers.update()

    def _fit(self) -> None:
        task = self._task
        digits = len(str(max(9, task.blockCount())))
        width = task.fontMetrics().horizontalAdvance("9" * digits) + 2 * _PAD + 3 if self.lines_shown else 0
        task.setViewportMargins(width, 0, 0, 0)
        area = task.viewport().geometry()
        self._numbers.setGeometry(area.x() - width, area.y(), width, area.height())

    def _updated(self, _rect: QRect, _dy: int) -> None:
        self._numbers.update()


def _selection(cursor: QTextCursor, form: QTextCharFormat) -> QTextEdit.ExtraSelection:
    made = QTextEdit.ExtraSelection()
    made.cursor, made.format = cursor, form
    return made


def _word(block: QTextBlock, column: int) -> QTextCursor:
    """From the column to the end of its word; at the end of a line, its last word; with column 0 the whole line."""
    text = block.text()
    start = min(max(column - 1, 0), len(text))
    end = len(text)
    if column:
        if not text[start:].strip():
            start = len(text.rstrip()) - len(text.split()[-1]) if text.strip() else 0
        space = text.find(" ", start)
        end = space if space > start else end
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + start)
    cursor.setPosition(block.position() + max(end, start), QTextCursor.MoveMode.KeepAnchor)
    return cursor
