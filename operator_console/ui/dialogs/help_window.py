"""The help window: contents and search at the left, a page at the right. Not modal.

Pages are read, and made into documents, off the window's loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping, Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QFont,
    QFontInfo,
    QFontMetrics,
    QKeySequence,
    QPainter,
    QShortcut,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextBrowser,
    QTextEdit,
    QWidget,
)

from operator_console.domain.errors import ConsoleError
from operator_console.domain.translations import _, ngettext
from operator_console.ui.bridge import Bridge
from operator_console.ui.theme_colours import Theme, Tokens
from operator_console.ui.view.help_pages import FIRST, Found, HelpPage, load_pages, search, slug, spellings
from operator_console.ui.web_links import open_web_page
from operator_console.ui.widgets.controls import GRID, ElidedLabel, button, column, enable, label, row_layout
from operator_console.ui.widgets.divider import Divider
from operator_console.ui.widgets.window_size import WindowSize
from operator_console.ui.widgets.wrapped_lines import wrapped_lines
from operator_console.ui.window import MainWindow
from operator_console.ui.window_place import Part

PLACE = Qt.ItemDataRole.UserRole
SIZE, LEAST = QSize(940, 700), QSize(560, 380)
CONTENTS_WIDTH = 250
SEARCH_MS = 150


class HelpWindow(QWidget):
    """Shows pages that it is handed.

    Signals:
        wanted: a page should be shown; carries "name" or "name#anchor". The caller answers with `show_page`.
        closed: no payload.
    """

    wanted = Signal(object)
    closed = Signal()

    def __init__(self, chosen_sizes: MutableMapping[Part, int], parent: QWidget | None = None) -> None:
        """`chosen_sizes`: where the sizes of the window and of its contents that a person chose are kept."""
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(_("Help — Operator console"))
        self.setProperty("role", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumSize(LEAST)
        WindowSize(self, chosen_sizes, (Part.HELP_WIDTH, Part.HELP_HEIGHT), SIZE)
        self._pages: tuple[HelpPage, ...] = ()
        self._past: list[str] = []
        self._future: list[str] = []
        self._at = ""
        self._tokens: Tokens | None = None
        rows = column(self, spacing=0)
        rows.addLayout(self._head())
        middle = Divider(chosen_sizes, Part.HELP_CONTENTS)
        side = self._side()
        middle.addWidget(side)
        self.page = QTextBrowser()
        self.page.setAccessibleName(_("Help page"))
        self.page.setOpenLinks(False)
        self.page.setProperty("role", "help")
        middle.addWidget(self.page)
        middle.keep(side, lambda: CONTENTS_WIDTH, self.page)
        rows.addWidget(middle, 1)
        self._where = ElidedLabel(role="secondary", pad=32)
        self._where.setContentsMargins(16, 2, 16, 4)
        rows.addWidget(self._where)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SEARCH_MS)
        self._connect()

    def _head(self) -> QHBoxLayout:
        head = row_layout(spacing=GRID, margins=(12, GRID, 12, GRID))
        self.back, self.forward = button(_("Back")), button(_("Forward"))
        self._title = ElidedLabel(role="title")
        head.addWidget(self.back)
        head.addWidget(self.forward)
        head.addWidget(self._title, 1)
        return head

    def _side(self) -> QWidget:
        side = QWidget()
        rows = column(side, spacing=GRID, margins=(12, 4, 4, 12))
        self.search = QLineEdit()
        self.search.setPlaceholderText(_("Search the help"))
        self.search.setAccessibleName(_("Search the help"))
        self.search.setClearButtonEnabled(True)
        self._count = label(role="secondary", wrap=True)
        self._count.hide()
        self.contents = QListWidget()
        self.contents.setProperty("role", "boxed")
        self.contents.setAccessibleName(_("Contents"))
        self.contents.setWordWrap(True)
        self.contents.setResizeMode(QListWidget.ResizeMode.Adjust)
        self._found_rows = FoundRows(self.contents)
        self.contents.setItemDelegate(self._found_rows)
        self.contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.addWidget(self.search)
        rows.addWidget(self._count)
        rows.addWidget(self.contents, 1)
        return side

    def _connect(self) -> None:
        self.search.textChanged.connect(self._soon.start)
        self.search.returnPressed.connect(self._first_found)
        self._soon.timeout.connect(self._search)
        self.contents.itemClicked.connect(self._chosen)
        self.contents.itemActivated.connect(self._chosen)
        self.page.anchorClicked.connect(self._link)
        self.page.highlighted.connect(self._pointed)
        self.back.clicked.connect(self.go_back)
        self.forward.clicked.connect(self.go_forward)
        for keys, slot in (
            (QKeySequence(QKeySequence.StandardKey.Back), self.go_back),
            (QKeySequence(QKeySequence.StandardKey.Forward), self.go_forward),
            (QKeySequence(QKeySequence.StandardKey.Find), self._find),
            (QKeySequence(Qt.Key.Key_Escape), self.close),
            (QKeySequence(QKeySequence.StandardKey.Close), self.close),
        ):
            QShortcut(keys, self).activated.connect(slot)

    # pages

    def show_contents(self, pages: Sequence[HelpPage]) -> None:
        """Take the pages, and list them."""
        self._pages = tuple(pages)
        self._list_contents()

    def open_page(self, place: str) -> None:
        """Go to a page; Back leads to the one before."""
        if self._at and place != self._at:
            self._past.append(self._at)
            self._future.clear()
        self._go(place)

    def show_page(self, place: str, title: str, document: QTextDocument, tokens: Tokens) -> None:
        """Show a page that was wanted, unless another one was wanted since."""
        from operator_console.ui.dialogs.help_document import block_of  # not needed before Start can be pressed

        if place != self._at:
            return
        self._tokens = self._found_rows.tokens = tokens
        document.setParent(self.page)
        self.page.setDocument(document)  # which deletes the one before
        self._title.set_whole(title)
        self._mark_words()
        anchor = place.partition("#")[2]
        block = block_of(document, anchor) if anchor else None
        if block is not None:
            self.page.setTextCursor(QTextCursor(block))
            top = document.documentLayout().blockBoundingRect(block).top()
            self.page.verticalScrollBar().setValue(max(0, round(top) - GRID))
        self._choose_current()

    def text_font(self) -> QFont:
        """The font of the text, with its size in pixels."""
        self.page.ensurePolished()
        font = QFont(self.page.font())
        font.setPixelSize(QFontInfo(font).pixelSize())
        return font

    def go_back(self) -> None:
        """To the page before."""
        if self._past:
            self._future.append(self._at)
            self._go(self._past.pop())

    def go_forward(self) -> None:
        """To the page from which Back was pressed."""
        if self._future:
            self._past.append(self._at)
            self._go(self._future.pop())

    @property
    def place(self) -> str:
        """The page that is shown, with its anchor."""
        return self._at

    def _go(self, place: str) -> None:
        self._at = place
        enable(self.back, "" if self._past else _("There is no page before this one."), tip=_("Back (Alt+Left)"))
        enable(
            self.forward, "" if self._future else _("There is no page after this one."), tip=_("Forward (Alt+Right)")
        )
        self.wanted.emit(place)

    # contents and search

    def _list_contents(self) -> None:
        self.contents.clear()
        self._count.hide()
        group = ""
        for page in self._pages:
            if page.group and page.group != group:
                group = page.group
                heading = QListWidgetItem(group)
                heading.setFlags(Qt.ItemFlag.NoItemFlags)
                font = self.font()
                font.setBold(True)
                heading.setFont(font)
                self.contents.addItem(heading)
            if page.group:
                item = QListWidgetItem(page.title)
                item.setData(PLACE, page.name)
                self.contents.addItem(item)
        self._choose_current()

    def _list_found(self, found: Sequence[Found]) -> None:
        self.contents.clear()
        self._count.setText(
            ngettext("{count} place", "{count} places", len(found)).format(count=len(found))
            if found
            else _("No page has these words. Try fewer, or one word only.")
        )
        self._count.show()
        for each in found:
            title = each.page.title if each.heading == each.page.title else f"{each.page.title}: {each.heading}"
            item = QListWidgetItem(f"{title}\n{each.words}")
            item.setData(PLACE, f"{each.page.name}#{slug(each.heading)}")
            self.contents.addItem(item)

    def _search(self) -> None:
        wanted = self.search.text().strip()
        if wanted:
            self._list_found(search(self._pages, wanted))
        else:
            self._list_contents()
        self._mark_words()

    def _first_found(self) -> None:
        self._soon.stop()
        self._search()
        item = self.contents.item(0)
        if self.search.text().strip() and self.contents.count():
            self.contents.setCurrentRow(0)
            self._chosen(item)

    def _mark_words(self) -> None:
        """Mark what is searched for in the page."""
        marks: list[QTextEdit.ExtraSelection] = []
        document = self.page.document()
        wanted = self.search.text().lower().split() if self._tokens is not None else ()
        for word in (spelling for each in wanted for spelling in spellings(each)):
            cursor = document.find(word)
            while not cursor.isNull() and len(marks) < 500:
                mark = QTextEdit.ExtraSelection()
                mark.cursor = cursor
                form = QTextCharFormat()
                assert self._tokens is not None
                form.setBackground(QColor(self._tokens.accent_soft))
                form.setForeground(QColor(self._tokens.accent))
                mark.format = form
                marks.append(mark)
                cursor = document.find(word, cursor)
        self.page.setExtraSelections(marks)

    def _choose_current(self) -> None:
        if self.search.text().strip():
            return
        name = self._at.partition("#")[0]
        for row in range(self.contents.count()):
            if self.contents.item(row).data(PLACE) == name:
                self.contents.setCurrentRow(row)

    # event handlers

    def _chosen(self, item: QListWidgetItem) -> None:
        place = item.data(PLACE)
        if place:
            self.open_page(str(place))

    def _link(self, url: QUrl) -> None:
        place = place_of(url, self._at)
        if place:
            self.open_page(place)
        else:
            open_web_page(url.toString())

    def _pointed(self, url: QUrl) -> None:
        self._where.set_whole(url.toString() if url.scheme() in ("http", "https") else "")

    def _find(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Tell that it is closed."""
        super().closeEvent(event)
        self.closed.emit()


