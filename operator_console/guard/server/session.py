"""An armed session: its locks, its injector and its gate; its start, its orderly end, and its end by a stop.

`DisplayHold` owns the locks, latch files, ledger and connections of one or two displays: the person's, where the stop
is received, and the target's if that is another one. A target whose input does not go to a display adds none, whatever
display its window is on: one session can act for each display where a stop is received. `ArmedSession` adds the
injector and the lease. If `begin` or `finish` fails, is cancelled or is overtaken by a stop, no injector and no lock is
left. This module does not decide when to pause or stop.
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
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopLiveness, WaitsFor
from operator_console.guard import latch
from operator_console.guard.corners import Corners
from operator_console.guard.latch import LatchState, LatchStatus, now_text, refuse_if_stopped
from operator_console.guard.machine_release import MachineReleaser
from operator_console.guard.platform import lock_display, release_left
from operator_console.guard.protocols import LockedDisplay, ReleasedElsewhere, Releaser, StopListener
from operator_console.guard.server.injector_child import ActedOn, ChildFailed, InjectorChild
from operator_console.guard.server.latch_writer import LatchWriter
from operator_console.guard.server.lease import Lease

_PRIMITIVE_S = 2.0
_POLL_S = 0.001
_ACTS_NS = 300_000_000
"""Between the events of one action there is less than this."""
_log = logging.getLogger(__name__)


class DisplayHold:
    """Locks, latch files, ledger and connections of a session's displays, from `take` until `give_up`."""

    def __init__(self, displays: tuple[str, ...], acted_on: ActedOn, files: LatchWriter) -> None:
        self.displays = displays
        self.acted_on = acted_on
        self._files = files
        self._locks: list[int] = []
        self._connections: dict[str, LockedDisplay] = {}
        self.machine: MachineReleaser | None = None
        self.ledger: Ledger
        self.ledger_fd = -1
        self.releaser: Releaser

    @classmethod
    def take(cls, listens: str, acted_on: ActedOn, files: LatchWriter) -> DisplayHold:
        """Lock and open everything; release what a dead owner left held.

        Raises OperatorError: a display is stopped, locked, or cannot be opened.
        """
        displays = tuple(dict.fromkeys(filter(None, (listens, acted_on.display))))
        refuse_if_stopped(displays)
        hold = cls(displays, acted_on, files)
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
            if display == NO_DISPLAY:
                continue  # there is no server that another user's console could be asked by
            connection = lock_display(display)
            if connection is None:
                raise _taken(display)
            self._connections[display] = connection
        # The previous owner may have been stopped, or have died, after the first check.
        refuse_if_stopped(self.displays, ours=True)
        target = self.acted_on.display
        if target:
            self.releaser = self._connections[target]
            self.ledger, self.ledger_fd = Ledger.open_file(latch.path_of(target, "ledger"))
            if not self.ledger.clean:
                self.releaser.finish(self.ledger)
            self.ledger.close()
            self.ledger = Ledger(self.ledger_fd, fresh=True)
        else:
            # No file: its keys are no keycodes, and a later guard could not release them.
            login = self.acted_on.login
            self.machine = None if login is None else MachineReleaser(login)
            self.releaser = self.machine or ReleasedElsewhere()
            self.ledger, self.ledger_fd = Ledger.in_memory()
        self.ledger.gate = Gate.IDLE

    @property
    def connection_fds(self) -> list[int]:
        """Descriptors of the connections; they also become readable when a display is lost."""
        return [connection.fileno() for connection in self._connections.values()]

    def display_lost(self, fd: int) -> bool:
        """Read a connection's pending events; whether it is broken."""
        return any(each.lost() for each in self._connections.values() if each.fileno() == fd)

    def write(self, status: LatchStatus) -> list[Future[None]]:
        """Start writing the latch of each display; does not wait for the disk."""
        return [
            self._files.write(
                replace(status, display=display, pid=os.getpid(), console_pid=os.getppid(), displays=self.displays),
                keep_room=True,
            )
            for display in self.displays
        ]

    def conclude(self, stopped: LatchStatus | None) -> list[Future[None]]:
        """Start writing why each display was stopped; None: start clearing the latch, after an orderly end."""
        return self.write(stopped) if stopped is not None else [self._files.clear(each) for each in self.displays]

    def give_up(self) -> None:
        """Close everything now. Unlock once the latch files are written: other consoles may read them from then on."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
        if self.machine is not None:
            self.machine.close()
        if self.ledger_fd >= 0:
            self.ledger.close()
            os.close(self.ledger_fd)
            self.ledger_fd = -1
        self._files.call(self._unlock)

    def _unlock(self) -> None:
        while self._locks:
            os.close(self._locks.pop())


def _taken(display: str) -> OperatorError:
    if display == NO_DISPLAY:
        return OperatorError(
            notice(NoticeCode.RUNNING_WITHOUT_DISPLAY), remedy=notice(NoticeCode.END_OTHER_SESSION_FIRST)
        )
    return OperatorError(
        notice(NoticeCode.DISPLAY_IN_USE),
        detail=notice(NoticeCode.ARMED_SESSION_HOLDS_DISPLAY, display=display),
        remedy=notice(NoticeCode.END_OTHER_SESSION_FIRST),
    )


def clean(display: str, ledger_path: str) -> None:
    """Release what a dead guard's ledger lists (`python -m operator_console.guard --clean`)."""
    ledger, fd = Ledger.open_file(Path(ledger_path))
    try:
        if not ledger.clean:
            release_left(display, ledger)
    finally:
        ledger.close()
        os.close(fd)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What a stop released, and when the injector last pressed or moved (monotonic ns; 0: never)."""

    keys: int
    buttons: int
    last_event_ns: int


@dataclass(frozen=True, slots=True)
class _Cause:
    """Why the gate is shut, as `status` names it, and since when (RFC 3339)."""

    name: PauseCause | WaitsFor
    since: str


class ArmedSession:
    """An injector that may act while its gate is open. Made by `begin`; ended by `finish`, or by `cut` at a stop.

    Attributes:
        opened_s: time.monotonic() when the gate was opened last; 0 for never.
        hold_to_run: whether it acts only while the person holds a key or the console's button.
        resumes_after_hand: whether a pause for the person's hand ends by itself.
        by_hand: whether it was paused for the person's hand last, and not opened since.
        resuming: whether the console was told that the hand has left, and it was not paused since.
        killable: process groups that a stop kills together with the injector (the user's own functions that run now).
    """

    def __init__(self, session: str, hold: DisplayHold, child: InjectorChild, epoch: int, corners: Corners) -> None:
        self.session = session
        self.hold = hold
        self.child = child
        self.corners = corners
        self.lease = Lease(time.monotonic())
        self._since = now_text()
        self._causes: dict[Gate, _Cause] = {}
        self._starting: asyncio.Task[InjectorChild] | None = None
        self._ended = False
        self.opened_s = 0.0
        self.resumes_after_hand = self.by_hand = self.resuming = False
        self.hold_to_run = False
        self.killable: tuple[int, ...] = ()
        self.set_epoch(epoch)
        self.beat()

    @property
    def ledger(self) -> Ledger:
        """Shared with the injector."""
        return self.hold.ledger

    @property
    def gate(self) -> Gate:
        """Reasons why the injector must not act."""
        return self.ledger.gate

    def shut(self, why: Gate, cause: PauseCause | None = None) -> None:
        """Add a reason to keep the gate shut; `cause` is how `status` names it, unless it is known already."""
        new = why & ~self.gate
        self.ledger.gate |= why
        if cause is not None and new:
            self._causes[new] = _Cause(cause, now_text())

    def shut_for(self, cause: PauseCause | WaitsFor) -> None:
        """Keep the gate shut for the console, which knows why; its cause replaces what was known."""
        current = self._cause()
        self.ledger.gate |= Gate.HELD
        if current is None or current.name != cause:
            current = _Cause(cause, now_text())
        self._causes = {why: each for why, each in self._causes.items() if Gate.HELD not in why}
        self._causes[Gate.HELD] = current

    def open(self, why: Gate) -> None:
        """Remove a reason; the gate opens when there is none left."""
        shut = self.gate
        self.ledger.gate &= ~why
        self._causes = {each: cause for each, cause in self._causes.items() if each & self.gate}
        if shut and not self.gate:
            self._since = now_text()
            self.opened_s = time.monotonic()

    def set_epoch(self, epoch: int) -> None:
        """Tell the injector the current epoch; it refuses grants of an older one."""
        self.ledger.set(Word.EPOCH, epoch)

    def beat(self) -> None:
        """Tell the injector that the guard is alive, and when the lease was last renewed."""
        self.ledger.set(Word.BEAT_NS, time.monotonic_ns())
        self.ledger.set(Word.LEASE_NS, int(self.lease.renewed_s * 1e9))

    @property
    def acts_now(self) -> bool:
        """Whether the injector is sending input, holds some, or did a moment ago."""
        ledger = self.ledger
        if ledger.get(Word.IN_PRIMITIVE) or ledger.keys or ledger.buttons:
            return True
        return time.monotonic_ns() - ledger.get(Word.LAST_EVENT_NS) < _ACTS_NS

    @property
    def paused_for(self) -> PauseCause | WaitsFor | None:
        """Why the gate is shut; None while it is open."""
        cause = self._cause()
        return None if cause is None else cause.name

    def renew_lease(self) -> None:
        """Start the lease anew."""
        self.lease = Lease(time.monotonic())
        self.beat()

    def heard(self, drained_ns: int) -> None:
        """Tell the injector up to when all input was read, time.monotonic_ns()."""
        self.ledger.set(Word.HEARD_NS, drained_ns)

    async def reach(self) -> str:
        """Make sure that what releases is connected; why it cannot be, "" if it is."""
        if self.hold.machine is not None and not self.hold.machine.ready:
            try:
                await asyncio.to_thread(self.hold.machine.reach)
            except OperatorError as error:
                return error.text
        return ""

    async def quiet(self) -> bool:
        """After shutting the gate: wait until no input event is in progress; False if one does not end in time."""
        deadline = time.monotonic() + _PRIMITIVE_S
        while self.ledger.get(Word.IN_PRIMITIVE):
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(_POLL_S)
        return True

    def kill(self) -> None:
        """Shut the gate and kill the injector and the killable groups. Does not wait."""
        self.ledger.gate |= Gate.STOPPED
        self.child.kill()
        for group in self.killable:
            if group <= 1:  # killpg would take it for the guard's own group, or for every process
                continue
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        self._prevent_restart()

    def cut(self) -> Cut:
        """Kill and release. Blocks until all input is released, however long the display takes to answer."""
        ledger = self.ledger
        self.kill()
        keys = buttons = 0
        try:
            held = self.hold.releaser.sweep(ledger)
            keys, buttons = held.keys, held.buttons
            self.child.wait_dead()
            held = self.hold.releaser.sweep(ledger)
            keys, buttons = max(keys, held.keys), max(buttons, held.buttons)
            self.hold.releaser.finish(ledger)
        except Exception:  # noqa: BLE001  python-xlib's ways to say that the server is gone are many
            # The ledger is a file: the next start or a reset releases what could not be released now.
            _log.exception("releasing failed")
            self.child.wait_dead()
        return Cut(keys=keys, buttons=buttons, last_event_ns=ledger.get(Word.LAST_EVENT_NS))

    async def end(self) -> None:
        """End the injector in order. It releases its input and restores the keyboard; what it missed is done here."""
        self.shut(Gate.IDLE)
        self._prevent_restart()
        await self.child.end()
        if not self.ledger.clean:
            self.hold.releaser.finish(self.ledger)

    async def replace_child(self) -> bool:
        """Release what a dead injector held and start another one; whether that worked.

        If the session ends meanwhile, the new injector is killed and this returns False: the ledger may already belong
        to another session.
        """
        self.child.close()
        self.child.wait_dead()
        self.ledger.set(Word.IN_PRIMITIVE, 0)  # it may have died in the middle of one
        self.hold.releaser.finish(self.ledger)
        self._starting = asyncio.ensure_future(InjectorChild.start(self.hold.acted_on, self.hold.ledger_fd))
        try:
            self.child = await self._starting
        except ChildFailed:
            _log.exception("no new injector")
            return False
        except asyncio.CancelledError:
            if not self._ended:
                raise
            return False
        finally:
            self._starting = None
        if self._ended:  # it became ready just as the session ended
            self.child.kill()
            self.child.close()
        return not self._ended

    def _prevent_restart(self) -> None:
        self._ended = True
        if self._starting is not None:
            self._starting.cancel()

    def _cause(self) -> _Cause | None:
        """The newest cause among the reasons that keep the gate shut; None if it is open."""
        return next(reversed(self._causes.values()), None)

    def status(self, display: str, *, live: bool) -> LatchStatus:
        """State for the latch file and for terminals."""
        cause = self._cause()
        return LatchStatus(
            display=display,
            state=LatchState.PAUSED if self.gate else LatchState.RUNNING,
            reason="" if cause is None else cause.name.value,
            since=self._since if cause is None else cause.since,
            stop_live=live,
            session=self.session,
        )


class GuardState(Protocol):
    """State of the guard that can change while a session starts or ends."""

    @property
    def latched(self) -> LatchStatus | None:
        """The stop that is in force; None if there is none."""
        ...

    @property
    def epoch(self) -> int:
        """Counts up at each stop."""
        ...


async def begin(
    session: str, display: str, acted_on: ActedOn, listener: StopListener, files: LatchWriter, guard: GuardState
) -> ArmedSession:
    """Lock the displays, prove the stop, start the injector, and wait until `armed` is on the disk.

    Args:
        display: The display where the stop is received.
        acted_on: The target; its display, if it has one, is locked too.

    Raises:
        OperatorError: Latched, locked, no live stop, no injector, or stopped while starting.
        OSError: The run folder cannot be written.
    """
    before = guard.epoch

    def raise_if_stopped() -> None:
        if guard.latched is not None or guard.epoch != before:
            raise OperatorError(notice(NoticeCode.STOPPED_WHILE_STARTING), remedy=notice(NoticeCode.RESET_AND_START))

    hold = DisplayHold.take(display, acted_on, files)
    child: InjectorChild | None = None
    written: list[Future[None]] = []
    try:
        _require_live(await listener.prove())
        if hold.machine is not None:
            await asyncio.to_thread(hold.machine.reach)
        hold.ledger.set(Word.PROBE_KEYCODE, listener.probe_keycode)
        hold.ledger.set(Word.PACED, int(acted_on.display == display))
        child = await _start_child(hold)
        armed = ArmedSession(session, hold, child, before + 1, listener.watch_corners())
        raise_if_stopped()
        # Nobody can send a grant yet: the console gets the injector's socket with the answer.
        hold.ledger.gate = Gate.OPEN
        written = hold.write(armed.status(display, live=True))
        await asyncio.gather(*map(asyncio.wrap_future, written))
        # The disk may have taken seconds, while the loop went on handling events.
        raise_if_stopped()
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
            notice(NoticeCode.STOP_NOT_LIVE),
            detail=liveness.detail,
            remedy=notice(NoticeCode.NO_SESSION_WITHOUT_STOP),
        )


async def finish(armed: ArmedSession, guard: GuardState) -> None:
    """End a session in order. A stop meanwhile stays in force. Raises OSError if the latch file cannot be changed."""
    try:
        await armed.end()
    except BaseException:
        armed.cut()
        raise
    finally:
        try:
            await asyncio.gather(*map(asyncio.wrap_future, armed.hold.conclude(guard.latched)))
        finally:
            armed.hold.give_up()


def as_operator_error(error: Exception) -> OperatorError:
    """The error to report to the console for a failed start or end."""
    if isinstance(error, OperatorError):
        return error
    if isinstance(error, OSError):
        return OperatorError(
            notice(NoticeCode.RUN_FOLDER_NOT_WRITABLE),
            detail=str(error),
            remedy=notice(NoticeCode.MAKE_ROOM_IN_RUN_FOLDER),
        )
    _log.error("arming or disarming failed", exc_info=error)
    return OperatorError(notice(NoticeCode.GUARD_ERROR), detail=repr(error), remedy=notice(NoticeCode.RUN_DOCTOR))


async def _start_child(hold: DisplayHold) -> InjectorChild:
    try:
        return await InjectorChild.start(hold.acted_on, hold.ledger_fd)
    except ChildFailed as error:
        raise OperatorError(
            notice(NoticeCode.INJECTOR_NOT_STARTED),
            detail=notice(NoticeCode.INJECTOR_START_IN_LOG),
            remedy=notice(NoticeCode.RUN_DOCTOR),
        ) from error
