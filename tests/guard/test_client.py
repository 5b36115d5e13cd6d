"""When the client takes a guard to be silent. The guard's end of the socket pair is played by the test."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import AsyncIterator
from typing import Any

import pytest

from operator_console.domain.frames import MonitorTarget
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopReport
from operator_console.guard import wire
from operator_console.guard.client import GuardClient
from operator_console.guard.launch import Launched

SCREEN = MonitorTarget(display=":7", title="Monitor 1", spec="monitor:1")


class NoDoor:
    def attach(self, channel: socket.socket, ledger_fd: int, key: bytes) -> None:
        channel.close()
        os.close(ledger_fd)

    def detach(self) -> None: ...


class Heard:
    def __init__(self) -> None:
        self.pauses: list[tuple[PauseCause, list[str]]] = []

    def on_stop(self, report: StopReport) -> None: ...

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        self.pauses.append((cause, [each.code for each in notices_of(detail)]))

    def on_resume(self, cause: PauseCause) -> None: ...

    def on_approve(self) -> None: ...


class Ended(subprocess.Popen[bytes]):
    """A process that need not be waited for."""

    def __init__(self) -> None:
        self.returncode = 0

    def poll(self) -> int:
        return 0

    def __del__(self) -> None: ...


class Hung(Ended):
    """A process that ends only by a kill."""

    def __init__(self) -> None:
        super().__init__()
        self.killed = False

    def poll(self) -> int | None:  # type: ignore[override]
        return -9 if self.killed else None

    def wait(self, timeout: float | None = None) -> int:
        if not self.killed:
            raise subprocess.TimeoutExpired("guard", timeout or 0.0)
        return -9

    def kill(self) -> None:
        self.killed = True


class Line:
    """A client, what it notified, and the guard's end of its socket pair. The loop's clock goes on at will."""

    def __init__(self, client: GuardClient, guard: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
        self.client, self.heard, self._guard = client, Heard(), guard
        client.subscribe(self.heard)
        self._skipped_s = 0.0
        loop = asyncio.get_running_loop()
        clock = loop.time
        monkeypatch.setattr(loop, "time", lambda: clock() + self._skipped_s)

    def says(self, **message: Any) -> None:
        wire.send(self._guard, message)

    async def pass_by(self, seconds: float) -> None:
        """Let that much of the loop's time pass, and what is due then be done."""
        self._skipped_s += seconds
        for _ in range(3):
            await asyncio.sleep(0)

    async def arm(self) -> None:
        arming = asyncio.create_task(self.client.arm(session="s", target=SCREEN))
        number = (await self._asked())["id"]
        ours, theirs = socket.socketpair()
        with theirs, ours:
            wire.send(self._guard, {"t": "ok", "id": number}, (ours.fileno(), theirs.fileno()))
        await arming

    async def disarm(self) -> None:
        disarming = asyncio.create_task(self.client.disarm())
        self.says(t="ok", id=(await self._asked())["id"])
        await disarming

    async def challenge(self) -> None:
        self.says(t="lease", n=1)
        assert (await self._asked())["t"] == "lease"

    async def _asked(self) -> dict[str, Any]:
        while True:
            try:
                return wire.receive(self._guard)[0]
            except BlockingIOError:
                await asyncio.sleep(0)


@pytest.fixture
async def line(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Line]:
    ours, theirs = wire.pair()
    ours.setblocking(False)
    theirs.setblocking(False)
    client = GuardClient(":7", NoDoor(), ("x", "p", "a"))
    with theirs:
        wire.send(theirs, {"t": "live", "live": True, "detail": "", "proven_s": 0.0})
        await client.start(Launched(process=Ended(), line=ours))
        yield Line(client, theirs, monkeypatch)
        await client.close()


async def test_a_guard_that_sends_nothing_for_a_second_pauses_the_session(line: Line) -> None:
    await line.arm()
    await line.pass_by(0.9)
    assert line.heard.pauses == []
    assert line.client.liveness.live
    await line.pass_by(0.2)
    assert line.heard.pauses == [(PauseCause.STOP_NOT_LIVE, [NoticeCode.GUARD_SILENT])]
    assert not line.client.liveness.live


async def test_a_guard_that_is_heard_again_is_as_live_as_it_last_reported(line: Line) -> None:
    await line.arm()
    await line.pass_by(1.1)
    await line.challenge()
    assert line.client.liveness.live


async def test_the_time_between_two_sessions_is_no_silence(line: Line) -> None:
    await line.arm()
    await line.challenge()
    await line.disarm()
    await line.pass_by(0.9)
    await line.arm()
    await line.pass_by(0.2)
    assert line.heard.pauses == [], "the second session was armed 0.2 s ago"


async def started(client: GuardClient, process: Ended) -> socket.socket:
    """Start a client with this process; its end of the socket pair."""
    ours, theirs = wire.pair()
    ours.setblocking(False)
    wire.send(theirs, {"t": "live", "live": True, "detail": "", "proven_s": 0.0})
    await client.start(Launched(process=process, line=ours))
    return theirs


async def lost(client: GuardClient, guard: socket.socket) -> None:
    """Close the guard's end, and wait until the client has noticed."""
    guard.close()
    async with asyncio.timeout(20):
        while client.running:  # noqa: ASYNC110  the client tells of it only while a session is armed
            await asyncio.sleep(0)


async def test_a_guard_that_hangs_is_killed_and_another_one_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_console.guard.client._END_S", 0.0)
    client, hung = GuardClient(":7", NoDoor(), ("x", "p", "a")), Hung()
    await lost(client, await started(client, hung))
    with await started(client, Ended()):
        assert hung.killed
        assert client.running
        await client.close()


async def test_a_guard_that_hangs_is_not_forgotten_where_a_start_is_called_off(monkeypatch: pytest.MonkeyPatch) -> None:
    client, hung = GuardClient(":7", NoDoor(), ("x", "p", "a")), Hung()
    await lost(client, await started(client, hung))
    starting = asyncio.create_task(client.start())
    await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait([starting])
    assert not hung.killed
    monkeypatch.setattr("operator_console.guard.client._END_S", 0.0)
    await client.close()
    assert hung.killed
