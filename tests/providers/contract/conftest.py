"""The dialects that are tested, and a client and server for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import pytest

from operator_console.computers.model_image import sent_size
from operator_console.domain.frames import Frame, MonitorTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.pages import Page
from operator_console.domain.proposals import Brief, CallResult, Observation, Proposal, Provider
from operator_console.domain.tools import ToolSpec
from tests.providers.contract.anthropic_dialect import AnthropicDialect
from tests.providers.contract.cogagent_dialect import CogAgentDialect
from tests.providers.contract.dialect import Dialect, Told
from tests.providers.contract.gemini_dialect import GeminiDialect
from tests.providers.contract.openai_dialect import OpenAIDialect
from tests.providers.contract.qwen_dialect import QwenDialect
from tests.providers.contract.structured_dialect import (
    StructuredAnthropicDialect,
    StructuredDialect,
    StructuredGeminiDialect,
    StructuredOpenAIDialect,
)
from tests.providers.contract.ui_tars_dialect import UiTarsDialect
from tests.servers.scripted_server import ScriptedServer, Turn

DIALECTS: Sequence[Dialect] = (
    GeminiDialect(),
    OpenAIDialect("gpt-5.6-sol"),
    OpenAIDialect("gpt-5.6-sol", stored=True),
    OpenAIDialect("computer-use-preview"),
    AnthropicDialect("claude-opus-5-5"),
    AnthropicDialect("claude-opus-5"),
    AnthropicDialect("claude-sonnet-4-6"),
    AnthropicDialect("claude-haiku-4-5"),
    QwenDialect("Qwen/Qwen2.5-VL-7B-Instruct", "2.5"),
    QwenDialect("Qwen/Qwen3-VL-8B-Instruct", "3"),
    QwenDialect("Qwen/Qwen3-VL-8B-Instruct", "3", native=True),
    CogAgentDialect(),
    UiTarsDialect("ByteDance-Seed/UI-TARS-1.5-7B", "1.5"),
    UiTarsDialect("bytedance-research/UI-TARS-7B-DPO", "1.0"),
    UiTarsDialect("doubao-1-5-ui-tars-250428", "doubao"),
    StructuredGeminiDialect("gemini-3.8-flash"),
    StructuredAnthropicDialect("claude-opus-5-5"),
    StructuredOpenAIDialect("gpt-5.6-sol"),
    StructuredDialect("any-vision-model"),
)

FURTHER_MODELS = frozenset({
    "claude-opus-5", "claude-sonnet-4-6", "claude-haiku-4-5", "Qwen/Qwen3-VL-8B-Instruct",
    "bytedance-research/UI-TARS-7B-DPO", "doubao-1-5-ui-tars-250428",
})  # fmt: skip
"""Differ from another model above in their actions, coordinates or versions, and in no other part of the dialect."""

CONNECTIONS = (GeminiDialect, OpenAIDialect, AnthropicDialect, QwenDialect)

TASK = "Save the file."
INSTRUCTION = "You work a desktop."
BRIEF = Brief(task=TASK, instruction=INSTRUCTION)
SCREEN = Size(1440, 900)

Test = TypeVar("Test", bound=Callable[..., Any])

_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def is_first_of_its_provider(dialect: Dialect) -> bool:
    """Whether it is the first of the dialects that one provider has for different models and options."""
    return type(dialect) not in {type(one) for one in DIALECTS[: DIALECTS.index(dialect)]}


def every_model(test: Test) -> Test:
    """Has a test of actions, coordinates or versions tried with each model."""
    test.__dict__["every_model"] = True
    return test


def every_connection(test: Test) -> Test:
    """Has a test of what the connection to a service decides tried with one dialect of each vendor's SDK, and one of
    those that share the connection to other endpoints."""
    test.__dict__["every_connection"] = True
    return test


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One dialect after the other; further ones of a model or connection only where they differ, all with --full."""
    if "dialect" in metafunc.fixturenames:
        marked = [
            pytest.param(one, id=one.title, marks=() if _can_differ(metafunc.function, one) else pytest.mark.full)
            for one in DIALECTS
        ]
        metafunc.parametrize("dialect", marked, indirect=True)


