"""fcitx5 of the session, as the injector uses it: whether it would compose keys into something else.

It has a state for each field, so it is asked right before the first key, when the field has the focus. Where it does
not run nothing waits for anything: a thread listens for it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from operator_console.desktop.freedesktop import fcitx
from operator_console.desktop.freedesktop.bus_peer import Peer

_CALL_S = 0.25
_AGAIN_S = 10.0


class Fcitx:
    """One per injector."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self._peer: Peer | None = None
        self._owner = ""
        self._pid: int | None = None
        self._patience_s = 0.0
        self._finding: threading.Thread | None = None
        self._began_s = 0.0

    def start(self) -> None:
        """Look for the bus where it is not known; does not wait."""
        address = self._environ.get("DBUS_SESSION_BUS_ADDRESS")
        if not address or (self._peer is not None and self._peer.open):
            return
        waited = self._finding is None or time.monotonic() - self._began_s > _AGAIN_S
        if waited and (self._finding is None or not self._finding.is_alive()):
            first = self._finding is None
            self._began_s = time.monotonic()
            self._finding = threading.Thread(target=self._find, args=(address,), name="fcitx", daemon=True)
            self._finding.start()
            self._patience_s = _CALL_S if first else 0.0

    def composing(self, read: Callable[[], None]) -> str:
        """The input method that would compose the next key; "" for none. `read`: as InputMethod.keys_as_they_are."""
        if not self._there():
            return ""
        read()  # a click that came before gives another field the focus
        display = self._environ.get("DISPLAY", "")
        fields = fcitx.focused(self._ask("DebugInfo"))
        here = any(fcitx.same_display(field.display, display) for field in fields)
        method = self._ask("CurrentInputMethod") if here else ""
        return method if fcitx.composes(method) else ""

    def close(self) -> None:
        """Leave the bus."""
        if self._finding is not None:
            self._finding.join()
        if self._peer is not None:
            self._peer.close()

    @property
    def pid(self) -> int | None:
        """Its process, where it runs and that is known."""
        if self._there() and self._pid is None:
            of = self._call(fcitx.BUS, fcitx.BUS_PATH, fcitx.BUS, "GetConnectionUnixProcessID", "s", (self._owner,))
            self._pid = int(of[0]) if of else None
        return self._pid

    def _there(self) -> bool:
        self.start()
        if self._finding is not None and self._finding.is_alive():
            # Of a bus that hangs the first key waits, once.
            self._finding.join(self._patience_s)
            self._patience_s = 0.0
        return bool(self._owner) and self._peer is not None and self._peer.open

    def _ask(self, method: str) -> str:
        found = self._call(self._owner, fcitx.PATH, fcitx.CONTROLLER, method)
        return str(found[0]) if found else ""

    def _find(self, address: str) -> None:
        self._owner = ""
        peer = Peer.connect(address, self._hear, _CALL_S)
        if peer is None:
            return
        peer.call(fcitx.BUS, fcitx.BUS_PATH, fcitx.BUS, "AddMatch", "s", (fcitx.WATCHED,))
        owner = peer.call(fcitx.BUS, fcitx.BUS_PATH, fcitx.BUS, "GetNameOwner", "s", (fcitx.SERVICE,))
        # By its own name: the public one would have the bus start it. One that hangs closes this connection.
        if owner and peer.call(owner[0], fcitx.PATH, fcitx.CONTROLLER, "State") is None and not peer.open:
            return
        self._owner = self._owner or (str(owner[0]) if owner else "")
        self._peer = peer

    def _hear(self, _peer: Peer, message: Any) -> None:
        from jeepney import HeaderFields

        if message.header.fields.get(HeaderFields.member) == "NameOwnerChanged":
            self._owner, self._pid = str(message.body[2]), None

    def _call(self, service: str, path: str, interface: str, method: str, *more: Any) -> tuple[Any, ...] | None:
        return self._peer.call(service, path, interface, method, *more) if self._peer is not None else None
