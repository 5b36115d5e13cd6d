"""When the client takes a guard to be silent. The guard's end of the socket pair is played by the test."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections.abc import AsyncIterator
from typing import Any

import pytest

from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import PauseCause, StopReport
from operator_console.guard import wire
from operator_console.guard.client import GuardClient
from operator_console.guard.launch import Launched

SCREEN = TargetRef(kind=TargetKind.MONITOR, display=":7", title="Monitor 1", spec="monitor:1")


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
