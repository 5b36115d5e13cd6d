"""The recorded sessions, for the window: lists, pictures, verification, export, renaming and deletion, in threads."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from operator_console.journal import summary as journal
from operator_console.journal.read import Reader
from operator_console.journal.rename import rename_session
from operator_console.journal.verify import Finding, verify
from operator_console.settings.file_locations import Paths
from operator_console.ui.backend import SessionOutcome, SessionSummary, VerifyFinding, VerifyReport

_UNNAMED = re.compile(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(_\d+)?")
"""The names that `Paths.new_session` gives."""
_TASK_CHARACTERS = 2_000
_FINDINGS = {
    Finding.INTACT: VerifyFinding.INTACT,
    Finding.DAMAGED: VerifyFinding.DAMAGED,
    Finding.ANCHORED_ELSEWHERE: VerifyFinding.RECORDED_ELSEWHERE,
}


class SessionFiles:
    """The session files of this user. Methods raise ConsoleError."""

    def __init__(self, paths: Paths) -> None:
        self._anchors = paths.anchors
        self._folder = journal.SessionFolder(paths.sessions, paths.anchors)
        self._reading = threading.Lock()  # a read that nobody waits for any more goes on in its thread

    async def sessions(self) -> Sequence[SessionSummary]:
        """All files of the sessions folder."""
        return await asyncio.to_thread(self._list)

    def _list(self) -> list[SessionSummary]:
        with self._reading:
            sessions, unreadable = self._folder.read()
        return [*map(listed, sessions), *map(_listed_unreadable, unreadable)]

    async def picture(self, path: Path, digest: str) -> bytes | None:
        """A picture of a session."""
        return await asyncio.to_thread(_picture, path, digest)

    async def verify(self, path: Path) -> VerifyReport:
        """Check whether a session was changed or damaged."""
        verdict = await asyncio.to_thread(verify, path, self._anchors)
        return VerifyReport(
            finding=_FINDINGS[verdict.finding], events=verdict.events, blobs=verdict.blobs,
            remarks=(*verdict.problems, *verdict.remarks),
        )  # fmt: skip

    async def export(self, path: Path, target: Path, on_progress: Callable[[int, int], None]) -> None:
        """Export a session, replacing a file of the target's name. Cancelled, it returns when nothing is left of it."""
        cancelled = threading.Event()

        def told(done: int, of: int) -> None:
            if cancelled.is_set():
                raise _ExportCancelled
            on_progress(done, of)

        writing = asyncio.ensure_future(asyncio.to_thread(_export, path, self._anchors, target, told))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            cancelled.set()
            await asyncio.wait([writing])
            if not writing.cancelled():
                writing.exception()  # whatever ended it, nobody waits for it any more
            raise

    async def rename(self, path: Path, name: str) -> Path:
        """Give a session file another name."""
        return await asyncio.to_thread(rename_session, path, name, self._anchors)

    async def delete(self, path: Path, *, tombstone: bool) -> int:
        """Delete a session; the bytes freed."""
        return await asyncio.to_thread(journal.delete_session, path, self._anchors, tombstone=tombstone)


def listed(found: journal.SessionSummary) -> SessionSummary:
    """A session as the library shows it."""
    return SessionSummary(
        path=found.path, named=_UNNAMED.fullmatch(found.path.stem) is None, task=found.task[:_TASK_CHARACTERS],
        started=found.created, outcome=_outcome(found), runs=found.runs, steps=found.steps, length_s=found.length_s,
        size_bytes=found.size_bytes, target=found.target, model=found.model or found.provider, picture=found.picture,
    )  # fmt: skip


def _outcome(found: journal.SessionSummary) -> SessionOutcome:
    if found.live:
        return SessionOutcome.RUNNING
    return SessionOutcome(found.outcome.value) if found.outcome is not None else SessionOutcome.INTERRUPTED


def _listed_unreadable(found: journal.UnreadableFile) -> SessionSummary:
    changed = datetime.fromtimestamp(found.changed_s, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    trouble = " ".join(part for part in (found.error.title, found.error.detail) if part)
    return SessionSummary(
        path=found.path, task="", named=True, started=changed, outcome=SessionOutcome.UNREADABLE,
        size_bytes=found.size_bytes, trouble=trouble,
    )  # fmt: skip


def _picture(path: Path, digest: str) -> bytes | None:
    with Reader(path) as reader:
        return reader.blob(digest)


class _ExportCancelled(Exception):
    """Ends an export in its thread."""


def _export(path: Path, anchors: Path, target: Path, on_progress: Callable[[int, int], None]) -> None:
    from operator_console.app.session_export import export_session  # loads what writes the page, in this thread

    export_session(path, anchors, target, overwrite=True, on_progress=on_progress)
