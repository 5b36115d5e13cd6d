"""A long session: memory, threads, descriptors and request size over 500 steps, of the console, guard and injector.

`run` against the strict server, on a small window of another program. The process that reads texts (OCR) is left out,
as it is of the design's figure. Samples are taken by the server, while the console waits for the model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.benchmarks.console_processes import Usage, family_of, usage_of
from tests.benchmarks.figures import Options, Row
from tests.benchmarks.stage import stage
from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import final, grid, insistent, start_run, turn
from tests.servers.gemini_server import GeminiServer

_SETTLED_AT = 20
_RESIDENT_BAR_MB = 250
_GROWTH_BAR = 1.05
_SIZE = (400, 300)
_WITHOUT_OCR = ("guard", "injector")
_LINE_BYTES = 600
"""A step's lines in the conversation, which is sent whole: its pictures are not."""


class Model:
    """Clicks here and there, and takes a sample each time it is asked."""

    def __init__(self) -> None:
        self.pid = 0
        self.samples: list[dict[str, Usage]] = []

    def turn(self, number: int) -> Callable[[object], Mapping[str, Any]]:
        def said(_seen: object) -> Mapping[str, Any]:
            self.samples.append({name: usage_of(pid) for name, pid in family_of(self.pid, _WITHOUT_OCR).items()})
            return turn(("click", grid((20 + number % 300, 20 + number % 200), _SIZE)))

        return said


def measure(options: Options) -> list[Row]:
    """One session."""
    return asyncio.run(_measure(options.times(500, 60)))


async def _measure(steps: int) -> list[Row]:
    model = Model()
    with stage() as here:
        window = EventWindow(here.desktop)
        turns = insistent(*map(model.turn, range(steps)), final())
        async with GeminiServer(turns, api_key="test-key", keep_screenshots=3) as server:
            target = f"window:{window.xid:#x}"
            options = ("--target", target, "--max-steps", str(2 * steps), "--max-minutes", "60")
            console = start_run(here.desktop, here.scratch("run"), server.url, *options)
            model.pid = console.child.pid
            ended = await asyncio.to_thread(console.wait, 3600.0)
            assert ended == 0, console.report()
            assert server.violations == [], server.violations
            sizes = [request.size for request in server.received]
        clicks = len(window.buttons()) // 2
    return [_clicks(clicks, steps), *_memory(model.samples), _counts(model.samples), _requests(sizes)]


def _clicks(clicks: int, steps: int) -> Row:
    return Row(what=f"{steps} steps: clicks that arrived", n=steps, seen=str(clicks), bar="all", met=clicks == steps)


def _memory(samples: Sequence[Mapping[str, Usage]]) -> list[Row]:
    rows = []
    for name in samples[-1]:
        early, late = samples[_SETTLED_AT][name].resident_mib, samples[-1][name].resident_mib
        rows.append(
            Row(
                what=f"{len(samples)} steps: resident memory of the {name}", n=len(samples),
                seen=f"{late:.0f} MiB at the end", beside=f"{early:.0f} MiB after {_SETTLED_AT} steps",
                ratio=f"{late / early:.2f}x", bar=f"flat (<= {_GROWTH_BAR}x)", met=late <= early * _GROWTH_BAR,
            )
        )  # fmt: skip
    most = max(sum(each.resident_mib for each in sample.values()) for sample in samples)
    rows.append(
        Row(
            what="the most resident memory of all three, without OCR", n=len(samples), seen=f"{most:.0f} MiB",
            bar=f"<= {_RESIDENT_BAR_MB} MB", met=most * 1.048576 <= _RESIDENT_BAR_MB,
        )
    )  # fmt: skip
    return rows


def _counts(samples: Sequence[Mapping[str, Usage]]) -> Row:
    early, late = samples[_SETTLED_AT], samples[-1]

    def told(sample: Mapping[str, Usage]) -> str:
        threads, files = (sum(getattr(u, field) for u in sample.values()) for field in ("threads", "descriptors"))
        return f"{threads} threads, {files} descriptors"

    flat = all(late[name].threads <= early[name].threads for name in late)
    flat = flat and all(late[name].descriptors <= early[name].descriptors + 1 for name in late)
    return Row(
        what=f"{len(samples)} steps: threads and descriptors of all three", n=len(samples), seen=told(late),
        beside=told(early), bar="flat", met=flat,
    )  # fmt: skip


def _requests(sizes: Sequence[int]) -> Row:
    early, late = sizes[_SETTLED_AT], sizes[-1]
    a_step = (late - early) / (len(sizes) - _SETTLED_AT)
    return Row(
        what=f"{len(sizes)} requests: size", n=len(sizes), seen=f"{late / 1000:.0f} kB at the end",
        beside=f"{early / 1000:.0f} kB after {_SETTLED_AT}", ratio=f"{late / early:.2f}x",
        bar=f"flat but for the words ({_LINE_BYTES} bytes a step)", met=a_step <= _LINE_BYTES,
        note="The pictures of a request do not pile up (three are kept); the conversation's words are sent whole, "
        f"because the service keeps none of them: {a_step:.0f} bytes a step here.",
    )  # fmt: skip
