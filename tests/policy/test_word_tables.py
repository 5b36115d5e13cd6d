"""The word tables are complete and load, and matching follows their rules."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.risk import Category
from operator_console.policy.word_tables import GROUPS, LANGUAGES, fold, tables
from operator_console.resource_files import resource_path


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_section(language: str) -> None:
    sections = tomllib.loads(resource_path("policy", f"{language}.toml").read_text("utf-8"))
    assert set(sections) == {*GROUPS, *(c.value for c in Category if c is not Category.TERMINAL)}
    for name, lists in sections.items():
        allowed = {"words"} if name in GROUPS else {"words", "labels", "fields"}
        assert lists, name
        assert set(lists) <= allowed, name
        assert all(isinstance(p, str) and p.strip() == p and p for phrases in lists.values() for p in phrases), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_a_table_is_found_on_a_control(language: str) -> None:
    sections = tomllib.loads(resource_path("policy", f"{language}.toml").read_text("utf-8"))
    for name, lists in sections.items():
        if name in GROUPS:
            continue
        for phrase in (*lists.get("words", ()), *lists.get("labels", ())):
            label = phrase.removeprefix("=").rstrip("*")
            found = dict(tables().in_label(label))
            longer = any(len(words) >= len(fold(label)) for words in found.values())
            assert Category(name) in found or longer, (label, found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Delete", True), ("DELETE…", True), ("delete_all", True), ("Delete-All", True), ("Ｄｅｌｅｔｅ", True),
        ("De\u00adlete", True), ("\u202edelete", True), ("Undelete", False), ("Deli", False), ("usuń", True),
        ("USUN", True), ("zasunięty", False), ("確認削除", True), ("supprimé", False), ("supprimer", True),
    ],
)  # fmt: skip
def test_a_word_matches_whole_without_case_accents_and_invisible_characters(text: str, found: bool) -> None:
    assert (Category.DELETE in dict(tables().in_label(text))) is found


def test_the_longer_phrase_wins_but_never_hides_a_category_that_must_be_named() -> None:
    assert dict(tables().in_label("Sign in")) == {Category.LOGIN: "sign in"}
    assert Category.DELETE in dict(tables().in_label("Удалить программу"))


@given(st.text(max_size=200))
def test_folding_is_idempotent_and_accepts_any_text(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    tables().in_label(text)
    tables().in_field(text)
    for group in GROUPS:
        tables().has(group, text)
        tables().is_exactly(group, text)
