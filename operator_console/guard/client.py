"""The console's client of the guard process: starts it, arms and disarms, answers the lease, reports its messages.

Runs on the event loop that runs the session (Qt's in the app, asyncio's in `run`). The lease is answered on that loop,
so a loop that freezes stops answering. Implements the engine's Guard protocol without importing it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from operator_console.domain.display_names import normal_display
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import TargetRef, target_address, target_display
from operator_console.domain.guard_listener import GuardListener
from operator_console.domain.hotkeys import DEFAULT_HOTKEYS
from operator_console.domain.message_texts import from_wire, notice, to_wire
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopCause, StopLiveness, StopReport, WaitsFor
from operator_console.guard import latch, wire
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.guard.launch import Launched, launch
from operator_console.guard.server.lease import answer_to
from operator_console.rfb.server_login import Login

_START_S = 20.0
_ANSWER_S = 45.0
_SILENT_S = 1.0
_DEAD_S = 3.0
_END_S = 5.0
_log = logging.getLogger(__name__)


class Door(Protocol):
    """Takes over the connection to an injector, as injector.client.InjectorClient does."""

    def attach(self, channel: socket.socket, ledger_fd: int, key: bytes) -> None:
        """A new injector: its socket, the ledger it shares, the key that seals its grants."""
        ...

    def detach(self) -> None:
        """The injector is gone."""
        ...


class GuardClient:
    """Made by `open_guard`; to be closed when the app ends.

    Attributes:
        login: how the guard and the injectors of the next session log in to its machine; None: they do not. It is told
            to the guard's process over the private line alone.
        hold_key: the key that is held while the next session acts; None: it acts without.
        resume_after_hand: whether the next session goes on by itself after a pause for the person's hand.
    """

    def __init__(self, display: str, door: Door, hotkeys: tuple[str, str, str]) -> None:
        self.login: Login | None = None
        self.resume_after_hand = False
        self.hold_key: str | None = None
        self._display = display
        self._door = door
        self._hotkeys = hotkeys
        self._listeners: list[GuardListener] = []
        self._watchers: list[Callable[[LatchStatus], None]] = []
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[tuple[dict[str, Any], list[int]]]] = {}
        self._epoch = 0
        self._key = secrets.token_bytes(32)
        self._liveness = StopLiveness(live=False, detail=notice(NoticeCode.GUARD_STARTING))
        self._status = LatchStatus(display=display, state=LatchState.IDLE)
        self._elsewhere: LatchStatus | None = None
        self._armed = False
        self._heard_s = 0.0
        self._human_input_s: float | None = None
        self._devices_told: bool | None = None
        self._silent = False
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._loop: asyncio.AbstractEventLoop
        self._watching: asyncio.TimerHandle | None = None
        self._first_report: asyncio.Future[None]

    # The engine's Guard protocol

    @property
    def liveness(self) -> StopLiveness:
        """Whether the stop works, as last reported. Not while an armed guard is silent."""
        return StopLiveness(live=False, detail=notice(NoticeCode.GUARD_SILENT)) if self._silent else self._liveness

    @property
    def epoch(self) -> int:
        """Number that every grant carries; grants of an older epoch are void."""
        return self._epoch

    @property
    def grant_key(self) -> bytes:
        """Key that seals grants; new for every injector."""
        return self._key

    @property
    def running(self) -> bool:
        """Whether a guard is connected; if not, `start` starts a new one."""
        return self._line is not None

    @property
    def human_input_s(self) -> float | None:
        """time.monotonic() of the last input from a physical device, to a tenth of a second; None: none yet."""
        return self._human_input_s

    @property
    def devices_told(self) -> bool | None:
        """Whether input of a person can be told from that of programs on the display; None: not known yet."""
        return self._devices_told

    @property
    def status(self) -> LatchStatus:
        """State of the display that the guard listens on, as last reported."""
        return self._status

    @property
    def elsewhere(self) -> LatchStatus | None:
        """The session that another console runs on this display, as last reported; None while there is none."""
        return self._elsewhere

    def subscribe(self, listener: GuardListener) -> Callable[[], None]:
        """Call `listener` for each report; the returned callable ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def watch(self, watcher: Callable[[LatchStatus], None]) -> Callable[[], None]:
        """Call `watcher` at each change of the latch, by a terminal too, and of `elsewhere`; the returned callable
        ends that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher) if watcher in self._watchers else None

    async def arm(self, *, session: str, target: TargetRef) -> None:
        """Lock the display, prove the stop, start an injector, write `armed` to the disk. Raises OperatorError."""
        try:
            answer, fds = await self._ask(
                {"t": "arm", "session": session, "target": target_display(target), "kind": target.kind,
                 "address": target_address(target), "resume_after_hand": self.resume_after_hand,
                 "hold": self.hold_key, "login": None if self.login is None else asdict(self.login)}
            )  # fmt: skip
        except asyncio.CancelledError:
            # The guard may have armed by now: have it disarm, even if the caller never does.
            if self._line is not None:
                with contextlib.suppress(BlockingIOError, wire.LineClosed):
                    wire.send(self._line, {"t": "disarm", "id": next(self._ids)})
            raise
        if answer["t"] == "refused":
            raise wire.error_in(answer)
        self._attach(fds)
        self._armed = True
        self._watch_guard()

    async def disarm(self) -> None:
        """End the session in order: release, clear the latch, unlock. Raises OperatorError if the guard is lost."""
        self._armed = False
        self._watch_guard()
        self._door.detach()
        if self._line is not None:
            await self._ask({"t": "disarm"})

    async def set_gate(self, *, open_: bool, why: PauseCause | WaitsFor = PauseCause.HUMAN) -> None:
        """Shut or open the gate. Once shutting returns, no further input is sent. `status` says `why` it is shut.

        The gate stays shut while the stop does not work; `on_pause` is called again then.
        """
        await self._ask({"t": "gate", "open": open_, "why": why.value})

    async def set_review_open(self, open_: bool) -> None:
        """Whether the approve chord is reported."""
        await self._ask({"t": "review", "open": open_})

    async def set_killable(self, groups: Sequence[int]) -> None:
        """Set the process groups that a stop kills together with the injector; replaces the list before.

        Raises OperatorError if no session is armed: a stop would not kill them.
        """
        answer, _ = await self._ask({"t": "killable", "groups": list(groups)})
        if answer["t"] == "refused":
            raise wire.error_in(answer)

    async def set_held(self, on: bool) -> None:
        """Whether the console's button of hold-to-run is held."""
        await self._ask({"t": "hold", "on": on})

    async def stop(self, cause: StopCause, detail: str = "") -> None:
        """Stop now. `on_stop` is called at once; this returns when the latch is on the disk, at most a second later."""
        if self._line is None:
            stopped = LatchStatus(
                display=self._display, state=LatchState.STOPPED, reason=cause.value, detail=detail,
                since=latch.now_text(),
            )  # fmt: skip
            await asyncio.to_thread(latch.write_latch, stopped)
            return
        await self._ask({"t": "stop", "cause": cause.value, **to_wire("detail", detail)})

    # For the app

    async def stop_others(self) -> None:
        """Stop what other consoles run on this display; their guards release and latch. Returns when they have."""
        own_pid = self._process.pid if self._process is not None else 0
        await asyncio.to_thread(latch.stop_others, self._display, own_pid)

    async def reset(self) -> None:
        """Clear the latch; starts nothing. Raises latch.ResetRefused while a session runs."""
        await asyncio.to_thread(latch.reset, self._display)
        if self._line is not None:
            await self._ask({"t": "reset"})

    async def prove(self) -> StopLiveness:
        """Probe the listeners now (not while latched) and return the result."""
        await self._ask({"t": "probe"})
        return self._liveness

    async def start(self, launched: Launched | None = None) -> None:
        """Start the process unless it is `launched` already, and wait until it listens. Raises OperatorError."""
        self._loop = asyncio.get_running_loop()
        self._first_report = self._loop.create_future()
        await self.close()  # of a previous process only the socket is known to be closed: it may hang
        launched = launched or launch(self._display, self._hotkeys)
        self._process, self._line = launched.process, launched.line
        self._loop.add_reader(launched.line.fileno(), self._readable)
        try:
            async with asyncio.timeout(_START_S):
                await self._first_report
        except TimeoutError:
            await self.close()
            raise _no_guard("It did not answer.") from None
        except BaseException:
            await self.close()
            raise

    async def restart(self, hotkeys: tuple[str, str, str]) -> None:
        """Replace the process by one that listens for other chords; not while a session is armed.

        Raises:
            OperatorError: the new process does not start. One with the previous chords runs then, if it starts.
        """
        before, self._hotkeys = self._hotkeys, hotkeys
        await self.close()
        try:
            await self.start()
        except OperatorError:
            self._hotkeys = before
            await self.start()
            raise

    async def close(self) -> None:
        """End the guard, by a kill if it hangs. This stops a session that is still armed."""
        self._armed = False
        self._door.detach()
        self._drop_line()
        process = self._process
        if process is None:
            return
        deadline = time.monotonic() + _END_S
        while process.poll() is None:
            if time.monotonic() > deadline:
                process.kill()
            await asyncio.sleep(0.005)
        if self._process is process:  # known until it has ended: where this is cancelled, the next call goes on
            self._process = None

    # Messages

    async def _ask(self, message: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
        line = self._line
        if line is None:
            raise _no_guard("It is not running.")
        number = next(self._ids)
        future: asyncio.Future[tuple[dict[str, Any], list[int]]] = self._loop.create_future()
        self._waiting[number] = future
        try:
            wire.send(line, {**message, "id": number})
            async with asyncio.timeout(_ANSWER_S):
                return await future
        except (TimeoutError, BlockingIOError, wire.LineClosed) as error:
            raise _no_guard(f"It did not answer ({error!r}).") from error
        finally:
            self._waiting.pop(number, None)

    def _readable(self) -> None:
        while self._line is not None:
            try:
                message, fds = wire.receive(self._line)
            except BlockingIOError:
                return
            except (wire.LineClosed, ValueError):
                self._connection_closed()
                return
            self._heard_s = time.monotonic()
            self._epoch = int(message.get("epoch", self._epoch))
            try:
                self._handle(message, fds)
            except Exception:  # noqa: BLE001  one bad message or watcher must not end the answers to the lease
                _log.exception("taking %s of the guard failed", message.get("t"))

    def _handle(self, message: dict[str, Any], fds: list[int]) -> None:
        match message["t"]:
            case "lease":
                self._answer_lease(int(message["n"]))
            case "ok" | "refused":
                self._answered(message, fds)
            case "stop":
                self._stopped(_report(message))
            case "pause":
                self._notify(lambda one: one.on_pause(PauseCause(message["cause"]), from_wire(message, "detail")))
            case "resume":
                self._notify(lambda one: one.on_resume(PauseCause(message["cause"])))
            case "approve":
                self._notify(lambda one: one.on_approve())
            case "injector":
                self._attach(fds)
            case "live" | "failed":
                self._handle_liveness(message)
            case "status":
                self._handle_status(message)
            case "elsewhere":
                self._handle_elsewhere(message)
            case "hand":
                self._human_input_s = float(message["heard_s"])

    def _answered(self, message: dict[str, Any], fds: list[int]) -> None:
        waiting = self._waiting.get(int(message["id"]))
        if waiting is not None and not waiting.done():
            waiting.set_result((message, fds))
            return
        for fd in fds:
            os.close(fd)

    def _handle_liveness(self, message: dict[str, Any]) -> None:
        if message["t"] == "live":
            detail = from_wire(message, "detail")
            self._liveness = StopLiveness(
                live=message["live"], detail=detail, proven_s=message["proven_s"], viewed=bool(message.get("viewed"))
            )
            self._devices_told = bool(message.get("devices"))
        if self._first_report.done():
            return
        if message["t"] == "live":
            self._first_report.set_result(None)
        else:
            error = wire.error_in(message)
            self._first_report.set_exception(error)

    def _handle_status(self, message: dict[str, Any]) -> None:
        said = {name: message[name] for name in ("reason", "detail", "since")}
        self._set_status(LatchState(message["state"]), **said, stop_live=self._liveness.live)

    def _handle_elsewhere(self, message: dict[str, Any]) -> None:
        told = message["status"]
        self._elsewhere = latch.status_in(self._display, told) if told is not None else None
        self._tell_watchers()

    def _set_status(self, state: LatchState, **said: Any) -> None:
        self._status = LatchStatus(display=self._display, state=state, **said)
        self._tell_watchers()

    def _tell_watchers(self) -> None:
        for watcher in tuple(self._watchers):
            watcher(self._status)

    def _answer_lease(self, challenge: int) -> None:
        """Runs on the session's loop: its answer is the proof that this loop is alive."""
        if self._line is not None:
            with contextlib.suppress(BlockingIOError, wire.LineClosed):
                wire.send(self._line, {"t": "lease", "n": answer_to(challenge)})
        self._watch_guard()

    def _watch_guard(self) -> None:
        """Watch for silence from now on, while armed: a guard that sends nothing could not stop anything."""
        self._silent = False
        if self._watching is not None:
            self._watching.cancel()
        self._watching = self._loop.call_later(_SILENT_S, self._guard_silent) if self._armed else None

    def _is_watched(self) -> bool:
        return self._watching is not None

    def _guard_silent(self) -> None:
        self._watching = None
        # This loop may have been blocked: read what arrived meanwhile first.
        self._readable()
        if self._is_watched() or not self._armed or self._line is None:
            return
        silent_s = time.monotonic() - self._heard_s
        if not self._silent:
            self._silent = True
            self._notify(lambda one: one.on_pause(PauseCause.STOP_NOT_LIVE, notice(NoticeCode.GUARD_SILENT)))
        if silent_s >= _DEAD_S and self._process is not None:
            # Its death closes the injector's guard socket; the injector then releases what it holds.
            self._process.kill()
            return
        self._watching = self._loop.call_later(_SILENT_S, self._guard_silent)

    def _attach(self, fds: list[int]) -> None:
        channel, ledger_fd = fds
        self._key = secrets.token_bytes(32)
        self._door.attach(socket.socket(fileno=channel), ledger_fd, self._key)

    def _stopped(self, report: StopReport) -> None:
        self._armed = False
        self._watch_guard()
        self._door.detach()
        self._notify(lambda one: one.on_stop(report))

    def _connection_closed(self) -> None:
        was_armed = self._armed
        self._drop_line()
        self._liveness = StopLiveness(live=False, detail=notice(NoticeCode.GUARD_ENDED))
        if not self._first_report.done():
            self._first_report.set_exception(_no_guard("It ended at its start; its message is on the error output."))
        if was_armed:
            self._epoch += 1
            # The latch file says "armed" and nobody holds the lock, which counts as stopped.
            died = StopReport(reason=StopCause.GUARD_DIED, detail=notice(NoticeCode.GUARD_ENDED), latched=True)
            self._set_status(LatchState.STOPPED, reason=died.reason.value, detail=died.detail, since=latch.now_text())
            self._stopped(died)
        if self._process is not None:
            self._process.poll()

    def _drop_line(self) -> None:
        line, self._line = self._line, None
        self._elsewhere = None
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        if line is None:
            return
        self._loop.remove_reader(line.fileno())
        line.close()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(_no_guard(notice(NoticeCode.GUARD_PROCESS_ENDED)))

    def _notify(self, call: Callable[[GuardListener], None]) -> None:
        for listener in tuple(self._listeners):
            try:
                call(listener)
            except Exception:  # noqa: BLE001  the others must hear it all the same
                _log.exception("a listener of the guard failed")


async def open_guard(
    display: str, door: Door, *, hotkeys: tuple[str, str, str] = DEFAULT_HOTKEYS, launched: Launched | None = None
) -> GuardClient:
    """Start a guard and wait until it listens.

    Args:
        door: The InjectorClient that is attached to the injector while a session is armed.
        hotkeys: Stop, pause and approve in pynput's notation.
        launched: The guard's process, if it was started before for the same display and hotkeys.

    Raises:
        OperatorError: The guard cannot listen on the display.
    """
    client = GuardClient(normal_display(display), door, hotkeys)
    await client.start(launched)
    return client


def _report(message: dict[str, Any]) -> StopReport:
    return StopReport(
        reason=StopCause(message["reason"]),
        detail=from_wire(message, "detail"),
        released_keys=message["keys"],
        released_buttons=message["buttons"],
        press_to_last_event_ms=message["late_ms"],
    )


def _no_guard(detail: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.GUARD_UNAVAILABLE),
        detail=notice(NoticeCode.GUARD_PROCESS, text=detail),
        remedy=notice(NoticeCode.RUN_DOCTOR),
    )
