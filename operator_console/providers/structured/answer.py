"""Reads the JSON of an answer: thought, evaluation of the last step, memory, next goal, and the actions it asks for.

    {"thinking": "...", "evaluation_previous_goal": "...", "memory": "...", "next_goal": "...",
     "action": [{"click": {"index": 12}}, {"send_keys": {"keys": "enter"}}]}

The form is that of browser-use. An answer without actions is a turn of text alone, which is its `next_goal`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pydantic

from operator_console.providers.shared.answers import json_text
from operator_console.providers.shared.arguments import can_be_kept
from operator_console.providers.structured.action_space import (
    ACTIONS,
    BROWSER_ACTIONS,
    CALL_FUNCTION,
    Arguments,
    arguments_schema,
    description,
)

MOST_ACTIONS = 10
_PROBLEM_LENGTH = 800

_TEXTS = {
    "thinking": "What you see, and how you conclude what to do.",
    "evaluation_previous_goal": "Whether your last actions did what they should: success, failure or unknown, and why.",
    "memory": "What you must remember for later: old screens, their lists and what you read are not kept.",
    "next_goal": "What your actions are to achieve, in one sentence. It is shown to the operator.",
}


class NotInForm(Exception):
    """An answer does not have the required form; the message tells the model why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One action that is asked for: its name, its arguments, and these as they were written."""

    name: str
    arguments: Arguments
    written: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer in the required form."""

    thinking: str
    evaluation: str
    memory: str
    next_goal: str
    actions: tuple[Asked, ...]


def _text_or_nothing(value: object) -> object:
    return "" if value is None else value


_Text = Annotated[str, pydantic.BeforeValidator(_text_or_nothing)]


class _Written(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="ignore")

    thinking: _Text = ""
    evaluation_previous_goal: _Text = ""
    memory: _Text = ""
    next_goal: _Text = ""
    action: Annotated[list[dict[str, Any]], pydantic.Field(max_length=MOST_ACTIONS)]


def read_answer(text: str, *, browser: bool = False) -> Answer:
    """Read an answer, which may stand in a code block or after thoughts in tags. Raises NotInForm.

    `browser` is whether the target is a managed browser.
    """
    try:
        written = _Written.model_validate(_object(text))
    except pydantic.ValidationError as error:
        raise NotInForm(_words(error)) from error
    actions = tuple(
        _asked(number, one, offered_actions(with_functions=True, browser=browser))
        for number, one in enumerate(written.action)
    )
    if not actions and not written.next_goal.strip():
        raise NotInForm('"action" is empty, and "next_goal" does not say why.')
    return Answer(
        thinking=written.thinking.strip(),
        evaluation=written.evaluation_previous_goal.strip(),
        memory=written.memory.strip(),
        next_goal=written.next_goal.strip(),
        actions=actions,
    )


def answer_schema(*, with_functions: bool, browser: bool = False) -> dict[str, Any]:
    """The JSON schema of answers, in the part of JSON Schema that all services take.

    Args:
        with_functions: Whether the session has functions that can be called.
        browser: Whether the target is a managed browser.
    """
    texts = {name: {"type": "string", "description": words} for name, words in _TEXTS.items()}
    each = [
        {
            "type": "object",
            "description": description(kind),
            "properties": {name: arguments_schema(kind)},
            "required": [name],
            "additionalProperties": False,
        }
        for name, kind in offered_actions(with_functions=with_functions, browser=browser).items()
    ]
    actions = {
        "type": "array",
        "description": f"Up to {MOST_ACTIONS} actions, done in order until one is not done. Empty only to say "
        "something to the operator, as next_goal.",
        "items": {"anyOf": each},
    }
    properties = {**texts, "action": actions}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def offered_actions(*, with_functions: bool, browser: bool = False) -> Mapping[str, type[Arguments]]:
    """The actions by name, with that for functions only if there are any."""
    actions = BROWSER_ACTIONS if browser else ACTIONS
    return {name: kind for name, kind in actions.items() if with_functions or name != CALL_FUNCTION}


def _object(text: str) -> object:
    """The JSON object in a text. Raises NotInForm."""
    try:
        found = json.loads(json_text(text))
    except (ValueError, RecursionError) as error:
        raise NotInForm(f"It is not JSON: {error}"[:_PROBLEM_LENGTH]) from error
    if not can_be_kept(found):
        raise NotInForm("It has a number or a character that JSON in UTF-8 cannot have.")
    return found


def _asked(number: int, action: Mapping[str, Any], actions: Mapping[str, type[Arguments]]) -> Asked:
    if len(action) != 1:
        raise NotInForm(f"action {number}: it must be an object with one key, the name of the action.")
    ((name, written),) = action.items()
    kind = actions.get(name)
    if kind is None:
        raise NotInForm(f"action {number}: there is no action {name[:80]!r}. There are: {', '.join(actions)}.")
    written = {} if written is None else written
    try:
        return Asked(name=name, arguments=kind.model_validate(written), written=written)
    except pydantic.ValidationError as error:
        raise NotInForm(f"action {number}, {name}: {_words(error)}") from error


def _words(error: pydantic.ValidationError) -> str:
    told: Sequence[str] = [
        f"{'.'.join(map(str, one['loc'])) or 'the answer'}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    return "; ".join(told)[:_PROBLEM_LENGTH]
