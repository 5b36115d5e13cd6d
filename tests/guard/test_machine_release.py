"""What the guard releases on a machine over VNC, by a connection of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from operator_console.desktop.ledger import Ledger
from operator_console.domain.errors import OperatorError
from operator_console.guard.machine_release import MachineReleaser, button_mask
from operator_console.guard.protocols import Held
from operator_console.rfb.server_login import Login
from tests.servers.rfb_referee import Key, Pointer, Referee, Rules

SHIFT = 0xFFE1


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    made, fd = Ledger.in_memory()
    made.mark_keysym(SHIFT, True)
    made.mark_button(1, True)
    made.mark_button(3, True)
    made.pointer = (30, 20)
    yield made
    made.close()
    os.close(fd)


def test_the_ledger_lists_keysyms_and_the_pointers_place(ledger: Ledger) -> None:
    assert (ledger.keysyms, ledger.pointer, ledger.clean) == ([SHIFT], (30, 20), False)
    assert ledger.mark_keysym(SHIFT, True), "once"
    assert [ledger.mark_keysym(number, True) for number in range(100, 112)] == [True] * 11 + [False]
    ledger.mark_keysym(105, False)
    assert ledger.mark_keysym(0x0100_20AC, True)
    assert button_mask(ledger) == 0b101


def test_what_is_listed_is_released_and_cleared(ledger: Ledger) -> None:
    with Referee(Rules()) as server:
        releaser = MachineReleaser(Login(host="127.0.0.1", port=server.port))
        releaser.reach()
        assert releaser.ready and releaser.drain()
        assert releaser.sweep(ledger) == Held(keys=1, buttons=2)
        assert not [said for said in server.said if isinstance(said, Key | Pointer)]
        releaser.finish(ledger)
        server.until(lambda: Key(SHIFT, False) in server.said and Pointer(30, 20, 0) in server.said)
        releaser.close()
    assert ledger.clean


def test_a_connection_that_is_lost_is_noticed_and_made_anew(ledger: Ledger) -> None:
    with Referee(Rules()) as server:
        releaser = MachineReleaser(Login(host="127.0.0.1", port=server.port))
        releaser.reach()
        server.clients[0].close()
        while releaser.drain():
            pass
        assert not releaser.ready
        releaser.finish(ledger)
        server.until(lambda: Key(SHIFT, False) in server.said)
        releaser.close()


def test_a_machine_that_is_gone_is_told_and_holds_nothing_up(ledger: Ledger) -> None:
    with Referee(Rules()) as server:
        port = server.port
    releaser = MachineReleaser(Login(host="127.0.0.1", port=port))
    with pytest.raises(OperatorError, match="was not reached"):
        releaser.reach()
    releaser.finish(ledger)
    assert ledger.clean
