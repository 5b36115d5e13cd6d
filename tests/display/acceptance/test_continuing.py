"""kill -9 in the middle of a turn: resumed, the conversation goes on lawfully, and nothing is done twice.

Judged by what a window received, and by a server that holds the vendor's rules against every request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.actions import Action, Click, TypeText, Wait
from operator_console.domain.geometry import FrameGeometry, NativePoint, Size
from tests.display.acceptance.deaths import kill, product_processes
from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import Console, start_console
from tests.display.acceptance.recorded import read_events
from tests.display.acceptance.test_stop import command
from tests.display.rig import Desktop, desktop_of_its_own, wait_until
from tests.providers.contract.conftest import DIALECTS, geometry_for
from tests.providers.contract.dialect import Dialect
from tests.servers.scripted_server import Json, ScriptedServer, Seen, ServerThread

KEY = "test-key"
SIZE = Size(1280, 800)
LONG = "x" * 20_000
TASK = "Do as the script says."
_QUICK = {"claude-opus-5-5"}
_PRESSED = re.compile(r"^KeyPress event.*?keysym 0x[0-9a-f]+, (\w+)\)", re.MULTILINE | re.DOTALL)

CASES = [
    pytest.param(dialect, id=dialect.title, marks=() if dialect.title in _QUICK else (pytest.mark.full,))
    for dialect in DIALECTS
]


class _Model:
    """Says its turns one by one, and one again where a pause of a busy machine left its calls undone.

    Attributes:
        held: the position of the turn whose answer is held back once.
    """

    def __init__(self, dialect: Dialect, turns: Sequence[Json], held: int) -> None:
        self._dialect = dialect
        self._turns = turns
        self._place = -1
        self._holds = False
        self.held = held

    def __call__(self, seen: Seen) -> Json:
        told = [] if seen.begins else self._dialect.told(seen.request)
        called_off = seen.again or (seen.begins and self._place == 0)
        again = called_off or self._holds or any("was paused" in each.text for each in told)
        self._place += not again
        self._holds = self._place == self.held
        turn = self._turns[self._place]
        return {**turn, "delay_s": 120} if self._holds else turn


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize("dialect", CASES)
def test_killed_while_asked_while_typing_and_between_two_actions(tmp_path: Path, dialect: Dialect) -> None:
    """In each run: test_deaths.py, and continued conversations in tests/providers/contract/test_continuing.py."""
    with desktop_of_its_own(tmp_path, (SIZE.width, SIZE.height)) as desktop:
        window = EventWindow(desktop)
        x, y, *_ = window.application.now().centre
        turns = _turns(dialect, geometry_for(dialect.provider("http://127.0.0.1:9", api_key=KEY), SIZE), (x, y))
        model = _Model(dialect, turns, held=1)
        with ServerThread(lambda: dialect.server([model] * 40, api_key=KEY)) as server:
            _play(desktop, tmp_path / "killed.ocsession", window, dialect, server, model)


def _turns(dialect: Dialect, geometry: FrameGeometry, at: tuple[int, int]) -> list[Json]:
    def says(*actions: Action) -> Any:
        return dialect.turn(*actions, geometry=geometry, text="Going on.", thought="Hm.")

    click = Click(at=NativePoint(*at))
    batch = (click, Wait(duration_s=20.0), TypeText(text="z")) if dialect.batches else (click,)
    turns: list[Any] = [says(click), says(TypeText(text="q")), says(TypeText(text=LONG)), says(*batch)]
    return [*turns, says(TypeText(text="z")), dialect.ends("Done.")]


def _play(
    desktop: Desktop, record: Path, window: EventWindow, dialect: Dialect, server: ScriptedServer, model: _Model
) -> None:
    before = product_processes()

    def start(option: str) -> Console:
        folder = record.parent / str(len(list(record.parent.iterdir())))
        folder.mkdir()
        chosen = ("--provider", dialect.provider_name) if dialect.provider_name else ()
        args = ("run", TASK, "--json", *chosen, "--model", dialect.model, option, str(record))
        return start_console(desktop, folder, *args, **dialect.environment(server.url, KEY))

    def killed(console: Console) -> None:
        kill(desktop, console.child, before)
        assert command(desktop, "reset", "--yes").returncode == 0

    console = start("--session")
    wait_until(lambda: console.child.checked() and server.waiting.is_set(), "the model to be asked", timeout_s=60)
    assert _acts(record) == (1, 1)
    killed(console)
    model.held = -1

    console = start("--resume")
    wait_until(lambda: console.child.checked() and _acts(record)[0] == 3, "it to type", timeout_s=60, interval_s=0.003)
    killed(console)
    assert _acts(record) == (3, 2), "permitted, and no outcome is known"
    typed = _pressed(window).count("x")
    assert typed < len(LONG)

    console = start("--resume")
    if dialect.batches:
        wait_until(lambda: console.child.checked() and _acts(record) == (4, 3), "the click to be done", timeout_s=60)
        killed(console)
        assert _pressed(window).count("z") == 0
        console = start("--resume")
    assert console.wait() == 0, console.report()

    assert server.violations == []
    assert server.conversations == 1
    assert [event.button for event in window.buttons() if event.kind == "Press"] == [1, 1]
    pressed = _pressed(window)
    assert (pressed.count("q"), pressed.count("z"), pressed.count("x")) == (1, 1, typed)
    events = read_events(record)
    assert [event["rebuilt_turns"] for event in events if event["kind"] == "session_started"] == [
        0, 1, 3, *([4] if dialect.batches else []),
    ]  # fmt: skip
    assert events[-1]["outcome"] == "finished"
    _told_the_truth(dialect, server)
    assert command(desktop, "sessions", "verify", str(record)).returncode == 0


def _told_the_truth(dialect: Dialect, server: ScriptedServer) -> None:
    """The model was told of the text whose fate is unknown, and of what was and was not done of its batch."""
    _, *later = (one for one in server.received if one.code == 200)
    told = [dialect.told(one.body) for one in later]
    assert any(each.failed and "not known" in each.text for one in told for each in one)
    if dialect.batches:
        cut = [one for one in told if any("the run ended before" in each.text for each in one)]
        assert any([each.failed for each in one] == [False, True, True] for one in cut), cut


def _acts(record: Path) -> tuple[int, int]:
    """How many actions were permitted, and how many of them have an outcome."""
    events = read_events(record)
    permitted = [event for event in events if event["kind"] == "granted"]
    ended = [event for event in events if event["kind"] == "performed" and event["grant_id"]]
    return len(permitted), len(ended)


def _pressed(window: EventWindow) -> list[str]:
    """The keys that the window received, by the names of their symbols."""
    return _PRESSED.findall(window.application.child.log_text())
