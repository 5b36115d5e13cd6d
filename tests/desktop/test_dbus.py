"""Who shows notifications, and the screen lock: on a private message bus with the test's own services, and without."""

from __future__ import annotations

import queue
import shutil
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jeepney import DBusAddress, HeaderFields, MessageType, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

from operator_console.desktop.notification_check import check_notifications
from operator_console.desktop.screen_lock import ScreenLockWatch, check_screen_lock
from tests.servers.message_bus import session_bus

NOTIFICATIONS = "org.freedesktop.Notifications"
SAVER = "org.freedesktop.ScreenSaver"
DEADLINE_S = 30.0

pytestmark = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="needs dbus-daemon")

Answer = Callable[[str, tuple[Any, ...]], tuple[str, tuple[Any, ...]]]


@pytest.fixture
def environ() -> Iterator[dict[str, str]]:
    """A session bus of the test's own, and no system bus."""
    with session_bus() as address:
        yield {"DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"}


class Service:
    """Answers calls under a well-known name from its own thread, and sends signals."""

    def __init__(self, address: str, name: str, answer: Answer) -> None:
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
                message = self._connection.receive(timeout=0.1)
            except TimeoutError:
                continue
            if message.header.message_type is MessageType.method_call:
                signature, body = self._answer(message.header.fields[HeaderFields.member], message.body)
                self._connection.send(new_method_return(message, signature, body))


def test_who_shows_notifications_is_told(environ: dict[str, str]) -> None:
    address = environ["DBUS_SESSION_BUS_ADDRESS"]
    service = Service(address, NOTIFICATIONS, lambda _member, _body: ("ssss", ("testd", "us", "1.0", "1.2")))
    try:
        check = check_notifications(environ)
    finally:
        service.close()
    assert check.ok
    assert "testd 1.0" in check.detail


def test_that_nobody_shows_notifications_is_told(environ: dict[str, str]) -> None:
    for where in (environ, {}):
        check = check_notifications(where)
        assert not check.ok
        assert check.remedy


def test_locking_and_unlocking_are_told(environ: dict[str, str]) -> None:
    service = Service(environ["DBUS_SESSION_BUS_ADDRESS"], SAVER, lambda _member, _body: ("b", (False,)))
    told: queue.Queue[bool] = queue.Queue()
    watch = ScreenLockWatch(told.put, environ)
    try:
        watch.start()
        assert watch.available
        for locked in (True, False, True):
            service.signal("/org/freedesktop/ScreenSaver", SAVER, "ActiveChanged", "b", (locked,))
            assert told.get(timeout=DEADLINE_S) is locked
    finally:
        watch.stop()
        service.close()
    assert told.empty()


def test_a_screen_locked_already_is_told_at_once(environ: dict[str, str]) -> None:
    service = Service(environ["DBUS_SESSION_BUS_ADDRESS"], SAVER, lambda _member, _body: ("b", (True,)))
    told: queue.Queue[bool] = queue.Queue()
    watch = ScreenLockWatch(told.put, environ)
    try:
        watch.start()
        assert told.get(timeout=DEADLINE_S) is True
    finally:
        watch.stop()
        service.close()


def test_where_nothing_tells_of_the_lock_it_is_said(environ: dict[str, str]) -> None:
    watch = ScreenLockWatch(lambda _: None, environ)
    watch.start()
    assert not watch.available
    watch.stop()
    check = check_screen_lock(environ)
    assert not check.ok
    assert check.remedy
