"""The managed browser beside the monitor target and beside Playwright, on the same page full of text.

The console (`run`, in a process of its own) clicks on `browser:URL`; the strict server takes the times. The monitor
target clicks on a Chromium in full screen that describes its controls. Playwright is used as vendors' samples use it:
click, wait for the load state, sleep half a second, screenshot.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from operator_console.browser.chromium import find_browser
from operator_console.computers.browser.computer import BrowserComputer, take_shot
from operator_console.computers.browser.target import BrowserStart, open_browser
from operator_console.domain.frames import BrowserTarget, ImageNeeds
from tests.benchmarks import text_page
from tests.benchmarks.console_processes import everything_of, family_of, usage_of
from tests.benchmarks.figures import Options, Row, Samples, ratio_row
from tests.benchmarks.stage import Stage, stage
from tests.display.acceptance.harness import MODEL, start_console
from tests.servers.gemini_server import GeminiServer
from tests.servers.scripted_server import Seen

_SIZE = (1440, 900)
_MEDIAN_BAR, _TAIL_BAR = 0.35, 0.6
_GROWTH_BAR, _SETTLED_AT, _LINE_BYTES = 1.05, 20, 600
_OURS = ("guard", "injector", "browser.host")
_LONGEST_S = 3600.0


def measure(options: Options) -> list[Row]:
    """Steps in the browser, by the reference and on the monitor; then pictures, starts, memory, a long session."""
    steps = options.times(30, 5)
    with stage(_SIZE) as here, _page(here.folder) as url:
        reference = _reference(url, steps)
        rows: list[Row] = []
        for thinks_s in (0.0, 1.5):
            for headless in (True, False):
                session = _session(here, url, steps + 1, thinks_s=thinks_s, headless=headless)
                rows += _step_rows(session, reference, thinks_s=thinks_s, headless=headless)
                if headless and not thinks_s:
                    rows += _memory_rows(session, reference)
        rows += _pictures(url, reference, options.times(20, 4))
        rows += _starts(url, reference, options.times(7, 2))
    for thinks_s in (0.0, 1.5):
        rows += _monitor_rows(steps + 1, thinks_s, reference)
    with stage(_SIZE) as here, _page(here.folder) as url:
        rows += _long(here, url, options.times(500, 40))
    return rows


# The page, and whoever uses it


@contextmanager
def _page(folder: Path) -> Iterator[str]:
    """The page on loopback; its address."""
    (folder / "index.html").write_text(text_page.html(), encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, name="page")
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/index.html"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What Playwright took, milliseconds and MiB."""

    steps_ms: Samples
    picture_ms: Samples
    first_ms: Samples
    memory_mib: float


_PLAYWRIGHT = """
import json, sys, time
from playwright.sync_api import sync_playwright
url, points, starts = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
size = {"width": 1440, "height": 900}
def now(): return time.monotonic() * 1000
first = []
for turn in range(starts):
    began = now()
    playwright = sync_playwright().start()
    browser = playwright.chromium.launch(executable_path=sys.argv[4], headless=True)
    page = browser.new_page(viewport=size)
    page.goto(url)
    page.screenshot(type="png")
    first.append(now() - began)
    if turn < starts - 1:
        browser.close(); playwright.stop()
steps, pictures = [], []
for x, y in points:
    began = now()
    page.mouse.click(x, y)
    page.wait_for_load_state()
    time.sleep(0.5)
    before = now()
    page.screenshot(type="png")
    pictures.append(now() - before)
    steps.append(now() - began)
print(json.dumps({"steps": steps, "pictures": pictures, "first": first}), flush=True)
sys.stdin.read()
browser.close(); playwright.stop()
"""


