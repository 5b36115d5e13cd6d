"""The status line counts the steps as the list of sessions does."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from operator_console.domain import events as ev
from operator_console.domain.stopping import StopCause
from operator_console.ui.panels.status_line import StatusLine
from operator_console.ui.view.session_view import SessionView
from tests.display.ui.scene import Story
from tests.ui.view.folding import fold_all


def test_a_look_that_a_stop_left_unanswered_is_no_step(app: QApplication) -> None:
    line, story = StatusLine(), Story()
    line.show_view(SessionView(), None)
    assert line._step.text() == "–"
    story.history()
    story.observed(6)
    line.show_view(fold_all(story.records), 1.0)
    assert line._step.text() == "6"
    story.add(ev.Stopped(reason=StopCause.HOTKEY, latched=True))
    line.show_view(fold_all(story.records), 1.0)
    assert line._step.text() == "5"
