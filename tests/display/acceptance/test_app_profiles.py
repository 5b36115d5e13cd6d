"""A model profile is made in the window for an endpoint on this machine, checked there, and used for a session."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.app_harness import App
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.rig import AccessibleDesktop
from tests.providers.contract.qwen_dialect import QwenDialect
from tests.servers.chat_server import ChatServer
from tests.servers.scripted_server import Json, Seen, ServerThread

SIZE = (500, 330)
GEOMETRY = "500x330+60+60"
POINT = (317, 201)
MODEL = "Qwen/Qwen3-VL-8B-Instruct"
KEY = "a-key-of-this-profile"


def call(**arguments: Any) -> dict[str, Any]:
    """A turn of Qwen3-VL with one call."""
    written = json.dumps({"name": "computer_use", "arguments": arguments})
    return {"content": f"<tool_call>\n{written}\n</tool_call>"}


@pytest.mark.full
def test_a_profile_is_made_checked_and_used(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    """In each run: tests/ui/dialogs/test_model_settings.py, and tests/app/test_check_and_session.py."""
    window = EventWindow(accessible_desktop.desktop, geometry=GEOMETRY)
    at = [round((place + 0.5) * 1000 / length) for place, length in zip(POINT, SIZE, strict=True)]
    dialect = QwenDialect(MODEL, "3")

    def clicks_until_done(seen: Seen) -> Json:
        """On a busy machine the console may pause for a moment, and a call is not done."""
        begun = any(message["role"] == "assistant" for message in seen.request["messages"])
        done = begun and not seen.again and not any(each.failed for each in dialect.told(seen.request))
        return call(action="terminate", status="success") if done else call(action="left_click", coordinate=at)

    turns = [clicks_until_done] * 6
    checked = [call(action="left_click", coordinate=[500, 500]), call(action="terminate", status="success")]
    with ServerThread(lambda: ChatServer([*checked, *turns], models=[MODEL], api_key=KEY)) as server:
        app = App(accessible_desktop, tmp_path, PYTHON_KEYRING_BACKEND="tests.settings.memory_keyring.MemoryKeyring")
        app.wait("Refresh targets", enabled=True)
        app.choose("Model", MODEL)
        app.press("Model settings…")
        app.fill("Name", "Bench")
        app.fill("Endpoint", server.base_url)
        app.press("Check")
        app.wait_text("The key was refused")
        assert server.pending == [*checked, *turns]
        app.fill("Key of this profile", KEY)
        app.press("Check")
        app.wait_text("It works")
        assert [each.body["model"] for each in server.received[-2:]] == [MODEL] * 2
        app.tree.set_value(app.wait("Steps"), 9)
        app.press("Save")
        app.wait_text("Saved")
        assert KEY not in "".join(app.texts())
        app.press("Close")

        app.start("Event window", model="Bench (profile)")
        app.decide("Approve")
        app.wait_record("ended", outcome="finished")
        begun = app.wait_record("session_started")
        assert (begun["provider"], begun["model"], begun["profile"]) == ("qwen", MODEL, "Bench")
        assert begun["max_steps"] == 9
        assert server.violations == []
        assert {each.headers["authorization"] for each in server.received[1:]} == {f"Bearer {KEY}"}
        kept = (app.home / "settings.toml").read_text(encoding="utf-8")
        assert tomllib.loads(kept)["profiles"] == {
            "Bench": {"provider": "qwen", "model": MODEL, "base_url": server.base_url, "max_steps": 9}
        }
        assert KEY not in kept
        assert KEY not in app.log.read_text(encoding="utf-8")
        assert app.close() == 0
    assert window.buttons()[:2] == [ButtonEvent("Press", *POINT, 1), ButtonEvent("Release", *POINT, 1)]
