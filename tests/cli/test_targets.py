"""How `targets` tells what is started for a session from what stands on the screen."""

from __future__ import annotations

from operator_console.cli import targets
from operator_console.computers.target_spec import TargetListing
from operator_console.domain.frames import BrowserTarget, MonitorTarget, VncTarget
from operator_console.domain.geometry import Rect

BROWSER = BrowserTarget(spec="browser", title="Browser")


def test_a_browser_has_no_place_on_the_screen() -> None:
    listing = TargetListing(ref=BROWSER)
    assert targets._notes(listing) == ["a browser of its own, started for the session"]
    assert targets._fields(listing)["rect"] is None


def test_a_browser_that_is_not_installed_is_said_to_be_missing() -> None:
    listing = TargetListing(ref=BROWSER, trouble="No browser was found.", remedy="Install Chromium.")
    assert targets._notes(listing) == ["cannot be started here"]
    assert targets._fields(listing)["trouble"] == "No browser was found. Install Chromium."


def test_a_machine_is_listed_as_a_kind_that_wants_an_address() -> None:
    listing = TargetListing(ref=VncTarget(spec="vnc", title="VNC machine"))
    assert targets._notes(listing) == ["a machine elsewhere; give its address: vnc:HOST:PORT"]


def test_a_monitor_has_its_place() -> None:
    monitor = MonitorTarget(spec="monitor:1", title="Monitor 1", display=":0")
    listing = TargetListing(ref=monitor, rect=Rect(10, 20, 1440, 900), primary=True)
    assert targets._notes(listing) == ["1440 × 900 at 10, 20", "primary"]
    assert targets._fields(listing)["rect"] == {"x": 10, "y": 20, "width": 1440, "height": 900}
