"""What a VNC machine asks before a session: its password, and whether its certificate is accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from operator_console.domain.errors import LoginLack, LoginRefused
from operator_console.domain.session_request import MachinePassword
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.widgets.show_without_focus import open_modal
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.dialogs.confirm import ConfirmDialog
    from operator_console.ui.dialogs.machine_login import PasswordDialog

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
        from operator_console.ui.dialogs.machine_login import PasswordDialog, certificate_question

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

    def _entered(self, given: object) -> None:
        assert isinstance(given, MachinePassword)
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
