"""A runbook in the task field: checked while it is written, files, and the line that runs."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QTextCharFormat
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from operator_console.cli.event_lines import EventLines
from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import ProposedCall
from operator_console.domain.frames import VirtualTarget
from operator_console.domain.message_texts import notice, notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Usage
from operator_console.domain.risk import Autonomy
from operator_console.ui.console import Console
from operator_console.ui.controllers.runbook_editing import MOST_BYTES, read_runbook, write_runbook
from operator_console.ui.panels.status_line import StatusLine
from operator_console.ui.panels.task_marks import TaskMarks
from operator_console.ui.view.runbook_lines import line_count, progress_words
from operator_console.ui.view.session_view import Phase
from tests.display.ui.fake_backend import GEMINI, RUNBOOK, FakeBackend
from tests.display.ui.scene import Story
from tests.ui.conftest import Run, until
from tests.ui.test_console import begun, running, running_styled, shown_in
from tests.ui.view.folding import fold_all

STEPS = 'click "Save"\nclik "Open"\nexpect "Saved once"'


async def with_runbook(console: Console) -> QPlainTextEdit:
    setup = console.window.setup
    await until(lambda: setup.chosen_model is not None and setup.chosen_model.runbook, "the runbook")
    await until(lambda: bool(setup.runbook_buttons), "the task for it")
    return setup.task


@running
async def test_a_mistake_is_marked_and_said_while_one_writes(console: Console, backend: FakeBackend) -> None:
    task = await with_runbook(console)
    marks, mistake = console.runbook.marks, console.window.setup.mistake
    assert marks.lines_shown
    QTest.keyClicks(task, 'clik "Open"')
    await until(mistake.isVisible, "the mistake")
    assert "line 1, column 1" in mistake.text()
    assert (marks.mistake_line, backend.requests) == (1, [])
    assert task.textCursor().atEnd(), "writing goes on where it was"
    (marked,) = task.extraSelections()
    assert marked.cursor.selectedText() == "clik"
    assert marked.format.underlineStyle() is QTextCharFormat.UnderlineStyle.WaveUnderline
    console.window.setup.write_task('click "Open"')
    assert mistake.isHidden()
    assert task.extraSelections() == []


@running
async def test_other_models_have_a_plain_task(console: Console, backend: FakeBackend) -> None:
    task, setup = await with_runbook(console), console.window.setup
    task.setPlainText("just words")
    await until(setup.mistake.isVisible, "the mistake")
    backend.choices = [RUNBOOK, GEMINI]
    setup.show_models(await backend.models())
    setup.choose_model(GEMINI)
    assert setup.mistake.isHidden()
    assert not console.runbook.marks.lines_shown
    assert not any(each.isVisible() for each in setup.runbook_buttons)


@running
async def test_a_file_that_cannot_be_read_says_so_and_the_text_stays(console: Console, backend: FakeBackend) -> None:
    task = await with_runbook(console)
    task.setPlainText("mine")
    console.runbook.load(Path("nowhere.runbook"))
    await until(lambda: "cannot be opened" in console.window.banner.accessibleName(), "the reason")
    assert task.toPlainText() == "mine"
    assert backend.requests == []


def test_a_dropped_file_is_loaded_undo_brings_the_text_back_and_it_is_saved(
    app: QApplication, on_qt: Run, tmp_path: Path
) -> None:
    path, kept = tmp_path / "steps.runbook", tmp_path / "mine.runbook"
    path.write_text(f"{STEPS}\n", encoding="utf-8")

    async def work(console: Console, _: FakeBackend) -> None:
        task = await with_runbook(console)
        QTest.keyClicks(task, "mine")
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        copy, left, no_key = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(5, 5), copy, data, left, no_key)
        QApplication.sendEvent(task.viewport(), enter)
        assert enter.isAccepted()
        QApplication.sendEvent(task.viewport(), QDropEvent(QPointF(5, 5), copy, data, left, no_key))
        await until(lambda: task.toPlainText() == STEPS, "the file")
        task.undo()
        assert task.toPlainText() == "mine"
        console.runbook.save(kept)
        await until(lambda: "Saved as mine.runbook" in console.window.banner.accessibleName(), "the file to be saved")
        assert kept.read_text(encoding="utf-8") == "mine\n"

    running(work)(app, on_qt)


def test_a_save_keeps_the_permissions_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "steps.runbook"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    write_runbook(path, STEPS)
    assert read_runbook(path) == STEPS
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OperatorError, match="not saved"):
        write_runbook(tmp_path / "nowhere" / "steps.runbook", STEPS)


@pytest.mark.parametrize(("data", "why"), [(b"\xff\xfe", "UTF-8"), (b"x" * (MOST_BYTES + 1), "larger")])
def test_what_is_no_runbook_is_not_opened(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "steps.txt"
    path.write_bytes(data)
    with pytest.raises(OperatorError) as caught:
        read_runbook(path)
    assert why in str(caught.value)


def played(line: int, *, task: str = STEPS, task_text: str = "") -> Story:
    """A runbook of which this line runs."""
    story = Story()
    target = VirtualTarget(spec="virtual", title="Desktop")
    story.add(ev.SessionStarted(
        task=task, task_text=task_text, target=target, provider="runbook", model="runbook", autonomy=Autonomy.STEP,
        max_steps=9, max_minutes=3.0,
    ))  # fmt: skip
    call = ProposedCall(
        index=0, call_id=f"line-{line}", name="press", action=a.Wait(duration_s=1.0),
        intent=f"line {line}: press Enter",
    )  # fmt: skip
    story.proposed(1, call)
    return story


def test_lines_and_steps_are_counted_apart_and_named_as_what_they_are(app: QApplication) -> None:
    story = played(2)
    look = ProposedCall(
        index=0, call_id="line-3", name="wait", action=a.Wait(duration_s=1.0), intent="line 3: expect “Saved once”",
        note_notices=notices_of(notice(NoticeCode.NAME_NOT_ON_SCREEN_YET, name="“Saved once”", seconds=9.0)),
    )  # fmt: skip
    for step in (2, 3, 4):
        story.proposed(step, look)
    story.add(ev.Ended(
        outcome=ev.EndedOutcome.FINISHED, message="Done.", steps=4, elapsed_s=8.0, usage=Usage()
    ))  # fmt: skip
    view = fold_all(story.records)
    assert view.started is not None
    assert progress_words(view.started, view.line, view.looks) == "line 3 of 3 · 3 waits"
    status = StatusLine()
    status.show_view(view, 8.0)
    assert (status._step.text(), status._runbook.text()) == ("4", "line 3 of 3")
    terminal = EventLines()
    said = [line.text for record in story.records for line in terminal.feed(record)]
    assert said[-1] == "Finished after 4 steps in 0:08 (line 3 of 3 · 3 waits). Done."


@pytest.mark.parametrize(
    ("task", "text", "lines"),
    [(STEPS, "", 3), (f"{STEPS}\n\n", "", 3), ("@steps.txt", f"{STEPS}\n", 3), (" @steps.txt", "", None)],
)
def test_the_lines_of_a_runbook_are_counted(task: str, text: str, lines: int | None) -> None:
    started = fold_all(played(2, task=task, task_text=text).records).started
    assert started is not None
    assert line_count(started) == lines
    assert progress_words(started, 2) == ("line 2" if lines is None else "line 2 of 3")


@running
async def test_the_line_that_runs_is_marked_in_the_editor_and_stands_on_the_card_where_its_action_only_looks(
    console: Console, backend: FakeBackend
) -> None:
    task = await with_runbook(console)
    task.setPlainText(STEPS)
    backend.story = played(3)
    console.window.setup.start.click()
    await until(lambda: backend.handle is not None, "the session")
    backend.play()
    card = console.window.side.card
    await until(lambda: any("line 3: press Enter" in said for said in shown_in(card)), "the line")
    console.window.line.unfold.click()
    await until(task.isVisible, "the set-up")
    assert console.runbook.marks.running_line == 3
    others, running_line = task.extraSelections()
    tokens = console.theme.tokens
    assert others.cursor.selectedText().count("\u2029") == task.blockCount() - 1
    assert others.format.foreground().color().name() == tokens.secondary, "the field is disabled, and still read"
    assert (running_line.cursor.blockNumber(), running_line.format.foreground().color().name()) == (2, tokens.text)
    assert console.sessions.view.phase is not Phase.IDLE


@running
async def test_another_task_in_the_field_is_not_marked(console: Console, backend: FakeBackend) -> None:
    task = await with_runbook(console)
    await begun(console, backend)
    backend.story = played(1)
    backend.play()
    await until(lambda: console.sessions.view.line == 1, "the line")
    assert task.toPlainText() == "Copy the receipt."
    assert console.runbook.marks.running_line == 0


@pytest.mark.parametrize(
    ("text", "line", "column", "marked"),
    [('click "A"', 1, 1, "click"), ("scroll", 1, 7, "scroll"), ("a\nb c", 2, 3, "c"), ("a b", 1, 0, "a b")],
)
def test_the_word_at_the_column_is_marked(app: QApplication, text: str, line: int, column: int, marked: str) -> None:
    task = QPlainTextEdit(text)
    marks = TaskMarks(task)
    marks.show_lines(True)
    marks.show_mistake(line, column)
    (found,) = task.extraSelections()
    assert found.cursor.selectedText() == marked
    assert task.viewport().geometry().left() > 12, "room for the numbers"
    marks.show_lines(False)
    assert task.extraSelections() == []


@running_styled
async def test_the_whole_field_of_the_model_is_seen_below_the_lines(console: Console, backend: FakeBackend) -> None:
    console.window.resize(1280, 720)
    await with_runbook(console)
    model = console.window.setup.model
    await until(lambda: model.visibleRegion().boundingRect() == model.rect(), "the whole field", timeout_s=5)
