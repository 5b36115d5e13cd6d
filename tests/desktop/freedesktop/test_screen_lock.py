"""The screen lock: on a private message bus with the test's own services, and without."""

from __future__ import annotations

import queue
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jeepney import new_method_return

from operator_console.desktop.freedesktop.screen_lock import DBusScreenLockWatch
from tests.servers.message_bus import Service, session_bus

SAVER = "org.freedesktop.ScreenSaver"
DEADLINE_S = 30.0

pytestmark = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="needs dbus-daemon")


@pytest.fixture
def environ() -> Iterator[dict[str, str]]:
    """A session bus of the test's own, and no system bus."""
    with session_bus() as address:
        yield {"DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"}


def answering(signature: str, *values: object) -> Callable[[Any], Any]:
    """Every call with the same."""
    return lambda call: new_method_return(call, signature, values)


def test_locking_and_unlocking_are_told(environ: dict[str, str]) -> None:
    service = Service(environ["DBUS_SESSION_BUS_ADDRESS"], SAVER, answering("b", False))
    told: queue.Queue[bool] = queue.Queue()
    watch = DBusScreenLockWatch(told.put, environ)
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
    service = Service(environ["DBUS_SESSION_BUS_ADDRESS"], SAVER, answering("b", True))
    told: queue.Queue[bool] = queue.Queue()
    watch = DBusScreenLockWatch(told.put, environ)
    try:
        watch.start()
        assert told.get(timeout=DEADLINE_S) is True
    finally:
        watch.stop()
        service.close()


def test_where_nothing_tells_of_the_lock_it_is_known(environ: dict[str, str]) -> None:
    watch = DBusScreenLockWatch(lambda _: None, environ)
    watch.start()
    assert not watch.available
    watch.stop()
