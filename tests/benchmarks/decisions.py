"""How long a decision takes, and whether the text at the point is known by then, on a page full of text.

The whole console (`run`, in a process of its own) against the strict server, on Chromium in full screen. Each click
replaces every text of the page. The model answers at once, or after 1.5 s. The step overhead is what passes from the
model's answer to the next request; beside it stands a fixed sleep of half a second, as samples of vendors have it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.benchmarks.endurance import family_of, usage_of
from tests.benchmarks.figures import Options, Row, Samples
from tests.benchmarks.stage import Stage, stage
from tests.benchmarks.timed_server import TimedServer
from tests.display.acceptance.harness import final, grid, start_run, turn
from tests.display.rig import launch_chromium
from tests.servers.gemini_scripts import Seen

_SIZES = ((1440, 900), (3840, 2160))
_DECISION_BAR_MS, _KNOWN_BAR = 300.0, 0.99
_SLEEP_MS = 500.0
_MEMORY_BAR_MB = 400
_COLUMN, _ROW, _BUTTON_EVERY = 480, 19, 6
_WORDS = (
    "account", "budget", "cancel", "customer", "decides", "diary", "every", "figures", "garden", "hourly", "invoice",
    "journey", "kitchen", "lands", "message", "network", "office", "person", "quarterly", "report", "station",
    "travel", "under", "visitor", "water", "yellow",
)  # fmt: skip

_PAGE = """<!doctype html><meta charset="utf-8"><title>loading</title>
<style>body{margin:0;overflow:hidden;font:14px sans-serif}p,button{position:absolute;margin:0;white-space:nowrap;
overflow:hidden;height:19px;line-height:19px;width:450px}button{height:26px;line-height:20px;width:180px;font:14px
sans-serif}</style><script>
const W=%(words)s,C=%(column)d,R=%(row)d,E=%(every)d; let version=0;
function word(n){return W[n %% W.length]}
function paint(){document.body.textContent='';let k=0;
 for(let x=8;x+C<=innerWidth;x+=C)for(let r=0;(r+2)*R<innerHeight;r++){
  const b=r%%E==E-2; if(r%%E==E-1)continue;
  const e=document.createElement(b?'button':'p');e.style.left=x+'px';e.style.top=(r*R+4)+'px';
  if(b){e.textContent=word(k*7+version*3)+' '+k;k++}
  else{let t='';for(let i=0;i<9;i++)t+=word(x+r*5+i*11+version*13+i*i)+' ';e.textContent=t}
  document.body.append(e)}
 document.title='version '+version}
addEventListener('mousedown',e=>{if(e.target.tagName=='BUTTON'){version++;paint()}});
addEventListener('load',paint)</script><body></body>"""


def measure(options: Options) -> list[Row]:
    """By size of the screen and by how long the model thinks."""
    rows: list[Row] = []
    for size in _SIZES:
        for thinks_s in (0.0, 1.5):
            with stage(size) as here:
                rows += _run(here, size, thinks_s, options.times(40, 5))
    return rows


def _buttons(size: tuple[int, int]) -> list[tuple[int, int]]:
    """The middles of the page's buttons, in the order of their numbers."""
    return [
        (x + 90, row * _ROW + 17)
        for x in range(8, size[0] - _COLUMN + 1, _COLUMN)
        for row in range(size[1])
        if row % _BUTTON_EVERY == _BUTTON_EVERY - 2 and (row + 2) * _ROW < size[1]
    ]


@dataclass(slots=True, kw_only=True)
class _Model:
    """Presses one button after another, all over the screen."""

    size: tuple[int, int]
    steps: int
    thinks_s: float
    said: int = 0
    pid: int = 0
    memory: list[dict[str, float]] = field(default_factory=list)

    def __call__(self, seen: Seen) -> Mapping[str, Any]:
        if self.said:
            self.memory.append({name: usage_of(pid).resident_mib for name, pid in family_of(self.pid).items()})
        if self.said == self.steps:
            return final()
        buttons = _buttons(self.size)
        point = buttons[self._button(self.said)]
        self.said += 1
        return {**turn(("click", grid(point, self.size))), "delay_s": self.thinks_s}

    def _button(self, step: int) -> int:
        return (step * 29 + 3) % len(_buttons(self.size))

    def labels(self) -> Iterator[str]:
        """What the pressed buttons say."""
        for version in range(self.said):
            number = self._button(version)
            yield f"{_WORDS[(number * 7 + version * 3) % len(_WORDS)]} {number}"


