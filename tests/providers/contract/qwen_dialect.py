"""The words of Qwen-VL for the contract tests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from operator_console.domain.actions import Action, Button, Chord, Click, Drag, Move, Screenshot, TypeText, Wait
from operator_console.domain.geometry import FrameGeometry, NativePoint
from operator_console.domain.proposals import Provider
from operator_console.providers.qwen.options import Generation, QwenOptions, ToolCalls
from operator_console.providers.qwen.provider import QwenProvider
from tests.providers.contract import chat_messages
from tests.providers.contract.dialect import BROWSER_KINDS, Told, browser_call
from tests.providers.contract.hostile import ANY_JSON, mixed
from tests.servers.scripted_server import Json, ScriptedServer, Turn

_CLICKS = {
    (Button.LEFT, 1): "left_click", (Button.LEFT, 2): "double_click", (Button.LEFT, 3): "triple_click",
    (Button.RIGHT, 1): "right_click", (Button.MIDDLE, 1): "middle_click",
}  # fmt: skip
_FINEST_GRID = 2900
"""Up to this width, whole thousandths name every pixel within one."""
_RESPONSE = re.compile(r"<tool_response>\n(.*?)\n</tool_response>", re.DOTALL)

_ARGUMENTS = st.dictionaries(
    st.sampled_from(["action", "coordinate", "start_coordinate", "keys", "text", "pixels", "time", "status"]),
    ANY_JSON
    | st.sampled_from(["left_click", "left_click_drag", "scroll", "key", "terminate", "[1, 2]", "(3,4)", "__import__"])
    | st.lists(st.integers(-10, 3000) | st.floats(), max_size=5),
    max_size=5,
)
_CALL = st.fixed_dictionaries(
    {"name": st.sampled_from(["computer_use", "left_click", "done", "read_text", "eval"]) | ANY_JSON},
    optional={"arguments": _ARGUMENTS | ANY_JSON | _ARGUMENTS.map(json.dumps)},
)
_WRITTEN = st.builds(lambda call, cut: json.dumps(call)[: cut or None], _CALL, st.sampled_from([0, 0, -1, -2, -9]))
_TEXT = st.builds(
    "".join,
    st.lists(
        st.sampled_from(
            ["<tool_call>", "</tool_call>", "\n", "<think>", "</think>", "```json\n", "```", "{", "[", "好"]
        )
        | _WRITTEN
        | st.text(max_size=10),
        max_size=6,
    ),
)
_NATIVE = st.fixed_dictionaries(
    {
        "function": st.fixed_dictionaries(
            {"name": st.sampled_from(["computer_use", "done", ""]) | ANY_JSON},
            optional={"arguments": _ARGUMENTS.map(json.dumps) | _WRITTEN | ANY_JSON},
        )
    },
    optional={"id": st.sampled_from(["a", "b", ""]) | ANY_JSON, "type": ANY_JSON},
)
_MESSAGE = st.fixed_dictionaries(
    {"content": _TEXT | ANY_JSON},
    optional={"reasoning_content": ANY_JSON, "tool_calls": st.lists(_NATIVE, max_size=3) | ANY_JSON},
)
_ANSWER = st.fixed_dictionaries(
    {
        "choices": st.lists(
            st.fixed_dictionaries(
                {"message": _MESSAGE},
                optional={"finish_reason": st.sampled_from(["stop", "tool_calls", "length"]) | ANY_JSON},
            ),
            max_size=2,
        )
        | ANY_JSON
    },
    optional={"usage": ANY_JSON},
)


class QwenDialect:
    """One generation at an endpoint like vLLM, with calls as text or native ones."""

    kinds = frozenset({"click", "move", "type_text", "chord", "wait"})
    provider_name = ""
    batches = True
    browser_kinds = BROWSER_KINDS
    text_ends = False
    most_pictures = 3

    def __init__(self, model: str, generation: str, *, native: bool = False) -> None:
        self.model = model
        self.title = f"{model} native" if native else model
        self._generation = generation
        self._native = native

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        from tests.servers.chat_server import ChatServer

        return ChatServer(turns, api_key=api_key, models=[self.model], most_pictures=self.most_pictures)

    def provider(self, url: str, *, api_key: str = "test-key", model: str = "", timeout_s: float = 30.0) -> Provider:
        options = QwenOptions(
            request_timeout_s=timeout_s,
            generation=Generation(self._generation) if model else Generation.AUTO,
            tool_calls=ToolCalls.NATIVE if self._native else ToolCalls.TEXT,
        )
        return QwenProvider(model=model or self.model, options=options, api_key=api_key, base_url=f"{url}/v1")

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"QWEN_API_KEY": api_key, "QWEN_BASE_URL": f"{url}/v1"}

    def turn(self, *actions: Action, geometry: FrameGeometry, text: str = "", thought: str = "") -> Turn:
        calls = [call for action in actions for call in self._calls(action, geometry)]
        return self._said(text, calls, reasoning=thought)

    def function(self, name: str, arguments: Mapping[str, Any]) -> Turn:
        return self._said("I call a function.", [(name, dict(arguments))])

    def browses(self, action: Action) -> Turn:
        return self.function(*browser_call(action))

    def says(self, text: str) -> Turn:
        return {"content": text}

    def ends(self, text: str) -> Turn:
        return self._said(text, [("computer_use", {"action": "terminate", "status": "success"})])

    def outside(self, geometry: FrameGeometry) -> Turn:
        beyond = geometry.sent.width + 40 if self._generation == "2.5" else 1001
        return self._said("There.", [("computer_use", {"action": "left_click", "coordinate": [beyond, 5]})])

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        turn = self.turn(*actions, geometry=geometry)
        assert not callable(turn)
        return {**turn, "finish_reason": "length"}

    def refuses(self, reason: str) -> Turn:
        return {"refusal": reason, "finish_reason": "content_filter"}

    def again(self, raw: bytes) -> Turn:
        return {"answer": json.loads(raw)}

    def hostile(self) -> SearchStrategy[bytes]:
        return mixed(_ANSWER)

    def texts(self, body: Json) -> list[str]:
        return [*(tool["function"]["description"] for tool in body.get("tools") or ()), *chat_messages.texts(body)]

    def offered(self, body: Json) -> set[str]:
        if self._native:
            return {tool["function"]["name"] for tool in body["tools"]}
        listed = chat_messages.texts(body)[0].partition("<tools>\n")[2].partition("\n</tools>")[0]
        return {json.loads(line)["function"]["name"] for line in listed.splitlines()}

    def pictures(self, body: Json) -> int:
        return chat_messages.pictures(body)

    def told(self, body: Json) -> list[Told]:
        newest = chat_messages.newest(body)
        native = [message["content"] for message in newest if message["role"] == "tool"]
        said = "\n".join(text for message in newest for text in chat_messages.texts_of(message))
        return [Told(text=text, failed=not text.startswith("Done.")) for text in native or _RESPONSE.findall(said)]

    def _said(self, text: str, calls: Sequence[tuple[str, dict[str, Any]]], **more: str) -> Turn:
        named = [{"name": name, "arguments": arguments} for name, arguments in calls]
        if self._native:
            return {"content": text, "calls": named, **more}
        written = [f"<tool_call>\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>" for call in named]
        return {"content": "\n".join(filter(None, [text, *written])), **more}

    def _calls(self, action: Action, geometry: FrameGeometry) -> list[tuple[str, dict[str, Any]]]:
        return [("computer_use", arguments) for arguments in self._arguments(action, geometry)]

    def _arguments(self, action: Action, geometry: FrameGeometry) -> list[dict[str, Any]]:
        match action:
            case Click():
                name = _CLICKS[action.button, action.count]
                return [{"action": name, "coordinate": self._at(action.at, geometry)}]
            case Move():
                return [{"action": "mouse_move", "coordinate": self._at(action.at, geometry)}]
            case Drag(path=(start, end)):  # begins at the pointer
                return [
                    {"action": "mouse_move", "coordinate": self._at(start, geometry)},
                    {"action": "left_click_drag", "coordinate": self._at(end, geometry)},
                ]
            case TypeText():
                return [{"action": "type", "text": action.text}]
            case Chord():
                return [{"action": "key", "keys": list(action.keys)}]
            case Wait():
                return [{"action": "wait", "time": action.duration_s}]
            case Screenshot():
                return [{"action": "wait", "time": 1}]  # every action is followed by one
            case _:
                raise NotImplementedError(action.kind)

    def _at(self, point: NativePoint | None, geometry: FrameGeometry) -> list[float]:
        assert point is not None
        if self._generation == "2.5":
            sent = geometry.to_sent(point)
            return [max(0, round(sent.x)), max(0, round(sent.y))]
        grid = geometry.to_grid(point)
        digits = None if max(geometry.native.width, geometry.native.height) <= _FINEST_GRID else 1
        return [round(grid.x, digits), round(grid.y, digits)]
