"""One process with connections to two X servers that number the events of their extensions differently."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from Xlib import X
from Xlib.ext import xfixes, xtest

from operator_console.guard.x11.display import open_display
from tests.display.rig import start_xvfb


@pytest.fixture
def two_servers(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Without MIT-SHM, the extensions that come after it have lower numbers."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    servers = [start_xvfb(first), start_xvfb(second, options=("-extension", "MIT-SHM"))]
    yield servers[0].name, servers[1].name
    for server in servers:
        server.stop()


def own_selection(display: Any) -> Any:
    """The event that tells of a new owner of a selection."""
    atom = display.intern_atom("PRIMARY")
    window = display.screen().root.create_window(0, 0, 1, 1, 0, 0)
    display.xfixes_query_version()
    display.xfixes_select_selection_input(window, atom, xfixes.XFixesSetSelectionOwnerNotifyMask)
    window.set_selection_owner(atom, X.CurrentTime)
    display.sync()
    return display.next_event()


@pytest.fixture
def displays(two_servers: tuple[str, str]) -> Iterator[list[Any]]:
    """Two connections to each server, in turn."""
    opened = [open_display(name) for name in (*two_servers, *two_servers)]
    yield opened
    for display in opened:
        display.close()


def test_each_connection_reads_the_events_of_its_own_server(displays: list[Any]) -> None:
    numbers = [display.query_extension("XFIXES").first_event for display in displays]
    assert numbers[0] != numbers[1], "the test's premise: the servers number differently"
    for display, number in zip(displays, numbers, strict=True):
        event = own_selection(display)
        assert (type(event).__name__, event.type) == ("SetSelectionOwnerNotify", number)


def test_each_connection_sends_keys_to_its_own_server(displays: list[Any]) -> None:
    numbers = [display.query_extension("XTEST").major_opcode for display in displays]
    assert numbers[0] != numbers[1], "the test's premise: the servers number differently"
    keycode = 38
    for display in displays:
        for kind, down in ((X.KeyPress, True), (X.KeyRelease, False)):
            xtest.fake_input(display, kind, keycode)
            display.sync()
            assert bool(display.query_keymap()[keycode // 8] >> keycode % 8 & 1) is down
