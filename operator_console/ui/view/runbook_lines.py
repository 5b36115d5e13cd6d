"""Which line of a runbook runs, from the session's view. Free of Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from operator_console.domain.events import SessionStarted
from operator_console.domain.message_texts import worded
from operator_console.ui.view.session_view import Phase, SessionView, Step

_NUMBERED = re.compile(r"line \d+: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunbookLine:
    """A line, counted from 1, and what it says: as written, or in the provider's words where the text is not known."""

    line: int
    words: str


def running_line(view: SessionView) -> RunbookLine | None:
    """The line of the last step; None if no runbook runs, or it has not begun."""
    started, line = view.started, view.line
    if started is None or not line or view.phase in (Phase.IDLE, Phase.STARTING, Phase.ENDED):
        return None
    written = _lines(started)
    if line <= len(written) and written[line - 1].strip():
        return RunbookLine(line=line, words=written[line - 1].strip())
    proposed = next((item for item in reversed(view.items) if isinstance(item, Step) and item.calls), None)
    intent = worded(proposed.calls[-1].proposed.intent) if proposed is not None else ""
    return RunbookLine(line=line, words=_NUMBERED.sub("", intent, count=1))


def line_count(started: SessionStarted) -> int | None:
    """How many lines the runbook has; None where a record only names its file."""
    return len(_lines(started)) or None


def _lines(started: SessionStarted) -> list[str]:
    file_only = not started.task_text and started.task.strip().startswith("@")
    return [] if file_only else started.written.rstrip().splitlines()