def _reference(url: str, steps: int) -> Reference:
    pressed = text_page.Presser(size=_SIZE, steps=steps, thinks_s=0)
    points = [text_page.buttons(_SIZE)[pressed.button(number)] for number in range(steps)]
    words = (sys.executable, "-c", _PLAYWRIGHT, url, json.dumps(points), str(min(7, steps)), str(find_browser()))
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        told = json.loads(client.stdout.readline())
        # Not the interpreter that runs the sample: an agent has one anyway.
        memory = sum(each.proportional_mib for pid, each in everything_of(client.pid).items() if pid != client.pid)
        client.communicate("")
    return Reference(
        steps_ms=Samples.of(told["steps"]), picture_ms=Samples.of(told["pictures"]),
        first_ms=Samples.of(told["first"]), memory_mib=memory,
    )  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Watched(text_page.Presser):
    """A model that presses buttons, and looks at the console's processes each time it is asked."""

    memory_mib: float = 0.0

    def __call__(self, seen: Seen) -> Mapping[str, Any]:
        if self.said:
            self.usage.append({name: usage_of(pid) for name, pid in family_of(self.pid, _OURS).items()})
        if self.said == self.steps:
            self.memory_mib = sum(each.proportional_mib for each in everything_of(self.pid).values())
        return self.answer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a session gave."""

    server: GeminiServer
    model: Watched
    events: Sequence[dict[str, Any]]

    @property
    def overhead_ms(self) -> list[float]:
        """Of each step but the first: from the answer to the next request."""
        pairs = zip(self.server.answered_s[1:], self.server.came_s[2:], strict=False)
        return [(came - answered) * 1000 for answered, came in pairs]


def _session(
    here: Stage, url: str, steps: int, *, thinks_s: float, headless: bool
) -> Session:  # fmt: skip
    model = Watched(size=_SIZE, steps=steps, thinks_s=thinks_s)
    return asyncio.run(_played(here, url, model, headless=headless))


async def _played(here: Stage, url: str, model: Watched, *, headless: bool) -> Session:
    folder = here.scratch("run")
    home = folder / "home"
    home.mkdir()
    (home / "settings.toml").write_text(f"[browser]\nheadless = {str(headless).lower()}\n", encoding="utf-8")
    async with GeminiServer([model] * (model.steps + 1), api_key="test-key", keep_screenshots=3) as server:
        words = ("run", "Do as the script says.", "--json", "--model", MODEL, "--target", f"browser:{url}")
        limits = ("--max-steps", str(model.steps + 5), "--max-minutes", "60")
        env = {"GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": server.url, "OPERATOR_CONSOLE_HOME": str(home)}
        console = start_console(here.desktop, folder, *words, *limits, **env)
        model.pid = console.child.pid
        ended = await asyncio.to_thread(console.wait, _LONGEST_S)
        assert ended == 0, console.report()
        assert server.violations == [], server.violations
        events = console.events()
    pictures = [event["picture"] for event in events if event["kind"] == "observed"]
    changes = sum(before != after for before, after in itertools.pairwise(pictures))
    assert changes == model.steps, f"{changes} of {model.steps} clicks changed the page"
    return Session(server=server, model=model, events=events)


# Rows


def _step_rows(session: Session, reference: Reference, *, thinks_s: float, headless: bool) -> list[Row]:
    taken = Samples.of(session.overhead_ms)
    where = "without a window" if headless else "with a window"
    what = f"step overhead in the browser, {where}, the model thinks {thinks_s:g} s"
    note = _made_of(session.events)
    return [
        _beside(f"{what}: median", taken, taken.median, reference.steps_ms.median, _MEDIAN_BAR, note),
        _beside(f"{what}: p95", taken, taken.at(0.95), reference.steps_ms.at(0.95), _TAIL_BAR),
    ]


def _beside(what: str, taken: Samples, ours: float, theirs: float, bar: float, note: str = "") -> Row:
    return Row(
        what=what, n=taken.n, seen=f"{ours:.0f} ms", beside=f"Playwright, sleep 0.5 s: {theirs:.0f} ms",
        ratio=f"{ours / theirs:.2f}x", bar=f"<= {bar:g}x", met=ours <= bar * theirs, note=note,
    )  # fmt: skip


def _made_of(events: Sequence[Mapping[str, Any]]) -> str:
    waited = Samples.of([event["waited_s"] * 1000 for event in events if event["kind"] == "settled"][1:])
    acted = Samples.of([event["duration_s"] * 1000 for event in events if event["kind"] == "performed"][1:])
    return (
        f"Of it the wait for a quiet page takes {waited.median:.0f} ms (its picture must stand still for 80 ms), the "
        f"click with the checks of document and picture {acted.median:.0f} ms, by the record's own times."
    )


def _memory_rows(session: Session, reference: Reference) -> list[Row]:
    return [
        Row(
            what="memory (PSS): console, guard, injector, host and browser", n=1,
            seen=f"{session.model.memory_mib:.0f} MiB",
            beside=f"Playwright's node and browser: {reference.memory_mib:.0f} MiB",
            ratio=f"{session.model.memory_mib / reference.memory_mib:.2f}x",
        )
    ]  # fmt: skip


def _monitor_rows(steps: int, thinks_s: float, reference: Reference) -> list[Row]:
    session = text_page.play(_SIZE, steps, thinks_s=thinks_s, elements=True)
    pairs = zip(session.server.answered_s[1:], session.server.came_s[2:], strict=False)
    taken = Samples.of([(came - answered) * 1000 for answered, came in pairs])
    theirs = reference.steps_ms.median
    return [
        Row(
            what=f"step overhead on the monitor, the same page in full screen, the model thinks {thinks_s:g} s",
            n=taken.n, seen=taken.said(digits=0), beside=f"Playwright, sleep 0.5 s: {theirs:.0f} ms",
            ratio=f"{taken.median / theirs:.2f}x",
        )
    ]  # fmt: skip


def _pictures(url: str, reference: Reference, times: int) -> list[Row]:
    rows = []
    for headless in (True, False):
        taken = asyncio.run(_picture_ms(url, times, headless=headless))
        where = "without a window" if headless else "with a window"
        beside = "Playwright, without a window,"
        rows.append(ratio_row(f"a picture of the page, {where}", taken, reference.picture_ms, None, beside=beside))
    return rows


async def _picture_ms(url: str, times: int, *, headless: bool) -> Samples:
    computer = await _opened(url, headless=headless)
    try:
        await computer.observe(ImageNeeds())  # of the empty page, which is being left, a picture may never come
        taken = []
        for _ in range(times + 2):
            began_s = time.perf_counter()
            await take_shot(computer._browser.look)
            taken.append((time.perf_counter() - began_s) * 1000)
        return Samples.of(taken[2:])
    finally:
        await computer.close()


async def _opened(url: str, *, headless: bool) -> BrowserComputer:
    ref = BrowserTarget(spec=f"browser:{url}", title="Browser", url=url)
    return await open_browser(ref, BrowserStart(headless=headless), os.environ.get("DISPLAY", ""))


def _starts(url: str, reference: Reference, times: int) -> list[Row]:
    rows = []
    for headless in (True, False):
        taken = Samples.of([asyncio.run(_first_ms(url, headless=headless)) for _ in range(times)])
        where = "without a window" if headless else "with a window"
        beside = "Playwright, without a window,"
        what = f"the first picture after the start of the browser, {where}"
        rows.append(ratio_row(what, taken, reference.first_ms, None, beside=beside, digits=0))
    return rows


async def _first_ms(url: str, *, headless: bool) -> float:
    began_s = time.perf_counter()
    computer = await _opened(url, headless=headless)
    try:
        await computer.observe(ImageNeeds())
        return (time.perf_counter() - began_s) * 1000
    finally:
        await computer.close()


def _long(here: Stage, url: str, steps: int) -> list[Row]:
    session = _session(here, url, steps, thinks_s=0.0, headless=True)
    rows = []
    usage = session.model.usage
    for name in usage[-1]:
        early, late = usage[_SETTLED_AT][name].resident_mib, usage[-1][name].resident_mib
        rows.append(
            Row(
                what=f"{steps} steps in the browser: resident memory of the {name}", n=steps,
                seen=f"{late:.0f} MiB at the end", beside=f"{early:.0f} MiB after {_SETTLED_AT} steps",
                ratio=f"{late / early:.2f}x", bar=f"flat (<= {_GROWTH_BAR}x)", met=late <= early * _GROWTH_BAR,
            )
        )  # fmt: skip
    sizes = [request.size for request in session.server.received]
    a_step = (sizes[-1] - sizes[_SETTLED_AT]) / (len(sizes) - _SETTLED_AT)
    rows.append(
        Row(
            what=f"{len(sizes)} requests: size", n=len(sizes), seen=f"{sizes[-1] / 1000:.0f} kB at the end",
            beside=f"{sizes[_SETTLED_AT] / 1000:.0f} kB after {_SETTLED_AT}",
            bar=f"flat but for the words ({_LINE_BYTES} bytes a step)", met=a_step <= _LINE_BYTES,
            note=f"The conversation's words grow by {a_step:.0f} bytes a step; of its pictures three are kept.",
        )
    )  # fmt: skip
    return rows
