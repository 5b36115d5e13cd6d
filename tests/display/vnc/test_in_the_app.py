"""A machine chosen in the window: address typed, certificate and password asked about, and Stop ends what is done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.harness import MODEL, final, insistent, turn
from tests.display.acceptance.test_stop import LONG_TEXT, status
from tests.display.rig import AccessibleDesktop, Witness, launch_xterm, wait_until
from tests.display.rig.vnc_servers import make_certificate, password_file
from tests.display.vnc.machine import SECRET, Machine
from tests.display.vnc.test_stop import typed
from tests.servers.gemini_server import GeminiServerThread

ADDRESS, PASSWORD = "Address of the machine", "Password of the machine"


@pytest.fixture
def encrypted(tmp_path: Path) -> Iterator[Machine]:
    """A machine with the password SECRET and a certificate."""
    folder = tmp_path / "encrypted"
    folder.mkdir()
    made = make_certificate(folder)
    shown, private = (str(made.folder / f"server-{part}.pem") for part in ("cert", "key"))
    options = ("-rfbauth", str(password_file(folder, SECRET)), "-X509Cert", shown, "-X509Key", private)
    machine = Machine(folder=folder, security="X509Vnc", options=options, password=SECRET)
    machine.start()
    yield machine
    machine.stop()


@pytest.mark.full
def test_it_is_asked_about_once_and_stop_ends_what_is_done_there(
    accessible_desktop: AccessibleDesktop, tmp_path: Path, encrypted: Machine
) -> None:
    """In each run: tests/ui/dialogs/test_machine_login.py, and vnc/test_stop.py."""
    launch_xterm(encrypted.desktop)
    turns = insistent(turn(("type", {"text": LONG_TEXT})), final("Again."), first_again=False)
    address = f"127.0.0.1:{encrypted.port}"
    with Witness(encrypted.desktop) as witness, GeminiServerThread(turns, api_key="test-key") as server:
        app = App(accessible_desktop, tmp_path, url=server.url)
        app.set_up("VNC machine", model=MODEL)
        app.focus(ADDRESS)
        app.desktop.xdo("type", address)
        app.press("Start")
        for password in ("wrong", SECRET):
            app.wait_text(f"{address} asks for a password")
            wait_until(lambda: "focused" in app.wait(PASSWORD).states, "the field to have the keyboard")
            app.desktop.xdo("type", password)
            app.press("Connect")
            if password == "wrong":
                app.wait_text(f"Is this the certificate of {address}?")
                app.press("Accept")
                app.wait_text("It did not accept the password.")
        app.wait_record("session_started")
        app.wait_text(f"VNC · {address}")
        app.wait_record("question")
        app.decide("Approve")
        wait_until(lambda: typed(witness) > 60, "the typing to begin")
        app.press("Stop")
        app.wait_record("stopped", reason="button")
        witness.wait_quiet()
        assert encrypted.desktop.keys_down() == []
        assert status(app.desktop)["state"] == "stopped"
        assert server.violations == []
        assert app.close() == 0
        record, home = app.record(), app.home
        assert record is not None
        assert SECRET not in app.log.read_text("utf-8")
        for file in (file for file in home.rglob("*") if file.is_file()):
            assert SECRET.encode() not in file.read_bytes(), file
        assert address in (next(home.rglob("window.json"))).read_text("utf-8")
