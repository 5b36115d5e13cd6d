"""`python -m operator_console.injector.input_method.ibus_engine_process`: our engine on the IBus bus.

While the injector types, this engine replaces the person's: it passes every key through unchanged, and commits the text
that the injector sends. It restores the person's engine on request, and when the injector has ended or was killed.
It commits nothing while the gate is shut.

IBus drops the global engine whenever any registered component leaves the bus (check_global_engine in bus/ibusimpl.c of
1.5), so the person's engine is set once more after our own connection has closed.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import threading
import time
from typing import Any

from operator_console.desktop.freedesktop import ibus
from operator_console.desktop.freedesktop.bus_peer import Peer
from operator_console.desktop.ledger import Gate, Ledger
from operator_console.json_lines import BrokenPipe, Unpacker, packed, receive

_NAME_PREFIX = "operator-console-"
_TITLE = "Operator console"
_OBJECT = "/org/operator_console/Engine"
_CALL_S = 0.25
_ACTIVE_CALL_S = 2.0
_FOCUS_S = 0.1
_RESTORE_S = 1.0
_RECONNECT_S = 20.0
_POLL_S = 0.002
_BUS = "org.freedesktop.DBus"


class Engine:
    """Answers the daemon's calls to our engine, and counts the keys that have passed through it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._client: str | None = None
        self._focused = False
        self._released: dict[int, int] = {}
        self._composing: set[str] = set()

    def receive(self, peer: Peer, message: Any) -> None:
        """Handle a call or a signal from the bus."""
        from jeepney import HeaderFields, MessageType

        fields, body = message.header.fields, message.body
        member, path = fields.get(HeaderFields.member, ""), fields.get(HeaderFields.path, "")
        if fields.get(HeaderFields.interface) == ibus.CONTEXT:
            self._on_context_signal(path, member, body)
        elif message.header.message_type is MessageType.method_call:
            self._update(member, body)
            self._answer(peer, message, member)

    def _answer(self, peer: Peer, message: Any, member: str) -> None:
        from jeepney import new_method_return

        match member:
            case "CreateEngine":
                peer.post(new_method_return(message, "o", (_OBJECT,)))
            case "ProcessKeyEvent":
                peer.post(new_method_return(message, "b", (False,)))
            case "Get":
                peer.post(new_method_return(message, "v", (("b", True),)))
            case "GetAll":
                peer.post(new_method_return(message, "a{sv}", ({"FocusId": ("b", True)},)))
            case _:
                peer.post(new_method_return(message))

    def _update(self, member: str, body: tuple[Any, ...]) -> None:
        with self._changed:
            match member:
                case "CreateEngine":
                    self._focused, self._client = False, None
                    self._released.clear()
                case "Destroy" | "FocusOut" | "FocusOutId":
                    self._focused, self._client = False, None
                case "FocusIn":
                    self._focused, self._client = True, None
                case "FocusInId":
                    self._focused, self._client = True, str(body[1])
                case "ProcessKeyEvent" if body[2] & ibus.RELEASED:
                    keycode = body[1] + ibus.KEYCODE_OFFSET
                    self._released[keycode] = self._released.get(keycode, 0) + 1
            self._changed.notify_all()

    def _on_context_signal(self, path: str, member: str, body: tuple[Any, ...]) -> None:
        shows = ibus.shows_preedit(member, body)
        if shows is not None:
            (self._composing.add if shows else self._composing.discard)(path)

    def composing(self, path: str) -> bool:
        """Whether a text is being composed in the input context of this path."""
        return path in self._composing

    def released(self, keycode: int) -> int:
        """How often this key's release has passed through the engine."""
        return self._released.get(keycode, 0)

    def client(self) -> str:
        """The program whose field our engine serves; "" for none, "?" if the daemon did not say."""
        with self._changed:
            self._changed.wait_for(lambda: self._focused, _FOCUS_S)
            name = self._client if self._client is not None else "?"
            return name if self._focused and name != ibus.NOBODY else ""


