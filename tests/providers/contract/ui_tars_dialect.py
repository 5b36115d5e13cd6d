"""The words of UI-TARS for the contract tests."""

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
from operator_console.providers.ui_tars.options import UiTarsOptions, Version
from operator_console.providers.ui_tars.provider import UiTarsProvider
from tests.providers.contract import chat_messages
from tests.providers.contract.dialect import BROWSER_KINDS, Told, browser_call
from tests.providers.contract.hostile import ANY_JSON, mixed
from tests.servers.scripted_server import Json, ScriptedServer, Turn

_CLICKS = {(Button.LEFT, 1): "click", (Button.LEFT, 2): "left_double", (Button.RIGHT, 1): "right_single"}
_FINEST_GRID = 2900
"""Up to this width, whole thousandths name every pixel within one."""
_TOLD = re.compile(r"^\d+\. (\w+): (.*?)(?=\n\d+\. |\Z)", re.MULTILINE | re.DOTALL)
_OFFERED = re.compile(r"^(\w+)\(.*\) # ", re.MULTILINE)

_VALUE = st.one_of(
    st.sampled_from(["'(1,2)'", "'<|box_start|>(3,4)<|box_end|>'", "<point>5 6</point>", "'<bbox>1 2 3 4</bbox>'"]),
    st.sampled_from(["''", "'", "[", "{", "(", "'(1e9,2)'", "'(-1,2)'", "__import__('os').system('x')", "'down'"]),
    st.text(max_size=12),
    st.builds(repr, st.text(max_size=12)),
)
_ARGUMENT = st.builds(
    "{}={}".format,
    st.sampled_from(["start_box", "end_box", "point", "content", "key", "direction", "question"]),
    _VALUE,
)
_WRITTEN = st.builds(
    "{}({}{}".format,
    st.sampled_from(["click", "drag", "type", "scroll", "hotkey", "press", "finished", "read_text", "done", "eval"]),
    st.lists(_ARGUMENT | _VALUE, max_size=3).map(", ".join),
    st.sampled_from([")", "", "))", ")\n\n", "') "]),
)
_TEXT = st.builds(
    "".join,
    st.lists(
        st.sampled_from(["Thought: ", "Action: ", "Action：", "\n", "<think>", "</think>", "Reflection: ", "```", "好"])
        | _WRITTEN
        | st.text(max_size=10),
        max_size=6,
    ),
)
_MESSAGE = st.fixed_dictionaries(
    {"content": _TEXT | ANY_JSON},
    optional={"reasoning_content": ANY_JSON, "tool_calls": ANY_JSON, "refusal": ANY_JSON, "role": ANY_JSON},
)
_ANSWER = st.fixed_dictionaries(
    {
        "choices": st.lists(
            st.fixed_dictionaries(
                {"message": _MESSAGE},
                optional={"finish_reason": st.sampled_from(["stop", "length", "content_filter"]) | ANY_JSON},
            ),
            max_size=2,
        )
        | ANY_JSON
    },
    optional={"usage": ANY_JSON},
)


class UiTarsDialect:
    """One version at an endpoint like vLLM."""

    kinds = frozenset({"click", "drag", "type_text", "chord"})
    provider_name = ""
    batches = True
    browser_kinds = BROWSER_KINDS
    text_ends = False
    most_pictures = 5

    def __init__(self, model: str, version: str) -> None:
        self.title = self.model = model
        self._version = version

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        from tests.servers.chat_server import ChatServer

        return ChatServer(turns, api_key=api_key, models=[self.model], most_pictures=self.most_pictures)

    def provider(self, url: str, *, api_key: str = "test-key", model: str = "", timeout_s: float = 30.0) -> Provider:
        version = Version(self._version) if model else Version.AUTO
        options = UiTarsOptions(request_timeout_s=timeout_s, version=version)
        return UiTarsProvider(model=model or self.model, options=options, api_key=api_key, base_url=f"{url}/v1")

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"UI_TARS_API_KEY": api_key, "UI_TARS_BASE_URL": f"{url}/v1"}

    def turn(self, *actions: Action, geometry: FrameGeometry, text: str = "", thought: str = "") -> Turn:
        return {"content": self._answer(actions, geometry, text), "reasoning": thought}

    def function(self, name: str, arguments: Mapping[str, Any]) -> Turn:
        given = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        return {"content": f"Thought: I call a function.\nAction: {name}({given})"}

    def browses(self, action: Action) -> Turn:
        return self.function(*browser_call(action))

    def says(self, text: str) -> Turn:
        return {"content": text}

    def ends(self, text: str) -> Turn:
        return {"content": f"Thought: It is done.\nAction: finished(content={_quoted(text)})"}

    def outside(self, geometry: FrameGeometry) -> Turn:
        beyond = geometry.sent.width + 30 if self._version == "1.5" else 1001
        return {"content": f"Thought: There.\nAction: click({self._point('', f'{beyond}', '5')})"}

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        return {"content": self._answer(actions, geometry, ""), "finish_reason": "length"}

    def refuses(self, reason: str) -> Turn:
        return {"refusal": reason, "finish_reason": "content_filter"}

    def again(self, raw: bytes) -> Turn:
        return {"answer": json.loads(raw)}

    def hostile(self) -> SearchStrategy[bytes]:
        return mixed(_ANSWER)

    def texts(self, body: Json) -> list[str]:
        return chat_messages.texts(body)

    def offered(self, body: Json) -> set[str]:
        return set(_OFFERED.findall(chat_messages.texts(body)[0]))

    def pictures(self, body: Json) -> int:
        return chat_messages.pictures(body)

    def told(self, body: Json) -> list[Told]:
        said = "\n".join(text for message in chat_messages.newest(body) for text in chat_messages.texts_of(message))
        return [Told(text=text, failed=not text.startswith("Done.")) for _, text in _TOLD.findall(said)]

    def _answer(self, actions: Sequence[Action], geometry: FrameGeometry, text: str) -> str:
        return f"Thought: {text or 'Next.'}\nAction: " + "\n\n".join(self._call(each, geometry) for each in actions)

    def _call(self, action: Action, geometry: FrameGeometry) -> str:
        match action:
            case Click():
                return f"{_CLICKS[action.button, action.count]}({self._at('', action.at, geometry)})"
            case Move():
                return f"hover({self._at('', action.at, geometry)})"
            case Drag(path=(start, end)):
                return f"drag({self._at('start', start, geometry)}, {self._at('end', end, geometry)})"
            case TypeText():
                return f"type(content={_quoted(action.text)})"
            case Chord():
                return f"hotkey(key='{' '.join(action.keys)}')"
            case Wait() | Screenshot():
                return "wait()"  # of five seconds, after which there is a screenshot
            case _:
                raise NotImplementedError(action.kind)

    def _at(self, name: str, point: NativePoint | None, geometry: FrameGeometry) -> str:
        assert point is not None
        if self._version == "1.5":
            sent = geometry.to_sent(point)
            return self._point(name, str(max(0, round(sent.x))), str(max(0, round(sent.y))))
        grid = geometry.to_grid(point)
        digits = None if max(geometry.native.width, geometry.native.height) <= _FINEST_GRID else 1
        return self._point(name, str(round(grid.x, digits)), str(round(grid.y, digits)))

    def _point(self, name: str, x: str, y: str) -> str:
        if self._version == "doubao":
            return f"{f'{name}_' if name else ''}point='<point>{x} {y}</point>'"
        return f"{name or 'start'}_box='({x},{y})'"


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{plain}'"