def place_of(url: QUrl, at: str) -> str:
    """The page and heading that a link of a page leads to; "" if it leads out of the help."""
    if url.scheme() or url.host():
        return ""
    name = url.path().removesuffix(".md") or at.partition("#")[0]
    anchor = url.fragment()
    return f"{name}#{anchor}" if anchor else name


ROW_SIDE, ROW_PAD = 12, 5
"""Space beside and above the words, in logical pixels; as other rows of the list have it."""
TITLE_LINES, WORDS_LINES = 3, 6

Index = QModelIndex | QPersistentModelIndex


class FoundRows(QStyledItemDelegate):
    """Paints what a search finds: the heading of a place, and below it the words around what was searched for.

    A row's text is "title, line break, words"; one without a line break is painted as usual.

    Args:
        view: the list.
    """

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self.tokens: Tokens | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As high as the lines at the present width of the list."""
        title, words = _parts(index)
        if not words:
            return super().sizeHint(option, index)
        width = self._view.viewport().width()
        lines = _lines(title, words, option.font, width - 2 * ROW_SIDE)
        height = sum(len(part) * QFontMetrics(font).height() for font, part in lines)
        return QSize(width, height + 2 * ROW_PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The title in bold, the words in the secondary colour."""
        title, words = _parts(index)
        if not words or self.tokens is None:
            super().paint(painter, option, index)
            return
        empty = QStyleOptionViewItem(option)
        self.initStyleOption(empty, index)
        empty.text = ""
        self._view.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, empty, painter, self._view)
        painter.save()
        area = option.rect.adjusted(ROW_SIDE, ROW_PAD, -ROW_SIDE, -ROW_PAD)
        top = area.top()
        colours = (self.tokens.text, self.tokens.secondary)
        for (font, lines), colour in zip(_lines(title, words, option.font, area.width()), colours, strict=True):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            height = QFontMetrics(font).height()
            for line in lines:
                painter.drawText(QRect(area.left(), top, area.width(), height), Qt.TextFlag.TextSingleLine, line)
                top += height
        painter.restore()


