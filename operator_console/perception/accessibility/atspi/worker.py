"""The process that asks applications: `python -m operator_console.perception.accessibility.atspi.worker`.

Requests on stdin, replies on stdout, one JSON line each. It ends when stdin is closed, and then puts back what it
switched on. Queries are answered side by side, so that none waits for an application that another one asks.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from operator_console.domain.codec import decode, encode
from operator_console.domain.elements import Exposure
from operator_console.json_lines import packed, unpacked
from operator_console.perception.accessibility.atspi.connection import BusConnection, BusGone, DirectCalls
from operator_console.perception.accessibility.atspi.queries import Queries
from operator_console.perception.accessibility.atspi.session_service import AccessibilitySwitch, accessibility_bus
from operator_console.perception.accessibility.messages import ElementsReply, ElementsRequest, Query

_RETRY_BUS_S = 3.0

_log = logging.getLogger(__name__)


class Worker:
    """Answers requests; connects to the bus at the first one, and again after it was lost."""

    def __init__(self, out: BinaryIO, address: str, environ: Mapping[str, str] = os.environ) -> None:
        self._out = out
        self._address = address
        self._environ = environ
        self._queries: Queries | None = None
        self._bus: BusConnection | None = None
        self._direct: DirectCalls | None = None
        self._retry_s = 0.0
        self._connecting = asyncio.Lock()
        self._running: set[asyncio.Task[None]] = set()

    def receive(self, line: bytes) -> None:
        """Begin to answer a request."""
        task = asyncio.get_running_loop().create_task(self._answer(decode(ElementsRequest, unpacked(line))))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def connect(self) -> Queries | None:
        """Connect to the bus, None where there is none; tried again after some seconds."""
        async with self._connecting:
            if self._bus is not None and self._bus.open:
                return self._queries
            if time.monotonic() < self._retry_s:
                return None
            try:
                self._bus = await self._open()
            except BusGone:
                self._retry_s = time.monotonic() + _RETRY_BUS_S
                return None
            if self._direct is not None:
                self._direct.close()
            self._direct = DirectCalls(self._bus)
            self._queries = Queries(self._direct)
            return self._queries

    async def _open(self) -> BusConnection:
        """The bus at the address that was given, unless that is out of date; else the session's. Raises BusGone."""
        if self._address:
            with contextlib.suppress(BusGone):
                return await BusConnection.connect(self._address)
        return await BusConnection.connect(await accessibility_bus(self._environ))

    def close(self) -> None:
        """Close the connections."""
        if self._direct is not None:
            self._direct.close()
        if self._bus is not None:
            self._bus.close()

    async def _answer(self, request: ElementsRequest) -> None:
        queries = await self.connect()
        try:
            reply = await queries.answer(request) if queries is not None else _nothing_known(request)
        except BusGone:
            reply = _nothing_known(request)
        except Exception:  # noqa: BLE001 - one application that breaks the protocol must not leave the console without a reply
            _log.exception("a query failed: %s", request.query)
            reply = _nothing_known(request)
        self._out.write(packed(encode(reply)))
        self._out.flush()


def _nothing_known(request: ElementsRequest) -> ElementsReply:
    if request.query is Query.EXPOSURE:
        return ElementsReply(job=request.job, exposure=Exposure.NO_SERVICE, complete=False)
    nothing = (None,) * (len(request.points) if request.query is Query.AT else 1)
    return ElementsReply(job=request.job, elements=nothing, complete=False)


async def _serve(out: BinaryIO, arguments: argparse.Namespace) -> None:
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")

    switch = AccessibilitySwitch(arguments.run_folder) if arguments.run_folder else None
    worker = Worker(out, arguments.address)
    loop.add_signal_handler(signal.SIGTERM, lines.put_nowait, b"")
    threading.Thread(target=listen, name="requests", daemon=True).start()
    try:
        if switch is not None:
            await (switch.on() if arguments.switch_on else switch.put_back_leftovers())
        await worker.connect()
        while line := await lines.get():
            worker.receive(line)
    finally:
        if switch is not None:
            await switch.put_back()
        worker.close()


def main() -> None:
    """Serve requests until the pipe is closed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--address", default="", help="address of the accessibility bus; empty: asked for")
    parser.add_argument("--run-folder", type=Path, help="where it is noted what was switched on")
    parser.add_argument("--switch-on", action="store_true")
    # Keeps replies apart from what libraries print to stdout.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    asyncio.run(_serve(out, parser.parse_args()))


if __name__ == "__main__":
    main()
