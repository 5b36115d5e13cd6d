"""How far a runbook is: which line runs, and how many steps of the session only looked for something. Free of Qt.

A line is one of the runbook's text, a step one turn of the session. A step that looks for something in vain counts as a
wait, too: it says why there are more steps than lines.
"""

from __future__ import annotations

from operator_console.domain.events import Proposed, SessionStarted
from operator_console.domain.translations import _, ngettext
from operator_console.ui.view.call_words import looked_for


def after(event: Proposed, line: int, looks: int) -> tuple[int, int]:
    """The line that the runbook is at after a step, and the number of waits, from those before it."""
    lines = [call.call_id.removeprefix("line-") for call in event.calls if call.call_id.startswith("line-")]
    reached = int(lines[-1]) if lines and lines[-1].isdecimal() else line
    return reached, looks + any(looked_for(call) is not None for call in event.calls)


def progress_words(started: SessionStarted, line: int, looks: int = 0) -> str:
    """How far the runbook is: "line 3 of 3 · 8 waits", the waits only where given; "" before its first line."""
    lines = line_count(started)  # a message may have added steps of its own lines
    if not line:
        return ""
    at = (
        _("line {number} of {lines}").format(number=line, lines=max(line, lines))
        if lines
        else _("line {number}").format(number=line)
    )
    return f"{at} · {ngettext('{count} wait', '{count} waits', looks).format(count=looks)}" if looks else at


def line_count(started: SessionStarted) -> int | None:
    """How many lines the runbook has; None where a record only names its file."""
    return len(_lines(started)) or None


def _lines(started: SessionStarted) -> list[str]:
    file_only = not started.task_text and started.task.strip().startswith("@")
    return [] if file_only else started.written.rstrip().splitlines()
