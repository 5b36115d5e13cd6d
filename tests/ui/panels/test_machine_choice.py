"""What is set up about a VNC machine before its session."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain.frames import TargetKind
from operator_console.ui.backend import Preferences, TargetChoice
from operator_console.ui.panels.setup_column import SetupColumn
from tests.display.ui.fake_backend import RUNBOOK, FakeBackend

MACHINE = TargetChoice(spec="vnc", title="VNC machine", kind=TargetKind.VNC)
MONITOR = TargetChoice(spec="monitor:1", title="Monitor 1", kind=TargetKind.MONITOR)
BOOK = ("build-7.example:5901", "10.0.0.15:5900")


@pytest.fixture
def column(app: QApplication) -> SetupColumn:
    """A set-up in which a VNC machine is chosen."""
    made = SetupColumn()
    made.machine.read_address = FakeBackend().machine_address
    made.show_models([RUNBOOK])
    made.task.setPlainText('click "Save"')
    made.chooser.show_targets([MONITOR, MACHINE], "vnc")
    made.machine.show_machines(BOOK)
    return made


def test_the_machine_is_set_up_only_while_it_is_the_target(column: SetupColumn) -> None:
    assert not column.machine.isHidden()
    assert column.browser.isHidden()
    column.chooser.choose("monitor:1")
    assert column.machine.isHidden()


def test_no_machine_is_chosen_before_one_is_named(column: SetupColumn) -> None:
    assert column.request(Preferences()) is None
    assert column.lacking == "Enter the address of the machine first."


def test_the_request_and_the_title_name_the_machine_with_its_port(column: SetupColumn) -> None:
    column.machine.field.setEditText(" build-7.example ")
    request, chosen = column.request(Preferences()), column.chosen_target
    assert request is not None
    assert chosen is not None
    assert (request.target, chosen.title) == ("vnc:build-7.example:5900", "VNC · build-7.example:5900")


def test_a_mistake_is_said_while_it_is_typed_and_starts_nothing(column: SetupColumn) -> None:
    column.machine.field.setEditText("build 7")
    assert column.machine._trouble.text() == "“build 7” is no address. Write it as host, host:port or [IPv6]:port."
    assert column.lacking == "“build 7” is no address. Write it as host, host:port or [IPv6]:port."
    assert column.request(Preferences()) is None
    column.machine.field.setEditText("build-7")
    assert column.machine._trouble.isHidden()


def test_the_address_is_remembered_with_the_set_up(column: SetupColumn) -> None:
    column.machine.field.setEditText("build-7.example:5901")
    remembered = column.remembered
    assert remembered is not None
    assert (remembered.target, remembered.target_title) == ("vnc:build-7.example:5901", "VNC · build-7.example:5901")
    column.machine.field.setEditText("")
    column.show_preferences(Preferences(target=remembered.target))
    assert column.machine.field.currentText() == "build-7.example:5901"


def test_machines_used_before_are_offered_and_none_is_chosen_by_itself(column: SetupColumn) -> None:
    field = column.machine.field
    assert [field.itemText(row) for row in range(field.count())] == list(BOOK)
    assert field.currentText() == ""


def test_typing_a_part_of_a_known_address_does_not_become_that_machine(column: SetupColumn) -> None:
    column.show()
    line = column.machine.field.lineEdit()
    assert line is not None
    column.activateWindow()
    assert QTest.qWaitForWindowActive(column)
    line.setFocus()
    QTest.keyClicks(line, "10.0.0.1")
    assert column.machine.address == "10.0.0.1:5900"
    column.close()


def test_an_address_that_is_known_can_be_taken_off_the_list(column: SetupColumn) -> None:
    machine = column.machine
    removed: list[object] = []
    machine.remove_pressed.connect(removed.append)
    machine.field.setEditText("new.example")
    assert machine.remove.isHidden()
    machine.field.setEditText("10.0.0.15")
    assert not machine.remove.isHidden()
    QTest.mouseClick(machine.remove, Qt.MouseButton.LeftButton)
    assert removed == ["10.0.0.15:5900"]
    assert machine.field.currentText() == ""
    machine.show_machines(BOOK[:1])
    assert machine.remove.isHidden()


def test_another_list_leaves_what_is_written(column: SetupColumn) -> None:
    column.machine.field.setEditText("half")
    column.machine.show_machines(("other.example:5900",))
    assert column.machine.field.currentText() == "half"
