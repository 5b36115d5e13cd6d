"""Messages between processes: whole from any pieces, and anything else ends the connection."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console import json_lines
from operator_console.json_lines import BrokenPipe, Unpacker, packed, read


@given(st.lists(st.dictionaries(st.text(), st.integers() | st.text()), max_size=4), st.integers(1, 20))
def test_messages_are_whole_from_pieces_of_any_size(messages: list[dict[str, int | str]], size: int) -> None:
    data, unpacker = b"".join(map(packed, messages)), Unpacker()
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert [message for piece in pieces for message in unpacker.feed(piece)] == messages


@pytest.mark.parametrize("line", [b"nope", b"\xff\xfe", b"[1]", b""])
def test_a_line_that_is_no_object_breaks_the_pipe(line: bytes) -> None:
    with pytest.raises(BrokenPipe):
        Unpacker().feed(line + b"\n")


def test_a_line_over_the_limit_breaks_the_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "LIMIT_BYTES", 100)
    unpacker = Unpacker()
    unpacker.feed(b"x" * 100)
    with pytest.raises(BrokenPipe):
        unpacker.feed(b"x")


def test_a_payload_comes_with_its_message() -> None:
    pipe = io.BytesIO(packed({"job": 1, "payload": 4}) + b"\n\n\0x" + packed({"job": 2}) + b'{"job": 3, "payl')
    assert read(pipe) == ({"job": 1, "payload": 4}, b"\n\n\0x")
    assert read(pipe) == ({"job": 2}, b"")
    assert read(pipe) is None


def test_a_payload_that_is_cut_off_is_the_end() -> None:
    assert read(io.BytesIO(packed({"payload": 4}) + b"abc")) is None
