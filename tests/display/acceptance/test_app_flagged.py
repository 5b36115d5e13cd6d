"""A call that the service flags, in the window: only a clear, unhurried yes lets it through, exactly once."""

from __future__ import annotations

import random
import subprocess
import threading
from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.acceptance.harness import final, grid, insistent, turn
from tests.display.rig import AccessibleDesktop
from tests.servers.gemini_server import GeminiServerThread

SIZE = (400, 300)
POINT = (200, 150)
FLAG = {"decision": "require_confirmation", "explanation": "This buys something."}
STORM_KEYS = 400


def flagged_click() -> dict[str, object]:
    return turn(("click", {**grid(POINT, SIZE), "safety_decision": FLAG}))


@pytest.mark.full
def test_hands_that_type_on_while_it_pops_up_approve_nothing_and_a_yes_lets_exactly_one_click_through(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """In each run: storms in ui/dialogs/test_allow_or_deny.py, the keyboard in display/ui/test_typing_goes_on.py, one
    click for one yes in test_flagged_calls.py."""
    window = EventWindow(accessible_desktop.desktop)
    typing, looked = threading.Event(), threading.Event()

    def flagged_while_typing(_seen: object) -> dict[str, object]:
        assert typing.wait(60)
        return flagged_click()

    def flagged_again(_seen: object) -> dict[str, object]:
        assert looked.wait(60)
        return flagged_click()

    picked = random.Random(20).choices(["a", "e", "y", "s", "o", "k", "space", "Return"], k=STORM_KEYS)
    turns = insistent(flagged_while_typing, flagged_again, final("Bought."), first_again=False)
    with GeminiServerThread(turns, api_key="test-key") as server:
        app = App(accessible_desktop, tmp_path, url=server.url)
        app.start("Event window", autonomy="Guarded")
        app.focus("Message")
        with subprocess.Popen(["xdotool", "key", "--delay", "15", *picked], env=app.desktop.env) as storm:
            typing.set()
            app.wait("Deny")
        assert storm.returncode == 0
        app.decide("Deny", before=0)  # a space of the storm may have pressed Deny, which is as well
        answers = {event["answer"] for event in app.records() if event["kind"] == "answered"}
        assert answers <= {"declined", "withdrawn"}
        assert [event for event in app.records() if event["kind"] == "granted"] == []
        assert window.buttons() == []

        looked.set()
        app.decide("Allow", app.click)
        app.wait_record("ended", outcome="finished")
        assert server.violations == []
        answer = server.received[-1].body["contents"][-1]["parts"][0]["functionResponse"]["response"]
        assert answer["safety_acknowledgement"] == "true"
        assert app.close() == 0
    assert window.buttons() == [ButtonEvent("Press", *POINT, 1), ButtonEvent("Release", *POINT, 1)]
