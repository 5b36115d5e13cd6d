"""The sessions library: search, order, the list, and what can be done with a session. A window beside the console's.

Not modal: Stop stays within reach. It asks for everything by signals; `LibraryController` does it. The dialog for a
session's new name is here too.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.errors import ConsoleError
from operator_console.domain.translations import _, ngettext
from operator_console.ui.backend import SessionOutcome, SessionSummary
from operator_console.ui.library.session_rows import SessionRows
from operator_console.ui.library.sessions_model import Note, Order, SessionsModel, open_words
from operator_console.ui.theme_colours import Tokens
from operator_console.ui.widgets.announcement import announce
from operator_console.ui.widgets.controls import (
    GRID,
    ElidedLabel,
    HeldKey,
    button,
    button_row,
    column,
    enable,
    fit_height,
    label,
    row_layout,
    show_text,
    wide,
)
from operator_console.ui.widgets.qt_accessibility import close_when_run
from operator_console.ui.widgets.window_size import WindowSize, largest_window
from operator_console.ui.window_place import Part

SIZE = QSize(860, 640)
LEAST = QSize(420, 380)
MARGIN = 24
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class EmptyPage(QWidget):
    """Why the list is empty, and a button for what to do next.

    Signals:
        pressed: carries the button's text.
    """

    pressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        rows = column(self, spacing=GRID + 4, margins=(MARGIN, MARGIN, MARGIN, MARGIN))
        self._title, self._text = label(role="title", wrap=True), label(role="hint", wrap=True)
        self.act = button("", "primary")
        rows.addStretch(1)
        for words in (self._title, self._text):
            words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            rows.addWidget(words)
        line = QHBoxLayout()
        line.addStretch(1)
        line.addWidget(self.act)
        line.addStretch(1)
        rows.addLayout(line)
        rows.addStretch(2)
        self.act.clicked.connect(self._clicked)

    def say(self, title: str, text: str, act: str) -> None:
        """Show a title, a text and a button; "" leaves the button out."""
        self._title.setText(title)
        show_text(self._text, text)
        self.act.setText(act)
        self.act.setAccessibleName(act)
        self.act.setVisible(bool(act))
        self.setAccessibleName(f"{title}. {text}".strip())

    def _clicked(self) -> None:
        self.pressed.emit(self.act.text())


class LibraryWindow(QDialog):
    """Lists the sessions and asks for what is done with them.

    Signals:
        chosen: a session should be opened; carries its Path.
        verify_wanted, export_wanted, rename_wanted, delete_wanted: carry a SessionSummary.
        cancel_wanted: the export of a session should be cancelled; carries its SessionSummary.
        written_wanted: an exported file should be opened; carries its Path.
        thumbnail_wanted: carries a SessionSummary.
        set_up_wanted: a session should be set up; no payload.
        again_wanted: the list should be read again; no payload.
    """

    chosen = Signal(object)
    verify_wanted = Signal(object)
    export_wanted = Signal(object)
    cancel_wanted = Signal(object)
    written_wanted = Signal(object)
    rename_wanted = Signal(object)
    delete_wanted = Signal(object)
    thumbnail_wanted = Signal(object)
    set_up_wanted = Signal()
    again_wanted = Signal()

    def __init__(self, tokens: Tokens, chosen_sizes: MutableMapping[Part, int], parent: QWidget | None) -> None:
        """`chosen_sizes`: where the size of the window that a person chose is kept."""
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Sessions — Operator console"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumSize(QSize(wide(LEAST.width(), 1.0), LEAST.height()).boundedTo(largest_window(self)))
        usual = QSize(wide(SIZE.width()), SIZE.height())
        WindowSize(self, chosen_sizes, (Part.LIBRARY_WIDTH, Part.LIBRARY_HEIGHT), usual)
        self._unread = True
        self._held_enter = HeldKey()
        self._model = SessionsModel()
        self.list = SessionRows(self._model)
        self.list.set_tokens(tokens)
        rows = column(self, spacing=GRID + 4, margins=(MARGIN, 20, MARGIN, 20))
        self._build_head(rows)
        self.empty = EmptyPage()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.list)
        self._pages.addWidget(self.empty)
        rows.addWidget(self._pages, 1)
        self.status = ElidedLabel(role="secondary")
        self.status.hide()
        rows.addWidget(self.status)
        self._build_actions(rows)
        self._connect()
        self.empty.say(_("Reading the sessions…"), "", "")
        self._pages.setCurrentWidget(self.empty)
        self._enable()
        self.search.setFocus()

    def _build_head(self, rows: QVBoxLayout) -> None:
        head = row_layout(spacing=GRID)
        head.addWidget(label(_("Sessions"), "title"))
        self._count = label(role="secondary")
        head.addWidget(self._count)
        head.addStretch(1)
        rows.addLayout(head)
        self._head = QWidget()
        below = column(self._head, spacing=GRID + 4)
        line = row_layout(spacing=GRID)
        self.search = QLineEdit()
        self.search.setAccessibleName(_("Search sessions"))
        self.search.setPlaceholderText(_("Search task, model, result or file"))
        self.search.setToolTip(self.search.placeholderText())
        self.search.setClearButtonEnabled(True)
        self.order = QComboBox()
        self.order.setAccessibleName(_("Sort by"))
        self.order.setToolTip(_("Sort by"))
        for each in Order:
            self.order.addItem(each.words)
        line.addWidget(self.search, 1)
        line.addWidget(self.order)
        below.addLayout(line)
        said = _("These files contain what was typed, except into fields known as ones for passwords.")
        below.addWidget(label(said, "secondary", wrap=True))
        rows.addWidget(self._head)

    def _build_actions(self, rows: QVBoxLayout) -> None:
        self.open_session = button(_("Open"), "primary")
        self.export = button(_("Export…"))
        self.written = button(open_words(Path("page.html")))
        self.written.hide()
        self.verify = button(_("Verify"))
        self.rename, self.delete = button(_("Rename…")), button(_("Delete…"))
        self.other, self.close_library = button(_("Open a file…")), button(_("Close"))
        self._actions = QWidget()
        lines = column(self._actions)
        self._first, self._second = QHBoxLayout(), QHBoxLayout()
        for line, pushes in (
            (self._first, (self.open_session, self.export, self.written, self.verify)),
            (self._second, (self.rename, self.delete)),
        ):
            line.setSpacing(GRID)
            lines.addLayout(line)
            for push in pushes:
                line.addWidget(push)
            line.addStretch(1)
        rows.addWidget(self._actions)
        last = QHBoxLayout()
        last.addWidget(self.other)
        last.addStretch(1)
        last.addWidget(self.close_library)
        rows.addLayout(last)

    def changeEvent(self, event: QEvent) -> None:
        """Read the list again when somebody comes back to the window: sessions may have begun and ended meanwhile."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow() and not self._unread:
            self.again_wanted.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rename and Delete get a line of their own where one line is too narrow for all."""
        super().resizeEvent(event)
        pushes = (self.open_session, self.export, self.written, self.verify, self.rename, self.delete)
        needed = sum(push.sizeHint().width() + GRID for push in pushes) + 2 * MARGIN
        below = self.width() < needed
        if below == (self._second.indexOf(self.rename) >= 0):
            return
        for place, push in enumerate((self.rename, self.delete)):
            (self._first if below else self._second).removeWidget(push)
            if below:
                self._second.insertWidget(place, push)
            else:
                self._first.insertWidget(4 + place, push)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._searched)
        for part in (self.search, self.list):
            part.installEventFilter(self)
        self.order.currentIndexChanged.connect(self._ordered)
        self.list.activated.connect(self._activated)
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        self.list.menu_wanted.connect(self._show_menu)
        self.list.typed.connect(self._typed)
        self._model.wanted.connect(self.thumbnail_wanted)
        for push, work in self._works():
            push.clicked.connect(work)
        self.other.clicked.connect(self._other_clicked)
        self.close_library.clicked.connect(self.close)
        self.empty.pressed.connect(self._next_step)
        for keys, slot in (
            (QKeySequence.StandardKey.Find, self._to_search),
            (QKeySequence.StandardKey.Refresh, self.again_wanted.emit),
            (QKeySequence.StandardKey.Open, self._other_clicked),
            (QKeySequence("Ctrl+E"), self._export_key),
        ):
            QShortcut(keys, self).activated.connect(slot)
        for key, slot in ((Qt.Key.Key_F2, self._rename), (Qt.Key.Key_Delete, self._delete)):
            QShortcut(QKeySequence(key), self, autoRepeat=False).activated.connect(slot)

    def _works(self) -> tuple[tuple[QPushButton, Callable[[], None]], ...]:
        return (
            (self.open_session, self._open), (self.export, self._export), (self.verify, self._verify),
            (self.written, self._open_written),
            (self.rename, self._rename), (self.delete, self._delete),
        )  # fmt: skip

    # what is shown

    def show_sessions(self, sessions: Sequence[SessionSummary], select: Path | None = None) -> None:
        """Show the sessions; `select`: make this one the current, else keep the current one."""
        kept, row = self.list.current, self.list.currentIndex().row()
        place = self.list.verticalScrollBar().value()
        others = self._model.show_sessions(sessions)
        if not others and select is None and not self._unread:
            return
        wanted = select or (kept.path if kept is not None else None)
        self._arranged(wanted, max(0, row))
        if select is None:
            self.list.verticalScrollBar().setValue(place)

    def show_error(self, error: ConsoleError) -> None:
        """The list could not be read."""
        self._model.show_sessions(())
        self._unread = True
        self._count.setText("")
        self.empty.say(_("The sessions cannot be listed"), " ".join(filter(None, error.worded)), _("Try again"))
        self._pages.setCurrentWidget(self.empty)
        self._enable()

    def note(self, path: Path, note: Note | None) -> None:
        """Show beside a session what became of something done with it."""
        before = self._model.note_of(path)
        self._model.note(path, note)
        summary = self.list.current
        if summary is not None and summary.path == path:
            goes_on = before is not None and note is not None and before.text == note.text
            self._say(note.whole if note is not None else "", aloud=not goes_on)
            self._enable()

    def say(self, text: str) -> None:
        """Show a result that belongs to no row."""
        self._say(text)

    def forget_thumbnail(self, summary: SessionSummary) -> None:
        """A thumbnail that was asked for will not come."""
        self._model.drop_request(summary)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self.list.set_tokens(tokens)

    def _say(self, text: str, *, aloud: bool = True) -> None:
        self.status.set_whole(text)
        self.status.setAccessibleName(text)
        self.status.setVisible(bool(text))
        if aloud:
            announce(self.status, text)

    def _arranged(self, wanted: Path | None, row: int = 0) -> None:
        shown, total = self._model.rowCount(), self._model.total
        self._count.setText(_found(shown, total) if total else "")
        if shown:
            found = self._model.row_of(wanted) if wanted is not None else -1
            self.list.setCurrentIndex(self._model.index(found if found >= 0 else min(row, shown - 1)))
        elif total:
            self.empty.say(
                _("Nothing found"),
                _("No session contains “{search}”.").format(search=self._model.search.strip()),
                _("Clear the search"),
            )
        else:
            self.empty.say(
                _("No sessions yet"),
                _("Each run is kept here with its pictures, steps and answers. Write a task and press Start."),
                _("Set up a session"),
            )
        arrives = self._unread and not self.search.text()
        moves_focus = arrives or self.list.hasFocus() or self.empty.act.hasFocus()
        self._unread = False
        for part in (self._head, self._actions):
            part.setVisible(total > 0)
        self._pages.setCurrentWidget(self.list if shown else self.empty)
        if moves_focus:
            (self.list if shown else self.empty.act).setFocus()
            if not self.isActiveWindow():
                # QDialog tells its first field of the focus before the window has it, and setFocus does not take that
                # back: the caret would blink there for good.
                gone = QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.OtherFocusReason)
                QApplication.sendEvent(self.search, gone)
        self._enable()

    def _enable(self) -> None:
        summary = self.list.current if self._pages.currentWidget() is self.list else None
        why_not = _("Choose a session in the list first.")
        if summary is not None:
            why_not = (
                _("This file cannot be read as a session.") if summary.outcome is SessionOutcome.UNREADABLE else ""
            )
        running = summary is not None and summary.outcome is SessionOutcome.RUNNING
        for push, tip in (
            (self.open_session, ""),
            (self.verify, _("Check that nothing was changed")),
            (self.export, ""),
        ):
            enable(push, why_not, tip=tip)
        for push, tip in ((self.rename, "F2"), (self.delete, _("Delete"))):
            enable(push, _("This session is still running.") if running else why_not, tip=tip)
        word = _("Cancel export") if self._exporting else _("Export…")
        if word != self.export.text():
            self.export.setText(word)
            self.export.setAccessibleName(word)
        written = self._note.written if self._note is not None else None
        self.written.setVisible(written is not None)
        if written is not None:
            word = open_words(written)
            self.written.setText(word)
            self.written.setAccessibleName(word)

    # what is pressed

    def _searched(self, text: str) -> None:
        kept = self.list.current
        self._model.set_search(text)
        if self._unread:
            return
        self._arranged(kept.path if kept is not None else None)

    def _ordered(self, row: int) -> None:
        kept = self.list.current
        self._model.set_order(list(Order)[row])
        if self._unread:
            return
        self._arranged(kept.path if kept is not None else None)
        self.list.scrollTo(self.list.currentIndex())

    def _current_changed(self, _index: QModelIndex, _before: QModelIndex) -> None:
        self._enable()
        summary = self.list.current
        note = self._model.note_of(summary.path) if summary is not None else None
        text = note.whole if note is not None else summary.trouble if summary is not None else ""
        self._say(text, aloud=False)  # the reader says it with the row

    def _activated(self, _index: QModelIndex) -> None:
        self._open()

    def _open(self) -> None:
        summary = self.list.current
        if summary is not None and self.open_session.isEnabled():
            self.chosen.emit(summary.path)

    def _verify(self) -> None:
        self._ask(self.verify, self.verify_wanted)

    def _export(self) -> None:
        self._ask(self.export, self.cancel_wanted if self._exporting else self.export_wanted)

    def _export_key(self) -> None:
        if not self._exporting:
            self._export()

    @property
    def _exporting(self) -> bool:
        """Whether the current session is being exported."""
        return self._note is not None and self._note.cancel

    @property
    def _note(self) -> Note | None:
        """What was last done with the current session."""
        summary = self.list.current
        return self._model.note_of(summary.path) if summary is not None else None

    def _open_written(self) -> None:
        note = self._note
        if note is not None and note.written is not None:
            self.written_wanted.emit(note.written)

    def _rename(self) -> None:
        self._ask(self.rename, self.rename_wanted)

    def _delete(self) -> None:
        self._ask(self.delete, self.delete_wanted)

    def _ask(self, push: QPushButton, wanted: object) -> None:
        summary = self.list.current
        if summary is not None and push.isEnabled():
            wanted.emit(summary)  # type: ignore[attr-defined]

    def _typed(self, text: object) -> None:
        self.search.setFocus()
        self.search.end(False)
        self.search.insert(str(text))

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        keys = {self.open_session: "\tEnter", self.rename: "\tF2", self.delete: "\tDelete"}
        if not self._exporting:
            keys[self.export] = "\tCtrl+E"
        for push, work in self._works():
            if push.isHidden():
                continue
            act = QAction(push.text() + keys.get(push, ""), menu)
            act.setEnabled(push.isEnabled())
            act.triggered.connect(work)
            menu.addAction(act)
        menu.addSeparator()
        copy = QAction(_("Copy file path"), menu)
        copy.triggered.connect(self._copy_path)
        menu.addAction(copy)
        close_when_run(menu)
        menu.popup(place)

    def _copy_path(self) -> None:
        summary = self.list.current
        if summary is not None:
            QGuiApplication.clipboard().setText(str(summary.path))

    def _to_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _next_step(self, act: object) -> None:
        if act == _("Clear the search"):
            self.search.clear()
            self.list.setFocus()
        elif act == _("Try again"):
            self.again_wanted.emit()
        else:
            self.set_up_wanted.emit()

    def _other_clicked(self) -> None:
        sessions = _("Sessions ({pattern})").format(pattern="*.ocsession")
        everything = _("All files ({pattern})").format(pattern="*")
        dialog = QFileDialog(self, _("Open a session"), "", f"{sessions};;{everything}")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._file_selected)
        dialog.open()

    def _file_selected(self, path: str) -> None:
        self.chosen.emit(Path(path))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the search: the arrow keys move in the list, Enter opens its current row, Escape clears the search.

        An Enter that is still held when a dialog closes by it opens nothing.
        """
        if isinstance(event, QKeyEvent) and event.key() in ENTER and self._held_enter.goes_on(event):
            return True
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            match event.key():
                case Qt.Key.Key_Down | Qt.Key.Key_Up | Qt.Key.Key_PageDown | Qt.Key.Key_PageUp:
                    self.list.setFocus()
                    self.list.keyPressEvent(event)
                    return True
                case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self._open()
                    return True
                case Qt.Key.Key_Escape if self.search.text():
                    self.search.clear()
                    return True
        return super().eventFilter(watched, event)


