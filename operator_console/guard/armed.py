"""A session that can act: the child, its lease, the gate. Part of the guard's process.

Owns the injector and the holding from arming to disarming or the stop. Decides nothing: process.py tells it to pause,
to open, to cut; it tells back when the lease or the child fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
from dataclasses import dataclass

from operator_console.desktop.x11.input_ledger import Gate, Ledger, Word
from operator_console.domain.events import PauseCause
from operator_console.guard.child import Child, ChildFailed
from operator_console.guard.corners import Corners
from operator_console.guard.holding import Holding
from operator_console.guard.latch import LatchState, LatchStatus, now_text
from operator_console.guard.lease import Lease

_PRIMITIVE_S = 2.0
_POLL_S = 0.001
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What was released, and the last press or motion (monotonic ns, 0: nothing was ever sent)."""

    keys: int
    buttons: int
    last_event_ns: int


class Armed:
    """Made by `Armed.begin`.

    Attributes:
        killable: process groups that a stop kills with the child: functions of the operator's own that run now.
    """

    def __init__(self, session: str, holding: Holding, child: Child, epoch: int, corners: Corners) -> None:
        self.session = session
        self.holding = holding
        self.child = child
        self.corners = corners
        self.lease = Lease(time.monotonic())
        self.since = now_text()
        self._causes: dict[Gate, PauseCause] = {}
        self._starting: asyncio.Task[Child] | None = None
        self._over = False
        self.killable: tuple[int, ...] = ()
        self.set_epoch(epoch)
        self.beat()

    @property
    def ledger(self) -> Ledger:
        """Shared with the child."""
        return self.holding.ledger

    @property
    def gate(self) -> Gate:
        """Why the child must not go on."""
        return self.ledger.gate

    def shut(self, why: Gate, cause: PauseCause | None = None) -> None:
        """Add a reason; `cause`: what to tell a person of it."""
        self.ledger.gate |= why
        if cause is not None:
            self._causes.pop(why, None)
            self._causes[why] = cause

    def open(self, why: Gate) -> None:
        """Take a reason away."""
        self.ledger.gate &= ~why

    def set_epoch(self, epoch: int) -> None:
        """Grants of an older one are void."""
        self.ledger.set(Word.EPOCH, epoch)

    def beat(self) -> None:
        """The guard turns; the lease stands where it stands."""
        self.ledger.set(Word.BEAT_NS, time.monotonic_ns())
        self.ledger.set(Word.LEASE_NS, int(self.lease.renewed_s * 1e9))

    def heard(self, drained_ns: int) -> None:
        """Everything up to here was heard."""
        self.ledger.set(Word.HEARD_NS, drained_ns)

    async def quiet(self) -> bool:
        """After shutting: wait until no primitive is under way; False where one does not end."""
        deadline = time.monotonic() + _PRIMITIVE_S
        while self.ledger.get(Word.IN_PRIMITIVE):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_POLL_S)
        return True

    def kill(self) -> None:
        """Shut and kill; needs nobody's answer."""
        self.ledger.gate |= Gate.STOPPED
        self.child.kill()
        for group in self.killable:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        self._start_no_other()

    def cut(self) -> Cut:
        """Category 0: kill, release. Returns when all is released; waits as long as the display does not answer."""
        ledger = self.ledger
        self.kill()
        keys = buttons = 0
        try:
            held = self.holding.releaser.sweep(ledger)
            keys, buttons = held.keys, held.buttons
            self.child.wait_dead()
            keys, buttons = max(keys, len(ledger.keys)), max(buttons, len(ledger.buttons))
            self.holding.releaser.finish(ledger)
        except Exception:  # noqa: BLE001  python-xlib's ways to say that the server is gone are many
            # The ledger is a file: what could not be released now is released by the next start or a reset.
            _log.exception("releasing failed")
            self.child.wait_dead()
        return Cut(keys=keys, buttons=buttons, last_event_ns=ledger.get(Word.LAST_EVENT_NS))

    async def end(self) -> None:
        """An orderly end of the child: it releases and gives back itself; what it could not is done here."""
        self.shut(Gate.IDLE)
        self._start_no_other()
        await self.child.end()
        if not self.ledger.clean:
            self.holding.releaser.finish(self.ledger)

    async def renew_child(self) -> bool:
        """The child died by itself: release what it held and start another; whether that worked. False too where it is
        over meanwhile: one that was being started is killed then, for the ledger may be another session's by now."""
        self.child.close()
        self.child.wait_dead()
        self.holding.releaser.finish(self.ledger)
        self._starting = asyncio.ensure_future(Child.start(self.holding.target, self.holding.ledger_fd))
        try:
            self.child = await self._starting
        except ChildFailed:
            _log.exception("no new injector")
            return False
        except asyncio.CancelledError:
            if not self._over:
                raise
            return False
        finally:
            self._starting = None
        if self._over:  # it became ready in the very moment
            self.child.kill()
            self.child.close()
        return not self._over

    def _start_no_other(self) -> None:
        self._over = True
        if self._starting is not None:
            self._starting.cancel()

    def _cause(self) -> str:
        """Why the gate is shut now, as last said of a reason that still holds."""
        gate = self.gate
        causes = [cause.value for why, cause in self._causes.items() if why & gate]
        return causes[-1] if gate and causes else ""

    def status(self, display: str, *, live: bool) -> LatchStatus:
        """For the latch file and for terminals."""
        return LatchStatus(
            display=display,
            state=LatchState.PAUSED if self.gate else LatchState.RUNNING,
            reason=self._cause(),
            since=self.since,
            stop_live=live,
            session=self.session,
        )
