"""The console's end of the guard: starts it, arms and disarms, answers its lease, passes on what it says.

Lives on the loop that runs the session (Qt's in the app, asyncio's in `run`) and answers the lease there, so that a
frozen loop is a silent lease. It fits the engine's Guard by shape.
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
from typing import Any, Protocol

from operator_console.domain.errors import OperatorError
from operator_console.domain.events import PauseCause, StopCause
from operator_console.domain.frames import TargetRef
from operator_console.domain.stopping import StopLiveness, StopReport
from operator_console.guard import latch, wire
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.guard.launch import Launched, launch
from operator_console.guard.server.lease import answer_to

DEFAULT_HOTKEYS = ("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>")
_START_S = 20.0
_ANSWER_S = 45.0
_SILENT_S = 1.0
_DEAD_S = 3.0
_log = logging.getLogger(__name__)


class Listener(Protocol):
    """Hears the guard; engine's GuardListener fits it by shape, because rooms do not import each other."""

    def on_stop(self, report: StopReport) -> None:
        """Stopped and latched."""
        ...

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        """The gate is shut."""
        ...

    def on_resume(self, cause: PauseCause) -> None:
        """A pause that ended by itself."""
        ...

    def on_approve(self) -> None:
        """The approve chord."""
        ...


class Door(Protocol):
    """Takes the injector's pipe; injector.client.InjectorClient fits it by shape."""

    def attach(self, channel: socket.socket, ledger_fd: int, key: bytes) -> None:
        """A new child."""
        ...

    def detach(self) -> None:
        """It is gone."""
        ...


