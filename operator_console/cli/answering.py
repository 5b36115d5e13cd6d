"""Answers at the terminal, without ever blocking the loop and without anything slipping through.

Needs stdin and stderr on a terminal that this process holds the foreground of; otherwise each question is declined at
once. What was typed before a question is thrown away, a second passes before input counts, and only the typed word
`yes` confirms. Called by terminal.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable

from operator_console.cli.output import Output
from operator_console.cli.question_lines import question_lines
from operator_console.domain.actions import QuestionKind
from operator_console.domain.decisions import Question
from operator_console.domain.intents import Answer, Intent

if sys.platform != "win32":
    import termios

_log = logging.getLogger(__name__)
BEFORE_INPUT_COUNTS_S = 1.0
CONFIRMING_WORD = "yes"
_HEARD_WITHIN_S = 0.25
_COLUMNS = 80  # where the terminal does not say


def is_foreground_terminal(*descriptors: int) -> bool:
    """Whether these are terminals and this process may read from and write to them now."""
    if sys.platform == "win32":
        return False
    try:
        return all(os.isatty(number) and os.tcgetpgrp(number) == os.getpgrp() for number in descriptors)
    except OSError:
        return False


class Answerer:
    """One question at a time, asked on stderr, read from `stdin`."""

    def __init__(self, output: Output, stdin: int, stderr: int) -> None:
        self._output = output
        self._stdin, self._stderr = stdin, stderr
        self._open: tuple[str, asyncio.Task[None]] | None = None

    @property
    def present(self) -> bool:
        """Whether somebody can answer now."""
        return is_foreground_terminal(self._stdin, self._stderr)

    def ask(self, question: Question, post: Callable[[Intent], None]) -> None:
        """Begin to ask; the answer is posted later, from a task of its own."""
        self.withdraw(None)
        task = asyncio.get_running_loop().create_task(self._ask(question, post), name="terminal question")
        self._open = (question.question_id, task)

    def withdraw(self, question_id: str | None) -> None:
        """The question was answered elsewhere, lapsed or is void (None: whichever is open)."""
        if self._open is not None and question_id in (None, self._open[0]):
            task = self._open[1]
            self._open = None
            if task is not _current_task():
                task.cancel()

    async def close(self) -> None:
        """End the open question, and wait for its task."""
        if self._open is None:
            return
        task = self._open[1]
        self.withdraw(None)
        await asyncio.wait({task})

    async def _ask(self, question: Question, post: Callable[[Intent], None]) -> None:
        answer: str | None = None
        present = self.present
        try:
            if present:
                answer = await self._converse(question)
            else:
                self._output.note("  nobody can answer here: declined")
        except OSError as error:  # the terminal went away
            _log.info("the terminal cannot be read: %s", error)
        while True:  # until the record says that it was answered: the session may not have begun to wait yet
            post(Answer(question_id=question.question_id, answer=answer, nobody=not present))
            await asyncio.sleep(_HEARD_WITHIN_S)

    async def _converse(self, question: Question) -> str | None:
        self._output.note(question_lines(question, self._columns()))
        self._discard_type_ahead()
        await asyncio.sleep(BEFORE_INPUT_COUNTS_S)
        self._discard_type_ahead()
        prompt = _PROMPTS[question.answer]
        while True:
            self._output.note(f"  {prompt}: ", end="")
            line = await self._line()
            answer, again = _read(question, line)
            if not again:
                return answer
            prompt = again

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stderr).columns or _COLUMNS
        except OSError:
            return _COLUMNS

    def _discard_type_ahead(self) -> None:
        if sys.platform != "win32":
            termios.tcflush(self._stdin, termios.TCIFLUSH)

    async def _line(self) -> str | None:
        """The next line; None at the end of input. The terminal's own line editing applies."""
        loop = asyncio.get_running_loop()
        data = b""
        while not data.endswith(b"\n"):
            ready = loop.create_future()
            loop.add_reader(self._stdin, _settle, ready)
            try:
                await ready
            finally:
                loop.remove_reader(self._stdin)
            part = os.read(self._stdin, 4096)
            if not part:
                return None
            data += part
        return data.decode("utf-8", "replace").rstrip("\r\n")


_PROMPTS = {
    QuestionKind.CONFIRM: f"type {CONFIRMING_WORD} to allow it, anything else means no",
    QuestionKind.CHOOSE: "type a number, or nothing for none",
    QuestionKind.TEXT: "type your answer, or nothing to decline",
}


def _read(question: Question, line: str | None) -> tuple[str | None, str]:
    """The answer, and (where the line is no answer yet) what to say instead."""
    text = (line or "").strip()
    if not text:
        return None, ""
    match question.answer:
        case QuestionKind.CONFIRM:
            return (CONFIRMING_WORD if text == CONFIRMING_WORD else None), ""
        case QuestionKind.CHOOSE:
            count = len(question.choices)
            if text.isascii() and text.isdigit() and 1 <= int(text) <= count:
                return str(int(text) - 1), ""
            return None, f"a number from 1 to {count}, or nothing for none"
        case QuestionKind.TEXT:
            return line, ""


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _current_task() -> asyncio.Task[None] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
