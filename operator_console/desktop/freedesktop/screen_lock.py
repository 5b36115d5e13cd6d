"""Reports when the screen is locked.

Sources are logind's LockedHint of this session (system bus) and the screen saver's ActiveChanged (session bus). If
neither is available, nothing is reported and `available` is False. Callbacks come in threads of the watch.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import Any

from operator_console.desktop.freedesktop import bus

_LOGIN = "org.freedesktop.login1"
_SAVERS = (
    ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
    ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
    ("org.freedesktop.ScreenSaver", "/ScreenSaver"),
)
_PROPERTIES = "org.freedesktop.DBus.Properties"
_POLL_S = 0.5  # how soon `stop` is noticed

# The connection, the match rule of the signal, the parser of its body, and whether the screen is locked now.
Source = tuple[Any, Any, Callable[[tuple[Any, ...]], bool | None], bool]


class DBusScreenLockWatch:
    """Calls `on_change(locked)` at each change between `start` and `stop`, and at the start if it is locked."""

    def __init__(self, on_change: Callable[[bool], None], environ: Mapping[str, str] = os.environ) -> None:
        self._on_change = on_change
        self._environ = environ
        self._threads: list[threading.Thread] = []
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._locked = False

    @property
    def available(self) -> bool:
        """Whether a source is available; known after `start`."""
        return bool(self._threads)

    def start(self) -> None:
        """Connect and listen. Blocks for up to a few seconds if a bus does not answer, so call it in a thread."""
        for open_source in (_login_source, _saver_source):
            source = open_source(self._environ)
            if source is None:
                continue
            thread = threading.Thread(target=self._listen, args=source, name="screen-lock", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Stop listening; no callback follows."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _listen(
        self, connection: Any, rule: Any, read: Callable[[tuple[Any, ...]], bool | None], locked_now: bool
    ) -> None:
        self._report(locked_now)
        try:
            with connection.filter(rule, bufsize=8) as signals:
                while not self._over.is_set():
                    try:
                        message = connection.recv_until_filtered(signals, timeout=_POLL_S)
                    except TimeoutError:
                        continue
                    locked = read(tuple(message.body))
                    if locked is not None:
                        self._report(locked)
        except (OSError, EOFError):
            return  # the bus has ended, and with it the desktop session
        finally:
            connection.close()

    def _report(self, locked: bool) -> None:
        with self._lock:
            if locked == self._locked:
                return
            self._locked = locked
        self._on_change(locked)


def _login_source(environ: Mapping[str, str]) -> Source | None:
    connection = bus.connect("system", environ)
    if connection is None:
        return None
    session = bus.call(
        connection, _LOGIN, "/org/freedesktop/login1", f"{_LOGIN}.Manager", "GetSessionByPID", "u", (os.getpid(),)
    )
    match = (
        bus.subscribe(connection, path=str(session[0]), interface=_PROPERTIES, member="PropertiesChanged")
        if session
        else None
    )
    if session is None or match is None:
        connection.close()
        return None

    def read(body: tuple[Any, ...]) -> bool | None:
        hint = body[1].get("LockedHint") if len(body) > 1 and isinstance(body[1], dict) else None
        return bool(hint[1]) if hint else None

    now = bus.call(connection, _LOGIN, str(session[0]), _PROPERTIES, "Get", "ss", (f"{_LOGIN}.Session", "LockedHint"))
    return connection, match, read, bool(now and now[0][1])


def _saver_source(environ: Mapping[str, str]) -> Source | None:
    connection = bus.connect("session", environ)
    if connection is None:
        return None
    for service, path in _SAVERS:
        now = bus.call(connection, service, path, service, "GetActive")
        if now is None:
            continue
        match = bus.subscribe(connection, path=path, interface=service, member="ActiveChanged")
        if match is not None:
            return connection, match, lambda body: bool(body[0]) if body else None, bool(now[0])
    connection.close()
    return None
