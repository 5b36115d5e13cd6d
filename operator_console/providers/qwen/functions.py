"""The functions that are offered to Qwen, and the system message that offers them as text.

The form is that of Qwen's Hermes (Nous) template and of the function `computer_use` in its cookbooks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from operator_console.domain.geometry import Size
from operator_console.domain.proposals import Brief
from operator_console.providers.qwen.actions import ACTIONS, COMPUTER_USE
from operator_console.providers.shared import own_tools

_MEANINGS = {
    "key": "Press keys together, in the order given, and release them in reverse order.",
    "type": "Type a text on the keyboard.",
    "mouse_move": "Move the cursor to a (x, y) coordinate.",
    "left_click": "Click the left mouse button at a (x, y) coordinate.",
    "left_click_drag": "Press the left button at the cursor, move it to a (x, y) coordinate, and release it there.",
    "right_click": "Click the right mouse button at a (x, y) coordinate.",
    "middle_click": "Click the middle mouse button at a (x, y) coordinate.",
    "double_click": "Double-click the left mouse button at a (x, y) coordinate.",
    "triple_click": "Triple-click the left mouse button at a (x, y) coordinate.",
    "scroll": "Scroll the mouse wheel.",
    "hscroll": "Scroll sideways.",
    "wait": "Wait some seconds for a change to happen.",
    "answer": "Say something to the user, and wait for the reply.",
    "interact": "Have the user resolve what blocks you.",
    "terminate": "End the task and report whether it was completed.",
}


_DESKTOP = """\
Use a mouse and keyboard to interact with a computer, and take screenshots.
* This is an interface to a desktop GUI. You must click on icons to start applications.
* Some applications may take time to start or process actions, so you may need to wait and take successive screenshots \
to see the results of your actions."""
_BROWSER = """\
Use a mouse and keyboard to interact with the page of a web browser, and take screenshots.
* This is an interface to the page alone: there is no address bar. Go to an address with the function `navigate`.
* Some pages may take time to load or process actions, so you may need to wait and take successive screenshots to see \
the results of your actions."""
_DESCRIPTION = """\
{about}
* The screen's resolution is {width}x{height}.
* Whenever you intend to move the cursor to click on an element like an icon, you should consult a screenshot to \
determine the coordinates of the element before moving the cursor.
* Make sure to click any buttons, links, icons, etc with the cursor tip in the center of the element."""

_TOOLS = """\
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{functions}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>

Say in one sentence what you are about to do before each call."""

_COORDINATE = (
    "(x, y): The x (pixels from the left edge) and y (pixels from the top edge) coordinates to move the mouse to."
)
_PIXELS = (
    "The amount of scrolling to perform. Positive values scroll up (hscroll: to the right), negative values scroll "
    "down. Required only by `action=scroll` and `action=hscroll`."
)


def offered(brief: Brief, resolution: Size) -> list[dict[str, Any]]:
    """The functions of a session in the form of chat completions."""
    scale = f"on a screen of {resolution.width}x{resolution.height}"
    replaced = any(tool.name == COMPUTER_USE for tool in brief.tools)
    computer = [] if replaced else [_computer_use(resolution, _BROWSER if brief.browser else _DESKTOP)]
    others = [
        _function(tool.name, tool.description, json.loads(tool.parameters_json))
        for tool in own_tools.offered(brief, scale)
    ]
    return [*computer, *others]


def system_text(instruction: str, functions: Sequence[dict[str, Any]]) -> str:
    """The system message if functions are offered as text."""
    listed = "\n".join(json.dumps(function, ensure_ascii=False) for function in functions)
    return "\n\n".join(filter(None, (instruction.strip(), _TOOLS.format(functions=listed))))


def _function(name: str, description: str, parameters: object) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _computer_use(resolution: Size, about: str) -> dict[str, Any]:
    description = _DESCRIPTION.format(about=about, width=resolution.width, height=resolution.height)
    actions = "\n".join(f"* `{name}`: {_MEANINGS[name]}" for name in ACTIONS)
    properties = {
        "action": {"type": "string", "enum": list(ACTIONS), "description": f"The action to perform:\n{actions}"},
        "keys": {"type": "array", "description": "Required only by `action=key`."},
        "text": {"type": "string", "description": "Required only by `action=type`, `answer` and `interact`."},
        "coordinate": {"type": "array", "description": _COORDINATE},
        "pixels": {"type": "number", "description": _PIXELS},
        "time": {"type": "number", "description": "The seconds to wait. Required only by `action=wait`."},
        "status": {
            "type": "string",
            "enum": ["success", "failure"],
            "description": "The status of the task. Required only by `action=terminate`.",
        },
    }
    schema = {"type": "object", "properties": properties, "required": ["action"]}
    return _function(COMPUTER_USE, description, schema)
