"""The prompt of UI-TARS, which is the beginning of the first user message.

Its form is that of the vendor's prompts for computers, which the models were trained with. Functions of the console and
of the session stand in a section of their own, written like the actions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from operator_console.domain.proposals import Brief
from operator_console.domain.tools import ToolSpec
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.smart_resize import Traits

_ROLE = (
    "You are a GUI agent. You are given a task and your action history, with screenshots. You need to perform the next "
    "action to complete the task."
)
_SUMMARY = (
    "- Write a small plan and finally summarize your next action (with its target element) in one sentence in "
    "`Thought` part."
)
_BOX = "start_box='<|box_start|>(x1,y1)<|box_end|>'"
_END_BOX = "end_box='<|box_start|>(x3,y3)<|box_end|>'"
_KEYS = "Split keys with a space and use lowercase. Also, do not use more than 3 keys in one hotkey action."
_ESCAPES = "Use escape characters \\', \\\", and \\n in content part to ensure we can parse the content."
_SUBMIT = "If you want to submit your input, use \\n at the end of content."

_WITH_BOXES = f"""\
click({_BOX})
left_double({_BOX})
right_single({_BOX})
drag({_BOX}, {_END_BOX})
hotkey(key='ctrl c') # {_KEYS}
type(content='xxx') # {_ESCAPES} {_SUBMIT}
scroll({_BOX}, direction='down or up or right or left')
wait() # Sleep for 5s and take a screenshot to check for any changes.
finished(content='xxx') # Submit the task when it is done, and say what was done.
call_user() # Submit the task and call the user when the task is unsolvable, or when you need the user's help."""

_WITH_POINTS = f"""\
click(point='<point>x1 y1</point>')
left_double(point='<point>x1 y1</point>')
right_single(point='<point>x1 y1</point>')
drag(start_point='<point>x1 y1</point>', end_point='<point>x2 y2</point>')
hotkey(key='ctrl c') # {_KEYS}
type(content='xxx') # {_ESCAPES} {_SUBMIT}
scroll(point='<point>x1 y1</point>', direction='down or up or right or left') # Show more on the `direction` side.
wait() # Sleep for 5s and take a screenshot to check for any changes.
finished(content='xxx') # {_ESCAPES}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UiTarsTraits(Traits):
    """What a version needs.

    Attributes:
        boxes: The actions have arguments with box tokens; else with <point>.
    """

    boxes: bool


def prompt(traits: UiTarsTraits, brief: Brief, language: str) -> str:
    """All that stands before the task."""
    parts = [
        _ROLE,
        "## Output Format\n```\nThought: ...\nAction: ...\n```",
        f"## Action Space\n\n{_WITH_BOXES if traits.boxes else _WITH_POINTS}",
        "## Functions\nThese are called in the same way, in place of an action. Their results come back in words.\n\n"
        + "\n".join(map(signature, own_tools.offered(brief, _scale(traits)))),
        f"## Note\n- Use {language} in `Thought` part.\n{_SUMMARY}",
        f"## Rules\n{brief.instruction}" if brief.instruction.strip() else "",
        "## User Instruction\n",
    ]
    return "\n\n".join(filter(None, parts))


def signature(tool: ToolSpec) -> str:
    """A function in the form of an action, with its description."""
    schema = json.loads(tool.parameters_json)
    required = schema.get("required") or ()
    arguments = [
        f"{name}={_example(of)}{'' if name in required else ' (optional)'}"
        for name, of in (schema.get("properties") or {}).items()
    ]
    described = [
        f"    {name}: {' '.join(str(of['description']).split())}"
        for name, of in (schema.get("properties") or {}).items()
        if isinstance(of, dict) and of.get("description")
    ]
    return "\n".join([f"{tool.name}({', '.join(arguments)}) # {' '.join(tool.description.split())}", *described])


def _example(schema: object) -> str:
    of = schema if isinstance(schema, dict) else {}
    if of.get("enum"):
        return "'" + " or ".join(map(str, of["enum"])) + "'"
    return {"integer": "1", "number": "1.0", "boolean": "True", "array": "['xxx', 'yyy']", "object": "{}"}.get(
        str(of.get("type")), "'xxx'"
    )


def _scale(traits: UiTarsTraits) -> str:
    return "in the coordinates of the actions" if traits.absolute else "0-1000 of the whole screen"
