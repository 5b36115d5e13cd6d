"""Starts what runs on an isolated desktop, in its sandbox: `python program_starter.py SOCKET SERVICES`.

By this Python's standard library only. SERVICES is a JSON list of [socket to wait for, extra variables, command (may be
empty)], which are started first. Then it writes one byte to the socket, and starts each command that comes there: a
JSON list, with two descriptors, for output and errors. When the socket is closed, and not before, it ends what it
started.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence

_SERVICE_WITHIN_S = 10.0
_POLL_S = 0.005
_HIGHEST_DESCRIPTOR = 1 << 20
_LONGEST_COMMAND = 65536

_running: set[int] = set()


def main() -> None:
    """Serve until the socket is closed."""
    door = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGCHLD, lambda *_: _reap())
    signal.signal(signal.SIGTERM, lambda *_: None)
    for awaited, variables, command in json.loads(sys.argv[2]):
        _await(awaited)
        if command:
            _start(command, variables)
    door.send(b"!")
    while True:
        message, descriptors, _, _ = socket.recv_fds(door, _LONGEST_COMMAND, 2)
        if not message:
            break
        _start(json.loads(message), {}, descriptors)
        for each in descriptors:
            os.close(each)
    for pid in tuple(_running):  # a copy: those that end meanwhile are taken out
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def _await(path: str) -> None:
    until = time.monotonic() + _SERVICE_WITHIN_S
    while path and not os.path.exists(path) and time.monotonic() < until:  # noqa: PTH110 - pathlib takes 10 ms to import
        time.sleep(_POLL_S)


def _start(command: Sequence[str], variables: Mapping[str, str], descriptors: Sequence[int] = ()) -> None:
    pid = os.fork()
    if pid:
        _running.add(pid)
        return
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        output, errors = descriptors or (nothing, nothing)
        for place, each in enumerate((nothing, output, errors)):
            os.dup2(each, place)
        os.closerange(3, _HIGHEST_DESCRIPTOR)
        os.execvpe(command[0], list(command), {**os.environ, **variables})  # noqa: S606 - that is what it is for
    finally:
        os._exit(127)


def _reap() -> None:
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        _running.discard(pid)


if __name__ == "__main__":
    main()
