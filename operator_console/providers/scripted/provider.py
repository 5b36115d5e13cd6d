"""The provider `scripted`: proposes prepared turns from a JSON file or a list, for tests and demonstrations. Offline.

On the command line, the model is the path of the script. A script is {"turns": [...]}, or only the list. A turn has the
fields of `ScriptedTurn`; actions are written as in session files, with points in native pixels. After the last turn the
run ends.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from operator_console.domain.actions import Action
from operator_console.domain.codec import CodecError, UnknownKind, canonical, decode, encode
from operator_console.domain.errors import (
    ExitCode,
    OperatorError,
    ProviderError,
    ProviderMalformed,
    ProviderRefused,
    ProviderRejected,
    ProviderTransient,
)
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief, Call, CallResult, Observation, Proposal, SafetySignal, Usage


class Fault(StrEnum):
    """The kind of ProviderError to raise instead of proposing a turn."""

    TRANSIENT = "transient"
    REFUSED = "refused"
    REJECTED = "rejected"
    MALFORMED = "malformed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """One call. `name` is by default the kind of the action; `error` replaces the action."""

    action: Action | None = None
    name: str = ""
    error: str = ""
    intent: str = ""
    safety: SafetySignal | None = None
    box: Rect | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedTurn:
    """One turn.

    Attributes:
        finished: Whether the task is done; always true without calls.
        fault: Raise this error instead, once, with `title` ("": a general one) and `retry_after_s`.
        hold: Wait for `release()` first.
    """

    calls: tuple[ScriptedCall, ...] = ()
    thoughts: str = ""
    narration: str = ""
    finished: bool = False
    usage: Usage = field(default_factory=Usage)
    fault: Fault | None = None
    title: str = ""
    retry_after_s: float | None = None
    hold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """Results and messages that the provider got before a turn."""

    results: tuple[CallResult, ...]
    messages: tuple[str, ...]


class ScriptedProvider:
    """Proposes the turns of one script.

    Attributes:
        heard: The input of each turn that was proposed.
        asked: The number of requested turns, including those that raised or were cancelled.
        holding: Set while a turn waits for `release()`.
        model: The script's path.
    """

    name = "scripted"
    image_needs = ImageNeeds(max_bytes=None)  # The picture is only for the record.

    def __init__(self, turns: Sequence[ScriptedTurn], *, model: str = "script") -> None:
        self.heard: list[Heard] = []
        self.asked = 0
        self.brief = Brief(task="", instruction="")
        self.model = model
        self._turns = tuple(turns)
        self._next = 0
        self._pending: tuple[Call, ...] = ()
        self.holding = asyncio.Event()
        self._released = asyncio.Event()

    @classmethod
    def from_file(cls, path: Path) -> ScriptedProvider:
        """Read a script. Raises OperatorError (exit code 2) if that fails."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise _unreadable(path, error.strerror or str(error)) from error
        except (ValueError, RecursionError) as error:
            raise _unreadable(path, str(error)) from error
        return cls(read_turns(data, path), model=str(path))

    def begin(self, brief: Brief) -> None:
        """Start the script from its first turn."""
        self.brief = brief
        self._next = 0
        self._pending = ()

    async def propose(self, observation: Observation) -> Proposal:
        """The next turn.

        Raises:
            ProviderError: The script contains this error.
            ValueError: The results do not answer the calls of the last turn.
        """
        self.asked += 1
        answered = [(result.call.index, result.call.name) for result in observation.results]
        if answered != [(call.index, call.name) for call in self._pending]:
            raise ValueError("the results do not answer the calls of the last turn, in order")
        if self._next >= len(self._turns):
            turn = ScriptedTurn(narration=notice(NoticeCode.SCRIPT_ENDED))
        else:
            turn = self._turns[self._next]
        if turn.hold:
            await self._hold()
        self._next += 1
        if turn.fault is not None:
            raise _error(turn, turn.fault)
        self.heard.append(Heard(results=observation.results, messages=observation.messages))
        proposal = _proposal(turn)
        self._pending = proposal.calls
        return proposal

    async def _hold(self) -> None:
        self.holding.set()
        try:
            await self._released.wait()
        finally:
            self.holding.clear()
        self._released.clear()

    def release(self) -> None:
        """Let a held turn continue."""
        self._released.set()

    async def close(self) -> None:
        """Does nothing."""


