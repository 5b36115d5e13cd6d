"""A plain string never becomes markup."""

from __future__ import annotations

from operator_console.ui.reading_page.markup import Markup, joined, tag, text


def test_plain_strings_are_text() -> None:
    assert tag("p", "<b>&") == "<p>&lt;b&gt;&amp;</p>"
    assert joined("<", Markup("<br>")) == "&lt;<br>"


def test_markup_made_by_string_operations_is_text_again() -> None:
    assert tag("p", f"{Markup('<b>')}") == "<p>&lt;b&gt;</p>"
    assert tag("p", Markup("<b>") + "x") == "<p>&lt;b&gt;x</p>"


def test_attributes_are_quoted() -> None:
    assert tag("a", "x", href='"><script>', class_="y") == '<a href="&quot;&gt;&lt;script&gt;" class="y">x</a>'
    assert tag("a", title="a\nb") == '<a title="a⏎b"></a>'


def test_switches_have_no_value_and_zero_is_one() -> None:
    assert (
        tag("input", checked=True, disabled=False, value=None, min=0, step=0.5) == '<input checked min="0" step="0.5">'
    )


def test_hidden_characters_are_written_out_and_line_breaks_kept() -> None:
    assert text("a\n\u202eb\ud800") == "a\n⟨U+202E⟩b⟨U+D800⟩"
