"""Summaries of session files, lists of them, and deletion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from operator_console.domain.errors import RecordError
from operator_console.domain.events import Ended, EndedOutcome, SessionStarted
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.journal.anchors import being_written, delete_anchor
from operator_console.journal.call_outcomes import CALL_EVENT_KINDS, RecordedCall, last_call, run_was_cut_off
from operator_console.journal.errors import record_error
from operator_console.journal.file_format import SUFFIX
from operator_console.journal.read import Reader

TYPED_TEXT_NOTICE = "What was typed, also into password fields, is stored as it was."
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
        last: The last call of the last run.
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
    last: RecordedCall | None = None


def session_summary(path: Path, anchors: Path) -> SessionSummary:
    """The summary of one file. Raises NotASession or RecordError."""
    with Reader(path) as reader:
        session_id = reader.session_id
    # Asked before reading, so that a run that ends meanwhile does not count as cut off.
    live = being_written(anchors, session_id)
    with Reader(path) as reader:
        return _summary(reader, live)


def _summary(reader: Reader, live: bool) -> SessionSummary:
    # Decodes only the events needed, so that listing long sessions stays fast.
    starts = list(reader.records(kinds=("session_started",)))
    first = starts[0].event if starts else None
    assert first is None or isinstance(first, SessionStarted)
    last_start = starts[-1].seq if starts else 0
    run = [*starts[-1:], *reader.records(kinds=("ended",), since=last_start)]
    ended = run[-1].event if run and isinstance(run[-1].event, Ended) else None
    steps = reader.numbers("proposed")
    since = max(last_start, steps[-_LAST_STEPS] if len(steps) >= _LAST_STEPS else 0)
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
        steps=len(steps),
        events=reader.count,
        outcome=ended.outcome if ended else None,
        message=ended.message if ended else "",
        live=live,
        cut_off=not live and run_was_cut_off(run),
        last=last_call(reader.records(kinds=CALL_EVENT_KINDS, since=since)),
    )


def list_sessions(folder: Path, anchors: Path) -> tuple[tuple[SessionSummary, ...], tuple[RecordError, ...]]:
    """The sessions in a folder, newest first, and the errors of files that could not be read."""
    summaries: list[SessionSummary] = []
    errors: list[RecordError] = []
    for path in _session_files(folder):
        try:
            summaries.append(session_summary(path, anchors))
        except RecordError as error:
            errors.append(error)
    summaries.sort(key=lambda summary: (summary.created, summary.path.name), reverse=True)
    return tuple(summaries), tuple(errors)


def cut_off_sessions(folder: Path, anchors: Path) -> tuple[SessionSummary, ...]:
    """The sessions whose last run was cut off, newest first."""
    return tuple(summary for summary in list_sessions(folder, anchors)[0] if summary.cut_off)


def size_on_disk(path: Path) -> int:
    """Size of the file and of the files that SQLite keeps beside it, in bytes."""
    total = 0
    for name in (path, *_beside(path)):
        try:
            total += name.stat().st_size
        except OSError:
            continue
    return total


def delete_session(path: Path, anchors: Path) -> int:
    """Delete a session and its anchor; returns the bytes freed.

    Raises:
        NotASession: The file is not a session; it is not deleted.
        RecordError: The session is being written, or cannot be deleted.
    """
    with Reader(path) as reader:
        session_id = reader.session_id
    if being_written(anchors, session_id):
        raise RecordError(
            notice(NoticeCode.SESSION_NOT_DELETED, path=str(path)),
            remedy=notice(NoticeCode.STOP_RUN_FIRST),
        )
    size = size_on_disk(path)
    try:
        path.unlink()
        for name in _beside(path):
            name.unlink(missing_ok=True)
    except OSError as error:
        raise record_error(path, error) from error
    delete_anchor(anchors, session_id)
    return size


def _beside(path: Path) -> Iterable[Path]:
    return (path.with_name(path.name + end) for end in _BESIDE)


def _session_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise record_error(folder, error) from error
