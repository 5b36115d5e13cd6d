"""Text of models and screens, made plain."""

from __future__ import annotations

import pytest

from operator_console.engine.visible_text import brief, shown, shown_lines


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Save", "Save"),
        ("a\tb\nc", "a⇥b⏎c"),
        ("pay\u202eyap", "pay⟨U+202E⟩yap"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\u00a0b", "a⟨U+00A0⟩b"),
        ("\x1b[2J", "⟨U+001B⟩[2J"),
        ("日本 é", "日本 é"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, plain: str) -> None:
    assert shown(text) == plain


def test_line_breaks_can_be_kept() -> None:
    assert shown_lines("a\r\nb\u200b") == "a\nb⟨U+200B⟩"


def test_a_text_that_was_shortened_before_is_cut_in_one_place() -> None:
    once = brief("A very" + " very" * 40 + " long text.", 40)
    assert once.count("…") == 1
    assert brief(once, 20).count("…") == brief(once, 12).count("…") == 1
    assert len(brief(once, 20)) <= 20
