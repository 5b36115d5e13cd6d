"""The words of a chat model that answers in the form of structured reasoning, at each service."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from operator_console.domain.actions import Action, Chord, Click, Screenshot, Scroll, TypeText, Wait
from operator_console.domain.geometry import FrameGeometry, NativePoint
from operator_console.domain.proposals import Provider
from operator_console.providers.spec import Ingredients
from operator_console.providers.structured import SPEC
from operator_console.providers.structured.options import ServiceName, StructuredOptions
from tests.providers.contract import chat_messages
from tests.providers.contract.dialect import BROWSER_KINDS, Told, browser_call
from tests.providers.contract.hostile import ANY_JSON, mixed
from tests.servers.scripted_server import Json, ScriptedServer, Turn

_OFFERED = re.compile(r"^- (\w+) \{", re.MULTILINE)
_RESULT = re.compile(r"^\d+\. \S+: (.*?)(?=^\d+\. \S+: |\Z)", re.MULTILINE | re.DOTALL)
_RESULTS = "What became of your actions:\n"
_OWN = {"ask_user", "yield_to_user", "done"}

_GIVEN = st.dictionaries(
    st.sampled_from(["index", "x", "y", "text", "keys", "button", "count", "seconds", "name", "arguments_json", "url"]),
    ANY_JSON | st.integers(-5, 2000) | st.sampled_from(["left", "ctrl+s", "1", "{}", "[1, 2]", "__import__('os')"]),
    max_size=4,
)
_ACTION = st.dictionaries(
    st.sampled_from(
        ["click", "click_at", "input", "type", "select", "scroll_at", "send_keys", "switch_tab", "navigate", "wait",
         "extract", "ask_user", "done", "call_function", "eval"]
    ),
    _GIVEN | ANY_JSON,
    max_size=2,
)  # fmt: skip
_FORM = st.fixed_dictionaries(
    {"action": st.lists(_ACTION, max_size=3) | ANY_JSON},
    optional={"thinking": ANY_JSON, "memory": ANY_JSON, "next_goal": st.text(max_size=8) | ANY_JSON},
)
_TEXT = st.builds(lambda value, cut: json.dumps(value)[: cut or None], _FORM, st.sampled_from([0, 0, 0, -1, -9])) | (
    st.text(max_size=10) | st.sampled_from(["```json\n{}\n```", "<think>{</think>{}", '{"action": [{}]}'])
)


class StructuredDialect:
    """Chat completions at an endpoint; other services derive from it."""

    kinds = frozenset({"click", "scroll", "type_text", "chord", "wait"})
    batches = True
    browser_kinds = BROWSER_KINDS
    text_ends = False
    most_pictures = 2
    provider_name = "structured"
    _service = ServiceName.COMPATIBLE
    _title = "endpoint"

    def __init__(self, model: str) -> None:
        self.model = model

    @property
    def title(self) -> str:
        return f"structured at {self._title}"

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        from tests.servers.structured_servers import StructuredChatServer

        return StructuredChatServer(turns, api_key=api_key, models=[self.model], most_pictures=self.most_pictures)

    def provider(self, url: str, *, api_key: str = "test-key", model: str = "", timeout_s: float = 30.0) -> Provider:
        options = StructuredOptions(request_timeout_s=timeout_s, service=self._service)
        ingredients = Ingredients(api_key=api_key, base_url=self._address(url), options=options)
        return SPEC.load(model or self.model, ingredients)

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"STRUCTURED_API_KEY": api_key, "STRUCTURED_BASE_URL": self._address(url)}

    def turn(self, *actions: Action, geometry: FrameGeometry, text: str = "", thought: str = "") -> Turn:
        return self._says([self._asked(action, geometry) for action in actions], goal=text, thought=thought)

    def function(self, name: str, arguments: Mapping[str, Any]) -> Turn:
        if name in _OWN:
            return self._says([{name: dict(arguments)}])
        return self._says([{"call_function": {"name": name, "arguments_json": json.dumps(arguments)}}])

    def browses(self, action: Action) -> Turn:
        name, arguments = browser_call(action)
        if name == "get_browser_state":
            name, arguments = "extract", {"index": 0, "scroll_to_end": False}
        return self._says([{name: {key: value for key, value in arguments.items() if key != "new_tab"}}])

    def says(self, text: str) -> Turn:
        return self._says([], goal=text)

    def ends(self, text: str) -> Turn:
        return self.function("done", {"text": text})

    def outside(self, geometry: FrameGeometry) -> Turn:
        beyond = geometry.sent.width + 1
        return self._says([{"click_at": {"x": beyond, "y": 5, "button": "left", "count": 1}}])

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        return {**self._turn(self.turn(*actions, geometry=geometry)), "finish_reason": "length"}

    def refuses(self, reason: str) -> Turn:
        return {"refusal": reason, "finish_reason": "content_filter"}

    def again(self, raw: bytes) -> Turn:
        return {"answer": json.loads(raw)}

    def hostile(self) -> SearchStrategy[bytes]:
        message = st.fixed_dictionaries({"content": _TEXT | ANY_JSON}, optional={"reasoning": ANY_JSON})
        choice = st.fixed_dictionaries({"message": message}, optional={"finish_reason": st.just("stop") | ANY_JSON})
        return mixed(st.fixed_dictionaries({"choices": st.lists(choice, max_size=2) | ANY_JSON}))

    def texts(self, body: Json) -> list[str]:
        return chat_messages.texts(body)

    def offered(self, body: Json) -> set[str]:
        return set(_OFFERED.findall(self.texts(body)[0]))

    def pictures(self, body: Json) -> int:
        return str(body).count("sha256:")

    def told(self, body: Json) -> list[Told]:
        said = "\n".join(text for message in chat_messages.newest(body) for text in chat_messages.texts_of(message))
        return _told(said)

    def _address(self, url: str) -> str:
        return f"{url}/v1"

    def _says(self, actions: Sequence[Json], *, goal: str = "", thought: str = "") -> Turn:
        answer = {
            "thinking": thought,
            "evaluation_previous_goal": "",
            "memory": "",
            "next_goal": goal,
            "action": list(actions),
        }
        return self._with_text(json.dumps(answer, ensure_ascii=False))

    def _with_text(self, text: str) -> Turn:
        return {"content": text}

    @staticmethod
    def _turn(turn: Turn) -> Json:
        assert not callable(turn)
        return turn

    def _asked(self, action: Action, geometry: FrameGeometry) -> Json:
        match action:
            case Click():
                at = self._at(action.at, geometry)
                return {"click_at": {**at, "button": action.button.value, "count": action.count}}
            case Scroll():
                directions = {(0, 1): "down", (0, -1): "up", (1, 0): "right", (-1, 0): "left"}
                sign = ((action.dx > 0) - (action.dx < 0), (action.dy > 0) - (action.dy < 0))
                notches = abs(action.dx or action.dy)
                at = self._at(action.at, geometry)
                return {"scroll_at": {**at, "direction": directions[sign], "notches": notches}}
            case TypeText():
                return {"type": {"text": action.text, "submit": action.submit}}
            case Chord():
                return {"send_keys": {"keys": "+".join(action.keys)}}
            case Wait():
                return {"wait": {"seconds": action.duration_s}}
            case Screenshot():
                return {"wait": {"seconds": 0}}  # every turn is followed by one
            case _:
                raise NotImplementedError(action.kind)

    def _at(self, point: NativePoint | None, geometry: FrameGeometry) -> dict[str, float]:
        assert point is not None
        sent = geometry.to_sent(point)
        return {"x": max(0, round(sent.x)), "y": max(0, round(sent.y))}


class StructuredOpenAIDialect(StructuredDialect):
    """Chat completions at OpenAI."""

    _service, _title = ServiceName.AUTO, "OpenAI"

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        models = [self.model]
        from tests.servers.structured_servers import StructuredChatServer

        return StructuredChatServer(turns, api_key=api_key, models=models, most_pictures=2, openai=True)

    def provider(self, url: str, *, api_key: str = "test-key", model: str = "", timeout_s: float = 30.0) -> Provider:
        options = StructuredOptions(request_timeout_s=timeout_s, service=ServiceName.OPENAI)
        ingredients = Ingredients(api_key=api_key, base_url=self._address(url), options=options)
        return SPEC.load(model or self.model, ingredients)

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"OPENAI_API_KEY": api_key, "OPENAI_BASE_URL": self._address(url)}


class StructuredAnthropicDialect(StructuredDialect):
    """The Messages API."""

    _service, _title = ServiceName.ANTHROPIC, "Anthropic"

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        from tests.servers.structured_servers import StructuredAnthropicServer

        return StructuredAnthropicServer(turns, api_key=api_key)

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"ANTHROPIC_API_KEY": api_key, "ANTHROPIC_BASE_URL": url}

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        return {**self._turn(self.turn(*actions, geometry=geometry)), "stop_reason": "max_tokens"}

    def refuses(self, reason: str) -> Turn:
        details = {"type": "refusal", "category": None, "explanation": reason}
        return {"content": [], "stop_reason": "refusal", "stop_details": details}

    def hostile(self) -> SearchStrategy[bytes]:
        block = st.fixed_dictionaries({"type": st.just("text") | ANY_JSON}, optional={"text": _TEXT | ANY_JSON})
        content = st.lists(block, max_size=3) | ANY_JSON
        return mixed(st.fixed_dictionaries({"content": content}, optional={"stop_reason": st.just("end_turn")}))

    def texts(self, body: Json) -> list[str]:
        messages = [block for message in body["messages"] for block in message["content"]]
        return [block["text"] for block in (*body["system"], *messages) if block["type"] == "text"]

    def told(self, body: Json) -> list[Told]:
        newest = chat_messages.newest(body)
        return _told("\n".join(text for message in newest for text in chat_messages.texts_of(message)))

    def _address(self, url: str) -> str:
        return url

    def _with_text(self, text: str) -> Turn:
        return {"text": text}


class StructuredGeminiDialect(StructuredDialect):
    """generateContent."""

    _service, _title = ServiceName.GEMINI, "Gemini"

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        from tests.servers.structured_servers import StructuredGeminiServer

        return StructuredGeminiServer(turns, api_key=api_key)

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"GEMINI_API_KEY": api_key, "GOOGLE_GEMINI_BASE_URL": url}

    def outside(self, geometry: FrameGeometry) -> Turn:
        return self._says([{"click_at": {"x": 1001, "y": 5, "button": "left", "count": 1}}])

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        return {**self._turn(self.turn(*actions, geometry=geometry)), "finish_reason": "MAX_TOKENS"}

    def refuses(self, reason: str) -> Turn:
        return {"finish_reason": "SAFETY", "finish_message": reason}

    def again(self, raw: bytes) -> Turn:
        return {"parts": json.loads(raw)["candidates"][0]["content"]["parts"]}

    def hostile(self) -> SearchStrategy[bytes]:
        part = st.fixed_dictionaries({"text": _TEXT | ANY_JSON}, optional={"thought": ANY_JSON, "new": ANY_JSON})
        content = st.fixed_dictionaries({"parts": st.lists(part, max_size=3) | ANY_JSON})
        candidate = st.fixed_dictionaries({"content": content | ANY_JSON}, optional={"finishReason": st.just("STOP")})
        return mixed(st.fixed_dictionaries({"candidates": st.lists(candidate, max_size=2) | ANY_JSON}))

    def texts(self, body: Json) -> list[str]:
        return [
            part["text"]
            for content in (body["systemInstruction"], *body["contents"])
            for part in content["parts"]
            if "text" in part
        ]

    def told(self, body: Json) -> list[Told]:
        newest = max(i for i, content in enumerate(body["contents"]) if content["role"] == "model")
        parts = [part for content in body["contents"][newest + 1 :] for part in content["parts"]]
        return _told("\n".join(part["text"] for part in parts if "text" in part))

    def _address(self, url: str) -> str:
        return url

    def _with_text(self, text: str) -> Turn:
        return {"text": text}

    def _at(self, point: NativePoint | None, geometry: FrameGeometry) -> dict[str, float]:
        assert point is not None
        grid = geometry.to_grid(point)
        return {"x": round(grid.x, 1), "y": round(grid.y, 1)}


def _told(said: str) -> list[Told]:
    results = said.partition(_RESULTS)[2]
    return [Told(text=text, failed=not text.startswith("Done.")) for text in _RESULT.findall(results)]
