"""A notification reaches whoever serves them on the session bus, as plain text; without a bus nothing happens."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from jeepney import new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import Proxy, open_dbus_connection

from operator_console.desktop.freedesktop.notifications import notify


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a private session bus."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        address = daemon.stdout.readline().strip()
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address
        daemon.terminate()


def test_it_reaches_the_daemon_as_plain_text(bus: str) -> None:
    got: list[tuple[Any, ...]] = []
    connection = open_dbus_connection(bus)
    Proxy(message_bus, connection).RequestName("org.freedesktop.Notifications")

    def serve() -> None:
        while not got:
            message = connection.receive(timeout=20)
            if message.header.fields.get(3) == "Notify":
                got.append(message.body)
                connection.send(new_method_return(message, "u", (7,)))

    served = threading.Thread(target=serve)
    served.start()
    assert notify("Your answer is needed", "Click <b>Pay</b> & go?") is True
    served.join()
    connection.close()
    name, _replaces, _icon, title, text, actions, _hints, _expires = got[0]
    assert (name, title, text) == (
        "Operator console",
        "Your answer is needed",
        "Click &lt;b&gt;Pay&lt;/b&gt; &amp; go?",
    )
    assert actions == []


def test_nobody_who_serves_them_is_no_error(bus: str) -> None:
    assert bus
    assert notify("Title", "Text") is False


@pytest.mark.parametrize("address", [None, "disabled:", "unix:path=/nonexistent"])
def test_no_bus_is_no_error(monkeypatch: pytest.MonkeyPatch, address: str | None) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    if address is not None:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    assert notify("Title", "Text") is False
