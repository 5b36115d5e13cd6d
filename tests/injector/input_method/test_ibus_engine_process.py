"""The keeper of our engine, on a bus that behaves as IBus 1.5 does where it is odd."""

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
from operator_console.injector.input_method.ibus_engine_process import Keeper

PINYIN, HANGUL = "libpinyin", "hangul"
PATH = "/org/freedesktop/IBus/InputContext_3"


class Daemon:
    """Knows two engines by its files and those that are registered; a client's field has the focus, or nobody's."""

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
    """One connection to it, in Peer's place."""

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
            self.daemon.engine = ""  # whoever's it is


def _message(made: Any, body: tuple[object, ...]) -> Any:
    made.body = body
    return made


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Daemon:
    found = Daemon()
    monkeypatch.setattr(Peer, "connect", lambda _address, receive, _timeout_s: Link(found, receive))
    monkeypatch.setattr(ibus_engine_process, "_GONE_S", 0.05)
    return found


def ask(keeper: Keeper, what: str, **more: Any) -> Any:
    (value,) = keeper.answer({"do": what, **more}).values()
    return value


@pytest.fixture
def keeper(daemon: Daemon, ledger: Ledger) -> Keeper:
    ledger.gate = Gate.OPEN
    return Keeper("somewhere", ledger)


def test_ours_stands_in_and_the_persons_comes_back(daemon: Daemon, keeper: Keeper) -> None:
    assert ask(keeper, "look") == PINYIN
    assert ask(keeper, "take")
    assert daemon.engine.startswith("operator-console-")
    assert ask(keeper, "who") == daemon.client
    assert ask(keeper, "take"), "it is already"
    assert ask(keeper, "give back")
    assert daemon.engine == PINYIN
    keeper.end()
    assert daemon.engine == PINYIN, "the daemon drops the engine when ours leaves"


def test_the_injector_dies_while_ours_stands_in(daemon: Daemon, keeper: Keeper) -> None:
    assert ask(keeper, "take")
    keeper.end()
    assert daemon.engine == PINYIN


def test_nothing_is_touched_where_ours_was_never_wanted(daemon: Daemon, keeper: Keeper) -> None:
    keeper.end()
    assert (daemon.engine, daemon.registered) == (PINYIN, {})


def test_an_engine_that_the_person_chose_meanwhile_stays(daemon: Daemon, keeper: Keeper) -> None:
    assert ask(keeper, "take")
    daemon.choose(HANGUL)
    assert not ask(keeper, "commit", text="x")
    assert ask(keeper, "give back")
    assert daemon.engine == HANGUL
    keeper.end()
    assert daemon.engine == HANGUL


def test_no_engine_is_none_to_stand_in_for(daemon: Daemon, keeper: Keeper) -> None:
    daemon.engine = ""
    assert not ask(keeper, "take")
    assert daemon.registered == {}


def test_anothers_engine_of_ours_is_not_the_persons(
    daemon: Daemon, keeper: Keeper, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 1)
    other = Keeper("somewhere", ledger)
    assert ask(other, "take")
    assert not ask(keeper, "take")
    other.end()
    assert daemon.engine == PINYIN
    assert ask(keeper, "take")


def test_text_is_committed_to_a_field_that_has_the_focus(daemon: Daemon, keeper: Keeper) -> None:
    assert not ask(keeper, "commit", text="too early")
    assert ask(keeper, "take")
    assert ask(keeper, "commit", text="你好 😀")
    assert daemon.committed == ["你好 😀"]


def test_nothing_is_committed_while_the_gate_is_shut(daemon: Daemon, keeper: Keeper, ledger: Ledger) -> None:
    assert ask(keeper, "take")
    ledger.gate = Gate.STOPPED
    assert not ask(keeper, "commit", text="x")
    assert daemon.committed == []


def test_nothing_is_committed_to_nobody(daemon: Daemon, keeper: Keeper) -> None:
    daemon.client = ibus.NOBODY
    assert ask(keeper, "take")
    assert ask(keeper, "who") == ""
    assert not ask(keeper, "commit", text="x")
    assert daemon.committed == []


def test_keys_that_came_through_are_counted_when_they_are_let_go(daemon: Daemon, keeper: Keeper) -> None:
    assert ask(keeper, "take")
    link = daemon.registered[daemon.engine]
    link.hear("ProcessKeyEvent", 97, 30, 0)
    assert ask(keeper, "heard", keycode=38) == 0
    link.hear("ProcessKeyEvent", 97, 30, ibus.RELEASED)
    assert ask(keeper, "heard", keycode=38) == 1
    assert ask(keeper, "give back")
    assert ask(keeper, "take")
    assert ask(keeper, "heard", keycode=38) == 0, "it counts since ours stands in"


def test_a_preedit_is_seen_where_it_is(daemon: Daemon, keeper: Keeper) -> None:
    link = Link(daemon, keeper._engine.receive)

    def shown(path: str, text: str) -> None:
        signal = new_signal(DBusAddress(path, interface=ibus.CONTEXT), "UpdatePreeditText")
        link.receive(link, _message(signal, (ibus.text(text), len(text), bool(text))))

    shown(PATH, "ni")
    assert ask(keeper, "composing")
    shown(PATH, "")
    shown("/elsewhere", "ni")
    assert not ask(keeper, "composing")


def test_a_bus_that_is_gone_is_no_input_method(daemon: Daemon, keeper: Keeper) -> None:
    peer = keeper._peer
    assert peer is not None
    peer.close()
    assert not keeper.ready
    assert keeper.answer({"do": "look"}) == {}
