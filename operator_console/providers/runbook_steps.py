"""The steps of a runbook as values, and how each reads in a sentence. Made by `runbook_parse`, read by the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.actions import Button
from operator_console.domain.keys import Key, show_keys

WAIT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Something on the screen by its text; `near` tells it from others of the same text."""

    text: str
    near: str = ""

    @property
    def words(self) -> str:
        """As in a sentence."""
        return f"“{self.text}” near “{self.near}”" if self.near else f"“{self.text}”"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickStep:
    """`click "A"`, `double-click`, `right-click`, `middle-click`."""

    line: int
    target: Named
    button: Button = Button.LEFT
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeStep:
    """`type "A"`, `type "A" into "B"`, `replace "B" with "A"`."""

    line: int
    text: str
    into: Named | None = None
    replace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PressStep:
    """`press Ctrl+S`, `press Tab 3 times`."""

    line: int
    keys: tuple[Key, ...]
    repeat: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrollStep:
    """`scroll down 3`, `scroll up 2 on "A"`; in wheel notches."""

    line: int
    dx: int = 0
    dy: int = 0
    on: Named | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DragStep:
    """`drag "A" to "B"`."""

    line: int
    start: Named
    end: Named


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitStep:
    """`wait for "text"`, `wait for "text" up to 90 s`."""

    line: int
    text: str
    limit_s: float = WAIT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectStep:
    """`expect "text"`."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AskStep:
    """`ask "question"`: goes on with a yes."""

    line: int
    question: str


Step: TypeAlias = ClickStep | TypeStep | PressStep | ScrollStep | DragStep | WaitStep | ExpectStep | AskStep

_CLICK_VERBS = {
    (Button.LEFT, 1): "click",
    (Button.LEFT, 2): "double-click",
    (Button.RIGHT, 1): "right-click",
    (Button.MIDDLE, 1): "middle-click",
}


def verb(step: Step) -> str:
    """The word a step begins with."""
    match step:
        case ClickStep():
            return _CLICK_VERBS[step.button, step.count]
        case TypeStep():
            return "replace" if step.replace else "type"
        case PressStep():
            return "press"
        case ScrollStep():
            return "scroll"
        case DragStep():
            return "drag"
        case WaitStep():
            return "wait for"
        case ExpectStep():
            return "expect"
        case AskStep():
            return "ask"


def show(step: Step) -> str:
    """A step as a person says it: `click “Save”`."""
    return f"{verb(step)} {_object(step)}"


def _object(step: Step) -> str:
    match step:
        case ClickStep():
            return step.target.words
        case TypeStep(replace=True, into=Named() as into):
            return f"{into.words} with “{step.text}”"
        case TypeStep():
            return f"“{step.text}”" + (f" into {step.into.words}" if step.into else "")
        case PressStep():
            return show_keys(step.keys) + (f" {step.repeat} times" if step.repeat > 1 else "")
        case ScrollStep():
            return _direction(step) + (f" on {step.on.words}" if step.on else "")
        case DragStep():
            return f"{step.start.words} to {step.end.words}"
        case WaitStep() | ExpectStep():
            return f"“{step.text}”"
        case AskStep():
            return f"“{step.question}”"


def _direction(step: ScrollStep) -> str:
    if step.dy:
        return f"{'down' if step.dy > 0 else 'up'} {abs(step.dy)}"
    return f"{'right' if step.dx > 0 else 'left'} {abs(step.dx)}"
