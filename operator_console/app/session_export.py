"""Exports a recorded session to a file, for the window and the terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TextIO, TypeAlias

import operator_console
from operator_console.journal import export
from operator_console.journal.export import PictureNames
from operator_console.journal.read import Reader
from operator_console.journal.record_json import now
from operator_console.journal.verify import Finding, verify
from operator_console.ui.reading_page.page import Checked, write_page
from operator_console.ui.reading_page.page import Finding as ShownFinding
from operator_console.ui.reading_page.pictures import embedded, named
from operator_console.ui.reading_page.reading import read_session

OnProgress: TypeAlias = Callable[[int, int], None]
"""Hears how many steps of the page are written, of how many; (0, 0) while that is not known."""


def _go_on(_done: int, _of: int) -> None:
    """Let an export run to its end."""


def export_session(
    source: Path, anchors: Path, target: Path, *, overwrite: bool = False, on_progress: OnProgress = _go_on
) -> None:
    """Export the session `source` to `target`, in the format of its suffix (.html, .jsonl, .zip).

    Reads the whole session; call it in a thread where something else must go on.

    Args:
        source: A session file.
        anchors: The folder of the anchors, by which the session is verified.
        target: The file to write. It appears complete or not at all.
        overwrite: Whether an existing target is replaced.
        on_progress: Called often. What it raises ends the export, and nothing is left of it.

    Raises:
        OperatorError: Unknown suffix, or the target exists (exit code 2).
        NotASession: The source is not a session.
        RecordError: The source cannot be read, or the target cannot be written.
    """

    def write(reader: Reader, out: TextIO, names: PictureNames | None) -> None:
        checked = _checked(source, anchors)
        reading = read_session(reader, live=checked.live)
        if names is not None:
            shown = named(reading.pictures, names)
            write_page(out, reading, checked, shown, reader.blob, picture_files=True, on_progress=on_progress)
            return
        with embedded(reading.pictures, reader.blob) as pictures:
            write_page(out, reading, checked, pictures, reader.blob, on_progress=on_progress)

    export.export_session(source, target, write, overwrite=overwrite, between=lambda: on_progress(0, 0))


def _checked(source: Path, anchors: Path) -> Checked:
    verdict = verify(source, anchors)
    return Checked(
        finding=_FINDINGS[verdict.finding], events=verdict.events, blobs=verdict.blobs, last_hash=verdict.last_hash,
        sentences=(*verdict.problems, *verdict.remarks), live=verdict.live, time=now(),
        version=operator_console.__version__,
    )  # fmt: skip


_FINDINGS = {
    Finding.INTACT: ShownFinding.INTACT,
    Finding.DAMAGED: ShownFinding.DAMAGED,
    Finding.ANCHORED_ELSEWHERE: ShownFinding.ELSEWHERE,
}
