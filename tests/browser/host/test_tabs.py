"""Which tab is shown, and what its page waits for, by the browser's events."""

from __future__ import annotations

from typing import Any

from operator_console.browser.host.tabs import Tabs, origin_of
from operator_console.domain.pages import DialogKind


def opened(tabs: Tabs, *names: str, opener: str = "", shown: bool = True) -> None:
    """Tabs whose sessions are named as they are, in small letters."""
    for name in names:
        tabs.add(name, name.lower(), opener=opener)
        tabs.opened(name, shown=shown)


def shown(tabs: Tabs) -> str:
    assert tabs.shown is not None
    return tabs.shown.target


def navigated(tabs: Tabs, tab: str, url: str, **more: Any) -> None:
    frame = {"id": tab, "loaderId": f"loader of {url}", "url": url, **more}
    tabs.event("Page.frameNavigated", {"frame": frame}, tab.lower())


def test_a_new_tab_is_shown_unless_it_was_opened_behind_the_others() -> None:
    tabs = Tabs()
    opened(tabs, "A", "B")
    assert shown(tabs) == "B"
    opened(tabs, "C", shown=False)
    assert shown(tabs) == "B"
    assert [tab.target for tab in tabs] == ["A", "B", "C"]


def test_a_closed_tab_gives_way_to_its_opener_else_to_the_one_before() -> None:
    tabs = Tabs()
    opened(tabs, "A", "B", "C")
    opened(tabs, "P", opener="A")
    tabs.remove("P")
    assert shown(tabs) == "A"
    tabs.show("C")
    tabs.show("B")
    tabs.remove("B")
    assert shown(tabs) == "C"
    tabs.detached("c")
    tabs.remove("A")
    assert tabs.shown is None


def test_a_tab_that_asks_is_shown_and_its_dialogs_end_with_its_document() -> None:
    tabs = Tabs()
    opened(tabs, "A", "B")
    asked = {"url": "https://a.org/x", "message": "?", "type": "confirm"}
    tabs.event("Page.javascriptDialogOpening", asked, "a")
    assert shown(tabs) == "A"
    assert tabs.shown is not None
    assert [(each.kind, each.origin) for each in tabs.shown.dialogs] == [(DialogKind.CONFIRM, "https://a.org")]
    navigated(tabs, "A", "https://a.org/y")
    assert tabs.shown.dialogs == []


def test_an_error_page_stands_at_the_address_that_was_wanted() -> None:
    tabs = Tabs()
    opened(tabs, "A")
    navigated(tabs, "A", "chrome-error://chromewebdata/", unreachableUrl="https://wrong.org/")
    assert tabs.shown is not None
    assert tabs.shown.url == "https://wrong.org/"


def test_a_title_is_taken_from_what_the_browser_knows_and_the_address_is_not() -> None:
    tabs = Tabs()
    opened(tabs, "A")
    navigated(tabs, "A", "https://a.org/")
    assert tabs.describe({"targetId": "A", "title": "T", "url": "https://b.org/"})
    assert not tabs.describe({"targetId": "A", "title": "T", "url": "https://b.org/"})
    assert tabs.shown is not None
    assert (tabs.shown.title, tabs.shown.url) == ("T", "https://a.org/")


def test_a_request_waits_until_its_answer_begins_and_only_the_first_and_the_last_are_told() -> None:
    tabs = Tabs()
    opened(tabs, "A")

    def asks(number: str) -> bool:
        request = {"requestId": number, "request": {"url": "https://a.org/"}}
        return tabs.event("Network.requestWillBeSent", request, "a")

    assert [asks("1"), asks("2")] == [True, False]
    answered = [tabs.event("Network.responseReceived", {"requestId": each}, "a") for each in ("1", "2")]
    assert answered == [False, True]
    assert tabs.requested == 2


def test_an_origin_has_no_user_path_or_query() -> None:
    assert origin_of("https://kim:x@a.org:8443/p?q#f") == "https://a.org:8443"
    assert origin_of("about:blank") == "about:"
