"""What a second start asks of the window that is open already: come forward, and open this file."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

from operator_console.private_files import peer_is_us, short_path

_log = logging.getLogger(__name__)
_LINE = 65_536
_READ_S = 2.0

OnRequest: TypeAlias = Callable[[Path | None, bool], None]
"""Called for each later start, with the file to open, and whether the practice window is wanted."""


def ask_for_window(path: Path, record: Path | None, *, practice: bool, timeout_s: float) -> bool:
    """Ask the window that listens at `path`; whether it answered."""
    try:
        with short_path(path) as name, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(timeout_s)
            line.connect(name)
            if not peer_is_us(line):
                return False
            request = {"open": None if record is None else str(record.absolute()), "practice": practice}
            line.sendall(json.dumps(request).encode("ascii") + b"\n")
            return bool(line.makefile("rb").readline(_LINE))
    except OSError:  # it is not there yet, or no longer, or is held up
        return False


@asynccontextmanager
async def later_starts(path: Path | None, on_request: OnRequest) -> AsyncIterator[None]:
    """Listen at `path` until the end of the block; None: nothing is heard."""
    if path is None:
        yield
        return
    try:
        listening = _bind(path)
    except OSError as error:
        _log.warning("later starts are not heard: %s", error)
        yield
        return

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, TimeoutError), contextlib.closing(writer):
            if peer_is_us(writer.get_extra_info("socket")):
                await _answer(reader, writer, on_request)

    server = await asyncio.start_unix_server(serve, sock=listening, limit=_LINE)
    try:
        yield
    finally:
        server.close()
        _remove(path)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_request: OnRequest) -> None:
    async with asyncio.timeout(_READ_S):
        request = json.loads(await reader.readline())
    if not isinstance(request, dict):
        return
    wanted = request.get("open")
    on_request(Path(wanted) if isinstance(wanted, str) else None, request.get("practice") is True)
    writer.write(b"{}\n")
    await writer.drain()


def _bind(path: Path) -> socket.socket:
    _remove(path)  # left by a process that was killed: who holds the lock is the only one that listens there
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        with short_path(path) as name:
            listening.bind(name)
    except BaseException:
        listening.close()
        raise
    finally:
        os.umask(before)
    return listening


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
