"""How the address of a page is shown: its site apart and whole, and nothing in it that could pass for another."""

from __future__ import annotations

import pytest

from operator_console.domain.events import Observed
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.pages import DialogKind, PageDialog, Tab
from operator_console.ui.view.page_words import address_of, asked_words, page_of, tab_title


@pytest.mark.parametrize(
    ("url", "before", "site", "after"),
    [
        ("https://example.org/a?b#c", "https://", "example.org", "/a?b#c"),
        ("http://127.0.0.1:8123/", "http://", "127.0.0.1:8123", "/"),
        ("https://[::1]:8080/x", "https://", "[::1]:8080", "/x"),
        ("https://example.org", "https://", "example.org", ""),
        ("blob:https://example.org/1-2", "blob:https://", "example.org", "/1-2"),
        ("about:blank", "", "", "about:blank"),
        ("", "", "", "Empty page"),
    ],
)
def test_an_address_has_its_site_apart(url: str, before: str, site: str, after: str) -> None:
    address = address_of(url)
    assert (address.before, address.site, address.after) == (before, site, after)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://bank.example@evil.example/", "evil.example"),
        ("https://bank.example:443@evil.example/", "evil.example"),
        ("https://bank.example%2F@evil.example/", "evil.example"),
        ("https://evil.example\\@bank.example/", "evil.example"),
        ("https://evil.example?@bank.example/", "evil.example"),
        ("https://evil.example#@bank.example/", "evil.example"),
        ("https://xn--pple-43d.com/", "xn--pple-43d.com"),
        ("https://аpple.com/", "xn--pple-43d.com"),
        ("https://bank.example․evil.example/", "bank.example.evil.example"),
    ],
)
def test_no_part_of_an_address_passes_for_its_site(url: str, site: str) -> None:
    assert address_of(url).site == site


def test_user_name_and_password_are_not_shown() -> None:
    assert "secret" not in address_of("https://ada:secret@example.org/").whole


def test_a_path_cannot_turn_the_writing_direction() -> None:
    assert "\u202e" not in address_of("https://example.org/\u202egro.elpmaxe").whole


def test_a_page_of_data_has_no_site() -> None:
    address = address_of("data:text/html,https://bank.example/")
    assert (address.site, address.before) == ("", "")


def test_a_long_path_is_cut_in_its_middle() -> None:
    address = address_of("https://example.org/" + "a" * 5_000 + "/end")
    assert address.site == "example.org"
    assert address.after.endswith("/end")
    assert len(address.after) <= 2_000


def test_a_tab_without_a_title_has_its_site() -> None:
    assert tab_title("", "https://ada@example.org/a") == "example.org"
    assert tab_title("", "about:blank") == "about:blank"
    assert tab_title("", "") == "New tab"


def test_what_a_page_asks_is_said_with_its_kind_and_on_one_line() -> None:
    dialog = PageDialog(dialog_id="1", kind=DialogKind.CONFIRM, message="Delete\nall?")
    words = asked_words(dialog)
    assert words.startswith("The page asks to confirm: “Delete")
    assert "\n" not in words
    assert asked_words(None) == ""


def test_a_recorded_picture_of_a_desktop_has_no_page() -> None:
    geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=Size(8, 8), sent=Size(8, 8))
    seen = Observed(step=1, frame_id="f", picture="p", geometry=geometry, title="Notes")
    assert page_of(seen) is None
    assert page_of(None) is None
    tabs = (Tab(tab_id="a", url="https://example.org/", shown=True),)
    of_browser = Observed(step=1, frame_id="f", picture="p", geometry=geometry, url="https://example.org/", tabs=tabs)
    page = page_of(of_browser)
    assert page is not None
    assert (page.url, page.tabs) == ("https://example.org/", tabs)
