"""Claude's words for the contract tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

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
from operator_console.providers.anthropic.options import AnthropicOptions
from operator_console.providers.anthropic.provider import AnthropicProvider
from tests.providers.contract.dialect import BROWSER_KINDS, Told, browser_call
from tests.providers.contract.hostile import ANY_JSON, mixed
from tests.servers.scripted_server import Json, ScriptedServer, Turn

_CLICKS = {
    (Button.LEFT, 1): "left_click", (Button.LEFT, 2): "double_click", (Button.LEFT, 3): "triple_click",
    (Button.RIGHT, 1): "right_click", (Button.MIDDLE, 1): "middle_click",
}  # fmt: skip
_KEYS = {"enter": "Return", "page_down": "Page_Down"}

_INPUT = st.dictionaries(
    st.sampled_from(["action", "coordinate", "start_coordinate", "text", "region", "duration", "scroll_amount"]),
    ANY_JSON
    | st.sampled_from(["left_click", "zoom", "[1, 2]", "__import__('os')"])
    | st.lists(st.integers(-10, 3000) | st.floats(), max_size=4),
    max_size=4,
)
_BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "thinking", "redacted_thinking", "tool_use", "new"]) | ANY_JSON},
    optional={
        "text": ANY_JSON, "thinking": ANY_JSON, "signature": ANY_JSON, "data": ANY_JSON,
        "id": st.sampled_from(["toolu_1", "toolu_2", ""]) | ANY_JSON,
        "name": st.sampled_from(["computer", "left_click", "zoom", "type", "key", "scroll", "done"]) | ANY_JSON,
        "toolset_name": st.sampled_from(["computer", "browser"]) | ANY_JSON,
        "input": _INPUT | ANY_JSON,
    },
)  # fmt: skip
_ANSWER = st.fixed_dictionaries(
    {"content": st.lists(_BLOCK, max_size=3) | ANY_JSON},
    optional={
        "stop_reason": st.sampled_from(["tool_use", "end_turn", "max_tokens", "pause_turn", "refusal"]) | ANY_JSON,
        "stop_details": ANY_JSON, "usage": ANY_JSON,
    },
)  # fmt: skip


class AnthropicDialect:
    """The Messages API, with the computer tool that a model takes."""

    kinds = frozenset({"click", "drag", "move", "scroll", "type_text", "chord", "wait", "screenshot"})
    provider_name = ""
    batches = True
    browser_kinds = BROWSER_KINDS
    text_ends = True
    most_pictures = 20

    def __init__(self, model: str) -> None:
        self.title = self.model = model

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        from tests.servers.anthropic_server import AnthropicServer

        return AnthropicServer(turns, api_key=api_key)

    def provider(self, url: str, *, api_key: str = "test-key", model: str = "", timeout_s: float = 30.0) -> Provider:
        options = AnthropicOptions(request_timeout_s=timeout_s)
        return AnthropicProvider(model=model or self.model, options=options, api_key=api_key, base_url=url)

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"ANTHROPIC_API_KEY": api_key, "ANTHROPIC_BASE_URL": url}

    def turn(self, *actions: Action, geometry: FrameGeometry, text: str = "", thought: str = "") -> Turn:
        return {"thinking": thought, "text": text, "calls": [_call(action, geometry) for action in actions]}

    def function(self, name: str, arguments: Mapping[str, Any]) -> Turn:
        return {"calls": [{"function": name, "input": dict(arguments)}]}

    def browses(self, action: Action) -> Turn:
        return self.function(*browser_call(action))

    def says(self, text: str) -> Turn:
        return {"text": text}

    def ends(self, text: str) -> Turn:
        return self.function("done", {"text": text})

    def outside(self, geometry: FrameGeometry) -> Turn:
        return {"calls": [{"action": "left_click", "input": {"coordinate": [geometry.sent.width + 1, 5]}}]}

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        return {"calls": [_call(action, geometry) for action in actions], "stop_reason": "max_tokens"}

    def refuses(self, reason: str) -> Turn:
        details = {"type": "refusal", "category": None, "explanation": reason}
        return {"content": [], "stop_reason": "refusal", "stop_details": details}

    def again(self, raw: bytes) -> Turn:
        return {"answer": json.loads(raw)}

    def hostile(self) -> SearchStrategy[bytes]:
        return mixed(_ANSWER)

    def texts(self, body: Json) -> list[str]:
        blocks = [*(body.get("system") or ()), *(b for message in body["messages"] for b in message["content"])]
        inner = [text for block in blocks if block["type"] == "tool_result" for text in block["content"]]
        return [block["text"] for block in (*blocks, *inner) if block["type"] == "text"]

    def offered(self, body: Json) -> set[str]:
        return {tool["name"] for tool in body["tools"] if "name" in tool}

    def pictures(self, body: Json) -> int:
        return str(body["messages"]).count("sha256:")

    def told(self, body: Json) -> list[Told]:
        newest = max(i for i, message in enumerate(body["messages"]) if message["role"] == "assistant")
        blocks = [block for message in body["messages"][newest + 1 :] for block in message["content"]]
        return [
            Told(
                text=" ".join(inner["text"] for inner in block["content"] if inner["type"] == "text"),
                failed=bool(block.get("is_error")),
            )
            for block in blocks
            if block["type"] == "tool_result"
        ]


def _call(action: Action, geometry: FrameGeometry) -> dict[str, Any]:
    def at(point: NativePoint | None) -> list[int]:
        assert point is not None
        sent = geometry.to_sent(point)
        last = geometry.sent.width - 1, geometry.sent.height - 1
        return [min(max(0, round(sent.x)), last[0]), min(max(0, round(sent.y)), last[1])]

    match action:
        case Click():
            return {"action": _CLICKS[action.button, action.count], "input": {"coordinate": at(action.at)}}
        case Move():
            return {"action": "mouse_move", "input": {"coordinate": at(action.at)}}
        case Drag(path=(start, end)):
            return {"action": "left_click_drag", "input": {"start_coordinate": at(start), "coordinate": at(end)}}
        case Scroll():
            directions = {(0, 1): "down", (0, -1): "up", (1, 0): "right", (-1, 0): "left"}
            sign = ((action.dx > 0) - (action.dx < 0), (action.dy > 0) - (action.dy < 0))
            given = {"coordinate": at(action.at), "scroll_direction": directions[sign]}
            return {"action": "scroll", "input": {**given, "scroll_amount": abs(action.dx or action.dy)}}
        case TypeText():
            return {"action": "type", "input": {"text": action.text}}
        case Chord():
            return {"action": "key", "input": {"text": "+".join(_KEYS.get(key, key) for key in action.keys)}}
        case Wait():
            return {"action": "wait", "input": {"duration": round(action.duration_s)}}
        case Screenshot():
            return {"action": "screenshot", "input": {}}
        case _:
            raise NotImplementedError(action.kind)
