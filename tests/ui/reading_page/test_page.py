"""The page tells the outcome first, then every step; it runs nothing, loads nothing and stores a picture once."""

from __future__ import annotations

import dataclasses
import io
import itertools
import re
import weakref
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from markupsafe import Markup

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import DecisionKind
from operator_console.domain.geometry import NativePoint
from operator_console.domain.risk import Category
from operator_console.domain.scope import ScopeSource
from operator_console.domain.translations import ENGLISH, use
from operator_console.ui.reading_page.page import Checked, Finding, write_page
from operator_console.ui.reading_page.pictures import ShownPicture, embedded, named
from operator_console.ui.reading_page.reading import read_session
from tests.accented import Accented, accented, in_english
from tests.ui.reading_page.recorded_session import (
    EVIL,
    Source,
    decided,
    full_session,
    proposed,
    session_of_all_outcomes,
)

_ADDRESSES = ("src", "href", "action", "data", "srcset", "poster", "formaction", "xlink:href", "ping")
_EMPTY = ("meta", "input", "img", "br")


class Address(Markup):
    """One of which it can be told whether it is kept."""


class Page(HTMLParser):
    """What a browser makes of the source: elements with their attributes, and the text of each."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.pieces: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data
            self.pieces.append((self.open[-1] if self.open else "", data))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def checked(finding: Finding = Finding.INTACT, *sentences: str, live: bool = False) -> Checked:
    return Checked(
        finding=finding, events=1234, blobs=5, last_hash="ab" * 32, sentences=sentences, live=live,
        time="2026-11-23T10:00:00.5Z", version="9.9",
    )  # fmt: skip


def page_of(source: Source, verdict: Checked | None = None) -> Page:
    verdict = verdict or checked()
    reading, out = read_session(source, live=verdict.live), io.StringIO()
    with embedded(reading.pictures, source.blob) as pictures:
        write_page(out, reading, verdict, pictures, source.blob)
    return Page(out.getvalue())


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of(full_session())


def test_nothing_runs_and_nothing_is_loaded(page: Page) -> None:
    assert not {"script", "link", "iframe", "object", "embed", "base", "form", "audio", "video"} & {
        t for t, _ in page.tags
    }
    for _, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        found = [value or "" for name, value in attributes.items() if name in _ADDRESSES]
        assert all(value.startswith(("#", "data:image/png;base64,")) for value in found)
    assert not re.search(r"url\(|@import", page.source)


def test_the_policy_of_the_page_allows_its_own_style_and_pictures_only(page: Page) -> None:
    policy = next(m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.pop("style-src").startswith("'sha256-")
    assert rules == {"default-src": "'none'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}


def test_texts_of_others_stay_texts_and_hide_nothing(page: Page) -> None:
    assert "<script>alert(1)</script> ⟨U+001B⟩[31m⟨U+202E⟩" in page.text
    assert "\u202e" not in page.source
    assert "\x1b" not in page.source
    assert page.open == []  # every element is closed


def test_the_outcome_and_the_duration_come_first(page: Page) -> None:
    start = page.text.index("Pay the invoice …")
    assert page.text.index("Finished · ") > start
    assert "The invoice is paid." in page.text
    assert page.text.index("Finished · ") < page.text.index("Contents")
    assert re.search(r"machine \d+ s · you 27 s · paused 5\.\d s", page.text)


def test_it_says_that_typed_texts_are_contained_and_who_you_is(page: Page) -> None:
    assert "what was typed, except into fields known as ones for passwords" in page.text
    assert "“You” is the person who supervised the session." in page.text


def test_each_step_has_a_heading_a_line_a_picture_and_folded_details(page: Page) -> None:
    sections = [attributes for attributes in page.all("section") if str(attributes.get("class")).startswith("step")]
    assert [section["id"] for section in sections] == [*(f"step-{number}" for number in range(1, 7)), "run-2-step-7"]
    assert len(page.all("figure")) == 7
    assert "Click button “Save” in “Shop”" in page.text
    assert "3 actions" in page.text
    assert "Approved by you" in page.text
    assert "C4, critical: pays" in page.text
    assert re.search(r"thinking 2\.\d s", page.text)
    assert not any("open" in details for details in page.all("details"))


def test_a_picture_of_two_steps_is_stored_once(page: Page) -> None:
    stored = re.findall(r'(?:src|href)="(data:[^"]*)"', page.source)
    assert len(stored) == len(set(stored)) == 6
    assert len(page.all("use")) == 1
    assert "Same picture as step 3." in page.text


def test_every_picture_says_what_it_shows(page: Page) -> None:
    said = [each["alt"] for each in page.all("img")]
    said += [each["aria-label"] for each in page.all("svg") if each.get("role") == "img"]
    assert len(said) == 7
    assert "Screen before step 1: Shop — Browser. Marked: 1. click button “Save”." in said


def test_every_link_leads_somewhere_and_no_name_is_twice(page: Page) -> None:
    names = [str(attributes["id"]) for _, attributes in page.tags if "id" in attributes]
    assert len(names) == len(set(names))
    links = {str(link["href"]).removeprefix("#") for link in [*page.all("a"), *page.all("use")]}
    labelled = {str(each["aria-labelledby"]) for _, each in page.tags if "aria-labelledby" in each}
    assert (links | labelled | {str(label["for"]) for label in page.all("label") if "for" in label}) <= set(names)


def test_runs_that_count_their_steps_anew_are_told_apart() -> None:
    source = Source()
    for number in (1, 2):
        source.start("Pay" if number == 1 else "Pay again", resumed=number == 2)
        source.click(1)
        source.add(ev.Retrying(step=2, attempt=1, of=5, wait_s=2.0, reason=f"Busy in run {number}."))
        source.see(2, "picture 1")
        source.propose(2, proposed(0, a.Click(at=NativePoint(5, 5))))
        source.add(decided(2, 0))
        source.run(2, 0, a.Click(at=NativePoint(5, 5)))
        source.end()
    page = page_of(source)
    names = [str(attributes["id"]) for _, attributes in page.tags if "id" in attributes]
    links = [str(link["href"]) for link in page.all("a")]
    assert len(names) == len(set(names))
    for anchor in ("step-1", "run-2-step-1", "step-2", "run-2-step-2"):
        assert anchor in names
        assert links.count(f"#{anchor}") == 2  # from the contents, and from its own number
    assert page.text.count("Busy in run 1.") == page.text.count("Busy in run 2.") == 1
    assert page.text.count("Same picture as step 1.") == 1
    assert page.text.count("Same picture as step 1 of run 1.") == 2
    assert len(re.findall(r'(?:src|href)="data:', page.source)) == 1


def test_it_is_structured_for_a_screen_reader(page: Page) -> None:
    tags = [tag for tag, _ in page.tags]
    for landmark in ("header", "nav", "main", "footer"):
        assert tags.count(landmark) == 1
    assert tags.count("h1") == 1
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h\d", tag)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    first = page.all("a")[0]
    assert first["href"] == "#steps"


def test_the_figures_count_what_the_timeline_tells() -> None:
    page = page_of(session_of_all_outcomes())
    assert "Steps8 2 runs" in page.text
    assert "Actions9 4 done · 1 skipped · 1 denied · 1 outcome unknown · 1 not done · 1 stopped" in page.text
    assert "Your decisions3 1 skipped · 1 denied · 1 answered" in page.text


def test_the_figures_tell_how_much_was_asked(page: Page) -> None:
    assert re.search(r"Questions1 · \d+ per 100 actions you took 20 s for an answer \(median\)", page.text)


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({}, ""),
        ({"apps": ("mousepad",)}, "Scopemousepad"),
        (
            {"sites": ("shop.example",), "effects": (Category.SEND,), "scope_by": ScopeSource.MODEL},
            "Scopeshop.example · send data suggested by the model",
        ),
        ({"effects": (), "scope_by": ScopeSource.EDITED}, "Scopeno kind of effect suggested by the model, and edited"),
    ],
)
def test_what_was_in_scope_is_told_with_who_named_it(named: dict[str, Any], told: str) -> None:
    source = Source()
    source.start(**named)
    text = page_of(source).text
    assert told in text
    assert ("Scope" in text) is bool(told)


@pytest.mark.parametrize("on", [True, False])
def test_a_session_that_switched_accessibility_on_says_so(*, on: bool) -> None:
    source = Source()
    source.start(accessibility=on)
    assert ("Accessibilityswitched on" in page_of(source).text) is on


def test_an_action_of_a_run_that_goes_on_is_in_progress() -> None:
    source = Source()
    source.start()
    click = a.Click(at=NativePoint(100, 50))
    source.see(1)
    source.propose(1, proposed(0, click))
    source.add(decided(1, 0), ev.Granted(step=1, call=0, grant_id="g", action=click, epoch=1))
    assert "Actions1 1 in progress" in page_of(source, checked(live=True)).text
    assert "Actions1 1 outcome unknown" in page_of(source).text
    assert "in progress" not in page_of(source).text


def test_stops_pauses_hand_overs_messages_and_retries_are_told(page: Page) -> None:
    for words in (
        "Stopped by hotkey", "type “hello”", "2 of 5", "1 key, 0 buttons", "3 ms after the stop",
        "Paused by hotkey", "Resumed by you after 5", "You took over", "Handed back after 7",
        "Your message", "A warning.", "The request was repeated once.", "1 of 5, after 2 s",
        "1 event of a kind that this version does not know",
    ):  # fmt: skip
        assert words in page.text


def test_steps_that_only_waited_are_folded_into_one_line(page: Page) -> None:
    assert [details["id"] for details in page.all("details") if details.get("class") == "waits"] == ["waits-step-5"]
    assert "5–6" in page.text


@pytest.mark.parametrize(
    ("finding", "words"),
    [
        (Finding.INTACT, "Intact: unchanged"),
        (Finding.ELSEWHERE, "another computer"),
        (Finding.DAMAGED, "Do not rely on"),
    ],
)
def test_it_says_whether_the_record_is_intact(finding: Finding, words: str) -> None:
    source = Source()
    source.start()
    page = page_of(source, checked(finding, "Event 3 was changed."))
    assert words in page.text
    assert "Event 3 was changed." in page.text
    assert "1,234 events, 5 pictures and answers" in page.text
    assert "ab" * 32 in page.text
    assert "The record has no steps." in page.text
    damaged_first = page.text.index(words) < page.text.index("Duration")
    assert damaged_first is (finding is Finding.DAMAGED)


@pytest.mark.parametrize(("live", "words"), [(True, "Still running"), (False, "Interrupted")])
def test_a_run_without_an_end_says_so(live: bool, words: str) -> None:
    source = Source()
    source.start()
    source.click(1)
    assert words in page_of(source, checked(live=live)).text


def test_a_record_without_events_makes_a_page() -> None:
    assert "Session without a task" in page_of(Source()).text


@pytest.mark.parametrize("mime_type", ["image/svg+xml", "text/html"])
def test_what_is_no_picture_is_not_shown(mime_type: str) -> None:
    source = Source()
    source.start()
    source.see(1, mime_type=mime_type)
    page = page_of(source)
    assert "The picture is not in the record." in page.text
    assert "base64" not in page.source


def test_a_missing_picture_is_told() -> None:
    source = Source()
    source.start()
    source.click(1)
    source.click(2)
    del source.blobs["picture 1"]
    page = page_of(source)
    assert len(page.all("figure")) == 1
    assert "The picture is not in the record." in page.text


def test_an_edited_call_shows_both_actions() -> None:
    source = Source()
    source.start()
    source.see(1)
    source.propose(1, proposed(0, a.Click(at=NativePoint(10, 10))))
    edited = a.Click(at=NativePoint(20, 20))
    source.add(dataclasses.replace(decided(1, 0, DecisionKind.MODIFY, human=True), action=edited))
    source.run(1, 0, edited)
    page = page_of(source)
    assert "The model proposed: Click at 10, 10" in page.text
    assert "Click at 20, 20" in page.text


def test_a_long_text_is_there_in_full_up_to_a_limit() -> None:
    source = Source()
    source.start()
    source.see(1)
    whole = "".join(f"{number:07d}\n" for number in range(30_000))
    source.propose(1, proposed(0, a.TypeText(text=whole)))
    source.add(decided(1, 0))
    page = page_of(source)
    assert "Full text, 240,000 characters" in page.text
    assert "0024999" in page.text
    assert "… 40,000 more characters are in the session file." in page.text


def test_no_picture_is_kept_once_it_is_written() -> None:
    """Each is written while the next is made: all of a long session are larger than memory should be."""
    source = full_session()
    reading = read_session(source, live=False)
    alive = weakref.WeakSet[Address]()

    def pictures() -> Iterator[ShownPicture]:
        for number in range(len(reading.pictures)):
            address = Address(f"data:image/png;base64,{number}")
            alive.add(address)
            most.append(len(alive))
            yield ShownPicture(address=address)

    most: list[int] = []
    write_page(io.StringIO(), reading, checked(), pictures(), source.blob)
    assert len(most) == len(reading.pictures) > 3
    assert max(most) <= 2


def test_pictures_beside_the_page_are_named() -> None:
    source = full_session()
    reading, out = read_session(source, live=False), io.StringIO()
    pictures = named(reading.pictures, lambda digest: f"pictures/{digest[-1]}.png")
    write_page(out, reading, checked(), pictures, source.blob, picture_files=True)
    page = Page(out.getvalue())
    assert {image["src"] for image in page.all("img")} == {f"pictures/{number}.png" for number in (1, 2, 5, 6, 7)}
    assert [image["href"] for image in page.all("image")] == ["pictures/3.png"]
    policy = next(m["content"] for m in page.all("meta") if m.get("http-equiv"))
    assert "img-src file: 'self';" in str(policy)


def test_evil_names_do_not_leave_their_attributes(page: Page) -> None:
    assert EVIL.replace("\x1b", "⟨U+001B⟩").replace("\u202e", "⟨U+202E⟩") in page.text
    assert all(re.fullmatch(r"[a-zA-Z0-9-]+", tag) for tag, _ in page.tags)
    known = {"class", "id", "href", "src", "alt", "role", "for", "open", "type", "name", "content", "charset", "lang"}
    for _, attributes in page.tags:
        for name in set(attributes) - known:
            assert re.fullmatch(r"[a-z][a-z0-9-]*", name)


TOLD = re.compile(
    r"“[^”]*”|https?://\S+|(picture|answer) \d+|window:0x1|gemini(-test)?|(ab)+|by[- ]label|Shop — Browser|Why so\."
    r"|\b(click|wait|drag|scroll|type_text|fly_to|ask_operator)\b|Go on|A warning\.|It is busy\.|The invoice is paid\."
    r"|Pay the invoice|and say"
)
"""What models, services, files and screens say in these sessions, and names: of calls, rules, targets and digests."""


@pytest.mark.parametrize("make", [full_session, session_of_all_outcomes])
@pytest.mark.parametrize("finding", Finding)
def test_every_text_of_the_page_is_translated(make: Callable[[], Source], finding: Finding) -> None:
    """With actions, questions, skips, denials, retries, pauses, messages, warnings, stops and a cut-off run."""
    use(Accented())
    try:
        page = page_of(make(), checked(finding))
    finally:
        use(ENGLISH)
    shown_evil = EVIL.replace("\x1b", "⟨U+001B⟩").replace("\u202e", "⟨U+202E⟩")
    texts = [text.replace(shown_evil, "") for name, text in page.pieces if name != "pre"]
    assert sum(bool(re.search(r"[^\W\d_]{2}", text)) for text in texts) > 100
    assert [text for text in texts if in_english(TOLD.sub("", text))] == []
    assert accented("Skip to the steps") in page.text
