"""Releases what the agent holds on a machine over VNC, by a connection of the guard's own.

It is logged in before the first grant, because a login takes up to a third of a second, and a server that was given too
many wrong passwords refuses it.
"""

from __future__ import annotations

import contextlib
import logging

from operator_console.desktop.ledger import Ledger
from operator_console.domain.errors import OperatorError
from operator_console.guard.protocols import Held
from operator_console.rfb.errors import RfbError, login_trouble
from operator_console.rfb.input_line import InputLine, release
from operator_console.rfb.server_login import Login

_LOGIN_S = 10.0
_LOGIN_AT_STOP_S = 1.0
_log = logging.getLogger(__name__)


class MachineReleaser:
    """A Releaser for one machine. `reach` it before it is needed.

    Attributes:
        ready: whether it is connected.
    """

    def __init__(self, login: Login) -> None:
        self._login = login
        self._line: InputLine | None = None
        self._closed = False

    @property
    def ready(self) -> bool:
        """Whether it is connected, as far as is known."""
        return self._line is not None

    def reach(self, within_s: float = _LOGIN_S) -> None:
        """Connect, if it is not connected. Blocks; may be called in another thread. Raises OperatorError."""
        if self._line is not None:
            return
        try:
            line = InputLine.connect(self._login, within_s=within_s)
        except RfbError as error:
            raise login_trouble(error, self._login) from error
        if self._closed:
            line.close()
        else:
            self._line = line

    def drain(self) -> bool:
        """Read what the server has sent, without blocking; False once the connection is lost."""
        if self._line is None:
            return False
        try:
            self._line.read_waiting()
        except RfbError as error:
            _log.warning("the connection that releases is lost: %s", error.detail)
            self._drop()
            return False
        return True

    def sweep(self, ledger: Ledger) -> Held:
        """How much the ledger lists. Nothing is sent: TigerVNC ignores others while the injector's connection lives."""
        return _held(ledger)

    def finish(self, ledger: Ledger) -> None:
        """Once the injector is dead: release what the ledger lists, and clear it. Blocks for up to 0.3 s, or for a
        second more where the connection has to be made first."""
        if not ledger.keysyms and not ledger.buttons:
            return
        try:
            self.reach(_LOGIN_AT_STOP_S)
        except OperatorError as error:
            _log.error("what is held on the machine cannot be released: %s", error)
        else:
            assert self._line is not None
            release(self._line, ledger.keysyms, button_mask(ledger), ledger.pointer)
        for keysym in ledger.keysyms:
            ledger.mark_keysym(keysym, False)
        ledger.forget(buttons=ledger.buttons)

    def close(self) -> None:
        """Disconnect, also what is being connected in another thread."""
        self._closed = True
        self._drop()

    def _drop(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            with contextlib.suppress(RfbError, OSError):
                line.close()


def button_mask(ledger: Ledger) -> int:
    """The buttons that are held, as RFB has them: bit 0 is button 1."""
    return sum(1 << (button - 1) for button in ledger.buttons if button <= 8)


def _held(ledger: Ledger) -> Held:
    return Held(keys=len(ledger.keysyms), buttons=len(ledger.buttons))
