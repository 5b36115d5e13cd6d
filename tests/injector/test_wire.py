"""Messages between the console and the injector: whole from any pieces, and anything else ends the connection."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.injector.wire import LIMIT_BYTES, BrokenPipe, Unpacker, packed


@given(st.lists(st.dictionaries(st.text(), st.integers() | st.text()), max_size=4), st.integers(1, 20))
def test_messages_are_whole_from_pieces_of_any_size(messages: list[dict[str, int | str]], size: int) -> None:
    data, unpacker = b"".join(map(packed, messages)), Unpacker()
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert [message for piece in pieces for message in unpacker.feed(piece)] == messages


@pytest.mark.parametrize("body", [b"nope", b"\xff\xfe", b"[1]", b""])
def test_a_body_that_is_no_object_breaks_the_pipe(body: bytes) -> None:
    with pytest.raises(BrokenPipe):
        Unpacker().feed(struct.pack("!I", len(body)) + body)


def test_a_length_over_the_limit_breaks_the_pipe() -> None:
    with pytest.raises(BrokenPipe):
        Unpacker().feed(struct.pack("!I", LIMIT_BYTES + 1))
