"""A machine chosen in the window: its address is typed, its password asked for, and Stop ends what is done."""

from __future__ import annotations

from pathlib import Path

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.harness import MODEL, final, insistent, turn
from tests.display.acceptance.test_stop import LONG_TEXT, status
from tests.display.rig import AccessibleDesktop, Witness, launch_xterm, wait_until
from tests.display.vnc.machine import SECRET, Machine
from tests.servers.gemini_server import GeminiServerThread

ADDRESS, PASSWORD = "Address of the machine", "Password of the machine"


def typed(witness: Witness) -> int:
    return len([each for each in witness.events() if each.kind == "key_down"])


def test_its_password_is_asked_for_and_stop_ends_what_is_done_there(
    accessible_desktop: AccessibleDesktop, tmp_path: Path, locked: Machine
) -> None:
    launch_xterm(locked.desktop)
    turns = insistent(turn(("type", {"text": LONG_TEXT})), final("Again."), first_again=False)
    address = f"127.0.0.1:{locked.port}"
    with Witness(locked.desktop) as witness, GeminiServerThread(turns, api_key="test-key") as server:
        app = App(accessible_desktop, tmp_path, url=server.url)
        app.set_up("VNC machine", model=MODEL)
        app.focus(ADDRESS)
        app.desktop.xdo("type", address)
        app.press("Start")

        for password in ("wrong", SECRET):
            app.wait_text(f"{address} asks for a password")
            app.wait(PASSWORD)
            app.desktop.xdo("type", password)
            app.press("Connect")
            if password == "wrong":
                app.wait_text("It did not accept the password.")
        app.wait_record("session_started")
        app.wait_text(f"VNC · {address}")
        app.wait_record("question")
        app.decide("Approve")
        wait_until(lambda: typed(witness) > 60, "the typing to begin")
        app.press("Stop")
        app.wait_record("stopped", reason="button")
        witness.wait_quiet()
        assert locked.desktop.keys_down() == []
        assert status(app.desktop)["state"] == "stopped"
        assert server.violations == []
        assert app.close() == 0
        record, home = app.record(), app.home
        assert record is not None
        assert SECRET not in app.log.read_text("utf-8")
        for file in (file for file in home.rglob("*") if file.is_file()):
            assert SECRET.encode() not in file.read_bytes(), file
        assert address in (next(home.rglob("window.json"))).read_text("utf-8")
