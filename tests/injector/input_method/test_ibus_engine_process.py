"""Our IBus engine process, on a fake daemon with the peculiarities of IBus 1.5."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from jeepney import DBusAddress, HeaderFields, new_method_call, new_signal

from operator_console.desktop.freedesktop import ibus
from operator_console.desktop.freedesktop.bus_peer import Peer
from operator_console.desktop.ledger import Gate, Ledger
from operator_console.injector.input_method import ibus_engine_process
from operator_console.injector.input_method.ibus_engine_process import EngineServer

PINYIN, HANGUL = "libpinyin", "hangul"
PATH = "/org/freedesktop/IBus/InputContext_3"


class Daemon:
    """A daemon with two installed engines and those that are registered; the field of `client` has the focus."""

    def __init__(self) -> None:
        self.engine = PINYIN
        self.client = "gtk3-im:editor"
        self.registered: dict[str, Link] = {}
        self.committed: list[str] = []

    def choose(self, engine: str) -> bool:
        if engine not in {PINYIN, HANGUL, *self.registered}:
            return False
        if self.engine in self.registered:
            self.registered[self.engine].hear("FocusOutId", PATH)
        self.engine = engine
        if engine in self.registered:
            self.registered[engine].hear("CreateEngine", engine)
            self.registered[engine].hear("FocusInId", PATH, self.client)
        return True


class Link:
    """Replaces Peer: one connection to the daemon."""

    def __init__(self, daemon: Daemon, receive: Callable[[Any, Any], None]) -> None:
        self.daemon, self.receive, self.open, self.pid = daemon, receive, True, 1
        self.timeout_s = 0.0

    def hear(self, member: str, *body: object) -> None:
        self.receive(self, _message(new_method_call(DBusAddress("/x", "a.b", ibus.ENGINE), member), body))

    def call(self, _service: str, _path: str, _interface: str, method: str, _signature: str = "",
             body: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:  # fmt: skip
        if not self.open:
            return None
        match method, body:
            case "Get", (_, "GlobalEngine"):
                if not self.daemon.engine:
                    return None
                described: ibus.Value = ("(sa{sv}s)", ("IBusEngineDesc", {}, self.daemon.engine))
                return (("v", described),)
            case "Get", (_, "CurrentInputContext"):
                return (("o", PATH),)
            case "SetGlobalEngine", (name,):
                return () if self.daemon.choose(name) else None
            case "RegisterComponent", ((_, fields),):
                self.daemon.registered[fields[-1][0][1][2]] = self
                return ()
            case _:
                return ()

    def post(self, message: Any, _serial: int | None = None) -> None:
        if message.header.fields.get(HeaderFields.member) == "CommitText":
            self.daemon.committed.append(message.body[0][1][2])

    def close(self) -> None:
        self.open = False
        mine = [name for name, link in self.daemon.registered.items() if link is self]
        for name in mine:
            del self.daemon.registered[name]
        if mine:
            self.daemon.engine = ""  # whatever engine it was


def _message(made: Any, body: tuple[object, ...]) -> Any:
    made.body = body
    return made


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Daemon:
    found = Daemon()
    monkeypatch.setattr(Peer, "connect", lambda _address, receive, _timeout_s: Link(found, receive))
    monkeypatch.setattr(ibus_engine_process, "_RESTORE_S", 0.05)
    return found


def ask(server: EngineServer, what: str, **more: Any) -> Any:
    (value,) = server.answer({"do": what, **more}).values()
    return value


@pytest.fixture
def server(daemon: Daemon, ledger: Ledger) -> EngineServer:
    ledger.gate = Gate.OPEN
    return EngineServer("somewhere", ledger)


def test_our_engine_replaces_the_persons_which_is_restored(daemon: Daemon, server: EngineServer) -> None:
    assert ask(server, "engine") == PINYIN
    assert ask(server, "activate")
    assert daemon.engine.startswith("operator-console-")
    assert ask(server, "client") == daemon.client
    assert ask(server, "activate"), "it is already"
    assert ask(server, "restore")
    assert daemon.engine == PINYIN
    server.end()
    assert daemon.engine == PINYIN, "the daemon drops the engine when ours leaves"


def test_the_persons_engine_is_restored_when_the_injector_dies(daemon: Daemon, server: EngineServer) -> None:
    assert ask(server, "activate")
    server.end()
    assert daemon.engine == PINYIN


def test_nothing_is_changed_if_our_engine_was_not_needed(daemon: Daemon, server: EngineServer) -> None:
    server.end()
    assert (daemon.engine, daemon.registered) == (PINYIN, {})


def test_an_engine_that_the_person_chose_meanwhile_stays(daemon: Daemon, server: EngineServer) -> None:
    assert ask(server, "activate")
    daemon.choose(HANGUL)
    assert not ask(server, "commit", text="x")
    assert ask(server, "restore")
    assert daemon.engine == HANGUL
    server.end()
    assert daemon.engine == HANGUL


def test_without_an_engine_none_is_replaced(daemon: Daemon, server: EngineServer) -> None:
    daemon.engine = ""
    assert not ask(server, "activate")
    assert daemon.registered == {}


def test_the_engine_of_another_injector_is_not_taken_for_the_persons(
    daemon: Daemon, server: EngineServer, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 1)
    other = EngineServer("somewhere", ledger)
    assert ask(other, "activate")
    assert not ask(server, "activate")
    other.end()
    assert daemon.engine == PINYIN
    assert ask(server, "activate")


def test_text_is_committed_to_a_field_that_has_the_focus(daemon: Daemon, server: EngineServer) -> None:
    assert not ask(server, "commit", text="too early")
    assert ask(server, "activate")
    assert ask(server, "commit", text="你好 😀")
    assert daemon.committed == ["你好 😀"]


def test_nothing_is_committed_while_the_gate_is_shut(daemon: Daemon, server: EngineServer, ledger: Ledger) -> None:
    assert ask(server, "activate")
    ledger.gate = Gate.STOPPED
    assert not ask(server, "commit", text="x")
    assert daemon.committed == []


def test_nothing_is_committed_without_a_client(daemon: Daemon, server: EngineServer) -> None:
    daemon.client = ibus.NOBODY
    assert ask(server, "activate")
    assert ask(server, "client") == ""
    assert not ask(server, "commit", text="x")
    assert daemon.committed == []


def test_keys_that_came_through_are_counted_on_release(daemon: Daemon, server: EngineServer) -> None:
    assert ask(server, "activate")
    link = daemon.registered[daemon.engine]
    link.hear("ProcessKeyEvent", 97, 30, 0)
    assert ask(server, "releases", keycode=38) == 0
    link.hear("ProcessKeyEvent", 97, 30, ibus.RELEASED)
    assert ask(server, "releases", keycode=38) == 1
    assert ask(server, "restore")
    assert ask(server, "activate")
    assert ask(server, "releases", keycode=38) == 0, "only releases since our engine became active count"


def test_a_preedit_is_seen_where_it_is(daemon: Daemon, server: EngineServer) -> None:
    link = Link(daemon, server._engine.receive)

    def shown(path: str, text: str) -> None:
        signal = new_signal(DBusAddress(path, interface=ibus.CONTEXT), "UpdatePreeditText")
        link.receive(link, _message(signal, (ibus.text(text), len(text), bool(text))))

    shown(PATH, "ni")
    assert ask(server, "composing")
    shown(PATH, "")
    shown("/elsewhere", "ni")
    assert not ask(server, "composing")


def test_a_bus_that_is_gone_is_no_input_method(daemon: Daemon, server: EngineServer) -> None:
    peer = server._peer
    assert peer is not None
    peer.close()
    assert not server.ready
    assert server.answer({"do": "engine"}) == {}
