"""Every dialect works the same two applications through the whole console, and is judged by what they received.

In each run: tests/providers/contract/test_contract.py, and one dialect on a monitor in test_targets.py.

With `--junitxml FILE -o junit_family=xunit1`, each case has the property `off_by_px`: how far its farthest click was
from the meant one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from operator_console.domain.actions import Action, Chord, Click, Move, TypeText, Wait
from operator_console.domain.geometry import FrameGeometry, NativePoint, Size
from operator_console.domain.keys import Key
from tests.display.acceptance.harness import start_console
from tests.display.acceptance.insistent import Insistent, answered
from tests.display.acceptance.log_page import LogPage
from tests.display.rig import Desktop, desktop_of_its_own, launch_chromium, launch_mousepad, wait_until
from tests.providers.contract.conftest import DIALECTS, geometry_for
from tests.providers.contract.dialect import Dialect
from tests.servers.scripted_server import ServerThread, Turn

TEXT = "Zażółć gęślą jaźń — 你好, “quoted” 100% $(id) €"
KEY = "test-key"
_SMALL, _LARGE = Size(1440, 900), Size(2560, 1600)

CASES = [
    pytest.param(
        dialect,
        size,
        id=f"{dialect.title}-{size.width}x{size.height}",
    )
    for dialect in DIALECTS
    for size in (_SMALL, _LARGE)
]


@pytest.mark.full
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("dialect", "size"), CASES)
def test_a_form_and_a_note(
    tmp_path: Path, dialect: Dialect, size: Size, record_property: Callable[[str, object], None]
) -> None:
    with desktop_of_its_own(tmp_path, (size.width, size.height)) as desktop, LogPage() as page:
        record_property("off_by_px", _play(desktop, page, dialect, size, tmp_path))


def _play(desktop: Desktop, page: LogPage, dialect: Dialect, size: Size, folder: Path) -> int:
    """Have the form filled in and the note written; returns how far the farthest click was from the meant one."""
    note = folder / "note.txt"
    browser = launch_chromium(desktop, "about:blank", "--window-position=0,0", "--window-size=800,700")
    editor = launch_mousepad(desktop, note)
    desktop.move_window(editor.window.xid, 830, 60)
    provider = dialect.provider("http://127.0.0.1:9", api_key=KEY)
    geometry: FrameGeometry = geometry_for(provider, size)

    def says(*actions: Action) -> Turn:
        return dialect.turn(*actions, geometry=geometry)

    def click(name: str) -> Turn:
        return lambda seen: answered(says(Click(at=NativePoint(*page.places.at(name)))), seen)

    x, y, *_ = editor.now().centre
    page_point = NativePoint(browser.now().x + 500, browser.now().y + 400)
    turns = [
        says(Click(at=page_point)),
        says(Chord(keys=(Key("ctrl"), Key("l")))),
        says(TypeText(text=page.url)),
        says(Chord(keys=(Key("enter"),))),
        says(Wait(duration_s=1.0) if "wait" in dialect.kinds else Move(at=page_point)),
        click("button"),
        click("name"),
        says(TypeText(text=TEXT)),
        click("done"),
        says(Click(at=NativePoint(x, y))),
        says(TypeText(text=TEXT)),
        says(Chord(keys=(Key("ctrl"), Key("s")))),
        dialect.ends("Both are done."),
    ]
    model = Insistent(dialect, turns)
    with ServerThread(lambda: dialect.server([model] * (3 * len(turns)), api_key=KEY)) as server:
        chosen = ("--provider", dialect.provider_name) if dialect.provider_name else ()
        args = ("run", "Fill in the form and write the note.", "--json", *chosen, "--model", dialect.model)
        console = start_console(desktop, folder, *args, **dialect.environment(server.url, KEY))
        assert console.wait() == 0, console.report()
        assert server.violations == []
    wait_until(lambda: page.logged("done"), f"the page's own log to tell of the last click; it has {page.events}")
    farthest = 0
    for name in ("button", "name", "done"):
        (event,) = page.logged(name)
        assert event["trusted"] is True
        off = max(abs(event["at"][axis] - event["middle"][axis]) for axis in (0, 1))
        assert off <= 1, event
        farthest = max(farthest, off)
    assert page.logged("done")[0]["value"] == TEXT
    assert note.read_text(encoding="utf-8").rstrip("\n") == TEXT
    ended = console.events()[-1]
    assert (ended["kind"], ended["outcome"], ended["message"]) == ("ended", "finished", "Both are done.")
    return farthest
