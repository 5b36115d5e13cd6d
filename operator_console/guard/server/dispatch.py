"""The guard's main loop: receives the stop, kills the injector, releases its input, latches the display.

One small process with one asyncio loop and no Qt, which lives as long as the console. It exchanges messages with the
console over a socket pair, with terminals over a Unix socket, and with the injector through the shared ledger and a
socket whose end each side notices. A stop is synchronous: nothing is awaited between the key press and the release.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import logging
import math
import os
import signal
import socket
import threading
import time
from collections.abc import Coroutine
from typing import Any

from operator_console.desktop.ledger import Gate, Word
from operator_console.domain.display_names import normal_display
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import TargetKind
from operator_console.domain.guard_times import PROBE_EVERY_S
from operator_console.domain.message_texts import from_wire, joined, notice, to_wire
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopCause, StopLiveness
from operator_console.guard import latch, wire
from operator_console.guard.hotkey_matching import Hotkeys
from operator_console.guard.latch import LatchState, LatchStatus, stopped
from operator_console.guard.platform import open_listener
from operator_console.guard.protocols import ListenerCalls, StopListener
from operator_console.guard.server import session
from operator_console.guard.server.injector_child import ActedOn
from operator_console.guard.server.latch_writer import LatchWriter
from operator_console.guard.server.lease import PausableSession, PausePolicy, ticks
from operator_console.guard.server.session import ArmedSession, Cut
from operator_console.guard.server.terminal_socket import TerminalSocket
from operator_console.rfb.server_login import Login

_ON_DISPLAY = frozenset({TargetKind.MONITOR, TargetKind.WINDOW, TargetKind.VM, TargetKind.VIRTUAL})
"""The kinds of target whose input goes to a display. That of a machine over VNC is released by a connection to it, that
of others by what the injector connects to."""
_WITH_HAND = frozenset({TargetKind.MONITOR, TargetKind.WINDOW, TargetKind.VM})
"""The kinds of target that share pointer and keyboard with the person."""
_HAND_LEAVES_S = 1.0
_READ_LATCH_EVERY_S = 0.25
_HUNG_S = 1.0
_DURABLE_S = 1.0
_log = logging.getLogger(__name__)


class Outbox:
    """Messages to the console, in order. Never blocks: what the socket does not take now is sent later."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._waiting: collections.deque[tuple[dict[str, Any], tuple[int, ...]]] = collections.deque()

    def tell(self, message: dict[str, Any], fds: tuple[int, ...] = (), *, droppable: bool = False) -> None:
        """Send now, or as soon as the socket takes it. A `droppable` message is dropped if others wait."""
        if droppable and self._waiting:
            return
        # Copies, because the descriptors may be closed or reused before a full socket takes the message.
        self._waiting.append((message, tuple(map(os.dup, fds))))
        self.flush()

    def answer(self, message: dict[str, Any], epoch: int, fds: tuple[int, ...] = ()) -> None:
        """Confirm a request."""
        self.tell({"t": "ok", "id": message["id"], "epoch": epoch}, fds)

    def refuse(self, message: dict[str, Any], epoch: int, error: OperatorError) -> None:
        """Refuse a request, with the reason."""
        self.tell({"t": "refused", "id": message["id"], "epoch": epoch, **wire.error_fields(error)})

    def flush(self) -> None:
        """Send waiting messages until the socket is full."""
        while self._waiting:
            try:
                wire.send(self._line, *self._waiting[0])
            except (BlockingIOError, wire.LineClosed):
                return  # tried again at the next tick; a closed socket is noticed when it is read
            _, sent = self._waiting.popleft()
            for fd in sent:
                os.close(fd)


