"""kill -9 of the injector and of the browser in mid-step: nothing twice, nothing held, a clear sentence."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.deaths import product_processes
from tests.display.acceptance.harness import MODEL, final, grid, insistent, performed, turn
from tests.display.acceptance.log_page import LogPage
from tests.display.acceptance.terminal import TerminalConsole
from tests.display.acceptance.trials import PROCESSES, words_of
from tests.display.rig import Desktop, wait_until
from tests.servers.gemini_server import GeminiServerThread

FINISHED, FAILED = 0, 1
TEXT = "The Quick Brown Fox Jumps Over It. " * 300
SIZE = (1440, 900)
_LONG_S = 40.0
_HTML = """<!doctype html><meta charset="utf-8"><title>Log page</title>
<style>body{font:16px sans-serif;margin:24px} textarea{width:600px;height:200px} div,textarea,button{display:block}
#pad{width:1300px;height:200px;background:silver;margin:12px 0;display:flex;justify-content:space-between}
#pad span{width:20px}</style>
<textarea id="area" autofocus></textarea><div id="pad"><span id="left"></span><span id="right"></span></div>
<button id="done">Keep it</button>
<script>
const post = (path, data) => fetch(path, {method: 'POST', body: JSON.stringify(data)});
const get = id => document.getElementById(id);
let told = Promise.resolve(), waits = false;
const tell = (name, more) => { told = told.then(() => post('/log', {name, ...more})); };
get('area').oninput = () => {
  if (waits) return;
  waits = true;
  setTimeout(() => { waits = false; tell('text', {value: get('area').value}); }, 20);
};
const held = new Set();
for (const kind of ['mousedown', 'mouseup', 'click'])
  get('pad').addEventListener(kind, e => tell(kind, {trusted: e.isTrusted}));
addEventListener('mouseup', () => tell('released', {}));
addEventListener('mousemove', e => { if (e.buttons) tell('dragged', {}); });
addEventListener('keydown', e => held.add(e.code), true);
addEventListener('keyup', e => held.delete(e.code), true);
get('done').onclick = e => tell('done', {value: get('area').value, held: [...held], buttons: e.buttons});
const places = {};
requestAnimationFrame(() => {
  for (const id of ['left', 'right', 'done']) {
    const r = get(id).getBoundingClientRect();
    places[id] = [r.x + r.width / 2, r.y + r.height / 2];
  }
  post('/places', places);
});
</script>
"""


class Run:
    """A session in a browser without a window. Its model does one thing, then presses “Keep it”."""

    def __init__(self, console: TerminalConsole, page: LogPage, before: set[int]) -> None:
        self.console, self.page, self._before = console, page, before

    def process(self, module: str) -> int:
        """The process of this run that runs a module."""
        (found,) = [pid for pid in product_processes() - self._before if words_of(pid) == module]
        return found

    def end(self) -> int:
        """Its exit code, with a person who says yes to each question; nothing of it lives on."""
        code = self.console.say_until_end("yes", _LONG_S)
        wait_until(lambda: product_processes() <= self._before, "all to end")
        return code

    def results(self) -> list[str]:
        """What became of each call."""
        return [result for result, _ in performed(self.console.events())]


@contextmanager
def a_run(desktop: Desktop, folder: Path, name: str, args: Mapping[str, Any]) -> Iterator[Run]:
    """`name` and `args`: what its model does first; points are given by the names of the page's elements."""
    home = Path(os.environ["OPERATOR_CONSOLE_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.toml").write_text("[browser]\nheadless = true\n")
    with LogPage(_HTML) as page:

        def call(name: str, args: Mapping[str, Any]) -> Callable[[Any], dict[str, Any]]:
            return lambda _: turn((name, _placed(args, page)))

        turns = insistent(call(name, args), call("click", {"": "done"}), final())
        before = product_processes()
        words = ["run", "Do it.", "--json", "--model", MODEL, "--target", f"browser:{page.url}", "--autonomy", "auto"]
        with (
            GeminiServerThread(turns, api_key="test-key") as server,
            TerminalConsole(desktop, folder, server.url, words) as console,
        ):
            yield Run(console, page, before)


def _placed(args: Mapping[str, Any], page: LogPage) -> dict[str, Any]:
    """Each place by its name in the page; "" stands for the only one, "start" and "end" for those of a drag."""
    filled: dict[str, Any] = {}
    for name, value in args.items():
        if name in ("", "start", "end"):
            point = grid(page.places.at(value), SIZE)
            filled |= {f"{name}_{axis}" if name else axis: number for axis, number in point.items()}
        else:
            filled[name] = value
    return filled


@pytest.mark.full
def test_the_injector_killed_while_it_types(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: browser/test_stop.py."""
    with a_run(desktop, tmp_path, "type", {"text": TEXT}) as run:
        wait_until(lambda: run.page.logged("text"), "text")
        os.kill(run.process(PROCESSES["injector"]), signal.SIGKILL)
        assert run.end() == FINISHED, run.console.report()
        (done,) = run.page.logged("done")
        assert 0 < len(done["value"]) < len(TEXT)
        assert TEXT.startswith(done["value"])
        assert (done["held"], done["buttons"]) == ([], 0)
        assert run.results() == ["unknown", "done"]


@pytest.mark.full
def test_the_injector_killed_while_it_drags(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: the same without a model in browser/test_stop.py."""
    with a_run(desktop, tmp_path, "drag_and_drop", {"start": "left", "end": "right"}) as run:
        wait_until(lambda: run.page.logged("dragged"), "the drag")
        os.kill(run.process(PROCESSES["injector"]), signal.SIGKILL)
        assert run.end() == FINISHED, run.console.report()
        heard = [event["name"] for event in run.page.events if event["name"] != "dragged"]
        # It is let go of where that is no click, and the next press is the model's next call.
        assert heard == ["mousedown", "released", "released", "done"]
        (done,) = run.page.logged("done")
        assert (done["held"], done["buttons"]) == ([], 0)
        assert run.results() == ["unknown", "done"]


@pytest.mark.full
def test_the_browser_killed_while_it_is_typed_into(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: browser/test_faults.py."""
    with a_run(desktop, tmp_path, "type", {"text": TEXT}) as run:
        wait_until(lambda: run.page.logged("text"), "text")
        host = run.process("operator_console.browser.host")
        (browser,) = Path(f"/proc/{host}/task/{host}/children").read_text().split()
        os.kill(int(browser), signal.SIGKILL)
        assert run.end() == FAILED, run.console.report()
        assert run.results()[0] in ("failed", "unknown")
        (ended,) = [event for event in run.console.events() if event["kind"] == "ended"]
        assert "The browser has ended" in ended["message"]
        assert not run.page.logged("done")
