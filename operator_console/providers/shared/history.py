"""A conversation with a model, whose requests are limited in size.

It is immutable, so a request that failed or was cancelled has no effect. `ask` returns the conversation with another
question, and `answered` with the answer of the model, which the provider keeps. Turns of the model are sent again
unchanged. Only the newest turns keep their pictures. Beyond `keep_turns`, or if their texts are too long together, the
oldest turns become one line each in the first message. This happens in batches, so that the beginning of requests,
which services cache, rarely changes. Pictures are left out in batches, too, if the number of pictures that a request
may have is given.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from operator_console.domain.frames import Picture
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.pages import Page
from operator_console.domain.proposals import Brief, Call, CallResult, Observation
from operator_console.providers.shared.results import (
    Show,
    digest_lines,
    limited,
    page_words,
    picture_bytes,
    show_in_picture,
    text_length,
    withdrawn_text,
)

Json: TypeAlias = Mapping[str, Any]
"""A turn in the form of a request."""

MOST_TEXT = 400_000
"""Characters of all turns that are sent in full, without pictures; a quarter of it for the results of one turn, and a
quarter for its messages. About 100,000 tokens of English."""

_DIGEST_LIMIT = 6_000
_FEWEST_TURNS = 2
_MOST_PICTURE_BYTES = 22_000_000
"""A third more in base64; Claude, for one, takes 32 MB a request."""


class TurnFormat(ABC):
    """Writes turns in the form of a model's protocol.

    Attributes:
        show: Describes an action in the terms of the model.
        left_out: Arguments of calls that are left out where calls are described in words.
    """

    show: Show = staticmethod(show_in_picture)
    left_out: frozenset[str] = frozenset()

    @abstractmethod
    def user_turn(self, text: str, picture: Picture | None) -> Json:
        """A user turn with a text and, if given, the current picture of the screen."""

    @abstractmethod
    def answer_turn(self, observation: Observation, geometry: FrameGeometry) -> Json:
        """The turn that answers all calls. `geometry` is that of the frame that the calls refer to."""

    @abstractmethod
    def answers_calls(self, turn: Json) -> bool:
        """Whether the turn was made by `answer_turn`."""

    @abstractmethod
    def pictures_in(self, turn: Json) -> int:
        """The number of pictures in the turn that can be left out."""

    @abstractmethod
    def without_pictures(self, turn: Json) -> Json:
        """A copy without these pictures."""

    def withdraws(self, results: Sequence[CallResult]) -> bool:
        """Whether the protocol has no answer for these results, so that the model's turn must be removed."""
        return False

    def page_text(self, page: Page, *, answering: bool) -> str:
        """What is said of a managed browser's page beside the turn; "" where the turn tells it.

        Args:
            page: The page that is shown now.
            answering: Whether the turn is one of `answer_turn`.
        """
        return page_words(page)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exchange:
    """A question and its answer.

    Attributes:
        asked: The turns of the question.
        lines: A short form of the question.
        said: The model's turn; None if there is none yet, or it was removed.
        asked_length: Characters of the texts in the question.
        said_length: Characters of the model's turn.
        picture_bytes: Bytes of the pictures in the question that are still sent.
    """

    asked: tuple[Json, ...]
    lines: tuple[str, ...] = ()
    said: Json | None = None
    asked_length: int = 0
    said_length: int = 0
    picture_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The content of the next request.

    Attributes:
        turns: Writes the turns.
        brief: Task and instruction.
        go_on: Said with the screen if there is nothing else to say.
        pending: The calls in the last answer, which the next question must answer.
        geometry: Of the frame that those calls refer to.
        exchanges: Oldest first.
        digest: The lines of older exchanges.
        condensed: Whether there were older exchanges.
    """

    turns: TurnFormat
    brief: Brief
    go_on: str = "This is the screen now. Continue the task, or say in words that it is done."
    pending: tuple[Call, ...] = ()
    geometry: FrameGeometry | None = None
    exchanges: tuple[_Exchange, ...] = ()
    digest: tuple[str, ...] = ()
    condensed: bool = False

    def contents(self) -> list[Json]:
        """All turns, in the form of a request."""
        made: list[Json] = []
        if self.condensed:
            made.append(self.turns.user_turn(self._opening(()), None))
        for exchange in self.exchanges:
            made.extend(exchange.asked)
            if exchange.said is not None:
                made.append(exchange.said)
        return made

    def ask(
        self,
        observation: Observation,
        *,
        keep_screenshots: int,
        keep_turns: int,
        most_pictures: int = 0,
        most_text: int = MOST_TEXT,
    ) -> Conversation:
        """The conversation with another question.

        Args:
            observation: What the question is about.
            keep_screenshots: The number of newest turns, including this one, that keep their pictures.
            keep_turns: The number of turns that remain in full if there are a quarter more.
            most_pictures: Older pictures are left out only if there are more pictures than this, or if turns are
                condensed; 0: with each question, whatever their number.
            most_text: Characters of the texts in turns that remain in full; if they have more, turns are condensed
                until they have half as many.

        Raises:
            ValueError: The results do not answer the pending calls.
        """
        matched = replace(observation, results=answering(self.pending, observation.results))
        observation = limited(matched, most_text // 4)
        geometry = self.geometry or observation.frame.geometry
        exchanges = self.exchanges
        if self.turns.withdraws(observation.results):
            exchanges = (*exchanges[:-1], replace(exchanges[-1], said=None, said_length=0))
        page = self._page_text(observation)
        question = _Exchange(
            asked=self._question(observation, geometry, page),
            lines=digest_lines(observation, geometry, show=self.turns.show, left_out=self.turns.left_out),
            asked_length=text_length(observation) + len(page),
            picture_bytes=picture_bytes(observation),
        )
        asked = replace(self, exchanges=(*exchanges, question), geometry=observation.frame.geometry, pending=())
        condensed = asked._condensed_to(asked._turns_to_keep(keep_turns, most_text))
        if condensed is asked and asked._pictures() <= most_pictures and asked._picture_bytes() <= _MOST_PICTURE_BYTES:
            return asked
        return replace(condensed, exchanges=condensed._with_pictures(keep_screenshots, most_pictures))

    def answered(self, content: Json, calls: Sequence[Call]) -> Conversation:
        """The conversation with the model's answer to the last question."""
        length = len(json.dumps(content, ensure_ascii=False))
        last = replace(self.exchanges[-1], said=content, said_length=length)
        return replace(self, exchanges=(*self.exchanges[:-1], last), pending=tuple(calls))

    def _page_text(self, observation: Observation) -> str:
        page, results = observation.frame.page, observation.results
        if page is None:
            return ""
        return self.turns.page_text(page, answering=bool(results) and not self.turns.withdraws(results))

    def _question(self, observation: Observation, geometry: FrameGeometry, page: str) -> tuple[Json, ...]:
        words = "\n\n".join(observation.messages)
        if not self.exchanges:
            return (self.turns.user_turn(_joined(self._opening(observation.messages), page), observation.picture),)
        if not observation.results:
            return (self.turns.user_turn(_joined(words or self.go_on, page), observation.picture),)
        if self.turns.withdraws(observation.results):
            text = withdrawn_text(observation.results, geometry, show=self.turns.show, left_out=self.turns.left_out)
            return (self.turns.user_turn(_joined(words, page, text), observation.picture),)
        answers, said = self.turns.answer_turn(observation, geometry), _joined(words, page)
        return (answers, self.turns.user_turn(said, None)) if said else (answers,)

    def _opening(self, messages: Sequence[str]) -> str:
        parts = [self.brief.task]
        if self.brief.history:
            parts.append(f"What happened before:\n{self.brief.history}")
        if self.digest:
            lines = "\n".join(f"- {line}" for line in self.digest)
            parts.append(f"Your earlier turns, shortened (the oldest may be left out):\n{lines}")
        return "\n\n".join([*parts, *messages])

    def _turns_to_keep(self, keep_turns: int, most_text: int) -> int:
        """How many of the newest exchanges remain in full: all until a whole batch is above a limit."""
        count = len(self.exchanges)
        if count > keep_turns + max(1, keep_turns // 4):
            count = keep_turns
        lengths = [exchange.asked_length + exchange.said_length for exchange in self.exchanges]
        if sum(lengths[-count:]) <= most_text:
            return count
        while count > _FEWEST_TURNS and sum(lengths[-count:]) > most_text // 2:
            count -= 1
        return count

    def _condensed_to(self, keep_turns: int) -> Conversation:
        """Replace all but the newest `keep_turns` exchanges with their lines.

        If the first remaining question answers calls, it is replaced with its lines, too, because those calls are gone.
        """
        if len(self.exchanges) <= keep_turns:
            return self
        start = len(self.exchanges) - keep_turns
        first = self.exchanges[start]
        lines = [line for exchange in self.exchanges[:start] for line in exchange.lines]
        if any(self.turns.answers_calls(content) for content in first.asked):
            lines.extend(first.lines)
            first = replace(first, asked=(), lines=(), asked_length=0, picture_bytes=0)
        return replace(
            self,
            exchanges=(first, *self.exchanges[start + 1 :]),
            digest=_newest((*self.digest, *lines)),
            condensed=True,
        )

    def _pictures(self) -> int:
        return sum(self.turns.pictures_in(turn) for exchange in self.exchanges for turn in exchange.asked)

    def _picture_bytes(self) -> int:
        return sum(exchange.picture_bytes for exchange in self.exchanges)

    def _with_pictures(self, keep: int, most: int) -> tuple[_Exchange, ...]:
        """The exchanges, with pictures only in the newest `keep` that have any; fewer if these have more than `most`
        (0: any number), or too many bytes. The newest always keeps them."""
        made = list(self.exchanges)
        turns = pictures = size = 0
        full = False
        for index in range(len(made) - 1, -1, -1):
            exchange = made[index]
            count = sum(map(self.turns.pictures_in, exchange.asked))
            too_many = 0 < most < pictures + count or size + exchange.picture_bytes > _MOST_PICTURE_BYTES
            full = full or (turns > 0 and (turns >= keep or too_many))
            if full:
                asked = tuple(
                    self.turns.without_pictures(turn) if self.turns.pictures_in(turn) else turn
                    for turn in exchange.asked
                )
                made[index] = replace(exchange, asked=asked, picture_bytes=0)
                continue
            turns += bool(count)
            pictures += count
            size += exchange.picture_bytes
        return tuple(made)


def answering(pending: Sequence[Call], results: Sequence[CallResult]) -> tuple[CallResult, ...]:
    """The results with these calls, which they answer, as the model made them, without notes and edits.

    Raises:
        ValueError: They do not answer them.
    """
    if [(r.call.index, r.call.name) for r in results] != [(call.index, call.name) for call in pending]:
        raise ValueError("the results do not answer the calls of the last turn, in order")
    return tuple(replace(result, call=call) for result, call in zip(results, pending, strict=True))


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _newest(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The newest lines that fit the limit."""
    kept: list[str] = []
    room = _DIGEST_LIMIT
    for line in reversed(lines):
        room -= len(line) + 3
        if room < 0:
            break
        kept.append(line)
    return tuple(reversed(kept))
