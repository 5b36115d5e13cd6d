"""Which line of a runbook runs, from the session's view. Free of Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from operator_console.domain.message_texts import worded
from operator_console.ui.view.session_view import Phase, SessionView

_NUMBERED = re.compile(r"line \d+: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunbookLine:
    """A line, counted from 1, and what it says: as written, or in the provider's words if the task names a file."""

    line: int
    words: str


def running_line(view: SessionView) -> RunbookLine | None:
    """The line of the last step; None if no runbook runs, or it has not begun."""
    started, line = view.started, view.line
    if started is None or not line or view.phase in (Phase.IDLE, Phase.STARTING, Phase.ENDED):
        return None
    written = started.task.splitlines()
    if not started.task.strip().startswith("@") and line <= len(written) and written[line - 1].strip():
        return RunbookLine(line=line, words=written[line - 1].strip())
    step = view.step
    intent = worded(step.calls[-1].proposed.intent) if step is not None and step.calls else ""
    return RunbookLine(line=line, words=_NUMBERED.sub("", intent, count=1))
