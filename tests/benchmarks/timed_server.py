"""The strict Gemini server with a clock: when each request came, and when each answer was on its way.

The clock is CLOCK_MONOTONIC, the X server's too, so that the times compare with a witness's. Called by steps.py and
endurance.py.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Self

from aiohttp import web

from tests.servers.gemini_server import GeminiServer
from tests.servers.scripted_server import Turn


class TimedServer(GeminiServer):
    """Attributes: `came_s`, `answered_s`: by request, monotonic seconds."""

    def __init__(self, turns: Sequence[Turn], **options: Any) -> None:
        super().__init__(turns, **options)
        self.came_s: list[float] = []
        self.answered_s: list[float] = []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def turn(self, request: web.Request) -> web.StreamResponse:
        self.came_s.append(time.monotonic())
        response = await super().turn(request)
        self.answered_s.append(time.monotonic())
        return response
