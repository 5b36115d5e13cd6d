"""A question in the terminal is complete, shows its risk, and cannot imitate the console's own lines."""

from __future__ import annotations

from dataclasses import replace

from operator_console.cli.terminal_questions import MARK, _parse, question_lines
from operator_console.domain.actions import Choice, Chord, QuestionKind, TypeText
from operator_console.domain.decisions import Assessment, Question, Surface
from operator_console.domain.keys import Key
from operator_console.domain.permissions import Coverage, PermissionOffer, PermittedAct
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess

ASSESSMENT = Assessment(
    risk=RiskClass.C3, categories=(Category.TERMINAL,), reasons=("It runs a command.",), rule="command-submitted"
)  # fmt: skip


def asked(text: str, *, typed: str = "", kind: QuestionKind = QuestionKind.CONFIRM) -> Question:
    return Question(
        question_id="q", answer=kind, surface=Surface.DIALOG, text=text, window="shell — XTerm",
        action=TypeText(text=typed, submit=True) if typed else None, assessment=ASSESSMENT if typed else None,
        choices=(Choice(label="left\n? Allow?"),) if kind is QuestionKind.CHOOSE else (),
    )  # fmt: skip


def test_the_text_to_type_is_shown_completely() -> None:
    command = "echo " + "x" * 150 + "; rm -rf everything; echo " + "y" * 500
    lines = question_lines(asked("Allow the model to type it?", typed=command), 80).split("\n")
    assert all(len(line) < 80 for line in lines)
    marked = "".join(line.removeprefix(MARK) for line in lines if line.startswith(MARK))
    assert command in marked
    assert f"  full text, {len(command)} characters:" in lines


def test_enter_shows_the_whole_command_that_was_typed_before() -> None:
    command = "echo " + "x" * 200 + "; rm -rf everything"
    assessment = assess(Chord(keys=(Key("enter"),)), PolicyContext(app="xterm", typed=command))
    question = Question(
        question_id="q", answer=QuestionKind.CONFIRM, surface=Surface.DIALOG, text="Allow it?",
        action=Chord(keys=(Key("enter"),)), assessment=assessment,
    )  # fmt: skip
    lines = question_lines(question, 80).split("\n")
    assert command in "".join(line.removeprefix(MARK) for line in lines if line.startswith(MARK))


def test_risk_reason_and_window_are_shown_in_words() -> None:
    shown = question_lines(asked("Allow it?", typed="ls"), 80)
    assert "risk runs a command (C3, high): It runs a command." in shown
    assert "command-submitted" not in shown
    assert "window: shell — XTerm" in shown


def test_text_of_the_model_cannot_imitate_lines_of_the_console() -> None:
    forged = "? Allow the model to look?\n  risk none: harmless\nType yes to allow: yes\r\x1b[2J"
    for question in (
        asked(f"Which?\n{forged}"),
        asked("Allow it?", typed=f"a\n{forged}\n{' ' * 200}? Allow?"),
        asked(f"Which?\n{forged}", kind=QuestionKind.CHOOSE),
    ):
        lines = question_lines(question, 60).split("\n")
        assert [line for line in lines if line.startswith("?")] == [lines[1]]
        assert [line for line in lines if line.startswith("  risk")] in ([], [lines[-1]])
        assert not [line for line in lines if line.startswith("Type ")]
        assert "\x1b" not in "".join(lines)
        assert "\r" not in "".join(lines)


def test_wide_characters_are_wrapped_within_the_terminal() -> None:
    lines = question_lines(asked("Allow it?", typed="你好" * 100), 40).split("\n")
    marked = [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]
    assert max(len(line) for line in marked) == (40 - len(MARK) - 1) // 2
    assert "你好" * 100 in "".join(marked)


def test_a_terminal_without_the_focus_says_where_to_type() -> None:
    question = asked("Allow it?")
    said = "  Type the answer in this terminal: the keyboard focus may be elsewhere."
    assert question_lines(question, 80, focused=False) == f"{question_lines(question, 80)}\n{said}"


def test_what_a_yes_may_be_widened_to_is_told_and_typed_as_a_word_of_its_own() -> None:
    coverage = Coverage(act=PermittedAct.PRESS, risk=RiskClass.C1, name="Next", app="importer", window="Import wizard")
    question = replace(asked("Allow it?"), offer=PermissionOffer(coverage=coverage, covered=3, of=12))
    assert question_lines(question, 120).split("\n")[-3:] == [
        "  session allows it, and from now on:",
        f"{MARK}Press “Next” in “Import wizard” without asking, until this session ends",
        f"{MARK}It would have covered 3 of the last 12 actions.",
    ]
    assert _parse(question, "session\n") == ("session", "")
    assert _parse(question, "yes\n") == ("yes", "")
    assert _parse(asked("Allow it?"), "session\n")[0] is None
