"""Any bytes of an answer give a proposal or a ProviderError, and the conversation can go on.

Most examples are read without a server: `resume` reads recorded answers by the code that reads those of the service.
HOSTILE_ANSWERS=100000 in the environment makes the long version.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import CodeType

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from operator_console.domain.actions import Drag, Zoom, target_point
from operator_console.domain.errors import ProviderError, ProviderRejected
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.proposals import (
    Call,
    CallResult,
    CallStatus,
    ContinuesConversations,
    PastTurn,
)
from tests.providers.contract.conftest import BRIEF, Conversation, geometry_for, is_first_of_its_provider, observation
from tests.providers.contract.dialect import Dialect

EXAMPLES = int(os.environ.get("HOSTILE_ANSWERS", "40"))
SERVED = max(40, EXAMPLES // 100)
SCREEN = Size(40, 30)

_PROGRAMS = frozenset({"os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen"})


def _examples(count: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return settings(
        max_examples=count, deadline=None, derandomize=EXAMPLES < 1000, database=None,
        suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink),
    )  # fmt: skip


@pytest.mark.timeout(max(120, EXAMPLES // 20))
def test_any_answer_is_read_or_refused(dialect: Dialect) -> None:
    provider = dialect.provider("http://127.0.0.1:9")
    assert isinstance(provider, ContinuesConversations)
    first = observation(geometry_for(provider, SCREEN), shade=1)
    second = replace(observation(first.frame.geometry, shade=2), messages=("Go on.",))
    good = asyncio.run(_plain_answer(dialect))
    watch = _evaluations()

    @_examples(EXAMPLES)
    @given(dialect.hostile())
    def answered(body: bytes) -> None:
        turn = PastTurn(observation=first, raw=body)
        with watch.none_allowed():
            try:
                calls = provider.resume(BRIEF, [turn])
            except ProviderError:
                return
            _check(calls)
            results = tuple(CallResult(call=call, status=CallStatus.FAILED) for call in calls)
            later = PastTurn(observation=replace(second, results=results), raw=good)
            assert provider.resume(BRIEF, [turn, later]) == ()

    try:
        # The first answers import what reading needs.
        importlib.import_module("json_repair")
        provider.resume(BRIEF, [PastTurn(observation=first, raw=good)])
        answered()
    finally:
        asyncio.run(provider.close())


async def _plain_answer(dialect: Dialect) -> bytes:
    """A lawful answer of text alone."""
    async with dialect.server([dialect.says("I see.")]) as server:
        provider = dialect.provider(server.url)
        try:
            return (await Conversation(server, provider, dialect, SCREEN, BRIEF).propose()).raw
        finally:
            await provider.close()


class _Evaluations:
    """Fails where a text is compiled or run as code, or a program started, while it watches."""

    def __init__(self) -> None:
        self._watching = False
        self._seen: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        if self._watching and (event in _PROGRAMS or _is_text(event, args)):
            self._seen.append(f"{event} {args!r:.200}")

    @contextmanager
    def none_allowed(self) -> Iterator[None]:
        self._watching = True
        try:
            yield
        finally:
            self._watching = False
        seen, self._seen = self._seen, []
        assert seen == []


def _is_text(event: str, args: tuple[object, ...]) -> bool:
    """Whether code is compiled or run that is from no file; modules may be imported (the codecs of UTF-16 and -32)."""
    if event == "compile":
        return not isinstance(args[1], str) or args[1].startswith("<")
    return event == "exec" and isinstance(args[0], CodeType) and args[0].co_filename.startswith("<string")


@functools.cache
def _evaluations() -> _Evaluations:
    """The one of this process: an audit hook cannot be removed."""
    return _Evaluations()


def test_evaluated_text_would_be_seen() -> None:
    for evaluated in (lambda: eval("1 + 1"), lambda: exec("pass"), lambda: os.system("true")):
        with pytest.raises(AssertionError), _evaluations().none_allowed():
            evaluated()


def test_any_answer_of_a_server(dialect: Dialect) -> None:
    if EXAMPLES == 40 and not is_first_of_its_provider(dialect):
        pytest.skip("another dialect of this provider is tried; its answers are read above")
    with asyncio.Runner() as runner:
        server = dialect.server([])
        runner.run(server.start())
        provider = dialect.provider(server.url)

        @_examples(SERVED)
        @given(dialect.hostile())
        def answered(body: bytes) -> None:
            it = Conversation(server, provider, dialect, SCREEN, BRIEF)
            # A body that is no UTF-8 cannot be given as text; such bytes are another test's.
            # A provider may ask for an answer again that is not in its form.
            server.pending[:] = [{"body": body.decode("utf-8", "replace")}, *[dialect.says("I see.")] * 3]
            server.violations.clear()
            server.received.clear()
            runner.run(_exchange(it))

        try:
            answered()
        finally:
            runner.run(provider.close())
            runner.run(server.stop())


async def _exchange(it: Conversation) -> None:
    results: tuple[CallResult, ...] = ()
    with suppress(ProviderError):
        proposal = await it.propose()
        assert proposal.calls or proposal.narration
        _check(proposal.calls)
        results = tuple(CallResult(call=call, status=CallStatus.FAILED) for call in proposal.calls)
        # The server has no record of what it was told to say, and objects to that at most.
        try:
            await it.propose(*results, messages=["Go on."])
        except ProviderRejected as error:
            if not re.search("no turn that the model produced|missing from the history|position", error.detail):
                raise


def _check(calls: Sequence[Call]) -> None:
    for call in calls:
        assert (call.action is None) == bool(call.error), call
        assert all(0 <= at.x < SCREEN.width and 0 <= at.y < SCREEN.height for at in _points(call)), call


def _points(call: Call) -> Iterator[NativePoint]:
    """All points of a call's action and box."""
    match call.action:
        case None:
            return
        case Drag(path=path):
            yield from path
        case Zoom(region=region):
            yield from _corners(region)
        case action if (at := target_point(action)) is not None:
            yield at
        case _:
            pass
    if call.box is not None:
        yield from _corners(call.box)


def _corners(region: Rect) -> Iterator[NativePoint]:
    yield NativePoint(region.x, region.y)
    yield NativePoint(region.right - 1, region.bottom - 1)
