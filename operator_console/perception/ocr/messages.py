"""The messages between the OCR process and its client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect


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
