"""Session states. `engine.state_machine.next_state` defines the transitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.decisions import Question
from operator_console.domain.events import EndedOutcome
from operator_console.domain.stopping import PauseCause, StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """No session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Starting:
    """The guard is being armed and the target looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observing:
    """A fresh frame is being captured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """Waiting for the model's answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """Waiting to ask again; `until_s` is a time.monotonic()."""

    until_s: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewing:
    """Waiting for a human to answer `request`."""

    request: Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """A call is being decided or carried out, or its lead time runs."""

    step: int
    call: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """Waiting for the screen to stop changing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """Nothing more is done until the session is resumed."""

    by: PauseCause


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOver:
    """The operator has control of the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """Stopped; whether a reset is needed is not the session's state but the display's."""

    reason: StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The run is over."""

    outcome: EndedOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingForDisk:
    """Waiting until the record is written; `then` is the state that continues afterwards."""

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
