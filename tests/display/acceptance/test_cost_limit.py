"""`run` with a price and a cost limit, against the strict Gemini server: the question, yes, no, and nobody there."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import MODEL, final, insistent, start_run, turn
from tests.display.acceptance.terminal import TerminalConsole
from tests.display.rig import Desktop, wait_until
from tests.servers.gemini_server import GeminiServerThread

# By the price of 1/10, 0.4 USD each.
USAGE = {
    "promptTokenCount": 200_000, "candidatesTokenCount": 12_000, "thoughtsTokenCount": 8_000,
    "totalTokenCount": 220_000,
    "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 50_000}, {"modality": "IMAGE", "tokenCount": 150_000}],
}  # fmt: skip
PRICED = ("--price", "1/10", "--max-cost", "1")
FIRST = "Spent 0.80 USD of 1.00 USD. The next request would cost about 0.40 USD."


def looking() -> dict[str, object]:
    return {**turn(("take_screenshot", {})), "usage": USAGE}


def questions(console: TerminalConsole) -> list[str]:
    """The questions asked up to now."""
    return [str(event["question"]["text"]) for event in console.events() if event["kind"] == "question"]


@pytest.mark.full
def test_a_yes_continues_for_another_amount_and_a_no_ends_the_run(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: tests/engine/test_cost_limit.py, and answers in a terminal in display/cli."""
    window = EventWindow(desktop)
    with GeminiServerThread(insistent(*[looking()] * 9), api_key="test-key") as server:
        target = f"window:{window.xid:#x}"
        arguments = ["run", "Look.", "--json", "--model", MODEL, "--target", target, *PRICED]
        with TerminalConsole(desktop, tmp_path, server.url, arguments) as console:
            asked = console.wait_event("question")
            assert len(server.received) == 2
            assert asked["question"]["text"] == f"{FIRST} Continue for another 1.00 USD?"
            console.answer_until("yes", "resumed")
            wait_until(lambda: len(questions(console)) == 2, "the second question")
            assert questions(console)[1].startswith("Spent 1.60 USD of 1.80 USD. The next request would cost")
            assert len(server.received) == 4, "1.60 of 1.80"
            console.answer_until("no", "ended")
            assert console.wait() == 4, console.report()
            (ended,) = [event for event in console.events() if event["kind"] == "ended"]
        assert server.violations == []
    assert (ended["outcome"], Decimal(ended["cost"]["amount"])) == ("limit", Decimal("1.6"))
    assert ended["usage"]["image_tokens"] == 600_000


@pytest.mark.full
def test_where_nobody_can_answer_the_run_ends_with_4(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: tests/engine/test_cost_limit.py."""
    window = EventWindow(desktop)
    with GeminiServerThread([*[looking()] * 5, final()], api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url, "--target", f"window:{window.xid:#x}", *PRICED)
        assert console.wait() == 4, console.report()
        assert len(server.received) == 2
    ended = console.wait_event("ended")
    assert ended["message"].startswith(FIRST)


def test_a_limit_without_a_price_is_refused(desktop: Desktop, tmp_path: Path) -> None:
    with GeminiServerThread([final()], api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url, "--max-cost", "1")
        assert console.wait() == 2, console.report()
        assert server.received == []
    assert "needs the price" in console.report()
    assert console.events() == []
