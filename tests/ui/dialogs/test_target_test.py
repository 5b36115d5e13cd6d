"""The Test of the chosen target in the window: announced, run, told, cancelled, and refused."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from operator_console.domain.errors import LoginLack, LoginRefused, OperatorError
from operator_console.domain.frames import TargetKind
from operator_console.domain.session_request import MachinePassword
from operator_console.domain.target_tests import TargetReport, Tried, TriedLine
from operator_console.ui.backend import TargetChoice
from operator_console.ui.console import Console
from operator_console.ui.dialogs.target_test import TargetTestDialog
from operator_console.ui.view.target_words import report_text
from tests.display.ui.fake_backend import FakeBackend
from tests.ui.conftest import until
from tests.ui.test_console import press, running

WELL = TargetReport(
    title="Monitor 1", stopped=True,
    lines=(
        TriedLine(name="Mark 1", outcome=Tried.OK, said="Error: 0 px.", error_px=0.0),
        TriedLine(name="Word", outcome=Tried.NOT_TRIED, said="Typing would change what is there."),
    ),
)  # fmt: skip
ILL = TargetReport(
    title="Monitor 1", stopped=True,
    lines=(TriedLine(name="Stop", outcome=Tried.NOT_OK, said="The pointer moved.", remedy="Run doctor."),),
)  # fmt: skip


def opened(console: Console) -> TargetTestDialog:
    press(console.window.setup.chooser.test)
    assert console.target_test.dialog is not None
    return console.target_test.dialog


def said(dialog: TargetTestDialog) -> str:
    return "\n".join(each.text() for each in dialog.findChildren(QLabel) if each.isVisibleTo(dialog))


@running
async def test_a_test_is_announced_then_run_and_its_result_can_be_copied(
    console: Console, backend: FakeBackend
) -> None:
    dialog = opened(console)
    assert (
        "It shows three marks there and presses them, types a word, and stops in the middle of a "
        "long text. What arrived is read back."
    ) in said(dialog)
    assert (
        "It is recorded as a session, without a model. It ends with a stop, as every stop does: "
        "press Reset afterwards. Leave mouse and keyboard alone meanwhile."
    ) in said(dialog)
    assert backend.tested == [], "not before it is asked for"
    press(dialog.start)
    await until(lambda: bool(backend.tested), "the Test")
    assert backend.tested == [("monitor:1", None)]
    assert "Testing… It takes up to half a minute." in said(dialog)
    assert not dialog.start.isVisibleTo(dialog)
    backend.test_results.put_nowait(WELL)
    await until(lambda: "All is well" in said(dialog), "the result")
    assert "Press Reset to make sessions possible again." in said(dialog)
    assert "Error: 0 px." in said(dialog)
    press(dialog.copy)
    assert QApplication.clipboard().text() == report_text(WELL)
    assert "not tried" in report_text(WELL)


@running
async def test_what_is_not_ok_is_told_with_its_remedy_and_can_be_tested_again(
    console: Console, backend: FakeBackend
) -> None:
    dialog = opened(console)
    for report in (ILL, WELL):
        press(dialog.start)
        backend.test_results.put_nowait(report)
        word = "All is well" if report is WELL else "Not all is well"
        await until(lambda word=word: word in said(dialog), "the result")  # type: ignore[misc]
        assert ("Run doctor." in said(dialog)) is (report is ILL)


@running
async def test_a_test_is_cancelled_by_its_button_and_by_esc(console: Console, backend: FakeBackend) -> None:
    for cancel in ("button", "Esc"):
        dialog = opened(console)
        press(dialog.start)
        await until(lambda: console.bridge.running("target test"), "the Test")
        if cancel == "button":
            press(dialog.close_button)
        else:
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
        await until(lambda: "The test was cancelled." in said(dialog), "the end of it")  # noqa: B023
        press(dialog.close_button)
        await until(lambda: console.target_test.dialog is None, "the dialog to be gone")


@running
async def test_a_test_that_is_refused_says_why(console: Console, backend: FakeBackend) -> None:
    dialog = opened(console)
    press(dialog.start)
    backend.test_results.put_nowait(OperatorError("A session is already running.", remedy="Wait for its end."))
    await until(lambda: "Wait for its end." in said(dialog), "the reason")


@running
async def test_a_machine_asks_for_its_password_first(console: Console, backend: FakeBackend) -> None:
    setup = console.window.setup
    setup.chooser.show_targets([TargetChoice(spec="vnc", title="VNC machine", kind=TargetKind.VNC)], "vnc")
    setup.chooser.choose("vnc")
    press(setup.chooser.test)
    assert console.target_test.dialog is None, "an address is lacking"
    setup.machine.field.setEditText("box:5901")
    dialog = opened(console)
    assert (
        "It moves the pointer there to three places and reads back where it is, and stops in the "
        "middle of a motion. Nothing is pressed or typed."
    ) in said(dialog)
    press(dialog.start)
    refused = LoginRefused("It asks for a password.", lack=LoginLack.KEY, address="box:5901")
    backend.test_results.put_nowait(refused)
    await until(lambda: console.login.password is not None, "the question")
    assert console.login.password is not None
    console.login.password.password.setText("open")
    press(console.login.password.log_in)
    await until(lambda: len(backend.tested) == 2, "the Test with the password")
    assert backend.tested[1] == ("vnc:box:5901", MachinePassword(value="open", keep=True))
    backend.test_results.put_nowait(WELL)
    await until(lambda: "All is well" in said(dialog), "the result")
