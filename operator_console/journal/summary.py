"""Summaries of session files, lists of them, and deletion."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Ended, EndedOutcome, Record, SessionStarted
from operator_console.domain.frames import TargetKind
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.journal.anchors import being_written, delete_anchor
from operator_console.journal.call_outcomes import CALL_EVENT_KINDS, RecordedCall, last_call, run_was_cut_off
from operator_console.journal.database import DOWNLOADS_SUFFIX, HAR_SUFFIX, SUFFIX
from operator_console.journal.errors import record_error
from operator_console.journal.read import Reader
from operator_console.journal.record_json import now
from operator_console.journal.tombstones import Tombstone, put_tombstone

_LAST_STEPS = 3
_BESIDE = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """Summary of a session.

    Attributes:
        size_bytes: Size on disk, including the files that SQLite keeps beside it.
        runs: How often the session was started or resumed.
        steps: Turns of the model in all runs.
        outcome: Outcome of the last run; None if it has not ended or was cut off.
        live: Whether a process is writing the session now.
        cut_off: Whether the last run has no end although no process is writing the session.
        length_s: How long its runs took together; of a run without an end, until its last event.
        picture: Digest of the last picture that the model was shown; "" if there is none.
        task, target, provider, model, autonomy: Of the first run; "" if it was not recorded.
    """

    path: Path
    session_id: str
    created: str
    size_bytes: int
    task: str = ""
    target: str = ""
    provider: str = ""
    model: str = ""
    autonomy: str = ""
    runs: int = 0
    steps: int = 0
    events: int = 0
    outcome: EndedOutcome | None = None
    message: str = ""
    live: bool = False
    cut_off: bool = False
    length_s: float = 0.0
    picture: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableFile:
    """A file with the suffix of a session that cannot be read. `changed_s`: when it was changed, as time.time()."""

    path: Path
    error: RecordError
    size_bytes: int
    changed_s: float


def session_summary(path: Path, anchors: Path) -> SessionSummary:
    """The summary of one file. Raises NotASession or RecordError."""
    with Reader(path) as reader:
        live = being_written(anchors, reader.session_id)
        summary = _summary(reader, live)
    if not summary.cut_off:
        return summary
    # It may have ended between the opening of the file and the question whether it is being written.
    with Reader(path) as reader:
        return _summary(reader, live)


def recorded_last_call(path: Path) -> RecordedCall | None:
    """The last call of the last run. Raises NotASession or RecordError."""
    with Reader(path) as reader:
        starts = reader.numbers("session_started")
        steps = reader.numbers("proposed")
        since = max(starts[-1] if starts else 0, steps[-_LAST_STEPS] if len(steps) >= _LAST_STEPS else 0)
        return last_call(reader.records(kinds=CALL_EVENT_KINDS, since=since))


def _summary(reader: Reader, live: bool) -> SessionSummary:
    # Decodes only the events needed, so that listing long sessions stays fast.
    runs = list(reader.records(kinds=("session_started", "ended")))
    starts = [record for record in runs if isinstance(record.event, SessionStarted)]
    first = starts[0].event if starts else None
    assert first is None or isinstance(first, SessionStarted)
    ended = runs[-1].event if runs and isinstance(runs[-1].event, Ended) else None
    return SessionSummary(
        path=reader.path,
        session_id=reader.session_id,
        created=reader.created,
        size_bytes=size_on_disk(reader.path),
        task=first.task if first else "",
        target=first.target.title if first else "",
        provider=first.provider if first else "",
        model=first.model if first else "",
        autonomy=first.autonomy.value if first else "",
        runs=len(starts),
        steps=len(reader.numbers("proposed")),
        events=reader.count,
        outcome=ended.outcome if ended else None,
        message=ended.message if ended else "",
        live=live,
        cut_off=not live and run_was_cut_off(runs),
        length_s=_length_s(reader, runs),
        picture=reader.last_picture,
    )


def _length_s(reader: Reader, runs: Sequence[Record]) -> float:
    whole_s = sum(record.event.elapsed_s for record in runs if isinstance(record.event, Ended))
    if runs and isinstance(runs[-1].event, SessionStarted):
        whole_s += seconds_between(runs[-1].time, reader.last_time)
    return whole_s


def seconds_between(began: str, ended: str) -> float:
    """Between two times of events; 0 if they are no times or the clock was set back."""
    try:
        return max(0.0, (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds())
    except (ValueError, TypeError):
        return 0.0


class SessionFolder:
    """The sessions in a folder. Files that have not changed since the last `read` are not read again."""

    def __init__(self, folder: Path, anchors: Path) -> None:
        self._folder, self._anchors = folder, anchors
        self._known: dict[Path, tuple[_Signature, SessionSummary]] = {}

    def read(self) -> tuple[tuple[SessionSummary, ...], tuple[UnreadableFile, ...]]:
        """The sessions, newest first, and the files that could not be read. Not from two threads at once."""
        known: dict[Path, tuple[_Signature, SessionSummary]] = {}
        unreadable: list[UnreadableFile] = []
        for path in _session_files(self._folder):
            try:
                signature = _signature(path)
                before = self._known.get(path)
                unchanged = before is not None and before[0] == signature
                if before is not None and unchanged and not being_written(self._anchors, before[1].session_id):
                    known[path] = before
                else:
                    known[path] = signature, session_summary(path, self._anchors)
            except OSError:
                continue  # it was deleted meanwhile
            except RecordError as error:
                found = _unreadable(path, error)
                unreadable += [found] if found is not None else []
        self._known = {path: each for path, each in known.items() if not each[1].live}
        summaries = [summary for _, summary in known.values()]
        summaries.sort(key=lambda summary: (summary.created, summary.path.name), reverse=True)
        return tuple(summaries), tuple(unreadable)


_Signature: TypeAlias = tuple[tuple[int, int, int] | None, ...]
"""Inode, size and time of change in ns of a session file and of its -wal file."""


def _signature(path: Path) -> _Signature:
    return _status(path.stat()), _wal_status(path)


def _wal_status(path: Path) -> tuple[int, int, int] | None:
    try:
        return _status(path.with_name(f"{path.name}-wal").stat())
    except FileNotFoundError:
        return None


def _status(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _unreadable(path: Path, error: RecordError) -> UnreadableFile | None:
    try:
        changed_s = path.stat().st_mtime
    except OSError:
        return None  # it was deleted meanwhile
    return UnreadableFile(path=path, error=error, size_bytes=size_on_disk(path), changed_s=changed_s)


def list_sessions(folder: Path, anchors: Path) -> tuple[tuple[SessionSummary, ...], tuple[UnreadableFile, ...]]:
    """The sessions in a folder, newest first, and the files that could not be read."""
    return SessionFolder(folder, anchors).read()


def cut_off_sessions(folder: Path, anchors: Path) -> tuple[SessionSummary, ...]:
    """The sessions whose last run was cut off, newest first."""
    return tuple(summary for summary in list_sessions(folder, anchors)[0] if summary.cut_off)


def size_on_disk(path: Path) -> int:
    """Size of the file and of the files that SQLite keeps beside it, in bytes."""
    return _total_size((path, *_beside(path)))


def delete_session(path: Path, anchors: Path, *, tombstone: bool = False) -> int:
    """Delete a session; returns the bytes freed. What its browser kept beside it goes too: the archive of its requests
    and the folder of what it saved. So does its anchor, unless a copy in the same folder needs it.

    Args:
        path: its file.
        anchors: the folder of its anchor.
        tombstone: whether a line is kept there that it existed, see `tombstones`.

    Raises:
        NotASession: The file is not a session; it is not deleted.
        RecordError: The session is being written, or cannot be deleted.
    """
    with Reader(path) as reader:
        session_id = reader.session_id
        used_browser = _used_browser(reader)
        stone = _tombstone(path, reader) if tombstone else None
    if being_written(anchors, session_id):
        raise RecordError(
            notice(NoticeCode.SESSION_NOT_DELETED, path=str(path)),
            remedy=notice(NoticeCode.STOP_RUN_FIRST),
        )
    archive, downloads = path.with_suffix(HAR_SUFFIX), path.with_suffix(DOWNLOADS_SUFFIX)
    kept = (archive, *downloads.glob("*")) if used_browser else ()
    size = size_on_disk(path) + _total_size(kept)
    try:
        if stone is not None:
            put_tombstone(anchors, stone)  # first: without it the session is not deleted
        path.unlink()
        for name in _beside(path):
            name.unlink(missing_ok=True)
        if used_browser:
            archive.unlink(missing_ok=True)
            if downloads.is_dir():
                shutil.rmtree(downloads)
    except OSError as error:
        raise record_error(path, error) from error
    if all(_id_of(other) != session_id for other in _session_files(path.parent)):
        delete_anchor(anchors, session_id)
    return size


def _tombstone(path: Path, reader: Reader) -> Tombstone:
    events, digest = reader.head
    return Tombstone(
        session=reader.session_id, file=path.stem, created=reader.created, deleted=now(), events=events, hash=digest
    )


def _used_browser(reader: Reader) -> bool:
    try:
        starts = [record.event for record in reader.records(kinds=("session_started",))]
    except RecordError:
        return False
    return any(isinstance(each, SessionStarted) and each.target.kind is TargetKind.BROWSER for each in starts)


def _id_of(path: Path) -> str:
    """The session that a file records; "" if it cannot be read."""
    try:
        with Reader(path) as reader:
            return reader.session_id
    except RecordError:
        return ""


def _total_size(files: Iterable[Path]) -> int:
    total = 0
    for name in files:
        try:
            total += name.stat().st_size
        except OSError:
            continue
    return total


def _beside(path: Path) -> Iterable[Path]:
    return (path.with_name(path.name + end) for end in _BESIDE)


def _session_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise record_error(folder, error) from error
