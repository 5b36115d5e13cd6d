"""What is set and done about the chosen machine in the window: its settings, its snapshot, and going back to it."""

from __future__ import annotations

import asyncio
from functools import partial

from PySide6.QtCore import QDir, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel

from operator_console.domain import events as ev
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import TargetKind
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.stopping import PauseCause
from operator_console.ui.backend import MachineOptions, TargetChoice
from operator_console.ui.console import Console
from operator_console.ui.dialogs.confirm import ConfirmDialog
from operator_console.ui.dialogs.machine_settings import MachineSettingsDialog
from operator_console.ui.panels.machine_choice import MachineActs
from tests.display.ui.fake_backend import FakeBackend
from tests.ui.conftest import until
from tests.ui.test_console import press, running

AT = "build-7.example:5901"
MACHINE = f"vnc:{AT}"
WITH_MONITOR = MachineOptions(qmp="/run/guest.qmp")


async def chosen(console: Console, backend: FakeBackend, options: MachineOptions = WITH_MONITOR) -> MachineActs:
    """A machine is the chosen target, and this is set about it."""
    backend.has_machines, backend.machine_settings[MACHINE] = True, options
    console.targets.refresh()
    setup = console.window.setup
    await until(lambda: setup.chooser.listed("vnc") is not None, "the entry")
    setup.chooser.choose("vnc")
    setup.machine.field.setEditText(AT)
    await until(setup.acts.isVisible, "what it offers")
    return setup.acts


async def settings_opened(console: Console, acts: MachineActs) -> MachineSettingsDialog:
    press(acts.settings)
    await until(lambda: console.machines.settings is not None, "the dialog")
    assert console.machines.settings is not None
    return console.machines.settings


async def question(console: Console, acts: MachineActs) -> ConfirmDialog:
    press(acts.go_back)
    await until(lambda: console.machines.question is not None, "the question")
    assert console.machines.question is not None
    return console.machines.question


def said(console: Console) -> str:
    return "\n".join(each.text() for each in console.window.banner.findChildren(QLabel) if not each.isHidden())


def told(console: Console, text: str) -> bool:
    return text in said(console)


@running
async def test_only_a_machine_offers_its_settings_and_only_one_with_a_monitor_snapshots(
    console: Console, backend: FakeBackend
) -> None:
    acts = console.window.setup.acts
    assert acts.isHidden()
    await chosen(console, backend, MachineOptions(layout="de"))
    assert acts.isVisible()
    assert acts.take.isHidden()
    assert acts.go_back.isHidden()
    backend.machine_settings["vnc:other:5900"] = WITH_MONITOR
    console.window.setup.machine.field.setEditText("other:5900")
    await until(acts.take.isVisible, "its buttons")
    assert acts.go_back.isVisible()
    console.window.setup.machine.field.setEditText("")
    await until(acts.isHidden, "nothing to be offered")


@running
async def test_a_machines_window_offers_them_by_the_machines_name(console: Console, backend: FakeBackend) -> None:
    backend.machine_settings["vm:debian"] = WITH_MONITOR
    found = TargetChoice(spec="vm:0x7", title="Virtual machine · debian", kind=TargetKind.WINDOW, machine="vm:debian")
    console.window.setup.chooser.show_targets([found], found.spec)
    console.window.setup.chooser.choose(found.spec)
    assert console.window.setup.chosen_machine == "vm:debian"
    await until(console.window.setup.acts.take.isVisible, "its buttons")


@running
async def test_what_is_set_is_shown_and_saved(console: Console, backend: FakeBackend) -> None:
    acts = await chosen(console, backend, MachineOptions())
    dialog = await settings_opened(console, acts)
    assert AT in "".join(each.text().replace("\u200b", "") for each in dialog.findChildren(QLabel))
    assert dialog.layout_.currentText() == ""
    line = dialog.layout_.lineEdit()
    assert line is not None
    assert "us" in line.placeholderText()
    dialog.layout_.setEditText("de(nodeadkeys)")
    dialog.socket.setText("~/guest.qmp")
    press(dialog.save)
    assert dialog.trouble.isVisible()
    assert "whole path" in dialog.trouble.text()
    dialog.socket.setText("/run/guest.qmp")
    QTest.keyClick(dialog.socket, Qt.Key.Key_Return)
    await until(lambda: console.machines.settings is None, "the dialog to close")
    assert backend.machine_settings[MACHINE] == MachineOptions(layout="de(nodeadkeys)", qmp="/run/guest.qmp")
    assert acts.take.isVisible()


@running
async def test_pasting_is_set_only_where_it_was_changed(console: Console, backend: FakeBackend) -> None:
    acts = await chosen(console, backend, MachineOptions(paste=True))
    for wanted in (True, False):
        dialog = await settings_opened(console, acts)
        dialog.paste.setChecked(wanted)
        press(dialog.save)
        await until(lambda: console.machines.settings is None, "the dialog to close")
        assert backend.machine_settings[MACHINE].paste is wanted


