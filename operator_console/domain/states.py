"""Session states (design §6). Values; `engine.machine.next_state` says which may follow which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.decisions import Question
from operator_console.domain.events import EndedOutcome, PauseCause, StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """No session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Starting:
    """The guard is armed, the target is found, the provider is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observing:
    """A fresh frame is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """The model is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """Waiting to ask again; `until_s` is a time.monotonic()."""

    until_s: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewing:
    """A human must answer `request`."""

    request: Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """A grant is under way, or its lead time runs."""

    step: int
    call: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """Waiting for the picture to stop changing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """Nothing further until somebody resumes."""

    by: PauseCause


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOver:
    """The human works the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """Stopped; whether a reset is needed is the latch's, not the session's."""

    reason: StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The run is over."""

    outcome: EndedOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingForDisk:
    """The record is being written, and nothing goes on before it is; `then` is the state that waits."""

    then: State


State: TypeAlias = (
    Idle
    | Starting
    | Observing
    | Thinking
    | Retrying
    | Reviewing
    | Acting
    | Settling
    | Paused
    | HandedOver
    | Stopped
    | Ended
    | WaitingForDisk
)
