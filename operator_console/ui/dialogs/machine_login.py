"""What a VNC machine asks before a session: its password, and whether its certificate is accepted.

Neither dialog has a default.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from operator_console.domain.errors import LoginLack, LoginRefused
from operator_console.domain.session_request import MachinePassword
from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.dialogs.confirm import ConfirmDialog
from operator_console.ui.widgets.controls import GRID, breakable, button, button_row, column, enable, fit_height, label
from operator_console.ui.widgets.show_without_focus import open_modal
from operator_console.ui.widgets.wrapped_check_box import WrappedCheckBox
from operator_console.ui.window import MainWindow

WIDTH = 460
_PAIRS = 8
"""Bytes of a fingerprint in a line."""


class PasswordDialog(QDialog):
    """Asks for a password, for the user where the machine has users, and whether they are kept.

    Signals:
        entered: carries a MachinePassword; closing it in any other way starts nothing.
    """

    entered = Signal(object)

    def __init__(self, refused: LoginRefused, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Password — Operator console"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        asks = (
            _("{address} asks for a user and a password").format(address=refused.address)
            if refused.asks_user
            else _("{address} asks for a password").format(address=refused.address)
        )
        rows.addWidget(label(breakable(asks), "title", wrap=True))
        wrong = label(
            _("It did not accept the user and the password. Type them again.")
            if refused.asks_user
            else _("It did not accept the password. Type it again."),
            "trouble",
            wrap=True,
        )
        wrong.setVisible(refused.lack is LoginLack.RIGHT_KEY)
        rows.addWidget(wrong)
        self.user = _field(_("User of the machine")) if refused.asks_user else None
        self.password = _field(_("Password of the machine"))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.keep = WrappedCheckBox(_("Keep it in the system’s keyring"))
        self.keep.setEnabled(False)  # until the keyring was asked
        self._note = label(
            _("Otherwise it is held in memory for this session, and never written to a file or the record."),
            "secondary",
            wrap=True,
        )
        asked = [(_("Password"), self.password)]
        if self.user is not None:
            asked.insert(0, (_("User"), self.user))
        self._asked = [field for _, field in asked]
        for words, field in asked:
            heading = label(words, "heading")
            heading.setBuddy(field)
            rows.addWidget(heading)
            rows.addWidget(field)
            field.textChanged.connect(self._changed)
            field.returnPressed.connect(self._entered)
        for part in (self.keep, self._note):
            rows.addWidget(part)
        self.cancel, self.log_in = button(_("Cancel")), button(_("Connect"), "primary")
        rows.addLayout(button_row(self.cancel, self.log_in))
        self.cancel.clicked.connect(self.reject)
        self.log_in.clicked.connect(self._entered)
        self._changed("")
        self._asked[0].setFocus()
        fit_height(self, WIDTH)

    def show_keyring(self, trouble: str) -> None:
        """Show why the keyring cannot be used; "": it can, and the password is kept unless the person says no."""
        self.keep.setEnabled(not trouble)
        self.keep.setChecked(not trouble)
        if trouble:
            self._note.setText(_("{why} The password is held in memory for this session.").format(why=trouble))
        fit_height(self, WIDTH)

    def _changed(self, _text: str) -> None:
        missing = _("Enter the password first.") if self.user is None else _("Enter the user and the password first.")
        enable(self.log_in, "" if all(field.text() for field in self._asked) else missing)

    def _entered(self) -> None:
        empty = [field for field in self._asked if not field.text()]
        if empty:
            empty[0].setFocus()
            return
        user = "" if self.user is None else self.user.text()
        given = MachinePassword(value=self.password.text(), user=user, keep=self.keep.isChecked())
        self.password.clear()
        self.accept()
        self.entered.emit(given)


def _field(name: str) -> QLineEdit:
    field = QLineEdit()
    field.setAccessibleName(name)
    return field


def certificate_question(refused: LoginRefused, parent: QWidget | None) -> ConfirmDialog:
    """Asks whether a certificate is accepted; the keyboard is on Cancel."""
    changed = refused.lack is LoginLack.CERTIFICATE_OF_BEFORE
    title = (
        _("The certificate of {address} has changed") if changed else _("Is this the certificate of {address}?")
    ).format(address=refused.address)
    dialog = ConfirmDialog(
        title,
        _(
            "This is another certificate than the one that you accepted. If the machine was not set "
            "up anew, somebody may be between you and it, who would read your password and "
            "everything on its screen."
        )
        if changed
        else _(
            "The machine encrypts with a certificate that has not been accepted yet. Compare its "
            "fingerprint with the one that the machine itself shows. If they are the same, accept "
            "it; you are not asked about it again."
        ),
        _("Accept"),
        _("Cancel"),
        parent,
        heading=_("Fingerprint of the certificate (SHA-256)"),
        exact=_in_pairs(refused.fingerprint),
        warns=changed,
    )
    dialog.no.setFocus()
    return dialog


def _in_pairs(digits: str) -> str:
    """As openssl prints a fingerprint, in lines that are short enough to compare."""
    pairs = [digits[at : at + 2].upper() for at in range(0, len(digits), 2)]
    return ":\n".join(":".join(pairs[at : at + _PAIRS]) for at in range(0, len(pairs), _PAIRS))


ACCEPT, KEYRING = "accept certificate", "keyring of a machine"
Go = Callable[[MachinePassword | None], None]


class MachineLoginController(QObject):
    """Asks when a machine has refused the login, and starts again with the answer; not at all if it is cancelled."""

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self._refused: LoginRefused | None = None
        self._go: Go = _nothing
        self._given: MachinePassword | None = None
        self.password: PasswordDialog | None = None
        self.certificate: ConfirmDialog | None = None

    def ask(self, refused: LoginRefused, given: MachinePassword | None, go: Go) -> None:
        """Ask for what the machine takes.

        Args:
            refused: what that is.
            given: the password that was typed before; it counts still if the certificate alone is in question.
            go: starts the session, with a password that was typed or with the one that is kept.
        """
        self._refused, self._given, self._go = refused, given, go
        asked: PasswordDialog | ConfirmDialog
        if refused.lack in (LoginLack.KEY, LoginLack.RIGHT_KEY):
            asked = self.password = PasswordDialog(refused, self._window)
            asked.entered.connect(self._entered)
            self._bridge.run(KEYRING, self._ask_keyring())
        else:
            asked = self.certificate = certificate_question(refused, self._window)
            asked.confirmed.connect(self._accepted)
        asked.finished.connect(self._closed)
        open_modal(asked, takes_focus=self._backend.has_focus())  # a machine may answer late

    def close(self) -> None:
        """Close the dialogs without a start."""
        for asked in (self.password, self.certificate):
            if asked is not None:
                asked.reject()

    async def _ask_keyring(self) -> None:
        trouble = await self._backend.keyring_trouble()
        if self.password is not None:
            self.password.show_keyring(trouble)

    def _entered(self, given: MachinePassword) -> None:
        self._go(given)

    def _accepted(self) -> None:
        assert self._refused is not None
        self._bridge.run(ACCEPT, self._accept(self._refused, self._given, self._go))

    async def _accept(self, refused: LoginRefused, given: MachinePassword | None, go: Go) -> None:
        await self._backend.accept_certificate(refused.address, refused.fingerprint)
        go(given)

    def _closed(self, _result: int) -> None:
        self.password = self.certificate = self._given = None
        self._bridge.cancel(KEYRING)


def _nothing(_: MachinePassword | None) -> None:
    return
