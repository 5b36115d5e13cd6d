"""A long session on a machine over VNC: memory and time of a step of its processes stay flat.

The window of machines.py on a machine of TigerVNC's, pressed again and again by the strict server's model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from tests.benchmarks.console_processes import Usage, family_of, usage_of
from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.machines import there
from tests.benchmarks.steps import Model
from tests.display.acceptance.harness import start_run
from tests.display.rig.vnc_servers import event_classes_apart
from tests.servers.gemini_server import GeminiServer

_GROWTH_BAR, _SETTLED_AT, _LATER = 1.05, 20, 50
_LONGEST_S = 3600.0


def measure(options: Options) -> list[Row]:
    """500 steps, with a model that answers at once."""
    steps = options.times(500, 60)
    usage: list[Mapping[str, Usage]] = []
    with event_classes_apart(), there("vnc") as (place, folder):
        x, y, *_ = place.box("all")
        model = Model(steps, (place.size.width, place.size.height), (x, y), 0.0)
        pids: dict[str, int] = {}

        def answer(seen: Any) -> Mapping[str, Any]:
            if model.said:
                if not pids:
                    pids.update(family_of(started[0].child.pid))
                usage.append({name: usage_of(pid) for name, pid in pids.items()})
            return model(seen)

        started: list[Any] = []

        took: list[float] = []

        async def play() -> None:
            async with GeminiServer([answer] * (steps + 1), api_key="test-key", keep_screenshots=3) as server:
                words = ("--target", place.target, "--max-steps", str(steps + 5), "--max-minutes", "60")
                started.append(start_run(place.host, folder, server.url, *words, **place.env))
                ended = await asyncio.to_thread(started[0].wait, _LONGEST_S)
                assert ended == 0, started[0].report()
                assert server.violations == [], server.violations
                pairs = zip(server.answered_s, server.came_s[1:], strict=False)
                took.extend((came - said) * 1000 for said, came in pairs)

        asyncio.run(play())
    return [*_memory(usage, steps), _time(took)]


def _memory(usage: list[Mapping[str, Usage]], steps: int) -> list[Row]:
    rows = []
    for name in usage[-1]:
        early, late = usage[_SETTLED_AT][name].resident_mib, usage[-1][name].resident_mib
        rows.append(
            Row(
                what=f"{steps} steps over VNC: resident memory of the {name}", n=steps,
                seen=f"{late:.0f} MiB at the end", beside=f"{early:.0f} MiB after {_SETTLED_AT} steps",
                ratio=f"{late / early:.2f}x", bar=f"flat (<= {_GROWTH_BAR}x)", met=late <= early * _GROWTH_BAR,
            )
        )  # fmt: skip
    return rows


def _time(took: list[float]) -> Row:
    early, late = Samples.of(took[_SETTLED_AT : _SETTLED_AT + _LATER]), Samples.of(took[-_LATER:])
    return Row(
        what=f"{len(took)} steps over VNC: overhead of the last {late.n}, beside {early.n} early ones", n=len(took),
        seen=late.said(digits=0), beside=early.said(digits=0), ratio=f"{late.median / early.median:.2f}x",
    )  # fmt: skip
