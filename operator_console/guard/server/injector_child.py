"""Starts and kills the injector process. No other code may start one.

What happens when the injector dies is decided in dispatch.py; session.py replaces it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from operator_console.domain.frames import TargetKind
from operator_console.guard.platform import environment_on
from operator_console.rfb.server_login import Login

_START_S = 30.0
_DEATH_S = 0.5


class ChildFailed(RuntimeError):
    """The injector did not start; its own message is in the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActedOn:
    """What an injector acts on.

    Attributes:
        kind: the kind of the target.
        display: the display that gets the input, and on which the guard releases it; "" where it goes elsewhere.
        address: where the injector connects in that case.
        login: how it logs in there; None: it does not.
    """

    kind: TargetKind
    display: str = ""
    address: str = ""
    login: Login | None = None


class InjectorChild:
    """One injector process. `console_end` is the socket for the console."""

    def __init__(self, process: subprocess.Popen[bytes], line: socket.socket, console_end: socket.socket) -> None:
        self._process = process
        self._line = line
        self.console_end = console_end
        self._watched = False

    @classmethod
    async def start(cls, acted_on: ActedOn, ledger_fd: int) -> InjectorChild:
        """Start an injector and wait until it is ready, which takes its imports.

        Raises ChildFailed.
        """
        console_end, console_far = socket.socketpair()
        line, line_far = socket.socketpair()
        fds = {"console-fd": console_far.fileno(), "guard-fd": line_far.fileno(), "ledger-fd": ledger_fd}
        arguments = [text for name, fd in fds.items() for text in (f"--{name}", str(fd))]
        with console_far, line_far:
            process = subprocess.Popen(  # noqa: ASYNC220  fork and exec of a small process; there is no wait
                [sys.executable, "-P", "-m", "operator_console.injector", "--kind", acted_on.kind,
                 "--address", acted_on.address, *(["--login"] if acted_on.login else []), *arguments],
                env=environment_on(acted_on.display),
                pass_fds=tuple(fds.values()),
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        child = cls(process, line, console_end)
        if acted_on.login is not None:  # not as an argument or in the environment, where others could read it
            with contextlib.suppress(OSError):  # it has ended: noticed below
                line.sendall(json.dumps(asdict(acted_on.login)).encode() + b"\n")
        line.setblocking(False)
        try:
            async with asyncio.timeout(_START_S):
                ready = await asyncio.get_running_loop().sock_recv(line, 16)
        except (TimeoutError, OSError):
            ready = b""
        except BaseException:
            child.kill()
            child.wait_dead()
            child.close()
            raise
        if ready != b"ready":
            child.kill()
            child.wait_dead()
            child.close()
            raise ChildFailed
        return child

    def watch(self, ended: Callable[[], None]) -> None:
        """Call `ended` on the loop when the process dies."""

        def readable() -> None:
            with contextlib.suppress(BlockingIOError, InterruptedError, ConnectionError):
                if self._line.recv(16):
                    return
            self._unwatch()
            ended()

        self._watched = True
        asyncio.get_running_loop().add_reader(self._line.fileno(), readable)

    def kill(self) -> None:
        """SIGKILL; does not wait."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    def wait_dead(self) -> bool:
        """Block until the process is dead, at most half a second; whether it is."""
        deadline = time.monotonic() + _DEATH_S
        while self._process.poll() is None and time.monotonic() < deadline:
            select.select([], [], [], 0.0005)
        return self._process.returncode is not None

    async def end(self) -> None:
        """Close its sockets, at which it releases its input and exits; kill it if it does not."""
        self.close()
        deadline = time.monotonic() + 5.0
        while self._process.poll() is None:
            if time.monotonic() > deadline:
                self.kill()
                self.wait_dead()
                return
            await asyncio.sleep(0.005)

    def close(self) -> None:
        """Close the sockets."""
        self._unwatch()
        self._line.close()
        self.console_end.close()

    def _unwatch(self) -> None:
        if self._watched:
            self._watched = False
            asyncio.get_running_loop().remove_reader(self._line.fileno())
