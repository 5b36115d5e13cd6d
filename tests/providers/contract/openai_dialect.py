"""OpenAI's words for the contract tests."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    Move,
    Screenshot,
    Scroll,
    TypeText,
    Wait,
)
from operator_console.domain.geometry import FrameGeometry, NativePoint
from operator_console.domain.proposals import Provider
from operator_console.providers.openai.options import OpenAIOptions
from operator_console.providers.openai.provider import OpenAIProvider
from tests.providers.contract.dialect import BROWSER_KINDS, Told, browser_call
from tests.providers.contract.hostile import ANY_JSON, mixed
from tests.servers.scripted_server import Json, ScriptedServer, Turn

_BUTTONS = {Button.LEFT: "left", Button.RIGHT: "right", Button.MIDDLE: "wheel"}
_PX_PER_NOTCH = 100

_ACTION = st.dictionaries(
    st.sampled_from(["type", "x", "y", "button", "keys", "path", "text", "scroll_x", "scroll_y", "new"]),
    ANY_JSON
    | st.sampled_from(["click", "drag", "scroll", "type", "keypress", "__import__('os')", "left", ["CTRL", "L"]])
    | st.integers(-10, 3000)
    | st.lists(st.fixed_dictionaries({"x": st.integers(-3, 50) | ANY_JSON, "y": st.integers(-3, 50)}), max_size=3),
    max_size=5,
)
_CHECK = st.dictionaries(st.sampled_from(["id", "code", "message"]), st.text(max_size=4) | ANY_JSON)
_ITEM = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "reasoning", "computer_call", "function_call", "new"]) | ANY_JSON},
    optional={
        "id": st.sampled_from(["a", "b", ""]) | ANY_JSON,
        "call_id": st.sampled_from(["call_1", "call_2", ""]) | ANY_JSON,
        "role": st.just("assistant") | ANY_JSON,
        "status": st.sampled_from(["completed", "incomplete"]) | ANY_JSON,
        "content": st.lists(
            st.dictionaries(
                st.sampled_from(["type", "text", "refusal"]), st.sampled_from(["output_text", "refusal"]) | ANY_JSON
            ),
            max_size=2,
        )
        | ANY_JSON,
        "summary": st.lists(st.fixed_dictionaries({"text": st.text(max_size=4)}), max_size=2) | ANY_JSON,
        "encrypted_content": ANY_JSON,
        "actions": st.lists(_ACTION | ANY_JSON, max_size=3) | ANY_JSON,
        "action": _ACTION | ANY_JSON,
        "pending_safety_checks": st.lists(_CHECK, max_size=2) | ANY_JSON,
        "name": st.sampled_from(["done", "ask_user", "read_text", "zoom", "new"]) | ANY_JSON,
        "arguments": st.sampled_from(["", "{}", "[1]", '{"text": 3}', "{'a': 1}", '{"a": NaN}', "[" * 100_000])
        | ANY_JSON,
    },
)
_ANSWER = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["completed"] * 5 + ["incomplete", "failed"]) | ANY_JSON,
        "output": st.lists(_ITEM, max_size=3) | ANY_JSON,
    },
    optional={
        "id": st.just("resp_1") | ANY_JSON,
        "incomplete_details": st.fixed_dictionaries({"reason": st.sampled_from(["content_filter", "new"])}) | ANY_JSON,
        "error": st.none() | st.fixed_dictionaries({"code": st.sampled_from(["server_error", "new"])}) | ANY_JSON,
        "usage": ANY_JSON,
    },
)

if TYPE_CHECKING:
    from tests.servers.openai_server import OpenAIServer


class OpenAIDialect:
    """The Responses API, with the computer tool that a model takes."""

    kinds = frozenset({"click", "drag", "move", "scroll", "type_text", "chord", "wait", "screenshot"})
    text_ends = True
    provider_name = ""
    batches = True
    browser_kinds = BROWSER_KINDS
    most_pictures = 15

    def __init__(self, model: str, *, stored: bool = False) -> None:
        self.title = f"{model} stored" if stored else model
        self.model = model
        self._stored = stored
        # A request to go on from what is stored does not say what that is.
        self._servers: deque[OpenAIServer] = deque(maxlen=8)

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        from tests.servers.openai_server import OpenAIServer

        self._servers.append(OpenAIServer(turns, api_key=api_key, browser=browser))
        return self._servers[-1]

    def _items(self, body: Json) -> list[Json]:
        before = (item for server in self._servers for item in server.stored_before(body))
        return [*before, *body["input"]]

    def provider(self, url: str, *, api_key: str = "test-key", model: str = "", timeout_s: float = 30.0) -> Provider:
        options = OpenAIOptions(request_timeout_s=timeout_s, stored_by_service=self._stored)
        return OpenAIProvider(model=model or self.model, options=options, api_key=api_key, base_url=f"{url}/v1")

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"OPENAI_API_KEY": api_key, "OPENAI_BASE_URL": f"{url}/v1"}

    def turn(self, *actions: Action, geometry: FrameGeometry, text: str = "", thought: str = "") -> Turn:
        calls = [{"actions": [_action(action, geometry) for action in actions]}]
        return {"thinking": thought, "text": text, "calls": calls}

    def function(self, name: str, arguments: Mapping[str, Any]) -> Turn:
        return {"thinking": "I call it.", "calls": [{"function": name, "arguments": dict(arguments)}]}

    def browses(self, action: Action) -> Turn:
        return self.function(*browser_call(action))

    def says(self, text: str) -> Turn:
        return {"text": text}

    def ends(self, text: str) -> Turn:
        return self.function("done", {"text": text})

    def outside(self, geometry: FrameGeometry) -> Turn:
        click = {"type": "click", "button": "left", "x": geometry.sent.width + 1, "y": 5}
        return {"calls": [{"actions": [click]}]}

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        calls = [{"actions": [_action(action, geometry) for action in actions]}]
        return {"calls": calls, "incomplete": "max_output_tokens"}

    def refuses(self, reason: str) -> Turn:
        return {"refusal": reason}

    def again(self, raw: bytes) -> Turn:
        return {"answer": json.loads(raw)}

    def hostile(self) -> SearchStrategy[bytes]:
        return mixed(_ANSWER)

    def texts(self, body: Json) -> list[str]:
        made = [body["instructions"]]
        for item in self._items(body):
            output = item.get("output")
            if isinstance(output, str):
                made.append(output)
            for part in item.get("content") or (output if isinstance(output, list) else ()):
                made += [part["text"]] if "text" in part else []
        return made

    def offered(self, body: Json) -> set[str]:
        return {tool["name"] for tool in body["tools"] if "name" in tool}

    def pictures(self, body: Json) -> int:
        return str(self._items(body)).count("sha256:")

    def told(self, body: Json) -> list[Told]:
        items = self._items(body)
        from tests.servers.openai_rules import is_of_model

        newest = max((i for i, item in enumerate(items) if is_of_model(item)), default=-1)
        made: list[Told] = []
        for item in items[newest + 1 :]:
            if item.get("type") == "function_call_output":
                text = item["output"] if isinstance(item["output"], str) else json.dumps(item["output"])
                made.append(Told(text=text, failed=text.startswith("Error:")))
            for part in item.get("content") or ():
                lines = re.findall(r"^\d+\. (.*)$", part.get("text", ""), re.MULTILINE)
                made += [Told(text=line, failed=": done" not in line) for line in lines]
        return made


def _action(action: Action, geometry: FrameGeometry) -> dict[str, Any]:
    def at(point: NativePoint | None) -> dict[str, int]:
        assert point is not None
        sent = geometry.to_sent(point)
        return {
            "x": min(max(0, round(sent.x)), geometry.sent.width - 1),
            "y": min(max(0, round(sent.y)), geometry.sent.height - 1),
        }

    match action:
        case Click(count=2):
            return {"type": "double_click", **at(action.at), "keys": None}
        case Click():
            return {"type": "click", "button": _BUTTONS[action.button], **at(action.at)}
        case Move():
            return {"type": "move", **at(action.at)}
        case Drag():
            return {"type": "drag", "path": [at(point) for point in action.path]}
        case Scroll():
            px = _PX_PER_NOTCH * geometry.sent.width / geometry.native.width
            across, down = round(action.dx * px), round(action.dy * px)
            return {"type": "scroll", **at(action.at), "scroll_x": across, "scroll_y": down}
        case TypeText():
            return {"type": "type", "text": action.text}
        case Chord():
            return {"type": "keypress", "keys": [key.upper() for key in action.keys]}
        case Wait():
            return {"type": "wait"}
        case Screenshot():
            return {"type": "screenshot"}
        case _:
            raise NotImplementedError(action.kind)
