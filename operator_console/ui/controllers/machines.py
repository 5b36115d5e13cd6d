"""What is set and done about the chosen machine: its settings, and its snapshot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from operator_console.domain.errors import ConsoleError
from operator_console.domain.snapshot_acts import MachineSnapshot, SnapshotAct
from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend, MachineOptions
from operator_console.ui.bridge import Bridge
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.view.session_view import Phase
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.dialogs.confirm import ConfirmDialog
    from operator_console.ui.dialogs.machine_settings import MachineSettingsDialog

SAVE, FIND, SNAPSHOT = "machine settings", "find snapshot", "snapshot"
_TOLD_EVERY_S = 1.0


class MachineController(QObject):
    """Shows what the chosen machine offers, and carries it out.

    Signals:
        noticed: there is something to say; carries a Notice.
        went_on: carries the Notice that replaces the one with the same key, if that is still shown.
    """

    noticed = Signal(object)
    went_on = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow, phase: Callable[[], Phase]) -> None:
        """`phase`: that of the session."""
        super().__init__()
        self._phase = phase
        self._backend, self._bridge, self._window = backend, bridge, window
        self.settings: MachineSettingsDialog | None = None
        self.question: ConfirmDialog | None = None
        self._asked = ""
        self._acts = window.setup.acts
        self._acts.settings_pressed.connect(self._settings_pressed)
        self._acts.take_pressed.connect(self.take)
        self._acts.go_back_pressed.connect(self.go_back)
        bridge.ended.connect(self._task_ended)

    def show(self) -> None:
        """Show what the chosen machine offers; nothing for other targets."""
        machine = self._window.setup.chosen_machine
        self._acts.setVisible(bool(machine))
        if machine:
            self._acts.show_machine(self.why_no_snapshot())

    def why_no_snapshot(self) -> str | None:
        """Why no snapshot can be taken or gone back to now; "" if it can, None for what has no monitor."""
        machine = self._window.setup.chosen_machine
        if not machine or not self._backend.machine_options(machine).qmp:
            return None
        phase = self._phase()
        if phase.active and phase not in (Phase.PAUSED, Phase.HANDED_OVER):
            return _("Pause or stop the session first.")
        return _("A snapshot is being taken or gone back to.") if self._bridge.running(SNAPSHOT) else ""

    def take(self) -> None:
        """Take a snapshot of the chosen machine."""
        if machine := self._free_machine():
            self._carry_out(SnapshotAct.TAKEN, machine)

    def go_back(self) -> None:
        """Go back to the snapshot of the chosen machine, after a question."""
        if machine := self._free_machine():
            self._bridge.run(FIND, self._find(machine))

    def failed(self, name: str, error: ConsoleError) -> bool:
        """Show the error of a task in the dialog; returns False if it is of another, or the dialog is closed."""
        if self.settings is None or name != SAVE:
            return False
        self.settings.refuse(str(error.text))
        return True

    # settings

    def _settings_pressed(self) -> None:
        machine = self._window.setup.chosen_machine
        if not machine or self.settings is not None:
            return
        from operator_console.ui.dialogs.machine_settings import MachineSettingsDialog  # not needed for a start

        options, defaults = self._backend.machine_options(machine), self._backend.machine_defaults(machine)
        dialog = self.settings = MachineSettingsDialog(machine, options, defaults, self._window)
        dialog.saved.connect(self._saved)
        dialog.finished.connect(self._settings_closed)
        dialog.open()

    def _saved(self, options: MachineOptions) -> None:
        assert self.settings is not None
        machine = self.settings.machine
        trouble = self._backend.machine_trouble(machine, options)
        if trouble:
            self.settings.refuse(trouble)
        else:
            self._bridge.run(SAVE, self._save(machine, options))

    async def _save(self, machine: str, options: MachineOptions) -> None:
        await self._backend.save_machine(machine, options)
        if self.settings is not None:
            self.settings.accept()
        self.show()

    def _settings_closed(self, _result: int) -> None:
        self.settings = None

    # snapshots

    def _free_machine(self) -> str:
        """The chosen machine; "" while something is done or asked about one."""
        busy = self._bridge.running(SNAPSHOT) or self._bridge.running(FIND) or self.question is not None
        return "" if busy else self._window.setup.chosen_machine

    async def _find(self, machine: str) -> None:
        found = await self._backend.find_snapshot(machine)
        if found is None:
            self.noticed.emit(
                Notice(
                    tone=Tone.INFO,
                    title=_("There is no snapshot of this machine yet."),
                    detail=_("Snapshots that others have taken are left alone."),
                )
            )
            return
        from operator_console.ui.dialogs.confirm import ConfirmDialog

        self._asked = machine
        title, text = (
            _("Go back to the snapshot of {when}?").format(when=_clock(found)),
            _("What happened on the machine since is lost, on its disks too. This cannot be undone."),
        )
        dialog = self.question = ConfirmDialog(title, text, _("Go back"), _("Cancel"), self._window)
        dialog.no.setFocus()
        dialog.confirmed.connect(self._confirmed)
        dialog.finished.connect(self._question_closed)
        dialog.open()

    def _confirmed(self) -> None:
        self._carry_out(SnapshotAct.RESTORED, self._asked)

    def _question_closed(self, _result: int) -> None:
        self.question = None

    def _carry_out(self, act: SnapshotAct, machine: str) -> None:
        self.noticed.emit(_under_way(act, machine, 0))
        self._bridge.run(SNAPSHOT, self._work(act, machine))
        self.show()

    async def _work(self, act: SnapshotAct, machine: str) -> None:
        began_s = time.monotonic()
        work = asyncio.ensure_future(self._backend.snapshot(act, machine))
        try:
            while not (await asyncio.wait({work}, timeout=_TOLD_EVERY_S))[0]:
                self.went_on.emit(_under_way(act, machine, time.monotonic() - began_s))
        finally:
            work.cancel()  # nothing if it is done
        done = await work
        if act is SnapshotAct.TAKEN:
            said = Notice(
                tone=Tone.INFO,
                title=_("Snapshot taken, {when}.").format(when=_clock(done)),
                detail=_("Go back to it at any time while no action runs."),
            )
        else:
            said = Notice(
                tone=Tone.INFO, title=_("The machine is back at the snapshot of {when}.").format(when=_clock(done))
            )
        self.noticed.emit(said)

    def _task_ended(self, name: object) -> None:
        if name == SNAPSHOT:
            self.show()


def _under_way(act: SnapshotAct, machine: str, seconds: float) -> Notice:
    title = (
        _("Taking a snapshot of the machine…")
        if act is SnapshotAct.TAKEN
        else _("Setting the machine back to the snapshot…")
    )
    return Notice(
        tone=Tone.INFO,
        title=title,
        progress=f"{seconds:.0f} s" if seconds else "",
        detail=_("The machine stands still until it is done."),
        key=f"snapshot:{machine}",
        closable=False,
    )


def _clock(snapshot: MachineSnapshot) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(snapshot.taken_s))
