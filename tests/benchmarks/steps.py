"""What a step costs besides the model: from its answer to the next request, and to the first event on the screen.

The whole console (`run`, in a process of its own) against the strict server, which takes the times, on a window that
answers a click at once, after 300 ms or after 2 s. The model "thinks" for a while, as real ones do: the text under the
next click is read meanwhile. Beside it a loop as samples show it: click, sleep half a second, screenshot, PNG.
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from tests.benchmarks import answering_window, sleeping_client
from tests.benchmarks.answering_window import COLOURS, SIZE
from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.stage import Stage, stage
from tests.display.acceptance.harness import final, grid, start_run, turn
from tests.display.rig import Application, InputEvent, Witness, later_by_ms, launch
from tests.servers.gemini_server import GeminiServer
from tests.servers.scripted_server import Seen

_OVERHEAD_BAR_MS, _FIRST_BAR_MS = 150.0, 50.0
_THINKS_S, _THINKS_OF_A_MONITOR_S = 2.0, 4.0
_TRIES = 3
_CORNER = 20


def measure(options: Options) -> list[Row]:
    """By how late the window answers."""
    rows: list[Row] = []
    for delay_ms, steps in ((0, options.times(30, 4)), (300, options.times(15, 3)), (2000, options.times(10, 3))):
        with stage() as here:
            rows += _of_delay(here, delay_ms, steps)
    with stage() as here:
        rows += _of_delay(here, 0, options.times(15, 3), monitor=True)
    return rows


@dataclass(slots=True)
class Model:
    """Presses the label again and again; sees by the picture whether its last press had shown."""

    steps: int
    size: tuple[int, int]
    origin: tuple[int, int]
    thinks_s: float
    said: int = 0
    shown: list[bool] = field(default_factory=list)
    last: int | None = None

    def __call__(self, seen: Seen) -> Mapping[str, Any]:
        with Image.open(io.BytesIO(seen.png)) as picture:
            pixel = picture.convert("RGB").getpixel((self.origin[0] + _CORNER, self.origin[1] + _CORNER))
        colour = COLOURS.index(pixel) if pixel in COLOURS else None
        if self.last is not None:
            self.shown.append(colour is not None and colour != self.last)
        self.last = colour
        if self.said == self.steps:
            return {**final(), "delay_s": self.thinks_s}
        self.said += 1
        centre = (self.origin[0] + SIZE[0] // 2, self.origin[1] + SIZE[1] // 2)
        return {**turn(("click", grid(centre, self.size))), "delay_s": self.thinks_s}


def _of_delay(here: Stage, delay_ms: int, steps: int, *, monitor: bool = False) -> list[Row]:
    window = launch(
        here.desktop, [sys.executable, str(Path(answering_window.__file__)), str(delay_ms)],
        title=answering_window.TITLE, env={"QT_QPA_PLATFORM": "xcb"},
    )  # fmt: skip
    fixed = Samples.of([_fixed_step_ms(here, window) for _ in range(_TRIES)])
    # One step more than counts: the first grows windows, caches and readers.
    size, origin = (here.desktop.server.size, (window.window.x, window.window.y)) if monitor else (SIZE, (0, 0))
    thinks_s = _THINKS_OF_A_MONITOR_S if monitor else _THINKS_S
    target = "monitor:1" if monitor else f"window:{window.window.xid:#x}"
    server, model, events, record = asyncio.run(_run(here, target, Model(steps + 1, size, origin, thinks_s)))
    overhead = [
        (came - answered) * 1000 - delay_ms
        for answered, came in zip(server.answered_s[1:], server.came_s[2:], strict=False)
    ]
    what = "the window answers at once" if not delay_ms else f"the window answers after {delay_ms} ms (not counted)"
    what += f", the whole monitor of {size[0]} x {size[1]} is the target" * monitor
    note = _made_of(record)
    return [
        *_rows(what, delay_ms, Samples.of(overhead), fixed, model, note),
        *_first_event(what, delay_ms, server, events),
    ]


async def _run(
    here: Stage, target: str, model: Model
) -> tuple[GeminiServer, Model, list[InputEvent], list[dict[str, Any]]]:
    with Witness(here.desktop) as witness:
        async with GeminiServer([model] * (model.steps + 1), api_key="test-key") as server:
            options = ("--target", target, "--max-steps", str(model.steps + 5))
            console = start_run(here.desktop, here.scratch("run"), server.url, *options)
            ended = await asyncio.to_thread(console.wait, 300.0)
            assert ended == 0, console.report()
            assert server.violations == [], server.violations
        return server, model, witness.events(), console.events()


def _made_of(record: Sequence[Mapping[str, Any]]) -> str:
    """What the console itself says of where the time went."""
    waited = Samples.of([event["waited_s"] * 1000 for event in record if event["kind"] == "settled"][1:])
    acted = Samples.of([event["duration_s"] * 1000 for event in record if event["kind"] == "performed"][1:])
    return (
        f"Of it the wait for a quiet picture takes {waited.median:.0f} ms (the picture must stand still for 80 ms), "
        f"the click with the checks of place, owner and screen {acted.median:.0f} ms, by the record's own times."
    )


def _fixed_step_ms(here: Stage, window: Application) -> float:
    now = window.now()
    return sleeping_client.step_ms(here.desktop, now.x + SIZE[0] // 2, now.y + SIZE[1] // 2, window.window.xid)


def _rows(what: str, delay_ms: int, overhead: Samples, fixed: Samples, model: Model, note: str) -> list[Row]:
    late = "" if fixed.median > delay_ms else ", and its picture is too old"
    barred = delay_ms == 0
    return [
        Row(
            what=f"step overhead, {what}", n=overhead.n, seen=overhead.said(digits=0),
            beside=f"click, sleep 0.5 s, screenshot: {fixed.median - delay_ms * (not late):.0f} ms{late}",
            ratio="" if late else f"{overhead.median / (fixed.median - delay_ms):.2f}x",
            bar=f"median <= {_OVERHEAD_BAR_MS:.0f} ms" if barred else "",
            met=overhead.median <= _OVERHEAD_BAR_MS if barred else None, note=note if barred else "",
        ),
        Row(
            what=f"the next picture shows the result, {what}", n=len(model.shown),
            seen=f"{sum(model.shown)} of {len(model.shown)}", bar="all", met=all(model.shown),
        ),
    ]  # fmt: skip


def _first_event(what: str, delay_ms: int, server: GeminiServer, events: Sequence[InputEvent]) -> list[Row]:
    if delay_ms:
        return []
    acts = [event.time_ms for event in events if event.acts]
    waits: list[float] = []
    for answered, came in zip(server.answered_s[1:], server.came_s[2:], strict=False):
        answered_ms, came_ms = (int(value * 1000) % 2**32 for value in (answered, came))
        first = next(
            (at for at in acts if 0 <= later_by_ms(at, answered_ms) <= later_by_ms(came_ms, answered_ms)), None
        )
        assert first is not None, "a step without an event"
        waits.append(later_by_ms(first, answered_ms))
    found = Samples.of(waits)
    return [
        Row(
            what=f"the model's answer to the first event, text under the target at hand, {what}", n=found.n,
            seen=found.said(digits=0), bar=f"median <= {_FIRST_BAR_MS:.0f} ms", met=found.median <= _FIRST_BAR_MS,
        )
    ]  # fmt: skip
