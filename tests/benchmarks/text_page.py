"""A session on a page full of text: each click replaces every text. The model clicks a button at a time.

The whole console (`run`, in a process of its own) against the strict server, on Chromium in full screen.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks import sleeping_client
from tests.benchmarks.console_processes import Usage, family_of, usage_of
from tests.benchmarks.stage import Stage, stage
from tests.display.acceptance.harness import MODEL, final, grid, start_console, turn
from tests.display.rig import AccessibleSession, launch_chromium
from tests.servers.gemini_server import GeminiServer
from tests.servers.scripted_server import Seen

_COLUMN, _ROW, _BUTTON_EVERY = 480, 19, 6
_SLEEPING_STEPS = 5
_LONGEST_S = 3600.0
# No words of policy: every button is pressed unasked.
_WORDS = (
    "acorn", "bridge", "castle", "cottage", "distant", "diary", "every", "figures", "garden", "hourly", "island",
    "journey", "kitchen", "lands", "meadow", "north", "office", "planet", "quarterly", "river", "station", "travel",
    "under", "visitor", "water", "yellow",
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
  if(b){e.textContent='Show '+word(k*7+version*3)+' '+k;k++}
  else{let t='';for(let i=0;i<9;i++)t+=word(x+r*5+i*11+version*13+i*i)+' ';e.textContent=t}
  document.body.append(e)}
 document.title='version '+version}
addEventListener('mousedown',e=>{if(e.target.tagName=='BUTTON'){version++;paint()}});
addEventListener('load',paint)</script><body></body>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What a session on the page gave.

    Attributes:
        server: requests with the times when they came and were answered.
        events: what `--json` printed.
        labels: what the pressed buttons say.
        usage: of the console's processes by name, at each request.
        at_s: when each of these samples was taken.
        calls: by function, when its calls began and ended, monotonic seconds; empty where they were not traced.
        sleeping_ms: steps of a client that sleeps, on the same page afterwards.
    """

    server: GeminiServer
    events: Sequence[dict[str, Any]]
    labels: Sequence[str]
    usage: Sequence[Mapping[str, Usage]]
    at_s: Sequence[float]
    calls: Mapping[str, Sequence[tuple[float, float]]]
    sleeping_ms: Sequence[float]


def play(size: tuple[int, int], steps: int, *, thinks_s: float, elements: bool, traced: bool = False) -> Session:
    """Press as many buttons.

    Args:
        size: of the screen, pixels.
        steps: how many.
        thinks_s: the time the model takes for each answer.
        elements: whether the browser describes the page to the console (accessibility).
        traced: whether the console's calls are timed (traced_console.py).
    """
    with stage(size) as here, ExitStack() as stack:
        bus = accessible_bus(here, stack) if elements else {}
        open_page(here, size, bus)
        model = Presser(size=size, steps=steps, thinks_s=thinks_s)
        return asyncio.run(_session(here, model, bus, traced=traced))


def accessible_bus(here: Stage, stack: ExitStack) -> dict[str, str]:
    """The variables of programs that tell each other of their controls, until the stack ends."""
    session = AccessibleSession(here.desktop)
    stack.callback(session.close)
    # Chromium looks whether accessibility is on when it starts (QT_ACCESSIBILITY is such a sign).
    return {name: session.env[name] for name in ("DBUS_SESSION_BUS_ADDRESS", "NO_AT_BRIDGE", "QT_ACCESSIBILITY")}


def open_page(here: Stage, size: tuple[int, int], env: Mapping[str, str]) -> None:
    """Show the page in full screen, by a browser with these variables."""
    page = here.folder / "page.html"
    page.write_text(html(), encoding="utf-8")
    window = ("--kiosk", "--test-type", f"--window-size={size[0]},{size[1]}")
    launch_chromium(here.desktop, page.as_uri(), *window, env=env)
    here.desktop.wait_window(title="version 0", wm_class="chromium")


def html() -> str:
    """The page."""
    return _PAGE % {"words": json.dumps(_WORDS), "column": _COLUMN, "row": _ROW, "every": _BUTTON_EVERY}


def buttons(size: tuple[int, int]) -> list[tuple[int, int]]:
    """The middles of the page's buttons, in the order of their numbers."""
    return [
        (x + 90, row * _ROW + 17)
        for x in range(8, size[0] - _COLUMN + 1, _COLUMN)
        for row in range(size[1])
        if row % _BUTTON_EVERY == _BUTTON_EVERY - 2 and (row + 2) * _ROW < size[1]
    ]


@dataclass(slots=True, kw_only=True)
class Presser:
    """Presses one button after another, all over the screen."""

    size: tuple[int, int]
    steps: int
    thinks_s: float
    said: int = 0
    pid: int = 0
    usage: list[dict[str, Usage]] = field(default_factory=list)
    at_s: list[float] = field(default_factory=list)

    def __call__(self, seen: Seen) -> Mapping[str, Any]:
        if self.said:
            self.usage.append({name: usage_of(pid) for name, pid in family_of(self.pid).items()})
            self.at_s.append(time.monotonic())
        return self.answer()

    def answer(self) -> Mapping[str, Any]:
        """The next turn."""
        if self.said == self.steps:
            return final()
        point = buttons(self.size)[self.button(self.said)]
        self.said += 1
        return {**turn(("click", grid(point, self.size))), "delay_s": self.thinks_s}

    def button(self, step: int) -> int:
        """The number of the button that a step presses."""
        return (step * 29 + 3) % len(buttons(self.size))

    def labels(self) -> Iterator[str]:
        """What the pressed buttons say."""
        for version in range(self.said):
            number = self.button(version)
            yield f"{_WORDS[(number * 7 + version * 3) % len(_WORDS)]} {number}"


async def _session(here: Stage, model: Presser, bus: Mapping[str, str], *, traced: bool) -> Session:
    trace = here.folder / "trace.jsonl"
    module = ("tests.benchmarks.traced_console", str(trace)) if traced else ("operator_console",)
    async with GeminiServer([model] * (model.steps + 1), api_key="test-key", keep_screenshots=3) as server:
        options = ("--json", "--model", MODEL, "--target", "monitor:1", "--max-steps", str(model.steps + 5))
        limit = ("--max-minutes", "60")
        keys = {"GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": server.url}
        words = ("run", "Do as the script says.", *options, *limit)
        console = start_console(here.desktop, here.scratch("run"), *words, module=module, **keys, **bus)
        model.pid = console.child.pid
        ended = await asyncio.to_thread(console.wait, _LONGEST_S)
        assert ended == 0, console.report()
        here.desktop.wait_window(title=f"version {model.steps}")  # each click arrived
        labels = [*model.labels()]
        points = [buttons(model.size)[number] for number in range(_SLEEPING_STEPS)]
        return Session(
            server=server, events=console.events(), labels=labels, usage=model.usage, at_s=model.at_s,
            calls=_calls(trace) if traced else {},
            sleeping_ms=[sleeping_client.step_ms(here.desktop, *point) for point in points],
        )  # fmt: skip


def _calls(trace: Path) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for line in trace.read_text(encoding="utf-8").splitlines():
        name, began_s, ended_s = json.loads(line)
        found.setdefault(name, []).append((began_s, ended_s))
    return found
