"""A call that the service flags is asked first; only a typed yes lets it through and has it acknowledged."""

from __future__ import annotations

from pathlib import Path

from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.acceptance.harness import MODEL, final, grid, insistent, start_run, turn
from tests.display.acceptance.terminal import TerminalConsole
from tests.display.rig import Desktop
from tests.servers.gemini_server import GeminiServerThread

SIZE = (400, 300)
POINT = (200, 150)
FLAG = {"decision": "require_confirmation", "explanation": "This buys something."}


def flagged_click() -> dict[str, object]:
    return turn(("click", {**grid(POINT, SIZE), "safety_decision": FLAG}))


def test_a_no_lets_nothing_through_and_the_session_goes_on(desktop: Desktop, tmp_path: Path) -> None:
    window = EventWindow(desktop)
    with GeminiServerThread([flagged_click(), final("Then not.")], api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url, "--target", f"window:{window.xid:#x}", "--answer", "deny")
        assert console.wait() == 0, console.report()
        assert server.violations == []
        assert len(server.received) == 2
    assert window.buttons() == []
    decided = next(event for event in console.events() if event["kind"] == "decided")
    assert (decided["decision"], decided["by"]) == ("deny", "nobody")


def test_a_typed_yes_lets_exactly_one_click_through_and_is_acknowledged(desktop: Desktop, tmp_path: Path) -> None:
    window = EventWindow(desktop)
    with GeminiServerThread(insistent(flagged_click(), final()), api_key="test-key") as server:
        arguments = ["run", "Buy it.", "--json", "--model", MODEL, "--target", f"window:{window.xid:#x}"]
        with TerminalConsole(desktop, tmp_path, server.url, arguments) as console:
            console.wait_event("question")
            assert window.buttons() == []
            console.answer_until("yes", "answered")
            assert console.wait() == 0, console.report()
        assert server.violations == []
        answer = server.received[-1].body["contents"][-1]["parts"][0]["functionResponse"]["response"]
    assert answer["safety_acknowledgement"] == "true"
    assert window.buttons() == [ButtonEvent("Press", *POINT, 1), ButtonEvent("Release", *POINT, 1)]
