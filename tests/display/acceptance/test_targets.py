"""One task on every kind of target, by the runbook and by two dialects: a form, a note, a drawing, a menu that saves.

Judged by what the window there received and saved, not by the console's record.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.actions import Action, Click, Drag, TypeText
from operator_console.domain.geometry import FrameGeometry
from tests.display.acceptance.harness import Console, start_console
from tests.display.acceptance.insistent import Insistent, answered
from tests.display.acceptance.places import PLACES, Place
from tests.providers.contract.conftest import DIALECTS, geometry_for
from tests.providers.contract.dialect import Dialect
from tests.servers.scripted_server import ServerThread, Turn

ARTICLE, AMOUNT = "Lamp 4711", "12 pieces"
RUNBOOK = f"""\
type "{ARTICLE}" into "Article"
type "{AMOUNT}" into "Amount"
click "OK"
expect "Added once"
type "{{note}}" into "Note"
drag "Start" to "End"
click "Record"
click "Save"
expect "All is saved"
"""
PRESSED = ("Article", "Amount", "OK", "Note", "Start", "menu", "Save")
KEY = "test-key"

_DIALECTS = {dialect.title: dialect for dialect in DIALECTS}
_BY = ("runbook", "gemini", "claude-opus-5-5")
_QUICK = {
    ("monitor", "claude-opus-5-5"),
}
"""The cases of each run. Machines: vnc/test_sessions.py and vm/test_sessions.py. A window: injector/test_grants.py. An
isolated desktop: wayland/test_window_on_wayland.py, and what acts on it in app/test_isolated_desktop.py."""
CASES = [
    pytest.param(place, by, id=f"{place}-{by}", marks=() if (place, by) in _QUICK else (pytest.mark.full,))
    for place, by in product(PLACES, _BY)
]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("place", "by"), CASES)
def test_a_form_a_note_a_drawing_and_a_menu_that_saves(tmp_path: Path, place: str, by: str) -> None:
    with PLACES[place](tmp_path) as there:
        home = tmp_path / "console"
        home.mkdir(exist_ok=True)
        (home / "settings.toml").write_text(there.settings)
        console = _by_runbook(there, tmp_path) if by == "runbook" else _by_model(there, tmp_path, _DIALECTS[by])
        _judge(there, console, exactly=by != "runbook")


def _started(there: Place, folder: Path, task: str, *options: str, **env: str) -> Console:
    args = ("run", task, "--json", "--autonomy", "auto", "--target", there.target, *there.options, *options)
    home = str(folder / "console")
    return start_console(there.host, folder, *args, **{**there.env, **env, "OPERATOR_CONSOLE_HOME": home})


def _by_runbook(there: Place, folder: Path) -> Console:
    console = _started(there, folder, RUNBOOK.replace("{note}", there.note), "--provider", "runbook")
    assert console.wait() == 0, console.report()
    return console


def _by_model(there: Place, folder: Path, dialect: Dialect) -> Console:
    geometry: FrameGeometry = geometry_for(dialect.provider("http://127.0.0.1:9", api_key=KEY), there.size)

    def says(action: Action) -> Turn:
        return dialect.turn(action, geometry=geometry)

    def click(part: str) -> Turn:
        return lambda seen: answered(says(Click(at=there.at(part))), seen)

    def draw() -> Turn:
        return lambda seen: answered(says(Drag(path=(there.at("Start"), there.at("End")))), seen)

    turns = [
        click("Article"), says(TypeText(text=ARTICLE)), click("Amount"), says(TypeText(text=AMOUNT)), click("OK"),
        click("Note"), says(TypeText(text=there.note)), draw(), click("menu"), click("Save"),
        dialect.ends("All is done."),
    ]  # fmt: skip
    model = Insistent(dialect, turns)
    with ServerThread(lambda: dialect.server([model] * (3 * len(turns)), api_key=KEY)) as server:
        chosen = ("--provider", dialect.provider_name) if dialect.provider_name else ()
        env = dialect.environment(server.url, KEY)
        console = _started(there, folder, "Do the paperwork.", *chosen, "--model", dialect.model, **env)
        assert console.wait() == 0, console.report()
        assert server.violations == []
    return console


def _judge(there: Place, console: Console, *, exactly: bool) -> None:
    saved: dict[str, Any] = there.saved()
    assert (saved["added"], saved["note"]) == ([[ARTICLE, AMOUNT]], there.note)
    presses = [(x, y) for kind, x, y in there.pointer() if kind == "press"]
    releases = [(x, y) for kind, x, y in there.pointer() if kind == "release"]
    assert len(presses) == len(releases) == len(PRESSED), there.pointer()
    released = [part if part != "Start" else "End" for part in PRESSED]
    for parts, came in ((PRESSED, presses), (released, releases)):
        for part, at in zip(parts, came, strict=True):
            if part != "Save":  # its menu is closed
                assert _within(at, there.box(part)), (part, at, there.box(part))
            if part != "Save" and exactly:
                assert at == there.centre(part), (part, at, there.centre(part))
    # Whoever chose the point, it arrived at that pixel.
    aimed = [_points(event["action"]) for event in console.events() if event["kind"] == "granted"]
    arrived = {(x - there.origin[0], y - there.origin[1]) for x, y in (*presses, *releases)}
    assert arrived <= {point for points in aimed for point in points}, (arrived, aimed)
    (stroke,) = saved["strokes"]
    left, top, *_ = there.box("canvas")
    drawn = [(left + x, top + y) for x, y in (stroke[0], stroke[-1])]
    drag = PRESSED.index("Start")
    assert drawn == [presses[drag], releases[drag]]
    assert console.events()[-1]["outcome"] == "finished"


def _points(action: Mapping[str, Any]) -> set[tuple[float, float]]:
    places = [*action.get("path", ()), *([action["at"]] if action.get("at") else [])]
    return {(each["x"], each["y"]) for each in places}


def _within(at: tuple[float, float], box: tuple[int, int, int, int]) -> bool:
    x, y, width, height = box
    return x <= at[0] < x + width and y <= at[1] < y + height
