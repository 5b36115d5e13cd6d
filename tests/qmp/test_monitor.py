"""A monitor that is missing, taken, silent or hostile is told in a clear sentence, in bounded time and memory."""

from __future__ import annotations

import asyncio
import json
import socket
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from operator_console.qmp import monitor as module
from operator_console.qmp.monitor import MonitorUnusable, monitor_at, status_of
from operator_console.qmp.snapshot_jobs import find_snapshot
from tests.servers.qmp_server import GREETING, QmpServer, raw_monitor

HELLO = json.dumps(GREETING).encode() + b"\r\n"
AGREED = b'{"return": {}}\r\n'
SHORT_S = 0.3


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GREETED_WITHIN_S", SHORT_S)


async def asked(path: str, within_s: float = SHORT_S) -> object:
    async with monitor_at(path) as monitor:
        return await monitor.ask("query-status", within_s=within_s)


async def seen(path: str) -> str:
    async with asyncio.timeout(5), monitor_at(path) as monitor:
        return await status_of(monitor)


async def test_answers_come_between_events(qemu: QmpServer) -> None:
    qemu.events = 50
    async with monitor_at(qemu.path) as monitor:
        assert await status_of(monitor) == "running"
        assert await status_of(monitor) == "running"
        assert monitor._client.events.history == ()  # none piles up


async def test_an_event_that_overtakes_the_answer_to_the_negotiation_is_no_refusal(qemu: QmpServer) -> None:
    qemu.early_events = 1
    assert await seen(qemu.path) == "running"
    assert qemu.early_events == 0


async def test_a_socket_that_is_missing_or_no_socket_is_told_with_the_option_for_it(place: Path) -> None:
    with pytest.raises(MonitorUnusable, match="no monitor") as told:
        await asked(str(place))
    assert f"-qmp unix:{place},server=on,wait=off" in told.value.remedy
    place.write_text("")
    with pytest.raises(MonitorUnusable, match="no monitor"):
        await asked(str(place))
    with pytest.raises(MonitorUnusable, match="no monitor"):
        await asked("/" + 200 * "x")


async def test_one_that_serves_another_client_is_told_as_taken_and_free_later(qemu: QmpServer) -> None:
    async with monitor_at(qemu.path):
        with pytest.raises(MonitorUnusable, match="another program") as told:
            await asked(qemu.path)
        assert "second -qmp socket" in told.value.remedy
    assert await asked(qemu.path)


