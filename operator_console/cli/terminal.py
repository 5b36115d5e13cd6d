"""The terminal as an audience of a session: prints it, asks its questions. Fits the engine's Audience by shape.

Used by app for `run` and `practice --headless` (live), and by `sessions replay` (from a file). It decides nothing.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import TextIO

from operator_console.cli.answering import Answerer
from operator_console.cli.lines import Lines
from operator_console.cli.options import AnswerMode, RunOptions
from operator_console.cli.output import Output
from operator_console.domain.events import Answered, Asked, Record, StopCause
from operator_console.domain.frames import Frame
from operator_console.domain.intents import Intent, Stop
from operator_console.domain.states import State
from operator_console.journal.codec import record_to_object


class Terminal:
    """One session's terminal side. `attach` it to the session's `post`; `close` it at the end."""

    def __init__(
        self,
        options: RunOptions,
        *,
        stdin: TextIO | None = None,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
    ) -> None:
        """The streams are the process's own where they are not given."""
        self._options = options
        self._lines = Lines()
        self._post: Callable[[Intent], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        errors = stderr or sys.stderr
        self._output = Output(stdout or sys.stdout, errors, self._reader_gone)
        self._answerer: Answerer | None = None
        source = stdin or sys.stdin
        if options.answer is AnswerMode.ASK and source is not None and not source.closed:
            self._answerer = Answerer(self._output, source.fileno(), errors.fileno())

    @property
    def answerable(self) -> bool:
        """Whether somebody can answer questions here (for the engine's option of that name)."""
        return self._answerer is not None and self._answerer.present

    def attach(self, post: Callable[[Intent], None]) -> None:
        """Where intents go. Called on the session's loop, before it runs."""
        self._post = post
        self._loop = asyncio.get_running_loop()

    def on_record(self, record: Record) -> None:
        """Print it; open or withdraw its question."""
        if self._options.json:
            self._output.say(json.dumps(record_to_object(record)))
        else:
            self._print(record)
        match record.event:
            case Asked(question=question) if self._post is not None and self._answerer is not None:
                self._answerer.ask(question, self._post)
            case Answered(question_id=question_id) if self._answerer is not None:
                self._answerer.withdraw(question_id)
            case _:
                pass

    def on_state(self, state: State) -> None:
        """Nothing to print: records say it."""

    def on_frame(self, frame: Frame) -> None:
        """Nothing to print."""

    def note(self, text: str) -> None:
        """A line on stderr, in order with the rest."""
        self._output.note(text)

    async def close(self) -> None:
        """End an open question and write what is left."""
        if self._answerer is not None:
            await self._answerer.close()
        await asyncio.get_running_loop().run_in_executor(None, self._output.close)

    def _print(self, record: Record) -> None:
        asked_here = isinstance(record.event, Asked) and self._post is not None and self.answerable
        for line in self._lines.feed(record):
            if line.step:
                self._output.say(line.text)
            elif not asked_here:
                self._output.note(line.text)

    def _reader_gone(self) -> None:
        # Nobody sees any more what is done: the run ends in order, as any program does whose output is cut off.
        if self._post is not None and self._loop is not None and not self._loop.is_closed():
            stop = Stop(reason=StopCause.INTERRUPT, detail="The reader of the output has gone.")
            self._loop.call_soon_threadsafe(self._post, stop)
