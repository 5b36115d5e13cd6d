"""Commands and their answers over a connection, and what ends them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from operator_console.browser.devtools import Connection, ConnectionLost, ProtocolError, packed


class Ends:
    """A connection, and the end that answers it."""

    def __init__(self, connection: Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connection, self.reader, self.writer = connection, reader, writer


@pytest.fixture
async def ends() -> AsyncIterator[Ends]:
    ours, theirs = socket.socketpair()
    connection = Connection(*await asyncio.open_connection(sock=ours))
    reader, writer = await asyncio.open_connection(sock=theirs)
    yield Ends(connection, reader, writer)
    await connection.close()
    writer.close()


async def test_answers_find_their_commands_in_any_order(ends: Ends) -> None:
    asked = [asyncio.create_task(ends.connection.send_raw("Page.enable")) for _ in range(2)]
    for _ in asked:
        await ends.reader.readuntil(b"\0")
    for number in (2, 1):
        ends.writer.write(packed({"id": number, "result": {"number": number}}))
    assert [await each for each in asked] == [{"number": 1}, {"number": 2}]


async def test_a_command_that_begins_is_on_its_way_at_once() -> None:
    ours, theirs = socket.socketpair()
    connection = Connection(*await asyncio.open_connection(sock=ours))
    answer = connection.begin("Page.enable", {}, "A")
    theirs.setblocking(False)
    assert theirs.recv(1000) == packed({"id": 1, "method": "Page.enable", "params": {}, "sessionId": "A"})
    await connection.close()
    theirs.close()
    with pytest.raises(ConnectionLost):
        await answer


async def test_a_refusal_is_raised_with_its_code(ends: Ends) -> None:
    asked = asyncio.create_task(ends.connection.send_raw("Page.enable"))
    await ends.reader.readuntil(b"\0")
    ends.writer.write(packed({"id": 1, "error": {"code": 7, "message": "no"}}))
    with pytest.raises(ProtocolError, match="no") as raised:
        await asked
    assert raised.value.code == 7


async def test_what_waits_for_a_page_that_was_closed_is_told_so_and_the_rest_waits_on(ends: Ends) -> None:
    closed, open_ = (asyncio.create_task(ends.connection.send_raw("Page.enable", {}, each)) for each in ("A", "B"))
    await ends.reader.readuntil(b"\0")
    ends.connection.end_session("A")
    with pytest.raises(ProtocolError, match="closed"):
        await closed
    ends.writer.write(packed({"id": 2, "result": {}}))
    assert await open_ == {}


@pytest.mark.parametrize("last", [b"", b"no message\0", b"[1]\0"])
async def test_an_end_that_is_gone_or_sends_no_messages_ends_what_waits(ends: Ends, last: bytes) -> None:
    asked = asyncio.create_task(ends.connection.send_raw("Page.enable"))
    await ends.reader.readuntil(b"\0")
    ends.writer.write(last)
    ends.writer.close()
    with pytest.raises(ConnectionLost):
        await asked
    assert ends.connection.lost
    with pytest.raises(ConnectionLost):
        await ends.connection.send_raw("Page.enable")
