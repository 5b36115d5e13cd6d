"""The session that can act: what it locks, its injector, its gate; its start, its orderly end, and cutting it off.

`DisplayHold` owns the locks, the latch files, the ledger and the connections of one or two displays: the one where the
person's stop is heard, and the one that is acted on where that is another. `ArmedSession` adds the injector and the
lease. `begin` and `finish` are all or nothing: what fails, is cancelled or is stopped on the way leaves no injector and
no lock. When to pause or stop is decided in lease.py and dispatch.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import time
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import PauseCause
from operator_console.domain.stopping import StopLiveness
from operator_console.guard import latch
from operator_console.guard.backend import LockedDisplay, lock_display, release_left
from operator_console.guard.latch import LatchState, LatchStatus, now_text, refuse_if_stopped
from operator_console.guard.listener.corners import Corners
from operator_console.guard.listener.stop_listener import StopListener
from operator_console.guard.server.injector_child import ChildFailed, InjectorChild
from operator_console.guard.server.latch_writer import LatchWriter
from operator_console.guard.server.lease import Lease

_PRIMITIVE_S = 2.0
_POLL_S = 0.001
_log = logging.getLogger(__name__)


class DisplayHold:
    """Locks, latch files, ledger and connections of the displays of a session; `take` it, then `give_up`."""

    def __init__(self, displays: tuple[str, ...], target: str, files: LatchWriter) -> None:
        self.displays = displays
        self.target = target
        self._files = files
        self._locks: list[int] = []
        self._connections: list[LockedDisplay] = []
        self.ledger: Ledger
        self.ledger_fd = -1
        self.releaser: LockedDisplay

    @classmethod
    def take(cls, listens: str, target: str, files: LatchWriter) -> DisplayHold:
        """Lock and open everything, undo what a dead owner left. Raises OperatorError (stopped, locked, no display)."""
        displays = tuple(dict.fromkeys((latch.normal_display(listens), latch.normal_display(target))))
        refuse_if_stopped(displays)
        hold = cls(displays, latch.normal_display(target), files)
        try:
            hold._take()
        except BaseException:
            hold.give_up()
            raise
        return hold

    def _take(self) -> None:
        for display in self.displays:
            lock = latch.take_lock(display)
            if lock is None:
                raise _taken(display)
            self._locks.append(lock)
            connection = lock_display(display)
            if connection is None:
                raise _taken(display)
            self._connections.append(connection)
        # Whoever held them may have been stopped, or have died, after the first look.
        refuse_if_stopped(self.displays, ours=True)
        self.releaser = self._connections[self.displays.index(self.target)]
        self.ledger, self.ledger_fd = Ledger.open_file(latch.path_of(self.target, "ledger"))
        if not self.ledger.clean:
            self.releaser.finish(self.ledger)
        self.ledger.close()
        self.ledger = Ledger(self.ledger_fd, fresh=True)
        self.ledger.gate = Gate.IDLE

    @property
    def connection_fds(self) -> list[int]:
        """Readable at the loss of a display."""
        return [connection.fileno() for connection in self._connections]

    def display_lost(self, fd: int) -> bool:
        """Read what came on a connection; whether it is broken."""
        return any(each.lost() for each in self._connections if each.fileno() == fd)

    def write(self, status: LatchStatus) -> list[Future[None]]:
        """Have the latch of each display written, without waiting for the disk."""
        return [
            self._files.write(replace(status, display=display, pid=os.getpid(), displays=self.displays))
            for display in self.displays
        ]

    def conclude(self, stopped: LatchStatus | None) -> list[Future[None]]:
        """Have the latch of each display say why it was stopped; None: clear it, after an orderly end."""
        return self.write(stopped) if stopped is not None else [self._files.clear(each) for each in self.displays]

    def give_up(self) -> None:
        """Close everything now, and unlock when the latch files say what was asked for: others read them then."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        if self.ledger_fd >= 0:
            self.ledger.close()
            os.close(self.ledger_fd)
            self.ledger_fd = -1
        self._files.call(self._unlock)

    def _unlock(self) -> None:
        while self._locks:
            os.close(self._locks.pop())


def _taken(display: str) -> OperatorError:
    return OperatorError(
        "Another console works this display",
        detail=f"A session that can act holds {display}.",
        remedy="End it first; `operator-console status` names it, `operator-console stop` stops it.",
    )


