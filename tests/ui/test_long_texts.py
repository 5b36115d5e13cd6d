"""A text of a megabyte never holds the window up, from the proposal to the timeline and the dialog."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import DecidedBy, DecisionKind
from operator_console.domain.proposals import Usage
from tests.display.ui.fake_backend import FakeBackend
from tests.display.ui.scene import CRITICAL, LOW, NOTES, call_of, frame_of, review
from tests.ui.conftest import until
from tests.ui.test_console import Run, opened
from tests.ui.window_turns import Turns

MOST_S = 0.1
"""Of processor time of the window's thread between two turns of its loop: a busy machine does not count."""


def test_a_megabyte_to_type_never_holds_the_window_up(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app, FakeBackend(), styled=True) as (console, backend):
            window = console.window
            window.setup.task.setPlainText("Type it.")
            window.setup.start.click()
            await until(lambda: backend.handle is not None, "the session")
            assert backend.audience is not None
            backend.audience.on_frame(frame_of(backend.story.image))
            backend.story.started()
            backend.story.observed(1)
            backend.play()
            await until(lambda: console.sessions.view.step is not None, "the step")
            action = a.TypeText(text="line of a text\n" * 66_667, at=NOTES)
            turns = Turns()
            backend.emit(ev.Proposed(step=1, calls=(call_of(0, action, LOW),), usage=Usage()))
            backend.emit(ev.Asked(question=review(1, 0, action, LOW), step=1, call=0))
            await until(window.side.card.approve.isEnabled, "Approve")
            review_s = turns.worst_s
            turns.forget()
            card = window.side.card
            card.edit.click()
            await until(lambda: card.editor.text.whole, "the text to edit")
            QTest.keyClicks(card.editor.text, "another ")
            await until(lambda: card.editing and card._draft is not None, "the edited action")
            card.editor.cancel.click()
            edit_s = turns.worst_s
            turns.forget()
            backend.emit(ev.Answered(question_id="q1.0", answer="yes", by=DecidedBy.HUMAN))
            asked = replace(review(1, 0, action, CRITICAL, dialog=True), question_id="q2")
            backend.emit(ev.Asked(question=asked, step=1, call=0))
            await until(lambda: console.questions.dialog is not None, "the dialog")
            dialog = console.questions.dialog
            assert dialog is not None
            exact = dialog._exact
            assert exact is not None
            await until(lambda: exact.whole, "the whole text")
            dialog_s = turns.worst_s
            turns.forget()
            backend.emit(ev.Answered(question_id="q2", answer="yes", by=DecidedBy.HUMAN))
            backend.emit(
                ev.Decided(step=1, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.HUMAN, rule="x", assessment=LOW)
            )
            backend.emit(ev.Granted(step=1, call=0, grant_id="g", action=action, epoch=1))
            await until(lambda: console.questions.dialog is None, "the dialog to close")
            rows = window.side.timeline.rows
            await until(lambda: rows.rowCount() >= 2, "the timeline")
            assert rows.index(0).data() is not None
            window.grab()
            seen = (review_s, edit_s, dialog_s, turns.worst_s)
            assert max(seen) < MOST_S, seen

    on_qt(work())
