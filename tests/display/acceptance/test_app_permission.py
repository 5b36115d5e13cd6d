"""A permission in the window, with real applications: given, used, not used elsewhere, revoked, and in the record."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.app_harness import BUTTON, App
from tests.display.acceptance.harness import console_env, final, grid, turn
from tests.display.rig import AccessibleDesktop, Application, launch, wait_until
from tests.servers.gemini_server import GeminiServerThread
from tests.servers.scripted_server import Seen

WINDOW = Path(__file__).with_name("wizard_window.py")
UNTIL_END = "without asking, until this session ends"
IMPORT, EXPORT = (f"Press “Next” in “{name} wizard” {UNTIL_END}" for name in ("Import", "Export"))


class Wizard:
    """A window with a button “Next” that writes down each press."""

    def __init__(self, place: AccessibleDesktop, title: str, file: Path, at: tuple[int, int]) -> None:
        self.file = file
        command = [sys.executable, str(WINDOW), title, "Next", str(file), *map(str, at)]
        self.app: Application = launch(place.desktop, command, title=title, env=place.env)
        found = wait_until(lambda: place.tree.find_all("Next", pid=self.app.child.pid), f"the button of {title}")
        self.click = turn(("click", grid(found[0].centre, place.desktop.server.size)))

    def presses(self) -> int:
        return len(self.file.read_text("utf-8").splitlines()) if self.file.exists() else 0


class Model:
    """Presses until each window has been pressed as often as it wants, so that nothing depends on how busy it is."""

    def __init__(self, first: Wizard, other: Wizard) -> None:
        self.first, self.other = first, other
        self.over = False

    def __call__(self, _seen: Seen) -> Mapping[str, Any]:
        if self.over:
            return final("All pressed.")
        other = self.first.presses() >= 2 and self.other.presses() < 1
        return self.other.click if other else self.first.click


def offered(app: App, sentence: str) -> None:
    """Wait for a question that offers this. An application that did not tell its button in time is asked about without
    an offer: the call is skipped, and made again."""

    def look() -> bool:
        skip = app.see("Skip", BUTTON)
        if skip is None or not skip.enabled:
            return False
        if app.see(sentence, "check box") is not None:
            return True
        app.press("Skip")
        app.press("Skip without note")
        return False

    wait_until(look, f"the offer “{sentence}”", timeout_s=90.0, interval_s=1.0)


@pytest.mark.timeout(300)
def test_a_permission_covers_the_same_press_until_it_is_revoked(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    place = accessible_desktop
    width, _ = place.desktop.server.size
    first = Wizard(place, "Import wizard", tmp_path / "import", (width - 300, 60))
    other = Wizard(place, "Export wizard", tmp_path / "export", (width - 300, 300))
    model = Model(first, other)
    with GeminiServerThread([model] * 60, api_key="test-key") as server:
        app = App(place, tmp_path, url=server.url)
        app.start("Monitor 1")

        offered(app, IMPORT)
        app.tree.press(app.wait(IMPORT, "check box"))
        app.decide("Approve")
        permitted = app.wait_record("permitted", text=IMPORT)
        wait_until(lambda: first.presses() == 2, "a second press, which nobody was asked about", timeout_s=60.0)
        covered = app.wait_record("decided", rule="permitted")
        assert (covered["by"], covered["permission"]) == ("policy", permitted["permission_id"])

        offered(app, EXPORT)
        assert other.presses() == 0, "the same name in another window is asked about"
        app.press("Revoke: Press “Next” in “Import wizard”")
        app.wait_record("permission_revoked", permission_id=permitted["permission_id"], by="operator")
        app.decide("Approve")
        wait_until(lambda: other.presses() == 1, "the press in the other window")

        offered(app, IMPORT)
        assert first.presses() == 2, "what was revoked covers nothing"
        model.over = True
        app.press("Skip")
        app.press("Skip without note")
        app.wait_record("ended", outcome="finished")
        assert server.violations == []
        events = app.records()
        record = app.record()
        assert app.close() == 0
    assert (first.presses(), other.presses()) == (2, 1)
    on_it = [bool(event["consent"]["permission"]) for event in events if event["kind"] == "granted"]
    assert any(on_it)
    assert not on_it[-1], "the press in the other window rests on its own answer"
    assert record is not None
    verify = [sys.executable, "-m", "operator_console", "sessions", "verify", str(record)]
    assert subprocess.run(verify, env={**console_env(place.desktop), **place.env}, timeout=60).returncode == 0
