"""`ModelProvider`, what all providers share that ask a model at a service.

A turn is: ask the conversation what to send, send it, take the answer into the conversation. A provider says how it
does each. Nothing is kept of a turn before its answer is read, so one that failed or was cancelled leaves no trace.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, Self, TypeVar

from operator_console.domain.errors import RejectedPart
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief, Call, Observation, PastTurn, Proposal, Usage
from operator_console.providers.shared.answers import empty, recorded_parts
from operator_console.providers.shared.http_client import Answered

_KEPT = (
    ("keep_screenshots", 1, NoticeCode.FEWER_SCREENSHOTS_FROM_NOW),
    ("keep_turns", 2, NoticeCode.FEWER_TURNS_FROM_NOW),
    ("keep_steps", 2, NoticeCode.FEWER_TURNS_FROM_NOW),
)
"""Options that say how much is sent, as far as a provider has them, what each is at least, and what is said of less."""
_SMALLER, _SMALLEST_EDGE = 0.7, 800
"""How much shorter the sides of pictures become at once, and the longest side below which nothing can be read."""


class _Limited(Protocol):
    @property
    def request_timeout_s(self) -> float: ...

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self: ...


class Connection(Protocol):
    """What a provider talks through."""

    async def close(self) -> None:
        """Close it."""


class _Conversation(Protocol):
    @property
    def pending(self) -> tuple[Call, ...]: ...


Options = TypeVar("Options", bound=_Limited)
Asked = TypeVar("Asked")


@dataclass(slots=True, kw_only=True)
class TurnAnswers:
    """The answers of one turn, of which there are several where a service or a provider goes on with the turn.

    Attributes:
        bodies: Their bodies, in order.
        request_bytes: Size of all requests for them; 0 for those of an earlier run.
    """

    bodies: list[bytes] = field(default_factory=list)
    request_bytes: int = 0

    def add(self, answered: Answered) -> bytes:
        """One more; gives its body."""
        self.bodies.append(answered.body)
        self.request_bytes += answered.request_bytes
        return answered.body

    @property
    def body(self) -> bytes:
        """The last one's body."""
        return self.bodies[-1]

    @property
    def raw(self) -> bytes:
        """All of them, as `Proposal.raw` has them."""
        return self.body if len(self.bodies) == 1 else b"[" + b",".join(self.bodies) + b"]"


class ModelProvider(ABC, Generic[Options, Asked]):
    """One conversation with one model, through one connection. Implements `Provider`, and what it may be besides.

    Attributes:
        name: Its name on the command line; each provider's own.
        model: The model's id.
        image_needs: What its pictures must be like; each provider's own, and less than that once the service took no
            picture of this size.
    """

    name = ""
    image_needs: ImageNeeds
    _conversation: _Conversation

    def __init__(
        self, model: str, options: Options, connection: Connection, usage_of: Callable[[bytes], Usage]
    ) -> None:
        """Does not connect. `usage_of` reads the tokens that an answer reports."""
        self.model = model
        self._options = options
        self._connection = connection
        self._usage_of = usage_of
        self._untold = Usage()
        self._picture_edge = 0
        self.begin(Brief(task="", instruction=""))

    @property
    def turn_limit_s(self) -> float:
        """How long one turn may take."""
        return self._options.request_timeout_s

    @abstractmethod
    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""

    def resume(self, brief: Brief, turns: Sequence[PastTurn]) -> tuple[Call, ...]:
        """Start a conversation with these turns; gives the calls of the last one. Raises ProviderError, ValueError."""
        self.begin(brief)
        for turn in turns:
            self._replay(turn)
        return self._conversation.pending

    async def propose(self, observation: Observation) -> Proposal:
        """Request one turn. After an error the conversation is unchanged, and the same observation can be sent again.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
            OperatorError: There is no key, or a function of the session cannot be offered.
        """
        self._picture_edge = max(observation.picture.size.width, observation.picture.size.height)
        asked, made = self._ask(observation), TurnAnswers()
        used = False
        try:
            await self._send(asked, observation, made)
            proposal = self._take(asked, observation, made)
            used = True
        finally:
            for body in () if used else made.bodies:
                self._count_untold(body)
        return proposal

    def adapt(self, part: RejectedPart) -> str:
        """Send half as many screenshots from now on, then half as many turns, then smaller pictures; a sentence on it.

        "" where there is no less to send, or the service does not take another `part` of the request than its size.
        """
        if part is not RejectedPart.SIZE:
            return ""
        for name, fewest, code in _KEPT:
            kept = getattr(self._options, name, fewest)
            if kept > fewest:
                count = max(fewest, kept // 2)
                self._options = self._options.model_copy(update={name: count})
                return notice(code, count=count)
        if self._picture_edge <= _SMALLEST_EDGE:
            return ""
        edge = max(_SMALLEST_EDGE, round(_SMALLER * self._picture_edge))
        self.image_needs = replace(self.image_needs, long_edge=edge)
        return notice(NoticeCode.SMALLER_PICTURES_FROM_NOW, pixels=edge)

    def take_usage(self) -> Usage:
        """Tokens of answers that no proposal tells, since the last call."""
        usage, self._untold = self._untold, Usage()
        return usage

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    @abstractmethod
    def _ask(self, observation: Observation) -> Asked:
        """The conversation with what it is told next. Raises ValueError: the results do not answer the last calls."""

    @abstractmethod
    async def _send(self, asked: Asked, observation: Observation, made: TurnAnswers) -> None:
        """Request the answer and add it to `made`. Raises as `propose` does."""

    @abstractmethod
    def _take(self, asked: Asked, observation: Observation, made: TurnAnswers) -> Proposal:
        """Read the answer and make it part of the conversation. Raises ProviderError."""

    def _replay(self, turn: PastTurn) -> Proposal:
        """Make a turn of an earlier run part of the conversation."""
        made = TurnAnswers(bodies=list(recorded_parts(turn.raw)))
        return self._take(self._ask(turn.observation), turn.observation, made)

    def _text_of(self, answered: Answered, read: Callable[[bytes], str]) -> str:
        """The text of an answer to `AnswersPrompts.answer`, which a conversation has no part in. Raises as `read`."""
        self._count_untold(answered.body)
        if not (text := read(answered.body).strip()):
            raise empty()
        return text

    def _count_untold(self, body: bytes) -> None:
        """Count the tokens of an answer that no proposal tells."""
        self._untold += self._usage_of(body)
