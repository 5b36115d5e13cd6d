"""The Test of the chosen target: its dialog, its run, and what a machine asks for before it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from operator_console.domain.errors import ConsoleError, LoginRefused
from operator_console.domain.frames import TargetKind
from operator_console.domain.session_request import MachinePassword
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.controllers.machine_login import MachineLoginController
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.dialogs.target_test import TargetTestDialog

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
        from operator_console.ui.dialogs.target_test import TargetTestDialog

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
