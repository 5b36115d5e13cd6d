"""CogAgent's operations as domain actions.

Boxes are in thousandths of each axis (000-999); an operation applies to the centre of its box. Keys have the names of
Windows or macOS. Variables, `__CogName_x__`, are filled by QUOTE_TEXT, QUOTE_CLIPBOARD and LLM, and inserted into TYPE
and LLM.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from operator_console.domain.actions import (
    AskModel,
    Button,
    CallFunction,
    Chord,
    Click,
    Finish,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    QuoteClipboard,
    QuoteText,
    Scroll,
    TypeText,
)
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.cogagent.written_operation import WrittenOperation, as_json
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.arguments import MAX_WHEEL_CLICKS, Arguments, ParsedCall, read_address, read_with
from operator_console.providers.shared.written_values import written_point

_VARIABLE = re.compile(r"__CogName_(.{1,60}?)__", re.DOTALL)
_MOST = 30
_LONGEST = 20_000
_LONGEST_INSERTED = 50_000


def variable_name(written: str) -> str:
    """The name in `__CogName_name__`. Raises ActionError."""
    found = _VARIABLE.fullmatch(written.strip())
    if found is None or "__CogName_" in found[1]:
        raise ActionError(notice(NoticeCode.VARIABLE_NAME_WRONG, value=written[:60]))
    return found[1]


def names_in(text: str) -> tuple[str, ...]:
    """The names of the variables in a text, each once."""
    return tuple(dict.fromkeys(match[1] for match in _VARIABLE.finditer(text)))


def inserted(text: str, values: Mapping[str, str]) -> str:
    """The text with values in place of variables; variables in values are left as they are.

    Raises:
        ActionError: A variable has no value, or the text would be too long.
    """
    for name in names_in(text):
        if not values.get(name):
            raise ActionError(notice(NoticeCode.VARIABLE_WITHOUT_VALUE, name=f"__CogName_{name}__"))
    length = sum(len(values[match[1]]) for match in _VARIABLE.finditer(text))
    if length > _LONGEST_INSERTED:
        raise ActionError(notice(NoticeCode.VARIABLES_TOO_LONG, characters=length, limit=_LONGEST_INSERTED))
    return _VARIABLE.sub(lambda match: values[match[1]], text)


def with_value(values: Mapping[str, str], name: str, value: str) -> Mapping[str, str]:
    """The variables with another value; the oldest is left out where there are too many."""
    made = {**{key: kept for key, kept in values.items() if key != name}, name: value[:_LONGEST]}
    return dict(list(made.items())[-_MOST:])


FUNCTIONS = (own_tools.ASK_USER, own_tools.YIELD_TO_USER, own_tools.DONE)
"""The console's functions that CogAgent can use; reading texts is an operation of its own, and it sees one picture."""
BROWSER_FUNCTIONS = ("go_back", "go_forward", "search", "switch_tab", "close_tab")
"""Further ones in a managed browser; going to an address is an operation of its own."""

_NOTHING = frozenset({"", "none", "null", "[none]"})
_ELISIONS = ("...", "…")
_MOST_GESTURE_PARTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What a session's operations refer to.

    Attributes:
        tools: The functions of the session, by name.
        final_text: What the model said with an END.
        values: The variables.
        browser: Whether the target is a managed browser.
    """

    tools: frozenset[str] = frozenset()
    final_text: str = ""
    browser: bool = False
    values: Mapping[str, str]


_Reader: TypeAlias = Callable[[Arguments, Vocabulary], Sequence[ParsedCall]]


def parse_operation(
    operation: WrittenOperation, geometry: FrameGeometry, vocabulary: Vocabulary
) -> Sequence[ParsedCall]:
    """What an operation stands for: one action, or several for a gesture that is not a single combination of keys.

    Raises:
        ActionError: It is unknown, or its arguments cannot be used.
    """
    arguments = Arguments.on_grid(operation.arguments, geometry)
    if operation.name in vocabulary.tools:
        return [ParsedCall(action=CallFunction(name=operation.name, arguments_json=as_json(operation)))]
    name = operation.name.lower()
    if name in functions(browser=vocabulary.browser):
        return [read_with(own_tools.readers(browser=vocabulary.browser)[name], arguments)]
    reader = _READERS.get(known_name(operation.name))
    if reader is None:
        raise ActionError(notice(NoticeCode.CALL_UNKNOWN, name=operation.name))
    return reader(arguments, vocabulary)


def functions(*, browser: bool) -> tuple[str, ...]:
    """Names of the console's functions for a target that is a managed browser, or is none."""
    return (*FUNCTIONS, *BROWSER_FUNCTIONS) if browser else FUNCTIONS


