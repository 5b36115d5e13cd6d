"""CogAgent's words for the contract tests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from operator_console.domain.actions import Action, Button, Chord, Click, Move, Navigate, Scroll, TypeText
from operator_console.domain.geometry import FrameGeometry, NativePoint
from operator_console.domain.proposals import Provider
from operator_console.providers.cogagent.options import CogAgentOptions
from operator_console.providers.cogagent.provider import CogAgentProvider
from tests.providers.contract.dialect import BROWSER_KINDS, Told, browser_call
from tests.providers.contract.hostile import ANY_JSON, mixed
from tests.servers.scripted_server import Json, ScriptedServer, Turn

_CLICKS = {(Button.LEFT, 1): "CLICK", (Button.LEFT, 2): "DOUBLE_CLICK", (Button.RIGHT, 1): "RIGHT_CLICK"}
_KEYS = {"enter": "Return", "ctrl": "Lcontrol"}
_TOLD = re.compile(r"\t[^(]*?(?: \((.*)\))?\Z", re.DOTALL)

_PIECES = st.sampled_from(
    [
        "Grounded Operation:", "Action: go\n", "Status: [[0, 2, 998, 905]]\n", "CLICK(", "TYPE(", "GESTURE(",
        "QUOTE_TEXT(", "LLM(", "LAUNCH(", "END", "END()", "SCROLL_DOWN(", "KEY_PRESS(", "KEY_DOWN(key='A')",
        "KEY_UP(key='A')", "box=[[001,002,999,998]]", "box=[[9999,-1,5,1e9]]", "box=[[]]", "text='", "'", "\"", ")",
        "]", "[", "{", "}", ", ", "step_count=5", "step_count=-1", "actions=[", "output='__CogName_x__'",
        "text='__CogName_x__'", "prompt='a'", "key='Lcontrol'", "key=''", "app='None', url='`x`'", "<<一般操作>>",
        "<<敏感操作>>", "\n", "\\", "（", "）", "：", "__import__('os').system('id')", "${7*7}", "{{7*7}}", "\x00",
        "9" * 400, "(" * 40, "[" * 40,
    ]
)  # fmt: skip
_TEXT = st.lists(_PIECES | st.text(max_size=5), max_size=12).map("".join)
_ANSWER = st.fixed_dictionaries(
    {
        "choices": st.lists(
            st.fixed_dictionaries(
                {"message": st.fixed_dictionaries({"content": _TEXT | ANY_JSON}) | ANY_JSON},
                optional={"finish_reason": st.sampled_from(["stop", "length", "content_filter"]) | ANY_JSON},
            ),
            min_size=1,
            max_size=2,
        )
        | ANY_JSON
    },
    optional={"usage": ANY_JSON},
)


class CogAgentDialect:
    """CogAgent's operations, one a round."""

    title = "cogagent"
    kinds = frozenset({"click", "move", "scroll", "type_text", "chord"})
    provider_name = ""
    batches = False
    browser_kinds = BROWSER_KINDS - {"read_page"}
    text_ends = False
    most_pictures = 1
    model = "cogagent-9b-20241220"

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        from tests.servers.cogagent_server import CogAgentServer

        return CogAgentServer(turns, api_key=api_key)

    def provider(self, url: str, *, api_key: str = "test-key", model: str = "", timeout_s: float = 30.0) -> Provider:
        # The instruction is off by default, because the model was trained with short tasks.
        options = CogAgentOptions(request_timeout_s=timeout_s, send_instruction=True)
        address = f"{url}/v1" if url.startswith("http") else url
        return CogAgentProvider(model=model or self.model, options=options, api_key=api_key, base_url=address)

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        return {"COGAGENT_API_KEY": api_key, "COGAGENT_BASE_URL": f"{url}/v1"}

    def turn(self, *actions: Action, geometry: FrameGeometry, text: str = "", thought: str = "") -> Turn:
        (action,) = actions
        said = {"action": text or "Go on.", "status_text": thought}
        return {**said, "operation": _operation(action, geometry)}

    def function(self, name: str, arguments: Mapping[str, Any]) -> Turn:
        written = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())
        return {"operation": f"{name}({written})"}

    def browses(self, action: Action) -> Turn:
        if isinstance(action, Navigate):
            return {"operation": f"LAUNCH(app='None', url='`{action.url}`')"}
        return self.function(*browser_call(action))

    def says(self, text: str) -> Turn:
        return {"text": text}

    def ends(self, text: str) -> Turn:
        return {"action": text, "operation": "END()"}

    def outside(self, geometry: FrameGeometry) -> Turn:
        return {"operation": "CLICK(box=[[1210,005,1230,025]], element_info='Save')"}

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        return {"operation": _operation(actions[0], geometry), "finish_reason": "length"}

    def refuses(self, reason: str) -> Turn:
        return {"text": "No.", "refusal": reason}

    def again(self, raw: bytes) -> Turn:
        return {"answer": json.loads(raw)}

    def hostile(self) -> SearchStrategy[bytes]:
        return mixed(_ANSWER)

    def texts(self, body: Json) -> list[str]:
        return [part["text"] for part in body["messages"][0]["content"] if part["type"] == "text"]

    def offered(self, body: Json) -> set[str]:
        listed = self.texts(body)[0].partition("\nBesides the usual operations there are:\n")[2]
        return set(re.findall(r"^(\w+)\(.*\): ", listed, re.MULTILINE))

    def pictures(self, body: Json) -> int:
        return str(body["messages"]).count("sha256:")

    def told(self, body: Json) -> list[Told]:
        history = self.texts(body)[0].partition("\nHistory steps: ")[2].partition("\n(Platform: ")[0]
        found = _TOLD.search(history.splitlines()[-1])
        assert found is not None
        outcome = found[1] or ""
        return [Told(text=outcome, failed=outcome.startswith("Not done"))]


def _operation(action: Action, geometry: FrameGeometry) -> str:
    def box(point: NativePoint | None) -> str:
        assert point is not None
        grid = geometry.to_grid(point)
        sums = [min(1999, round(2 * each)) for each in (grid.x, grid.y)]
        near = [min(4, total // 2, (2000 - total) // 2) for total in sums]
        left, top = (total // 2 - reach for total, reach in zip(sums, near, strict=True))
        right, bottom = (total - start for total, start in zip(sums, (left, top), strict=True))
        return f"box=[[{left:03},{top:03},{right:03},{bottom:03}]]"

    match action:
        case Click():
            return f"{_CLICKS[action.button, action.count]}({box(action.at)}, element_info='File')"
        case Move():
            return f"HOVER({box(action.at)})"
        case Scroll():
            directions = {(0, 1): "DOWN", (0, -1): "UP", (1, 0): "RIGHT", (-1, 0): "LEFT"}
            sign = ((action.dx > 0) - (action.dx < 0), (action.dy > 0) - (action.dy < 0))
            return f"SCROLL_{directions[sign]}({box(action.at)}, step_count={abs(action.dx or action.dy)})"
        case TypeText():
            text = action.text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
            return f"TYPE(text='{text}', element_type='Text')"
        case Chord(keys=(key,)):
            return f"KEY_PRESS(key='{_KEYS.get(key, key.upper())}')"
        case Chord(keys=keys):
            *held, last = (_KEYS.get(key, key.upper()) for key in keys)
            down, up = ([f"KEY_{word}(key='{key}')" for key in held] for word in ("DOWN", "UP"))
            parts = ", ".join([*down, f"KEY_PRESS(key='{last}')", *reversed(up)])
            return f"GESTURE(actions=[{parts}])"
        case _:
            raise NotImplementedError(action.kind)
