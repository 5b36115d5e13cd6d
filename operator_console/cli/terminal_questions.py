"""Asks questions on stderr and reads the answers from a terminal, without blocking the event loop.

stdin and stderr must be a terminal of which this process is in the foreground; otherwise every question is declined
at once. Input typed before a question, or within its first second, is discarded. `y` and `yes` confirm, `n` and `no`
decline; what the window asks in its safety dialog takes the whole word `yes`. Anything else is asked again.

A question is shown with the complete text of the action. Text from models and applications must not imitate the
console's own lines. It is therefore wrapped to the width of the terminal, each line starts with a mark, and invisible
characters are escaped.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import unicodedata
from collections.abc import Callable, Iterator
from typing import Protocol

from operator_console.cli.output import Output
from operator_console.domain.actions import QuestionKind
from operator_console.domain.decisions import Assessment, Question, Surface
from operator_console.domain.intents import Answer, Intent
from operator_console.domain.message_texts import worded
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import exact_text
from operator_console.engine.visible_text import shown, shown_lines
from operator_console.ui.view.call_words import question_text, reasons_of
from operator_console.ui.view.words import category_words, risk_phrase

_log = logging.getLogger(__name__)
IGNORE_INPUT_S = 1.0
CONFIRMING_WORD = "yes"
_YES, _NO = frozenset(("y", CONFIRMING_WORD)), frozenset(("n", "no"))
WIDENING_WORD = "session"
"""Confirms, and permits what the question offers for the rest of the session."""
_REPEAT_S = 0.25
MARK = "  | "
MIN_COLUMNS = 20
_COLUMNS = 80  # if the terminal does not report its width


def is_foreground_terminal(*descriptors: int) -> bool:
    """Whether these descriptors are terminals and this process is in their foreground."""
    if sys.platform == "win32":
        return False
    try:
        return all(os.isatty(number) and os.tcgetpgrp(number) == os.getpgrp() for number in descriptors)
    except OSError:
        return False


class Focus(Protocol):
    """The keyboard focus of the terminal."""

    def person_came(self) -> None:
        """A person took mouse or keyboard while the agent acted."""
        ...

    async def before_question(self) -> bool:
        """Give the terminal the focus if the agent's input took it; whether the terminal has it now."""
        ...

    async def answered(self) -> None:
        """A question was answered in the terminal."""
        ...


class TerminalPrompter:
    """Asks one question at a time."""

    def __init__(self, output: Output, stdin: int, stderr: int, focus: Focus | None = None) -> None:
        """`focus`: None where nothing of the agent's can take the focus from the terminal."""
        self._output = output
        self._stdin, self._stderr = stdin, stderr
        self._focus = focus
        self._open: tuple[str, asyncio.Task[None]] | None = None

    @property
    def present(self) -> bool:
        """Whether a question can be answered now."""
        return is_foreground_terminal(self._stdin, self._stderr)

    def person_came(self) -> None:
        """A person took mouse or keyboard while the agent acted, and keeps the focus."""
        if self._focus is not None:
            self._focus.person_came()

    def ask(self, question: Question, post: Callable[[Intent], None]) -> None:
        """Ask the question in a new task, which posts the answer. Replaces an open question."""
        self.withdraw(None)
        task = asyncio.get_running_loop().create_task(self._ask(question, post), name="terminal question")
        self._open = (question.question_id, task)

    def withdraw(self, question_id: str | None) -> None:
        """Stop asking this question (None: any), because it was answered elsewhere, expired or became void."""
        if self._open is not None and question_id in (None, self._open[0]):
            task = self._open[1]
            self._open = None
            if task is not _current_task():
                task.cancel()

    async def close(self) -> None:
        """Stop asking and wait for the task to end."""
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
                answer = await self._prompt(question)
            else:
                self._output.note(_("  Declined, because nobody can answer here."))
        except OSError as error:  # the terminal was closed
            _log.info("the terminal cannot be read: %s", error)
        while True:  # until the session withdraws the question: it may not be waiting for the answer yet
            permits = question.offer is not None and answer == WIDENING_WORD
            said = CONFIRMING_WORD if permits else answer
            post(Answer(question_id=question.question_id, answer=said, nobody=not present, permits=permits))
            await asyncio.sleep(_REPEAT_S)

    async def _prompt(self, question: Question) -> str | None:
        # Before the question is shown: what is typed as its answer must not reach another window.
        focused = self._focus is None or await self._focus.before_question()
        self._output.note(question_lines(question, self._columns(), focused=focused))
        self._discard_input()
        await asyncio.sleep(IGNORE_INPUT_S)
        self._discard_input()
        prompt = _prompt_of(question)
        while True:
            self._output.note(f"  {prompt}: ", end="")
            line = await self._read_line()
            answer, again = _parse(question, line)
            if not again:
                if self._focus is not None and line is not None:
                    await self._focus.answered()  # before the answer is posted: the next action takes the focus
                return answer
            prompt = again

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stderr).columns or _COLUMNS
        except OSError:
            return _COLUMNS

    def _discard_input(self) -> None:
        if sys.platform != "win32":
            import termios

            termios.tcflush(self._stdin, termios.TCIFLUSH)

    async def _read_line(self) -> str | None:
        """The next line, None at the end of input. The terminal provides line editing."""
        loop = asyncio.get_running_loop()
        data = b""
        while not data.endswith(b"\n"):
            ready = loop.create_future()
            loop.add_reader(self._stdin, _set_ready, ready)
            try:
                await ready
            finally:
                loop.remove_reader(self._stdin)
            part = os.read(self._stdin, 4096)
            if not part:
                return None
            data += part
        return data.decode("utf-8", "replace").rstrip("\r\n")


