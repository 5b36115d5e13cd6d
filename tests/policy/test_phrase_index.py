"""Phrases are found by whole words, with stars inside, at the ends of and between words."""

from __future__ import annotations

import pytest

from operator_console.policy.phrases import PhraseIndex
from operator_console.policy.word_tables import fold


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("delet*", "deleting it", "deleting"), ("delet*", "undelete", None), ("*lösch*", "Konto gelöscht", "geloscht"),
        ("*lösch*", "los", None), ("pag*ar", "¿Pagar?", "pagar"), ("pag*ar", "pagina", None),
        ("*삭제", "파일삭제", "파일삭제"),
        ("*삭제", "삭제하기", None), ("show * password", "show the password", "show the password"),
        ("show * password", "show password", "show password"), ("show * password", "show me my password", None),
        ("=go", "Go!", "go"), ("=go", "go live", None), ("移到", "移到回收站", "移到"), ("=日", "今日", None),
        ("send to", "send to all", "send to"), ("send to", "send", None), ("e mail", "e-mail", "e mail"),
    ],
)  # fmt: skip
def test_a_phrase_is_found_where_its_words_match(phrase: str, text: str, found: str | None) -> None:
    match = next(PhraseIndex([(fold(phrase), 1)]).search(fold(text)), None)
    assert (match and match.words) == found


def test_every_phrase_of_a_text_is_found_with_its_tag() -> None:
    index = PhraseIndex([("send*", "a"), ("all", "b"), ("sending all", "c")])
    assert {match.tag for match in index.search("sending all")} == {"a", "b", "c"}
