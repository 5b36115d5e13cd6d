"""The sessions library in the console: found, opened, verified, renamed, exported and deleted, by keyboard."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from operator_console.domain import events as ev
from operator_console.domain import states as st
from operator_console.domain.errors import OperatorError, RecordError
from operator_console.domain.proposals import Usage
from operator_console.ui.backend import SessionOutcome, SessionSummary, VerifyFinding, VerifyReport
from operator_console.ui.console import Console
from operator_console.ui.dialogs.confirm import ConfirmDialog
from operator_console.ui.library.library_window import LibraryWindow, RenameDialog
from operator_console.ui.library.sessions_model import NOTE_ROLE, NoteTone
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.theme_colours import LIGHT
from tests.display.ui.fake_backend import FakeBackend, FakeRecord
from tests.display.ui.scene import Story, desktop_image
from tests.ui.conftest import Run, until
from tests.ui.test_console import opened

FIRST, SECOND = Path("2026-11-23_10-00-00.ocsession"), Path("2026-11-22_10-00-00.ocsession")
Work = Callable[[Console, FakeBackend, LibraryWindow], Awaitable[None]]


def with_files(*paths: Path) -> FakeBackend:
    backend = FakeBackend()
    for path in paths:
        story = backend.files[path] = Story(image=desktop_image(64, 48))
        story.history(1)
    return backend


def in_library(work: Work) -> Callable[[QApplication, Run], None]:
    """A test with the library open over two sessions, the first of them current."""

    def test(app: QApplication, on_qt: Run) -> None:
        async def play() -> None:
            async with opened(app, with_files(FIRST, SECOND)) as (console, backend):
                console.library.show()
                library = console.library.window
                assert library is not None
                await until(lambda: library.list.current is not None, "the list")
                await work(console, backend, library)

        on_qt(play())

    test.__doc__ = work.__doc__
    return test


def press(library: LibraryWindow, key: Qt.Key) -> None:
    QTest.keyClick(library.list, key)


async def renamed_in_library(console: Console, path: Path, name: str) -> Path:
    """Rename a session as a person does; the library stays open."""
    console.library.show()
    library = console.library.window
    assert library is not None
    await until(lambda: library.list.current is not None, "the list")
    assert library.list.current is not None
    assert library.list.current.path == path
    press(library, Qt.Key.Key_F2)
    dialog = library.findChild(RenameDialog)
    assert isinstance(dialog, RenameDialog)
    dialog.line.setText(name)
    QTest.keyClick(dialog.line, Qt.Key.Key_Return)
    await until(lambda: note_beside(library) == (f"Renamed to “{name}”.", NoteTone.GOOD), "the note at the new row")
    assert console.library.window is library
    return path.with_name(f"{name}.ocsession")


def note_beside(library: LibraryWindow) -> tuple[str, NoteTone] | None:
    note = library.list.currentIndex().data(NOTE_ROLE)
    return None if note is None else (note.text, note.tone)


@in_library
async def test_enter_opens_the_current_session(console: Console, backend: FakeBackend, library: LibraryWindow) -> None:
    assert library.list.hasFocus() or not library.isActiveWindow()
    press(library, Qt.Key.Key_Return)
    await until(console.window.transport.isVisible, "the record")
    assert console.library.window is None
    assert console.records.record is not None


def test_the_caret_leaves_the_search_also_before_the_window_is_in_front(app: QApplication, on_qt: Run) -> None:
    class Focus(QObject):
        def __init__(self) -> None:
            super().__init__()
            self.told: list[QEvent.Type] = []

        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802  Qt's own name
            if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
                self.told.append(event.type())
            return False

    async def work() -> None:
        window, focus = LibraryWindow(LIGHT, {}, None), Focus()
        window.search.installEventFilter(focus)
        window.show()
        assert not window.isActiveWindow()
        assert focus.told == [QEvent.Type.FocusIn]
        window.show_sessions([SessionSummary(path=FIRST, task="Copy the receipt")])
        assert focus.told == [QEvent.Type.FocusIn, QEvent.Type.FocusOut]
        window.close()

    on_qt(work())


@in_library
async def test_a_file_that_cannot_be_opened_says_so_beside_its_row(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    del backend.files[FIRST]
    press(library, Qt.Key.Key_Return)
    await until(lambda: note_beside(library) is not None, "the note")
    words, tone = note_beside(library) or ("", NoteTone.PLAIN)
    assert "no session file" in words
    assert tone is NoteTone.BAD
    assert library.status.whole == words
    assert console.library.window is library


@in_library
async def test_a_session_that_runs_keeps_the_window(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    console.window.setup.task.setPlainText("Do it")
    console.window.setup.start.click()
    await until(lambda: backend.handle is not None, "the session")
    press(library, Qt.Key.Key_Return)
    await until(lambda: note_beside(library) is not None, "the note")
    assert "A session is running." in library.status.whole
    assert console.records.record is None


@pytest.mark.parametrize(
    ("finding", "words", "tone"),
    [
        (VerifyFinding.INTACT, "Intact: unchanged since it was recorded here (61 events, 9 pictures", NoteTone.GOOD),
        (VerifyFinding.DAMAGED, "Damaged: changed or incomplete", NoteTone.BAD),
        (VerifyFinding.RECORDED_ELSEWHERE, "Consistent, but recorded on another", NoteTone.PLAIN),
    ],
)
def test_a_verification_is_told_in_words(
    app: QApplication, on_qt: Run, finding: VerifyFinding, words: str, tone: NoteTone
) -> None:
    @in_library
    async def work(console: Console, backend: FakeBackend, library: LibraryWindow) -> None:
        backend.verdict = VerifyReport(finding=finding, events=61, blobs=9)
        assert not library.status.isVisible(), "an empty line would be a blank strip"
        library.verify.click()
        assert library.status.isVisible()
        assert (note_beside(library) or ("",))[0].startswith("Checking")
        await until(lambda: (note_beside(library) or ("",))[0].startswith(words), "the finding")
        assert (note_beside(library) or ("", None))[1] is tone

    work(app, on_qt)


@in_library
async def test_f2_and_delete_work_wherever_the_keyboard_is_but_in_a_text(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    QTest.mouseClick(library.verify, Qt.MouseButton.LeftButton)
    library.verify.setFocus()
    QTest.keyClick(library.verify, Qt.Key.Key_F2)
    dialog = library.findChild(RenameDialog)
    assert isinstance(dialog, RenameDialog)
    dialog.reject()
    QTest.keyClick(library.verify, Qt.Key.Key_Delete)
    asked = library.findChild(ConfirmDialog)
    assert isinstance(asked, ConfirmDialog)
    asked.reject()
    await until(library.isActiveWindow, "the library")
    library.search.setFocus()
    QTest.keyClicks(library.search, "re")
    library.search.home(False)
    QTest.keyClick(library.search, Qt.Key.Key_Delete)
    assert library.search.text() == "e"
    assert not any(each.isVisible() for each in library.findChildren(ConfirmDialog))


@in_library
async def test_an_enter_that_is_still_held_after_a_dialog_opens_nothing(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    opened: list[object] = []
    library.chosen.connect(opened.append)
    enter, plain = Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier
    for part in (library.list, library.search):
        for kind in (QEvent.Type.KeyRelease, QEvent.Type.KeyPress):  # the first repeat: the dialog had the press
            event = QKeyEvent(kind, enter, plain, "\r")
            event.setTimestamp(77)
            QApplication.sendEvent(part, event)
        QApplication.sendEvent(part, QKeyEvent(QEvent.Type.KeyPress, enter, plain, "\r", True))
    assert opened == []


@in_library
async def test_f2_renames_and_a_refused_name_says_why(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    opened: list[object] = []
    library.chosen.connect(opened.append)
    press(library, Qt.Key.Key_F2)
    dialog = library.findChild(RenameDialog)
    assert isinstance(dialog, RenameDialog)
    assert dialog.line.text() == FIRST.stem
    backend.file_error = OperatorError("A name cannot contain “/”.", remedy="Choose another name.")
    QTest.keyClick(dialog.line, Qt.Key.Key_Return)
    await until(lambda: dialog.trouble.text() == "A name cannot contain “/”. Choose another name.", "the reason")
    backend.file_error = None
    dialog.line.setText("Receipt")
    QTest.keyClick(dialog.line, Qt.Key.Key_Return)
    await until(lambda: Path("Receipt.ocsession") in backend.files, "the new name")
    await until(lambda: note_beside(library) == ("Renamed to “Receipt”.", NoteTone.GOOD), "the note at the new row")
    current = library.list.current
    assert current is not None
    assert current.path == Path("Receipt.ocsession")
    assert opened == []


@in_library
async def test_delete_asks_with_the_size_and_goes_on_with_the_next_row(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    press(library, Qt.Key.Key_Delete)
    dialog = library.findChild(ConfirmDialog)
    assert isinstance(dialog, ConfirmDialog)
    assert not dialog.yes.isDefault()
    assert not dialog.yes.autoDefault()
    QTest.keyClick(dialog, Qt.Key.Key_Return)  # no button is the default
    assert dialog.isVisible()
    assert FIRST in backend.files
    dialog.yes.click()
    await until(lambda: FIRST not in backend.files, "the deletion")
    await until(lambda: "1.2 MB freed" in library.status.whole, "what was deleted")
    current = library.list.current
    assert current is not None
    assert current.path == SECOND


@in_library
async def test_enter_presses_the_button_that_tab_went_to(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    press(library, Qt.Key.Key_Delete)
    dialog = library.findChild(ConfirmDialog)
    assert isinstance(dialog, ConfirmDialog)
    dialog.yes.setFocus()
    plain = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(dialog.yes, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, plain, "\r", True))
    for kind in (QEvent.Type.KeyRelease, QEvent.Type.KeyPress):  # the first repeat: another window had the press
        event = QKeyEvent(kind, Qt.Key.Key_Return, plain, "\r")
        event.setTimestamp(77)
        QApplication.sendEvent(dialog.yes, event)
    assert FIRST in backend.files, "an Enter that is held"
    QTest.keyClick(dialog.yes, Qt.Key.Key_Return)
    await until(lambda: FIRST not in backend.files, "the deletion")


@in_library
async def test_a_deletion_that_fails_says_why_beside_the_row(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    library.delete.click()
    dialog = library.findChild(ConfirmDialog)
    assert isinstance(dialog, ConfirmDialog)
    backend.file_error = RecordError("The session is still being written.", remedy="Stop it first.")
    dialog.yes.click()
    await until(lambda: library.status.whole == "The session is still being written. Stop it first.", "the reason")
    assert FIRST in backend.files


async def export_begun(console: Console, backend: FakeBackend) -> None:
    """Answer the dialog; the export goes on until `backend.export_lasts` is set."""
    backend.export_lasts = asyncio.Event()
    dialog = console.exports.dialog
    assert dialog is not None
    dialog.export_wanted.emit(Path("/tmp/out.html"))
    dialog.reject()
    await until(lambda: backend.on_progress is not None, "the export")


@in_library
async def test_an_export_is_asked_for_and_told_beside_the_row(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    library.export.click()
    dialog = console.exports.dialog
    assert dialog is not None
    assert Path(dialog.selectedFiles()[0]).name == f"{FIRST.stem}.html"
    dialog.filterSelected.emit(next(words for words in dialog.nameFilters() if "zip" in words))
    assert Path(dialog.selectedFiles()[0]).name == f"{FIRST.stem}.zip"
    target = Path("/tmp/out.zip")
    dialog.export_wanted.emit(target)
    dialog.reject()
    await until(lambda: (note_beside(library) or ("",))[0].startswith("Exported to “out.zip”"), "the note")
    assert backend.exported == [(FIRST, target)]
    assert console.window.banner.notice is None
    assert library.written.isVisible()
    assert library.written.text() == "Show folder"
    opened: list[object] = []
    library.written_wanted.disconnect()
    library.written_wanted.connect(opened.append)
    library.written.click()
    assert opened == [target]


@in_library
async def test_an_export_says_how_far_it_is_and_can_be_cancelled(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    library.export.click()
    await export_begun(console, backend)
    assert backend.on_progress is not None
    await asyncio.to_thread(backend.on_progress, 12, 300)
    await until(lambda: library.status.whole == "Exporting… 12 of 300 steps", "how far it is")
    assert library.export.accessibleName() == library.export.text() == "Cancel export"
    QTest.keyClick(library, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)  # exports, and never cancels
    assert library.export.text() == "Cancel export"
    library.export.click()
    await until(lambda: note_beside(library) == ("Export cancelled. No file was written.", NoteTone.PLAIN), "the end")
    assert library.export.accessibleName() == library.export.text() == "Export…"
    assert backend.exported == []
    await asyncio.to_thread(backend.on_progress, 13, 300)
    assert library.status.whole == "Export cancelled. No file was written."


@in_library
async def test_an_export_goes_on_in_the_console_when_the_library_is_closed(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    library.export.click()
    await export_begun(console, backend)
    assert console.window.banner.notice is None
    library.close()
    banner = console.window.banner
    await until(lambda: banner.notice and banner.notice.act == "Cancel export", "the export in the console")
    assert backend.export_lasts is not None
    backend.export_lasts.set()
    await until(lambda: banner.notice and banner.notice.title.startswith("Exported to “out.html”"), "the end")


@in_library
async def test_the_library_opens_again_in_the_size_that_a_person_gave_it(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    library.close()
    assert console.window.place.sizes == {}
    console.library.show()
    again = console.library.window
    assert again is not None
    again.resize(600, 500)
    again.close()
    assert console.window.place.sizes == {"library width": 600, "library height": 500}
    console.library.show()
    assert console.library.window is not None
    assert console.library.window.size().toTuple() == (600, 500)


@in_library
async def test_a_search_moves_by_arrows_and_is_cleared_by_escape(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    QTest.keyClicks(library.list, "n")  # typed into the list, it goes to the search
    QTest.keyClicks(library.search, "othing like it")
    assert library.search.text() == "nothing like it"
    assert not library.list.isVisible()
    assert library.empty.act.text() == "Clear the search"
    assert not library.open_session.isEnabled()
    QTest.keyClick(library.search, Qt.Key.Key_Escape)
    assert library.isVisible()
    assert library.list.isVisible()
    QTest.keyClick(library.search, Qt.Key.Key_Down)
    current = library.list.current
    assert current is not None
    assert current.path == SECOND


@in_library
async def test_the_context_menu_offers_the_same_and_the_keys(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    place = library.list.viewport().mapToGlobal(library.list.rect().topLeft())
    library.list.menu_wanted.emit(place)
    menu = library.findChild(QMenu)
    assert isinstance(menu, QMenu)
    words = [act.text().partition("\t")[0] for act in menu.actions() if not act.isSeparator()]
    assert words == ["Open", "Export…", "Verify", "Rename…", "Delete…", "Copy file path"]
    menu.actions()[-1].trigger()  # as a screen reader does
    assert not menu.isVisible()


@in_library
async def test_thumbnails_are_read_for_the_rows_in_view(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    await until(lambda: set(backend.pictures_read) == {FIRST, SECOND}, "the thumbnails")


@in_library
async def test_another_file_can_be_opened_and_the_library_is_raised_not_doubled(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    console.library.show()
    assert console.library.window is library
    library.chosen.emit(SECOND)
    await until(console.window.transport.isVisible, "the record")


@in_library
async def test_a_session_that_runs_is_neither_renamed_nor_deleted(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    running = SessionSummary(path=Path("now.ocsession"), task="Now", outcome=SessionOutcome.RUNNING, started="9")
    broken = SessionSummary(
        path=Path("x.ocsession"), task="", outcome=SessionOutcome.UNREADABLE, trouble="It is empty."
    )
    library.show_sessions([running, broken], running.path)
    assert [push.isEnabled() for push in (library.open_session, library.rename, library.delete)] == [True, False, False]
    assert library.delete.toolTip() == "This session is still running."
    library.show_sessions([running, broken], broken.path)
    assert not library.open_session.isEnabled()
    assert (
        library.delete.toolTip()
        == library.open_session.accessibleDescription()
        == "This file cannot be read as a session."
    )
    assert library.status.whole == "It is empty."


@in_library
async def test_a_list_that_is_read_again_keeps_row_and_place(
    console: Console, backend: FakeBackend, library: LibraryWindow
) -> None:
    library.show_sessions([*await backend.sessions(), *(
        SessionSummary(path=Path(f"{number}.ocsession"), task="", started="2020") for number in range(50)
    )])  # fmt: skip
    library.list.setCurrentIndex(library.list.rows.index(1))
    library.list.verticalScrollBar().setValue(400)
    library.again_wanted.emit()
    await until(lambda: library.list.rows.rowCount() == 2, "the list as it is")
    current = library.list.current
    assert current is not None
    assert current.path == SECOND
    resets: list[None] = []
    library.list.rows.modelReset.connect(lambda: resets.append(None))
    library.again_wanted.emit()
    await until(lambda: not console.bridge.running("sessions"), "the list again")
    assert resets == []


def test_what_is_typed_before_the_list_came_searches_it(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app, with_files(FIRST, SECOND)) as (console, _):
            console.library.show()
            library = console.library.window
            assert library is not None
            QTest.keyClicks(library.search, SECOND.stem)
            await until(lambda: library.list.current is not None, "the list")
            assert library.list.rows.rowCount() == 1
            assert library.list.current is not None
            assert library.list.current.path == SECOND

    on_qt(work())


def test_without_sessions_the_library_says_what_to_do_next(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app) as (console, _):
            console.library.show()
            library = console.library.window
            assert library is not None
            await until(library.empty.act.isVisible, "the button")
            library.empty.act.click()
            assert console.library.window is None

    on_qt(work())


def test_a_folder_that_cannot_be_listed_says_why_and_can_be_tried_again(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = with_files(FIRST)
        backend.unlisted = RecordError("The folder cannot be read.", remedy="Check the disk.")
        async with opened(app, backend) as (console, _):
            console.library.show()
            library = console.library.window
            assert library is not None
            await until(lambda: "The folder cannot be read. Check the disk." in library.empty.accessibleName(), "why")
            backend.unlisted = None
            library.empty.act.click()
            await until(lambda: library.list.current is not None, "the list")

    on_qt(work())


def test_what_is_shown_follows_its_file(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app, with_files(FIRST)) as (console, _):
            console._open_path(FIRST)
            await until(lambda: console.records.record is not None, "the record")
            console.window.transport.place.setValue(0)
            at, before = console.window.transport.at, console.records.record
            renamed = await renamed_in_library(console, FIRST, "Receipt")
            await until(lambda: console.records.record and console.records.record.path == renamed, "the new path")
            assert isinstance(before, FakeRecord)
            assert before.closed
            assert console.pictures.source is console.records.record
            assert console.window.transport.at == at, "its place stays"
            assert console.library.window is not None
            console.library.deleted.emit(renamed)
            assert console.records.record is None
            assert console.sessions.view.started is None

    on_qt(work())


def test_a_session_that_ended_here_stays_what_it_was_under_its_new_name(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app) as (console, backend):
            window = console.window
            window.setup.task.setPlainText("Do it")
            window.setup.start.click()
            await until(lambda: backend.handle is not None, "the session")
            handle = backend.handle
            assert handle is not None
            backend.story.started()
            backend.play()
            backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
            backend.enter(st.Ended(outcome=ev.EndedOutcome.FINISHED))
            handle.over.set()
            await until(window.line.export.isVisible, "its end")
            backend.files[handle.path] = backend.story
            renamed = await renamed_in_library(console, handle.path, "Receipt")
            assert console.records.record is None, "it is not a record that is read"
            assert handle.path == renamed
            assert console._situation().record == renamed, "what is exported"
            console.library.close()
            console._go_on("And again")
            await until(lambda: len(backend.requests) == 2, "the follow-up")
            assert backend.requests[1].resume == renamed

    on_qt(work())


def test_from_a_finished_session_to_its_page_in_two_presses(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app) as (console, backend):
            console.window.setup.task.setPlainText("Do it")
            console.window.setup.start.click()
            await until(lambda: backend.handle is not None, "the session")
            backend.story.started()
            backend.play()
            QTest.keyClick(console.window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: console.window.banner.notice is not None, "why not yet")
            assert not console.window.line.export.isVisible()
            backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
            backend.enter(st.Ended(outcome=ev.EndedOutcome.FINISHED))
            await until(console.window.line.export.isVisible, "Export")
            QTest.keyClick(console.window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: console.exports.dialog is not None, "the dialog")
            dialog = console.exports.dialog
            assert dialog is not None
            assert dialog.selectedFiles()[0].endswith("/expense-report.html")
            dialog.export_wanted.emit(Path("/tmp/expense-report.html"))
            dialog.reject()
            await until(lambda: backend.exported, "the export")
            banner = console.window.banner
            await until(lambda: banner.notice and banner.notice.act == "Open page", "the button")

    on_qt(work())


def test_an_export_is_cancelled_in_the_banner_and_leaves_other_notices_alone(
    app: QApplication, on_qt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("operator_console.ui.controllers.exports._TOLD_EVERY_S", 0.0)

    async def work() -> None:
        backend = with_files(FIRST)
        async with opened(app, backend) as (console, _):
            banner = console.window.banner
            console._open_path(FIRST)
            await until(console.window.transport.isVisible, "the record")
            console._export()
            await export_begun(console, backend)
            assert backend.on_progress is not None
            await asyncio.to_thread(backend.on_progress, 12, 300)
            await until(lambda: banner.notice and banner.notice.progress == "12 of 300 steps", "how far it is")
            console._say(Notice(tone=Tone.ERROR, title="Something else."))
            await asyncio.to_thread(backend.on_progress, 200, 300)
            await until(lambda: banner.notice and banner.notice.title == "Something else.", "the other notice")
            console._export()
            await until(lambda: banner.notice and banner.notice.act == "Cancel export", "the export again")
            banner._act.click()
            await until(lambda: banner.notice and banner.notice.title.startswith("Export cancelled"), "the end")
            assert backend.exported == []

    on_qt(work())


def drop(console: Console, *paths: str) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    event = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    console.window.dropEvent(event)


def test_what_is_dropped_is_opened_or_refused_with_a_reason(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        session = Path("/tmp/a.ocsession")
        async with opened(app, with_files(session)) as (console, _):
            for paths, words in (
                (("/tmp/a.txt",), "no session file"),
                (("/tmp/a.txt", "/tmp/b.txt"), "None of these 2 files is a session."),
                (("/tmp/a.ocsession", "/tmp/b.ocsession"), "2 were dropped"),
            ):
                drop(console, *paths)
                await until(lambda words=words: words in console.window.banner.accessibleName(), words)  # type: ignore[misc]
            drop(console, "/tmp/notes.txt", str(session))
            await until(console.window.transport.isVisible, "the record")

    on_qt(work())
