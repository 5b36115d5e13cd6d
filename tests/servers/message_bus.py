"""A message bus of a test's own: `dbus-daemon`, as long as the block lasts, and who answers on it under a name."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from jeepney import DBusAddress, MessageType, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection


@contextmanager
def session_bus() -> Iterator[str]:
    """Its address."""
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE, text=True
    )
    assert daemon.stdout is not None
    try:
        yield daemon.stdout.readline().strip()
    finally:
        daemon.terminate()
        daemon.wait()
        daemon.stdout.close()


class Service:
    """Answers calls under a well-known name from its own thread, and sends signals.

    `answer`: a call's reply; None leaves it without one.
    """

    def __init__(self, address: str, name: str, answer: Callable[[Any], Any | None]) -> None:
        self._connection = open_dbus_connection(address)
        self._connection.send_and_get_reply(message_bus.RequestName(name))
        self._answer = answer
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def signal(self, path: str, interface: str, member: str, signature: str, body: tuple[Any, ...]) -> None:
        self._connection.send(new_signal(DBusAddress(path, interface=interface), member, signature, body))

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._connection.close()

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                message = self._connection.receive(timeout=0.02)
            except TimeoutError:
                continue
            if message.header.message_type is MessageType.method_call:
                reply = self._answer(message)
                if reply is not None:
                    self._connection.send(reply)
