"""The help window: its pages, links, search and history."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import Qt, QThread, QUrl
from PySide6.QtGui import QFont, QTextCursor, QTextDocument, QTextTable
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.ui.console import Console
from operator_console.ui.dialogs import help_window
from operator_console.ui.dialogs.help_document import block_of, make_document
from operator_console.ui.dialogs.help_window import HelpWindow, place_of
from operator_console.ui.theme_colours import DARK, LIGHT
from operator_console.ui.view.help_pages import load_pages, search, spellings
from tests.ui.conftest import Run, until
from tests.ui.test_console import opened

PAGES = load_pages()


def test_the_pages_come_in_the_order_of_the_contents_each_with_its_title() -> None:
    names = [page.name for page in PAGES]
    assert names[:2] == ["index", "first-steps"]
    assert "runbook" in names
    assert len(names) == len(set(names)) == 16
    assert all(page.text.startswith("# ") and page.title for page in PAGES)
    assert {page.group for page in PAGES if page.name != "index"} == {"Start here", "Reference", "For developers"}


def test_a_search_finds_sections_with_all_the_words_and_shows_what_stands_around() -> None:
    found = search(PAGES, "double-click")
    assert any(each.page.name == "runbook" and each.heading == "Steps" for each in found)
    assert all("`" not in each.words for each in found)
    assert search(PAGES, "double-click nowhereatall") == ()
    assert search(PAGES, "  ") == ()
    assert search(PAGES, "troubleshooting")[0].heading == "Troubleshooting"


@pytest.mark.parametrize("word", ["minimized", "Minimised", "minimize", "color", "canceled"])
def test_a_search_finds_british_and_american_spellings(word: str) -> None:
    found = search(PAGES, word)
    assert found
    assert any(spelling in each.words.lower() for each in found for spelling in spellings(word.lower()))


@pytest.mark.parametrize(
    ("link", "leads_to"),
    [
        ("targets.md", "targets"), ("settings.md#profiles", "settings#profiles"), ("#roles", "runbook#roles"),
        ("https://example.test/a.md", ""), ("file:///etc/passwd", ""),
    ],
)  # fmt: skip
def test_a_link_leads_to_a_page_or_out(link: str, leads_to: str) -> None:
    assert place_of(QUrl(link), "runbook#steps") == leads_to


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_becomes_a_document_with_its_headings(app: QApplication, page: object) -> None:
    text = getattr(page, "text", "")
    font = QFont()
    font.setPixelSize(14)
    document = make_document(text, DARK, font, QThread.currentThread())
    block = document.begin()
    while block.isValid() and not block.blockFormat().headingLevel():
        block = block.next()
    assert text.startswith(f"# {block.text()}")
    cursor = QTextCursor(block)
    cursor.movePosition(QTextCursor.MoveOperation.NextCharacter)
    assert cursor.charFormat().font().pixelSize() == 22
    assert block_of(document, "no-such-heading") is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_stands_in_frames_and_nothing_else_is_changed(app: QApplication, page: object) -> None:
    text, font = getattr(page, "text", ""), QFont()
    font.setPixelSize(14)
    document = make_document(text, DARK, font, QThread.currentThread())
    plain = QTextDocument()
    plain.setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
    assert [each for each in document.toPlainText().splitlines() if each.strip()] == [
        each for each in plain.toPlainText().splitlines() if each.strip()
    ]
    assert _headings(document) == _headings(plain)
    code = [each for each in document.rootFrame().childFrames() if not isinstance(each, QTextTable)]
    assert len(code) == text.count("```") // 2
    assert all(each.frameFormat().padding() > 0 for each in code)


def _headings(document: QTextDocument) -> list[tuple[str, int]]:
    found, block = [], document.begin()
    while block.isValid():
        if block.blockFormat().headingLevel():
            found.append((block.text(), block.blockFormat().headingLevel()))
        block = block.next()
    return found


def in_help(test: Callable[[Console, HelpWindow], Awaitable[None]]) -> Callable[[QApplication, Run], None]:
    """A test of a console with the help open at its first page."""

    def run(app: QApplication, on_qt: Run) -> None:
        async def work() -> None:
            async with opened(app) as (console, _):
                QTest.keyClick(console.window, Qt.Key.Key_F1)
                await until(lambda: console.help.window is not None, "the help")
                window = console.help.window
                assert window is not None
                await until(lambda: "First steps" in window.page.toPlainText(), "its first page")
                await test(console, window)

        on_qt(work())

    return run


@in_help
async def test_links_back_and_forward(console: Console, window: HelpWindow) -> None:
    assert console.help.window is window
    window.page.anchorClicked.emit(QUrl("models.md"))
    await until(lambda: window.page.toPlainText().startswith("Models"), "the page")
    current = window.contents.currentItem()
    assert current is not None
    assert current.text() == "Models"
    window.back.click()
    await until(lambda: window.page.toPlainText().startswith("First steps"), "the page before")
    assert not window.back.isEnabled()
    window.forward.click()
    await until(lambda: window.page.toPlainText().startswith("Models"), "the page again")
    console.help.open("runbook#roles")
    await until(lambda: window.page.textCursor().block().text() == "Roles", "the heading")
    assert window.page.verticalScrollBar().value() > 0


@in_help
async def test_a_search_by_keyboard_opens_the_first_place(console: Console, window: HelpWindow) -> None:
    assert console.help.window is window
    QTest.keyClicks(window.search, "Xvfb installed")
    QTest.keyClick(window.search, Qt.Key.Key_Return)
    await until(lambda: bool(window.page.extraSelections()), "the words to be marked")
    assert window.place.partition("#")[0] != "first-steps"
    window.search.clear()
    await until(lambda: window.contents.count() > 15, "the contents")
    QTest.keyClicks(window.search, "nosuchwordanywhere")
    await until(lambda: window.contents.count() == 0, "nothing")
    assert window._count.isVisible()


def test_only_a_click_leaves_the_program(app: QApplication, on_qt: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[str] = []
    monkeypatch.setattr(help_window, "open_web_page", went.append)

    async def work() -> None:
        async with opened(app) as (console, _):
            console.help.open("models")
            window = console.help.window
            assert window is not None
            await until(lambda: window.page.toPlainText().startswith("Models"), "the page")
            assert went == []
            window.page.anchorClicked.emit(QUrl("https://example.test/"))
            assert went == ["https://example.test/"]

    on_qt(work())


def test_it_follows_the_theme_and_closes_with_the_console(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app) as (console, _):
            console.help.open("typing")
            window = console.help.window
            assert window is not None
            await until(lambda: window._tokens is console.theme.tokens, "the page")
            tokens = LIGHT if console.theme.tokens is DARK else DARK
            console.theme.tokens = tokens
            console.theme.changed.emit(tokens)
            await until(lambda: window._tokens is tokens, "the page in the other colours")
        assert console.help.window is None
        await asyncio.sleep(0)

    on_qt(work())


@in_help
async def test_a_place_that_is_found_has_its_heading_apart_from_its_words(console: Console, window: HelpWindow) -> None:
    assert console.help.window is window
    window.resize(window.minimumSize())
    QTest.keyClicks(window.search, "keyring")
    await until(lambda: window.contents.count() > 3 and "\n" in window.contents.item(0).text(), "the places")
    row = window.contents.visualItemRect(window.contents.item(0))
    assert row.width() <= window.contents.viewport().width()
    image = window.contents.viewport().grab(row).toImage()
    inks = {image.pixelColor(x, y).name() for x in range(12, image.width()) for y in range(image.height())}
    assert {window._tokens.text, window._tokens.secondary} <= inks  # type: ignore[union-attr]
    narrow = row.height()
    window.resize(1400, 700)
    await until(lambda: window.contents.visualItemRect(window.contents.item(0)).height() <= narrow, "fewer lines")
