"""Whatever the model says and however its calls end, every request keeps the vendor's rules.

HOSTILE_ANSWERS=100000 in the environment makes the long version, with a hundredth as many courses.
"""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from operator_console.domain.actions import Chord, Click, Screenshot, TypeText, Wait
from operator_console.domain.errors import ProviderTransient
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallResult, CallStatus
from operator_console.domain.tools import ToolResult
from tests.providers.conftest import picture
from tests.providers.contract.conftest import BRIEF, Conversation
from tests.providers.contract.dialect import Dialect
from tests.providers.contract.test_hostile_answers import EXAMPLES

COURSES = max(10, EXAMPLES // 100)
SCREEN = Size(40, 30)

_CLICK = Click(at=NativePoint(5, 5))
_ACTION = st.sampled_from(
    [
        _CLICK,
        TypeText(text="ł “x”"),
        Chord(keys=(Key("enter"),)),
        Wait(duration_s=1.0),
        Screenshot(),
    ]
)
_TURN = st.one_of(
    st.tuples(st.just("turn"), st.lists(_ACTION, min_size=1, max_size=3)),
    st.tuples(st.just("says"), st.just("Which one?")),
    st.tuples(st.just("function"), st.sampled_from(["ask_user", "fly"])),
)
_END = st.tuples(
    st.sampled_from([CallStatus.DONE, *CallStatus]),
    st.sampled_from(["", "Why."]),
    st.sampled_from(["", "Answer."]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, None, "picture", "tool", "error"]),
)
_STEP = st.tuples(_TURN, st.lists(_END, min_size=3, max_size=3), st.lists(st.just("Note."), max_size=2), st.booleans())


def test_any_course(dialect: Dialect) -> None:
    with asyncio.Runner() as runner:
        server = dialect.server([])
        runner.run(server.start())
        provider = dialect.provider(server.url)

        @settings(
            max_examples=COURSES, deadline=None, derandomize=EXAMPLES < 1000, database=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(st.lists(_STEP, min_size=1, max_size=8))
        def played(steps: list[Any]) -> None:
            server.received.clear()
            runner.run(_play(Conversation(server, provider, dialect, SCREEN, BRIEF), dialect, steps))
            assert server.violations == []

        try:
            played()
        finally:
            runner.run(provider.close())
            runner.run(server.stop())


async def _play(it: Conversation, dialect: Dialect, steps: list[Any]) -> None:
    results: tuple[CallResult, ...] = ()
    for (kind, what), ends, messages, lost in steps:
        turn: Any
        match kind:
            case "turn":
                known = [action for action in what if action.kind in dialect.kinds] or [_CLICK]
                actions = known if dialect.batches else known[:1]
                turn = dialect.turn(*actions, geometry=it.geometry, thought="Hm.", text="Next.")
            case "says":
                turn = dialect.says(what)
            case _:
                turn = dialect.function(what, {"question": "Which?"})
        observation = it.observation(*results, messages=messages)
        if lost:
            it.server.pending[:] = [{"drop": True}]
            try:
                await it.provider.propose(observation)
            except ProviderTransient:
                pass
            else:
                raise AssertionError("an answer came over a connection that was cut")
        it.server.pending[:] = [turn]
        proposal = await it.provider.propose(observation)
        results = tuple(_result(call, *end) for call, end in zip(proposal.calls, ends, strict=False))


def _result(
    call: Any, status: CallStatus, text: str, output: str, changed: bool | None, extra: str | None
) -> CallResult:
    tool = ToolResult(texts=("Room 7.",), pictures=(picture(3, SCREEN),), error=extra == "error")
    return CallResult(
        call=call, status=status, text=text, output=output, changed=changed,
        picture=picture(9, SCREEN) if extra == "picture" else None, tool=tool if extra in {"tool", "error"} else None,
    )  # fmt: skip
