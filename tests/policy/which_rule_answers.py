"""Which rule answers for every action, over every role of control, with every kind of key or button held down.

The table stands in which_rule_answers.txt. `python -m tests.policy.which_rule_answers` writes it anew; each changed
line is then read before it is kept.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import get_args

from operator_console.domain import actions as a
from operator_console.domain.element_uses import ElementIdentity, ElementUse
from operator_console.domain.elements import Role
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.policy import PolicyContext, assess
from tests.policy.control_examples import control, on

TABLE = Path(__file__).with_name("which_rule_answers.txt")
_WIDTH = 118
_HERE, _THERE = NativePoint(10, 10), NativePoint(90, 90)
_ENTER = Key("enter")

EXAMPLES: tuple[a.Action, ...] = (
    a.Move(at=_HERE), a.Click(at=_HERE), a.Press(at=_HERE), a.Release(at=_HERE), a.Drag(path=(_HERE, _THERE)),
    a.Scroll(at=_HERE, dy=1), a.TypeText(text="plain", clear=True), a.Chord(keys=(_ENTER,)), a.KeyDown(key=_ENTER),
    a.KeyUp(key=_ENTER), a.HoldKeys(keys=(_ENTER,), duration_s=1.0),
    a.UseElement(
        use=ElementUse.PRESS, at=_HERE, name="press",
        element=ElementIdentity(
            element_id="1", pid=1, role=Role.BUTTON, role_name="button", name="Details", extents=Rect(0, 0, 20, 20)
        ),
    ),
    a.Wait(), a.Screenshot(), a.Zoom(region=Rect(0, 0, 9, 9)), a.CursorPosition(), a.OpenBrowser(),
    a.Navigate(url="https://example.org/"), a.Back(), a.Forward(), a.SwitchTab(number=2), a.CloseTab(),
    a.Search(query="plants"), a.Launch(app="gedit"), a.QuoteText(region=Rect(0, 0, 9, 9), variable="v"),
    a.QuoteClipboard(variable="v"), a.ReadPage(), a.AskModel(prompt="why", variable="v"), a.RunCommand(command="ls"),
    a.EditFile(command="view", path="/tmp/a"), a.CallFunction(name="f"), a.AskOperator(question="Which?"), a.Finish(),
)  # fmt: skip
"""One of each kind; of keys the one that does most."""


class Held(StrEnum):
    """What earlier actions hold down."""

    NOTHING = "nothing"
    SHIFT = "shift"
    CTRL = "ctrl"
    ALT = "alt"
    ENTER = "enter"
    SPACE = "space"
    DELETE = "delete"
    LETTER = "a letter"
    ARROW = "an arrow"
    BUTTON = "a button"


_KEYS = {Held.LETTER: "w", Held.ARROW: "left"}


def kinds() -> tuple[str, ...]:
    """The kinds of the union of all actions."""
    return tuple(each.__dataclass_fields__["kind"].default for each in get_args(a.Action))


def table() -> str:
    """The table, by action; states with the same answers share their rows."""
    return "\n".join(section(action) for action in EXAMPLES)


def section(action: a.Action) -> str:
    """The rows of one action."""
    by_rows: dict[tuple[str, ...], list[Held]] = {}
    for held in Held:
        by_rows.setdefault(tuple(_rows(action, held)), []).append(held)
    lines = [f"== {action.kind}"]
    for rows, states in by_rows.items():
        lines += [f"-- held: {', '.join(states)}", *rows]
    return "\n".join(lines) + "\n"


def _rows(action: a.Action, held: Held) -> Iterator[str]:
    answers: dict[str, list[Role]] = {}
    for role in Role:
        found = assess(action, place(role, held))
        answers.setdefault(f"C{found.risk.value} {found.rule}", []).append(role)
    for answer, roles in sorted(answers.items()):
        said = "every role" if len(roles) == len(Role) else ", ".join(roles)
        yield textwrap.fill(f"{answer}: {said}", _WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def place(role: Role, held: Held) -> PolicyContext:
    """A control of this role in a plain program, with this held down."""
    context = on(control(role, "Details"))
    if held is Held.NOTHING:
        return context
    if held is Held.BUTTON:
        return replace(context, buttons=(a.Button.LEFT,), from_control=control(Role.LIST_ITEM, "Plants"))
    return replace(context, held=(Key(_KEYS.get(held, held.value)),))


if __name__ == "__main__":
    TABLE.write_text(table())
