"""Gemini's words for the contract tests."""

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
from operator_console.providers.gemini.options import GeminiOptions
from operator_console.providers.gemini.provider import GeminiProvider
from tests.providers.contract.dialect import BROWSER_KINDS, Told, browser_call
from tests.providers.contract.hostile import ANY_JSON, mixed
from tests.servers.scripted_server import Json, ScriptedServer, Turn

_CLICKS = {
    (Button.LEFT, 1): "click", (Button.LEFT, 2): "double_click", (Button.LEFT, 3): "triple_click",
    (Button.RIGHT, 1): "right_click", (Button.MIDDLE, 1): "middle_click",
}  # fmt: skip

_PART = st.dictionaries(
    st.sampled_from(["text", "thought", "functionCall", "thoughtSignature", "new"]),
    ANY_JSON
    | st.dictionaries(
        st.sampled_from(["name", "args", "id", "safety_decision"]), ANY_JSON | st.sampled_from(["click", "type"])
    ),
    max_size=3,
)
_CANDIDATE = st.fixed_dictionaries(
    {"finishReason": st.sampled_from(["STOP", "SAFETY", "MAX_TOKENS", "NEW"]) | ANY_JSON},
    optional={"content": st.fixed_dictionaries({"parts": st.lists(_PART, max_size=3)}) | ANY_JSON},
)
_ANSWER = st.fixed_dictionaries(
    {"candidates": st.lists(_CANDIDATE, max_size=2) | ANY_JSON},
    optional={"promptFeedback": ANY_JSON, "usageMetadata": ANY_JSON},
)


class GeminiDialect:
    """generateContent with the newer set of functions."""

    title = "gemini"
    kinds = frozenset({"click", "drag", "move", "scroll", "type_text", "chord", "wait", "screenshot"})
    provider_name = ""
    batches = True
    browser_kinds = BROWSER_KINDS
    text_ends = True
    most_pictures = 3
    model = "gemini-3.8-flash"

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        from tests.servers.gemini_server import GeminiServer

        return GeminiServer(turns, api_key=api_key, keep_screenshots=3, browser=browser)

    def provider(self, url: str, *, api_key: str = "test-key", model: str = "", timeout_s: float = 30.0) -> Provider:
        options = GeminiOptions(request_timeout_s=timeout_s)
        return GeminiProvider(model=model or self.model, options=options, api_key=api_key, base_url=url)

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"GEMINI_API_KEY": api_key, "GOOGLE_GEMINI_BASE_URL": url}

    def turn(self, *actions: Action, geometry: FrameGeometry, text: str = "", thought: str = "") -> Turn:
        return {"thought": thought, "text": text, "calls": [_call(action, geometry) for action in actions]}

    def function(self, name: str, arguments: Mapping[str, Any]) -> Turn:
        return {"calls": [{"name": name, "args": dict(arguments)}]}

    def browses(self, action: Action) -> Turn:
        return self.function(*browser_call(action))

    def says(self, text: str) -> Turn:
        return {"text": text}

    def ends(self, text: str) -> Turn:
        return self.says(text)

    def outside(self, geometry: FrameGeometry) -> Turn:
        return self.function("click", {"x": 1001, "y": 5})

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        return {"calls": [_call(action, geometry) for action in actions], "finish_reason": "MAX_TOKENS"}

    def refuses(self, reason: str) -> Turn:
        return {"finish_reason": "SAFETY", "finish_message": reason}

    def again(self, raw: bytes) -> Turn:
        return {"parts": json.loads(raw)["candidates"][0]["content"]["parts"]}

    def hostile(self) -> SearchStrategy[bytes]:
        return mixed(_ANSWER)

    def texts(self, body: Json) -> list[str]:
        instruction = body.get("systemInstruction") or {"parts": []}
        parts = [part for content in (instruction, *body["contents"]) for part in content["parts"]]
        return [part["text"] for part in parts if "text" in part] + [
            json.dumps(part["functionResponse"]["response"], ensure_ascii=False)
            for part in parts
            if "functionResponse" in part
        ]

    def offered(self, body: Json) -> set[str]:
        declared = (tool.get("functionDeclarations") or () for tool in body["tools"])
        return {function["name"] for functions in declared for function in functions}

    def pictures(self, body: Json) -> int:
        return str(body["contents"]).count("sha256:")

    def told(self, body: Json) -> list[Told]:
        newest = max(i for i, content in enumerate(body["contents"]) if content["role"] == "model")
        parts = [part for content in body["contents"][newest + 1 :] for part in content["parts"]]
        responses = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        return [Told(text=json.dumps(each, ensure_ascii=False), failed="error" in each) for each in responses]


def _call(action: Action, geometry: FrameGeometry) -> dict[str, Any]:
    def at(point: NativePoint | None, x: str = "x", y: str = "y") -> dict[str, float]:
        assert point is not None
        grid = geometry.to_grid(point)
        return {x: round(grid.x, 1), y: round(grid.y, 1)}

    match action:
        case Click():
            return {"name": _CLICKS[action.button, action.count], "args": at(action.at)}
        case Move():
            return {"name": "move", "args": at(action.at)}
        case Drag(path=(start, end)):
            return {"name": "drag_and_drop", "args": {**at(start, "start_x", "start_y"), **at(end, "end_x", "end_y")}}
        case Scroll():
            directions = {(0, 1): "down", (0, -1): "up", (1, 0): "right", (-1, 0): "left"}
            sign = ((action.dx > 0) - (action.dx < 0), (action.dy > 0) - (action.dy < 0))
            clicks = abs(action.dx or action.dy)
            args = {**at(action.at), "direction": directions[sign], "magnitude_in_wheel_clicks": clicks}
            return {"name": "scroll", "args": args}
        case TypeText():
            return {"name": "type", "args": {"text": action.text, "press_enter": action.submit}}
        case Chord():
            return {"name": "hotkey", "args": {"keys": list(action.keys)}}
        case Wait():
            return {"name": "wait", "args": {"seconds": action.duration_s}}
        case Screenshot():
            return {"name": "take_screenshot", "args": {}}
        case _:
            raise NotImplementedError(action.kind)
