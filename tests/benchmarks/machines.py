"""What a step, a picture, the preview and the start cost on each kind of target, beside the monitor's.

The same small window, which answers a press at once, stands on each: on the browser a page that looks like it. Steps
are those of the whole console (`run`, in a process of its own) against the strict server, which takes the times; the
targets' sessions take turns. The rest is measured in this process: it opens each target as a session does.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from operator_console.app.target_opening import OpenedTarget, open_target
from operator_console.computers.live_preview import LiveSource, PreviewSource
from operator_console.computers.targets import open_capture
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.session_request import SessionRequest
from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.steps import Model
from tests.display.acceptance.harness import start_run
from tests.display.acceptance.log_page import LogPage
from tests.display.acceptance.places import PLACES, SIZE, Place
from tests.display.rig import desktop_of_its_own
from tests.display.rig.vnc_servers import event_classes_apart
from tests.servers.gemini_server import GeminiServer

_PROGRAM = Path(__file__).with_name("answering_gtk.py")
_BARS = {"virtual": 1.1, "vnc": 1.3}
_ROUNDS = 2
_THINKS_S = 1.5
"""The text under the next click is read meanwhile where no application tells it."""
_NEEDS = ImageNeeds()
_PAGE = """<!doctype html><meta charset="utf-8"><title>Work</title><style>body{margin:0;background:#fff}
#all{position:absolute;left:60px;top:60px;width:400px;height:300px;line-height:300px;text-align:center;
font:24px/300px sans-serif;background:#ecf0f4;border:0;padding:0}</style><button id="all">Show more</button><script>
let presses=0; const all=document.getElementById('all');
const answer=()=>{presses++;all.style.background=presses%2?'#fce2aa':'#ecf0f4'};
all.onmousedown=answer; if(location.hash)setInterval(answer,66);</script>"""
_ON_PAGE = (60, 60)


@contextmanager
def _in_a_browser(folder: Path, program: Path) -> Iterator[Place]:
    """`program` is a page here."""
    del program
    size = "x".join(map(str, SIZE))
    with desktop_of_its_own(folder, SIZE) as desktop, LogPage(_PAGE) as page:
        yield Place(
            host=desktop, target=f"browser:{page.url}", folder=folder,
            settings=f'[browser]\nheadless = true\nviewport = "{size}"\n',
        )  # fmt: skip


_TARGETS: Mapping[str, Callable[..., AbstractContextManager[Place]]] = {
    **{name: PLACES[name] for name in ("monitor", "window", "virtual", "vnc", "vm")}, "browser": _in_a_browser
}  # fmt: skip


@dataclass(slots=True)
class _Taken:
    """Of one target: milliseconds, and what the console itself says of its steps."""

    steps: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    acted: list[float] = field(default_factory=list)
    shown: list[bool] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    pictures: list[float] = field(default_factory=list)
    frames: int = 0
    preview_s: float = 0.0
    preview_cpu_s: float = 0.0


def measure(options: Options) -> list[Row]:
    """Steps in turn; then starts, pictures and previews in turn."""
    taken = {name: _Taken() for name in _TARGETS}
    names = list(_TARGETS)
    rounds = options.times(_ROUNDS, 1)
    with event_classes_apart():
        for work in (_steps, _looked):
            for number in range(rounds):
                for name in names[number:] + names[:number]:
                    with there(name) as (place, folder):
                        asyncio.run(work(place, folder, options, taken[name]))
    rows = [row for name in names for row in _step_rows(name, taken)]
    starts, pictures = "from opening to the first picture", "a picture of what stands still, before its encoding"
    for name in names:
        ours, monitor = (Samples.of(taken[each].starts) for each in (name, "monitor"))
        rows.append(_beside(f"{name}: {starts}", ours, monitor, digits=0))
    for name in names:
        ours, monitor = (Samples.of(taken[each].pictures) for each in (name, "monitor"))
        rows.append(_beside(f"{name}: {pictures}", ours, monitor, digits=2))
    return [*rows, *(_preview_row(name, taken) for name in names)]


@contextmanager
def there(name: str) -> Iterator[tuple[Place, Path]]:
    """A target of its own, with a home folder for the console that this process uses too."""
    with (
        tempfile.TemporaryDirectory(prefix="machines-", ignore_cleanup_errors=True) as made,
        patch.dict(os.environ, OPERATOR_CONSOLE_HOME=str(Path(made) / "console")),
    ):
        folder = Path(made)
        (folder / "console").mkdir()
        with _TARGETS[name](folder, program=_PROGRAM) as place:
            (folder / "console" / "settings.toml").write_text(place.settings, encoding="utf-8")
            yield place, folder


async def _steps(place: Place, folder: Path, options: Options, taken: _Taken) -> None:
    steps = options.times(7, 3)
    # One step more than counts: the first grows windows, caches and readers.
    size = (place.size.width, place.size.height)
    model = Model(steps + 1, size, _ON_PAGE, _THINKS_S)

    def answer(seen: Any) -> Mapping[str, Any]:
        if not place.target.startswith("browser:"):
            x, y, *_ = place.box("all")
            model.origin = (x - place.origin[0], y - place.origin[1])
        return model(seen)

    async with GeminiServer([answer] * (steps + 2), api_key="test-key") as server:
        words = ("--target", place.target, *place.options, "--max-steps", str(steps + 5))
        console = start_run(place.host, folder, server.url, *words, **place.env)
        ended = await asyncio.to_thread(console.wait, 300.0)
        assert ended == 0, console.report()
        assert server.violations == [], server.violations
    taken.steps += [(came - said) * 1000 for said, came in zip(server.answered_s[1:], server.came_s[2:], strict=False)]
    taken.shown += model.shown
    events = console.events()
    taken.waited += [event["waited_s"] * 1000 for event in events if event["kind"] == "settled"][1:]
    taken.acted += [event["duration_s"] * 1000 for event in events if event["kind"] == "performed"][1:]


# Starts, pictures, previews: in this process


@asynccontextmanager
async def _opened(place: Place, folder: Path, taken: _Taken) -> AsyncIterator[OpenedTarget]:
    record = folder / "session.ocsession" if place.target.startswith("virtual") else None
    request = SessionRequest(task="", target=place.target, record=record)
    began_s = time.perf_counter()
    opened = await open_target(request, OwnWindows(), place.host.name)
    try:
        await opened.computer.observe(_NEEDS)
        taken.starts.append((time.perf_counter() - began_s) * 1000)
        yield opened
    finally:
        await opened.computer.close()


async def _looked(place: Place, folder: Path, options: Options, taken: _Taken) -> None:
    async with _opened(place, folder, taken) as opened:
        for turn in range(options.times(20, 4) + 2):
            began_s = time.perf_counter()
            await opened.computer.observe(_NEEDS)
            if turn >= 2:
                taken.pictures.append((time.perf_counter() - began_s) * 1000)
    moving = _moving(place)
    async with _opened(moving, folder, _Taken()) as opened:
        source = _preview_of(opened)
        frames = 0

        def count(_: object) -> None:
            nonlocal frames
            frames += 1

        def lost(error: BaseException) -> None:
            raise error

        source.start(count, lost)
        await asyncio.sleep(1.0)  # the first pictures come
        before, cpu_s, began_s = frames, time.process_time(), time.perf_counter()
        await asyncio.sleep(options.times(3, 2))
        taken.frames += frames - before
        taken.preview_s += time.perf_counter() - began_s
        taken.preview_cpu_s += time.process_time() - cpu_s
        source.stop()
        await asyncio.to_thread(source.join, 5.0)


def _moving(place: Place) -> Place:
    """The same with a window that changes by itself."""
    if place.target.startswith("browser:"):
        return Place(host=place.host, target=f"{place.target}#moving", folder=place.folder)
    place.folder.mkdir(exist_ok=True)
    (place.folder / "moving").touch()
    return place


def _preview_of(opened: OpenedTarget) -> PreviewSource:
    target = opened.computer.target
    return opened.preview() if opened.preview is not None else LiveSource(partial(open_capture, target, OwnWindows()))


# Rows


def _step_rows(name: str, taken: Mapping[str, _Taken]) -> list[Row]:
    ours, shown = taken[name], taken[name].shown
    note = (
        f"Of it the wait for a quiet picture takes {Samples.of(ours.waited).median:.0f} ms, the click with its checks "
        f"{Samples.of(ours.acted).median:.0f} ms, by the record's own times."
    )
    steps, monitor = Samples.of(ours.steps), Samples.of(taken["monitor"].steps)
    return [
        _beside(f"{name}: step overhead", steps, monitor, _BARS.get(name), digits=0, note=note),
        Row(
            what=f"{name}: the next picture shows the result", n=len(shown), seen=f"{sum(shown)} of {len(shown)}",
            bar="all", met=all(shown),
        ),
    ]  # fmt: skip


def _beside(
    what: str, ours: Samples, monitor: Samples, bar: float | None = None, *, digits: int, note: str = ""
) -> Row:
    ratio = ours.median / monitor.median
    return Row(
        what=what, n=ours.n, seen=ours.said(digits=digits), beside=f"monitor: {monitor.median:.{digits}f} ms",
        ratio=f"{ratio:.2f}x", bar="" if bar is None else f"<= {bar:g}x", met=None if bar is None else ratio <= bar,
        note=note,
    )  # fmt: skip


def _preview_row(name: str, taken: Mapping[str, _Taken]) -> Row:
    def share(each: _Taken) -> float:
        """Per cent of a core for a frame a second."""
        return each.preview_cpu_s / max(each.frames, 1) * 100

    ours, monitor = taken[name], taken["monitor"]
    return Row(
        what=f"{name}: live preview of a window that changes 15 times a second", n=ours.frames,
        seen=f"{ours.frames / ours.preview_s:.0f} frames/s, {share(ours):.3f} % of a core for each",
        beside=f"monitor: {share(monitor):.3f} %", ratio=f"{share(ours) / max(share(monitor), 1e-9):.2f}x",
        note="This process alone, without painting; not X servers, browsers and machines." * (name == "monitor"),
    )  # fmt: skip
