"""The host's connections: a side that is gone makes room for the next one, which waits until all is released."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from operator_console.browser.devtools import packed
from operator_console.browser.host.browser_host import Client
from operator_console.browser.host.roles import Role

KEY_DOWN = {"method": "Input.dispatchKeyEvent", "params": {"type": "keyDown", "key": "a", "code": "KeyA"}}


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


@pytest.mark.parametrize("held", [True, False])
async def test_what_a_side_sent_before_it_ended_is_not_passed_on(held: bool) -> None:
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    sent = []

    async def send(method: str, params: dict[str, Any], _session: str) -> dict[str, Any]:
        sent.append((method, params["type"]))
        return {}

    async def carry_out(client: Client, message: dict[str, Any]) -> dict[str, Any]:
        return await client.queue.put(message["method"], message["params"], "s")

    client = Client(Role.ACT, reader, writer, carry_out, send)
    serving = asyncio.ensure_future(client.serve())
    if held:
        theirs.sendall(packed({"id": 1, **KEY_DOWN}))
        await asyncio.to_thread(theirs.recv, 100)
    before = [*sent]
    theirs.sendall(packed({"id": 2, **KEY_DOWN}))
    theirs.close()
    await serving
    await client.end()
    assert sent[len(before) :] == [("Input.dispatchKeyEvent", "keyUp")] * held
