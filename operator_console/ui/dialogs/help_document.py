"""A help page as a document: markdown with headings, code and tables in the window's colours.

A long page takes up to 0.1 s to read, so it is made in another thread.
"""

from __future__ import annotations

from PySide6.QtCore import QThread
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextList,
    QTextTable,
)

from operator_console.ui.theme_colours import Tokens
from operator_console.ui.view.help_pages import slug

_HEADING_SCALE = {1: 1.6, 2: 1.25, 3: 1.1}
"""Sizes of headings against the text's."""
_CODE_PADDING = 10
_MONO = ["DejaVu Sans Mono", "Noto Sans Mono", "Consolas", "Menlo", "monospace"]


def make_document(text: str, tokens: Tokens, font: QFont, home: QThread) -> QTextDocument:
    """The page, ready to be shown in `home`, the thread of the widgets. Callable in any thread.

    Args:
        text: markdown.
        tokens: the colours.
        font: of the text, with its size in pixels.
        home: the thread of the widgets.
    """
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setDefaultFont(font)
    document.setDocumentMargin(24)
    document.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
    block = document.begin()
    while block.isValid():
        _dress_block(block, tokens, font)
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _dress_table(frame, tokens)
    for first, last in reversed(_code(document)):
        _frame_code(document, first, last, tokens)
    document.moveToThread(home)
    return document


def block_of(document: QTextDocument, anchor: str) -> QTextBlock | None:
    """The heading that a link names; None if there is none."""
    block = document.begin()
    while block.isValid():
        if block.blockFormat().headingLevel() and slug(block.text()) == anchor:
            return block
        block = block.next()
    return None


def in_table(cursor: QTextCursor) -> QTextTable | None:
    """The table around a place: PySide's types leave out that there may be none."""
    return cursor.currentTable()


def in_list(block: QTextBlock) -> QTextList | None:
    """The list that a line belongs to."""
    return block.textList()


def _is_code(block: QTextBlock) -> bool:
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)


def _dress_block(block: QTextBlock, tokens: Tokens, font: QFont) -> None:
    form = QTextBlockFormat()
    cursor = QTextCursor(block)
    level = block.blockFormat().headingLevel()
    if level:
        form.setTopMargin(6 if level == 1 else 18)
        form.setBottomMargin(6)
        letters = QTextCharFormat()
        pixels = round(_HEADING_SCALE.get(level, 1.0) * font.pixelSize())
        letters.setProperty(QTextFormat.Property.FontPixelSize, pixels)
        letters.setFontWeight(QFont.Weight.DemiBold)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(letters)  # merged, markdown's own adjustment of the size would count instead
    elif _is_code(block):
        form.setTopMargin(0)
        form.setBottomMargin(0)
        form.setLeftMargin(0)
        form.setNonBreakableLines(False)
    elif in_table(cursor) is None:
        form.setLineHeight(120, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        form.setBottomMargin(4 if in_list(block) is not None else 8)
    cursor = QTextCursor(block)
    cursor.mergeBlockFormat(form)
    _dress_letters(block, tokens)


def _code(document: QTextDocument) -> list[tuple[int, int]]:
    """Where each piece of code begins and ends: the positions of its first and behind its last letter."""
    found: list[tuple[int, int]] = []
    block = document.begin()
    while block.isValid():
        if _is_code(block):
            first = found.pop()[0] if _is_code(block.previous()) else block.position()
            found.append((first, block.position() + block.length() - 1))
        block = block.next()
    return found


def _frame_code(document: QTextDocument, first: int, last: int, tokens: Tokens) -> None:
    """A frame around a piece of code: the background of lines alone would begin at their first letter."""
    cursor = QTextCursor(document)
    cursor.setPosition(first)
    code = cursor.blockFormat()
    cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
    form = QTextFrameFormat()
    form.setBackground(QBrush(QColor(tokens.chip)))
    form.setPadding(_CODE_PADDING)
    form.setTopMargin(4)
    form.setBottomMargin(10)
    frame = cursor.insertFrame(form)
    frame.firstCursorPosition().setBlockFormat(code)
    # The frame was put between two lines that are empty now. Each goes into its neighbour, which keeps its format.
    for place, behind in ((frame.lastPosition() + 1, True), (frame.firstPosition() - 1, False)):
        cursor.setPosition(place)
        block = cursor.block()
        neighbour = block.next() if behind else block.previous()
        if not block.text() and neighbour.isValid() and in_table(QTextCursor(neighbour)) is None:
            kept = neighbour.blockFormat()
            if behind:
                cursor.deleteChar()
            else:
                cursor.deletePreviousChar()
            cursor.setBlockFormat(kept)


def _dress_letters(block: QTextBlock, tokens: Tokens) -> None:
    """Code and links in the colours of the theme."""
    parts = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        form = fragment.charFormat()
        if form.isAnchor() or form.fontFixedPitch():
            parts.append((fragment.position(), fragment.length(), form.isAnchor()))
        iterator += 1
    for at, length, link in parts:
        cursor = QTextCursor(block)
        cursor.setPosition(at)
        cursor.setPosition(at + length, QTextCursor.MoveMode.KeepAnchor)
        form = QTextCharFormat()
        if link:
            form.setForeground(QBrush(QColor(tokens.accent)))
        else:
            form.setFontFamilies(_MONO)
            if not _is_code(block):
                form.setBackground(QBrush(QColor(tokens.chip)))
        cursor.mergeCharFormat(form)


def _dress_table(table: QTextTable, tokens: Tokens) -> None:
    form = table.format()
    form.setBorder(1)
    form.setBorderCollapse(True)
    form.setBorderBrush(QBrush(QColor(tokens.line_strong)))
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setCellPadding(6)
    form.setCellSpacing(0)
    form.setTopMargin(4)
    form.setBottomMargin(12)
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table.setFormat(form)
    for place in range(table.columns()):
        cell = table.cellAt(0, place)
        head = cell.format()
        head.setBackground(QBrush(QColor(tokens.chip)))
        cell.setFormat(head)