def clean(display: str, ledger_path: str) -> None:
    """Release what a dead guard's ledger names (`python -m operator_console.guard --clean`)."""
    ledger, fd = Ledger.open_file(Path(ledger_path))
    try:
        if not ledger.clean:
            release_left(display, ledger)
    finally:
        ledger.close()
        os.close(fd)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What was released, and the last press or motion (monotonic ns, 0: nothing was ever sent)."""

    keys: int
    buttons: int
    last_event_ns: int


class ArmedSession:
    """An injector that may act while its gate is open. Made by `begin`, ended by `finish`, or cut off by a stop.

    Decides nothing: it is told to shut and open its gate, and to be cut off.

    Attributes:
        killable: process groups that a stop kills with the child: functions of the operator's own that run now.
    """

    def __init__(self, session: str, hold: DisplayHold, child: InjectorChild, epoch: int, corners: Corners) -> None:
        self.session = session
        self.hold = hold
        self.child = child
        self.corners = corners
        self.lease = Lease(time.monotonic())
        self.since = now_text()
        self._causes: dict[Gate, PauseCause] = {}
        self._starting: asyncio.Task[InjectorChild] | None = None
        self._over = False
        self.killable: tuple[int, ...] = ()
        self.set_epoch(epoch)
        self.beat()

    @property
    def ledger(self) -> Ledger:
        """Shared with the child."""
        return self.hold.ledger

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

    def renew_lease(self) -> None:
        """Let the lease begin now."""
        self.lease = Lease(time.monotonic())
        self.beat()

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
            held = self.hold.releaser.sweep(ledger)
            keys, buttons = held.keys, held.buttons
            self.child.wait_dead()
            keys, buttons = max(keys, len(ledger.keys)), max(buttons, len(ledger.buttons))
            self.hold.releaser.finish(ledger)
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
            self.hold.releaser.finish(self.ledger)

    async def renew_child(self) -> bool:
        """The child died by itself: release what it held and start another; whether that worked. False too where it is
        over meanwhile: one that was being started is killed then, for the ledger may be another session's by now."""
        self.child.close()
        self.child.wait_dead()
        self.hold.releaser.finish(self.ledger)
        self._starting = asyncio.ensure_future(InjectorChild.start(self.hold.target, self.hold.ledger_fd))
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


class Surroundings(Protocol):
    """What the guard knows while a session starts or ends."""

    @property
    def latched(self) -> LatchStatus | None:
        """The stop that stands, None for none."""
        ...

    @property
    def epoch(self) -> int:
        """Counts up at each stop."""
        ...


async def begin(
    session: str, displays: tuple[str, str], listener: StopListener, files: LatchWriter, guard: Surroundings
) -> ArmedSession:
    """Lock, prove the stop, start the injector, and wait until `armed` is on the disk.

    Args:
        displays: where the stop is heard, what is acted on.

    Raises:
        OperatorError: Latched, locked, no live stop, no injector, or stopped while starting.
        OSError: The run folder cannot be written.
    """
    display, target = displays
    before = guard.epoch

    def refuse_if_disturbed() -> None:
        if guard.latched is not None or guard.epoch != before:
            raise OperatorError("Stopped while starting", remedy="Reset, then start again.")

    hold = DisplayHold.take(display, target, files)
    child: InjectorChild | None = None
    written: list[Future[None]] = []
    try:
        _require_live(await listener.prove())
        hold.ledger.set(Word.PROBE_KEYCODE, listener.probe_keycode)
        hold.ledger.set(Word.PACED, int(target == display))
        child = await _start_child(hold)
        armed = ArmedSession(session, hold, child, before + 1, listener.watch_corners())
        refuse_if_disturbed()
        # Open in memory, but nobody can send a grant before the answer hands the pipe over.
        hold.ledger.gate = Gate.OPEN
        written = hold.write(armed.status(display, live=True))
        await asyncio.gather(*map(asyncio.wrap_future, written))
        # The disk may have taken seconds, and the loop went on meanwhile.
        refuse_if_disturbed()
        _require_live(listener.liveness)
        armed.renew_lease()
    except BaseException:
        if child is not None:
            child.kill()
            child.wait_dead()
            child.close()
        if written:
            hold.conclude(guard.latched)
        hold.give_up()
        raise
    return armed


def _require_live(liveness: StopLiveness) -> None:
    if not liveness.live:
        raise OperatorError(
            "The stop is not live",
            detail=liveness.detail,
            remedy="Nothing runs without a live stop. `operator-console doctor` tells more.",
        )


async def finish(armed: ArmedSession, guard: Surroundings) -> None:
    """An orderly end; a stop that is pressed meanwhile stands. Raises OSError where the latch cannot be written."""
    try:
        await armed.end()
    finally:
        try:
            await asyncio.gather(*map(asyncio.wrap_future, armed.hold.conclude(guard.latched)))
        finally:
            armed.hold.give_up()


def refusal(error: Exception) -> OperatorError:
    """What to tell the console of a start or an end that failed."""
    if isinstance(error, OperatorError):
        return error
    _log.error("arming or disarming failed", exc_info=error)
    if isinstance(error, OSError):
        return OperatorError(
            "The run folder cannot be written",
            detail=str(error),
            remedy="Nothing runs without it: make room there, or let $OPERATOR_CONSOLE_HOME name another folder.",
        )
    return OperatorError("The guard failed", detail=repr(error), remedy="Run `operator-console doctor`.")


async def _start_child(hold: DisplayHold) -> InjectorChild:
    try:
        return await InjectorChild.start(hold.target, hold.ledger_fd)
    except ChildFailed as error:
        raise OperatorError("The injector did not start", detail=str(error),
                            remedy="Run `operator-console doctor`.") from error  # fmt: skip
