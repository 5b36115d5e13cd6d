"""What the reader and its OCR process say to each other: messages, and their frames on a pipe.

A message is four bytes of length (big endian), a JSON header, and `payload` further bytes that the header announces
(pixels). Both ends are ours and of one version.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import BinaryIO, Literal, TypeAlias

from operator_console.domain.codec import decode, encode
from operator_console.domain.frames import TextBox

LENGTH = struct.Struct("!I")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """Read a picture: `payload` bytes of BGRX rows follow.

    Attributes:
        whole: a whole frame (compared with earlier ones, read at leisure) rather than a crop (read first).
    """

    kind: Literal["read"] = "read"
    job: int
    width: int
    height: int
    whole: bool
    payload: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequest:
    """Nobody waits for this job any more."""

    kind: Literal["cancel"] = "cancel"
    job: int
    payload: int = 0


Request: TypeAlias = ReadRequest | CancelRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReply:
    """The texts of one picture in its own pixels, reading order; or what went wrong."""

    job: int
    boxes: tuple[TextBox, ...] = ()
    error: str = ""


def pack(message: Request | ReadReply) -> bytes:
    """A message as it goes onto the pipe, without its payload."""
    header = json.dumps(encode(message), ensure_ascii=True, separators=(",", ":")).encode("ascii")
    return LENGTH.pack(len(header)) + header


def unpack_reply(header: bytes) -> ReadReply:
    """A reply from its header's bytes. Raises CodecError, ValueError."""
    return decode(ReadReply, json.loads(header))


def receive(pipe: BinaryIO) -> tuple[Request, bytes] | None:
    """The next request and its payload; None at the end of the pipe."""
    prefix = pipe.read(LENGTH.size)
    if len(prefix) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(prefix)
    header = pipe.read(length)
    if len(header) < length:
        return None
    request: Request = decode(Request, json.loads(header))
    payload = pipe.read(request.payload) if request.payload else b""
    return (request, payload) if len(payload) == request.payload else None