async def test_a_queue_of_clients_that_is_full_is_told_as_taken(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as other:
        listener.bind(str(place))
        listener.listen(0)
        other.connect(str(place))
        with pytest.raises(MonitorUnusable, match="another program"):
            await asked(str(place))


def says(*parts: bytes, ends: bool = True) -> Callable[[socket.socket], None]:
    """Says this, each part after something was heard, and ends, or stays silent. @ID@ is that of the command."""

    def serve(line: socket.socket) -> None:
        name = b""
        for part in parts:
            line.sendall(part.replace(b"@ID@", name))
            heard = json.loads(line.recv(65_536) or b"{}")
            name = json.dumps(heard.get("id")).encode()
        while not ends and line.recv(65_536):
            pass

    return serve


DEEP = b'{"QMP": ' + 100_000 * b"[" + b"\n"

HOSTILE = {
    "HTTP": (says(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "does not speak"),
    "another greeting": (says(b'{"hello": 1}\n'), "does not speak"),
    "a list": (says(b"[1, 2]\n"), "does not speak"),
    "no JSON": (says(b"{{{\n"), "does not speak"),
    "no UTF-8": (says(b'{"QMP": "\xff\xfe"}\n'), "does not speak"),
    "nested without end": (says(DEEP), "does not speak"),
    "an end at once": (says(), "does not speak"),
    "negotiation refused": (says(HELLO, b'{"error": {"class": "GenericError", "desc": "no"}}\n'), "does not speak"),
    "an end after the negotiation": (says(HELLO, AGREED), "closed the connection"),
    "no JSON later": (says(HELLO, AGREED, b"x\n"), "closed the connection"),
    "another id": (says(HELLO, AGREED, b'{"return": {}, "id": "else"}\n', ends=False), "does not answer"),
    "no result": (says(HELLO, AGREED, b'{"id": @ID@}\n'), "does not speak"),
    "a result of another kind": (says(HELLO, AGREED, b'{"return": [1], "id": @ID@}\n'), "does not speak"),
    "a status of another kind": (
        says(HELLO, AGREED, b'{"return": {"status": 5}, "id": @ID@}\n'), "does not speak",
    ),
    "silence": (says(HELLO, AGREED, ends=False), "does not answer"),
    "silence at the negotiation": (says(HELLO, ends=False), "does not answer"),
    "silence at once": (says(ends=False), "does not answer"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
async def test_what_is_no_monitor_is_told(place: Path, case: str) -> None:
    serve, said = HOSTILE[case]
    with raw_monitor(place, serve) as path, pytest.raises(MonitorUnusable, match=said):
        await (asked(path) if "answer" in said else seen(path))


@pytest.mark.parametrize("first", [b"", HELLO])
async def test_a_line_without_end_takes_no_memory(place: Path, first: bytes) -> None:
    def serve(line: socket.socket) -> None:
        line.sendall(first)
        if first:
            line.recv(65_536)
            line.sendall(AGREED)
            line.recv(65_536)
        for _ in range(2_000):
            line.sendall(65_536 * b"a")

    tracemalloc.start()
    try:
        with raw_monitor(place, serve) as path, pytest.raises(MonitorUnusable):
            await asked(path, within_s=5)
        assert tracemalloc.get_traced_memory()[1] < 16 * module.LINE_BYTES
    finally:
        tracemalloc.stop()


async def test_events_without_end_take_no_memory_and_no_more_time_than_an_answer_may(place: Path) -> None:
    event = b'{"event": "X", "data": {"fill": "' + 200 * b"a" + b'"}, "timestamp": {"seconds": 1}}\n'

    def serve(line: socket.socket) -> None:
        line.sendall(HELLO)
        line.recv(65_536)
        line.sendall(AGREED)
        while True:
            line.sendall(100 * event)

    tracemalloc.start()
    try:
        with raw_monitor(place, serve) as path, pytest.raises(MonitorUnusable, match="does not answer"):
            await asked(path, within_s=1)
        assert tracemalloc.get_traced_memory()[1] < 16 * module.LINE_BYTES
    finally:
        tracemalloc.stop()


async def test_an_end_that_does_not_read_cannot_keep_the_connection_open(place: Path) -> None:
    def serve(line: socket.socket) -> None:
        line.sendall(HELLO)
        line.recv(65_536)
        line.sendall(AGREED)
        reading.wait(5)

    from threading import Event

    reading = Event()
    try:
        with raw_monitor(place, serve) as path:
            async with asyncio.timeout(5):
                with pytest.raises(MonitorUnusable, match="does not answer"):
                    async with monitor_at(path) as monitor:
                        await monitor.ask("query-status", within_s=SHORT_S, fill=4_000_000 * "a")
            reading.set()
    finally:
        reading.set()


async def test_answers_of_the_wrong_form_are_told(qemu: QmpServer) -> None:
    qemu.disks[0].told = lambda: {"device": 5}  # type: ignore[method-assign]
    with pytest.raises(MonitorUnusable, match="does not speak"):
        await find_snapshot(qemu.path)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_nothing_stays_open(qemu: QmpServer) -> None:
    await asked(qemu.path)
    before, tasks = open_files(), len(asyncio.all_tasks())
    for _ in range(20):
        await asked(qemu.path)
    assert len(asyncio.all_tasks()) == tasks
    assert open_files() < before + 10  # the server's end of the last one may still close
