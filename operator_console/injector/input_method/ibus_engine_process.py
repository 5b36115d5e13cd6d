"""`python -m operator_console.injector.input_method.ibus_engine_process`: our engine on the IBus bus.

While the injector types, this engine stands in for the person's: it lets every key through as it is, and commits what
the injector hands it. It sets the person's engine back when told to, and also when the injector is gone, killed or
not; then it ends. It commits nothing by itself, and nothing while the gate is shut. Started by input_method.py only.

IBus drops the global engine whenever a registered component leaves the bus (check_global_engine in bus/ibusimpl.c of
1.5), whoever's it is: so the person's engine is set once more after our own connection has gone.
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
from operator_console.injector.wire import BrokenPipe, Unpacker, packed, receive

_OURS = "operator-console-"
_TITLE = "Operator console"
_OBJECT = "/org/operator_console/Engine"
_CALL_S = 0.25
_BUSY_CALL_S = 2.0
_FOCUS_S = 0.1
_GONE_S = 1.0
_HUNG_S = 20.0
_POLL_S = 0.002
_BUS = "org.freedesktop.DBus"


class Engine:
    """Ours, as the daemon sees it: what it was told, and what has passed through it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._client: str | None = None
        self._focused = False
        self._released: dict[int, int] = {}
        self._composing: set[str] = set()

    def receive(self, peer: Peer, message: Any) -> None:
        """A call or a signal from the bus."""
        from jeepney import HeaderFields, MessageType

        fields, body = message.header.fields, message.body
        member, path = fields.get(HeaderFields.member, ""), fields.get(HeaderFields.path, "")
        if fields.get(HeaderFields.interface) == ibus.CONTEXT:
            self._watched(path, member, body)
        elif message.header.message_type is MessageType.method_call:
            self._note(member, body)
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

    def _note(self, member: str, body: tuple[Any, ...]) -> None:
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

    def _watched(self, path: str, member: str, body: tuple[Any, ...]) -> None:
        shows = ibus.shows_preedit(member, body)
        if shows is not None:
            (self._composing.add if shows else self._composing.discard)(path)

    def composing(self, path: str) -> bool:
        """Whether a text is being composed in this context."""
        return path in self._composing

    def released(self, keycode: int) -> int:
        """How often this key was let go, as applications passed it on."""
        return self._released.get(keycode, 0)

    def client(self) -> str:
        """Whose field our engine serves: "" for nobody's; "?" where the daemon did not say."""
        with self._changed:
            self._changed.wait_for(lambda: self._focused, _FOCUS_S)
            name = self._client if self._client is not None else "?"
            return name if self._focused and name != ibus.NOBODY else ""