def read_turns(data: object, path: Path) -> tuple[ScriptedTurn, ...]:
    """Turns from the JSON data of the script at `path`. Raises OperatorError (exit code 2)."""
    turns = data.get("turns") if isinstance(data, dict) else data
    if not isinstance(turns, list):
        raise _unreadable(path, notice(NoticeCode.SCRIPT_HAS_NO_TURNS))
    made: list[ScriptedTurn] = []
    for number, turn in enumerate(turns, start=1):
        try:
            made.append(decode(ScriptedTurn, turn))
        except CodecError as error:
            raise _mistake(path, number, error) from error
    return tuple(made)


def _mistake(path: Path, turn: int, error: CodecError) -> OperatorError:
    if isinstance(error, UnknownKind):
        detail = notice(NoticeCode.UNKNOWN_KIND_IN_SCRIPT, place=_place(error.path), kind=error.kind)
        remedy = notice(NoticeCode.USE_KIND, kinds=", ".join(error.known))
    else:
        detail = notice(NoticeCode.UNREADABLE_IN_SCRIPT, place=_place(error.path), why=error.why)
        remedy = notice(NoticeCode.SEE_HELP_OF_SCRIPTS)
    title = notice(NoticeCode.SCRIPT_MISTAKE, turn=turn, path=str(path))
    return OperatorError(title, detail=detail, remedy=remedy, exit_code=ExitCode.USAGE)


def _place(path: tuple[str | int, ...]) -> NoticeText:
    """Where in a turn a mistake is; places in lists are counted from 1, as turns are."""
    parts = [str(part + 1) if isinstance(part, int) else part for part in path]
    if len(parts) > 2 and path[0] == "calls":
        return notice(NoticeCode.PLACE_IN_CALL, number=parts[1], fields=", ".join(parts[2:]))
    return notice(NoticeCode.PLACE_IN_TURN, fields=", ".join(parts))


def _proposal(turn: ScriptedTurn) -> Proposal:
    calls = tuple(
        Call(
            index=index,
            call_id=f"call-{index}",
            name=call.name or (call.action.kind if call.action is not None else "unknown"),
            arguments_json=canonical(call.action).decode() if call.action is not None else "{}",
            action=call.action,
            error=call.error or ("" if call.action is not None else notice(NoticeCode.CALL_WITHOUT_ACTION)),
            intent=call.intent,
            safety=call.safety,
            box=call.box,
            note=call.note,
        )
        for index, call in enumerate(turn.calls)
    )
    return Proposal(
        calls=calls,
        thoughts=turn.thoughts,
        narration=turn.narration,
        finished=turn.finished or not calls,
        usage=turn.usage,
        raw=json.dumps(encode(turn), ensure_ascii=False).encode("utf-8", "surrogatepass"),
    )


_FAULTS: Mapping[Fault, type[ProviderError]] = {
    Fault.REFUSED: ProviderRefused,
    Fault.REJECTED: ProviderRejected,
    Fault.MALFORMED: ProviderMalformed,
}


def _error(turn: ScriptedTurn, fault: Fault) -> ProviderError:
    title = turn.title or notice(NoticeCode.SCRIPT_CONTAINS_ERROR)
    if fault is Fault.TRANSIENT:
        return ProviderTransient(title, retry_after_s=turn.retry_after_s)
    return _FAULTS[fault](title)


def _unreadable(path: Path, why: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.SCRIPT_UNREADABLE, path=str(path)),
        detail=why,
        remedy=notice(NoticeCode.GIVE_SCRIPT_FILE),
        exit_code=ExitCode.USAGE,
    )
