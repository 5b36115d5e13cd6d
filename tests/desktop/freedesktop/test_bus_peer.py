"""A bus that hangs, refuses or goes costs a bounded time and says None."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jeepney import DBusAddress, HeaderFields, MessageType, Parser, new_error, new_method_call, new_method_return

from operator_console.desktop.freedesktop.bus_peer import Peer

PATIENCE_S = 0.2
Answer = Callable[[socket.socket, Any], None]


@contextmanager
def bus(folder: Path, answer: Answer | None) -> Iterator[str]:
    """A bus that authenticates whoever comes and leaves the rest to `answer`; None: it hangs from the start."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(folder / "bus"))
    server.listen()
    links: list[socket.socket] = []

    def serve(link: socket.socket) -> None:
        with link, link.makefile("rb") as lines:
            link.sendall(b"") if not lines.readline() else link.sendall(b"OK 00\r\n")
            lines.readline()
            parser = Parser()
            while data := lines.read1():
                parser.add_data(data)
                while (message := parser.get_next_message()) is not None:
                    assert answer is not None
                    answer(link, message)

    def take() -> None:
        link, _ = server.accept()
        links.append(link)
        if answer is not None:
            serve(link)

    thread = threading.Thread(target=take)
    thread.start()
    try:
        yield f"unix:path={folder / 'bus'}"
    finally:
        thread.join(10)
        for link in links:
            link.close()
        server.close()


def reply(link: socket.socket, message: Any) -> None:
    """Hello is answered, "Fail" refused, "Call back" answered after a call of the bus's own; all else is not."""
    match message.header.fields.get(HeaderFields.member):
        case "Hello":
            link.sendall(new_method_return(message, "s", (":1.1",)).serialise(serial=1))
        case "Fail":
            link.sendall(new_error(message, "a.b").serialise(serial=2))
        case "CallBack":
            link.sendall(new_method_call(DBusAddress("/x", "a.b", "a.b"), "Asked").serialise(serial=3))
            link.sendall(new_method_return(message, "u", (7,)).serialise(serial=4))


def ignore(_peer: Peer, _message: Any) -> None: ...


def call(peer: Peer, method: str) -> tuple[Any, ...] | None:
    return peer.call("a.b", "/a", "a.b", method)


def test_nobody_there(tmp_path: Path) -> None:
    assert Peer.connect(f"unix:path={tmp_path / 'none'}", ignore, PATIENCE_S) is None
    assert Peer.connect("nonsense", ignore, PATIENCE_S) is None


def test_a_bus_that_hangs_from_the_start(tmp_path: Path) -> None:
    with bus(tmp_path, None) as address:
        assert Peer.connect(address, ignore, PATIENCE_S) is None


def test_results_refusals_and_calls_from_the_other_side(tmp_path: Path) -> None:
    heard: list[str] = []

    def note(_peer: Peer, message: Any) -> None:
        assert message.header.message_type is MessageType.method_call
        heard.append(message.header.fields[HeaderFields.member])

    with bus(tmp_path, reply) as address:
        peer = Peer.connect(address, note, PATIENCE_S)
        assert peer is not None
        assert call(peer, "CallBack") == (7,)
        assert heard == ["Asked"]
        assert call(peer, "Fail") is None
        assert peer.open, "a refusal is an answer"
        peer.close()
        assert call(peer, "CallBack") is None


def test_one_that_does_not_answer_is_not_asked_again(tmp_path: Path) -> None:
    with bus(tmp_path, reply) as address:
        peer = Peer.connect(address, ignore, PATIENCE_S)
        assert peer is not None
        assert call(peer, "Never") is None
        assert not peer.open


def test_one_that_reads_no_more_is_not_waited_for(tmp_path: Path) -> None:
    over = threading.Event()

    def deafen(link: socket.socket, message: Any) -> None:
        reply(link, message)
        if message.header.fields.get(HeaderFields.member) != "Hello":
            over.wait(30)

    with bus(tmp_path, deafen) as address:
        peer = Peer.connect(address, ignore, PATIENCE_S)
        assert peer is not None
        long = new_method_call(DBusAddress("/a", "a.b", "a.b"), "Long", "s", ("x" * 100_000,))
        for _ in range(100):
            peer.post(long)
            if not peer.open:
                break
        try:
            assert not peer.open
        finally:
            over.set()
            peer.close()
