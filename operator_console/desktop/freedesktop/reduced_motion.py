"""Reports whether the desktop asks for reduced motion.

Sources: the settings of the desktop portal (session bus), which also tells of changes; where they have no such setting,
that of GTK in its settings file. If neither is available, nothing is reported. Callbacks come in the watch's thread.
Specification: https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from operator_console.desktop.freedesktop import bus

_SERVICE, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_SETTINGS = "org.freedesktop.portal.Settings"
_KEYS: Mapping[tuple[str, str], Callable[[Any], bool]] = {
    ("org.freedesktop.appearance", "reduced-motion"): lambda value: value == 1,
    ("org.gnome.desktop.interface", "enable-animations"): lambda value: value is False,
}
"""The settings by namespace and key, and whether a value of each asks for reduced motion."""
_GTK_FILES = ("gtk-4.0/settings.ini", "gtk-3.0/settings.ini")
_GTK_OFF = frozenset(("0", "false"))


class PortalReducedMotionWatch:
    """Calls `on_change(reduced)` at each change between `start` and `stop`, and at the start if motion is reduced.

    Args:
        on_change: called in a thread of the watch.
        after_s: how long the thread waits before it begins.
        environ: names the session bus and the folder of the settings files.
    """

    def __init__(
        self, on_change: Callable[[bool], None], *, after_s: float = 0.0, environ: Mapping[str, str] = os.environ
    ) -> None:
        self._on_change = on_change
        self._after_s = after_s
        self._environ = environ
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._connection: Any = None
        self._asked = dict.fromkeys(_KEYS, False)
        self._reduced = False
        self._thread = threading.Thread(target=self._watch, name="reduced-motion", daemon=True)

    def start(self) -> None:
        """Begin in a thread; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop reporting; returns when no callback follows, after 2 s at the most."""
        self._over.set()
        with self._lock:
            if self._connection is not None:
                with contextlib.suppress(OSError):
                    self._connection.sock.shutdown(socket.SHUT_RDWR)  # wakes the thread
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        if self._over.wait(self._after_s):
            return
        connection = bus.connect("session", self._environ)
        if connection is None:
            self._report(_gtk_reduces(self._environ))
            return
        with self._lock:
            self._connection = connection
        try:
            self._follow(connection)
        except (OSError, EOFError):
            return  # the bus has ended, or `stop` was called
        finally:
            with self._lock:
                self._connection = None
            connection.close()

    def _follow(self, connection: Any) -> None:
        rule = bus.subscribe(connection, path=_PATH, interface=_SETTINGS, member="SettingChanged")
        if rule is None:
            return
        with connection.filter(rule, bufsize=64) as signals:  # before asking, so that no change is missed
            known = [self._ask(connection, *key) for key in _KEYS]
            if not any(known):
                self._report(_gtk_reduces(self._environ))
                return
            while not self._over.is_set():
                body = tuple(connection.recv_until_filtered(signals).body)
                if len(body) == 3:
                    self._hear(*body)

    def _ask(self, connection: Any, namespace: str, key: str) -> bool:
        """Whether the portal has the setting."""
        answer = bus.call(connection, _SERVICE, _PATH, _SETTINGS, "Read", "ss", (namespace, key))
        if not answer:
            return False
        self._hear(namespace, key, answer[0])
        return True

    def _hear(self, namespace: str, key: str, variant: Any) -> None:
        asks = _KEYS.get((namespace, key))
        if asks is not None:
            self._asked[namespace, key] = asks(_value_of(variant))
            self._report(any(self._asked.values()))

    def _report(self, reduced: bool) -> None:
        if reduced != self._reduced and not self._over.is_set():
            self._reduced = reduced
            self._on_change(reduced)


def _value_of(variant: Any) -> Any:
    """What is in a variant, which jeepney gives as signature and value; `Read` puts one into another."""
    while isinstance(variant, tuple) and len(variant) == 2:
        variant = variant[1]
    return variant


def _gtk_reduces(environ: Mapping[str, str]) -> bool:
    """What the newest GTK settings file that has the setting says."""
    import configparser

    folder = Path(environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or "/nonexistent") / ".config")
    for name in _GTK_FILES:
        settings = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            settings.read_string((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError, configparser.Error):
            continue
        value = settings.get("Settings", "gtk-enable-animations", fallback=None)
        if value is not None:
            return value.strip().lower() in _GTK_OFF
    return False
