"""The language of runbooks: the meaning of each line, and the reported places of mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.actions import Button
from operator_console.domain.elements import Role
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notices_of
from operator_console.practice.launcher import practice_runbook
from operator_console.providers.runbook.language import (
    AskStep,
    CheckStep,
    ClickStep,
    CloseTabStep,
    DragStep,
    ExpectStep,
    GoStep,
    HistoryStep,
    Named,
    PressStep,
    ScrollStep,
    Step,
    TabStep,
    TypeStep,
    WaitStep,
    load,
    parse,
    show,
)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ('click "Save"', ClickStep(line=1, target=Named(text="Save"))),
        ('click "Save" near "Sketch"', ClickStep(line=1, target=Named(text="Save", near="Sketch"))),
        ('double-click "a"', ClickStep(line=1, target=Named(text="a"), count=2)),
        ('right-click "a"', ClickStep(line=1, target=Named(text="a"), button=Button.RIGHT)),
        ('middle-click "a"', ClickStep(line=1, target=Named(text="a"), button=Button.MIDDLE)),
        ('Click "Save"', ClickStep(line=1, target=Named(text="Save"))),
        ("click “Zapisz jako…”", ClickStep(line=1, target=Named(text="Zapisz jako…"))),
        ('type "A" into "B"', TypeStep(line=1, text="A", into=Named(text="B"))),
        ('type "A"', TypeStep(line=1, text="A")),
        (r'type "say \"hi\"\\\n\tnow"', TypeStep(line=1, text='say "hi"\\\n\tnow')),
        ('type "# no comment; nor an end"', TypeStep(line=1, text="# no comment; nor an end")),
        ('replace "B" with "A"', TypeStep(line=1, text="A", into=Named(text="B"), replace=True)),
        ("press Ctrl+S", PressStep(line=1, keys=(Key("ctrl"), Key("s")))),
        ("press Ctrl + S", PressStep(line=1, keys=(Key("ctrl"), Key("s")))),
        ("press <ctrl>+a", PressStep(line=1, keys=(Key("ctrl"), Key("a")))),
        ("press Enter", PressStep(line=1, keys=(Key("enter"),))),
        ("press Tab 3 times", PressStep(line=1, keys=(Key("tab"),), repeat=3)),
        ("press 3", PressStep(line=1, keys=(Key("3"),))),
        ('press "Ctrl+#"', PressStep(line=1, keys=(Key("ctrl"), Key("#")))),
        ("press page down", PressStep(line=1, keys=(Key("page_down"),))),
        ("scroll down 3", ScrollStep(line=1, dy=3)),
        ("scroll up", ScrollStep(line=1, dy=-1)),
        ('scroll left 2 on "List"', ScrollStep(line=1, dx=-2, on=Named(text="List"))),
        ('drag "A" to "B"', DragStep(line=1, start=Named(text="A"), end=Named(text="B"))),
        ('wait for "done"', WaitStep(line=1, target=Named(text="done"))),
        ('wait for "done" up to 90 s', WaitStep(line=1, target=Named(text="done"), limit_s=90)),
        ('expect "Saved"', ExpectStep(line=1, target=Named(text="Saved"))),
        ('ask "Is the printer on?"', AskStep(line=1, question="Is the printer on?")),
        ('click button "Save"', ClickStep(line=1, target=Named(text="Save", role=Role.BUTTON))),
        ('click Link "a" near "x"', ClickStep(line=1, target=Named(text="a", near="x", role=Role.LINK))),
        ('double click list item "a"', ClickStep(line=1, target=Named(text="a", role=Role.LIST_ITEM), count=2)),
        ('right click "a"', ClickStep(line=1, target=Named(text="a"), button=Button.RIGHT)),
        ('Middle click link "a"', ClickStep(line=1, target=Named(text="a", role=Role.LINK), button=Button.MIDDLE)),
        ('type "A" into text field "B"', TypeStep(line=1, text="A", into=Named(text="B", role=Role.TEXT_FIELD))),
        ('check "A"', CheckStep(line=1, target=Named(text="A"))),
        ('check box "A"', CheckStep(line=1, target=Named(text="A", role=Role.CHECK_BOX))),
        ('uncheck switch "A"', CheckStep(line=1, target=Named(text="A", role=Role.SWITCH), on=False)),
        ('wait for button "OK" up to 9 s', WaitStep(line=1, target=Named(text="OK", role=Role.BUTTON), limit_s=9)),
        ('expect heading "Done"', ExpectStep(line=1, target=Named(text="Done", role=Role.HEADING))),
        (
            'drag list item "A" to list "B"',
            DragStep(line=1, start=Named(text="A", role=Role.LIST_ITEM), end=Named(text="B", role=Role.LIST)),
        ),
        ("go to https://a.example/x?y=1#part", GoStep(line=1, url="https://a.example/x?y=1#part")),
        ("go to https://a.example/x;y=1;  # and a comment", GoStep(line=1, url="https://a.example/x;y=1")),
        ("Go to a.example", GoStep(line=1, url="a.example")),
        ('go to "a.example/x#part"', GoStep(line=1, url="a.example/x#part")),
        ("go to about:blank", GoStep(line=1, url="about:blank")),
        ("open tab http://127.0.0.1:80/", GoStep(line=1, url="http://127.0.0.1:80/", new_tab=True)),
        ("close tab", CloseTabStep(line=1)),
        ("tab 12", TabStep(line=1, number=12)),
        ("back", HistoryStep(line=1)),
        ("forward # again", HistoryStep(line=1, forward=True)),
        ('   click   "Save"   # and a comment', ClickStep(line=1, target=Named(text="Save"))),
    ],
)
def test_a_line_is_a_step(text: str, step: Step) -> None:
    assert parse(text) == (step,)


def test_steps_of_a_browser_in_words() -> None:
    text = "go to https://a.example/;open tab b.example; close tab; tab 2; back; forward"
    with pytest.raises(OperatorError, match="column"):
        parse(text)  # without a blank, the semicolon belongs to the address
    steps = parse(text.replace("/;", "/; "))
    said = ["go to https://a.example/", "open tab b.example", "close tab", "tab 2", "back", "forward"]
    assert [show(step) for step in steps] == said
    assert parse("; ".join(said)) == steps


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('click button "Save" near "x"', "click button “Save” near “x”"),
        ('check box "A"', "check “A”"),
        ('uncheck switch "A"', "uncheck switch “A”"),
        ('wait for button "OK"', "wait for button “OK”"),
        ('type "a" into search field "b"', "type “a” into search field “b”"),
    ],
)
def test_roles_are_said(text: str, words: str) -> None:
    assert [show(step) for step in parse(text)] == [words]


def test_lines_comments_and_semicolons() -> None:
    steps = parse('# first\n\nclick "A"; click "B"\n;;\n  # nothing\npress Enter')
    assert [(step.line, show(step)) for step in steps] == [
        (3, "click “A”"),
        (3, "click “B”"),
        (6, "press Enter"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("jump", 1, 1, "“jump” is not a step"),
        ('click "A"\nklick "B"', 2, 1, "klick"),
        ("click Save", 1, 7, "found “Save”"),
        ("click", 1, 6, "the step ends"),
        ('click "A" "B"', 1, 11, "ends before “B”"),
        ('click "Save', 1, 7, "no closing quotation mark"),
        ('click "A"; press', 1, 17, "Expected keys"),
        ('click ""', 1, 7, "empty"),
        (r'type "a\qb"', 1, 8, r"\q is not an escape"),
        ('type "A" onto "B"', 1, 10, "onto"),
        ('drag "A" "B"', 1, 10, "Expected “to”"),
        ("press Ctrl+Foo", 1, 7, "Unknown key"),
        ("press Tab 0 times", 1, 11, "from 1 to 100"),
        ("scroll sideways", 1, 8, "up, down, left or right"),
        ("scroll down 999", 1, 13, "from 1 to 200"),
        ('wait "A"', 1, 6, "Expected “for”"),
        ('click knob "Save"', 1, 7, "“knob” is not a role of a control"),
        ('press Tab\nexpect big button "Save"', 2, 8, "“big button” is not a role"),
        ('click box "Save"', 1, 7, "“box” is not a role"),
        ("click button Save", 1, 7, "found “button”"),
        ('double "A"', 1, 1, "“double” is not a step"),
        ('"click" "A"', 1, 1, "is not a step"),
        ("go a.example", 1, 4, "Expected “to”"),
        ("go to", 1, 6, "the address of a page"),
        ('open tab " "', 1, 10, "the address of a page"),
        ("open a.example", 1, 6, "Expected “tab”"),
        ("close", 1, 6, "Expected “tab”"),
        ("tab 0", 1, 5, "from 1 to 1000"),
        ("tab two", 1, 5, "from 1 to 1000"),
        ("back 2", 1, 6, "ends before “2”"),
    ],
)
def test_mistakes_name_line_and_column(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(OperatorError) as caught:
        parse(text)
    assert f"line {line}, column {column}." in caught.value.title
    assert words in caught.value.detail
    assert caught.value.remedy
    assert all(map(notices_of, (caught.value.title, caught.value.detail, caught.value.remedy)))
    assert caught.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ('click ""', "on the screen"),
        ('type ""', "text to type"),
        ('replace "Name" with " "', "press Ctrl+A; press Delete"),
        ('ask ""', "question"),
    ],
)
def test_an_empty_text_is_a_mistake_with_a_fitting_remedy(text: str, remedy: str) -> None:
    with pytest.raises(OperatorError, match="This text is empty") as caught:
        parse(text)
    assert remedy in caught.value.remedy


def test_the_steps_recommended_to_clear_a_field_are_valid() -> None:
    with pytest.raises(OperatorError) as caught:
        parse('replace "Name" with ""')
    steps = parse(caught.value.remedy.partition("steps: ")[2])
    assert [type(step) for step in steps] == [ClickStep, PressStep, PressStep]


@pytest.mark.parametrize("text", ["", "  \n\n", "# only a comment", ";"])
def test_no_steps_is_a_mistake(text: str) -> None:
    with pytest.raises(OperatorError, match="no steps") as caught:
        parse(text)
    assert caught.value.exit_code == ExitCode.USAGE


@given(st.text(alphabet=st.sampled_from('clicktypeprs "“”\\#;\n\tąÄ日123+')) | st.text())
def test_any_text_is_parsed_or_has_a_mistake_within_its_lines(text: str) -> None:
    try:
        lines = [step.line for step in parse(text)]
    except OperatorError as error:
        place = re.search(r"line (\d+), column (\d+)", error.title)
        lines = [int(place[1])] if place else []
    assert all(1 <= line <= len(text.splitlines()) for line in lines)


TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1).filter(str.strip)


@given(TEXTS, TEXTS)
def test_quoted_texts_are_parsed_back(text: str, label: str) -> None:
    quoted = [part.replace("\\", "\\\\").replace('"', '\\"') for part in (text, label)]
    (step,) = parse(f'type "{quoted[0]}" into "{quoted[1]}"')
    assert step == TypeStep(line=1, text=text, into=Named(text=label))


def test_a_task_is_the_text_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "steps.runbook"
    file.write_text('click "Zażółć"\n', encoding="utf-8")
    assert load('click "A"') == 'click "A"'
    assert load(f"@{file}") == 'click "Zażółć"\n'


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_an_unreadable_file_is_reported(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "steps.runbook"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(OperatorError) as caught:
        load(f"@{file}")
    assert str(file) in caught.value.title
    assert caught.value.exit_code == ExitCode.USAGE


def test_the_shipped_runbook_has_all_kinds_of_steps_but_questions() -> None:
    kinds = {type(step) for step in parse(practice_runbook())}
    assert kinds == {ClickStep, TypeStep, PressStep, ScrollStep, DragStep, WaitStep, ExpectStep}
