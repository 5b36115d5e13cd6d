"""Offers to restart a browser that does not tell its controls, and restarts it once the operator has pressed for it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from operator_console.domain.events import Record, Warned
from operator_console.domain.intents import Pause, Resume, Say
from operator_console.domain.message_texts import with_words
from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.controllers.session import SessionController
from operator_console.ui.panels.banner import Notice, Tone
from operator_console.ui.view.session_view import Phase

RESTART_KEY = "restart browser:"
"""Begins the key of the notice; the browser's process follows."""
TASK = "restart browser"


class BrowserRestartController(QObject):
    """Follows a session's warnings.

    Signals:
        noticed: carries a Notice: a program does not tell its controls. It has a button where a restart loses nothing.
    """

    noticed = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, sessions: SessionController) -> None:
        super().__init__()
        self._backend, self._bridge, self._sessions = backend, bridge, sessions

    def heard(self, record: Record) -> None:
        """A new record of the session that runs."""
        if isinstance(record.event, Warned) and record.event.pid is not None:
            self._bridge.run(TASK, self._offer(record.event, record.event.pid))

    def restart(self, notice: Notice) -> None:
        """Restart what the notice is about. The session is paused meanwhile, and stays so where it fails."""
        self._bridge.run(TASK, self._restart(int(notice.key.removeprefix(RESTART_KEY))))

    async def _offer(self, warned: Warned, pid: int) -> None:
        said = with_words(warned)
        may = await self._backend.may_restart_browser(pid)
        act = _("Restart the browser") if may else ""
        self.noticed.emit(
            Notice(tone=Tone.INFO, title=said.title, detail=said.detail, act=act, key=f"{RESTART_KEY}{pid}")
        )

    async def _restart(self, pid: int) -> None:
        works = self._sessions.view.phase.active and self._sessions.view.phase is not Phase.PAUSED
        if works:
            self._sessions.post(Pause())
        await self._backend.restart_browser(pid)
        if self._sessions.view.phase.active:
            self._sessions.post(Say(text=_("I restarted the browser, so that its controls are known.")))
        if works:
            self._sessions.post(Resume())
