"""The guard at its edges: failures, shortages and races that must not weaken a stop."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import threading
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import pytest

from operator_console.domain.frames import TargetKind
from operator_console.domain.stopping import StopCause, StopLiveness
from operator_console.guard import latch, wire
from operator_console.guard.corners import Corners
from operator_console.guard.hotkey_matching import parse_hotkeys
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.guard.server import dispatch, session
from operator_console.guard.server.dispatch import GuardServer, Outbox
from operator_console.guard.server.injector_child import ActedOn
from operator_console.guard.server.latch_writer import LatchWriter
from operator_console.guard.server.session import ArmedSession, DisplayHold, finish

LIMIT_S = 20.0


class SilentListener:
    """A stop listener that hears nothing and is live."""

    liveness = StopLiveness(live=True)
    probe_keycode = 9
    drained_ns = 0
    human_input_s = 0.0
    tells_devices = False

    def hear_hold(self, key: str) -> None:
        """There are no keys."""

    async def prove(self) -> StopLiveness:
        return self.liveness

    def check_alive(self) -> None:
        return

    def close(self) -> None:
        return


class BrokenListener(SilentListener):
    """Its check between proofs raises what nobody expects."""

    def check_alive(self) -> None:
        raise ZeroDivisionError


class DeafListener(SilentListener):
    """Hears the probe from the third proof on."""

    def __init__(self) -> None:
        self.liveness = StopLiveness(live=False)
        self.proofs = 0
        self.hears = asyncio.Event()

    async def prove(self) -> StopLiveness:
        self.proofs += 1
        if self.proofs == 3:
            self.liveness = StopLiveness(live=True)
            self.hears.set()
        return self.liveness


async def test_a_stop_that_is_not_live_is_tested_again_without_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    listener = DeafListener()
    monkeypatch.setattr(dispatch, "open_listener", lambda *_: listener)
    monkeypatch.setattr(dispatch, "PROBE_EVERY_S", 0.0)
    ours, theirs = wire.pair()
    with ours, theirs:
        server = GuardServer(":7", theirs, parse_hotkeys("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>"))
        running = asyncio.ensure_future(server.run())
        async with asyncio.timeout(LIMIT_S):
            await listener.hears.wait()
            server._end()
            await running
    assert listener.proofs == 3


async def test_a_guard_whose_periodic_work_fails_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "open_listener", lambda *_: BrokenListener())
    ours, theirs = wire.pair()
    with ours, theirs:
        server = GuardServer(":7", theirs, parse_hotkeys("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>"))
        async with asyncio.timeout(LIMIT_S):
            await server.run()


def filled(line: socket.socket) -> int:
    """Fill the socket's buffer with packets; returns their number."""
    for number in range(1_000_000):
        try:
            wire.send(line, {"t": "filler"})
        except BlockingIOError:
            return number
    raise AssertionError("the socket is never full")


def test_descriptors_of_a_waiting_message_may_be_closed_by_a_stop() -> None:
    ours, theirs = wire.pair()
    with ours, theirs:
        theirs.setblocking(False)
        fillers = filled(theirs)
        outbox = Outbox(theirs)
        read_end, write_end = os.pipe()
        outbox.tell({"t": "injector"}, (write_end,))
        outbox.tell({"t": "stop"})
        os.close(write_end)
        for _ in range(fillers):
            wire.receive(ours)
        outbox.flush()
        received: list[tuple[dict[str, Any], list[int]]] = [wire.receive(ours), wire.receive(ours)]
        assert [message["t"] for message, _ in received] == ["injector", "stop"]
        (copy,) = received[0][1]
        os.write(copy, b"x")
        os.close(copy)
        assert os.read(read_end, 8) == b"x"
        assert os.read(read_end, 8) == b"", "the outbox has kept a copy"
        os.close(read_end)


