"""What a VNC machine asks before its session, in the window: its password, and whether its certificate is accepted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit

from operator_console.domain.errors import LoginLack, LoginRefused
from operator_console.domain.session_request import MachinePassword
from operator_console.ui.console import Console
from operator_console.ui.dialogs.confirm import ConfirmDialog
from operator_console.ui.dialogs.machine_login import PasswordDialog
from tests.display.ui.fake_backend import FakeBackend
from tests.ui.conftest import Run, until
from tests.ui.test_console import opened, press, running

AT = "build-7.example:5901"
SECRET = "opensesame"
SHOWN = "0f" * 32


def refused(lack: LoginLack, fingerprint: str = "", *, asks_user: bool = False) -> LoginRefused:
    return LoginRefused("It refused.", lack=lack, address=AT, fingerprint=fingerprint, asks_user=asks_user)


async def started(console: Console, backend: FakeBackend, *answers: LoginRefused) -> None:
    """Start was pressed with a machine as the target, which answers so to the first logins."""
    backend.has_machines, backend.login_refused = True, list(answers)
    console.targets.refresh()
    setup = console.window.setup
    await until(lambda: setup.chooser.listed("vnc") is not None, "the entry")
    setup.chooser.choose("vnc")
    setup.machine.field.setEditText(AT)
    setup.task.setPlainText("Do it.")
    press(setup.start)


async def asked_for_password(console: Console) -> PasswordDialog:
    await until(lambda: console.login.password is not None, "the password dialog")
    assert console.login.password is not None
    return console.login.password


async def asked_about_certificate(console: Console) -> ConfirmDialog:
    await until(lambda: console.login.certificate is not None, "the question")
    assert console.login.certificate is not None
    return console.login.certificate


def shown_in(dialog: PasswordDialog | ConfirmDialog) -> str:
    return "\n".join(each.text() for each in dialog.findChildren(QLabel) if not each.isHidden())


@running
async def test_a_password_that_is_typed_starts_the_same_session(console: Console, backend: FakeBackend) -> None:
    await started(console, backend, refused(LoginLack.KEY))
    dialog = await asked_for_password(console)
    assert dialog.password.echoMode() is QLineEdit.EchoMode.Password
    assert "It did not accept the password. Type it again." not in shown_in(dialog)
    assert not console.sessions.starting
    await until(dialog.keep.isEnabled, "the keyring")
    assert dialog.keep.isChecked()
    QTest.keyClicks(dialog.password, SECRET)
    QTest.keyClick(dialog.password, Qt.Key.Key_Return)
    await until(lambda: backend.handle is not None, "the session")
    assert backend.requests[0] == backend.requests[1]
    assert backend.passwords == [None, MachinePassword(value=SECRET, keep=True)]
    assert console.login.password is None


@running
async def test_a_wrong_one_is_said_and_asked_for_again(console: Console, backend: FakeBackend) -> None:
    await started(console, backend, refused(LoginLack.KEY), refused(LoginLack.RIGHT_KEY))
    first = await asked_for_password(console)
    await until(first.keep.isEnabled, "the keyring")
    first.keep.setChecked(False)
    first.password.setText("wrong")
    press(first.log_in)
    await until(lambda: len(backend.passwords) == 2, "the second login")
    second = await asked_for_password(console)
    assert "It did not accept the password. Type it again." in shown_in(second)
    assert second.password.text() == ""
    second.password.setText(SECRET)
    press(second.log_in)
    await until(lambda: backend.handle is not None, "the session")
    assert [each.value for each in backend.passwords if each is not None] == ["wrong", SECRET]


@running
async def test_a_machine_that_has_users_is_given_one(console: Console, backend: FakeBackend) -> None:
    await started(console, backend, refused(LoginLack.RIGHT_KEY, asks_user=True))
    dialog = await asked_for_password(console)
    assert "It did not accept the user and the password. Type them again." in shown_in(dialog)
    assert dialog.user is not None and dialog.focusWidget() is dialog.user
    QTest.keyClicks(dialog.user, "anna")
    QTest.keyClick(dialog.user, Qt.Key.Key_Return)
    assert dialog.focusWidget() is dialog.password, "the password is still to be entered"
    QTest.keyClicks(dialog.password, SECRET)
    QTest.keyClick(dialog.password, Qt.Key.Key_Return)
    await until(lambda: backend.handle is not None, "the session")
    (given,) = [each for each in backend.passwords if each is not None]
    assert (given.user, given.value) == ("anna", SECRET)


@running
async def test_without_a_keyring_it_is_kept_in_memory_only(console: Console, backend: FakeBackend) -> None:
    backend.no_keyring = "No keyring is installed."
    await started(console, backend, refused(LoginLack.KEY))
    dialog = await asked_for_password(console)
    await until(lambda: "No keyring is installed." in shown_in(dialog), "the reason")
    assert not dialog.keep.isEnabled()
    dialog.password.setText(SECRET)
    press(dialog.log_in)
    await until(lambda: backend.handle is not None, "the session")
    assert backend.passwords[-1] == MachinePassword(value=SECRET, keep=False)


@running
async def test_cancel_starts_nothing(console: Console, backend: FakeBackend) -> None:
    await started(console, backend, refused(LoginLack.KEY))
    dialog = await asked_for_password(console)
    assert not dialog.log_in.isEnabled(), "nothing was typed yet"
    press(dialog.cancel)
    await until(lambda: console.login.password is None, "the dialog to close")
    assert len(backend.requests) == 1
    assert backend.handle is None
    assert not console.sessions.starting
    assert console.window.setup.start.isEnabled()
    assert console._notice is None


@running
async def test_a_new_certificate_is_accepted_and_the_session_starts(console: Console, backend: FakeBackend) -> None:
    await started(console, backend, refused(LoginLack.KEY), refused(LoginLack.ACCEPTED_CERTIFICATE, SHOWN))
    dialog = await asked_for_password(console)
    dialog.password.setText(SECRET)
    press(dialog.log_in)
    question = await asked_about_certificate(console)
    told = shown_in(question)
    assert f"Is this the certificate of {AT}?" in told.replace("\u200b", "")
    assert ":".join(["0F"] * 32) in told.replace("\n", "")
    assert question.no.hasFocus() or question.focusWidget() is question.no, "Cancel has the keyboard"
    assert backend.accepted == []
    press(question.yes)
    await until(lambda: backend.handle is not None, "the session")
    assert backend.accepted == [(AT, SHOWN)]
    assert backend.passwords[-1] is not None, "the password is not asked for twice"


@pytest.mark.parametrize("lack", [LoginLack.ACCEPTED_CERTIFICATE, LoginLack.CERTIFICATE_OF_BEFORE])
def test_a_certificate_that_is_not_accepted_starts_nothing(app: QApplication, on_qt: Run, lack: LoginLack) -> None:
    @running
    async def work(console: Console, backend: FakeBackend) -> None:
        await started(console, backend, refused(lack, SHOWN))
        question = await asked_about_certificate(console)
        changed = f"The certificate of {AT} has changed" in shown_in(question).replace("\u200b", "")
        assert changed is (lack is LoginLack.CERTIFICATE_OF_BEFORE)
        QTest.keyClick(question, Qt.Key.Key_Escape)
        await until(lambda: console.login.certificate is None, "the question to close")
        assert (backend.accepted, backend.handle, len(backend.requests)) == ([], None, 1)

    work(app, on_qt)


@running
async def test_a_machine_that_a_session_worked_on_is_offered_next_time(console: Console, backend: FakeBackend) -> None:
    await started(console, backend)
    field = console.window.setup.machine.field
    await until(lambda: field.count() == 1, "the address")
    assert field.itemText(0) == AT


def test_a_machine_that_is_removed_is_forgotten(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend()
        backend.has_machines, backend.book = True, [AT, "other.example:5900"]
        async with opened(app, backend) as (console, _):
            machine = console.window.setup.machine
            console.window.setup.chooser.choose("vnc")
            machine.field.setEditText(AT)
            press(machine.remove)
            await until(lambda: machine.field.count() == 1, "it to be taken off the list")
            assert backend.book == ["other.example:5900"]

    on_qt(work())


def test_a_password_is_not_in_what_is_printed_of_it() -> None:
    assert SECRET not in repr(MachinePassword(value=SECRET, user=SECRET))
