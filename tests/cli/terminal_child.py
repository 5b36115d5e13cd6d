"""A session that only asks questions, as a process with its own terminal.

``python -m tests.cli.terminal_child FD QUESTION...`` with confirm, review, choose, likely, text or lapse. It takes the
terminal on stdin as its controlling one, says "ready" on stdout, waits for a byte on descriptor FD, and then runs with
--json. Whether it ignores SIGHUP, as under nohup, is what HANG_UP says, not what the tests themselves were started
with.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import sys
import termios

from operator_console.cli.run_to_end import run_to_end
from operator_console.cli.terminal import RunOptions, Terminal
from operator_console.domain.actions import Choice, QuestionKind
from operator_console.domain.decisions import DecidedBy, Question, Surface
from operator_console.domain.events import Answered, Asked, Ended, EndedOutcome, Event, Record
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, Intent, Stop
from operator_console.domain.proposals import Usage

LAPSE_S = 1.5


class AskingSession:
    """Asks its questions one by one. A Stop intent ends it."""

    def __init__(self, kinds: list[str], terminal: Terminal) -> None:
        self._kinds = kinds
        self._terminal = terminal
        self._inbox: asyncio.Queue[Intent] = asyncio.Queue()
        self._seq = 0

    def post(self, intent: Intent) -> None:
        self._inbox.put_nowait(intent)

    async def run(self) -> Ended:
        outcome = EndedOutcome.FINISHED
        for number, kind in enumerate(self._kinds):
            if not await self._ask(f"q{number}", kind):
                outcome = EndedOutcome.STOPPED
                break
        ended = Ended(outcome=outcome, usage=Usage())
        self._emit(ended)
        return ended

    async def _ask(self, question_id: str, kind: str) -> bool:
        choices = (Choice(label="left"), Choice(label="right\x1b[2J", region=Rect(10, 20, 30, 40)))
        question = Question(
            question_id=question_id,
            answer=QuestionKind({"lapse": "confirm", "review": "confirm", "likely": "choose"}.get(kind, kind)),
            surface=Surface.CARD if kind == "review" else Surface.DIALOG,
            text=f"Question {question_id}?",
            choices=choices if kind in ("choose", "likely") else (),
            suggested=1 if kind == "likely" else None,
            timeout_s=LAPSE_S if kind == "lapse" else None,
        )
        self._emit(Asked(question=question))
        try:
            async with asyncio.timeout(question.timeout_s):
                intent = await self._reply(question_id)
        except TimeoutError:
            self._emit(Answered(question_id=question_id, answer="declined", by=DecidedBy.LAPSE))
            return True
        if isinstance(intent, Stop):
            return False
        self._emit(Answered(question_id=question_id, answer=intent.answer or "declined", by=DecidedBy.HUMAN))
        return True

    async def _reply(self, question_id: str) -> Answer | Stop:
        while True:
            intent = await self._inbox.get()
            if isinstance(intent, Stop) or (isinstance(intent, Answer) and intent.question_id == question_id):
                return intent

    def _emit(self, event: Event) -> None:
        self._seq += 1
        self._terminal.on_record(Record(seq=self._seq, time="2026-01-01T00:00:00.000000Z", event=event))


async def main() -> int:
    terminal = Terminal(RunOptions(json=True))
    return await run_to_end(AskingSession(sys.argv[2:], terminal), terminal)


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_IGN if os.environ["HANG_UP"] == "ignored" else signal.SIG_DFL)
    if os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.write(1, b"ready\n")
    os.read(int(sys.argv[1]), 1)
    sys.exit(asyncio.run(main()))