class Keeper:
    """Answers the injector's requests, one at a time."""

    def __init__(self, address: str, ledger: Ledger) -> None:
        self._address = address
        self._ledger = ledger
        self._engine = Engine()
        self._peer = Peer.connect(address, self._engine.receive, _CALL_S)
        self._registered = False
        self._former = ""
        # Of its own: the keeper of an injector that was killed may still be at its work.
        self._name = f"{_OURS}{os.getpid()}"
        if self._peer is not None:
            for rule in ibus.WATCHED:
                self._peer.call(_BUS, "/org/freedesktop/DBus", _BUS, "AddMatch", "s", (rule,))

    @property
    def ready(self) -> bool:
        """Whether there is an input method to speak to."""
        return self._peer is not None and self._peer.open

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the injector asked for; {} where there is no input method (any more)."""
        answer = self._answered(self._peer, request) if self._peer is not None else {}
        return answer if self.ready else {}

    def _answered(self, peer: Peer, request: dict[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "look":
                return {"engine": self._global(peer)}
            case "composing":
                return {"composing": self._engine.composing(self._context(peer))}
            case "take":
                return {"taken": self._take(peer)}
            case "who":
                return {"client": self._engine.client()}
            case "daemon":
                return {"pid": peer.pid}
            case "heard":
                return {"count": self._engine.released(request["keycode"])}
            case "commit":
                return {"committed": self._commit(peer, request["text"])}
            case "give back":
                return {"back": self._give_back(peer)}
            case _:
                return {}

    def end(self) -> None:
        """The injector is gone: leave the bus with the person's engine as it was."""
        if self._peer is None:
            return
        engine = self._former or (self._global(self._peer) if self._registered else "")
        if self._former:
            self._give_back(self._peer)
        self._peer.close()
        if engine and not engine.startswith(_OURS):
            self._set_again(engine)

    def _set_again(self, engine: str) -> None:
        """The daemon forgets the engine once it has seen our connection close."""
        deadline = time.monotonic() + _HUNG_S
        while (peer := Peer.connect(self._address, lambda *_: None, _CALL_S)) is None:
            if time.monotonic() > deadline:
                return
            time.sleep(_CALL_S)
        deadline = time.monotonic() + _GONE_S
        while peer.open and time.monotonic() < deadline:
            now = self._global(peer)
            if now in {"", self._name}:
                self._set(peer, engine)
                if not now:
                    break
            time.sleep(_POLL_S)
        peer.close()

    def _take(self, peer: Peer) -> bool:
        former = self._persons(peer)
        if former in {"", self._name}:
            return former == self._name
        if not self._registered:
            if self._call(peer, "RegisterComponent", "v", (ibus.component(self._name, _TITLE),)) is None:
                return False
            self._registered = True
        self._former = former
        # A daemon that hangs may cost a moment; to give up while keys are on their way costs their text.
        peer.timeout_s = _BUSY_CALL_S
        taken = self._set(peer, self._name)
        if taken and self._engine.client() == "?":
            # Until it has asked once, the daemon does not know that this engine wants to be told of the client.
            taken = self._set(peer, former) and self._set(peer, self._name)
        if not taken:
            self._give_back(peer)
        return taken

    def _persons(self, peer: Peer) -> str:
        """The engine that is not another keeper's, which is about to set it back."""
        deadline = time.monotonic() + _GONE_S
        while (engine := self._global(peer)).startswith(_OURS) and engine != self._name:
            if time.monotonic() > deadline:
                return ""
            time.sleep(_POLL_S)
        return engine

    def _give_back(self, peer: Peer) -> bool:
        """The person's engine, unless the person has chosen another meanwhile."""
        former, self._former = self._former, ""
        back = not former or self._global(peer) != self._name or self._set(peer, former)
        peer.timeout_s = _CALL_S
        return back

    def _commit(self, peer: Peer, characters: str) -> bool:
        from jeepney import DBusAddress, new_signal

        if self._ledger.gate is not Gate.OPEN or self._global(peer) != self._name or not self._engine.client():
            return False
        place = DBusAddress(_OBJECT, interface=ibus.ENGINE)
        peer.post(new_signal(place, "CommitText", "v", (ibus.text(characters),)))
        # Answered after what came before on this connection.
        return bool(self._global(peer))

    def _set(self, peer: Peer, engine: str) -> bool:
        return self._call(peer, "SetGlobalEngine", "s", (engine,)) is not None

    def _global(self, peer: Peer) -> str:
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
    line = socket.socket(fileno=fd)
    address = ibus.address(os.environ.get("DISPLAY", ""))
    if address is None:
        return 0
    keeper = Keeper(address, Ledger(ledger_fd))
    unpacker = Unpacker()
    try:
        line.sendall(packed({"ready": keeper.ready}))
        while keeper.ready:
            for request in receive(line, unpacker):
                line.sendall(packed(keeper.answer(request)))
    except (BrokenPipe, OSError):
        pass
    keeper.end()
    return 0


def main() -> int:
    """As started by the injector."""
    parser = argparse.ArgumentParser(prog="operator-console-engine")
    for name in ("fd", "ledger-fd"):
        parser.add_argument(f"--{name}", type=int, required=True)
    arguments = parser.parse_args()
    return run(arguments.fd, arguments.ledger_fd)


if __name__ == "__main__":
    sys.exit(main())
