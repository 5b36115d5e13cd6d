"""Asks the session's fcitx5 whether it would compose keys into other text.

fcitx5 has a state for each field, so it is asked right before the first key, when the field has the focus. A thread
connects to it, so that nothing waits if it is not running. Source of its D-Bus interface: fcitx5 5.0 and 5.1
(src/modules/dbus/dbusmodule.cpp).
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from operator_console.desktop.freedesktop.bus_peer import Peer

SERVICE, PATH, CONTROLLER = "org.Fcitx5", "/controller", "org.Fcitx.Controller1"

BUS, BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
WATCHED = f"type='signal',sender='{BUS}',interface='{BUS}',member='NameOwnerChanged',arg0='{SERVICE}'"
"""Match rule for its start and end."""

_GROUP = re.compile(r"^Group \[(?:x11:)?(.*?)\] has ")
_CONTEXT = re.compile(r"^\s+IC \[(\w+)\].* focus:1$")
_CALL_S = 0.25
_RETRY_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """An input context: `display` as in DISPLAY for X11, `name` unique while it exists."""

    display: str
    name: str


def focused(debug_info: str) -> list[Field]:
    """The input contexts with the focus, at most one for each display, parsed from DebugInfo()."""
    found, display = [], ""
    for line in debug_info.splitlines():
        if group := _GROUP.match(line):
            display = group[1]
        elif not line.startswith(" "):
            display = ""
        elif context := _CONTEXT.match(line):
            found.append(Field(display=display, name=context[1]))
    return found


def same_display(one: str, other: str) -> bool:
    """Whether both name the same display, ignoring the screen number."""
    return _without_screen(one) == _without_screen(other)


def composes(method: str) -> bool:
    """Whether an input method may turn keys into other text."""
    return bool(method) and not method.startswith("keyboard-")


def _without_screen(display: str) -> str:
    host, colon, number = display.rpartition(":")
    return f"{host}{colon}{number.partition('.')[0]}"


class Fcitx:
    """The connection to fcitx5. One per injector."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self._peer: Peer | None = None
        self._owner = ""
        self._pid: int | None = None
        self._join_timeout_s = 0.0
        self._connecting: threading.Thread | None = None
        self._connect_began_s = 0.0

    def start(self) -> None:
        """Connect to the bus in the background if that has not been done."""
        address = self._environ.get("DBUS_SESSION_BUS_ADDRESS")
        if not address or (self._peer is not None and self._peer.open):
            return
        due = self._connecting is None or time.monotonic() - self._connect_began_s > _RETRY_S
        if due and (self._connecting is None or not self._connecting.is_alive()):
            first = self._connecting is None
            self._connect_began_s = time.monotonic()
            self._connecting = threading.Thread(target=self._connect, args=(address,), name="fcitx", daemon=True)
            self._connecting.start()
            self._join_timeout_s = _CALL_S if first else 0.0

    def composing(self, wait_until_read: Callable[[], None]) -> str:
        """The input method that would compose the next key; "" for none.

        `wait_until_read` waits until the focused window has processed all earlier input.
        """
        if not self._available():
            return ""
        wait_until_read()  # an earlier click may change the focused field
        display = self._environ.get("DISPLAY", "")
        fields = focused(self._ask("DebugInfo"))
        here = any(same_display(field.display, display) for field in fields)
        method = self._ask("CurrentInputMethod") if here else ""
        return method if composes(method) else ""

    def close(self) -> None:
        """Disconnect from the bus."""
        if self._connecting is not None:
            self._connecting.join()
        if self._peer is not None:
            self._peer.close()

    @property
    def pid(self) -> int | None:
        """Its process id; None if it is not running or not known."""
        if self._available() and self._pid is None:
            reply = self._call(BUS, BUS_PATH, BUS, "GetConnectionUnixProcessID", "s", (self._owner,))
            self._pid = int(reply[0]) if reply else None
        return self._pid

    def _available(self) -> bool:
        self.start()
        if self._connecting is not None and self._connecting.is_alive():
            # Only the first key waits for a bus that hangs.
            self._connecting.join(self._join_timeout_s)
            self._join_timeout_s = 0.0
        return bool(self._owner) and self._peer is not None and self._peer.open

    def _ask(self, method: str) -> str:
        found = self._call(self._owner, PATH, CONTROLLER, method)
        return str(found[0]) if found else ""

    def _connect(self, address: str) -> None:
        self._owner = ""
        peer = Peer.connect(address, self._on_message, _CALL_S)
        if peer is None:
            return
        peer.call(BUS, BUS_PATH, BUS, "AddMatch", "s", (WATCHED,))
        owner = peer.call(BUS, BUS_PATH, BUS, "GetNameOwner", "s", (SERVICE,))
        # By its unique name: the bus would start a service called by its public name. A timeout closes the peer.
        if owner and peer.call(owner[0], PATH, CONTROLLER, "State") is None and not peer.open:
            return
        self._owner = self._owner or (str(owner[0]) if owner else "")
        self._peer = peer

    def _on_message(self, _peer: Peer, message: Any) -> None:
        from jeepney import HeaderFields

        if message.header.fields.get(HeaderFields.member) == "NameOwnerChanged":
            self._owner, self._pid = str(message.body[2]), None

    def _call(self, service: str, path: str, interface: str, method: str, *more: Any) -> tuple[Any, ...] | None:
        return self._peer.call(service, path, interface, method, *more) if self._peer is not None else None