def _can_differ(test: Callable[..., object], dialect: Dialect) -> bool:
    if hasattr(test, "every_connection"):
        return type(dialect) in CONNECTIONS and is_first_of_its_provider(dialect)
    return hasattr(test, "every_model") or dialect.title not in FURTHER_MODELS


@pytest.fixture
def dialect(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Dialect:
    """The dialect, without proxies."""
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    found: Dialect = request.param
    return found


class Conversation:
    """A provider that talks to its vendor's server, and shows it screens of one size."""

    def __init__(
        self, server: ScriptedServer, provider: Provider, dialect: Dialect, screen: Size, brief: Brief = BRIEF
    ) -> None:
        self.server = server
        self.provider = provider
        self.geometry = geometry_for(provider, screen)
        self._dialect = dialect
        self._shade = 0
        provider.begin(brief)

    async def propose(self, *results: CallResult, messages: Sequence[str] = (), page: Page | None = None) -> Proposal:
        """The next turn, after these results, with a picture that differs from the ones before."""
        return await self.provider.propose(self.observation(*results, messages=messages, page=page))

    def observation(self, *results: CallResult, messages: Sequence[str] = (), page: Page | None = None) -> Observation:
        """What the provider is given."""
        self._shade += 1
        return observation(self.geometry, *results, messages=messages, shade=self._shade, page=page)

    def texts(self, index: int = -1) -> list[str]:
        """All texts of a request."""
        return self._dialect.texts(self.server.received[index].body)

    def told(self) -> list[Told]:
        """What the newest request says of the calls of the last turn."""
        return self._dialect.told(self.server.received[-1].body)


def geometry_for(provider: Provider, screen: Size) -> FrameGeometry:
    """The geometry of a screen as the console would send it to this provider."""
    return FrameGeometry(origin=ScreenPoint(0, 0), native=screen, sent=sent_size(screen, provider.image_needs))


def geometry_of(dialect: Dialect, screen: Size) -> FrameGeometry:
    """The geometry of a screen as the console would send it to the provider of this dialect."""
    return geometry_for(dialect.provider("http://127.0.0.1:9"), screen)


@pytest.fixture
def geometry(dialect: Dialect) -> FrameGeometry:
    """The geometry of SCREEN in this dialect."""
    return geometry_of(dialect, SCREEN)


def observation(
    geometry: FrameGeometry,
    *results: CallResult,
    messages: Sequence[str] = (),
    shade: int = 0,
    page: Page | None = None,
) -> Observation:
    """An observation of a screen of one colour; providers need no pixels of the frame."""
    from tests.providers.conftest import picture

    target = MonitorTarget(spec="monitor:1", title="Monitor 1")
    frame = Frame(frame_id="0", pixels=memoryview(b""), geometry=geometry, target=target, taken_s=0.0, page=page)
    shown = picture(shade, geometry.sent)
    return Observation(frame=frame, picture=shown, results=tuple(results), messages=tuple(messages))


Begin = Callable[..., Any]
"""`await begin(*turns, screen=, tools=, api_key=, model=, timeout_s=, browser=)`: a conversation that has begun."""


@pytest.fixture
async def begin(dialect: Dialect) -> AsyncIterator[Begin]:
    """Makes conversations; in the end, no rule may have been broken in any of them."""
    servers: list[ScriptedServer] = []
    async with AsyncExitStack() as stack:

        async def make(
            *turns: Turn,
            screen: Size = SCREEN,
            tools: tuple[ToolSpec, ...] = (),
            api_key: str = "",
            browser: bool = False,
            **more: Any,
        ) -> Conversation:
            server = await stack.enter_async_context(dialect.server(turns, api_key=api_key, browser=browser))
            servers.append(server)
            provider = dialect.provider(server.url, **more)
            stack.push_async_callback(provider.close)
            brief = Brief(task=TASK, instruction=INSTRUCTION, tools=tools, browser=browser)
            return Conversation(server, provider, dialect, screen, brief)

        yield make
        assert [server.violations for server in servers] == [[] for _ in servers]