class Tasks:
    """A set of named tasks. A task that fails is logged."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Start a task."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    async def end(self) -> None:
        """Cancel all tasks and wait until they have ended."""
        running = tuple(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("%s failed", task.get_name(), exc_info=task.exception())


class GuardServer:
    """The guard of one display; `run` returns when the console is gone.

    Attributes:
        armed: the session that can act, None for none.
        latched: the stop that stands, None for none.
        epoch: counts up whenever the grants before become void.
    """

    def __init__(self, display: str, line: socket.socket, hotkeys: Hotkeys) -> None:
        self._display = normal_display(display)
        self._line = line
        self._hotkeys = hotkeys
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._outbox = Outbox(line)
        self._pauses = PausePolicy(self)
        self._tasks = Tasks()
        self.armed: ArmedSession | None = None
        self._arming: tuple[asyncio.Task[None], dict[str, Any]] | None = None
        self._in_order = asyncio.Lock()
        self._ending: ArmedSession | None = None
        self.latched: LatchStatus | None = None
        self._elsewhere: LatchStatus | None = None
        self._latch_files = LatchWriter()
        self._latch_read_s = 0.0
        self._told_human_s = 0.0
        self._hand_s = 0.0
        self._holding: set[str] = set()
        self.epoch = 1
        self._review_open = False
        self._listener: StopListener
        self._terminals: TerminalSocket

    async def run(self) -> None:
        """Serve until the console is gone; a session that is still armed then is stopped.

        Raises OperatorError if the display cannot be listened to.
        """
        calls = ListenerCalls(
            stop=lambda detail, heard_ns: self.stop(StopCause.HOTKEY, detail, heard_ns),
            pause=lambda: self._pauses.chord(self._hotkeys.pause.text),
            approve=self._approve_chord,
            hand=self._hand,
            hold=lambda held: self._hold("key", held=held),
            drained=self._drained,
            corner=self._corner,
            lost=self._display_lost,
            liveness=self._liveness,
        )
        self._listener = open_listener(self._display, self._hotkeys, calls)
        self._terminals = TerminalSocket(self._display, self._terminal)
        self.latched = self._stopped_in_file()
        self._tell_status()
        self._line.setblocking(False)
        self._loop.add_reader(self._line.fileno(), self._readable)
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._loop.add_signal_handler(number, self._terminated)
        self._tasks.start(self._probe_unarmed(), "first probe")
        ticking = asyncio.ensure_future(self._tick())
        ticking.add_done_callback(self._tick_ended)
        try:
            await self._over
        finally:
            ticking.cancel()
            await self._tasks.end()
            await asyncio.gather(ticking, return_exceptions=True)
            if self.armed is not None:  # its start ended after the console was gone
                self.stop(StopCause.CONSOLE_DIED, notice(NoticeCode.CONSOLE_ENDED_AT_START))
            self._loop.remove_reader(self._line.fileno())
            self._listener.close()
            # Until the files are written, terminals read the state here.
            await self._latch_files.settled()
            self._terminals.close()
            await self._latch_files.close()

    # Stop

    def stop(self, cause: StopCause, detail: str = "", heard_ns: int = 0) -> None:
        """Kill, release, latch and report, in that order. While latched, a further stop does nothing."""
        heard_ns = heard_ns or time.monotonic_ns()
        if self.latched is not None and self.armed is None:
            return
        armed, self.armed = self.armed, None
        if armed is not None:
            armed.kill()
        if self._ending is not None:
            self._ending.kill()
        self.epoch += 1
        self._review_open = False
        # What another console runs here is stopped by its own guard; both write the same.
        theirs = self._elsewhere
        session, displays = (theirs.session, theirs.displays) if theirs is not None else ("", ())
        self.latched = LatchStatus(
            display=self._display, state=LatchState.STOPPED, reason=cause.value, detail=detail, since=latch.now_text(),
            stop_live=self._listener.liveness.live, session=armed.session if armed is not None else session,
            displays=armed.hold.displays if armed is not None else displays,
        )  # fmt: skip
        # An X server that hangs delays the release. The latch is written then without it.
        hung = threading.Timer(_HUNG_S, self._write_stop, (armed, self.latched))
        hung.daemon = True
        with contextlib.suppress(RuntimeError):  # the system has no thread left: the latch is written after the release
            hung.start()
        cut: Cut | None = armed.cut() if armed is not None else None
        hung.cancel()
        if hung.ident is not None:
            hung.join()
        self._write_stop(armed, self.latched)
        self._tell_elsewhere(None)
        if armed is not None:
            armed.set_epoch(self.epoch)
            self._unwatch_connections(armed)
            armed.child.close()
            armed.hold.give_up()
        late_ms = None
        if cut is not None and cut.last_event_ns:
            late_ms = max(0.0, (cut.last_event_ns - heard_ns) / 1e6)
        self.tell({"t": "stop", "reason": cause.value, "epoch": self.epoch, "late_ms": late_ms,
                   "keys": cut.keys if cut else 0, "buttons": cut.buttons if cut else 0,
                   **to_wire("detail", detail)})  # fmt: skip
        self._tell_status()

    def _write_stop(self, armed: ArmedSession | None, status: LatchStatus) -> None:
        """Start writing the reason. If that fails, the file still says "armed", which counts as stopped once the lock
        is released."""
        if armed is not None:
            armed.hold.write(status)
        else:
            self._latch_files.write(status)

    # Reports of the listener

    def _approve_chord(self) -> None:
        armed = self.armed
        if self._review_open and armed is not None and armed.gate and self.latched is None:
            self.tell({"t": "approve", "epoch": self.epoch})

    def _hand(self, motion: bool) -> None:
        """A person's hand on the devices that the session acts with now: it gives way at once."""
        armed, now = self.armed, time.monotonic()
        if armed is None:
            return
        if armed.paused_for is PauseCause.HAND:  # the way on, perhaps into a corner, which a press ends
            on_the_way = motion and now - self._hand_s < _HAND_LEAVES_S
            self._hand_s = now if on_the_way else -math.inf
        if armed.gate or not self._shares_devices(armed) or not armed.acts_now:
            return
        # Who has just answered with the mouse is still taking the hand off it.
        if motion and now - armed.opened_s < _HAND_LEAVES_S:
            return
        self._hand_s = now
        self._pauses.pause(PauseCause.HAND, notice(NoticeCode.HAND_ON_DEVICES), Gate.HELD)

    def _hold(self, by: str, *, held: bool) -> None:
        """The key or the button of hold-to-run went down or up: the session acts while one of them is held."""
        before = bool(self._holding)
        (self._holding.add if held else self._holding.discard)(by)
        armed = self.armed
        if armed is None or not armed.hold_to_run or bool(self._holding) == before:
            return
        if self._holding:
            self._pauses.held_again(armed)
        else:
            self._pauses.pause(PauseCause.HOLD, notice(NoticeCode.HOLD_KEY_UP), Gate.LET_GO)

    def _shares_devices(self, armed: ArmedSession) -> bool:
        """Whether the session acts with the pointer and keyboard that the person has."""
        acted_on = armed.hold.acted_on
        return self._listener.tells_devices and acted_on.kind in _WITH_HAND and acted_on.display == self._display

    def begin_epoch(self, armed: PausableSession) -> None:
        """Begin a new epoch: earlier grants become void."""
        self.epoch += 1
        armed.set_epoch(self.epoch)

    def _drained(self) -> None:
        if self.armed is not None:
            self.armed.heard(self._listener.drained_ns)

    def _corner(self, place: tuple[int, int] | None) -> None:
        armed = self.armed
        if armed is None:
            return
        same = armed.hold.acted_on.display == self._display
        count = armed.ledger.get(Word.CORNER_COUNT) if same else 0
        corner = armed.corners.struck(place, armed.ledger.announced, count)
        armed.ledger.set(Word.CORNER_SEEN, count)
        on_the_way = armed.paused_for is PauseCause.HAND and time.monotonic() - self._hand_s < _HAND_LEAVES_S
        if corner and (not armed.gate or on_the_way):  # the way into the corner is a hand's motion, too
            self.stop(StopCause.CORNER, notice(NoticeCode.POINTER_IN_CORNER, corner=corner))

    def _display_lost(self, why: str) -> None:
        if self.armed is not None:
            self.stop(StopCause.DISPLAY_LOST, why)
        self._end()

    def _liveness(self, liveness: StopLiveness) -> None:
        self.tell(
            {
                "t": "live",
                "live": liveness.live,
                "proven_s": liveness.proven_s,
                "viewed": liveness.viewed,
                "devices": self._listener.tells_devices,
                **to_wire("detail", liveness.detail),
            }
        )
        self._pauses.liveness(liveness)

    # Periodic work

    async def _tick(self) -> None:
        probed_s = time.monotonic()
        async for tick in ticks():
            self._outbox.flush()
            self._listener.check_alive()
            self._tell_human_input()
            armed = self.armed
            if armed is None:
                self._check_latch_file(tick.now_s)
            else:
                self._pauses.tick(armed, tick)
                self._pauses.hand_left(armed, self._listener.human_input_s, tick.now_s)
                if self.armed is not armed:
                    continue
                self._drain_machine(armed)
                armed.beat()
            # Without a session only a stop that is not live is tested again: nothing can start before it is.
            if tick.now_s - probed_s >= PROBE_EVERY_S and (armed is not None or not self._listener.liveness.live):
                probed_s = tick.now_s
                self._tasks.start(self._probe(), "probe")

    def _tick_ended(self, ticking: asyncio.Future[None]) -> None:
        """Stop and end if the periodic work has failed: without it no lease would expire and no beat be sent."""
        if ticking.cancelled() or (error := ticking.exception()) is None:
            return
        _log.error("the periodic work failed", exc_info=error)
        if self.armed is not None:
            self.stop(StopCause.GUARD_DIED, notice(NoticeCode.GUARD_FAILED, error=repr(error)))
        self._end()

    def _tell_human_input(self) -> None:
        """Report when a physical device was last used; never which key or where."""
        heard_s = self._listener.human_input_s
        if heard_s > self._told_human_s:
            self._told_human_s = heard_s
            self.tell({"t": "hand", "heard_s": heard_s}, droppable=True)

    def _check_latch_file(self, now_s: float) -> None:
        """Latch here too when another console was stopped or died on this display, and tell of a session that it runs.
        A file that disappears resets nothing: a reset is sent to every guard."""
        if self.latched is not None or self._ending is not None or self._latch_files.busy:
            return
        if now_s - self._latch_read_s >= _READ_LATCH_EVERY_S:
            self._latch_read_s = now_s
            status = latch.read_file(self._display)
            if status.state is LatchState.STOPPED:
                self.latched = status
                self._tell_status()
            at_work = status.state in {LatchState.RUNNING, LatchState.PAUSED} and status.pid != os.getpid()
            self._tell_elsewhere(status if at_work else None)

    def _tell_elsewhere(self, status: LatchStatus | None) -> None:
        """Report the session that another console runs on this display; None: there is none."""
        if status != self._elsewhere:
            self._elsewhere = status
            self.tell({"t": "elsewhere", "status": latch.as_dict(status) if status is not None else None})

    def _stopped_in_file(self) -> LatchStatus | None:
        status = latch.read_file(self._display)
        return status if status.state is LatchState.STOPPED else None

    async def _probe_unarmed(self) -> None:
        await self._listener.prove()

    async def _probe(self) -> None:
        if self.latched is None:
            await self._listener.prove()
            if self.armed is not None:
                self.armed.ledger.set(Word.PROBE_KEYCODE, self._listener.probe_keycode)

    # The console

    def _readable(self) -> None:
        while True:
            try:
                message, _ = wire.receive(self._line)
            except BlockingIOError:
                return
            except (wire.LineClosed, ValueError) as error:
                self._console_gone(str(error))
                return
            self._handle(message)

    def _handle(self, message: dict[str, Any]) -> None:
        armed = self.armed
        match message.get("t"):
            case "lease":
                if armed is not None:
                    self._pauses.lease_answered(armed, int(message["n"]))
            case "stop":
                self.stop(StopCause(message["cause"]), from_wire(message, "detail"))
                self._tasks.start(self._answer_stop(message), "answer to a stop")
            case "arm":
                self._arming = self._tasks.start(self._arm(message), "arm"), message
            case "disarm":
                self._cancel_arming()
                self._tasks.start(self._disarm(message), "disarm")
            case "gate":
                opening = self._pauses.set_gate(message, self._listener.liveness, lambda: self._listener.human_input_s)
                self._tasks.start(opening, "gate")
            case "hold":
                self._hold("button", held=bool(message["on"]))
                self.answer(message)
            case "killable":
                self._set_killable(message)
            case "review":
                self._review_open = bool(message["open"]) and armed is not None  # a stopped session asks nothing
                self.answer(message)
            case "reset":
                self._reset()
                self._tasks.start(self._answer_reset(message), "answer to a reset")
            case "probe":
                self._tasks.start(self._probe_asked(message), "probe")
            case other:
                _log.error("unknown message %r from the console", other)

    async def _answer_stop(self, message: dict[str, Any]) -> None:
        await self._written_soon()
        self.answer(message)

    async def _answer_reset(self, message: dict[str, Any]) -> None:
        await self._latch_files.settled()
        self.answer(message)

    async def _written_soon(self) -> None:
        """Wait until the latch files are written, but at most for a moment: a stop is answered on a slow disk too."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DURABLE_S):
                await self._latch_files.settled()

    async def _probe_asked(self, message: dict[str, Any]) -> None:
        if self.latched is None:
            await self._listener.prove()
        self.answer(message)

    def _set_killable(self, message: dict[str, Any]) -> None:
        if self.armed is None:
            self._refuse(
                message,
                OperatorError(notice(NoticeCode.NOTHING_CAN_BE_STARTED), remedy=notice(NoticeCode.START_SESSION_FIRST)),
            )
            return
        self.armed.killable = tuple(int(group) for group in message["groups"])
        self.answer(message)

    def _cancel_arming(self) -> None:
        """Cancel a start in progress. It releases what it took before the next request in order begins."""
        if self._arming is not None and not self._arming[0].done():
            task, message = self._arming
            task.cancel()
            self._refuse(
                message, OperatorError(notice(NoticeCode.START_CALLED_OFF), remedy=notice(NoticeCode.START_AGAIN))
            )

    async def _arm(self, message: dict[str, Any]) -> None:
        try:
            async with self._in_order:
                await self._latch_files.settled()
                try:
                    await self._arm_now(message)
                finally:
                    # A start that failed releases its locks on the writer's thread.
                    await self._latch_files.settled()
        except Exception as error:  # noqa: BLE001  the console waits for an answer
            self._refuse(message, session.as_operator_error(error))

    async def _arm_now(self, message: dict[str, Any]) -> None:
        if self.armed is not None:
            raise OperatorError(notice(NoticeCode.CONSOLE_HAS_SESSION), remedy=notice(NoticeCode.END_IT_FIRST))
        if self.latched is not None:
            raise stopped(self.latched)
        hold = message.get("hold")
        self._listener.hear_hold(str(hold or ""))
        kind = TargetKind(message["kind"])
        on_display = normal_display(str(message["target"]) or self._display) if kind in _ON_DISPLAY else ""
        login = None if message.get("login") is None else Login(**message["login"])
        acted_on = ActedOn(kind=kind, display=on_display, address=str(message["address"]), login=login)
        armed = await session.begin(
            str(message["session"]), self._display, acted_on, self._listener, self._latch_files, self
        )
        self.epoch += 1
        armed.resumes_after_hand = bool(message.get("resume_after_hand"))
        self.armed = armed
        armed.heard(time.monotonic_ns())
        armed.child.watch(self._child_ended)
        for fd in armed.hold.connection_fds:
            self._loop.add_reader(fd, self._connection_readable, fd)
        armed.hold_to_run = hold is not None
        if armed.hold_to_run and not self._holding:
            armed.shut(Gate.LET_GO, PauseCause.HOLD)
        self._outbox.answer(message, self.epoch, (armed.child.console_end.fileno(), armed.hold.ledger_fd))
        if Gate.LET_GO in armed.gate:
            self._pauses.pause(PauseCause.HOLD, notice(NoticeCode.HOLD_KEY_UP), Gate.LET_GO)

    async def _disarm(self, message: dict[str, Any]) -> None:
        try:
            async with self._in_order:
                try:
                    await self._disarm_now()
                finally:
                    await self._latch_files.settled()
        except Exception as error:  # noqa: BLE001  "armed" stands in the file then, and counts as stopped
            self._refuse(message, session.as_operator_error(error))
        else:
            self.answer(message)

    async def _disarm_now(self) -> None:
        armed, self.armed = self.armed, None
        if armed is None:
            return
        self._review_open = False
        self.begin_epoch(armed)
        self._unwatch_connections(armed)
        self._ending = armed
        try:
            await session.finish(armed, self)
        finally:
            self._ending = None

    def _console_gone(self, why: str) -> None:
        if self.armed is not None:
            self.stop(StopCause.CONSOLE_DIED, notice(NoticeCode.CONSOLE_ENDED, error=why))
        self._end()

    def _terminated(self) -> None:
        if self.armed is not None:
            self.stop(StopCause.GUARD_DIED, notice(NoticeCode.GUARD_TERMINATED))
        self._end()

    def _end(self) -> None:
        if not self._over.done():
            self._over.set_result(None)

    # The injector and the target display

    def _child_ended(self) -> None:
        armed = self.armed
        if armed is not None:
            self._pauses.pause(PauseCause.TARGET, notice(NoticeCode.INJECTOR_ENDED), Gate.HELD)
            self._tasks.start(self._renew(armed), "new injector")

    async def _renew(self, armed: ArmedSession) -> None:
        if await armed.replace_child() and self.armed is armed:
            armed.child.watch(self._child_ended)
            self.tell({"t": "injector"}, (armed.child.console_end.fileno(), armed.hold.ledger_fd))
        elif self.armed is armed:
            self.stop(StopCause.GUARD_DIED, notice(NoticeCode.INJECTOR_NOT_RESTARTED))

    def _drain_machine(self, armed: ArmedSession) -> None:
        """Read what the machine sends to what releases there; pause where that is lost: a stop would not release."""
        machine = armed.hold.machine
        if machine is not None and machine.ready and not machine.drain():
            lost = joined(notice(NoticeCode.RELEASE_LINE_LOST), notice(NoticeCode.RESUME_RECONNECTS))
            self._pauses.pause(PauseCause.TARGET, lost, Gate.HELD)

    def _connection_readable(self, fd: int) -> None:
        armed = self.armed
        if armed is not None and armed.hold.display_lost(fd):
            self.stop(StopCause.DISPLAY_LOST, notice(NoticeCode.X_SERVER_CLOSED_CONNECTION))

    def _unwatch_connections(self, armed: ArmedSession) -> None:
        for fd in armed.hold.connection_fds:
            self._loop.remove_reader(fd)

    # Terminals

    async def _terminal(self, request: dict[str, Any]) -> dict[str, Any]:
        match request.get("do"):
            case "stop":
                if request.get("cause") == StopCause.BUTTON.value:
                    self.stop(StopCause.BUTTON, notice(NoticeCode.STOP_IN_WINDOW))
                else:
                    self.stop(StopCause.COMMAND, notice(NoticeCode.STOP_COMMAND))
                await self._written_soon()
            case "reset":
                self._reset()
                await self._latch_files.settled()
            case _:
                pass
        return latch.as_dict(self._status())

    def _reset(self) -> None:
        """Clear the latch; starts nothing. The caller has asked the person for confirmation."""
        if self.armed is None and self.latched is not None:
            for display in {self._display, *self.latched.displays}:
                self._latch_files.clear(display)
            self.latched = None
            self._tasks.start(self._probe_unarmed(), "probe after reset")
        self._tell_status()

    def _status(self) -> LatchStatus:
        live = self._listener.liveness.live
        if self.armed is not None:
            return self.armed.status(self._display, live=live)
        return self.latched or LatchStatus(display=self._display, state=LatchState.IDLE, stop_live=live)

    def _tell_status(self) -> None:
        status = self._status()
        self.tell({"t": "status", "state": status.state.value, "reason": status.reason, "detail": status.detail,
                    "since": status.since})  # fmt: skip

    def publish_status(self) -> None:
        """Write and report the current status."""
        if self.armed is not None:
            self.armed.hold.write(self.armed.status(self._display, live=self._listener.liveness.live))
        self._tell_status()

    # Messages to the console

    def tell(self, message: dict[str, Any], fds: tuple[int, ...] = (), *, droppable: bool = False) -> None:
        """Send a message to the console."""
        self._outbox.tell(message, fds, droppable=droppable)

    def answer(self, message: dict[str, Any]) -> None:
        """Confirm a request of the console."""
        self._outbox.answer(message, self.epoch)

    def _refuse(self, message: dict[str, Any], error: OperatorError) -> None:
        self._outbox.refuse(message, self.epoch, error)
