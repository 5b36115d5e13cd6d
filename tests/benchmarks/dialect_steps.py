"""What a step costs in each dialect, besides the model, against what it costs with Gemini.

The whole console works the page of text_page.py through each vendor's SDK, against that vendor's strict server. The
dialects' sessions take turns, so that whatever else the machine does hits all alike. A step is from the model's answer
to the next request; the server's own checks are in neither.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from operator_console.domain.actions import Click
from operator_console.domain.geometry import NativePoint, Size
from tests.benchmarks.figures import Options, Row, Samples, ratio_row
from tests.benchmarks.stage import Stage, stage
from tests.benchmarks.text_page import accessible_bus, buttons, open_page
from tests.display.acceptance.harness import start_console
from tests.providers.contract.conftest import DIALECTS, geometry_for
from tests.providers.contract.dialect import Dialect
from tests.servers.scripted_server import Json, Seen

_SIZE = (1440, 900)
_BAR = 1.10
_ROUNDS = 4
_THINKS_S = 0.5
_KEY = "test-key"
_TITLES = (
    "gemini", "claude-opus-5-5", "gpt-5.6-sol", "Qwen/Qwen3-VL-8B-Instruct", "cogagent",
    "ByteDance-Seed/UI-TARS-1.5-7B", "structured at Gemini",
)  # fmt: skip


def measure(options: Options) -> list[Row]:
    """Each dialect's step beside Gemini's."""
    dialects = [dialect for title in _TITLES for dialect in DIALECTS if dialect.title == title]
    steps = options.times(12, 3)
    taken: dict[str, list[float]] = {dialect.title: [] for dialect in dialects}
    sent: dict[str, int] = {}
    with stage(_SIZE) as here, ExitStack() as stack:
        bus = accessible_bus(here, stack)
        open_page(here, _SIZE, bus)
        clicked = 0
        for number in range(_ROUNDS):
            for dialect in dialects[number:] + dialects[:number]:
                overhead, sent[dialect.title] = asyncio.run(_session(here, dialect, steps + 1, clicked, bus))
                taken[dialect.title] += overhead
                clicked += steps + 1
    gemini, *others = (Samples.of(taken[dialect.title]) for dialect in dialects)
    first = Row(what="step overhead, gemini", n=gemini.n, seen=gemini.said(digits=0), note=_requests(sent))
    return [first, *(_row(dialect, found, gemini) for dialect, found in zip(dialects[1:], others, strict=True))]


@dataclass(slots=True)
class _Model:
    """Clicks one button of the page after another."""

    dialect: Dialect
    steps: int
    first: int
    said: int = 0

    def __call__(self, seen: Seen) -> Json:
        made: Any
        if self.said == self.steps:
            made = self.dialect.ends("Done.")
        else:
            places = buttons(_SIZE)
            place = places[((self.first + self.said) * 29 + 3) % len(places)]
            geometry = geometry_for(self.dialect.provider("http://127.0.0.1:9", api_key=_KEY), Size(*_SIZE))
            made = self.dialect.turn(Click(at=NativePoint(*place)), geometry=geometry)
        self.said += 1
        return {**made, "delay_s": _THINKS_S}


async def _session(
    here: Stage, dialect: Dialect, steps: int, first: int, bus: Mapping[str, str]
) -> tuple[list[float], int]:
    """Milliseconds of each step but the first, and the bytes of the last request."""
    model = _Model(dialect, steps, first)
    async with dialect.server([model] * (steps + 1), api_key=_KEY) as server:
        words = ["run", "Do as the script says.", "--json", "--model", dialect.model, "--target", "monitor:1"]
        if dialect.provider_name:
            words += ["--provider", dialect.provider_name]
        env = {**dialect.environment(server.url, _KEY), **bus}
        console = start_console(here.desktop, here.scratch("run"), *words, **env)
        ended = await asyncio.to_thread(console.wait, 300.0)
        assert ended == 0, console.report()
        assert server.violations == [], server.violations
        # By time: a request that was given up, because the screen changed meanwhile, has no answer.
        took_s = [
            min(came for came in server.came_s if came > answered) - answered for answered in server.answered_s[1:-1]
        ]
        return [each_s * 1000 for each_s in took_s], server.received[-1].size


def _row(dialect: Dialect, found: Samples, gemini: Samples) -> Row:
    return ratio_row(f"step overhead, {dialect.title}", found, gemini, _BAR, beside="gemini", digits=0)


def _requests(sent: dict[str, int]) -> str:
    sizes = ", ".join(f"{title} {size / 1000:,.0f} kB" for title, size in sent.items())
    return f"The last request of a session of this many steps: {sizes}."
