"""A record as one flat JSON object, and back: the journal's body, the lines of `run --json`, the export.

Not a schema: fields are those of `domain.events`, so this file does not change when a kind gains one.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from operator_console.domain.codec import CodecError, decode, encode
from operator_console.domain.events import Event, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One stored event.

    Attributes:
        object: the flat JSON object, exactly as stored.
        record: the same as a value; None where its kind or a word of it is newer than this program.
    """

    object: Mapping[str, Any]
    record: Record | None


def now() -> str:
    """The time an event is stamped with: RFC 3339, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def record_to_object(record: Record) -> dict[str, Any]:
    """The flat object: `seq`, `time`, `kind`, then the event's own fields."""
    body = encode(record.event)
    return {"seq": record.seq, "time": record.time, "kind": body.pop("kind"), **body}


def object_to_record(data: Mapping[str, Any]) -> Record:
    """The record of a flat object. Raises CodecError for an unknown kind or a field that does not fit."""
    seq, time, kind = data.get("seq"), data.get("time"), data.get("kind")
    if not isinstance(seq, int) or isinstance(seq, bool) or not isinstance(time, str) or not isinstance(kind, str):
        raise CodecError("an event needs seq, time and kind")
    if kind not in known_kinds():
        raise CodecError(f"unknown kind {kind!r}")
    return Record(seq=seq, time=time, event=decode(Event, data))


def object_to_entry(data: Mapping[str, Any]) -> Entry:
    """As `object_to_record`, but tolerant: what is not understood keeps its object only."""
    try:
        return Entry(object=data, record=object_to_record(data))
    except CodecError:
        return Entry(object=data, record=None)


@functools.cache
def known_kinds() -> frozenset[str]:
    """The kinds of event this program knows."""
    kinds: set[str] = set()
    for member in typing.get_args(Event):
        kinds.update(typing.get_args(typing.get_type_hints(member)["kind"]))
    return frozenset(kinds)
