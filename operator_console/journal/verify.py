"""Checks whether a session file was changed after it was written: its hash chain, its blobs and its anchor.

Never writes.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from operator_console.domain.consent import ConsentTrail
from operator_console.domain.errors import ExitCode
from operator_console.domain.events import Granted, Record
from operator_console.journal.anchors import Anchor, being_written, read_anchor
from operator_console.journal.call_outcomes import RecordedCall, last_call, run_was_cut_off
from operator_console.journal.database import TABLES
from operator_console.journal.errors import DamagedRecord
from operator_console.journal.hash_chain import Chain, check_chain
from operator_console.journal.read import entries, open_read_only
from operator_console.journal.record_json import Entry


class Finding(Enum):
    """Result of `verify`; the value is the exit code."""

    INTACT = ExitCode.FINISHED
    DAMAGED = ExitCode.FAILED
    ANCHORED_ELSEWHERE = ExitCode.ANCHORED_ELSEWHERE


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Result of `verify` with details.

    Attributes:
        last_hash: Hash of the last valid event (hex); "" if the file cannot be read.
        problems: What is wrong, in sentences; empty unless the file is damaged.
        remarks: Limits of the verification, in sentences.
        live: Whether a process is writing the session now.
        cut_off: Whether the last run has no end although no process is writing the session.
        last: The last call of the last run, if there is one.
    """

    finding: Finding
    session_id: str
    events: int
    blobs: int
    last_hash: str = ""
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    live: bool = False
    cut_off: bool = False
    last: RecordedCall | None = None


def verify(path: Path, anchors: Path) -> Verdict:
    """Check the whole file.

    Raises:
        NotASession: The file is not a session.
        RecordError: The file cannot be read at all.
    """
    try:
        with open_read_only(path) as connection:
            (session_id,) = connection.execute("SELECT id FROM session").fetchone()
        # The anchor is read before the file, which may grow meanwhile.
        live, anchor = being_written(anchors, session_id), read_anchor(anchors, session_id)
        with open_read_only(path) as connection:
            return _verify(connection, session_id, anchor, live=live)
    except (DamagedRecord, sqlite3.DatabaseError, ValueError, TypeError) as error:
        cause = error.__cause__ if isinstance(error, DamagedRecord) else error
        problem = f"The file cannot be read completely ({cause})."
        return Verdict(finding=Finding.DAMAGED, session_id="", events=0, blobs=0, problems=(problem,))


def _verify(connection: sqlite3.Connection, session_id: str, anchor: Anchor | None, *, live: bool) -> Verdict:
    chain = check_chain(connection, anchor)
    problems = (*_file_problems(connection), *chain.problems, *_blob_problems(connection, chain.listed))
    records: list[Record] = []
    if not problems:
        problems = tuple(_consent_problems(_kept(entries(connection), records)))[:1]
    finding = Finding.INTACT if anchor else Finding.ANCHORED_ELSEWHERE
    return Verdict(
        finding=Finding.DAMAGED if problems else finding,
        session_id=session_id,
        events=chain.seq,
        blobs=len(chain.listed),
        last_hash=chain.hash if chain.seq else "",
        problems=problems,
        remarks=() if problems else _remarks(chain, anchor, live),
        live=live,
        cut_off=not live and run_was_cut_off(records),
        last=last_call(records),
    )


def _file_problems(connection: sqlite3.Connection) -> tuple[str, ...]:
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_autoindex_%'"))
    if found != TABLES:
        return ("The tables are not those of a session file.",)
    rows = connection.execute("PRAGMA integrity_check(3)").fetchall()
    return () if rows == [("ok",)] else tuple(f"The database is damaged: {text}." for (text,) in rows)


def _blob_problems(connection: sqlite3.Connection, listed: dict[str, str]) -> tuple[str, ...]:
    left = dict(listed)
    for digest, mime_type, data in connection.execute("SELECT digest, mime_type, data FROM blobs"):
        if left.pop(digest, None) != mime_type:
            return (f"Picture or answer {digest[:12]} was added or renamed after the events were written.",)
        if hashlib.sha256(data).hexdigest() != digest:
            return (f"Picture or answer {digest[:12]} was changed.",)
    return tuple(f"Picture or answer {digest[:12]} is missing." for digest in list(left)[:1])


def _kept(found: Iterable[Entry], records: list[Record]) -> Iterator[Entry]:
    """The entries, whose records are kept as they pass."""
    for entry in found:
        if entry.record is not None:
            records.append(entry.record)
        yield entry


def _consent_problems(found: Iterable[Entry]) -> Iterator[str]:
    """The permissions that the decision, question, picture or window before them does not support."""
    trail: ConsentTrail | None = ConsentTrail()
    for entry in found:
        if entry.record is None:
            trail = None  # of a newer version; what follows may rest on it
        if trail is None or entry.record is None:
            continue
        event = entry.record.event
        stored = {name: value for name, value in entry.object.items() if name not in ("seq", "time")}
        if isinstance(event, Granted) and not trail.supports(event, stored):
            yield f"Event {entry.record.seq} permits an action that was not approved as it says."
        trail.see(event, stored)


def _remarks(chain: Chain, anchor: Anchor | None, live: bool) -> tuple[str, ...]:
    if anchor is None:
        return ("The length of this session is not known on this computer, so a missing end would not be detected.",)
    unsigned = () if anchor.genuine else ("An older version recorded it, which noted its end here without a key.",)
    if chain.seq > anchor.seq and not live:
        number = chain.seq - anchor.seq
        what = "event was" if number == 1 else f"{number} events were"
        return (*unsigned, f"The last {what} written after the anchor was last updated, which happens in a crash.")
    return unsigned
