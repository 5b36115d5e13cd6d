"""Exports a recorded session to a file, for the window and the terminal."""

from __future__ import annotations

from pathlib import Path

from operator_console.domain.actions import Action
from operator_console.domain.decisions import Assessment
from operator_console.journal import export
from operator_console.ui.view.call_words import assessed_words, unread_words


def export_session(source: Path, anchors: Path, target: Path, *, overwrite: bool = False) -> None:
    """Export the session `source` to `target`, in the format of its suffix (.html, .jsonl, .zip).

    Reads the whole session; call it in a thread where something else must go on.

    Args:
        source: A session file.
        anchors: The folder of the anchors, by which the session is verified.
        target: The file to write. It appears complete or not at all.
        overwrite: Whether an existing target is replaced.

    Raises:
        OperatorError: Unknown suffix, or the target exists (exit code 2).
        NotASession: The source is not a session.
        RecordError: The source cannot be read, or the target cannot be written.
    """
    del anchors  # the page does not say yet whether the record is intact
    export.export_session(source, target, _describe, overwrite=overwrite)


def _describe(action: Action | None, assessment: Assessment | None) -> str:
    words = assessed_words(action, assessment, limit=10_000)
    where = "; ".join(part for part in (words.where, unread_words(assessment).rstrip(".")) if part)
    return f"{words.line}{f' ({where})' if where else ''}"