class GuardClient:
    """Use `open_guard`. `close` when the app ends."""

    def __init__(self, display: str, door: Door, hotkeys: tuple[str, str, str]) -> None:
        self._display = display
        self._door = door
        self._hotkeys = hotkeys
        self._listeners: list[Listener] = []
        self._watchers: list[Callable[[LatchStatus], None]] = []
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[tuple[dict[str, Any], list[int]]]] = {}
        self._epoch = 0
        self._key = secrets.token_bytes(32)
        self._liveness = StopLiveness(live=False, detail="The guard is starting.")
        self._status = LatchStatus(display=display, state=LatchState.IDLE)
        self._armed = False
        self._heard_s = 0.0
        self._hand_s: float | None = None
        self._silent = False
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._loop: asyncio.AbstractEventLoop
        self._watching: asyncio.TimerHandle | None = None
        self._live_once: asyncio.Future[None]

    # Engine's Guard

    @property
    def liveness(self) -> StopLiveness:
        """As last reported."""
        return self._liveness

    @property
    def epoch(self) -> int:
        """Goes into every grant."""
        return self._epoch

    @property
    def grant_key(self) -> bytes:
        """New for every injector."""
        return self._key

    @property
    def running(self) -> bool:
        """Whether there is a guard to talk to; where not, `start` makes a new one."""
        return self._line is not None

    @property
    def human_input_s(self) -> float | None:
        """When a real device (no program's) was last used, time.monotonic(), to a tenth of a second; None: not yet."""
        return self._hand_s

    @property
    def status(self) -> LatchStatus:
        """The latch of the display where the stop is heard, as last reported."""
        return self._status

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Hear it; the returned callable ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def watch(self, watcher: Callable[[LatchStatus], None]) -> Callable[[], None]:
        """Hear of each change of the latch, also by a terminal; the returned callable ends that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher) if watcher in self._watchers else None

    async def arm(self, *, session: str, target: TargetRef) -> None:
        """Take the display's lock, write `armed`, prove the stop, make an injector. Raises OperatorError."""
        try:
            answer, fds = await self._ask({"t": "arm", "session": session, "target": target.display})
        except asyncio.CancelledError:
            # Called off: what was armed meanwhile must not stay so. Said even where nobody asks for the end.
            if self._line is not None:
                with contextlib.suppress(BlockingIOError, wire.LineClosed):
                    wire.send(self._line, {"t": "disarm", "id": next(self._ids)})
            raise
        if answer["t"] == "refused":
            raise OperatorError(answer["title"], detail=answer["detail"], remedy=answer["remedy"])
        self._attach(fds)
        self._armed = True
        self._heard_s = time.monotonic()

    async def disarm(self) -> None:
        """An orderly end."""
        self._armed = False
        self._door.detach()
        if self._line is not None:
            await self._ask({"t": "disarm"})

    async def set_gate(self, *, open_: bool) -> None:
        """Shut or open the gate. After shutting, nothing further is sent. Without a live stop it stays shut, and
        `on_pause` says so again."""
        await self._ask({"t": "gate", "open": open_})

    async def set_review_open(self, open_: bool) -> None:
        """Whether the approve chord counts."""
        await self._ask({"t": "review", "open": open_})

    async def set_killable(self, groups: Sequence[int]) -> None:
        """Which process groups a stop kills together with the injector; the list replaces the one before.

        Raises OperatorError where no session is armed, so that nothing would be killed.
        """
        answer, _ = await self._ask({"t": "killable", "groups": list(groups)})
        if answer["t"] == "refused":
            raise OperatorError(answer["title"], detail=answer["detail"], remedy=answer["remedy"])

    async def stop(self, cause: StopCause, detail: str = "") -> None:
        """Stop now. `on_stop` is called at once; this returns when the latch is on the disk, at most a second later."""
        if self._line is None:
            stopped = LatchStatus(
                display=self._display, state=LatchState.STOPPED, reason=cause.value, detail=detail,
                since=latch.now_text(),
            )  # fmt: skip
            await asyncio.to_thread(latch.write_latch, stopped)
            return
        await self._ask({"t": "stop", "cause": cause.value, "detail": detail})

    # More, for the app

    async def reset(self) -> None:
        """The person's reset; permits a start, starts nothing. Raises latch.ResetRefused while a session runs."""
        await asyncio.to_thread(latch.reset, self._display)
        if self._line is not None:
            await self._ask({"t": "reset"})

    async def prove(self) -> StopLiveness:
        """Probe now (not while latched) and say how it went."""
        await self._ask({"t": "probe"})
        return self._liveness

    async def start(self, launched: Launched | None = None) -> None:
        """Start the process, if it was not `launched` before, and wait until it listens. Raises OperatorError."""
        self._loop = asyncio.get_running_loop()
        self._live_once = self._loop.create_future()
        if self._process is not None:
            # The one before: its line is closed, so it has ended, or will in a moment.
            await asyncio.to_thread(self._process.wait, _DEAD_S)
        launched = launched or launch(self._display, self._hotkeys)
        self._process, self._line = launched.process, launched.line
        self._loop.add_reader(launched.line.fileno(), self._readable)
        try:
            async with asyncio.timeout(_START_S):
                await self._live_once
        except TimeoutError:
            await self.close()
            raise _no_guard("It did not answer.") from None
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End the guard; a session that is still armed is stopped by that."""
        self._armed = False
        self._door.detach()
        self._drop_line()
        process, self._process = self._process, None
        if process is None:
            return
        deadline = time.monotonic() + 5.0
        while process.poll() is None:
            if time.monotonic() > deadline:
                process.kill()
            await asyncio.sleep(0.005)

    # The line

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
                self._guard_gone()
                return
            self._heard_s = time.monotonic()
            self._epoch = int(message.get("epoch", self._epoch))
            try:
                self._take(message, fds)
            except Exception:  # noqa: BLE001  one bad message or watcher must not end the answers to the lease
                _log.exception("taking %s of the guard failed", message.get("t"))

    def _take(self, message: dict[str, Any], fds: list[int]) -> None:
        match message["t"]:
            case "lease":
                self._answer_lease(int(message["n"]))
            case "ok" | "refused":
                self._answered(message, fds)
            case "stop":
                self._stopped(_report(message))
            case "pause":
                self._each(lambda one: one.on_pause(PauseCause(message["cause"]), message["detail"]))
            case "resume":
                self._each(lambda one: one.on_resume(PauseCause(message["cause"])))
            case "approve":
                self._each(lambda one: one.on_approve())
            case "injector":
                self._attach(fds)
            case "live" | "failed":
                self._about_listening(message)
            case "status":
                self._about_latch(message)
            case "hand":
                self._hand_s = float(message["heard_s"])

    def _answered(self, message: dict[str, Any], fds: list[int]) -> None:
        waiting = self._waiting.get(int(message["id"]))
        if waiting is not None and not waiting.done():
            waiting.set_result((message, fds))
            return
        for fd in fds:
            os.close(fd)

    def _about_listening(self, message: dict[str, Any]) -> None:
        if message["t"] == "live":
            self._liveness = StopLiveness(live=message["live"], detail=message["detail"], proven_s=message["proven_s"])
        if self._live_once.done():
            return
        if message["t"] == "live":
            self._live_once.set_result(None)
        else:
            error = OperatorError(message["title"], detail=message["detail"], remedy=message["remedy"])
            self._live_once.set_exception(error)

    def _about_latch(self, message: dict[str, Any]) -> None:
        said = {name: message[name] for name in ("reason", "detail", "since")}
        self._latch_is(LatchState(message["state"]), **said, stop_live=self._liveness.live)

    def _latch_is(self, state: LatchState, **said: Any) -> None:
        self._status = LatchStatus(display=self._display, state=state, **said)
        for watcher in tuple(self._watchers):
            watcher(self._status)

    def _answer_lease(self, challenge: int) -> None:
        """On this loop only: that it answers is what proves that the session turns."""
        if self._line is not None:
            with contextlib.suppress(BlockingIOError, wire.LineClosed):
                wire.send(self._line, {"t": "lease", "n": answer_to(challenge)})
        if self._silent:
            self._silent = False
        self._watch_guard()

    def _watch_guard(self) -> None:
        """The other way round: an armed guard that says nothing is not there to stop anything."""
        if self._watching is not None:
            self._watching.cancel()
        self._watching = self._loop.call_later(_SILENT_S, self._guard_silent) if self._armed else None

    def _is_watched(self) -> bool:
        return self._watching is not None

    def _guard_silent(self) -> None:
        self._watching = None
        # It may be this loop that stood still: what has arrived meanwhile counts first.
        self._readable()
        if self._is_watched() or not self._armed or self._line is None:
            return
        silent_s = time.monotonic() - self._heard_s
        if not self._silent:
            self._silent = True
            self._liveness = StopLiveness(live=False, detail="The guard does not answer.")
            self._each(lambda one: one.on_pause(PauseCause.STOP_NOT_LIVE, "The guard does not answer."))
        if silent_s >= _DEAD_S and self._process is not None:
            # Its death closes the injector's life line; the injector then releases what it holds.
            self._process.kill()
            return
        self._watching = self._loop.call_later(_SILENT_S, self._guard_silent)

    def _attach(self, fds: list[int]) -> None:
        channel, ledger_fd = fds
        self._key = secrets.token_bytes(32)
        self._door.attach(socket.socket(fileno=channel), ledger_fd, self._key)

    def _stopped(self, report: StopReport) -> None:
        self._armed = False
        self._door.detach()
        self._each(lambda one: one.on_stop(report))

    def _guard_gone(self) -> None:
        was_armed = self._armed
        self._drop_line()
        self._liveness = StopLiveness(live=False, detail="The guard ended.")
        if not self._live_once.done():
            self._live_once.set_exception(_no_guard("It ended at its start; its message is on the error output."))
        if was_armed:
            self._epoch += 1
            # The latch file says "armed" without a live holder, which counts as stopped.
            died = StopReport(reason=StopCause.GUARD_DIED, detail="The guard ended.", latched=True)
            self._latch_is(LatchState.STOPPED, reason=died.reason.value, detail=died.detail, since=latch.now_text())
            self._stopped(died)
        if self._process is not None:
            self._process.poll()

    def _drop_line(self) -> None:
        line, self._line = self._line, None
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        if line is None:
            return
        self._loop.remove_reader(line.fileno())
        line.close()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(_no_guard("It ended."))

    def _each(self, call: Callable[[Listener], None]) -> None:
        for listener in tuple(self._listeners):
            try:
                call(listener)
            except Exception:  # noqa: BLE001  the others must hear it all the same
                _log.exception("a listener of the guard failed")


async def open_guard(
    display: str, door: Door, *, hotkeys: tuple[str, str, str] = DEFAULT_HOTKEYS, launched: Launched | None = None
) -> GuardClient:
    """Start a guard for `display` (stop, pause, approve hotkeys in pynput's notation); `door` is the InjectorClient
    that it attaches while a session is armed. `launched`: its process, where that was begun before, for the same
    display and hotkeys. Raises OperatorError where no stop can be heard."""
    client = GuardClient(latch.normal_display(display), door, hotkeys)
    await client.start(launched)
    return client


def _report(message: dict[str, Any]) -> StopReport:
    return StopReport(
        reason=StopCause(message["reason"]),
        detail=message["detail"],
        released_keys=message["keys"],
        released_buttons=message["buttons"],
        press_to_last_event_ms=message["late_ms"],
    )


def _no_guard(detail: str) -> OperatorError:
    return OperatorError(
        "The stop is not available", detail=f"The guard process: {detail}", remedy="Run `operator-console doctor`."
    )
