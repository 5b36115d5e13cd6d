"""A window that another one covers is worked by its elements, and the record tells every way that was tried."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.harness import start_console
from tests.display.actions.element_windows import show
from tests.display.rig import AccessibleDesktop, launch_xterm, wait_until
from tests.providers.contract import chat_messages
from tests.servers.scripted_server import Json, Seen, ServerThread
from tests.servers.structured_servers import StructuredChatServer

MODEL = "a-vision-model"
_NUMBERED = re.compile(r"^\[(\d+)\] ([a-z ]+?) “(.*?)”", re.MULTILINE)


class _Model:
    """Works the elements of its tasks, one after the other, and keeps what it is told.

    A task that was not done, because the machine is busy, is begun again.
    """

    def __init__(self) -> None:
        self.tasks = ["Save draft", "Note", "Iceland"]  # typing brings the window to the front
        self.told: list[str] = []
        self._begun: list[str] = []

    def __call__(self, seen: Seen) -> Json:
        said = "\n".join(chat_messages.texts_of(seen.request["messages"][-1]))
        self.told.append("\n".join(chat_messages.texts(seen.request)))
        numbers = {name: int(number) for number, role, name in _NUMBERED.findall(said) if role != "label"}
        if seen.again or "the session was paused" in said:
            self.tasks = self._begun + self.tasks
        self._begun = []
        if self.tasks and self.tasks[0] not in numbers:
            return _asks({"wait": {"seconds": 1}})
        if not self.tasks:
            return _asks({"done": {"text": "Kept.", "success": True}})
        name = self.tasks.pop(0)
        self._begun = [name]
        index = numbers[name]
        match name:
            case "Note":
                return _asks({"input": {"index": index, "text": "Oslo", "clear": True, "submit": False}})
            case "Iceland":
                return _asks({"select": {"index": index, "option": "Norway"}})
            case _:
                return _asks({"click": {"index": index, "button": "left", "count": 1}})


def _asks(action: dict[str, Any]) -> Json:
    texts = dict.fromkeys(("thinking", "evaluation_previous_goal", "memory"), "")
    return {"content": json.dumps({**texts, "next_goal": "Keep the draft.", "action": [action]})}


@pytest.mark.full
@pytest.mark.timeout(240)
def test_a_covered_window_is_worked_and_the_ways_are_told(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """In each run: actions/test_used_elements.py."""
    place, model = accessible_desktop, _Model()
    shown = show(place, "Qt")
    window = shown.app.now()
    cover = launch_xterm(place.desktop, title="the cover", geometry="90x30+0+0").window
    assert cover.x <= window.x and window.x + window.width <= cover.x + cover.width, "all of it is covered"
    with ServerThread(lambda: StructuredChatServer([model] * 20, models=[MODEL])) as server:
        target = f"window:0x{window.xid:x}"
        args = ("run", "Keep the draft.", "--json", "--provider", "structured", "--model", MODEL, "--target", target)
        console = start_console(place.desktop, tmp_path, *args, **{**place.env, "STRUCTURED_BASE_URL": server.base_url})
        assert console.wait() == 0, console.report()
        assert server.violations == []
    expected = [["pressed", "Save draft"], ["typed", "Oslo"], ["chosen", "Norway"]]

    def received() -> list[list[str]]:
        return [each for each in shown.received() if each[0] != "typed" or each[1] == "Oslo"]

    wait_until(lambda: received() == expected, f"it to have received {expected}; it has {received()}")
    calls = [call for event in console.events() if event["kind"] == "proposed" for call in event["calls"]]
    notes = [call["note"] for call in calls if call["action"] and call["action"]["kind"] == "use_element"]
    assert re.match(r"by its number: .*the cover.* Now by its accessible action\.$", notes[0]), notes
    said = "\n".join(model.told)
    assert re.search(r"1\. click: Done\..*by its number: .*the cover.*\s.*by its accessible action: done", said), said
    assert "by its accessible selection: Not done. Its application lets no option be chosen" in said
