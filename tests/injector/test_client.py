"""The console's client of the injector: how long it waits for an answer, and what ends the connection."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from operator_console.desktop.ledger import Ledger, Word
from operator_console.domain.actions import TypeText
from operator_console.domain.codec import encode
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ComputerTimedOut
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.injector import client
from operator_console.injector.client import InjectorClient
from operator_console.json_lines import packed

SIZE = Size(100, 100)
GRANT = Grant(
    grant_id="a", step=1, call=0, action=TypeText(text="long"), epoch=1, expires_s=0.0,
    target=MonitorTarget(spec="monitor:1", title=""),
    geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=SIZE, sent=SIZE),
)  # fmt: skip


async def count_events(ledger: Ledger, seconds: float) -> None:
    """Count events in the ledger, as an injector that types does."""
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end:
        ledger.set(Word.EVENTS, ledger.get(Word.EVENTS) + 1)
        await asyncio.sleep(0.01)


async def test_the_injector_is_waited_for_as_long_as_it_sends_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_TIMEOUT_S", 1.0)
    ledger, fd = Ledger.open_file(tmp_path / "ledger")
    ours, injectors = socket.socketpair()
    injector = InjectorClient()
    injector.attach(ours, os.dup(fd), b"k" * 32)
    try:
        work = asyncio.ensure_future(injector.perform(GRANT))
        await count_events(ledger, 1.3)
        assert not work.done()
        injectors.sendall(packed({"id": 1, "outcome": encode(Outcome(result=ActResult.DONE, detail=""))}))
        assert (await work).result is ActResult.DONE

        with pytest.raises(ComputerTimedOut):
            await injector.perform(GRANT)
    finally:
        injector.detach()
        injectors.close()
        ledger.close()
        os.close(fd)


async def test_the_injector_is_gone_once_it_sends_what_is_no_message(tmp_path: Path) -> None:
    ledger, fd = Ledger.open_file(tmp_path / "ledger")
    ours, injectors = socket.socketpair()
    injector = InjectorClient()
    injector.attach(ours, os.dup(fd), b"k" * 32)
    try:
        work = asyncio.ensure_future(injector.perform(GRANT))
        injectors.sendall(b"nope\n")
        assert (await asyncio.wait_for(work, 10)).result is ActResult.UNKNOWN
        assert not injector.attached
    finally:
        injector.detach()
        injectors.close()
        ledger.close()
        os.close(fd)
