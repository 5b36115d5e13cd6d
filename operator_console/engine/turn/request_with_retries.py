"""Asks the model for its next turn, with bounded retries, and reads its calls of bash and the text editor.

Providers raise and never wait; the waits between retries are here and end at once on a stop. Calls of sandboxed tools,
in whichever dialect they come, are actions with their own policy.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

from operator_console.domain.actions import Action, CallFunction, EditFile, RunCommand
from operator_console.domain.errors import (
    ActionError,
    ProviderError,
    ProviderMalformed,
    ProviderRejected,
    ProviderTransient,
)
from operator_console.domain.events import (
    Message,
    Retrying,
    Warned,
)
from operator_console.domain.intents import Intent, Pause, RetryNow
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import AdaptsRequests, Call, LimitsTurns, Observation, Proposal, Provider
from operator_console.domain.stopping import PauseCause
from operator_console.domain.tools import BASH, ToolSpec
from operator_console.engine.operator_channel import Holding, abandon
from operator_console.engine.session_context import SessionContext
from operator_console.engine.state_machine import AskAgain

TRIES = 5
NUDGES = 3
LONGEST_RETRY_WAIT_S = 60.0
MOST_WAIT_S = 600.0
"""How long one turn is waited for between its requests, in sum. A service that asks for more is not waited for."""
TURN_LIMIT_S = 300.0
"""How long a turn of a provider may take that tells no limit of its own."""
NUDGE = notice(NoticeCode.ANSWER_UNREADABLE_TO_MODEL)

_EDITS = frozenset(("view", "create", "str_replace", "insert"))


async def adapted(
    provider: Provider, observation: Observation, tell: Callable[[str, ProviderRejected], None]
) -> Proposal | None:
    """One turn, asked for in other ways while the service does not take a part of the request. Raises as `propose`.

    None where the provider needs a smaller picture than that of the observation.

    Args:
        provider: the provider.
        observation: what the model is shown.
        tell: called with what is different from now on, and with the error that demanded it.
    """
    needs = provider.image_needs
    while True:
        try:
            return await provider.propose(observation)
        except ProviderRejected as error:
            if error.part is None or not isinstance(provider, AdaptsRequests):
                raise
            change = provider.adapt(error.part)
            if not change:
                raise
            tell(change, error)
            if provider.image_needs != needs:
                return None


class ModelRequests:
    """Asks one session's provider.

    Attributes:
        given: what the model was given with the last request; None before the first.

    Args:
        session: the session.
        jitter: source of the random part of a retry's wait.
    """

    def __init__(self, session: SessionContext, jitter: random.Random | None = None) -> None:
        self._session = session
        self._jitter = jitter or random.Random()  # noqa: S311 - spreads retries, keeps no secret
        self.given: Observation | None = None

    async def next_turn(
        self, observation: Observation, outdated: Coroutine[Any, Any, bool], step: int
    ) -> Proposal | None:
        """One readable answer; None where the model must be shown another picture before there is one: the screen
        changed, or the service takes only smaller ones.

        An answer that the provider has given is always returned, even where a pause or `outdated` comes at the same
        moment: it is part of the provider's conversation, and its calls must be answered. The pause is raised at the
        next wait.

        Args:
            observation: what the model is shown.
            outdated: becomes True where the picture changes so that the model must be shown a new one.
            step: for the record.

        Raises:
            ProviderTransient, ProviderMalformed: once all tries are used up.
            ProviderRefused, ProviderRejected: at once.
            Holding, Stopping: the request was cancelled; the conversation is as it was.
        """
        change = asyncio.ensure_future(outdated)
        failures = nudges = 0
        waited_s = 0.0
        try:
            while True:
                try:
                    proposal = await self._answer(observation, change)
                    if proposal is None:
                        return None
                    if proposal.empty:
                        self._session.meter.spending.add(proposal.usage)
                        raise ProviderMalformed(notice(NoticeCode.MODEL_ANSWER_EMPTY))
                except ProviderMalformed as error:
                    nudges += 1
                    if nudges > NUDGES:
                        raise
                    self._check_limit()
                    if error.by_model:
                        self._session.recorder.emit(Message(text=NUDGE, by="console"))
                        observation = replace(observation, messages=(*observation.messages, NUDGE))
                    else:
                        await self._wait(error, nudges, self._wait_s(None, nudges), step)
                except ProviderTransient as error:
                    failures += 1
                    wait_s = self._wait_s(error.retry_after_s, failures)
                    waited_s += wait_s
                    if failures >= TRIES or waited_s > MOST_WAIT_S:
                        raise
                    self._check_limit()
                    await self._wait(error, failures, wait_s, step)
                else:
                    return with_sandbox_actions(proposal, self._session.functions)
        finally:
            await abandon(change)

    def _check_limit(self) -> None:
        """Raises Holding where a limit is reached, or the request, sent again, is expected to exceed that of cost."""
        if limit := self._session.meter.limit():
            raise Holding(Pause(by=PauseCause.LIMIT, detail=limit))

    async def _answer(self, observation: Observation, change: asyncio.Future[bool]) -> Proposal | None:
        session = self._session
        session.channel.check()
        if change.done() and change.result():
            return None
        self.given = observation
        answer = asyncio.ensure_future(adapted(session.ports.provider, observation, self._tell))
        first = asyncio.ensure_future(self._first_of(answer, change))
        try:
            await session.channel.watch(first)
        except Holding:
            if not answer.done():
                raise
        finally:
            await abandon(first)
            await abandon(answer)
            session.meter.spending.add_untold(session.ports.provider)
        if answer.done() and not answer.cancelled():
            return answer.result()
        if first.result():
            return None
        raise ProviderTransient(notice(NoticeCode.MODEL_TIMED_OUT, seconds=self._limit_s))

    def _tell(self, change: str, error: ProviderRejected) -> None:
        self._session.recorder.emit(Warned(title=change, detail=error.detail))

    @property
    def _limit_s(self) -> float:
        provider = self._session.ports.provider
        return provider.turn_limit_s if isinstance(provider, LimitsTurns) else TURN_LIMIT_S

    async def _first_of(self, answer: asyncio.Future[Proposal | None], change: asyncio.Future[bool]) -> bool:
        """Wait for the answer, the time limit or a change of the picture; whether it was the change."""
        deadline = asyncio.ensure_future(self._session.clock.sleep(self._limit_s))
        try:
            waited_for: set[asyncio.Future[Any]] = {answer, deadline}
            await asyncio.wait(waited_for | {change}, return_when=asyncio.FIRST_COMPLETED)
            if change.done() and not change.result():  # no change will come
                await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
            return change.done() and change.result()
        finally:
            await abandon(deadline)

    def _wait_s(self, stated_s: float | None, failures: int) -> float:
        """How long to wait: as long as the service asks, or longer each time; never so short that it is a rush."""
        if stated_s is not None and stated_s >= 1:
            return stated_s
        return min(2.0**failures, LONGEST_RETRY_WAIT_S) + self._jitter.random()

    async def _wait(self, error: ProviderError, failures: int, wait_s: float, step: int) -> None:
        """Wait, at most to the end of the session's time, or until the operator wants it to be asked again.

        Raises Holding where a limit is reached then.
        """
        session, of = self._session, TRIES if isinstance(error, ProviderTransient) else NUDGES + 1
        wait_s = min(wait_s, max(0.0, session.meter.left_s))
        session.recorder.emit(Retrying(step=step, attempt=failures + 1, of=of, wait_s=wait_s, reason=error.title))
        await session.channel.reply(_retry_now, session.clock.sleep(wait_s))
        self._check_limit()
        session.recorder.mark(AskAgain())


def _retry_now(intent: Intent) -> bool | None:
    """Whether the operator ends the wait; None for any other intent."""
    return True if isinstance(intent, RetryNow) else None


def with_sandbox_actions(proposal: Proposal, offered: Mapping[str, ToolSpec]) -> Proposal:
    """The proposal, with its calls of sandboxed tools as RunCommand and EditFile; a faulty call is not understood."""
    return replace(proposal, calls=tuple(_read(call, offered) for call in proposal.calls))


def _read(call: Call, offered: Mapping[str, ToolSpec]) -> Call:
    match call.action:
        case CallFunction() as action if action.name in offered and offered[action.name].sandboxed:
            try:
                return replace(call, action=read_action(action))
            except ActionError as error:
                return replace(call, action=None, error=error.text)
        case _:
            return call


def read_action(call: CallFunction) -> Action:
    """The action of a call of a sandboxed tool. Raises ActionError."""
    arguments = call.arguments()
    return _command(arguments) if call.name == BASH else _edit(arguments)


def _command(arguments: Mapping[str, Any]) -> RunCommand:
    if arguments.get("restart") is True:
        return RunCommand(command="", restart=True)
    return RunCommand(command=_text(arguments, "command"))


def _edit(arguments: Mapping[str, Any]) -> EditFile:
    command = _text(arguments, "command")
    if command not in _EDITS:
        raise ActionError(notice(NoticeCode.EDIT_COMMAND_UNKNOWN, command=command[:40]))
    path = _text(arguments, "path")
    given = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in arguments.items()
        if name not in {"command", "path"} and value is not None
    }
    return EditFile(command=command, path=path, arguments=given)


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ActionError(notice(NoticeCode.ARGUMENT_EMPTY, argument=name))
    return value
