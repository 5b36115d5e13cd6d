"""A call that the service flags is asked first; only a typed yes lets it through and has it acknowledged."""

from __future__ import annotations

from pathlib import Path

from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.acceptance.harness import MODEL, final, grid, insistent, turn
from tests.display.acceptance.terminal import TerminalConsole
from tests.display.rig import Desktop, wait_until
from tests.servers.gemini_server import GeminiServerThread

SIZE = (400, 300)
POINT = (200, 150)
FLAG = {"decision": "require_confirmation", "explanation": "This buys something."}


def flagged_click() -> dict[str, object]:
    return turn(("click", {**grid(POINT, SIZE), "safety_decision": FLAG}))


def asks_again(console: TerminalConsole) -> bool:
    """Whether there is a question after a no."""
    kinds = [event.get("answer") or event["kind"] for event in console.events()]
    return "declined" in kinds and "question" in kinds[kinds.index("declined") :]


def test_a_no_lets_nothing_through_and_a_typed_yes_exactly_one_click_which_is_acknowledged(
    desktop: Desktop, tmp_path: Path
) -> None:
    """Where nobody can answer: tests/display/cli/test_tools_in_a_run.py."""
    window = EventWindow(desktop)
    with GeminiServerThread(
        insistent(flagged_click(), flagged_click(), final(), first_again=False), api_key="test-key"
    ) as server:
        arguments = ["run", "Buy it.", "--json", "--model", MODEL, "--target", f"window:{window.xid:#x}"]
        with TerminalConsole(desktop, tmp_path, server.url, arguments) as console:
            console.wait_event("question")
            console.answer_until("no", "answered", answer="declined")
            wait_until(lambda: asks_again(console), "the second question")
            assert window.buttons() == []
            console.answer_until("yes", "answered", answer="yes")
            assert console.wait() == 0, console.report()
        assert server.violations == []
        answer = server.received[-1].body["contents"][-1]["parts"][0]["functionResponse"]["response"]
    assert answer["safety_acknowledgement"] == "true"
    assert window.buttons() == [ButtonEvent("Press", *POINT, 1), ButtonEvent("Release", *POINT, 1)]
