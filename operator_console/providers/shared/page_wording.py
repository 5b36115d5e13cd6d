"""What a model is told about the page of a managed browser, in words. Titles and addresses are the page's own text."""

from __future__ import annotations

from operator_console.domain.pages import Page, PageDialog
from operator_console.providers.shared.results import one_line

_EMPTY = "about:blank"
_LONGEST_ADDRESS = 2_000
_LONGEST_TITLE = 100
_LONGEST_MESSAGE = 500
_LONGEST_OF_TAB = 200
_MOST_TABS = 30


def page_words(page: Page) -> str:
    """Address and title, the dialog that waits for an answer, and where there are several tabs, these with their
    numbers. On one line each."""
    tabs = tab_lines(page)
    address = f"The page now: {one_line(page.url, _LONGEST_ADDRESS) or _EMPTY}{_title(page.title)}"
    dialog = [f"A dialog waits for an answer: {dialog_words(page.dialog)}"] if page.dialog is not None else []
    return "\n".join([address, *dialog, *(["Tabs:", *tabs] if tabs else [])])


def dialog_words(dialog: PageDialog) -> str:
    """The kind of a dialog, and what it says."""
    return f"{dialog.kind.value.replace('_', ' ')}{_quoted(dialog.message, _LONGEST_MESSAGE)}"


def tab_lines(page: Page) -> list[str]:
    """The tabs with their numbers, one a line; none where there is only one."""
    if len(page.tabs) < 2:
        return []
    lines = [
        f"{number}. {one_line(tab.url, _LONGEST_OF_TAB) or _EMPTY}{_title(tab.title)}{' (shown)' if tab.shown else ''}"
        for number, tab in enumerate(page.tabs[:_MOST_TABS], 1)
    ]
    more = len(page.tabs) - len(lines)
    return [*lines, *([f"({more} more)"] if more else [])]


def _title(title: str) -> str:
    return _quoted(title, _LONGEST_TITLE)


def _quoted(text: str, length: int) -> str:
    line = one_line(text, length)  # so that no title can look like words of the console
    return f" “{line}”" if line else ""
