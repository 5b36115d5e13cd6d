"""The JSON of events: `stored_body` as session files store it, and flat objects as in exports and `run --json`.

The fields are those of `domain.events`. The columns of a session file beside the body are those of database.py.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from operator_console.domain.codec import CodecError, canonical, decoder, encode
from operator_console.domain.events import Event, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A stored event.

    Attributes:
        object: The flat JSON object: the stored body with `seq` and `time`.
        record: The same as a value; None if this version does not know its kind or one of its values.
    """

    object: Mapping[str, Any]
    record: Record | None


def now() -> str:
    """The current time as events contain it: RFC 3339, UTC, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def stored_body(event: Event) -> bytes:
    """The content of the column `body` of a session file: `kind` and the fields, as JSON in the form that is hashed."""
    return canonical(event)


def record_to_object(record: Record) -> dict[str, Any]:
    """The flat object: `seq`, `time` and `kind`, then the fields of the event."""
    body = encode(record.event)
    return {"seq": record.seq, "time": record.time, "kind": body.pop("kind"), **body}


def object_to_record(data: Mapping[str, Any]) -> Record:
    """The record for a flat object. Raises CodecError for an unknown kind or an invalid field."""
    seq, time, kind = data.get("seq"), data.get("time"), data.get("kind")
    if not isinstance(seq, int) or isinstance(seq, bool) or not isinstance(time, str) or not isinstance(kind, str):
        raise CodecError("an event needs seq, time and kind")
    if kind not in known_kinds():
        raise CodecError(f"unknown kind {kind!r}")
    return Record(seq=seq, time=time, event=_event_decoder()(data))


def object_to_entry(data: Mapping[str, Any]) -> Entry:
    """As `object_to_record`, but without a record if the object is not understood."""
    try:
        return Entry(object=data, record=object_to_record(data))
    except CodecError:
        return Entry(object=data, record=None)


@functools.cache
def _event_decoder() -> Callable[[object], Event]:
    return decoder(Event)


@functools.cache
def known_kinds() -> frozenset[str]:
    """The kinds of events that this version knows."""
    kinds: set[str] = set()
    for member in typing.get_args(Event):
        kinds.update(typing.get_args(typing.get_type_hints(member)["kind"]))
    return frozenset(kinds)
