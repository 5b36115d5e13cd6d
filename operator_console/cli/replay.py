"""Prints a recorded session as it was printed live."""

from __future__ import annotations

from asyncio import sleep
from datetime import datetime
from pathlib import Path

from operator_console.cli.shared_options import AnswerMode, RunOptions
from operator_console.cli.terminal import Terminal
from operator_console.journal.read import Reader

_MAX_PAUSE_S = 60.0


async def replay(path: Path, *, speed: float, json: bool) -> None:
    """Print the records of a session.

    Args:
        path: the session file.
        speed: multiple of the original speed; 0 prints everything at once.
        json: print JSON objects instead of lines.
    """
    terminal = Terminal(RunOptions(json=json, answer=AnswerMode.DENY))
    try:
        with Reader(path) as reader:
            before: datetime | None = None
            for record in reader.records():
                when = datetime.fromisoformat(record.time)
                if speed > 0 and before is not None:
                    waited_s = (when - before).total_seconds() / speed
                    await sleep(min(max(waited_s, 0.0), _MAX_PAUSE_S))
                before = when
                terminal.on_record(record)
    finally:
        await terminal.close()
