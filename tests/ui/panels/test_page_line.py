"""The line with the tabs and the address of a browser's page."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain.pages import Page, Tab
from operator_console.ui.panels.page_line import AddressLabel, PageLine
from operator_console.ui.view.page_words import address_of

TABS = (
    Tab(tab_id="a", url="https://example.org/", title="Shop & more"),
    Tab(tab_id="b", url="https://example.net/", title="Second", shown=True),
)
PAGE = Page(document="b:1", url="https://example.net/long/path", title="Second", tabs=TABS)


def shown(page: Page | None, why_not: str = "") -> tuple[PageLine, list[object]]:
    line = PageLine()
    line.resize(500, 60)
    told: list[object] = []
    line.tab_chosen.connect(told.append)
    line.show_page(page, why_not)
    return line, told


def test_it_is_there_for_a_browser_only(app: QApplication) -> None:
    line, _ = shown(None)
    assert line.isHidden()
    line.show_page(PAGE, "")
    assert not line.isHidden()
    line.close()


def test_one_tab_needs_no_list(app: QApplication) -> None:
    line, _ = shown(Page(document="1", url="https://example.org/", tabs=TABS[:1]))
    assert line.tabs.isHidden()
    line.close()


def test_a_chosen_tab_is_marked_only_once_the_browser_shows_it(app: QApplication) -> None:
    line, told = shown(PAGE)
    place = line.tabs.tabRect(0).center()
    QTest.mouseClick(line.tabs, Qt.MouseButton.LeftButton, pos=QPoint(place.x(), place.y()))
    assert told == [1]
    assert line.tabs.currentIndex() == 1
    line.close()


def test_no_tab_can_be_chosen_while_the_agent_may_act(app: QApplication) -> None:
    line, told = shown(PAGE, "Pause or take over to choose a tab yourself")
    QTest.mouseClick(line.tabs, Qt.MouseButton.LeftButton, pos=line.tabs.tabRect(0).center())
    QTest.keyClick(line.tabs, Qt.Key.Key_Left)
    assert told == []
    assert line.tabs.toolTip() == "Pause or take over to choose a tab yourself"
    line.close()


def test_tabs_that_were_closed_go(app: QApplication) -> None:
    line, told = shown(PAGE)
    line.show_page(Page(document="a:1", url="https://example.org/", tabs=(TABS[0],)), "")
    assert (line.tabs.count(), told) == (1, [])
    line.close()


def test_with_little_room_the_end_of_the_site_stays(app: QApplication) -> None:
    label = AddressLabel()
    label.show_address(address_of("https://bank.example.a-long-name-to-hide-the-end.evil.example/path/to/a/page"))
    wide = label.parts(2_000)
    assert "".join(wide) == label.toolTip()
    _, site, after = label.parts(120)
    assert site.startswith("…")
    assert site.endswith("example")
    assert after == ""