@running
async def test_settings_that_cannot_be_written_are_told_in_the_dialog(console: Console, backend: FakeBackend) -> None:
    acts = await chosen(console, backend)
    backend.unwritable = OperatorError("The settings cannot be written.")
    dialog = await settings_opened(console, acts)
    press(dialog.save)
    await until(lambda: not dialog.trouble.isHidden(), "the reason")
    assert "cannot be written" in dialog.trouble.text()
    press(dialog.cancel)
    await until(lambda: console.machines.settings is None, "the dialog to close")


@running
async def test_a_snapshot_is_taken_once_and_told(console: Console, backend: FakeBackend) -> None:
    acts = await chosen(console, backend)
    backend.snapshot_lasts = asyncio.Event()
    press(acts.take)
    await until(lambda: bool(backend.snapshot_acts), "the act")
    assert "Taking a snapshot" in said(console)
    assert "The machine stands still until it is done." in said(console)
    for each in (acts.take, acts.go_back):
        assert not each.isEnabled()
        assert each.toolTip() == "A snapshot is being taken or gone back to."
    backend.snapshot_lasts.set()
    await until(lambda: "Snapshot taken" in said(console), "the result")
    await until(acts.take.isEnabled, "the button")
    assert backend.snapshot_acts == [(SnapshotAct.TAKEN, MACHINE)]


@running
async def test_in_a_session_they_are_in_the_menu_and_wait_for_a_pause(console: Console, backend: FakeBackend) -> None:
    assert console.machines.why_no_snapshot() is None
    await chosen(console, backend)
    assert console.machines.why_no_snapshot() == ""
    console.window.setup.task.setPlainText("Do it.")
    press(console.window.setup.start)
    await until(lambda: backend.handle is not None, "the session")
    backend.story.started()
    backend.play()
    await until(console.window.setup.isHidden, "the set-up to fold")
    assert console.machines.why_no_snapshot() == "Pause or stop the session first."
    backend.emit(ev.Paused(by=PauseCause.HUMAN))
    await until(lambda: console.machines.why_no_snapshot() == "", "the pause")
    console.menu.open()
    assert console.menu.menu is not None
    entry = next(each for each in console.menu.menu.actions() if each.text() == "Take snapshot of the machine")
    assert entry.isVisible()
    assert entry.isEnabled()
    entry.trigger()
    console.menu.menu.close()
    await until(lambda: bool(backend.snapshot_acts), "the act")
    assert backend.snapshot_acts == [(SnapshotAct.TAKEN, MACHINE)]


@running
async def test_a_socket_can_be_chosen_as_a_file(console: Console, backend: FakeBackend) -> None:
    dialog = await settings_opened(console, await chosen(console, backend))
    press(dialog.choose)
    (files,) = dialog.findChildren(QFileDialog)
    assert files.filter() & QDir.Filter.System
    files.fileSelected.emit("/run/other.qmp")
    assert dialog.socket.text() == "/run/other.qmp"
    files.close()
    press(dialog.cancel)
    await until(lambda: console.machines.settings is None, "the dialog to close")


@running
async def test_going_back_asks_first(console: Console, backend: FakeBackend) -> None:
    acts = await chosen(console, backend)
    press(acts.go_back)
    await until(lambda: "There is no snapshot of this machine yet." in said(console), "that there is none")
    await backend.snapshot(SnapshotAct.TAKEN, MACHINE)
    backend.snapshot_acts.clear()
    dialog = await question(console, acts)
    assert "What happened on the machine since is lost, on its disks too. This cannot be undone." in [
        each.text() for each in dialog.findChildren(QLabel)
    ]
    assert dialog.no.hasFocus()
    press(dialog.no)
    await until(lambda: console.machines.question is None, "the question to close")
    assert backend.snapshot_acts == []
    dialog = await question(console, acts)
    press(dialog.yes)
    await until(lambda: "is back at the snapshot" in said(console), "the result")
    assert backend.snapshot_acts == [(SnapshotAct.RESTORED, MACHINE)]


@running
async def test_what_fails_is_told_with_the_remedy(console: Console, backend: FakeBackend) -> None:
    acts = await chosen(console, backend)
    await backend.snapshot(SnapshotAct.TAKEN, MACHINE)
    for act in SnapshotAct:
        backend.snapshot_error = OperatorError(f"{act.value} in vain.", remedy="Convert it.")
        press(acts.take if act is SnapshotAct.TAKEN else (await question(console, acts)).yes)
        await until(partial(told, console, f"{act.value} in vain."), "the error")
        assert "Convert it." in said(console)
        await until(acts.take.isEnabled, "the button")
