"""Calls name the control and the window that they hit, not the window that has the focus."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.cli.event_lines import EventLines
from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.actions import Action
from operator_console.domain.element_uses import ElementIdentity, ElementUse
from operator_console.domain.elements import Control, ControlSource, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import SafetySignal
from operator_console.domain.stopping import PauseCause
from operator_console.ui.view.call_words import AskedFact, action_title, asking_of, unread_words, ways_words, window_hit
from operator_console.ui.view.session_view import Call, SessionView
from operator_console.ui.view.timeline_entries import entry_of
from tests.display.ui.scene import (
    CHECK,
    HIGH,
    LOW,
    NOTES,
    NOTES_FIELD,
    SUBMIT,
    SUBMIT_BUTTON,
    WINDOW,
    Story,
    call_of,
    review,
)
from tests.ui.view.folding import fold_all

ELSEWHERE = replace(SUBMIT_BUTTON, app="galculator", window="Calculator", name="=")
UNREADABLE = Control(source=ControlSource.PICTURE, knowledge=TextKnowledge.UNREADABLE, window="Чат")
PRESSED = a.UseElement(
    use=ElementUse.PRESS, at=SUBMIT, name="Press",
    element=ElementIdentity(
        element_id=":1.2/a", pid=5, role=Role.BUTTON, role_name="push button", name="Submit", extents=Rect(0, 0, 9, 9)
    ),
)  # fmt: skip
NOT_YET = replace(UNREADABLE, knowledge=TextKnowledge.NOT_YET)


def told(
    action: Action, control: Control | None, *, window: str | None = None, safety: SafetySignal | None = None
) -> tuple[SessionView, Call]:
    """A call of a session on the monitor, whose focused window is the expense report; asked about with `window`."""
    assessment = replace(LOW, control=control, label="")
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, call_of(0, action, assessment, safety=safety, intent="I submit the report."))
    if window is not None:
        question = replace(review(1, 0, action, assessment, dialog=True), window=window)
        story.add(ev.Asked(question=question, step=1, call=0))
    view = fold_all(story.records)
    call = view.call(1, 0)
    assert call is not None
    return view, call


@pytest.mark.parametrize(
    ("action", "control", "title"),
    [
        (a.Click(at=SUBMIT), SUBMIT_BUTTON, "Click button “Submit report” in “Expense report”"),
        (a.Click(at=SUBMIT, count=2), ELSEWHERE, "Double-click button “=” in “Calculator”"),
        (a.Click(at=SUBMIT), UNREADABLE, "Click at 180, 596 in “Чат”"),
        (a.Click(at=SUBMIT), None, "Click at 180, 596"),
        (a.TypeText(text="x", at=NOTES), NOTES_FIELD, "Type “x” into text field “Notes” in “Expense report”"),
        (a.TypeText(text="x", submit=True), NOTES_FIELD, "Type “x” into text field “Notes” in “Expense report”, then Enter"),  # noqa: E501
        (a.TypeText(text="x"), None, "Type “x”"),
        (a.Chord(keys=(Key("enter"),)), SUBMIT_BUTTON, "Press Enter on button “Submit report” in “Expense report”"),
        (a.Scroll(at=SUBMIT, dy=3), SUBMIT_BUTTON, "Scroll down 3"),
        (a.Wait(duration_s=1.0), None, "Wait 1 s"),
        (a.Finish(message="All done.", success=True), None, "Finish"),
        (PRESSED, SUBMIT_BUTTON, "Press button “Submit report” in “Expense report”, by its accessible action"),
        (PRESSED, None, "Press button “Submit”, by its accessible action"),
        (replace(PRESSED, use=ElementUse.CHOOSE, option="Norway"), None,
         "Choose “Norway” of button “Submit”, through accessibility"),
        (a.SwitchTab(number=9), None, "Show the last tab"),
        (a.CloseTab(), None, "Close the tab"),
    ],
)  # fmt: skip
def test_a_title_names_control_and_window(action: Action, control: Control | None, title: str) -> None:
    assert action_title(action, replace(LOW, control=control, label="")) == title


def test_a_drag_names_where_it_starts_and_ends() -> None:
    drag = a.Drag(path=(NOTES, SUBMIT))
    known = replace(LOW, control=SUBMIT_BUTTON, from_control=NOTES_FIELD)
    title = action_title(drag, known)
    assert title == "Drag text field “Notes” onto button “Submit report” in “Expense report”"


@pytest.mark.parametrize(
    ("control", "words"),
    [
        (UNREADABLE, "The control is unknown."),
        (NOT_YET, "The control could not be identified."),
        (replace(NOT_YET, role=Role.BUTTON, name="Save"), ""),
        (replace(UNREADABLE, icon="delete"), ""),
        (SUBMIT_BUTTON, ""),
        (None, ""),
    ],
)
def test_unknown_text_is_said_in_plain_words_and_once(control: Control | None, words: str) -> None:
    assert unread_words(replace(LOW, control=control)) == words
    assert unread_words(replace(LOW, control=control, reasons=(words,))) == ""


@pytest.mark.parametrize(
    ("action", "control", "window"),
    [
        (a.Click(at=SUBMIT), ELSEWHERE, "Calculator — galculator"),
        (a.Click(at=SUBMIT), Control(), ""),
        (a.Click(at=SUBMIT), None, ""),
        (a.TypeText(text="x"), None, f"{WINDOW.title} — {WINDOW.app}"),
        (a.Chord(keys=(Key("enter"),)), ELSEWHERE, "Calculator — galculator"),
    ],
)
def test_the_window_is_the_one_that_is_hit(action: Action, control: Control | None, window: str) -> None:
    view, call = told(action, control)
    assert window_hit(call, view) == window


def test_the_dialog_names_control_and_window_that_are_hit() -> None:
    view, _ = told(a.Click(at=SUBMIT), ELSEWHERE, window="Calculator — galculator")
    assert view.question is not None
    facts = dict(asking_of(view, view.question).facts)
    assert facts[AskedFact.ACTION] == "Click"
    assert facts[AskedFact.ON] == "button “=” · left button, at 180, 596"
    assert facts[AskedFact.WINDOW] == "Calculator — galculator"


def test_the_dialog_tells_the_check_of_the_service_apart_from_what_the_model_says() -> None:
    view, _ = told(a.Click(at=SUBMIT), ELSEWHERE, window="", safety=CHECK)
    assert view.question is not None
    asking = asking_of(view, view.question)
    assert asking.says == "I submit the report."
    checked = dict(asking.facts)[AskedFact.SERVICE]
    assert checked == f"The model’s service requires your confirmation. It says: {CHECK.explanation}"


def test_the_dialog_says_why_in_sentences_and_names_no_rule() -> None:
    view, _ = told(a.Click(at=SUBMIT), ELSEWHERE)
    known = replace(HIGH, reasons=("it submits a form to “Finance”", "It cannot be undone."), rule="sends-data")
    facts = dict(asking_of(view, review(1, 0, a.Click(at=SUBMIT), known, dialog=True)).facts)
    assert facts[AskedFact.WHY] == "It submits a form to “Finance”. It cannot be undone."
    question = review(1, 0, a.Click(at=SUBMIT), replace(known, reasons=()), dialog=True)
    assert dict(asking_of(view, question).facts)[AskedFact.WHY] == "Sends data."


def test_the_dialog_says_what_could_not_be_read_and_where_a_drag_starts() -> None:
    view, _ = told(a.Click(at=SUBMIT), UNREADABLE, window="Чат")
    assert view.question is not None
    facts = dict(asking_of(view, view.question).facts)
    assert facts[AskedFact.ON] == "left button, at 180, 596 · The control is unknown"
    drag = a.Drag(path=(NativePoint(1, 2), SUBMIT))
    known = replace(HIGH, from_control=NOTES_FIELD)
    question = review(1, 0, drag, known, dialog=True)
    facts = dict(asking_of(view, question).facts)
    assert facts[AskedFact.ON].startswith("from text field “Notes” to button “Submit report” · left button, from 1, 2")


def test_every_way_that_was_tried_is_in_the_timeline_and_in_the_lines_of_a_run() -> None:
    none = notice(
        NoticeCode.WAY_NOT_OFFERED, way=notice(NoticeCode.BY_ACCESSIBLE_ACTION),
        reason=notice(NoticeCode.ELEMENT_HAS_NONE),
    )  # fmt: skip
    note = joined(none, notice(NoticeCode.WAY_NOW, way=notice(NoticeCode.ELEMENT_TRIED_AT_POINT)))
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, replace(call_of(0, a.Click(at=SUBMIT), LOW), note=note))
    ways = "by its accessible action: the element has none. Now at a point of it on the new screen."
    item = fold_all(story.records).items[-1]
    assert entry_of(item).detail.endswith(f" · {ways}")
    lines = EventLines()
    told = [line.text for record in story.records for line in lines.feed(record)]
    told += [line.text for line in lines.feed(replace(story.records[-1], event=ev.Paused(by=PauseCause.HUMAN)))]
    assert any(f"[{ways}]" in line for line in told), told
    usual = replace(call_of(0, a.Click(at=SUBMIT), LOW), note=notice(NoticeCode.HTTPS_ADDED))
    assert ways_words(usual) == ""