class EngineServer:
    """Answers the injector's requests."""

    def __init__(self, address: str, ledger: Ledger) -> None:
        self._address = address
        self._ledger = ledger
        self._engine = Engine()
        self._peer = Peer.connect(address, self._engine.receive, _CALL_S)
        self._registered = False
        self._replaced = ""
        # Unique, because the process of an injector that was killed may still be restoring the engine.
        self._name = f"{_NAME_PREFIX}{os.getpid()}"
        if self._peer is not None:
            for rule in ibus.WATCHED:
                self._peer.call(_BUS, "/org/freedesktop/DBus", _BUS, "AddMatch", "s", (rule,))

    @property
    def ready(self) -> bool:
        """Whether the input method's daemon is connected."""
        return self._peer is not None and self._peer.open

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request; {} if the daemon is not connected (any more)."""
        answer = self._answered(self._peer, request) if self._peer is not None else {}
        return answer if self.ready else {}

    def _answered(self, peer: Peer, request: dict[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "engine":
                return {"engine": self._global_engine(peer)}
            case "composing":
                return {"composing": self._engine.composing(self._context(peer))}
            case "activate":
                return {"activated": self._replace(peer)}
            case "client":
                return {"client": self._engine.client()}
            case "daemon":
                return {"pid": peer.pid}
            case "releases":
                return {"count": self._engine.released(request["keycode"])}
            case "commit":
                return {"committed": self._commit(peer, request["text"])}
            case "restore":
                return {"restored": self._restore(peer)}
            case _:
                return {}

    def end(self) -> None:
        """The injector has ended: restore the person's engine and leave the bus."""
        if self._peer is None:
            return
        engine = self._replaced or (self._global_engine(self._peer) if self._registered else "")
        if self._replaced:
            self._restore(self._peer)
        self._peer.close()
        if engine and not engine.startswith(_NAME_PREFIX):
            self._restore_after_closing(engine)

    def _restore_after_closing(self, engine: str) -> None:
        """Set the engine again, which the daemon drops when it notices that our connection has closed."""
        deadline = time.monotonic() + _RECONNECT_S
        while (peer := Peer.connect(self._address, lambda *_: None, _CALL_S)) is None:
            if time.monotonic() > deadline:
                return
            time.sleep(_CALL_S)
        deadline = time.monotonic() + _RESTORE_S
        while peer.open and time.monotonic() < deadline:
            now = self._global_engine(peer)
            if now in {"", self._name}:
                self._set_engine(peer, engine)
                if not now:
                    break
            time.sleep(_POLL_S)
        peer.close()

    def _replace(self, peer: Peer) -> bool:
        replaced = self._persons_engine(peer)
        if replaced in {"", self._name}:
            return replaced == self._name
        if not self._registered:
            if self._call(peer, "RegisterComponent", "v", (ibus.component(self._name, _TITLE),)) is None:
                return False
            self._registered = True
        self._replaced = replaced
        # A longer timeout than usual: giving up on a slow daemon now would lose the keys in transit.
        peer.timeout_s = _ACTIVE_CALL_S
        taken = self._set_engine(peer, self._name)
        if taken and self._engine.client() == "?":
            # The daemon learns only when it creates the engine that it must report clients, so create it again.
            taken = self._set_engine(peer, replaced) and self._set_engine(peer, self._name)
        if not taken:
            self._restore(peer)
        return taken

    def _persons_engine(self, peer: Peer) -> str:
        """The person's engine; waits for another process of ours that is about to restore it."""
        deadline = time.monotonic() + _RESTORE_S
        while (engine := self._global_engine(peer)).startswith(_NAME_PREFIX) and engine != self._name:
            if time.monotonic() > deadline:
                return ""
            time.sleep(_POLL_S)
        return engine

    def _restore(self, peer: Peer) -> bool:
        """Restore the person's engine, unless the person has chosen another one meanwhile."""
        replaced, self._replaced = self._replaced, ""
        back = not replaced or self._global_engine(peer) != self._name or self._set_engine(peer, replaced)
        peer.timeout_s = _CALL_S
        return back

    def _commit(self, peer: Peer, characters: str) -> bool:
        from jeepney import DBusAddress, new_signal

        if self._ledger.gate is not Gate.OPEN or self._global_engine(peer) != self._name or not self._engine.client():
            return False
        place = DBusAddress(_OBJECT, interface=ibus.ENGINE)
        peer.post(new_signal(place, "CommitText", "v", (ibus.text(characters),)))
        # The reply comes after the daemon has processed the signal.
        return bool(self._global_engine(peer))

    def _set_engine(self, peer: Peer, engine: str) -> bool:
        return self._call(peer, "SetGlobalEngine", "s", (engine,)) is not None

    def _global_engine(self, peer: Peer) -> str:
        found = self._property(peer, "GlobalEngine")
        return "" if found is None else ibus.name_of_engine(found)

    def _context(self, peer: Peer) -> str:
        found = self._property(peer, "CurrentInputContext")
        return "" if found is None else str(found[1])

    def _property(self, peer: Peer, name: str) -> ibus.Value | None:
        found = peer.call(ibus.SERVICE, ibus.PATH, ibus.PROPERTIES, "Get", "ss", (ibus.SERVICE, name))
        return found[0] if found else None

    def _call(self, peer: Peer, method: str, signature: str, body: tuple[Any, ...]) -> tuple[Any, ...] | None:
        return peer.call(ibus.SERVICE, ibus.PATH, ibus.SERVICE, method, signature, body)


def run(fd: int, ledger_fd: int) -> int:
    """Serve until the injector's end of the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = socket.socket(fileno=fd)
    address = ibus.address(os.environ.get("DISPLAY", ""))
    if address is None:
        return 0
    server = EngineServer(address, Ledger(ledger_fd))
    unpacker = Unpacker()
    try:
        channel.sendall(packed({"ready": server.ready}))
        while server.ready:
            for request in receive(channel, unpacker):
                channel.sendall(packed(server.answer(request)))
    except (BrokenPipe, OSError):
        pass
    server.end()
    return 0


def main() -> int:
    """Parse the arguments and serve."""
    parser = argparse.ArgumentParser(prog="operator-console-engine")
    for name in ("fd", "ledger-fd"):
        parser.add_argument(f"--{name}", type=int, required=True)
    arguments = parser.parse_args()
    return run(arguments.fd, arguments.ledger_fd)


if __name__ == "__main__":
    sys.exit(main())
