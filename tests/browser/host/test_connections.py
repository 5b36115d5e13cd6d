"""The host's connections: a side that is gone makes room for the next one, which waits until all is released."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from operator_console.browser.host.browser_host import Client
from operator_console.browser.host.roles import Role


async def _nothing(*_: Any) -> dict[str, Any]:
    return {}


@pytest.mark.parametrize("read", [True, False])
async def test_a_side_that_ended_is_gone_whether_or_not_it_has_read_its_answers(read: bool) -> None:
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    client = Client(Role.ACT, reader, writer, _nothing, _nothing)
    client.tell({"id": 1})
    await writer.drain()
    if read:
        theirs.recv(100)
    before = client.gone
    theirs.close()
    await client.serve()
    assert (before, client.gone) == (False, True)
    await client.end()
