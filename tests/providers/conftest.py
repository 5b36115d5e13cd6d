"""Frames, pictures and observations for tests of providers, and a client of the strict server."""

from __future__ import annotations

import hashlib
import io
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from operator_console.domain.frames import Frame, MonitorTarget, Picture
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.pages import Page, Tab
from operator_console.domain.proposals import Brief, CallResult, CallStatus, Observation, Proposal
from operator_console.domain.tools import ToolSpec
from operator_console.providers.gemini.options import GeminiOptions
from operator_console.providers.gemini.provider import GeminiProvider
from tests.servers.gemini_server import GeminiServer

SIZE = Size(1440, 900)
BRIEF = Brief(task="Save the file.", instruction="You work a desktop.")


def geometry(size: Size = SIZE) -> FrameGeometry:
    """The geometry of a frame of this size, sent unscaled."""
    return FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size)


@cache
def picture(shade: int = 0, size: Size = SIZE) -> Picture:
    """A real PNG of one colour, with as many bytes as if it were in full colour.

    It has a palette, and its bytes are in a chunk that readers skip: encoding them would take most of a test's time.
    """
    image = Image.new("P", (size.width, size.height))
    image.putpalette([shade % 256, shade // 256 % 256, 7])
    file, unread = io.BytesIO(), PngInfo()
    unread.add(b"prVt", bytes(size.width * size.height // 230))
    image.save(file, "PNG", bits=1, pnginfo=unread)
    data = file.getvalue()
    return Picture(data=data, mime_type="image/png", size=size, digest=hashlib.sha256(data).hexdigest())


def frame(size: Size = SIZE, url: str = "", tabs: Sequence[Tab] = ()) -> Frame:
    """A frame without pixels, which providers do not need; with an address, of a managed browser."""
    target = MonitorTarget(spec="monitor:1", title="Monitor 1")
    page = Page(document="1", url=url, tabs=tuple(tabs)) if url else None
    return Frame(frame_id="0", pixels=memoryview(b""), geometry=geometry(size), target=target, taken_s=0.0, page=page)


def seen(
    *results: CallResult,
    messages: Sequence[str] = (),
    shade: int = 0,
    size: Size = SIZE,
    url: str = "",
    tabs: Sequence[Tab] = (),
) -> Observation:
    """An observation with these results."""
    shown = frame(size, url, tabs)
    return Observation(frame=shown, picture=picture(shade, size), results=tuple(results), messages=tuple(messages))


def all_done(proposal: Proposal, **more: Any) -> tuple[CallResult, ...]:
    """All calls done, and flagged ones acknowledged."""
    return tuple(
        CallResult(call=call, status=CallStatus.DONE, acknowledged=call.safety is not None, **more)
        for call in proposal.calls
    )


class Bench:
    """A provider that talks to a strict server with a script."""

    def __init__(self, server: GeminiServer, provider: GeminiProvider) -> None:
        self.server = server
        self.provider = provider

    def contents(self, index: int = -1) -> list[dict[str, Any]]:
        """The contents of a request that was received."""
        made: list[dict[str, Any]] = self.server.received[index].body["contents"]
        return made


MakeBench = Callable[..., Any]


@pytest.fixture
async def bench(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MakeBench]:
    """Makes benches: `await bench(turns, options=..., model=..., server options ...)`, begun with BRIEF."""
    for name in (
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    async with AsyncExitStack() as stack:

        async def make(
            turns: Sequence[Any],
            *,
            options: GeminiOptions | None = None,
            model: str = "gemini-3.8-flash",
            api_key: str = "test-key",
            tools: tuple[ToolSpec, ...] = (),
            browser: bool = False,
            **server_options: Any,
        ) -> Bench:
            server = await stack.enter_async_context(GeminiServer(turns, browser=browser, **server_options))
            provider = GeminiProvider(model=model, options=options, api_key=api_key, base_url=server.url)
            stack.push_async_callback(provider.close)
            provider.begin(replace(BRIEF, tools=tools, browser=browser))
            return Bench(server, provider)

        yield make
