"""A function of the operator's own, called by the model in a real run: asked about, answered, killed by a stop."""

from __future__ import annotations

import os
import select
from pathlib import Path

import pytest
from google.genai import types

from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import MODEL, insistent, turn
from tests.display.acceptance.terminal import TerminalConsole
from tests.display.acceptance.test_stop import command
from tests.display.rig import Desktop, wait_until
from tests.servers.gemini_server import GeminiServerThread

FUNCTIONS = "tests.display.acceptance.functions_for_models"


@pytest.fixture(autouse=True)
def enabled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings with the functions enabled."""
    home = tmp_path / "home"
    home.mkdir()
    names = ", ".join(f'"{FUNCTIONS}:{name}"' for name in ("book", "hangs"))
    (home / "settings.toml").write_text(f"[functions]\nenabled = [{names}]\n", encoding="utf-8")
    monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(home))


def arguments(window: EventWindow) -> list[str]:
    return ["run", "Book it.", "--json", "--model", MODEL, "--target", f"window:{window.xid:#x}"]


def test_a_typed_yes_lets_it_run_and_a_stop_kills_one_in_the_middle(desktop: Desktop, tmp_path: Path) -> None:
    """The first gives the model what it returned; the second would run for ever."""
    window = EventWindow(desktop)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    turns = insistent(turn(("book", {"night": 3})), turn(("hangs", {"pipe": str(pipe)})))
    with GeminiServerThread(turns, api_key="test-key") as server:
        with TerminalConsole(desktop, tmp_path, server.url, arguments(window)) as console:
            console.wait_event("question")
            wait_until(lambda: "call book(" in console.shown(), "the question in words")
            console.answer_until("yes", "answered")
            wait_until(lambda: "call hangs(" in console.shown(), "the second question")
            asked = [event for event in console.events() if event["kind"] == "question"][-1]
            console.answer_until("yes", "answered", step=asked["step"])
            process = os.pidfd_open(int(pipe.read_text(encoding="ascii")))
            assert command(desktop, "stop").returncode == 0
            assert console.wait() == 3, console.report()
        assert server.violations == []
        declared = server.received[0].body["tools"][1]["functionDeclarations"]
        answer = server.received[-1].body["contents"][-1]["parts"][0]["functionResponse"]["response"]
    assert select.select([process], [], [], 30)[0] == [process]
    os.close(process)
    (book,) = [one for one in declared if one["name"] == "book"]
    assert book["description"] == "Book a room for a night."
    # The SDK spells some names in snake_case; the service reads both.
    schema = types.FunctionDeclaration.model_validate(book).parameters_json_schema
    assert isinstance(schema, dict)
    assert schema["required"] == ["night"]
    assert (answer["status"], answer["output"]) == ("done", "room 7 for night 3")
