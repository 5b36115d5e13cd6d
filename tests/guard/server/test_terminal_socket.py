"""Terminals reach the guard by its socket, whenever they ask."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from operator_console.guard.server.terminal_socket import TerminalSocket

DISPLAY = ":4711"


async def running(_: dict[str, Any]) -> dict[str, Any]:
    return {"state": "running", "stop_live": True}


async def test_a_terminal_that_asks_while_the_guard_starts_does_not_cut_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    listen = socket.socket.listen
    early: list[LatchState] = []

    def asked_before(self: socket.socket, backlog: int) -> None:
        early.append(latch.read_status(DISPLAY).state)
        listen(self, backlog)

    monkeypatch.setattr(socket.socket, "listen", asked_before)
    terminals = TerminalSocket(DISPLAY, running)
    try:
        assert early == [LatchState.IDLE]
        assert (await asyncio.to_thread(latch.read_status, DISPLAY)).state is LatchState.RUNNING
    finally:
        terminals.close()
    assert not list(latch.run_dir().glob("*4711*"))
