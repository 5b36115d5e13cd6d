"""The guard's main loop: failures that must not leave a guard that only seems to work."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Any
from unittest.mock import MagicMock

import pytest

from operator_console.domain.stopping import StopLiveness
from operator_console.guard import wire
from operator_console.guard.listener.chords import parse_hotkeys
from operator_console.guard.server import dispatch, session
from operator_console.guard.server.dispatch import GuardServer, Outbox

LIMIT_S = 20.0


class SilentListener:
    """A stop listener that hears nothing and is live."""

    liveness = StopLiveness(live=True)
    probe_keycode = 9
    drained_ns = 0
    human_input_s = 0.0

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
            wire.send(ours, {"t": "arm", "id": 1, "session": "s", "target": ":7"})
            await started.wait()
            ready.set_result(None)
            server._end()
            await running
    armed.kill.assert_called()
    armed.cut.assert_called_once()
    armed.hold.give_up.assert_called_once()