def known_name(name: str) -> str:
    """The documented name of an operation, where it is written in another usual way."""
    upper = name.upper()
    return _OTHER_NAMES.get(upper, upper)


def given_result(operation: WrittenOperation) -> str:
    """The result that the model gives along, unless it is shortened; "" if there is none."""
    result = operation.arguments.get("result")
    if not isinstance(result, str | int | float) or isinstance(result, bool):
        return ""
    text = str(result)
    return "" if text.lower() in _NOTHING or any(mark in text for mark in _ELISIONS) else text


def element_of(operation: WrittenOperation) -> str:
    """The name of the element that the operation is for, with its type; "" if the model gives none."""
    named = (operation.arguments.get(name) for name in ("element_type", "element_info"))
    return ": ".join(
        text for text in (" ".join(str(value).split()) for value in named if value is not None)
        if text.lower() not in _NOTHING
    )  # fmt: skip


def _at(arguments: Arguments) -> tuple[NativePoint | None, Rect | None]:
    return written_point(arguments, "box") if arguments.has("box") else (None, None)


def _click(button: Button, count: int) -> _Reader:
    def read(arguments: Arguments, _: Vocabulary) -> Sequence[ParsedCall]:
        at, box = written_point(arguments, "box")
        return [ParsedCall(action=Click(at=at, button=button, count=count), box=box)]

    return read


def _hover(arguments: Arguments, _: Vocabulary) -> Sequence[ParsedCall]:
    at, box = written_point(arguments, "box")
    return [ParsedCall(action=Move(at=at), box=box)]


def _type(arguments: Arguments, vocabulary: Vocabulary) -> Sequence[ParsedCall]:
    at, box = _at(arguments)
    written = arguments.text("text")
    text = inserted(written, vocabulary.values)
    if not text:
        raise ActionError(notice(NoticeCode.ARGUMENT_EMPTY, argument="text"))
    notes = ", ".join(names_in(written))
    note = notice(NoticeCode.VARIABLES_INSERTED, names=notes) if notes else ""
    return [ParsedCall(action=TypeText(text=text, at=at), note=note, box=box)]


def _scroll(dx: int, dy: int) -> _Reader:
    def read(arguments: Arguments, _: Vocabulary) -> Sequence[ParsedCall]:
        at, box = _at(arguments)
        if not arguments.has("step_count"):
            raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument="step_count"))
        notches = round(arguments.within("step_count", 1, MAX_WHEEL_CLICKS, 1))
        return [ParsedCall(action=Scroll(at=at, dx=dx * notches, dy=dy * notches), box=box)]

    return read


def _key_press(arguments: Arguments, _: Vocabulary) -> Sequence[ParsedCall]:
    given = arguments.values.get("key")
    if isinstance(given, list):  # pressed one after the other
        each = [replace(arguments, values={**arguments.values, "key": item}) for item in given]
        if not 1 <= len(each) <= _MOST_GESTURE_PARTS:
            raise ActionError(notice(NoticeCode.ARGUMENT_WITHOUT_KEY, argument="key"))
        return [ParsedCall(action=_chord(one)) for one in each]
    return [ParsedCall(action=_chord(arguments))]


def _chord(arguments: Arguments) -> Chord:
    """A letter is the key with that letter, so "A" is without Shift."""
    key = arguments.text("key")
    values = {**arguments.values, "key": key.lower() if len(key) == 1 else key}
    return Chord(keys=replace(arguments, values=values).chord("key"))


def _gesture(arguments: Arguments, _: Vocabulary) -> Sequence[ParsedCall]:
    """A combination of keys; where keys are pressed more than once meanwhile, its parts one after the other."""
    items = arguments.values.get("actions")
    if not isinstance(items, list) or not items or len(items) > _MOST_GESTURE_PARTS:
        raise ActionError(notice(NoticeCode.GESTURE_NOT_A_LIST))
    parts = [_part(item, arguments.geometry) for item in items]
    held: list[Key] = []
    for name, key in parts:
        if name == "KEY_DOWN" and key not in held:
            held.append(key)
        elif name == "KEY_UP" and key in held:
            held.remove(key)
        elif name != "KEY_PRESS":
            raise ActionError(notice(NoticeCode.GESTURE_NOT_BALANCED))
    if held:
        raise ActionError(notice(NoticeCode.GESTURE_NOT_BALANCED))
    return [ParsedCall(action=action) for action in _as_actions(parts)]


