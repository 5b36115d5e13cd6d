"""The guard: hears the stop, kills the injector, releases, latches. One small process, one event loop, no Qt.

Talks to the console over one socket pair (wire.py), to terminals over a Unix socket, to the injector through the
ledger and its life line. Everything that stops is synchronous: nothing is awaited between the press and the release.
Started by client.py through `__main__`; lives as long as the console does.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import threading
import time
from functools import partial
from typing import Any

from operator_console.desktop.x11.input_ledger import Gate, Word
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import PauseCause, StopCause
from operator_console.domain.stopping import StopLiveness
from operator_console.guard import arming, latch, wire
from operator_console.guard.armed import Armed, Cut
from operator_console.guard.chords import Hotkeys
from operator_console.guard.filed import Filed
from operator_console.guard.hand import Hand
from operator_console.guard.holding import stopped
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.guard.listening import Listening, ListeningCalls
from operator_console.guard.outbox import Outbox
from operator_console.guard.pausing import Pausing
from operator_console.guard.tasks import Tasks
from operator_console.guard.terminal_door import TerminalDoor
from operator_console.guard.turning import turns

_PROBE_EVERY_S = 5.0
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
        self._outbox = Outbox(line)
        self._pausing = Pausing(self)
        self._tasks = Tasks()
        self.armed: Armed | None = None
        self._arming: tuple[asyncio.Task[None], dict[str, Any]] | None = None
        self._in_order = asyncio.Lock()
        self._ending: Armed | None = None
        self._latched: LatchStatus | None = None
        self._filed = Filed(self._display)
        self.epoch = 1
        self._review_open = False
        self._listening: Listening
        self._door: TerminalDoor

    async def run(self) -> None:
        """Serve; returns when the console is gone. What it armed is stopped then."""
        calls = ListeningCalls(
            stop=lambda detail, heard_ns: self.stop(StopCause.HOTKEY, detail, heard_ns),
            pause=lambda: self._pausing.chord(self._hotkeys.pause.text),
            approve=self._approve_chord,
            drained=self._drained,
            corner=self._corner,
            lost=self._display_lost,
            liveness=self._liveness,
        )
        self._listening = Listening(self._display, self._hotkeys, calls)
        self._door = TerminalDoor(self._display, self._terminal)
        self._latched = self._filed.stopped()
        self._tell_status()
        self._line.setblocking(False)
        self._loop.add_reader(self._line.fileno(), self._readable)
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._loop.add_signal_handler(number, self._terminated)
        self._tasks.start(self._prove_first(), "first probe")
        turning = asyncio.ensure_future(self._turn())
        try:
            await self._over
        finally:
            turning.cancel()
            await self._tasks.end()
            await asyncio.gather(turning, return_exceptions=True)
            self._loop.remove_reader(self._line.fileno())
            self._door.close()
            self._listening.close()

    # Stop

    def stop(self, cause: StopCause, detail: str = "", heard_ns: int = 0) -> None:
        """Kill, release, latch, tell; in that order. A second one while latched changes nothing."""
        heard_ns = heard_ns or time.monotonic_ns()
        if self._latched is not None and self.armed is None:
            return
        armed, self.armed = self.armed, None
        if armed is not None:
            armed.kill()
        if self._ending is not None:
            self._ending.kill()
        self.epoch += 1
        self._review_open = False
        self._latched = LatchStatus(
            display=self._display, state=LatchState.STOPPED, reason=cause.value, detail=detail, since=latch.now_text(),
            stop_live=self._listening.liveness.live, session=armed.session if armed is not None else "",
            displays=armed.holding.displays if armed is not None else (),
        )  # fmt: skip
        # A server that hangs keeps the release waiting; the latch must not wait with it.
        hung = threading.Timer(_HUNG_S, arming.file_stop, (armed, self._latched))
        hung.daemon = True
        hung.start()
        cut: Cut | None = armed.cut() if armed is not None else None
        hung.cancel()
        hung.join()
        arming.file_stop(armed, self._latched)
        if armed is not None:
            armed.set_epoch(self.epoch)
            self._forget_connections(armed)
            armed.child.close()
            armed.holding.give_up()
        late_ms = None
        if cut is not None and cut.last_event_ns:
            late_ms = max(0.0, (cut.last_event_ns - heard_ns) / 1e6)
        self.tell({"t": "stop", "reason": cause.value, "detail": detail, "epoch": self.epoch, "late_ms": late_ms,
                   "keys": cut.keys if cut else 0, "buttons": cut.buttons if cut else 0})  # fmt: skip
        self._tell_status()

    # What is heard

    def _approve_chord(self) -> None:
        armed = self.armed
        if self._review_open and armed is not None and armed.gate and self._latched is None:
            self.tell({"t": "approve", "epoch": self.epoch})

    def move_on(self, armed: Armed) -> None:
        """Grants of before are void."""
        self.epoch += 1
        armed.set_epoch(self.epoch)

    def _drained(self) -> None:
        if self.armed is not None:
            self.armed.heard(self._listening.ear.drained_ns)

    def _corner(self, place: tuple[int, int] | None) -> None:
        armed = self.armed
        if armed is None:
            return
        same = armed.holding.target == self._display
        count = armed.ledger.get(Word.CORNER_COUNT) if same else 0
        corner = armed.corners.struck(place, armed.ledger.announced, count)
        armed.ledger.set(Word.CORNER_SEEN, count)
        if corner and not armed.gate:
            self.stop(StopCause.CORNER, f"The pointer was put into {corner}.")

    def _display_lost(self, why: str) -> None:
        if self.armed is not None:
            self.stop(StopCause.DISPLAY_LOST, why)
        self._end()

    def _liveness(self, liveness: StopLiveness) -> None:
        self.tell({"t": "live", "live": liveness.live, "detail": liveness.detail, "proven_s": liveness.proven_s})
        self._pausing.liveness(liveness)

    # Time

    async def _turn(self) -> None:
        probe_s = 0.0
        hand = Hand(partial(self.tell, droppable=True))
        async for turn in turns():
            self._outbox.flush()
            self._listening.look()
            hand.look(self._listening.ear.hand_s)
            armed = self.armed
            if armed is None:
                self._look_at_file(turn.now_s)
                continue
            self._pausing.turned(armed, turn)
            if self.armed is armed:
                armed.beat()
                if turn.now_s - probe_s >= _PROBE_EVERY_S:
                    probe_s = turn.now_s
                    self._tasks.start(self._probe(), "probe")

    def _look_at_file(self, now_s: float) -> None:
        """Stopped by somebody else meanwhile: then it is stopped here too, and shown so."""
        if self._latched is None and self._ending is None:
            self._latched = self._filed.looked(now_s)
            if self._latched is not None:
                self._tell_status()

    async def _prove_first(self) -> None:
        await self._listening.prove()

    async def _probe(self) -> None:
        if self._latched is None and self.armed is not None:
            await self._listening.prove()
            if self.armed is not None:
                self.armed.ledger.set(Word.PROBE_KEYCODE, self._listening.probe_keycode)

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
        armed = self.armed
        match message.get("t"):
            case "lease":
                if armed is not None:
                    self._pausing.lease_answered(armed, int(message["n"]))
            case "stop":
                self.stop(StopCause(message["cause"]), str(message["detail"]))
                self.answer(message)
            case "arm":
                self._arming = self._tasks.start(self._arm(message), "arm"), message
            case "disarm":
                self._call_off()
                self._tasks.start(self._disarm(message), "disarm")
            case "gate":
                self._tasks.start(self._pausing.set_gate(message, self._listening.liveness), "gate")
            case "killable":
                self._set_killable(message)
            case "review":
                self._review_open = bool(message["open"])
                self.answer(message)
            case "reset":
                self._reset()
                self.answer(message)
            case "probe":
                self._tasks.start(self._probe_asked(message), "probe")
            case other:
                _log.error("the console said %r", other)

    async def _probe_asked(self, message: dict[str, Any]) -> None:
        if self._latched is None:
            await self._listening.prove()
        self.answer(message)

    def _set_killable(self, message: dict[str, Any]) -> None:
        if self.armed is None:
            self._refuse(message, OperatorError("Nothing can be started now", remedy="Start a session first."))
            return
        self.armed.killable = tuple(int(group) for group in message["groups"])
        self.answer(message)

    def _call_off(self) -> None:
        """End a start that is under way; what it took is given up before the next in order has its turn."""
        if self._arming is not None and not self._arming[0].done():
            task, message = self._arming
            task.cancel()
            self._refuse(message, OperatorError("The start was called off", remedy="Start again."))

    async def _arm(self, message: dict[str, Any]) -> None:
        try:
            async with self._in_order:
                await self._arm_now(message)
        except Exception as error:  # noqa: BLE001  the console waits for an answer
            self._refuse(message, arming.refusal(error))

    async def _arm_now(self, message: dict[str, Any]) -> None:
        if self.armed is not None:
            raise OperatorError("A session of this console runs already", remedy="End it first.")
        if self._latched is not None:
            raise stopped(self._latched)
        target = latch.normal_display(str(message["target"]) or self._display)
        before = self.epoch

        def undisturbed() -> bool:
            return self._latched is None and self.epoch == before

        armed = await arming.begin(
            str(message["session"]), (self._display, target), self._listening, before + 1, undisturbed
        )
        self.epoch = before + 1
        self.armed = armed
        armed.heard(time.monotonic_ns())
        armed.child.watch(self._child_ended)
        for fd in armed.holding.connection_fds:
            self._loop.add_reader(fd, self._connection_readable, fd)
        self._outbox.answer(message, self.epoch, (armed.child.console_end.fileno(), armed.holding.ledger_fd))

    async def _disarm(self, message: dict[str, Any]) -> None:
        try:
            async with self._in_order:
                await self._disarm_now()
        except Exception as error:  # noqa: BLE001  "armed" stands in the file then, and counts as stopped
            self._refuse(message, arming.refusal(error))
        else:
            self.answer(message)

    async def _disarm_now(self) -> None:
        armed, self.armed = self.armed, None
        if armed is None:
            return
        self._review_open = False
        self.move_on(armed)
        self._forget_connections(armed)
        self._ending = armed
        try:
            await arming.finish(armed, lambda: self._latched)
        finally:
            self._ending = None

    def _console_gone(self, why: str) -> None:
        if self.armed is not None:
            self.stop(StopCause.CONSOLE_DIED, f"The console ended without disarming ({why}).")
        self._end()

    def _terminated(self) -> None:
        if self.armed is not None:
            self.stop(StopCause.GUARD_DIED, "The guard was told to end.")
        self._end()

    def _end(self) -> None:
        if not self._over.done():
            self._over.set_result(None)

    # The child and the display it acts on

    def _child_ended(self) -> None:
        armed = self.armed
        if armed is not None:
            self._pausing.pause(PauseCause.TARGET, "The process that acts ended unexpectedly.", Gate.HELD)
            self._tasks.start(self._renew(armed), "new injector")

    async def _renew(self, armed: Armed) -> None:
        if await armed.renew_child() and self.armed is armed:
            armed.child.watch(self._child_ended)
            self.tell({"t": "injector"}, (armed.child.console_end.fileno(), armed.holding.ledger_fd))
        elif self.armed is armed:
            self.stop(StopCause.GUARD_DIED, "The process that acts cannot be started again.")

    def _connection_readable(self, fd: int) -> None:
        armed = self.armed
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
        return latch.as_dict(status)

    def _reset(self) -> None:
        """A person's; the caller has asked. Permits a start, starts nothing."""
        if self.armed is None and self._latched is not None:
            for display in {self._display, *self._latched.displays}:
                latch.clear_latch(display)
            self._latched = None
            self._tasks.start(self._prove_first(), "probe after reset")
        self._tell_status()

    def _status(self) -> LatchStatus:
        live = self._listening.liveness.live
        if self.armed is not None:
            return self.armed.status(self._display, live=live)
        return self._latched or LatchStatus(display=self._display, state=LatchState.IDLE, stop_live=live)

    def _tell_status(self) -> None:
        status = self._status()
        self.tell({"t": "status", "state": status.state.value, "reason": status.reason, "detail": status.detail,
                    "since": status.since})  # fmt: skip

    def file_status(self) -> None:
        """Write and tell what holds now."""
        if self.armed is not None:
            with contextlib.suppress(OSError):
                self.armed.holding.write(self.armed.status(self._display, live=self._listening.liveness.live))
        self._tell_status()

    # Telling

    def tell(self, message: dict[str, Any], fds: tuple[int, ...] = (), *, droppable: bool = False) -> None:
        """To the console."""
        self._outbox.tell(message, fds, droppable=droppable)

    def answer(self, message: dict[str, Any]) -> None:
        """A request of the console was carried out."""
        self._outbox.answer(message, self.epoch)

    def _refuse(self, message: dict[str, Any], error: OperatorError) -> None:
        self._outbox.refuse(message, self.epoch, error)
