"""The hash chain of a session file: each event's hash covers the event and the hash before it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import dataclass, field

from operator_console.journal.anchors import Anchor

FORMAT_VERSION = 1
"""Of the session file; part of the first hash."""

_COLUMNS = ", ".join(f"CAST({name} AS BLOB)" for name in ("time", "kind", "body", "blobs", "prev", "hash"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the table `events`, with texts as bytes. `blobs` is a JSON list of [digest, MIME type] added with it."""

    seq: int
    time: bytes
    kind: bytes
    body: bytes
    blobs: bytes
    prev: bytes
    hash: bytes

    def link(self) -> bytes:
        """The hash that the row must have (hex)."""
        parts = (str(self.seq).encode(), self.time, self.kind, self.body, self.blobs, self.prev)
        return _digest(parts)


def genesis(session_id: bytes, created: bytes) -> bytes:
    """The `prev` that the first event must have (hex)."""
    return _digest((b"operator-console session", str(FORMAT_VERSION).encode(), session_id, created))


def _digest(parts: tuple[bytes, ...]) -> bytes:
    digest = hashlib.sha256()
    for part in parts:  # with lengths, so that moving a byte from one field to the next changes the hash
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest().encode("ascii")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The checked hash chain.

    Attributes:
        seq: Number of the last valid event; 0 if there is none.
        hash: Hash of that event (hex).
        problems: The first problem found, if any.
        listed: MIME types by digest of the blobs that valid events list.
    """

    seq: int
    hash: str
    problems: tuple[str, ...]
    listed: dict[str, str] = field(default_factory=dict)


def check_chain(connection: sqlite3.Connection, anchor: Anchor | None) -> Chain:
    """Check all event rows in order, and the last one against the anchor. Raises sqlite3.Error, ValueError."""
    identities = connection.execute("SELECT CAST(id AS BLOB), CAST(created AS BLOB) FROM session").fetchall()
    if len(identities) != 1:
        return Chain(seq=0, hash="", problems=("It does not name exactly one session.",))
    seq, head = 0, genesis(*identities[0])
    anchored = head if anchor and anchor.seq == 0 else b""
    listed: dict[str, str] = {}
    for number, *texts in connection.execute(f"SELECT seq, {_COLUMNS} FROM events ORDER BY seq"):  # noqa: S608 -- constants
        row = Row(seq=number, **dict(zip(("time", "kind", "body", "blobs", "prev", "hash"), texts, strict=True)))
        problem = _row_problem(row, seq + 1, head)
        if problem:
            return Chain(seq=seq, hash=head.decode(), problems=(problem,), listed=listed)
        seq, head = row.seq, row.hash
        listed.update((digest, mime_type) for digest, mime_type in json.loads(row.blobs))
        if anchor and anchor.seq == seq:
            anchored = head
    problem = _anchor_problem(anchor, seq, anchored.decode())
    return Chain(seq=seq, hash=head.decode(), problems=(problem,) if problem else (), listed=listed)


def _row_problem(row: Row, expected_seq: int, expected_prev: bytes) -> str:
    if row.seq != expected_seq:
        return f"Event {expected_seq} is missing (the next one found is {row.seq})."
    if row.prev != expected_prev:
        return f"Event {row.seq} does not follow the event before it: an event was changed, added or removed."
    if row.hash != row.link():
        return f"Event {row.seq} was changed after it was written."
    return ""


def _anchor_problem(anchor: Anchor | None, seq: int, hash_at_anchor: str) -> str:
    if anchor is None:
        return ""
    if anchor.genuine is False:
        return "What was noted of its end on this computer was changed, or the key for it is gone."
    if anchor.seq > seq:
        return f"The end is missing: {anchor.seq} events were recorded, and {seq} remain."
    if anchor.hash != hash_at_anchor:
        return "The hash chain was rebuilt: this is not the session that was recorded here."
    if anchor.shut and seq > anchor.seq:
        return f"{seq - anchor.seq} events were added after the session was closed."
    return ""
