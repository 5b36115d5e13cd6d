"""The word tables are complete and load, and matching follows their rules."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.errors import OperatorError
from operator_console.domain.risk import Category
from operator_console.policy.word_tables import GROUPS, fold, load, tables
from operator_console.resource_files import resource_path

SHIPPED = sorted(resource_path("policy").glob("*.toml"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_every_language_has_every_section(file: Path) -> None:
    sections = tomllib.loads(file.read_text("utf-8"))
    assert set(sections) == {*GROUPS, *(c.value for c in Category if c is not Category.TERMINAL)}
    for name, lists in sections.items():
        allowed = {"words"} if name in GROUPS else {"words", "labels", "fields"}
        assert lists, name
        assert set(lists) <= allowed, name
        assert all(isinstance(p, str) and p.strip() == p and p for phrases in lists.values() for p in phrases), name


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_every_word_of_a_table_is_found_on_a_control(file: Path) -> None:
    sections = tomllib.loads(file.read_text("utf-8"))
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


@pytest.mark.parametrize(
    "text",
    ["How to delete a branch", "Pay scale", "Downloads", "Share price", "Post date", "Install guide", "Format cells",
     "Remove formatting", "Jak usunąć plik", "Как удалить файл", "削除する方法", "如何删除分支", "Descargas"],
)  # fmt: skip
def test_a_phrase_that_names_a_subject_is_of_no_category(text: str) -> None:
    assert not tables().in_label(text)


@pytest.mark.parametrize("text", ["Delete", "Delete “How to pay”", "Pay the scale", "Download", "完全に削除"])
def test_a_subject_hides_only_the_words_inside_it(text: str) -> None:
    assert tables().in_label(text)


@given(st.text(max_size=200))
def test_folding_is_idempotent_and_accepts_any_text(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    tables().in_label(text)
    tables().in_field(text)
    for group in GROUPS:
        tables().has(group, text)
        tables().is_exactly(group, text)


def a_table(**changed: str) -> str:
    """A complete table with one word in each section, "word", unless another content is given."""
    sections = (*GROUPS, *(c.value for c in Category if c is not Category.TERMINAL))
    return "".join("[{}]\n{}\n".format(name, changed.get(name, 'words = ["word"]')) for name in sections)


def test_a_new_file_adds_a_language(tmp_path: Path) -> None:
    (tmp_path / "xx.toml").write_text(a_table(delete='words = ["forigi"]'), encoding="utf-8")
    (tmp_path / "yy.toml").write_text(a_table(delete='labels = ["hapus"]'), encoding="utf-8")
    loaded = load(tmp_path)
    assert dict(loaded.in_label("Forigi")) == {Category.DELETE: "forigi"}
    assert dict(loaded.in_label("Hapus")) == {Category.DELETE: "hapus"}
    assert loaded.is_exactly("confirm", "Word")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (a_table(delete="words = forigi"), "at line "),
        (a_table().replace("[delete]", "[erase]"), r"no section \[delete\]"),
        (a_table() + "[erase]\n", "erase: not a section"),
        (a_table(delete=""), r"\[delete\] must contain words or labels or fields"),
        (a_table(confirm='labels = ["jes"]'), r"\[confirm\] must contain words,"),
        (a_table(delete="words = []"), r"words of \[delete\] must be a list"),
        (a_table(delete='words = ["forigi", "="]'), r"words of \[delete\] must be a list"),
        (a_table(delete='words = "forigi"'), r"words of \[delete\] must be a list"),
    ],
)
def test_a_broken_or_incomplete_table_is_named_in_the_error(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "aa.toml").write_text(a_table(), encoding="utf-8")
    (tmp_path / "xx.toml").write_text(content, encoding="utf-8")
    with pytest.raises(OperatorError, match=told) as caught:
        load(tmp_path)
    assert str(tmp_path / "xx.toml") in caught.value.title
    assert caught.value.remedy


def test_a_folder_without_tables_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="contains no"):
        load(tmp_path)


def test_a_table_that_is_not_utf_8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "xx.toml").write_bytes(b"# \xff\n")
    with pytest.raises(OperatorError, match=r"xx\.toml"):
        load(tmp_path)
