"""Starts a browser host, and connects to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sys
import time
from asyncio.subprocess import PIPE, Process
from pathlib import Path

from operator_console.browser.devtools import Connection
from operator_console.browser.host.host_options import HostOptions
from operator_console.browser.host.roles import Role
from operator_console.domain.environment import without_keys

_START_S = 30.0
_END_S = 8.0
_WRITES_S = 2.0


class NotStarted(RuntimeError):
    """The browser did not start. `log`: the last lines that it wrote, "" for none."""

    def __init__(self, why: str, log: str = "") -> None:
        super().__init__(why)
        self.log = log


async def connect(path: Path | str) -> Connection:
    """Connect to one of a host's sockets. Raises OSError."""
    return Connection(*await asyncio.open_unix_connection(str(path), limit=1 << 20))


class RunningBrowser:
    """A browser host with its browser, as the console uses it. Make it with `start`; `close` ends both.

    Attributes:
        look: the console's connection.
        options: how it was started.
        version: of the browser ("Chrome/156.0.1").
        browser_pid: of the browser's process, to which its window belongs.
    """

    def __init__(
        self, process: Process, look: Connection, options: HostOptions, version: str, browser_pid: int
    ) -> None:
        self._process = process
        self.look = look
        self.options = options
        self.version = version
        self.browser_pid = browser_pid

    @classmethod
    async def start(cls, options: HostOptions) -> RunningBrowser:
        """Start the host and wait until the browser is ready. Raises NotStarted, OSError."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "operator_console.browser.host", stdin=PIPE, stdout=PIPE,
            env=without_keys(os.environ), start_new_session=True,
        )  # fmt: skip
        try:
            version, browser_pid = await _ready(process, options)
            look = await connect(options.socket(Role.LOOK))
        except BaseException as error:
            await asyncio.shield(_end(process, options))
            if isinstance(error, TimeoutError):
                raise NotStarted("the browser did not answer in time") from error
            raise
        return cls(process, look, options, version, browser_pid)

    @property
    def act_address(self) -> str:
        """Where the injector connects."""
        return str(self.options.socket(Role.ACT))

    @property
    def pid(self) -> int:
        """Of the host's process."""
        return self._process.pid

    async def close(self) -> None:
        """End the browser and its host, and remove what they leave."""
        await self.look.close()
        await _end(self._process, self.options)


async def _ready(process: Process, options: HostOptions) -> tuple[str, int]:
    """The browser's version and process id, once it is ready. Raises NotStarted, TimeoutError."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(options.as_dict()).encode() + b"\n")
    async with asyncio.timeout(_START_S):
        line = await process.stdout.readline()
    answer = json.loads(line) if line else {"failed": "the browser host ended"}
    if "ready" not in answer:
        raise NotStarted(str(answer.get("failed", "")), str(answer.get("log", "")))
    return str(answer["ready"]), int(answer["pid"])


async def _end(process: Process, options: HostOptions) -> None:
    """Close the host's input, at which it ends the browser; kill it if it hangs, which ends the browser too."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_END_S):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    await asyncio.to_thread(_remove, options)


def _remove(options: HostOptions) -> None:
    """What the host removes itself, unless it was killed. Blocks while a browser that is ending writes there."""
    deadline = time.monotonic() + _WRITES_S
    while True:
        shutil.rmtree(options.folder, ignore_errors=True)
        if not Path(options.folder).exists() or time.monotonic() > deadline:
            break
        time.sleep(0.02)
    with contextlib.suppress(OSError):
        Path(options.downloads).rmdir()  # if it is empty
