"""The messages between the OCR process and its client, and their format on a pipe.

A message is the length of the header (4 bytes, big endian), a JSON header, and as many bytes of pixels as the
`payload` field of the header says. Both ends always have the same version.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import BinaryIO, Literal, TypeAlias

from operator_console.domain.codec import decode, encode
from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect

LENGTH = struct.Struct("!I")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """Read a picture. BGRX rows follow.

    Attributes:
        job: number of the job; a higher number is newer.
        width: pixels.
        height: pixels.
        urgent: read it now; other jobs are suspended until it is done.
        wanted: read only the texts that overlap this rectangle (pixels of the picture) and the `nearest` others. Of
            long lines only the part that is near is read. None: read everything.
        nearest: how many texts outside `wanted` are read.
        payload: number of bytes that follow.
    """

    kind: Literal["read"] = "read"
    job: int
    width: int
    height: int
    urgent: bool = False
    wanted: Rect | None = None
    nearest: int = 0
    payload: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequest:
    """Cancel a job."""

    kind: Literal["cancel"] = "cancel"
    job: int
    payload: int = 0


Request: TypeAlias = ReadRequest | CancelRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReply:
    """The texts of one picture in reading order, boxes in its pixels; or the error.

    `unreadable` are places whose text, if any is given, is doubtful.
    """

    job: int
    boxes: tuple[TextBox, ...] = ()
    unreadable: tuple[Rect, ...] = ()
    error: str = ""


def pack(message: Request | ReadReply) -> bytes:
    """Encode a message for the pipe, without its payload."""
    header = json.dumps(encode(message), ensure_ascii=True, separators=(",", ":")).encode("ascii")
    return LENGTH.pack(len(header)) + header


def unpack_reply(header: bytes) -> ReadReply:
    """Decode a reply from the bytes of its header. Raises CodecError or ValueError."""
    return decode(ReadReply, json.loads(header))


def receive(pipe: BinaryIO) -> tuple[Request, bytes] | None:
    """Read the next request and its payload; None at the end of the pipe."""
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
