"""A check is red exactly where the first steps of a session fail, for every dialect and fault of a service.

Both use the same provider against servers with the vendors' rules; the session is the engine's own, with a clock that
the test advances.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from operator_console.app.model_check import BUTTON, SCREEN, check_model, report_of
from operator_console.domain.actions import Click
from operator_console.domain.errors import ConsoleError, RejectedPart
from operator_console.domain.events import EndedOutcome
from operator_console.domain.geometry import NativePoint
from operator_console.domain.intents import Stop
from operator_console.domain.proposals import AdaptsRequests, Brief, Observation, Proposal, Provider
from operator_console.domain.states import Paused
from operator_console.domain.stopping import StopCause
from operator_console.engine.session_context import Options
from operator_console.providers import registry
from operator_console.providers.spec import Ingredients
from operator_console.ui.profile_values import CheckOutcome, CheckReport
from tests.engine.function_session import EVERYTHING_ALLOWED
from tests.engine.rig import Model, rig
from tests.providers.contract.conftest import DIALECTS, geometry_of
from tests.providers.contract.dialect import Dialect
from tests.servers.chat_rules import ApiError
from tests.servers.scripted_server import ScriptedServer
from tests.servers.structured_servers import StructuredChatServer

TRIED = {
    each.title: each
    for each in DIALECTS
    if each.title
    in {
        "gemini", "gpt-5.6-sol", "gpt-5.6-sol stored", "claude-opus-5-5", "Qwen/Qwen3-VL-8B-Instruct",
        "Qwen/Qwen3-VL-8B-Instruct native", "cogagent", "ByteDance-Seed/UI-TARS-1.5-7B", "structured at endpoint",
        "structured at Gemini",
    }
}  # fmt: skip
AT_ENDPOINTS = [title for title in TRIED if title.startswith(("Qwen", "cogagent", "Byte", "structured at endpoint"))]
NATIVE, STRUCTURED = "Qwen/Qwen3-VL-8B-Instruct native", "structured at endpoint"
CLICK = Click(at=NativePoint(*BUTTON.centre))
ASKED_AGAIN = 20
"""More often than a session asks again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What a server does.

    Attributes:
        turns: its script.
        pictures: how many it takes in a request; 0: as many as usual.
        form: whether it knows `response_format`.
        thinks: whether it takes all that is said for thoughts.
    """

    turns: Sequence[Any]
    pictures: int = 0
    form: bool = True
    thinks: bool = False

    def arrange(self, server: ScriptedServer) -> None:
        """Have a server of chat completions do so."""
        checked = server.check
        if isinstance(server, StructuredChatServer):
            server.knows_form = self.form

        def check(request: Any, body: Any) -> None:
            if 0 < self.pictures < str(body).count("data:image/"):
                raise ApiError(400, f"At most {self.pictures} image(s) may be provided in one prompt.")
            checked(request, body)

        spoke = server.speak

        def speak(request: Any, turn: Any, size: int) -> Any:
            spoken = spoke(request, turn, size)
            if self.thinks:
                message = spoken.answer["choices"][0]["message"]
                message["content"], message["reasoning_content"] = None, message["content"]
            return spoken

        server.check = check  # type: ignore[method-assign]
        server.speak = speak  # type: ignore[method-assign]


def always(*turns: Any) -> Fault:
    """These turns, of which the last is said again whenever a session asks again."""
    return Fault(turns=[*turns, *[turns[-1]] * ASKED_AGAIN])


def clicks(dialect: Dialect) -> dict[str, Any]:
    turn = dialect.turn(CLICK, geometry=geometry_of(dialect, SCREEN))
    assert isinstance(turn, dict)
    return turn


def fault_of(dialect: Dialect, name: str) -> Fault:
    good = clicks(dialect)
    done = [good, dialect.ends("Done.")]
    half = dialect.cut_off(CLICK, geometry=geometry_of(dialect, SCREEN))
    page = "<!doctype html><html><body><h1>It works!</h1></body></html>"
    streams = "parameter.enable_thinking must be set to false for non-streaming calls"
    too_long = "This model's maximum context length is 100 tokens."
    return {
        "none": Fault(turns=done),
        "words alone": always(dialect.says("I see a button.")),
        "cut off": always(half),
        "refusal": always(dialect.refuses("Not this.")),
        "403": always({"status": 403, "message": "Not for you."}),
        "stream only": always({"status": 400, "message": streams}),
        "web page": always({"body": page}),
        "second refused": always(good, {"status": 400, "message": too_long}),
        "second cut off": always(good, half),
        "eos": Fault(turns=[{**each, "finish_reason": "eos"} for each in done if isinstance(each, dict)]),
        "reasoning": Fault(turns=done, thinks=True),
        "no ids": Fault(turns=[{**good, "calls": [{**call, "id": ""} for call in good.get("calls", ())]}, done[1]]),
        "one picture": Fault(turns=done, pictures=1),
        "no response_format": Fault(turns=done, form=False),
    }[name]


async def checked(dialect: Dialect, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> tuple[CheckReport, int]:
    """What a check says, and how many requests it sent."""
    async with dialect.server(fault.turns) as server:
        fault.arrange(server)
        provider = dialect.provider(server.url)
        with monkeypatch.context() as patch:
            patch.setattr(registry, "create", lambda *_: provider)
            try:
                report = await check_model(provider.name, dialect.model, Ingredients(api_key="k"))
            except ConsoleError as error:
                report = report_of(error)
        return report, len(server.received)


class Watched(Model):
    """A real provider in a session, which tells whether it is waiting for its service."""

    def __init__(self, provider: Provider) -> None:
        super().__init__()
        self.name, self.model, self.image_needs = provider.name, provider.model, provider.image_needs
        self.busy = False
        self._provider = provider

    def begin(self, brief: Brief) -> None:
        self._provider.begin(brief)

    def adapt(self, part: RejectedPart) -> str:
        return self._provider.adapt(part) if isinstance(self._provider, AdaptsRequests) else ""

    async def propose(self, observation: Observation) -> Proposal:
        self.busy = True
        try:
            return await self._provider.propose(observation)
        finally:
            self.busy = False


async def session_fails(dialect: Dialect, fault: Fault) -> bool:
    """Whether a session gets stuck in its first steps: it fails, or pauses for a person."""
    async with dialect.server(fault.turns) as server:
        fault.arrange(server)
        provider = dialect.provider(server.url)
        model = Watched(provider)
        r = rig(model=model, request=EVERYTHING_ALLOWED, options=Options(name="test", answerable=False), size=SCREEN)
        await r.start()
        assert r.task is not None
        try:
            while not r.task.done():
                await asyncio.wait({r.task}, timeout=0.001)
                if r.is_in(Paused):
                    await r.post(Stop(reason=StopCause.BUTTON))
                    await r.end()
                    return True
                if not model.busy and (deadlines := r.clock.deadlines()):
                    await r.clock.advance(deadlines[0])
            return r.task.result().outcome is EndedOutcome.FAILED
        finally:
            await provider.close()


EVERYWHERE = {
    "none": CheckOutcome.WORKS,
    "words alone": CheckOutcome.DOUBTFUL,
    "cut off": CheckOutcome.UNUSABLE,
    "refusal": CheckOutcome.REFUSED,
    "403": CheckOutcome.KEY_REFUSED,
    "stream only": CheckOutcome.REFUSED,
    "web page": CheckOutcome.OTHER_DIALECT,
    "second refused": CheckOutcome.REFUSED,
    "second cut off": CheckOutcome.UNUSABLE,
}
AT_AN_ENDPOINT = ("eos", "reasoning", "one picture")


def in_each_run(title: str, name: str) -> bool:
    """Every dialect without a fault and with one or two, and every fault with a dialect or two."""
    if name == "none":
        return True
    if name in AT_AN_ENDPOINT:
        return AT_ENDPOINTS.index(title) == AT_AN_ENDPOINT.index(name)
    return (list(TRIED).index(title) - list(EVERYWHERE).index(name)) % 5 == 0


CASES = [
    pytest.param(title, name, outcome, marks=() if in_each_run(title, name) else pytest.mark.full)
    for title, name, outcome in (
        *((title, name, outcome) for title in TRIED for name, outcome in EVERYWHERE.items()),
        *((title, name, CheckOutcome.WORKS) for title in AT_ENDPOINTS for name in AT_AN_ENDPOINT),
    )
] + [(NATIVE, "no ids", CheckOutcome.WORKS), (STRUCTURED, "no response_format", CheckOutcome.WORKS)]


@pytest.mark.parametrize(("title", "name", "outcome"), CASES)
async def test_a_check_is_red_where_the_first_steps_of_a_session_fail(
    title: str, name: str, outcome: CheckOutcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialect = TRIED[title]
    report, requests = await checked(dialect, fault_of(dialect, name), monkeypatch)
    assert report.outcome is outcome, report
    red = outcome not in {CheckOutcome.WORKS, CheckOutcome.DOUBTFUL}
    assert await session_fails(dialect, fault_of(dialect, name)) is red, report
    second = name.startswith("second") or not red
    adapted = name in {"one picture", "second refused", "no response_format"}
    if not title.startswith("structured") and not adapted:
        assert requests == (2 if second else 1), "nothing is asked again"
    if red and second:
        assert "The first request of a session was answered" in report.said
