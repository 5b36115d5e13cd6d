"""Prints a session to the terminal and asks its questions there. Implements the engine's `Audience`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO

from operator_console.cli.event_lines import EventLines
from operator_console.cli.output import Output
from operator_console.cli.terminal_questions import Focus, TerminalPrompter
from operator_console.domain.events import Answered, Asked, Paused, Record
from operator_console.domain.frames import Frame
from operator_console.domain.intents import Intent, Stop
from operator_console.domain.message_texts import notice, with_words
from operator_console.domain.notices import NoticeCode
from operator_console.domain.states import State
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.journal.record_json import record_to_object


class AnswerMode(StrEnum):
    """Whether questions are asked on the terminal or declined at once."""

    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Output and questions of a run in a terminal.

    Attributes:
        json: print one JSON object per event instead of one line per step.
        answer: what happens to questions.
        verbose: write log lines to stderr as well.
    """

    json: bool = False
    answer: AnswerMode = AnswerMode.ASK
    verbose: bool = False


class Terminal:
    """The terminal of one session, live or replayed. `close` it at the end."""

    def __init__(
        self,
        options: RunOptions,
        *,
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
        focus: Focus | None = None,
    ) -> None:
        """Streams default to those of the process. `focus`: as for `TerminalPrompter`."""
        self._options = options
        self._lines = EventLines()
        self._post: Callable[[Intent], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        errors = stderr or sys.stderr
        self._output = Output(stdout or sys.stdout, errors, self._output_closed)
        self._prompter: TerminalPrompter | None = None
        source = stdin or sys.stdin
        if options.answer is AnswerMode.ASK and source is not None and not source.closed:
            self._prompter = TerminalPrompter(self._output, source.fileno(), errors.fileno(), focus)

    @property
    def answerable(self) -> bool:
        """Whether questions can be answered here."""
        return self._prompter is not None and self._prompter.present

    def attach(self, post: Callable[[Intent], None]) -> None:
        """Set where intents are sent. Call this on the loop of the session, before it runs.

        Without it, as in a replay, no questions are asked.
        """
        self._post = post
        self._loop = asyncio.get_running_loop()

    def on_record(self, record: Record) -> None:
        """Print the record, and open or withdraw a question."""
        if self._options.json:
            self._output.say(json.dumps(record_to_object(record)))
        else:
            self._print(record)
        match record.event:
            case Asked(question=question) if self._post is not None and self._prompter is not None:
                self._prompter.ask(with_words(question), self._post)
            case Paused(by=PauseCause.HAND) if self._prompter is not None:
                self._prompter.person_came()
            case Answered(question_id=question_id) if self._prompter is not None:
                self._prompter.withdraw(question_id)
            case _:
                pass

    def on_state(self, state: State) -> None:
        """Ignored; the records contain the state changes."""

    def on_frame(self, frame: Frame) -> None:
        """Ignored."""

    def note(self, text: str) -> None:
        """Print a line to stderr, in order with the other output."""
        self._output.note(text)

    async def close(self) -> None:
        """Withdraw an open question and write the remaining output."""
        if self._prompter is not None:
            await self._prompter.close()
        await asyncio.get_running_loop().run_in_executor(None, self._output.close)

    def _print(self, record: Record) -> None:
        asked_here = isinstance(record.event, Asked) and self._post is not None and self.answerable
        for line in self._lines.feed(record):
            if line.step:
                self._output.say(line.text)
            elif not asked_here:
                self._output.note(line.text)

    def _output_closed(self) -> None:
        # Nobody can watch the run any more, so it ends, like any program whose output pipe is closed.
        if self._post is not None and self._loop is not None and not self._loop.is_closed():
            stop = Stop(reason=StopCause.INTERRUPT, detail=notice(NoticeCode.OUTPUT_CLOSED))
            self._loop.call_soon_threadsafe(self._post, stop)