def _parts(index: Index) -> tuple[str, str]:
    title, _, words = str(index.data() or "").partition("\n")
    return title, words


def _lines(title: str, words: str, font: QFont, width: int) -> tuple[tuple[QFont, list[str]], ...]:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return (bold, wrapped_lines(title, bold, width, TITLE_LINES)), (
        font,
        wrapped_lines(words, font, width, WORDS_LINES),
    )


TASK = "help"


class HelpController(QObject):
    """One help window for the console."""

    def __init__(self, bridge: Bridge, window: MainWindow, theme: Theme) -> None:
        super().__init__()
        self._bridge, self._parent, self._theme = bridge, window, theme
        self._pages: dict[str, HelpPage] = {}
        self.window: HelpWindow | None = None
        theme.changed.connect(self._theme_changed)

    def open(self, page: object = FIRST) -> None:
        """Show a page: the name of its file without ".md", with "#heading" if that is wanted."""
        place = page if isinstance(page, str) and page else FIRST
        if self.window is None:
            self.window = HelpWindow(self._parent.chosen_sizes)
            self.window.setWindowIcon(self._parent.windowIcon())
            self.window.wanted.connect(self._wanted)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        self.window.open_page(place)

    def close(self) -> None:
        """Close the window."""
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None

    def _wanted(self, place: object) -> None:
        self._bridge.run(TASK, self._show(str(place)))

    async def _show(self, place: str) -> None:
        from operator_console.ui.dialogs.help_document import make_document  # as above

        if not self._pages:
            self._pages = {page.name: page for page in await asyncio.to_thread(load_pages)}
            if self.window is not None:
                self.window.show_contents(tuple(self._pages.values()))
        page = self._pages.get(place.partition("#")[0])
        if page is None:
            raise ConsoleError(_("There is no help page “{name}”.").format(name=place))
        if self.window is None:
            return
        tokens, font, home = self._theme.tokens, self.window.text_font(), self.window.thread()
        document = await asyncio.to_thread(make_document, page.text, tokens, font, home)
        if self.window is not None:
            self.window.show_page(place, page.title, document, tokens)

    def _theme_changed(self, _tokens: object) -> None:
        if self.window is not None and self.window.place:
            self._wanted(self.window.place)