def _prompt_of(question: Question) -> str:
    match question.answer:
        case QuestionKind.CONFIRM if question.offer is not None:
            return _("Allow? [yes/{word}/no]").format(word=WIDENING_WORD)
        case QuestionKind.CONFIRM:
            return _("Continue? [yes/no]") if question.about == "limit" else _("Allow? [yes/no]")
        case QuestionKind.CHOOSE if question.suggested is not None:
            return _("Type a number, or press Enter for {number}").format(number=question.suggested + 1)
        case QuestionKind.CHOOSE:
            return _("Type a number, or press Enter for none")
        case QuestionKind.TEXT:
            return _("Type your answer, or press Enter to decline")


def _parse(question: Question, line: str | None) -> tuple[str | None, str]:
    """The answer (None: declined) and "", or None and the prompt to repeat if the line is not an answer."""
    text = (line or "").strip()
    if line is not None and not text and question.suggested is not None:
        return str(question.suggested), ""
    if line is None or (not text and question.answer is not QuestionKind.CONFIRM):
        return None, ""
    match question.answer:
        case QuestionKind.CONFIRM:
            if question.offer is not None and text == WIDENING_WORD:
                return WIDENING_WORD, ""
            return _confirmed(text, whole_word=question.surface is Surface.DIALOG)
        case QuestionKind.CHOOSE:
            count = len(question.choices)
            if text.isascii() and text.isdigit() and 1 <= int(text) <= count:
                return str(int(text) - 1), ""
            if question.suggested is not None:
                return None, _("Type a number from 1 to {count}").format(count=count)
            return None, _("Type a number from 1 to {count}, or press Enter for none").format(count=count)
        case QuestionKind.TEXT:
            return line, ""


def _confirmed(text: str, *, whole_word: bool) -> tuple[str | None, str]:
    """As `_parse`. `whole_word`: only `yes` confirms, as it is written."""
    if text == CONFIRMING_WORD or (not whole_word and text.lower() in _YES):
        return CONFIRMING_WORD, ""
    if text.lower() in _NO:
        return None, ""
    return None, _("Type the whole word yes, or no") if whole_word else _("Type yes or no")


def _set_ready(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _current_task() -> asyncio.Task[None] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def question_lines(question: Question, columns: int, *, focused: bool = True) -> str:
    """The question as text for a terminal of this width. `focused`: whether the terminal has the keyboard focus."""
    first, *more = _marked(question_text(question), columns)
    lines = ["", f"? {first.removeprefix(MARK)}", *more]
    action = question.action
    text = exact_text(action, question.assessment) if action is not None else ""
    long = len(text) > columns // 2 or "\n" in text
    if text and action is not None and (long or text != exact_text(action)):
        lines += [
            ngettext("  full text, {count} character:", "  full text, {count} characters:", len(text)).format(
                count=len(text)
            ),
            *_marked(text, columns),
        ]
    if question.window:
        lines.append(_("  window: {window}").format(window=shown(question.window)))
    if question.assessment is not None:
        lines.append(f"  {_risk(question.assessment)}")
    if question.offer is not None and not question.choices:
        sentence, share = worded(question.offer.coverage.sentence), worded(question.offer.share)
        # Translators: {word} is typed; what it permits stands in the lines below.
        lines.append(_("  {word} allows it, and from now on:").format(word=WIDENING_WORD))
        lines += [*_marked(sentence, columns), *_marked(share, columns)]
    for number, choice in enumerate(question.choices, 1):
        at = f"  (at {choice.region.centre[0]}, {choice.region.centre[1]})" if choice.region else ""
        lines.append(f"  {number}. {shown(choice.label)}{at}")
    if question.timeout_s is not None:
        lines.append(_("  declined if not answered within {timeout_s:.0f} s").format(timeout_s=question.timeout_s))
    if not focused:
        lines.append(_("  Type the answer in this terminal: the keyboard focus may be elsewhere."))
    return "\n".join(lines)


def _risk(assessment: Assessment) -> str:
    what = ", ".join(category_words(category) for category in assessment.categories)
    kind = f"C{int(assessment.risk)}, {risk_phrase(assessment.risk)}"
    why = " ".join(reasons_of(assessment))
    named = f"{what} ({kind})" if what else kind
    # Translators: {risk} is a category and its class, as in: runs a command (C3, high).
    return _("risk {risk}: {why}").format(risk=named, why=shown(why))


def _marked(text: str, columns: int) -> list[str]:
    width = max(columns, MIN_COLUMNS) - len(MARK) - 1
    return [f"{MARK}{part}" for line in shown_lines(text).split("\n") for part in _wrapped(line, width)]


def _wrapped(line: str, width: int) -> Iterator[str]:
    """Wrap the line to rows of at most `width` terminal cells."""
    piece, taken = "", 0
    for char in line:
        cells = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if taken + cells > width:
            yield piece
            piece, taken = "", 0
        piece, taken = piece + char, taken + cells
    yield piece
