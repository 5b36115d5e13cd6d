"""The guard: hears the stop, kills the injector, releases, latches. One small process, one event loop, no Qt.

Talks to the console over one socket pair (wire.py), to terminals over a Unix socket, to the injector through the
ledger and its life line. Everything that stops is synchronous: nothing is awaited between the press and the release.
Started by client.py through `__main__`; lives as long as the console does.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import logging
import signal
import socket
import threading
import time
from collections.abc import Coroutine
from typing import Any

from operator_console.desktop.x11.input_ledger import Gate, Word
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import PauseCause, StopCause
from operator_console.domain.stopping import StopLiveness
from operator_console.guard import latch, wire
from operator_console.guard.armed import Armed, Cut
from operator_console.guard.chords import Hotkeys
from operator_console.guard.corners import Corners
from operator_console.guard.holding import Holding
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.guard.lease import BEAT_S, Verdict
from operator_console.guard.listening import Listening, ListeningCalls
from operator_console.guard.terminal_door import TerminalDoor

_PROBE_EVERY_S = 5.0
_TURN_S = BEAT_S / 2
_STALLED_S = 0.4
_SUSPENDED_S = 1.0
_SAME_PRESS_S = 0.3
_HUNG_S = 1.0
_log = logging.getLogger(__name__)


class GuardProcess:
    """`await run()` until the console is gone."""

    def __init__(self, display: str, line: socket.socket, hotkeys: Hotkeys) -> None:
        self._display = latch.normal_display(display)
        self._line = line
        self._hotkeys = hotkeys
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._outbox: collections.deque[tuple[dict[str, Any], tuple[int, ...]]] = collections.deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._armed: Armed | None = None
        self._arming = False
        self._latched: LatchStatus | None = None
        self._epoch = 1
        self._review_open = False
        self._paused_s = 0.0
        self._listening: Listening
        self._door: TerminalDoor

    async def run(self) -> None:
        """Serve; returns when the console is gone. What it armed is stopped then."""
        calls = ListeningCalls(
            stop=lambda detail, heard_ns: self.stop(StopCause.HOTKEY, detail, heard_ns),
            pause=self._pause_chord,
            approve=self._approve_chord,
            drained=self._drained,
            corner=self._corner,
            lost=self._display_lost,
            liveness=self._liveness,
        )
        self._listening = Listening(self._display, self._hotkeys, calls)
        self._door = TerminalDoor(self._display, self._terminal)
        filed = latch.read_file(self._display)
        self._latched = filed if filed.state is LatchState.STOPPED else None
        self._line.setblocking(False)
        self._loop.add_reader(self._line.fileno(), self._readable)
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._loop.add_signal_handler(number, self._terminated)
        self._start(self._prove_first(), "first probe")
        turning = asyncio.ensure_future(self._turn())
        try:
            await self._over
        finally:
            turning.cancel()
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(turning, *self._tasks, return_exceptions=True)
            self._loop.remove_reader(self._line.fileno())
            self._door.close()
            self._listening.close()

    # Stop

    def stop(self, cause: StopCause, detail: str = "", heard_ns: int = 0) -> None:
        """Kill, release, latch, tell; in that order. A second one while latched changes nothing."""
        heard_ns = heard_ns or time.monotonic_ns()
        if self._latched is not None and self._armed is None:
            return
        armed, self._armed = self._armed, None
        if armed is not None:
            armed.kill()
        self._epoch += 1
        self._review_open = False
        self._latched = LatchStatus(
            display=self._display, state=LatchState.STOPPED, reason=cause.value, detail=detail, since=latch.now_text(),
            stop_live=self._listening.liveness.live, session=armed.session if armed is not None else "",
        )  # fmt: skip
        # A server that hangs keeps the release waiting; the latch must not wait with it.
        hung = threading.Timer(_HUNG_S, self._write_latch, (armed, self._latched))
        hung.daemon = True
        hung.start()
        cut: Cut | None = armed.cut() if armed is not None else None
        hung.cancel()
        hung.join()
        self._write_latch(armed, self._latched)
        if armed is not None:
            armed.set_epoch(self._epoch)
        if armed is not None:
            self._forget_connections(armed)
            armed.child.close()
            armed.holding.give_up()
        late_ms = None
        if cut is not None and cut.last_event_ns:
            late_ms = max(0.0, (cut.last_event_ns - heard_ns) / 1e6)
        self._tell(
            {
                "t": "stop",
                "reason": cause.value,
                "detail": detail,
                "epoch": self._epoch,
                "keys": cut.keys if cut else 0,
                "buttons": cut.buttons if cut else 0,
                "late_ms": late_ms,
            }
        )
        self._tell_status()

    def _write_latch(self, armed: Armed | None, status: LatchStatus) -> None:
        try:
            if armed is not None:
                armed.holding.write(status)
            else:
                latch.write_latch(status)
        except OSError:
            # "armed" stands in the file then, and counts as stopped once the lock is free.
            _log.exception("the latch could not be written")

    # Pause

    def _pause(self, cause: PauseCause, detail: str, gate: Gate) -> None:
        armed = self._armed
        if armed is None:
            return
        armed.shut(gate)
        self._moved_on(armed)
        self._tell({"t": "pause", "cause": cause.value, "detail": detail, "epoch": self._epoch})
        self._file_status()

    def _pause_chord(self) -> None:
        now = time.monotonic()
        if now - self._paused_s > _SAME_PRESS_S:  # both ears hear the same press
            self._paused_s = now
            self._pause(PauseCause.HOTKEY, f"{self._hotkeys.pause.text} was pressed.", Gate.HELD)

    def _approve_chord(self) -> None:
        armed = self._armed
        if self._review_open and armed is not None and armed.gate and self._latched is None:
            self._tell({"t": "approve", "epoch": self._epoch})

    def _moved_on(self, armed: Armed) -> None:
        self._epoch += 1
        armed.set_epoch(self._epoch)

    # What is heard

    def _drained(self) -> None:
        if self._armed is not None:
            self._armed.heard(self._listening.ear.drained_ns)

    def _corner(self, place: tuple[int, int] | None) -> None:
        armed = self._armed
        if armed is None:
            return
        same = armed.holding.target == self._display
        count = armed.ledger.get(Word.CORNER_COUNT) if same else 0
        corner = armed.corners.struck(place, armed.ledger.announced, count)
        armed.ledger.set(Word.CORNER_SEEN, count)
        if corner and not armed.gate:
            self.stop(StopCause.CORNER, f"The pointer was put into {corner}.")

    def _display_lost(self, why: str) -> None:
        if self._armed is not None:
            self.stop(StopCause.DISPLAY_LOST, why)
        self._end()

    def _liveness(self, liveness: StopLiveness) -> None:
        self._tell({"t": "live", "live": liveness.live, "detail": liveness.detail, "proven_s": liveness.proven_s})
        armed = self._armed
        if armed is None:
            return
        if liveness.live:
            armed.open(Gate.NOT_LIVE)  # a person resumes: HELD stays
        elif Gate.NOT_LIVE not in armed.gate:
            self._pause(PauseCause.STOP_NOT_LIVE, liveness.detail, Gate.HELD | Gate.NOT_LIVE)

    # Time

    async def _turn(self) -> None:
        last_s = time.monotonic()
        apart_s = _suspended_s()
        probe_s = asked_s = 0.0
        while True:
            await asyncio.sleep(_TURN_S)
            now_s = time.monotonic()
            stalled, last_s = now_s - last_s > _STALLED_S, now_s
            slept, apart_s = _suspended_s() - apart_s > _SUSPENDED_S, _suspended_s()
            self._flush()
            self._listening.look()
            armed = self._armed
            if armed is None:
                continue
            if slept:
                self._pause(PauseCause.SUSPEND, "The machine was suspended.", Gate.HELD)
            if now_s - asked_s >= BEAT_S:
                asked_s = now_s
                self._tell({"t": "lease", "n": armed.lease.ask(now_s)}, droppable=True)
            if stalled and not slept:
                # It was the guard that did not turn: the session is not to blame, but nobody watched meanwhile.
                armed.lease.renewed_s = max(armed.lease.renewed_s, now_s - BEAT_S)
            self._look_at_lease(armed, now_s)
            if self._armed is armed:
                armed.beat()
                if now_s - probe_s >= _PROBE_EVERY_S:
                    probe_s = now_s
                    self._start(self._probe(), "probe")

    def _look_at_lease(self, armed: Armed, now_s: float) -> None:
        match armed.lease.look(now_s):
            case Verdict.STOP:
                self.stop(StopCause.LAPSE, "The console did not answer for 2 s.")
            case Verdict.PAUSE if not armed.lease.lapsed:
                armed.lease.lapsed = True
                self._pause(PauseCause.LEASE, "The console did not answer for 500 ms.", Gate.LEASE)
            case _:
                return

    def _lease_answer(self, armed: Armed, answer: int) -> None:
        if not armed.lease.answered(answer):
            return
        armed.beat()
        if armed.lease.lapsed and armed.lease.look(time.monotonic()) is Verdict.GOOD:
            armed.lease.lapsed = False
            armed.open(Gate.LEASE)
            self._moved_on(armed)
            self._tell({"t": "resume", "cause": PauseCause.LEASE.value, "epoch": self._epoch})
            self._file_status()

    async def _prove_first(self) -> None:
        await self._listening.prove()

    async def _probe(self) -> None:
        if self._latched is None and self._armed is not None:
            await self._listening.prove()
            if self._armed is not None:
                self._armed.ledger.set(Word.PROBE_KEYCODE, self._listening.probe_keycode)

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
            self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        armed = self._armed
        match message.get("t"):
            case "lease":
                if armed is not None:
                    self._lease_answer(armed, int(message["n"]))
            case "stop":
                self.stop(StopCause(message["cause"]), str(message["detail"]))
                self._answer(message)
            case "arm":
                self._start(self._arm(message), "arm")
            case "disarm":
                self._start(self._disarm(message), "disarm")
            case "gate":
                self._start(self._set_gate(message), "gate")
            case "review":
                self._review_open = bool(message["open"])
                self._answer(message)
            case "reset":
                self._reset()
                self._answer(message)
            case "probe":
                self._start(self._probe_asked(message), "probe")
            case other:
                _log.error("the console said %r", other)

    async def _probe_asked(self, message: dict[str, Any]) -> None:
        if self._latched is None:
            await self._listening.prove()
        self._answer(message)

    async def _arm(self, message: dict[str, Any]) -> None:
        if self._armed is not None or self._arming:
            self._refuse(message, OperatorError("A session of this console runs already", remedy="End it first."))
            return
        self._arming = True
        try:
            await self._arm_now(message)
        except OperatorError as error:
            self._refuse(message, error)
        finally:
            self._arming = False

    async def _arm_now(self, message: dict[str, Any]) -> None:
        target = latch.normal_display(str(message["target"]) or self._display)
        holding = Holding.take(self._display, target)
        self._latched = None
        armed: Armed | None = None
        try:
            liveness = await self._listening.prove()
            if not liveness.live:
                raise OperatorError(
                    "The stop is not live",
                    detail=liveness.detail,
                    remedy="Nothing runs without a live stop. `operator-console doctor` tells more.",
                )
            holding.ledger.set(Word.PROBE_KEYCODE, self._listening.probe_keycode)
            holding.ledger.set(Word.PACED, int(target == self._display))
            child = await _start_child(holding)
            self._epoch += 1
            corners = Corners(self._listening.ear.monitors())
            self._listening.watch_corners(corners.places)
            armed = Armed(str(message["session"]), holding, child, self._epoch, corners)
            if self._latched is not None:
                raise OperatorError("Stopped while starting", remedy="Reset, then start again.")
            # Open in memory, but nobody can send a grant before the answer below hands the pipe over.
            holding.ledger.gate = Gate.OPEN
            holding.write(armed.status(self._display, live=True))
        except BaseException:
            if armed is not None:
                armed.child.kill()
                armed.child.wait_dead()
                armed.child.close()
            holding.give_up()
            raise
        self._armed = armed
        armed.heard(time.monotonic_ns())
        child.watch(self._child_ended)
        for fd in holding.connection_fds:
            self._loop.add_reader(fd, self._connection_readable, fd)
        fds = (child.console_end.fileno(), holding.ledger_fd)
        self._tell({"t": "ok", "id": message["id"], "epoch": self._epoch}, fds)

    async def _disarm(self, message: dict[str, Any]) -> None:
        armed, self._armed = self._armed, None
        if armed is not None:
            self._epoch += 1
            self._review_open = False
            armed.set_epoch(self._epoch)
            self._forget_connections(armed)
            try:
                await armed.end()
            finally:
                if self._latched is None:
                    armed.holding.clear()
                else:  # a stop pressed meanwhile stands
                    armed.holding.write(self._latched)
                armed.holding.give_up()
        self._answer(message)

    async def _set_gate(self, message: dict[str, Any]) -> None:
        armed = self._armed
        if armed is not None:
            if not message["open"]:
                if Gate.HELD not in armed.gate:
                    armed.shut(Gate.HELD)
                    self._moved_on(armed)
                if not await armed.quiet() and self._armed is armed:
                    self.stop(StopCause.STOP_NOT_LIVE, "A press or motion under way did not end for 2 s.")
            elif Gate.NOT_LIVE in armed.gate:
                detail = self._listening.liveness.detail
                self._tell({"t": "pause", "cause": PauseCause.STOP_NOT_LIVE.value, "detail": detail,
                            "epoch": self._epoch})  # fmt: skip
            elif Gate.HELD in armed.gate:
                armed.open(Gate.HELD)
                self._moved_on(armed)
            self._file_status()
        self._answer(message)

    def _console_gone(self, why: str) -> None:
        if self._armed is not None:
            self.stop(StopCause.CONSOLE_DIED, f"The console ended without disarming ({why}).")
        self._end()

    def _terminated(self) -> None:
        if self._armed is not None:
            self.stop(StopCause.GUARD_DIED, "The guard was told to end.")
        self._end()

    def _end(self) -> None:
        if not self._over.done():
            self._over.set_result(None)

    # The child and the display it acts on

    def _child_ended(self) -> None:
        armed = self._armed
        if armed is not None:
            self._pause(PauseCause.TARGET, "The process that acts ended unexpectedly.", Gate.HELD)
            self._start(self._renew(armed), "new injector")

    async def _renew(self, armed: Armed) -> None:
        if await armed.renew_child() and self._armed is armed:
            armed.child.watch(self._child_ended)
            self._tell({"t": "injector"}, (armed.child.console_end.fileno(), armed.holding.ledger_fd))
        elif self._armed is armed:
            self.stop(StopCause.GUARD_DIED, "The process that acts cannot be started again.")

    def _connection_readable(self, fd: int) -> None:
        armed = self._armed
        if armed is not None and armed.holding.display_lost(fd):
            self.stop(StopCause.DISPLAY_LOST, "The X server closed the connection.")

    def _forget_connections(self, armed: Armed) -> None:
        for fd in armed.holding.connection_fds:
            self._loop.remove_reader(fd)

    # Terminals

    def _terminal(self, request: dict[str, Any]) -> dict[str, Any]:
        match request.get("do"):
            case "stop":
                self.stop(StopCause.COMMAND, str(request.get("detail", "")))
            case "reset":
                self._reset()
            case _:
                pass
        status = self._status()
        return {
            "state": status.state.value, "reason": status.reason, "detail": status.detail, "since": status.since,
            "stop_live": status.stop_live, "session": status.session, "pid": status.pid,
        }  # fmt: skip

    def _reset(self) -> None:
        """A person's; the caller has asked. Permits a start, starts nothing."""
        if self._armed is None and self._latched is not None:
            latch.clear_latch(self._display)
            self._latched = None
            self._start(self._prove_first(), "probe after reset")
        self._tell_status()

    def _status(self) -> LatchStatus:
        live = self._listening.liveness.live
        if self._armed is not None:
            return self._armed.status(self._display, live=live)
        return self._latched or LatchStatus(display=self._display, state=LatchState.IDLE, stop_live=live)

    def _tell_status(self) -> None:
        status = self._status()
        self._tell({"t": "status", "state": status.state.value, "reason": status.reason, "detail": status.detail,
                    "since": status.since})  # fmt: skip

    def _file_status(self) -> None:
        if self._armed is not None:
            with contextlib.suppress(OSError):
                self._armed.holding.write(self._armed.status(self._display, live=self._listening.liveness.live))
        self._tell_status()

    # Telling

    def _answer(self, message: dict[str, Any]) -> None:
        self._tell({"t": "ok", "id": message["id"], "epoch": self._epoch})

    def _refuse(self, message: dict[str, Any], error: OperatorError) -> None:
        self._tell({"t": "refused", "id": message["id"], "title": error.title, "detail": error.detail,
                    "remedy": error.remedy, "epoch": self._epoch})  # fmt: skip

    def _tell(self, message: dict[str, Any], fds: tuple[int, ...] = (), *, droppable: bool = False) -> None:
        if droppable and self._outbox:
            return
        self._outbox.append((message, fds))
        self._flush()

    def _flush(self) -> None:
        while self._outbox:
            try:
                wire.send(self._line, *self._outbox[0])
            except (BlockingIOError, wire.LineClosed):
                return  # tried again at the next turn; a closed line is seen by its reader
            self._outbox.popleft()

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = self._loop.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("%s failed", task.get_name(), exc_info=task.exception())


async def _start_child(holding: Holding) -> Any:
    from operator_console.guard.child import Child, ChildFailed

    try:
        return await Child.start(holding.target, holding.ledger_fd)
    except ChildFailed as error:
        raise OperatorError("The injector did not start", detail=str(error),
                            remedy="Run `operator-console doctor`.") from error  # fmt: skip


def _suspended_s() -> float:
    """Seconds this machine was suspended since its start."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
