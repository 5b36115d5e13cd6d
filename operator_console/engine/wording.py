"""Actions in a person's words, for questions, the stop's report, the model and the history of a resumed run.

Complete and exact: nothing of the action is left out but the middle of long texts, and that is said. Pure.
"""

from __future__ import annotations

from operator_console.domain.actions import (
    Action,
    AskModel,
    AskOperator,
    CallFunction,
    Chord,
    Click,
    Drag,
    EditFile,
    Finish,
    HoldKeys,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    Navigate,
    Press,
    QuoteClipboard,
    QuoteText,
    Release,
    RunCommand,
    Scroll,
    Search,
    TypeText,
    Wait,
)
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key, show_keys

_LONG = 200
_PLAIN = {
    "screenshot": "look",
    "zoom": "look closer",
    "cursor_position": "ask for the pointer",
    "open_browser": "open the browser",
    "back": "go one page back",
    "forward": "go one page forward",
}


def shortened(text: str, limit: int = _LONG) -> str:
    """The text, with its middle replaced by how much it was where it is long."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]} … ({len(text) - 2 * half} more) … {text[-half:]}"


def describe(action: Action, label: str = "") -> str:
    """One sentence's worth of what the action does; `label` is the text at its target."""
    match action:
        case Move() | Click() | Press() | Release() | Drag() | Scroll():
            return _pointing(action, f" “{shortened(label, 80)}”" if label else "")
        case TypeText() | Chord() | KeyDown() | KeyUp() | HoldKeys():
            return _keys(action)
        case _:
            return _other(action)


def _pointing(action: Move | Click | Press | Release | Drag | Scroll, label: str) -> str:
    match action:
        case Move(at=at):
            return f"move the pointer to{label} {_at(at)}"
        case Click(at=at, button=button, count=count, modifiers=modifiers):
            times = {1: "click", 2: "double-click", 3: "triple-click"}.get(count, f"click {count} times")
            which = "" if button.value == "left" else f"{button.value} "
            return f"{_with(modifiers)}{which}{times}{label} {_at(at)}"
        case Press(at=at, button=button):
            return f"press the {button.value} button on{label} {_at(at)} and hold it"
        case Release(at=at, button=button):
            return f"release the {button.value} button {_at(at)}"
        case Drag(path=path, button=button, modifiers=modifiers):
            which = "" if button.value == "left" else f" with the {button.value} button"
            return f"{_with(modifiers)}drag{label} {' → '.join(f'{p.x}, {p.y}' for p in path)}{which}"
        case Scroll(at=at, dx=dx, dy=dy, modifiers=modifiers):
            ways = [f"{abs(dy)} {'down' if dy > 0 else 'up'}"] if dy else []
            ways += [f"{abs(dx)} {'right' if dx > 0 else 'left'}"] if dx else []
            return f"{_with(modifiers)}scroll {' and '.join(ways) or '0'} {_at(at)}"


def _keys(action: TypeText | Chord | KeyDown | KeyUp | HoldKeys) -> str:
    match action:
        case TypeText(text=text, at=at, clear=clear, submit=submit):
            place = f" into the field {_at(at)}" if at else ""
            cleared = ", after clearing the field" if clear else ""
            return f"type “{shortened(text)}”{place}{cleared}{', then Enter' if submit else ''}"
        case Chord(keys=keys, repeat=repeat):
            return f"press {show_keys(keys)}{f' {repeat} times' if repeat > 1 else ''}"
        case KeyDown(key=key):
            return f"press {show_keys((key,))} and hold it"
        case KeyUp(key=key):
            return f"release {show_keys((key,))}"
        case HoldKeys(keys=keys, duration_s=duration_s):
            return f"hold {show_keys(keys)} for {duration_s:g} s"


def _other(action: Action) -> str:
    match action:
        case Wait(duration_s=duration_s):
            return f"wait {duration_s:g} s"
        case Navigate(url=url, new_tab=new_tab):
            return f"go to {shortened(url)}{' in a new tab' if new_tab else ''}"
        case Search(query=query):
            return f"search for “{shortened(query)}”" if query else "open a search"
        case Launch(app=app, url=url):
            return f"open {shortened(url or app)}"
        case QuoteText(variable=variable, auto_scroll=True):
            return f"read into {variable}, scrolling down to the end and back"
        case QuoteText(variable=variable) | QuoteClipboard(variable=variable) | AskModel(variable=variable):
            return f"read into {variable}"
        case _:
            return _PLAIN.get(action.kind) or _tool(action)


def _tool(action: Action) -> str:
    match action:
        case RunCommand(command=command):
            return f"run the command {shortened(command, 2000)}"
        case EditFile(command=command, path=path):
            return f"{command} the file {path}"
        case CallFunction(name=name, arguments_json=arguments):
            return f"call {name}({shortened(arguments, 2000)})"
        case AskOperator(question=question):
            return f"ask “{shortened(question)}”"
        case Finish(success=success):
            return "end the task" if success else "give the task up"
        case _:
            return action.kind


def _at(point: NativePoint | None) -> str:
    return "where the pointer is" if point is None else f"at {point.x}, {point.y}"


def _with(modifiers: tuple[Key, ...]) -> str:
    return f"{show_keys(modifiers)}+" if modifiers else ""
