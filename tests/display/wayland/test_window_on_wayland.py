"""The app as a Wayland client: it opens, lists what can be used, says how to stop, and its Stop ends a session."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.display.acceptance.app_harness import BUTTON, App
from tests.display.acceptance.harness import console_env, turn
from tests.display.rig import Accessible, AccessibleDesktop, Child, wait_until
from tests.display.wayland.conftest import WaylandSession
from tests.servers.gemini_server import GeminiServerThread

SETTINGS = """\
[session]
target = "virtual"
autonomy = "auto"

[notices]
seen = ["start page"]
"""


class WaylandApp(App):
    """The app with its window in a Wayland session; the X server of `place` is beside it, for its reader's bus."""

    def __init__(self, place: AccessibleDesktop, wayland: WaylandSession, folder: Path, url: str) -> None:
        self.place, self.tree, self.desktop = place, place.tree, place.desktop
        self._found: dict[tuple[str, str | None], Accessible] = {}
        env = {
            **console_env(self.desktop),
            **place.env,
            **wayland.variables,
            "GEMINI_API_KEY": "test-key",
            "GOOGLE_GEMINI_BASE_URL": url,
        }
        env.pop("QT_QPA_PLATFORM", None)
        env["PYTHONPATH"] = str(Path(__file__).resolve().parents[3])
        command = [sys.executable, "-m", "operator_console"]
        self.child = self.desktop.adopt(Child(command, env=env, log=folder / "app.txt", cwd=folder))
        self.wait("Live preview")


def test_the_stop_button_ends_a_session_on_the_isolated_desktop(
    accessible_desktop: AccessibleDesktop, wayland: WaylandSession, tmp_path: Path
) -> None:
    home = Path(os.environ["OPERATOR_CONSOLE_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    (home / "settings.toml").write_text(SETTINGS)
    turns = [turn(("click", {"x": 300 + 5 * number, "y": 500})) for number in range(100)]
    with GeminiServerThread(turns, api_key="test-key") as server:
        app = WaylandApp(accessible_desktop, wayland, tmp_path, server.url)
        assert b"libqwayland" in Path(f"/proc/{app.pid}/maps").read_bytes()
        assert accessible_desktop.desktop.windows() == [], "it has no X window"
        app.wait_text("Virtual desktop")
        app.wait_text("Stop ready: by its button or operator-console stop, no keys")
        assert "no stop keys are heard" in app.wait("Stop", BUTTON).description
        app.fill("Task", "Do as the script says.")
        app.press("Start")
        app.wait_record("performed")
        app.press("Stop")
        assert app.wait_record("stopped", reason="button")["latched"] is True
        app.wait_text("Nothing can act until you reset")
        app.press("Reset")
        wait_until(lambda: app.wait("Start", BUTTON).enabled, "Start to be possible again")
        assert app.close() == 0
