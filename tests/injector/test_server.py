"""The injector's main loop at its beginning, and at its end: who it serves may be gone at any moment."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator

import pytest

from operator_console.desktop.ledger import SIZE_BYTES
from operator_console.domain.frames import TargetKind
from operator_console.domain.grants import Grant
from operator_console.injector import server
from operator_console.injector.progress import Progress
from operator_console.json_lines import packed


class Backend:
    """Does nothing; `on_release` is called by a request to release all."""

    def __init__(self) -> None:
        self.on_release: Callable[[], None] = lambda: None
        self.closed = False

    def perform(self, grant: Grant, progress: Progress) -> None:
        raise AssertionError(grant, progress)

    def pointer(self) -> tuple[int, int]:
        return 0, 0

    def release_all(self) -> int:
        self.on_release()
        return 0

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[Backend]:
    made = Backend()
    monkeypatch.setattr(server, "BACKENDS", {TargetKind.MONITOR: lambda *_: made})
    before = signal.getsignal(signal.SIGINT)
    yield made
    signal.signal(signal.SIGINT, before)


def run(console: socket.socket, guard: socket.socket, kind: TargetKind = TargetKind.MONITOR) -> int:
    ledger_fd = os.memfd_create("ledger")
    os.ftruncate(ledger_fd, SIZE_BYTES)
    try:
        return server.run(console.detach(), guard.detach(), ledger_fd, kind, "")
    finally:
        os.close(ledger_fd)


def test_an_answer_that_the_console_does_not_take_any_more_ends_it_in_order(backend: Backend) -> None:
    console, console_far = socket.socketpair()
    guard, guard_far = socket.socketpair()
    backend.on_release = console.close  # its client is closed when the guard dies
    with guard:
        console.sendall(packed({"id": 1, "release": True}))
        assert run(console_far, guard_far) == 0
    assert backend.closed


def test_a_guard_that_died_meanwhile_ends_the_start_in_order(backend: Backend) -> None:
    console, console_far = socket.socketpair()
    guard, guard_far = socket.socketpair()
    with console:
        guard.close()
        assert run(console_far, guard_far) == 0
    assert backend.closed


def test_for_a_kind_of_target_that_nothing_acts_on_it_never_gets_ready(
    backend: Backend, capfd: pytest.CaptureFixture[str]
) -> None:
    console, console_far = socket.socketpair()
    guard, guard_far = socket.socketpair()
    with console, guard:
        assert run(console_far, guard_far, TargetKind.BROWSER) == 1
        assert guard.recv(16) == b""
    assert "a target of the kind browser" in capfd.readouterr().err
    assert not backend.closed
