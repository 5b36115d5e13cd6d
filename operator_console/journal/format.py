"""The file format of a session: tables, marks and the hash chain. Pure; called by write, read and verify.

Every event row carries the hash of the row before it. A row's hash covers its number, time, kind, body, the digests of
the pictures that were stored with it, and the hash before; the first one hangs on the session's id and time of birth.
So nothing can be changed, added between, removed or moved without breaking the chain; only cutting its end leaves a
chain that still fits, which is why its head is kept outside as well (see `anchors`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

APPLICATION_ID = 0x4F435331  # "OCS1"
FORMAT_VERSION = 1
SUFFIX = ".ocsession"

TABLES = {
    "session": "CREATE TABLE session (id TEXT PRIMARY KEY, created TEXT NOT NULL) STRICT",
    "events": (
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, "
        "blobs TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL) STRICT"
    ),
    "blobs": "CREATE TABLE blobs (digest TEXT PRIMARY KEY, mime_type TEXT NOT NULL, data BLOB NOT NULL) STRICT",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An event row as stored, text as bytes. `blobs` is a JSON list of [digest, mime type] stored with it."""

    seq: int
    time: bytes
    kind: bytes
    body: bytes
    blobs: bytes
    prev: bytes
    hash: bytes

    def link(self) -> bytes:
        """The hash this row must carry (hex)."""
        parts = (str(self.seq).encode(), self.time, self.kind, self.body, self.blobs, self.prev)
        return _digest(parts)


def genesis(session_id: bytes, created: bytes) -> bytes:
    """What the first event's `prev` must be."""
    return _digest((b"operator-console session", str(FORMAT_VERSION).encode(), session_id, created))


def _digest(parts: tuple[bytes, ...]) -> bytes:
    digest = hashlib.sha256()
    for part in parts:  # lengths first, so that no byte can wander from one field to the next unseen
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest().encode("ascii")
