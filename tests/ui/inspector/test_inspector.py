"""What the inspector shows of a step: facts, times, documents; and how it opens and closes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import ActResult, DecidedBy, DecisionKind
from operator_console.domain.proposals import CallStatus
from operator_console.ui.inspector.document_view import LONGEST_SHOWN, LONGEST_STRING, readable_document
from operator_console.ui.inspector.inspector import NAMES, Inspector, Page
from operator_console.ui.theme_choice import ContrastChoice, Look, ThemeChoice
from operator_console.ui.theme_colours import Theme
from operator_console.ui.view.session_view import SessionView, Step
from operator_console.ui.view.step_facts import TimePart, call_facts, parts_of, step_facts
from operator_console.ui.widgets.controls import wide
from tests.display.ui.fake_backend import FakeBackend
from tests.display.ui.scene import HIGH, IN_NOTES, LOW, NOTES, SUBMIT, Story, call_of, desktop_image, review
from tests.ui.conftest import Run, until
from tests.ui.test_console import opened
from tests.ui.view.folding import fold_all

TYPING = a.TypeText(text="Train", at=NOTES)
EDITED = replace(TYPING, text="Bus")


def told() -> Story:
    """A step of two calls: one edited after a question of seven seconds, one denied with a note."""
    story = Story(image=desktop_image(64, 48))
    story.started()
    story.observed(1)
    raw = json.dumps({"text": "x" * (LONGEST_STRING + 5), "say": "hello hello"}).encode()
    story.proposed(1, call_of(0, TYPING, IN_NOTES), call_of(1, a.Click(at=SUBMIT), HIGH), raw=raw)
    story.add(ev.Asked(question=review(1, 0, TYPING, LOW), step=1, call=0))
    story.add(ev.Answered(question_id="q1.0", answer="edited", by=DecidedBy.HUMAN), after_s=7)
    edit = ev.Decided(
        step=1, call=0, decision=DecisionKind.MODIFY, by=DecidedBy.HUMAN, rule="edited", action=EDITED,
        assessment=IN_NOTES,
    )  # fmt: skip
    story.add(edit)
    story.add(ev.Granted(step=1, call=0, grant_id="g", action=EDITED, epoch=1))
    story.add(
        ev.Performed(
            step=1, call=0, result=ActResult.DONE, status=CallStatus.DONE, method="mapped keys", delivered=3, total=3
        )
    )
    story.settled(1)
    story.add(
        ev.Decided(
            step=1, call=1, decision=DecisionKind.DENY, by=DecidedBy.HUMAN, rule="sends-data", feedback="Not yet.",
            assessment=HIGH,
        )
    )  # fmt: skip
    story.observed(2, tint=20)
    return story


def step_of(view: SessionView) -> Step:
    return next(item for item in view.items if isinstance(item, Step))


def test_the_facts_say_what_was_done_and_what_was_proposed_who_decided_and_why() -> None:
    view = fold_all(told().records)
    step = step_of(view)
    typed, clicked = (dict(call_facts(call, view, step)) for call in step.calls)
    assert typed["Action"] == "Type “Bus” into text field “Notes” in “Expense report”"
    assert typed["Where"] == "at 250, 470"
    assert typed["Proposed by the model"].startswith("Type “Train”")
    assert typed["Decision"].startswith("Edited by you · ")
    assert (typed["Result"], typed["Sent"], typed["Typed or used by"]) == (
        "done · screen changed", "3 of 3 characters or events", "mapped keys",
    )  # fmt: skip
    assert clicked["Risk"] == "High · sends data"
    assert (clicked["Rule"], clicked["Why"]) == ("sends-data", "it submits a form to a recipient")
    assert (clicked["Your note"], clicked["Window"]) == ("Not yet.", "Expense report — Chromium")


def test_the_facts_of_the_step_have_request_tokens_and_picture() -> None:
    view = fold_all(told().records)
    facts = dict(step_facts(step_of(view), view))
    assert facts["Request"] == "248 kB · answered in 0.6 s"
    assert facts["Tokens"] == "2.9 k input · 160 output"
    assert facts["Picture"].startswith("64 × 48 · ")


def test_the_times_of_a_step_are_apart() -> None:
    parts = {part: round(value, 1) for part, value in parts_of(step_of(fold_all(told().records)))}
    assert parts == {
        TimePart.THINKING: 0.6, TimePart.CHECKS: 0.9, TimePart.YOU: 7.0, TimePart.ACTING: 0.3, TimePart.SETTLING: 0.2
    }  # fmt: skip


def test_a_document_is_indented_shortened_and_bounded_and_hides_nothing() -> None:
    document = readable_document(json.dumps({"a": ["x" * (LONGEST_STRING + 7)], "b": "\u202e"}).encode())
    assert "… 7 more characters" in document.shown
    assert "⟨U+202E⟩" in document.shown
    assert "x" * (LONGEST_STRING + 7) in document.whole
    plain = readable_document(b"no json \xff" + b"y" * (2 * LONGEST_SHOWN))
    assert max(map(len, plain.shown.split("\n"))) <= LONGEST_STRING
    assert len(plain.shown) < 1.01 * LONGEST_SHOWN


@pytest.mark.parametrize("text_size", [1.0, 1.5])
def test_values_have_more_room_than_the_names_of_the_facts(app: QApplication, text_size: float) -> None:
    look = Look(ThemeChoice.LIGHT, ContrastChoice.NORMAL, text_size)
    theme = Theme(app, look)
    theme.style_widgets()
    inspector = Inspector()
    try:
        view = fold_all(told().records)
        inspector.show_item(step_of(view), view)
        for width in (700, 938, 1400):
            inspector.resize(width, 280)
            inspector.show()
            app.processEvents()
            for facts in (inspector.call_facts, inspector.step_facts):
                name, value = facts.findChildren(QLabel)[:2]
                assert value.width() > 1.5 * name.width(), width
        theme.choose(look._replace(text_size=1.2))
        inspector.set_tokens(theme.tokens)
        assert inspector.call_facts.findChildren(QLabel)[0].width() == wide(NAMES)
    finally:
        inspector.close()
        Theme(app, look._replace(text_size=1.0)).style_widgets()


def test_a_chosen_step_opens_the_inspector_and_escape_closes_it(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app, FakeBackend(), styled=True) as (console, backend):
            window = console.window
            window.setup.task.setPlainText("Type it.")
            window.setup.start.click()
            await until(lambda: backend.handle is not None, "the session")
            for record in told().records:
                backend.emit(record.event)
            backend.story.blobs |= told().blobs
            timeline, inspector = window.side.timeline, window.inspector
            await until(lambda: timeline.rows.rowCount() == 3, "the rows")
            assert inspector.isHidden()
            timeline.setFocus(Qt.FocusReason.OtherFocusReason)
            timeline.setCurrentIndex(timeline.rows.index(1))
            await until(inspector.isVisible, "the inspector")
            assert inspector.calls.count() == 2
            QTest.keyClick(timeline, Qt.Key.Key_Return)
            assert inspector.pages.hasFocus()
            QTest.keyClick(inspector.pages, Qt.Key.Key_Right)
            QTest.keyClick(inspector.pages, Qt.Key.Key_Right)
            answer = inspector.documents[Page.ANSWER]
            await until(lambda: '"say": "hello hello"' in answer.text.toPlainText(), "the answer")
            answer.search.setText("hello")
            assert answer.found.text() == "2 matches"
            answer.copy.click()
            assert "x" * (LONGEST_STRING + 5) in QGuiApplication.clipboard().text()
            inspector.calls.setCurrentIndex(1)
            inspector.pages.setCurrentIndex(1)
            arguments = inspector.documents[Page.ARGUMENTS]
            await until(lambda: arguments.text.toPlainText() == "{}", "the arguments")
            QTest.keyClick(inspector.pages, Qt.Key.Key_Escape)
            await until(inspector.isHidden, "the inspector to close")
            assert timeline.hasFocus()
            assert not timeline.selectedIndexes()

    on_qt(work())


def test_the_slider_shows_a_part_of_the_picture_after(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app, FakeBackend(), styled=True) as (console, backend):
            window = console.window
            window.setup.task.setPlainText("Type it.")
            window.setup.start.click()
            await until(lambda: backend.handle is not None, "the session")
            story = told()
            backend.story.blobs |= story.blobs
            for record in story.records:
                backend.emit(record.event)
            timeline, bar = window.side.timeline, window.preview_bar
            await until(lambda: timeline.rows.rowCount() == 3, "the rows")
            timeline.setCurrentIndex(timeline.rows.index(1))
            await until(bar.wipe.isVisible, "the slider")
            assert (bar.wipe.value(), bar.after.isChecked()) == (0, True)
            bar.wipe.setValue(40)
            await until(lambda: window.preview._wipe._after is not None, "both pictures")
            fit = window.preview.fit
            assert fit is not None
            assert window.preview._wipe._line(fit) == fit.x + round(fit.width * 0.4), "it stands where the handle is"
            assert not bar.after.isChecked()
            assert not bar.before.isChecked()
            bar.before.click()
            await until(lambda: window.preview._wipe._after is None, "one picture")
            assert bar.wipe.value() == 100

    on_qt(work())


def test_the_message_of_a_step_without_an_action_has_the_whole_width(app: QApplication) -> None:
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, narration="Which of the two totals should be in the report?")
    view = fold_all(story.records)
    inspector = Inspector()
    inspector.show_item(step_of(view), view)
    assert inspector.call_facts.isHidden()
    assert not inspector.step_facts.isHidden()
    said = [part.text() for part in inspector.step_facts.findChildren(QLabel)]
    assert "Which of the two totals should be in the report?" in said
