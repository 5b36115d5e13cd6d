"""Whose a connection is: by the kernel's answer, and by its list where it does not answer."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.browser.fence import connection_owner
from operator_console.browser.fence.connection_owner import is_of_this_user


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection: the client's and the server's."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
        server.accept()[0] as accepted,
    ):
        yield client, accepted


@pytest.fixture(params=["answer", "list"])
def source(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each source is the only one."""

    def refuse(*_: object) -> tuple[int, int]:
        raise OSError

    if request.param == "list":
        monkeypatch.setattr(connection_owner, "_asked", refuse)
    else:
        monkeypatch.setattr(connection_owner, "_CONNECTIONS", Path("/nowhere"))


def test_an_open_connection_of_this_user_is_known(source: None, ends: tuple[socket.socket, socket.socket]) -> None:
    client, server = ends
    assert is_of_this_user(client.getsockname(), server.getsockname())


def test_a_connection_of_another_user_is_not(
    source: None, ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, server = ends
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    assert not is_of_this_user(client.getsockname(), server.getsockname())


def test_a_connection_that_its_program_has_closed_is_nobodys(
    source: None, ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, server = ends
    address = client.getsockname()
    client.close()
    monkeypatch.setattr(os, "geteuid", lambda: 0)  # what a closed socket is listed with
    assert not is_of_this_user(address, server.getsockname())


def test_a_connection_that_there_is_not_is_nobodys(source: None, ends: tuple[socket.socket, socket.socket]) -> None:
    client, server = ends
    assert not is_of_this_user((client.getsockname()[0], 1), server.getsockname())


def test_without_any_source_a_connection_is_nobodys(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, server = ends
    monkeypatch.setattr(sys, "platform", "win32")
    assert not is_of_this_user(client.getsockname(), server.getsockname())
