"""The word tables are complete and load, and matching follows their rules."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from operator_console.domain.errors import OperatorError
from operator_console.domain.risk import Category
from operator_console.policy.word_tables import GROUPS, INDEXED, NAMED, WHOLES, fold, fold_each, load, tables
from operator_console.resource_files import resource_path

SHIPPED = sorted(resource_path("policy").glob("*.toml"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_every_language_has_every_section(file: Path) -> None:
    sections = tomllib.loads(file.read_text("utf-8"))
    assert set(sections) == {*GROUPS, *(c.value for c in NAMED)}
    for name, lists in sections.items():
        allowed = {"words"} if name in GROUPS else {"words", "labels", "verbs", "fields"}
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
            label = phrase.removeprefix("=").strip("*")
            found = dict(tables().in_label(label))
            longer = any(len(words) >= len(fold(label)) for words in found.values())
            assert Category(name) in found or longer, (label, found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Delete", True), ("DELETE…", True), ("delete_all", True), ("Delete-All", True), ("Ｄｅｌｅｔｅ", True),
        ("De\u00adlete", True), ("\u202edelete", True), ("Undelete", False), ("Deli", False), ("usuń", True),
        ("USUN", True), ("zasunięty", False), ("確認削除", True), ("supprimé", False), ("supprimer", True),
        ("SİL", True), ("SIL", True), ("sıl", True), ("Silah", False), ("削除(D)", True), ("파일삭제하기", True),
        ("삭제(&D)", True), ("حـذف", True), ("حَذْف", True), ("والحذف", True), ("للحذف", True), ("محذوف", False),
        ("إزاله", True), ("ﺣﺬﻑ", True),
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


@pytest.mark.parametrize(
    ("written", "folded"),
    [("İPTAL", "iptal"), ("ISPARTA", "isparta"), ("ısparta", "isparta"), ("об’єм", "об'єм"), ("обʼєм", "об'єм"),
     ("취소(C)", "취소"), ("キャンセル (C)", "キャンセル"), ("Option (a)", "option (a)"),
     ("الصّفحة", "الصفحه"), ("علی", "علي")],
)  # fmt: skip
def test_folding_joins_ways_to_write_one_word(written: str, folded: str) -> None:
    assert fold(written) == folded


@given(st.text(st.characters(codec="ascii")))
def test_ascii_text_is_folded_like_any_other(text: str) -> None:
    assert fold(f"é{text}é")[1:-1].strip() == fold(text)


@given(texts=st.lists(st.text(max_size=20)))
@example(texts=["a⦀b", "c"])
def test_texts_folded_together_are_folded_as_each_alone(texts: list[str]) -> None:
    assert fold_each(texts) == {text: fold(text) for text in texts}


@given(st.text(max_size=200))
def test_folding_is_idempotent_and_accepts_any_text(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    tables().in_label(text)
    tables().in_field(text)
    for group in GROUPS:
        if group not in WHOLES:
            tables().has(group, text)
        if group not in INDEXED:
            tables().is_exactly(group, text)


def a_table(**changed: str) -> str:
    """A complete table with one word in each section, "word", unless another content is given."""
    sections = (*GROUPS, *(c.value for c in NAMED))
    return "".join("[{}]\n{}\n".format(name, changed.get(name, 'words = ["word"]')) for name in sections)


def test_a_new_file_adds_a_language(tmp_path: Path) -> None:
    (tmp_path / "xx.toml").write_text(a_table(delete='words = ["forigi"]'), encoding="utf-8")
    (tmp_path / "yy.toml").write_text(a_table(delete='labels = ["hapus"]'), encoding="utf-8")
    loaded = load(tmp_path)
    assert dict(loaded.in_label("Forigi")) == {Category.DELETE: "forigi"}
    assert dict(loaded.in_label("Hapus")) == {Category.DELETE: "hapus"}
    assert loaded.is_exactly("confirm", "Word")


def line_of(content: str, text: str) -> int:
    return next(number for number, line in enumerate(content.splitlines(), 1) if line == text)


@pytest.mark.parametrize(
    ("changed", "at", "told"),
    [
        ({"delete": "words = forigi"}, "words = forigi", r"\(at line {line}, "),
        ({"delete": ""}, "[delete]", r"Line {line}: \[delete\] must contain at least one of: words, labels, v"),
        ({"confirm": 'labels = ["jes"]'}, 'labels = ["jes"]', r"Line {line}: labels is not a list of \[confirm\]"),
        ({"delete": "words = []"}, "words = []", r"Line {line}: words of \[delete\] must be a list"),
        ({"delete": 'labels = ["a"]\nwords = "b"'}, 'words = "b"', r"Line {line}: words of \[delete\] must be a list"),
        ({"delete": 'words = [\n"a",\n"="]'}, "words = [", r"Line {line}: words of \[delete\] .* empty, not '='"),
        ({"delete": "words = [1]"}, "words = [1]", r"Line {line}: words of \[delete\] .* empty, not 1"),
        ({"delete": 'words = ["a"]\nwords = ["b"]'}, 'words = ["b"]', r"\(at line {line}, "),
        ({"delete": 'words = ["a"]\n[erase]'}, "[erase]", r"Line {line}: erase: not a section"),
        ({"delete": 'words = ["a"]\n[confirm]'}, "[confirm]", r"\(at line \d+, "),
    ],
)
def test_a_broken_table_is_named_in_the_error_with_the_line(
    tmp_path: Path, changed: dict[str, str], at: str, told: str
) -> None:
    (tmp_path / "aa.toml").write_text(a_table(), encoding="utf-8")
    content = "# A table.\n" + a_table(**changed)
    (tmp_path / "xx.toml").write_text(content, encoding="utf-8")
    with pytest.raises(OperatorError, match=told.format(line=line_of(content, at))) as caught:
        load(tmp_path)
    assert str(tmp_path / "xx.toml") in caught.value.title
    assert caught.value.remedy


def test_sections_that_are_missing_are_named_with_the_end_of_the_table(tmp_path: Path) -> None:
    content = a_table().replace('[delete]\nwords = ["word"]\n', "")
    (tmp_path / "xx.toml").write_text(content, encoding="utf-8")
    with pytest.raises(OperatorError, match=rf"ends at line {len(content.splitlines())} and has no section \[delete\]"):
        load(tmp_path)


def test_the_line_of_a_section_in_another_notation_is_found(tmp_path: Path) -> None:
    content = a_table().replace('[delete]\nwords = ["word"]\n', "") + '\n[ "delete" ]\nwords = 3\n'
    (tmp_path / "xx.toml").write_text(content, encoding="utf-8")
    with pytest.raises(OperatorError, match=rf"Line {len(content.splitlines())}: words of \[delete\]"):
        load(tmp_path)


def test_a_folder_without_tables_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="contains no"):
        load(tmp_path)


def test_a_table_that_is_not_utf_8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "xx.toml").write_bytes(b"# A table.\n# \xff\n")
    with pytest.raises(OperatorError, match=r"Line 2 is not UTF-8") as caught:
        load(tmp_path)
    assert "xx.toml" in caught.value.title


def test_lists_of_whole_texts_hold_no_stars() -> None:
    """A star would be looked up as a letter."""
    for file in SHIPPED:
        table = tomllib.loads(file.read_text("utf-8"))
        assert [phrase for group in WHOLES for phrase in table[group]["words"] if "*" in phrase] == [], file.name


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Síť", True),
        ("SIT", True),
        ("Nastaveni: sit je zapnuta", True),
        ("Sit je zapnuta.", True),
        ("eu, sit aliquet.", False),
        ("Purus sit fusce nulla id elit morbi etiam diam", False),
        ("Zapněte síť, aby se zařízení mohlo spojit s jinými v domě", True),
    ],
)
def test_a_word_with_accents_counts_without_them_unless_a_running_text_has_none(text: str, *, named: bool) -> None:
    """Czech “síť” (network) is “sit” once its accents are gone."""
    assert tables().has("outward", text) is named


@pytest.mark.parametrize(
    ("intent", "pays"),
    [
        ("Look at place 8", False),
        ("Place the cursor in the text area", False),
        ("Place the order now", True),
        ("Teraz płacę", True),
        ("I pay", True),
    ],
)
def test_a_word_of_another_language_counts_in_a_models_reason_with_its_accents(intent: str, *, pays: bool) -> None:
    """Polish “płacę” (I pay) is “place” once its accents are gone."""
    named = [category for category, _words in tables().in_intent(intent)]
    assert named == ([Category.PAY] if pays else [])
