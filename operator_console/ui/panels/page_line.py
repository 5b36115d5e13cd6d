"""The line above the picture of a browser: its tabs, where there are several, and the address of the page."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTabBar, QWidget

from operator_console.domain.pages import Page
from operator_console.domain.translations import _
from operator_console.ui.view.page_words import Address, address_of, tab_title
from operator_console.ui.widgets.controls import column, enable, wide

MARGIN, HEIGHT = 12, 28
_PALE = 0.72
_LEAST_TAB, _MOST_TAB, _TAB_PADDING = 64, 220, 36
"""In logical pixels; the padding is that of the style sheet at both sides, and some room."""


class AddressLabel(QWidget):
    """An address with its site in bold. With little room the path is cut in its middle, then the site on its left.

    The end of a host says whose it is.
    """

    def __init__(self) -> None:
        super().__init__()
        self._address = Address()
        self.setProperty("role", "address")
        self.setAccessibleName(_("Address of the page"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_address(self, address: Address) -> None:
        """Show this one."""
        if address != self._address:
            self._address = address
            self.setToolTip(address.whole)
            self.setAccessibleDescription(address.whole)
            self.update()

    def parts(self, width: int) -> tuple[str, str, str]:
        """The three parts as they fit into so many logical pixels."""
        plain, bold = self.fontMetrics(), QFontMetrics(self._bold())
        before, site, after = self._address.before, self._address.site, self._address.after
        room = width - plain.horizontalAdvance(before)
        if bold.horizontalAdvance(site) > room:
            before, room = "", width
        site = bold.elidedText(site, Qt.TextElideMode.ElideLeft, max(room, 0))
        room -= bold.horizontalAdvance(site)
        return before, site, plain.elidedText(after, Qt.TextElideMode.ElideMiddle, max(room, 0)) if room > 0 else ""

    def sizeHint(self) -> QSize:
        """Any width; one line high."""
        return QSize(120, max(HEIGHT, self.fontMetrics().height() + 8))

    def minimumSizeHint(self) -> QSize:
        """As `sizeHint`."""
        return self.sizeHint()

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        return font

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the three parts one after the other."""
        painter = QPainter(self)
        colour = self.palette().windowText().color()
        pale = self.palette().windowText().color()
        pale.setAlphaF(_PALE)
        x = 0
        for number, text in enumerate(self.parts(self.width())):
            site = number == 1
            painter.setFont(self._bold() if site else self.font())
            painter.setPen(colour if site or not self._address.site else pale)
            width = painter.fontMetrics().horizontalAdvance(text)
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine
            painter.drawText(QRect(x, 0, width + 2, self.height()), flags, text)
            x += width
        painter.end()


class _Tabs(QTabBar):
    """As wide as their titles, within limits: the style's own size takes the text for smaller than it is."""

    def tabSizeHint(self, index: int) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self.tabText(index)) + _TAB_PADDING
        return QSize(min(max(width, _LEAST_TAB), wide(_MOST_TAB)), super().tabSizeHint(index).height())


class PageLine(QFrame):
    """Hidden where the target is no browser.

    Signals:
        tab_chosen: the operator chose a tab; carries its number, from 1. It is marked once the browser shows it.
    """

    tab_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "stagebar")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        rows = column(self, spacing=0, margins=(MARGIN, 0, MARGIN, 2))
        self.tabs = _Tabs()
        self.tabs.setAccessibleName(_("Tabs"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabs.setUsesScrollButtons(True)
        self.address = AddressLabel()
        rows.addWidget(self.tabs)
        rows.addWidget(self.address)
        self._shown = -1
        self.tabs.currentChanged.connect(self._tab_changed)
        self.hide()

    def show_page(self, page: Page | None, why_not: str) -> None:
        """Show a page; None hides the line. `why_not`: why no tab can be chosen now, "" if one can."""
        self.setVisible(page is not None)
        if page is None:
            return
        self.address.show_address(address_of(page.url))
        self._show_tabs(page)
        enable(self.tabs, why_not)

    def _show_tabs(self, page: Page) -> None:
        bar = self.tabs
        bar.blockSignals(True)
        while bar.count() > len(page.tabs):
            bar.removeTab(bar.count() - 1)
        for place, tab in enumerate(page.tabs):
            title = tab_title(tab.title, tab.url).replace("&", "&&")
            if place >= bar.count():
                bar.addTab(title)
            elif bar.tabText(place) != title:
                bar.setTabText(place, title)
            bar.setTabToolTip(place, address_of(tab.url).whole)
        self._shown = next((place for place, tab in enumerate(page.tabs) if tab.shown), -1)
        bar.setCurrentIndex(self._shown)
        bar.blockSignals(False)
        bar.setVisible(len(page.tabs) > 1)

    def _tab_changed(self, place: int) -> None:
        if place < 0 or place == self._shown:
            return
        self.tabs.blockSignals(True)
        self.tabs.setCurrentIndex(self._shown)
        self.tabs.blockSignals(False)
        self.tab_chosen.emit(place + 1)
