"""A pattern of phrases finds what one regular expression of all of them finds, at the same places."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from operator_console.policy.phrases import UNSPACED
from operator_console.policy.word_tables import _pattern, _source, fold

_PIECES = (
    "a",
    "ab",
    "abc",
    "b",
    "pay",
    "payé",
    "now",
    "削除",
    "除",
    "する",
    "حذف",
    "ال",
    "*",
    " ",
    ",",
    ", ",
    "-",
    "(c)",
)
_text = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=8).map("".join)
_tied = st.tuples(st.sampled_from(("", "", "", "=", "^")), _text, st.sampled_from(("", "", "", "$"))).map("".join)
_phrase = _tied.filter(lambda phrase: any(map(str.isalnum, phrase)))


def one_expression(phrases: list[str]) -> re.Pattern[str]:
    """All phrases in one expression, in its own order: ties, words, and what is written without spaces."""
    parts: dict[str, list[str]] = {"=": [], "^": [], "$": [], "words": [], "unspaced": []}
    for phrase in sorted({fold(each) for each in phrases}, key=lambda each: (-len(each), each)):
        tie = phrase[:1] if phrase[:1] in "=^" else phrase[-1:] if phrase[-1:] == "$" else ""
        text, unspaced = _source(phrase.strip("=^$")), UNSPACED.search(phrase) is not None
        if tie in ("^", "$") and not unspaced:
            text = rf"(?<!\w){text}(?!\w)"
        parts[tie or ("unspaced" if unspaced else "words")].append(text)
    forms = {
        "=": r"\A\W*(?:{})\W*\Z", "^": r"\A\W*(?:{}).*\Z", "$": r"\A.*(?:{})\W*\Z", "words": r"(?<!\w)(?:{})(?!\w)",
        "unspaced": "{}",
    }  # fmt: skip
    return re.compile("|".join(forms[kind].format("|".join(some)) for kind, some in parts.items() if some))


@given(st.lists(_phrase, min_size=1, max_size=12), st.lists(_text, min_size=1, max_size=6))
def test_it_finds_what_one_expression_finds(phrases: list[str], texts: list[str]) -> None:
    pattern, expression = _pattern(map(fold, phrases)), one_expression(phrases)
    for text in map(fold, (*texts, *phrases, " ".join((*texts, *phrases)))):
        assert [match.span() for match in pattern.finditer(text)] == [m.span() for m in expression.finditer(text)], text
        assert bool(pattern.fullmatch(text)) == bool(expression.fullmatch(text)), text
        found, wanted = pattern.search(text), expression.search(text)
        assert (found and found.span()) == (wanted and wanted.span()), text


def test_nothing_is_in_no_phrases() -> None:
    assert _pattern([]).search("anything") is None
