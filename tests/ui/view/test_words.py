"""Text from models and screens comes out plain and visible; actions read as a person would say them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as some

from operator_console.domain import actions as a
from operator_console.domain.decisions import Assessment
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category, RiskClass
from operator_console.engine import visible_text
from operator_console.engine.action_wording import action_words
from operator_console.engine.visible_text import brief, cut, shown
from operator_console.ui.view.words import clock_words, count_words, risk_words, task_line

AT = NativePoint(178, 619)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain — żółć 日本語 €", "plain — żółć 日本語 €"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u200bb\u2066c", "a⟨U+200B⟩b⟨U+2066⟩c"),
        ("a\x1b[31mb", "a⟨U+001B⟩[31mb"),
        ("one\ntwo\t", "one⏎two⇥"),
        ("nb\u00a0sp", "nb⟨U+00A0⟩sp"),
        ("\ue000\ud800", "⟨U+E000⟩⟨U+D800⟩"),
        ("a\u3164b", "a⟨U+3164⟩b"),
        ("a\ufe0fb", "a⟨U+FE0F⟩b"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, seen: str) -> None:
    assert shown(text) == seen


@given(some.text())
def test_nothing_unseen_ever_comes_through(text: str) -> None:
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp") for char in shown(text))


@given(some.text(), some.integers(min_value=3, max_value=80))
def test_cut_texts_keep_their_ends(text: str, limit: int) -> None:
    made = cut(text, limit)
    assert len(made) <= max(limit, 0)
    if len(text) > limit:
        assert "…" in made
        assert made[0] == text[0]


@pytest.mark.parametrize(
    ("action", "line", "where"),
    [
        (a.Click(at=AT), "Click “Save”", "left button, at 178, 619"),
        (a.Click(at=AT, count=2), "Double-click “Save”", "left button, at 178, 619"),
        (a.Click(at=NativePoint(0, 0), button=a.Button.RIGHT), "Right-click “Save”", "right button, at 0, 0"),
        (a.TypeText(text="248.50", at=AT, submit=True), "Type “248.50”", "into “Save”, at 178, 619, then Enter"),
        (a.TypeText(text="x\u202ey"), "Type “x⟨U+202E⟩y”", "into “Save”"),
        (a.Scroll(at=AT, dy=-3, dx=1), "Scroll up 3 and right 1", "at 178, 619"),
        (a.Chord(keys=(Key("ctrl"), Key("s"))), "Press Ctrl+S", ""),
        (a.Drag(path=(AT, NativePoint(1, 2))), "Drag “Save”", "left button, from 178, 619 to 1, 2"),
        (a.Wait(duration_s=2.0), "Wait 2 s", ""),
        (a.Wait(duration_s=1.297), "Wait 1.3 s", ""),
        (a.Wait(duration_s=0.04), "Wait 0.04 s", ""),
    ],
)
def test_actions_read_as_people_say_them(action: a.Action, line: str, where: str) -> None:
    words = action_words(action, "Save")
    assert (words.line, words.where) == (line, where)


def test_a_long_text_is_cut_before_it_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def look(char: str) -> str:
        looked.append(char)
        return char

    monkeypatch.setattr(visible_text, "_visible", look)
    action_words(a.TypeText(text="\n" * 1_000_000, at=AT), "\n" * 1_000_000)
    assert len(looked) < 1_000


@given(some.text(), some.integers(min_value=4, max_value=40))
def test_a_brief_text_is_visible_and_bounded(text: str, limit: int) -> None:
    made = brief(text, limit)
    assert len(made) <= limit
    assert made[:1] == shown(text)[:1]


def test_figures() -> None:
    assert [clock_words(s) for s in (42, 725, 3723)] == ["0:42", "12:05", "1:02:03"]
    assert [count_words(n) for n in (842, 18_400, 1_200_000)] == ["842", "18.4 k", "1.2 M"]


@pytest.mark.parametrize(
    ("task", "line"),
    [
        ("Save the note", "Save the note"),
        ('# What it plays: every step once.\n\nclick "Save"\n', "What it plays: every step once. …"),
        ("  \n", ""),
        ("a\u202eb\nc", "a⟨U+202E⟩b …"),
    ],
)
def test_a_task_in_one_line(task: str, line: str) -> None:
    assert task_line(task) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("@steps/receipts.runbook", "Runbook receipts.runbook"),
        ('# File the receipts.\nclick "Save"', "File the receipts. …"),
        ('click "Save"\nclick "Close"', 'Runbook: click "Save" …'),
        ("", ""),
    ],
)
def test_a_runbook_is_called_by_its_file_its_comment_or_its_first_step(text: str, line: str) -> None:
    assert task_line(text, runbook=True) == line


@pytest.mark.parametrize(
    ("risk", "categories", "words"),
    [
        (RiskClass.C0, (), "No risk"),
        (RiskClass.C1, (), "Low risk"),
        (RiskClass.C3, (Category.SEND,), "High · sends data"),
    ],
)
def test_the_risk_in_words(risk: RiskClass, categories: tuple[Category, ...], words: str) -> None:
    assert risk_words(Assessment(risk=risk, categories=categories, rule="r")) == words