async def test_a_start_that_ends_just_after_the_console_is_gone_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    started, ready = asyncio.Event(), asyncio.get_running_loop().create_future()
    armed = MagicMock(session="s", **{"hold.displays": (":7",), "hold.connection_fds": [], "cut.return_value": None})

    async def begin(*_: object) -> MagicMock:
        started.set()
        await ready
        return armed

    monkeypatch.setattr(dispatch, "open_listener", lambda *_: SilentListener())
    monkeypatch.setattr(session, "begin", begin)
    ours, theirs = wire.pair()
    with ours, theirs:
        server = GuardServer(":7", theirs, parse_hotkeys("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>"))
        armed.child.console_end.fileno.return_value = armed.hold.ledger_fd = theirs.fileno()
        running = asyncio.ensure_future(server.run())
        async with asyncio.timeout(LIMIT_S):
            wire.send(ours, {"t": "arm", "id": 1, "session": "s", "target": ":7", "kind": "monitor", "address": ""})
            await started.wait()
            ready.set_result(None)
            server._end()
            await running
    armed.kill.assert_called()
    armed.cut.assert_called_once()
    armed.hold.give_up.assert_called_once()


async def test_a_stop_releases_and_latches_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(dispatch, "open_listener", lambda *_: SilentListener())
    monkeypatch.setattr(threading.Timer, "start", start)
    armed = MagicMock(session="s", **{"hold.displays": (":7",), "hold.connection_fds": [], "cut.return_value": None})
    ours, theirs = wire.pair()
    with ours, theirs:
        server = GuardServer(":7", theirs, parse_hotkeys("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>"))
        running = asyncio.ensure_future(server.run())
        async with asyncio.timeout(LIMIT_S):
            await asyncio.to_thread(wire.receive, ours)  # its first status: it serves
            server.armed = armed
            server.stop(StopCause.HOTKEY)
            server._end()
            await running
    armed.cut.assert_called_once()
    armed.hold.write.assert_called_once()


async def test_a_session_of_another_console_is_told_and_named_in_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "open_listener", lambda *_: SilentListener())
    lock = latch.take_lock(":7")
    assert lock is not None
    theirs_now = LatchStatus(
        display=":7", state=LatchState.RUNNING, since="2026-01-01T00:00:00Z", session="s", pid=1, console_pid=2,
        displays=(":7", ":8"),
    )  # fmt: skip
    ours, theirs = wire.pair()
    with ours, theirs:
        server = GuardServer(":7", theirs, parse_hotkeys("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>"))
        running = asyncio.ensure_future(server.run())
        async with asyncio.timeout(LIMIT_S):
            latch.write_latch(theirs_now)
            assert await told_elsewhere(ours) == latch.as_dict(theirs_now)
            latch.clear_latch(":7")
            assert await told_elsewhere(ours) is None
            latch.write_latch(theirs_now)
            await told_elsewhere(ours)
            answer = await server._terminal({"do": "stop", "cause": "button"})
            assert (answer["reason"], answer["session"], answer["displays"]) == ("button", "s", [":7", ":8"])
            assert await told_elsewhere(ours) is None
            server._end()
            await running
    os.close(lock)


async def told_elsewhere(line: socket.socket) -> object:
    """What the guard says next about the sessions of other consoles."""
    while True:
        message, _ = await asyncio.to_thread(wire.receive, line)
        if message["t"] == "elsewhere":
            return message["status"]


async def test_an_orderly_end_that_is_cancelled_kills_and_releases() -> None:
    calls = MagicMock()
    calls.end = AsyncMock(side_effect=asyncio.CancelledError)
    calls.hold.conclude.return_value = []
    with pytest.raises(asyncio.CancelledError):
        await finish(calls, MagicMock(latched=None))
    done = [name for name, _, _ in calls.mock_calls]
    assert done.index("cut") < done.index("hold.conclude") < done.index("hold.give_up")


def test_a_run_folder_without_room_is_said_in_words(caplog: pytest.LogCaptureFixture) -> None:
    error = session.as_operator_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert "No space left on device" in error.detail
    assert caplog.text == ""


async def test_the_latch_of_a_session_keeps_its_room_on_the_disk() -> None:
    files = LatchWriter()
    hold = DisplayHold((":7",), ActedOn(kind=TargetKind.MONITOR, display=":7"), files)
    hold.write(LatchStatus(display=":7", state=LatchState.RUNNING))
    await files.close()
    kept = latch.path_of(":7", "latch.0.kept")
    assert kept.samefile(latch.path_of(":7", "latch.json"))


def test_a_kill_spares_the_guard_and_the_other_processes_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda group, _: killed.append(group))
    armed = ArmedSession("s", MagicMock(), MagicMock(), 1, Corners(()))
    armed.killable = (0, 1, -5, 4321)
    armed.kill()
    assert killed == [4321]