def _part(item: object, geometry: FrameGeometry) -> tuple[str, Key]:
    name = known_name(item.name) if isinstance(item, WrittenOperation) else ""
    if not isinstance(item, WrittenOperation) or name not in {"KEY_DOWN", "KEY_PRESS", "KEY_UP"}:
        raise ActionError(notice(NoticeCode.GESTURE_NOT_A_LIST))
    return name, Arguments.on_grid(item.arguments, geometry).key("key")


def _as_actions(parts: Sequence[tuple[str, Key]]) -> list[Chord | KeyDown | KeyUp]:
    names = [name for name, _ in parts]
    first_up = names.index("KEY_UP") if "KEY_UP" in names else len(names)
    pressed = [name for name in names if name == "KEY_PRESS"]
    before, after = parts[:first_up], parts[first_up:]
    one = len(pressed) <= 1 and (not pressed or before[-1][0] == "KEY_PRESS")
    if one and all(name == "KEY_UP" for name, _ in after) and (pressed or len(before) == len(after)):
        keys = tuple(dict.fromkeys(key for _, key in before))
        return [Chord(keys=keys)]
    made: list[Chord | KeyDown | KeyUp] = []
    for name, key in parts:
        match name:
            case "KEY_DOWN":
                made.append(KeyDown(key=key))
            case "KEY_UP":
                made.append(KeyUp(key=key))
            case _:
                made.append(Chord(keys=(key,)))
    return made


def _launch(arguments: Arguments, vocabulary: Vocabulary) -> Sequence[ParsedCall]:
    url, app = (_named(arguments, name) for name in ("url", "app"))
    if vocabulary.browser and url:
        return [read_address(Arguments.on_grid({"url": url}, arguments.geometry), "url")]
    if vocabulary.browser:
        raise ActionError(notice(NoticeCode.NO_PROGRAM_IN_BROWSER))
    if not (url or app):
        raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument="app"))
    return [ParsedCall(action=Launch(url=url) if url else Launch(app=app))]


def _named(arguments: Arguments, name: str) -> str:
    text = arguments.text(name, "").strip().strip("`").strip()
    return "" if text.lower() in _NOTHING else text


def _quote_text(arguments: Arguments, _: Vocabulary) -> Sequence[ParsedCall]:
    _point, box = written_point(arguments, "box")
    if box is None:
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_BOX, argument="box"))
    variable = variable_name(arguments.text("output"))
    scrolls = arguments.flag("auto_scroll", default=False)
    return [ParsedCall(action=QuoteText(region=box, variable=variable, auto_scroll=scrolls), box=box)]


def _quote_clipboard(arguments: Arguments, _: Vocabulary) -> Sequence[ParsedCall]:
    return [ParsedCall(action=QuoteClipboard(variable=variable_name(arguments.text("output"))))]


def _llm(arguments: Arguments, vocabulary: Vocabulary) -> Sequence[ParsedCall]:
    prompt = inserted(arguments.text("prompt"), vocabulary.values)
    if not prompt.strip():
        raise ActionError(notice(NoticeCode.ARGUMENT_EMPTY, argument="prompt"))
    return [ParsedCall(action=AskModel(prompt=prompt, variable=variable_name(arguments.text("output"))))]


def _end(_arguments: Arguments, vocabulary: Vocabulary) -> Sequence[ParsedCall]:
    return [ParsedCall(action=Finish(message=vocabulary.final_text))]


_READERS: Mapping[str, _Reader] = {
    "CLICK": _click(Button.LEFT, 1),
    "DOUBLE_CLICK": _click(Button.LEFT, 2),
    "RIGHT_CLICK": _click(Button.RIGHT, 1),
    "HOVER": _hover,
    "TYPE": _type,
    "SCROLL_UP": _scroll(0, -1),
    "SCROLL_DOWN": _scroll(0, 1),
    "SCROLL_LEFT": _scroll(-1, 0),
    "SCROLL_RIGHT": _scroll(1, 0),
    "KEY_PRESS": _key_press,
    "GESTURE": _gesture,
    "LAUNCH": _launch,
    "QUOTE_TEXT": _quote_text,
    "QUOTE_CLIPBOARD": _quote_clipboard,
    "LLM": _llm,
    "END": _end,
}
OPERATIONS = frozenset(_READERS)
"""The documented operations."""

_OTHER_NAMES: Mapping[str, str] = {
    "QUOTE_CLIPBORAD": "QUOTE_CLIPBOARD",  # as the documentation spells it in an example
    "LEFT_CLICK": "CLICK",
    "KEYPRESS": "KEY_PRESS",
    "KEYDOWN": "KEY_DOWN",
    "KEYUP": "KEY_UP",
}