def _found(shown: int, of: int) -> str:
    """How many sessions are listed."""
    if shown == of:
        return ngettext("{count} session", "{count} sessions", of).format(count=of)
    return ngettext("{shown} of {count} session", "{shown} of {count} sessions", of).format(shown=shown, count=of)


WIDTH = 420


class RenameDialog(QDialog):
    """A line for the name, with Rename and Cancel.

    Signals:
        named: carries the dialog, whose `line` has the name. It stays open: `accept` it, or `refuse` the name.
    """

    named = Signal(object)

    def __init__(self, session: Path, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.session = session
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Rename session — Operator console"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        rows.addWidget(label(_("Rename session"), "title"))
        rows.addWidget(
            label(_("The name is that of the file. The record itself stays as it is."), "secondary", wrap=True)
        )
        self.line = QLineEdit(session.stem)
        self.line.setAccessibleName(_("Name"))
        self.line.selectAll()
        rows.addWidget(self.line)
        self.trouble = label(role="trouble", wrap=True)
        self.trouble.hide()
        rows.addWidget(self.trouble)
        rows.addStretch(1)
        self.cancel, self.save = button(_("Cancel")), button(_("Rename"), "primary")
        rows.addLayout(button_row(self.cancel, self.save))
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)
        self.line.returnPressed.connect(self._save)
        self.line.textEdited.connect(self._edited)
        self.line.setFocus()
        fit_height(self, WIDTH)

    def refuse(self, reason: str) -> None:
        """Say why the name cannot be used."""
        self.trouble.setText(reason)
        self.trouble.show()
        fit_height(self, WIDTH)
        self.line.setAccessibleDescription(reason)
        self.line.setFocus()

    def _edited(self, _text: str) -> None:
        if not self.trouble.isHidden():
            self.trouble.hide()
            fit_height(self, WIDTH)
        self.line.setAccessibleDescription("")

    def _save(self) -> None:
        self.named.emit(self)