def _run(here: Stage, size: tuple[int, int], thinks_s: float, steps: int) -> list[Row]:
    page = here.folder / "page.html"
    values = {"words": json.dumps(_WORDS), "column": _COLUMN, "row": _ROW, "every": _BUTTON_EVERY}
    page.write_text(_PAGE % values, encoding="utf-8")
    launch_chromium(here.desktop, page.as_uri(), "--kiosk", "--test-type", f"--window-size={size[0]},{size[1]}")
    here.desktop.wait_window(title="version 0", wm_class="chromium")
    model = _Model(size=size, steps=steps + 1, thinks_s=thinks_s)
    server, events = asyncio.run(_session(here, model))
    # The first step loads and warms what a session needs once.
    overhead = [
        (came - answered) * 1000
        for answered, came in zip(server.answered_s[1:], server.came_s[2:], strict=False)
    ]  # fmt: skip
    what = f"{size[0]} x {size[1]}, the model thinks {thinks_s:g} s"
    return [
        *_decided(what, events, [*model.labels()][1:]), _overhead(what, thinks_s, overhead), _memory(what, model.memory)
    ]  # fmt: skip


async def _session(here: Stage, model: _Model) -> tuple[TimedServer, list[dict[str, Any]]]:
    async with TimedServer([model] * (model.steps + 1), api_key="test-key", keep_screenshots=3) as server:
        options = ("--target", "monitor:1", "--max-steps", str(model.steps + 5))
        console = start_run(here.desktop, here.scratch("run"), server.url, *options)
        model.pid = console.child.pid
        ended = await asyncio.to_thread(console.wait, 600.0)
        assert ended == 0, console.report()
        assert here.desktop.find_window(title=f"version {model.steps}"), "a click did not arrive"
        return server, console.events()


def _decided(what: str, events: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> list[Row]:
    proposed = {event["step"]: event["time"] for event in events if event["kind"] == "proposed"}
    decisions = [event for event in events if event["kind"] == "decided"][1:]
    waits = Samples.of([_later_by_ms(event["time"], proposed[event["step"]]) for event in decisions])
    said = [event["assessment"]["label"].casefold() for event in decisions]
    known = sum(bool(label) for label in said) / len(said)
    right = sum(wanted in label for wanted, label in zip(labels, said, strict=True))
    return [
        Row(
            what=f"from the model's answer to the decision, {what}", n=waits.n, seen=waits.said(digits=0),
            bar=f"p95 <= {_DECISION_BAR_MS:.0f} ms", met=waits.at(0.95) <= _DECISION_BAR_MS,
        ),
        Row(
            what=f"points whose text is known by then, {what}", n=len(said),
            seen=f"{known:.0%}, {right} of {len(said)} exactly", bar=f">= {_KNOWN_BAR:.0%}", met=known >= _KNOWN_BAR,
        ),
    ]  # fmt: skip


def _memory(what: str, samples: Sequence[Mapping[str, float]]) -> Row:
    sums = Samples.of([sum(sample.values()) for sample in samples])
    most = max(samples, key=lambda sample: sum(sample.values()))
    return Row(
        what=f"resident memory of all processes with OCR, {what}", n=sums.n, seen=f"at most {sums.max:.0f} MiB",
        beside=", ".join(f"{name} {mib:.0f}" for name, mib in most.items()), bar=f"<= {_MEMORY_BAR_MB} MB",
        met=sums.max * 1.048576 <= _MEMORY_BAR_MB,
    )  # fmt: skip


def _later_by_ms(time: str, earlier: str) -> float:
    return (datetime.fromisoformat(time) - datetime.fromisoformat(earlier)).total_seconds() * 1000


def _overhead(what: str, thinks_s: float, values: Sequence[float]) -> Row:
    overhead, bar = Samples.of(values), 0.25 if thinks_s else 0.5
    return Row(
        what=f"step overhead, {what}", n=overhead.n, seen=overhead.said(digits=0), beside="a sleep of 500 ms",
        ratio=f"median {overhead.median / _SLEEP_MS:.2f}x, p95 {overhead.at(0.95) / _SLEEP_MS:.2f}x",
        bar=f"median <= {bar:g}x", met=overhead.median <= bar * _SLEEP_MS,
    )  # fmt: skip
