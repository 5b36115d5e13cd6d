"""Reads the replies to calls, and the signals that were asked for, from the bytes of a bus.

jeepney reads any message, in about 25 microseconds, most of them for the header. A window takes a thousand replies, of
which many are equal: here the two fields of the header that count are read, and equal results once. Big-endian messages
and unknown fields are left to jeepney. Source: D-Bus Specification, "Message Protocol".
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

_LITTLE_ENDIAN = ord("l")
_RETURN, _ERROR, _SIGNAL = 2, 3, 4
_REPLY_SERIAL, _SIGNATURE = 5, 8
_FIXED = 16
"""Bytes of a message before the fields of its header."""
_ALIGNED = 8
_NUMBER = struct.Struct("<I")
_LONGEST_KEPT, _MOST_KEPT = 512, 2_000


class Reply(NamedTuple):
    """A reply: the serial of the call, and its results; None for an error."""

    call: int
    results: tuple[Any, ...] | None


class Signal(NamedTuple):
    """A signal: the bus name and the object that it is from, its name and its values."""

    sender: str
    path: str
    member: str
    values: tuple[Any, ...]


class Replies:
    """The replies and signals in a stream of messages. Results are shared between replies: do not change them."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._results: dict[tuple[bytes, bytes], tuple[Any, ...]] = {}

    def feed(self, data: bytes, *, signals: bool = False) -> Iterator[Reply | Signal]:
        """The replies, and signals on request, that are complete with these bytes; other messages are left out."""
        self._data += data
        start = 0
        try:
            while (size := self._size(start)) and start + size <= len(self._data):
                message = bytes(self._data[start : start + size])
                start += size
                if message[1] in (_RETURN, _ERROR):
                    yield self._read(message)
                elif signals and message[1] == _SIGNAL:
                    yield _signal(message)
        finally:
            del self._data[:start]

    def _size(self, start: int) -> int:
        """Bytes of the message that begins there; 0 while that is not known."""
        if len(self._data) < start + _FIXED:
            return 0
        order = "<" if self._data[start] == _LITTLE_ENDIAN else ">"
        body, _, fields = struct.unpack_from(f"{order}3I", self._data, start + 4)
        return int(_padded(_FIXED + fields) + body)

    def _read(self, message: bytes) -> Reply:
        found = _header(message)
        if found is None:
            return _by_jeepney(message)
        call, signature, start = found
        if message[1] == _ERROR:
            return Reply(call, None)
        body = message[start:]
        key = signature, body
        results = self._results.get(key)
        if results is None:
            results = _results(signature, body)
            if len(body) <= _LONGEST_KEPT:
                if len(self._results) >= _MOST_KEPT:
                    self._results.clear()
                self._results[key] = results
        return Reply(call, results)


def _header(message: bytes) -> tuple[int, bytes, int] | None:
    """Of a reply: the call's serial, the signature of the results, and where these begin; None if jeepney must read."""
    if message[0] != _LITTLE_ENDIAN:
        return None
    call, signature, at = 0, b"", _FIXED
    end = _FIXED + _NUMBER.unpack_from(message, 12)[0]
    while at < end:
        at = _padded(at)
        field, kind = message[at], message[at + 1 : at + 4]
        at += 4
        if kind == b"\1u\0":
            if field == _REPLY_SERIAL:
                (call,) = _NUMBER.unpack_from(message, at)
            at += 4
        elif kind == b"\1g\0":
            if field == _SIGNATURE:
                signature = message[at + 1 : at + 1 + message[at]]
            at += message[at] + 2
        elif kind in (b"\1s\0", b"\1o\0"):
            at += _NUMBER.unpack_from(message, at)[0] + 5
        else:
            return None
    return call, signature, _padded(end)


def _results(signature: bytes, body: bytes) -> tuple[Any, ...]:
    from jeepney import Endianness

    return tuple(_type(signature).parse_data(body, 0, Endianness.little)[0]) if signature else ()


@functools.cache
def _type(signature: bytes) -> Any:
    from jeepney.low_level import parse_signature

    return parse_signature(list(f"({signature.decode('ascii')})"))


def _by_jeepney(message: bytes) -> Reply:
    from jeepney import HeaderFields, Message, MessageType

    read = Message.from_buffer(message)
    returned = read.header.message_type is MessageType.method_return
    return Reply(read.header.fields.get(HeaderFields.reply_serial, 0), tuple(read.body) if returned else None)


def _signal(message: bytes) -> Signal:
    from jeepney import HeaderFields, Message

    read = Message.from_buffer(message)
    sender, path, member = (
        str(read.header.fields.get(field, ""))
        for field in (HeaderFields.sender, HeaderFields.path, HeaderFields.member)
    )
    return Signal(sender, path, member, tuple(read.body))


def _padded(size: int) -> int:
    return size + -size % _ALIGNED
