"""The modules on the way of a Gemini click: `python -m tests.benchmarks click_path`.

The whole console (`run`) presses buttons of a page against the strict server, with the real injector. *Out* is from the
model's answer to pyautogui's press, *back* from there to the next request. A module is on the way if it is on the stack
where the click comes to a station (call_tracer.py), so if the click is handed on through it. What is only asked on the
way, for values, words, texts of the policy's tables, windows, pictures or elements, is counted apart.

The last click but one counts: by then what is loaded once is loaded.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TypeAlias

from tests.benchmarks.call_tracer import PRESS
from tests.benchmarks.figures import Options, Row
from tests.benchmarks.stage import Stage, stage
from tests.benchmarks.text_page import Presser, accessible_bus, open_page
from tests.display.acceptance.harness import MODEL, start_console
from tests.servers.gemini_server import GeminiServer

_SIZE = (1440, 900)
_STEPS = 3
_MOST_OUT, _MOST_BACK = 25, 12
_AROUND = ("cli", "app", "engine.session", "providers.shared.model_provider", "providers.gemini.provider")
"""What runs the session, and what sent the request and waits: on the stack before there is an answer."""

Call: TypeAlias = tuple[float, str, str, list[str]]
"""When, the module, its function, the stack at a station."""


def measure(_: Options) -> list[Row]:
    """The modules out and back, printed in the order in which they are entered, and their numbers."""
    with stage(_SIZE) as here, ExitStack() as stack:
        bus = accessible_bus(here, stack)
        open_page(here, _SIZE, bus)
        calls, answered_s, came_s = asyncio.run(_session(here, bus))
    pressed_s = next(call[0] for call in calls if call[1:3] == PRESS and call[0] > answered_s)
    out = [call for call in calls if answered_s < call[0] <= pressed_s]
    back = [call for call in calls if pressed_s < call[0] < came_s]
    return [_row("out: answer to press", out, _MOST_OUT), _row("back: press to request", back, _MOST_BACK)]


async def _session(here: Stage, bus: dict[str, str]) -> tuple[list[Call], float, float]:
    traces = here.scratch("traces")
    model = Presser(size=_SIZE, steps=_STEPS, thinks_s=1.0)
    async with GeminiServer([model] * (_STEPS + 1), api_key="test-key", keep_screenshots=3) as server:
        keys = {"GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": server.url}
        words = ("run", "Do as the script says.", "--json", "--model", MODEL, "--target", "monitor:1")
        module = ("tests.benchmarks.call_tracer", str(traces))
        console = start_console(here.desktop, here.scratch("run"), *words, module=module, **keys, **bus)
        model.pid = console.child.pid
        ended = await asyncio.to_thread(console.wait, 180.0)
        assert ended == 0, console.report()
        calls: list[Call] = []
        for each in traces.glob("*.jsonl"):
            for line in each.read_text("utf-8").splitlines():
                when, module_name, function, modules = json.loads(line)
                calls.append((when, module_name, function, modules))
        return sorted(calls), server.answered_s[-2], server.came_s[-1]


def _row(what: str, calls: Sequence[Call], most: int) -> Row:
    stacks = [modules for *_, modules in calls if not any(map(_elsewhere, modules))]
    way = [module for module in dict.fromkeys(itertools.chain(*stacks)) if not module.startswith(_AROUND)]
    asked = {module for _, module, *_ in calls if module != PRESS[0]} - set(way)
    print(f"{what}: {len(way)} modules")
    for number, module in enumerate(way, 1):
        print(f"{number:3} {module}")
    print(f"    asked on the way: {', '.join(sorted(asked))}\n")
    return Row(
        what=what, n=1, seen=f"{len(way)} modules", bar=f"<= {most}", met=len(way) <= most,
        note=f"{len(asked)} more are asked",
    )  # fmt: skip


def _elsewhere(module: str) -> bool:
    """Whether it talks to another process than the injector."""
    return module.startswith("perception.")
