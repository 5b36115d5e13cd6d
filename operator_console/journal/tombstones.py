"""What is kept of a deleted session, where the operator wants it: that there was one, and how it ended.

A tombstone is one line of JSON with a MAC by the key of the anchors, in their folder. The hash is that of the last
event, so a copy of the session can be told from another one.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from operator_console.domain.codec import CodecError, decode, encode
from operator_console.journal.anchors import anchor_path, is_signed, key, signed
from operator_console.private_files import open_private

_SUFFIX = ".tombstone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """A deleted session.

    Attributes:
        session: its id.
        file: the name that its file had, without folder and suffix.
        created, deleted: RFC 3339, UTC.
        events: how many it had.
        hash: of the last one (hex).
        genuine: whether this console wrote it.
    """

    session: str
    file: str
    created: str
    deleted: str
    events: int
    hash: str
    genuine: bool = True


def put_tombstone(folder: Path, stone: Tombstone) -> None:
    """Keep a tombstone. Raises OSError; ValueError for an id that is not one of ours."""
    path = anchor_path(folder, stone.session).with_suffix(_SUFFIX)
    fields = {name: value for name, value in encode(stone).items() if name != "genuine"}
    line = signed(json.dumps(fields, sort_keys=True), key(folder))
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(descriptor, line)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def tombstones(folder: Path) -> tuple[Tombstone, ...]:
    """The kept tombstones, the last deleted first; those that cannot be read are left out."""
    found: list[Tombstone] = []
    for path in folder.glob(f"*{_SUFFIX}"):
        try:
            line = path.read_bytes()
            fields = json.loads(line.rpartition(b" ")[0])
            found.append(decode(Tombstone, {**fields, "genuine": is_signed(line, folder)}))
        except (OSError, ValueError, TypeError, CodecError):
            continue
    return tuple(sorted(found, key=lambda stone: stone.deleted, reverse=True))
