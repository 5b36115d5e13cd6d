"""Replies are read as jeepney reads them, however the bytes arrive."""

from __future__ import annotations

import random
from typing import Any

import pytest
from jeepney import (
    DBusAddress,
    Endianness,
    HeaderFields,
    Message,
    MessageType,
    Parser,
    new_error,
    new_method_call,
    new_method_return,
    new_signal,
)

from operator_console.perception.accessibility.atspi.replies import Replies, Reply, Signal

RESULTS: tuple[tuple[str | None, tuple[Any, ...]], ...] = (
    (None, ()), ("(iiii)", ((1, -2, 3, 4),)), ("s", ("Überschrift",)), ("as", (["a", "bb"],)), ("au", ([1, 2],)),
    ("a{ss}", ({"tag": "p"},)), ("v", (("s", "Save"),)), ("v", (("d", 1.5),)), ("a(so)", ([(":1.2", "/w/1")],)),
    ("a(ua(so))", ([(2, [(":1.2", "/w/1")])],)), ("b", (True,)), ("x", (-5,)),
)  # fmt: skip


def reply(serial: int, signature: str | None, body: tuple[Any, ...], *, error: bool = False) -> Message:
    call = new_method_call(DBusAddress("/w/1", ":1.7", "org.a11y.atspi.Accessible"), "GetRole")
    call.header.serial = serial
    made = new_error(call, "org.none", signature, body) if error else new_method_return(call, signature, body)
    made.header.fields[HeaderFields.sender] = ":1.7"
    made.header.fields[HeaderFields.destination] = ":1.11"
    return made


def stream(chance: random.Random) -> bytes:
    """Replies and errors, some of them big-endian, and signals between them."""
    made: list[bytes] = []
    for serial in range(1, 600):
        message = reply(serial, *chance.choice(RESULTS), error=chance.random() < 0.1)
        if chance.random() < 0.1:
            message.header.endianness = Endianness.big
        made.append(message.serialise(serial=7_000 + serial))
        if chance.random() < 0.1:
            signal = new_signal(DBusAddress("/w/1", interface="a.b"), "Changed", "s", ("x" * chance.randint(0, 40),))
            made.append(signal.serialise(serial=1))
    return b"".join(made)


@pytest.mark.parametrize("longest", [1, 40, 5_000])
def test_replies_are_read_as_jeepney_reads_them(longest: int) -> None:
    chance = random.Random(longest)
    data = stream(chance)
    expected = [
        Reply(
            message.header.fields[HeaderFields.reply_serial],
            tuple(message.body) if message.header.message_type is MessageType.method_return else None,
        )
        if HeaderFields.reply_serial in message.header.fields
        else Signal("", "/w/1", "Changed", tuple(message.body))
        for message in Parser().feed(data)
    ]
    replies, found, at = Replies(), list[Reply | Signal](), 0
    while at < len(data):
        end = at + chance.randint(1, longest)
        found += replies.feed(data[at:end], signals=True)
        at = end
    assert found == expected
    assert len([each for each in found if isinstance(each, Reply)]) == 599
    assert len(found) > 599
    assert list(Replies().feed(data)) == [each for each in expected if isinstance(each, Reply)]


def test_many_different_results_are_not_all_kept() -> None:
    replies = Replies()
    for serial in range(1, 2_500):
        (found,) = replies.feed(reply(serial, "s", (f"Row {serial}",)).serialise(serial=serial))
        assert found == Reply(serial, (f"Row {serial}",))
    assert len(replies._results) < 2_000
