"""The session shown in the window: its view, its handle, its start and its end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from operator_console.domain.errors import LoginRefused
from operator_console.domain.events import Ended, EndedOutcome, Record, Stopped
from operator_console.domain.hand_input import HandInput
from operator_console.domain.intents import Intent, Stop
from operator_console.domain.message_texts import notice, with_words
from operator_console.domain.notices import NoticeCode
from operator_console.domain.session_request import MachinePassword, SessionRequest
from operator_console.domain.states import State
from operator_console.domain.stopping import StopCause
from operator_console.ui.backend import ConsoleBackend, SessionHandle
from operator_console.ui.bridge import Bridge
from operator_console.ui.view.fold_records import failed, fold, with_state
from operator_console.ui.view.session_view import Phase, SessionView

CLOSING_S = 10.0
"""Seconds that a session may take to end when the window is closed, before it is stopped."""
TASK = "start"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginAsked:
    """A session did not start, because its machine refused the login with the password that was given."""

    request: SessionRequest
    given: MachinePassword | None
    refused: LoginRefused


class SessionController(QObject):
    """Starts, follows and ends a session.

    Signals:
        begun: a session runs; carries its SessionRequest.
        failed: the session ended with an error; carries its message.
        login_asked: the session did not start; carries a LoginAsked.
        hand_trouble: the operator's own input cannot be given to the target; carries a sentence.
    """

    login_asked = Signal(object)
    begun = Signal(object)
    failed = Signal(object)
    hand_trouble = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge) -> None:
        super().__init__()
        self._backend, self._bridge = backend, bridge
        self._before = SessionView()
        self.view = SessionView()
        self.handle: SessionHandle | None = None
        self._live = False

    @property
    def starting(self) -> bool:
        """Whether a start is in progress."""
        return self._bridge.running(TASK)

    def heard(self, record: Record) -> None:
        """Fold a new record into the view."""
        self.view = fold(self.view, record)
        if isinstance(record.event, Ended | Stopped):
            self._live = False
        if isinstance(record.event, Ended) and record.event.outcome is EndedOutcome.FAILED:
            self.failed.emit(with_words(record.event).message)

    def moved(self, state: State) -> None:
        """Apply a new state to the view."""
        self.view = with_state(self.view, state)

    def show(self, view: SessionView) -> None:
        """Show the view of a file."""
        self.view = view

    def clear(self) -> None:
        """Reset to an empty view."""
        self.view = self._before = SessionView()
        self.handle = None

    def begin(self, request: SessionRequest, password: MachinePassword | None = None) -> None:
        """Start a session; one that continues its file keeps the view of it. `password`: as `ConsoleBackend.start`."""
        self._before = self.view
        kept = SessionView() if request.resume is None else replace(self.view, ended=None, stopped=None)
        self.view = replace(kept, phase=Phase.STARTING)
        self._live = True
        self._bridge.run(TASK, self._start(request, password))

    def take_back(self) -> None:
        """Cancel the start."""
        self._bridge.cancel(TASK)
        self.refused()

    def refused(self) -> None:
        """Restore the previous view: the session did not start."""
        self.view = self._before
        self._live = False

    def going_on(self, task: str, path: Path | None, lead_time_s: float) -> SessionRequest | None:
        """A request that continues the shown file (task "": the same task); None if nothing is shown."""
        started = self.view.started
        if started is None or path is None:
            return None
        return SessionRequest(
            task=task or started.task, target=started.target.spec, provider=started.provider, model=started.model,
            autonomy=self.view.autonomy or started.autonomy, allow=started.allow, max_steps=started.max_steps,
            max_minutes=started.max_minutes, profile=started.profile, price=started.price, max_cost=started.max_cost,
            lead_time_s=lead_time_s, resume=path, sites=started.sites, apps=started.apps,
            effects=started.effects, scope_by=started.scope_by, hide=started.hide,
        )  # fmt: skip

    def renamed(self, before: Path, after: Path) -> None:
        """A session file has another path now: if it is this session's, it is exported and continued from there."""
        if self.handle is not None and self.handle.path.absolute() == before.absolute():
            self.handle.renamed(after)

    def post(self, intent: Intent) -> None:
        """Send an intent to the session."""
        if self.handle is not None:
            self.handle.post(intent)

    def by_hand(self, given: HandInput) -> None:
        """The operator points, types or chooses a tab in the session's target."""
        if self.handle is not None:
            self.handle.by_hand(given)

    async def end(self) -> None:
        """End the session before the window closes; stop it if it does not end in time."""
        if self.handle is None or not self.view.phase.active:
            return
        self.handle.post(Stop(reason=StopCause.INTERRUPT, detail=notice(NoticeCode.CONSOLE_CLOSED)))
        try:
            async with asyncio.timeout(CLOSING_S):
                await self.handle.wait()
        except TimeoutError:
            await self._backend.stop()

    async def _start(self, request: SessionRequest, password: MachinePassword | None) -> None:
        try:
            self.handle = await self._backend.start(request, self._bridge, password)
        except LoginRefused as refused:
            self.refused()
            self.login_asked.emit(LoginAsked(request=request, given=password, refused=refused))
            return
        self.handle.tell_of_hand(self.hand_trouble.emit)
        self._bridge.run("mark told", self._backend.mark_told(request))
        self.begun.emit(request)
        self._bridge.run("session", self._watch(self.handle))

    async def _watch(self, handle: SessionHandle) -> None:
        """Mark the session as failed if it ends without an Ended event."""
        error = await handle.wait()
        if not self._live or handle is not self.handle:
            return
        self._live = False
        message = notice(NoticeCode.ENDED_WITHOUT_REASON) if error is None else error.text
        self.view = failed(self.view, message)
        self.failed.emit(message)
