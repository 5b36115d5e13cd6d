"""What a session locks and releases, by the kind of its target."""

from __future__ import annotations

import os
from typing import Any

import pytest

from operator_console.desktop.ledger import Ledger
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.frames import TargetKind
from operator_console.guard import latch
from operator_console.guard.protocols import Held
from operator_console.guard.server import session
from operator_console.guard.server.injector_child import ActedOn
from operator_console.guard.server.latch_writer import LatchWriter
from operator_console.guard.server.session import DisplayHold

ELSEWHERE = [ActedOn(kind=TargetKind.BROWSER, address="/somewhere"), ActedOn(kind=TargetKind.VNC)]


class Server:
    """A LockedDisplay that remembers what it released."""

    def __init__(self) -> None:
        self.finished = 0
        self.closed = False

    def fileno(self) -> int:
        return 0

    def lost(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True

    def sweep(self, ledger: Ledger) -> Held:
        raise AssertionError("nothing was pressed there")

    def finish(self, ledger: Ledger) -> None:
        self.finished += 1


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Server]:
    """The X servers that were locked, by their names."""
    locked: dict[str, Server] = {}
    monkeypatch.setattr(session, "lock_display", lambda name: locked.setdefault(name, Server()))
    return locked


def left_held(display: str) -> None:
    """A dead guard's ledger: a key that is down on a display."""
    ledger, fd = Ledger.open_file(latch.path_of(display, "ledger"))
    ledger.mark_key(38, True)
    ledger.close()
    os.close(fd)


@pytest.mark.parametrize("acted_on", ELSEWHERE, ids=lambda each: each.kind)
async def test_a_target_elsewhere_locks_the_persons_display_and_releases_nothing_there(
    servers: dict[str, Server], acted_on: ActedOn
) -> None:
    left_held(":7")
    files = LatchWriter()
    hold = DisplayHold.take(":7", acted_on, files)
    hold.ledger.mark_key(16, True)
    assert hold.releaser.sweep(hold.ledger) == Held(keys=1, buttons=0)
    hold.releaser.finish(hold.ledger)
    assert hold.displays == (":7",)
    assert list(servers) == [":7"]
    assert latch.locked(":7")
    hold.give_up()
    await files.close()
    assert (servers[":7"].finished, servers[":7"].closed) == (0, True)
    ledger, fd = Ledger.open_file(latch.path_of(":7", "ledger"))
    assert ledger.keys == [38], "the ledger of the display is as it was"
    ledger.close()
    os.close(fd)


async def test_without_a_display_only_the_file_is_locked(servers: dict[str, Server]) -> None:
    files = LatchWriter()
    hold = DisplayHold.take(NO_DISPLAY, ELSEWHERE[0], files)
    assert latch.locked(NO_DISPLAY)
    assert (hold.displays, hold.connection_fds, servers) == ((NO_DISPLAY,), [], {})
    hold.give_up()
    await files.close()
    assert not latch.locked(NO_DISPLAY)
    assert [path.name for path in latch.run_dir().iterdir()] == ["none.lock"]


async def test_a_target_on_a_display_is_locked_too_and_what_was_left_held_there_is_released(
    servers: dict[str, Server],
) -> None:
    left_held(":8")
    files = LatchWriter()
    hold = DisplayHold.take(":7", ActedOn(kind=TargetKind.VIRTUAL, display=":8"), files)
    assert hold.displays == (":7", ":8")
    assert {name: server.finished for name, server in servers.items()} == {":7": 0, ":8": 1}
    released_by: Any = hold.releaser
    assert released_by is servers[":8"]
    hold.give_up()
    await files.close()
