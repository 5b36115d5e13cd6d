"""What a model proposed in one turn, and what it is told in return.

A provider makes a `Proposal`. The engine answers every call of it, in order, with a `CallResult`, which the provider
translates into its dialect. `Provider` is the Protocol that every provider follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from operator_console.domain.actions import Action
from operator_console.domain.element_marks import ElementMark
from operator_console.domain.errors import RejectedPart
from operator_console.domain.frames import Frame, ImageNeeds, Picture
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import keep_notices
from operator_console.domain.notices import Notice
from operator_console.domain.tools import ToolResult, ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetySignal:
    """A provider's own check on a call: always asked, acknowledged only after this human's yes.

    Attributes:
        source: where it comes from ("gemini safety_decision").
        decision: the provider's word ("require_confirmation"); anything unknown counts as a request to ask.
        explanation: the provider's text, not verified.
        blocked: the provider forbids it outright: nobody is asked, the call is not executed.
        explanation_notices: codes and values, where the explanation is worded here.
    """

    source: str
    decision: str
    explanation: str = ""
    blocked: bool = False
    explanation_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "explanation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One action that the model asks for.

    Attributes:
        index: its position in the turn, from 0.
        call_id: the provider's id, "" where the dialect has none.
        name: the function's name in the dialect.
        arguments_json: the model's arguments verbatim, as JSON text.
        action: the action it stands for; None where it could not be understood.
        error: why it could not be understood; goes back to the model.
        intent: the model's reason in its own words, or the step of a runbook; not verified.
        safety: the provider's own check.
        box: the box the model gave, in native pixels.
        note: what the provider assumed (shown to the operator).
        error_notices, intent_notices, note_notices: codes and values of what the provider itself words.
    """

    index: int
    call_id: str = ""
    name: str
    arguments_json: str = "{}"
    action: Action | None
    error: str = ""
    intent: str = ""
    safety: SafetySignal | None = None
    box: Rect | None = None
    note: str = ""
    error_notices: tuple[Notice, ...] = ()
    intent_notices: tuple[Notice, ...] = ()
    note_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "error", "intent", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens by kind, in one way for all services; None where a service does not report them.

    Attributes:
        input_tokens: all input, including what was read from or written to a cache, and pictures.
        cached_tokens: of the input, those read from a cache.
        cache_write_tokens: of the input, those newly written to a cache, where a service reports (and bills) that.
        image_tokens: of the input, those of pictures.
        output_tokens: all output except `thought_tokens`.
        thought_tokens: of thinking. Where the service does not report them, they are among `output_tokens`.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    thought_tokens: int | None = None
    image_tokens: int | None = None
    cache_write_tokens: int | None = None

    @property
    def reported(self) -> bool:
        """Whether the service reported any tokens. Every answer has some; older files say 0 for "not reported"."""
        return bool(self.input_tokens or self.output_tokens or self.thought_tokens)

    @property
    def total_tokens(self) -> int:
        """All input and output."""
        return sum(count or 0 for count in (self.input_tokens, self.output_tokens, self.thought_tokens))

    def __add__(self, other: Usage) -> Usage:
        """The sum by kind; a kind that one of them does not report counts as the other says."""
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cached_tokens=_sum(self.cached_tokens, other.cached_tokens),
            thought_tokens=_sum(self.thought_tokens, other.thought_tokens),
            image_tokens=_sum(self.image_tokens, other.image_tokens),
            cache_write_tokens=_sum(self.cache_write_tokens, other.cache_write_tokens),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One turn of the model.

    Attributes:
        calls: in order; empty where the model only wrote text.
        thoughts: its visible thinking.
        narration: its ordinary text.
        finished: the model considers the task done (no calls and a final text, or the dialect's done signal).
        usage: tokens of the requests for this turn, without those that the provider tells apart (`TellsUsage`).
        raw: the answer verbatim (JSON bytes), for the record.
        request_bytes: size of the request that was sent.
    """

    calls: tuple[Call, ...]
    thoughts: str = ""
    narration: str = ""
    finished: bool = False
    usage: Usage = field(default_factory=Usage)
    raw: bytes = field(default=b"", repr=False)
    request_bytes: int = 0

    @property
    def empty(self) -> bool:
        """Whether it says nothing that a session could go on with."""
        return not (self.calls or self.finished or self.narration.strip())


class CallStatus(StrEnum):
    """How a call ended, as reported to the model."""

    DONE = "done"
    DECLINED = "declined"
    SKIPPED = "skipped"
    FAILED = "failed"
    STOPPED = "stopped"
    NOT_DONE = "not_done"
    NOT_UNDERSTOOD = "not_understood"
    OBSERVING = "observing"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """The answer to one call.

    Attributes:
        call: the call it answers.
        status: how it ended.
        text: one or two sentences for the model (feedback, reason, "not done: ...").
        output: data the call asked for (an answer, quoted text, coordinates), "" where none.
        acknowledged: the human said yes to this call's safety signal.
        executed: the action that was carried out, where the operator edited it.
        picture: the picture that this call asked for (zoom), else None.
        changed: whether the screen changed as expected; None: no change was expected, or it cannot be determined.
        tool: the result of a function call, else None.
    """

    call: Call
    status: CallStatus
    text: str = ""
    output: str = ""
    acknowledged: bool = False
    executed: Action | None = None
    picture: Picture | None = None
    changed: bool | None = None
    tool: ToolResult | None = None

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """All pictures that it brings: the one that was asked for, and those of the function."""
        own = (self.picture,) if self.picture is not None else ()
        return (*own, *(self.tool.pictures if self.tool is not None else ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What a provider is told once, at the start of a session or of a resumed one.

    Attributes:
        task: the operator's task.
        instruction: the system instruction.
        history: for a resumed session, what happened before, in words; else "".
        last_call: for a session resumed with the same task, the id of the last call that has one; else "".
        last_call_done: whether that was carried out.
        tools: functions offered besides input; a call of one becomes a CallFunction.
        browser: whether the target is a managed browser, whose frames have a `page`.
    """

    task: str
    instruction: str
    history: str = ""
    last_call: str = ""
    last_call_done: bool = False
    tools: tuple[ToolSpec, ...] = ()
    browser: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a provider is given for one turn.

    Attributes:
        frame: the fresh settled frame.
        picture: the frame encoded according to the provider's `image_needs`.
        results: answers to every call of the previous proposal, in order; empty in the first turn.
        messages: the operator's and the engine's messages since the last turn, in order.
        worked_s: time since the run began, without waiting for a human (pauses, hand-overs, questions).
    """

    frame: Frame
    picture: Picture
    results: tuple[CallResult, ...] = ()
    messages: tuple[str, ...] = ()
    worked_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTurn:
    """A turn of the model in an earlier run.

    Attributes:
        observation: what it was given; the frame has no pixels.
        raw: its answer, as in `Proposal.raw`.
    """

    observation: Observation
    raw: bytes = field(repr=False)


class Provider(Protocol):
    """A model's dialect. Holds the conversation; never retries, never sleeps, never acknowledges by itself."""

    @property
    def name(self) -> str:
        """The provider's name on the command line ("gemini")."""
        ...

    @property
    def model(self) -> str:
        """The model's id."""
        ...

    @property
    def image_needs(self) -> ImageNeeds:
        """Requirements for its pictures."""
        ...

    def begin(self, brief: Brief) -> None:
        """Start a new conversation."""
        ...

    async def propose(self, observation: Observation) -> Proposal:
        """One turn. A call that raised or was cancelled left the conversation as it was and can be repeated with the
        same observation. Raises ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


@runtime_checkable
class AnswersPrompts(Protocol):
    """A provider whose dialect has AskModel."""

    async def answer(self, prompt: str) -> str:
        """The answer of a language model to a text alone; it is no part of the conversation. Raises ProviderError."""
        ...


@runtime_checkable
class TellsUsage(Protocol):
    """A provider that also tells the tokens of requests that no proposal came of."""

    def take_usage(self) -> Usage:
        """Tokens since the last call that no proposal tells: of answers that could not be used, and of prompts."""
        ...


@runtime_checkable
class AdaptsRequests(Protocol):
    """A provider that can ask in another way where a service does not take a part of its requests."""

    def adapt(self, part: RejectedPart) -> str:
        """Ask in another way from now on. A sentence on what is different; "" where there is no other way left."""
        ...


@runtime_checkable
class LimitsTurns(Protocol):
    """A provider that knows how long a turn of its model may take."""

    @property
    def turn_limit_s(self) -> float:
        """The longest that `propose` may take, with all its requests; then it is cancelled and called again."""
        ...


@runtime_checkable
class ReadsTask(Protocol):
    """A provider whose task may name a file."""

    @property
    def task_text(self) -> str:
        """After `begin`: what the file says; "" where the task is the text itself."""
        ...


@runtime_checkable
class ContinuesConversations(Protocol):
    """A provider that can go on with a conversation of an earlier run."""

    def resume(self, brief: Brief, turns: Sequence[PastTurn]) -> tuple[Call, ...]:
        """Start a conversation that holds these turns of the same model, oldest first; nothing is sent.

        The observation of the first turn has no results, because what they answer is no longer part of it.

        Returns:
            The calls of the last turn, which the next observation must answer.

        Raises:
            ProviderError: an answer cannot be read. ValueError: the turns do not fit together. In both cases the
                conversation is undefined until `begin` or `resume` is called.
        """
        ...


@runtime_checkable
class MarksElements(Protocol):
    """A provider that numbers the elements of the screen for its model."""

    async def marks(self, frame: Frame, picture: Picture) -> Sequence[ElementMark]:
        """The marks that it draws on this picture of the frame when it is asked for the next turn; never raises.

        Asked for before `propose`, which is given the same frame and picture, so that the operator sees them meanwhile.
        Asked for a frame that is only expected, too, and then for another one, or cancelled.
        """
        ...
