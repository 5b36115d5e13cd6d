"""A chat model works a page by the numbers of its elements, through the whole console."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.harness import start_console
from tests.display.acceptance.log_page import LogPage
from tests.display.rig import AccessibleDesktop, launch_chromium, wait_until
from tests.providers.contract import chat_messages
from tests.servers.scripted_server import Json, Seen, ServerThread
from tests.servers.structured_servers import StructuredChatServer

MODEL = "a-vision-model"
TEXT = "Zażółć “quoted” 100%"
NEVER_GIVEN = 998
_NUMBERED = re.compile(r"^\[(\d+)\] \S.*“(.*?)”", re.MULTILINE)


class _Model:
    """Does one task after the other, by the names in the newest list of elements; waits while a name is not there.

    A task that was not done, because the machine is busy, is begun again.
    """

    def __init__(self) -> None:
        self.tasks = ["Show more", "a stale number", "Note", "Keep it"]
        self.told_of_stale = False
        self._begun: list[str] = []

    def __call__(self, seen: Seen) -> Json:
        said = "\n".join(chat_messages.texts_of(seen.request["messages"][-1]))
        told_of_stale = f"no element with the number {NEVER_GIVEN}" in said
        self.told_of_stale |= told_of_stale
        numbers = {name: int(number) for number, name in _NUMBERED.findall(said)}
        if seen.again or ("Not done" in said and not told_of_stale):
            self.tasks = self._begun + self.tasks
        self._begun = []
        if not self.tasks:
            return self._asks({"done": {"text": "Kept.", "success": True}})
        if self.tasks[0] not in {*numbers, "a stale number"}:
            return self._asks({"wait": {"seconds": 1}})
        name = self.tasks.pop(0)
        self._begun = [name]
        if name == "a stale number":
            return self._asks({"click": {"index": NEVER_GIVEN, "button": "left", "count": 1}})
        if name == "Note":
            return self._asks({"input": {"index": numbers[name], "text": TEXT, "clear": True, "submit": False}})
        return self._asks({"click": {"index": numbers[name], "button": "left", "count": 1}})

    def _asks(self, action: dict[str, Any]) -> Json:
        texts = dict.fromkeys(("thinking", "evaluation_previous_goal", "memory"), "")
        return {"content": json.dumps({**texts, "next_goal": "Keep the note.", "action": [action]})}


@pytest.mark.full
@pytest.mark.timeout(240)
def test_a_form_is_filled_in_by_numbers(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    """In each run: tests/providers/structured/test_numbered_elements.py, and actions/test_used_elements.py."""
    place, model = accessible_desktop, _Model()
    with LogPage() as page, ServerThread(lambda: StructuredChatServer([model] * 40, models=[MODEL])) as server:
        launch_chromium(place.desktop, page.url, "--window-size=1000,700", env=place.env)
        args = ("run", "Keep a note.", "--json", "--provider", "structured", "--model", MODEL)
        environment = {**place.env, "STRUCTURED_BASE_URL": server.base_url}
        console = start_console(place.desktop, tmp_path, *args, **environment)
        assert console.wait() == 0, console.report()
        assert server.violations == []
    assert model.told_of_stale
    wait_until(lambda: page.logged("done"), f"the page's own log to tell of the last click; it has {page.events}")
    assert page.logged("done")[0]["value"] == TEXT
    assert len(page.logged("button")) == 1, "the stale number was no click"
    for name in ("button", "name", "done"):
        event = page.logged(name)[0]
        assert max(abs(event["at"][axis] - event["middle"][axis]) for axis in (0, 1)) <= 1, event
    marks = [mark for event in console.events() if event["kind"] == "observed" for mark in event["marks"]]
    assert {"button “Show more”", "text field “Note”", "button “Keep it”"} <= {mark["words"] for mark in marks}
