"""The Test of the chosen target: its dialog, its run, and what a machine asks for before it.

Not modal: Stop stays in reach, the target in sight.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QWidget

from operator_console.domain.errors import ConsoleError, LoginRefused
from operator_console.domain.frames import TargetKind
from operator_console.domain.message_texts import worded
from operator_console.domain.session_request import MachinePassword
from operator_console.domain.target_tests import TargetReport, Tried, TriedLine
from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.dialogs.machine_login import MachineLoginController
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.view.target_words import report_text, tried_word
from operator_console.ui.widgets.controls import GRID, breakable, button, column, fit_height, label, set_role
from operator_console.ui.window import MainWindow

WIDTH = 520
_TONES = {Tried.OK: "good", Tried.NOT_OK: "bad", Tried.NOT_TRIED: "warn"}


class TargetTestDialog(QDialog):
    """One Test, from its announcement to its result.

    Signals:
        started: the Test should begin (no payload).
        cancelled: a Test that runs should end (no payload).
    """

    started = Signal()
    cancelled = Signal()

    def __init__(self, target: str, *, marks: bool, parent: QWidget | None) -> None:
        """`target`: its title. `marks`: whether marks are shown there."""
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Test the target — Operator console"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._running = False
        self._report: TargetReport | None = None
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        rows.addWidget(label(breakable(_("Test of “{target}”").format(target=target)), "title", wrap=True))
        tries = (
            _(
                "It shows three marks there and presses them, types a word, and stops in the middle of a long text. "
                "What arrived is read back."
            )
            if marks
            else _(
                "It moves the pointer there to three places and reads back where it is, and stops in the middle of a "
                "motion. Nothing is pressed or typed."
            )
        )
        ends = _(
            "It is recorded as a session, without a model. It ends with a stop, as every stop does: press Reset "
            "afterwards. Leave mouse and keyboard alone meanwhile."
        )
        self._about = label(f"{tries} {ends}", wrap=True)
        self._state = label(role="strong", wrap=True)
        rows.addWidget(self._about)
        rows.addWidget(self._state)
        self._table = QWidget()
        self._cells = QGridLayout(self._table)
        self._cells.setContentsMargins(0, 0, 0, 0)
        self._cells.setHorizontalSpacing(GRID + 4)
        self._cells.setVerticalSpacing(6)
        self._cells.setColumnStretch(2, 1)
        rows.addWidget(self._table)
        line = QHBoxLayout()
        self.copy = button(_("Copy the result"), "link")
        self.close_button, self.start = button(_("Close")), button(_("Start the test"), "primary")
        line.addWidget(self.copy)
        line.addStretch(1)
        line.addWidget(self.close_button)
        line.addWidget(self.start)
        rows.addLayout(line)
        for later in (self._state, self._table, self.copy):
            later.hide()
        self.start.clicked.connect(self._start_pressed)
        self.close_button.clicked.connect(self.reject)
        self.copy.clicked.connect(self._copy)
        fit_height(self, WIDTH)

    def show_running(self) -> None:
        """Show that it runs."""
        self._running = True
        self._about.hide()
        self._say(_("Testing… It takes up to half a minute."), "")
        self._fill(())
        self.start.hide()
        self.close_button.setText(_("Cancel the test"))
        self.close_button.setAccessibleName(_("Cancel the test"))
        fit_height(self, WIDTH)

    def show_result(self, report: TargetReport) -> None:
        """Show what came of it."""
        self._report = report
        well = _("All is well.") if report.stopped else _("It was stopped.")
        said = well if report.ok else _("Not all is well.")
        reset = _("Press Reset to make sessions possible again.")
        self._say(f"{said} {reset}" if report.stopped else said, "good" if report.ok else "bad")
        self._fill(report.lines)
        self._over()

    def show_error(self, error: ConsoleError | None) -> None:
        """Show why it did not come to a result; None: it was cancelled."""
        said = error.text if error is not None else _("The test was cancelled.")
        self._say(breakable(said), "bad" if error is not None else "")
        self._over()

    def _over(self) -> None:
        self._running = False
        self.start.setText(_("Test again"))
        self.start.setAccessibleName(_("Test again"))
        self.start.show()
        self.copy.setVisible(self._report is not None)
        self.close_button.setText(_("Close"))
        self.close_button.setAccessibleName(_("Close"))
        fit_height(self, WIDTH)

    def _say(self, text: str, tone: str) -> None:
        self._state.setText(text)
        set_role(self._state, tone=tone)
        self._state.show()

    def _fill(self, lines: tuple[TriedLine, ...]) -> None:
        while (item := self._cells.takeAt(0)) is not None:
            if (cell := item.widget()) is not None:
                cell.deleteLater()
        for row, line in enumerate(lines):
            what, how, told = worded(line.name), tried_word(line.outcome), worded(line.said)
            outcome, name = label(how, "strong"), label(what)
            outcome.setProperty("tone", _TONES[line.outcome])
            said = label(breakable(f"{told}\n{worded(line.remedy)}".strip()), wrap=True)
            said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            said.setAccessibleName(f"{what}: {how}. {told} {worded(line.remedy)}".strip())
            for place, cell in enumerate((outcome, name, said)):
                self._cells.addWidget(cell, row, place, Qt.AlignmentFlag.AlignTop)
        self._table.setVisible(bool(lines))

    def _start_pressed(self) -> None:
        self._report = None
        self.copy.hide()
        self.started.emit()

    def _copy(self) -> None:
        if self._report is not None:
            QGuiApplication.clipboard().setText(report_text(self._report))

    def reject(self) -> None:
        """Cancel a Test that runs, else close. By its button, by Esc, and by closing the window."""
        if self._running:
            self.cancelled.emit()
        else:
            super().reject()


TASK = "target test"
_MARKED = (TargetKind.MONITOR, TargetKind.VIRTUAL, TargetKind.BROWSER)


class TargetTestController(QObject):
    """Opens the dialog for the chosen target, and runs the Test.

    Signals:
        noticed: nothing can be tested; carries a Notice.
    """

    noticed = Signal(object)

    def __init__(
        self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow, login: MachineLoginController
    ) -> None:
        super().__init__()
        self._backend, self._bridge, self._window, self._login = backend, bridge, window, login
        self.dialog: TargetTestDialog | None = None
        window.setup.chooser.test_pressed.connect(self.open)

    def open(self) -> None:
        """Say what the Test of the chosen target does; it begins from there."""
        if self.dialog is not None:
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        setup = self._window.setup
        target, lacking = setup.chosen_target, setup.target_lacking
        if target is None or lacking:
            self.noticed.emit(Notice(tone=Tone.ERROR, title=lacking))
            return
        self.dialog = TargetTestDialog(target.title, marks=target.kind in _MARKED, parent=self._window)
        self.dialog.started.connect(partial(self._start, target.spec, None))
        self.dialog.cancelled.connect(self._cancel)
        self.dialog.destroyed.connect(self._closed)
        self.dialog.show()

    def close(self) -> None:
        """Close the dialog; a Test that runs ends."""
        if self.dialog is not None:
            self._cancel()
            self.dialog.reject()

    def _start(self, target: str, password: MachinePassword | None) -> None:
        if self.dialog is not None:
            self.dialog.show_running()
            self._bridge.run(TASK, self._run(target, password))

    def _cancel(self) -> None:
        self._bridge.cancel(TASK)
        if self.dialog is not None:
            self.dialog.show_error(None)

    async def _run(self, target: str, password: MachinePassword | None) -> None:
        try:
            report = await self._backend.test_target(target, password)
        except LoginRefused as refused:
            self._show_error(refused)
            self._login.ask(refused, password, partial(self._start, target))
        except ConsoleError as error:
            self._show_error(error)
        else:
            if self.dialog is not None:
                self.dialog.show_result(report)

    def _show_error(self, error: ConsoleError) -> None:
        if self.dialog is not None:
            self.dialog.show_error(error)

    def _closed(self, _: object = None) -> None:
        self.dialog = None
