"""The options of a combo box or list: found by their name, and whether one is chosen."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from operator_console.domain.element_uses import PRESSED_BY
from operator_console.domain.elements import Role
from operator_console.domain.errors import RejectedReason
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.accessibility.accessibility_bus import AccessibilityBus, Call, NoBus, NoReply, Ref
from operator_console.injector.action_errors import Refused

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
COMPONENT = "org.a11y.atspi.Component"
SELECTION = "org.a11y.atspi.Selection"
TEXT = "org.a11y.atspi.Text"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_DEEPEST, _MOST = 5, 1_000
_MOST_ACTIONS = 4
_CHECKED, _SELECTED = 4, 23
_ASK_S = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option, and the ways to choose it.

    Attributes:
        ref: its element.
        selected_in: elements in which it can be selected, each with its number there.
        pressed_by: the numbers and names of its own actions that press it.
    """

    ref: Ref
    selected_in: tuple[tuple[Ref, int], ...]
    pressed_by: tuple[tuple[int, str], ...]


class Options:
    """What an element holds, down to a limited depth and number.

    Args:
        bus: for the calls.
        holder: the combo box or list.
        is_list: whether it is a list.
        deadline_s: when `named` gives up (time.monotonic).
    """

    def __init__(self, bus: AccessibilityBus, holder: Ref, *, is_list: bool, deadline_s: float) -> None:
        self._bus = bus
        self._holder = holder
        self._is_list = is_list
        self._deadline_s = deadline_s
        self._named_by_choice = False

    def named(self, name: str) -> Option:
        """The option with exactly this name. Raises Refused where there is none, or several; NoBus, NoReply."""
        level: list[Ref] = [self._holder]
        seen = {self._holder}
        found: list[tuple[Ref, Ref, int]] = []
        for _ in range(_DEEPEST):
            below = self._below(level, seen)
            names = self._names([child for child, _, _ in below])
            found = [each for each, said in zip(below, names, strict=True) if said == name]
            if found or not below:
                (shown,) = self._names([self._holder])
                self._named_by_choice = shown in names
                break
            level = [child for child, _, _ in below]
        if len(found) != 1:
            code = NoticeCode.OPTION_NOT_UNIQUE if found else NoticeCode.OPTION_NOT_THERE
            raise Refused(RejectedReason.UNSUPPORTED, notice(code, option=name[:60]))
        return self._option(*found[0])

    def is_chosen(self, option: Option) -> bool:
        """Whether the application says that it is the chosen one; False where it does not answer."""
        calls = [Call(option.ref, ACCESSIBLE, "GetState"), _name_of(self._holder), _name_of(option.ref)]
        try:
            states, shown, name = self._bus.ask(calls, time.monotonic() + _ASK_S)
        except (NoBus, NoReply):
            return False
        if self._named_by_choice:
            # GTK 3 and Qt: what is selected in the list that pops up is only what is marked there.
            return bool(_said(name)) and _said(shown) == _said(name)
        words: Sequence[int] = states[0] if states else ()
        return bool(words) and any(int(words[0]) >> number & 1 for number in (_SELECTED, _CHECKED))

    def _below(self, level: Sequence[Ref], seen: set[Ref]) -> list[tuple[Ref, Ref, int]]:
        """The children of these elements, each with its parent and its number there."""
        answers = self._bus.ask([Call(ref, ACCESSIBLE, "GetChildren") for ref in level], self._deadline_s)
        below: list[tuple[Ref, Ref, int]] = []
        for parent, answer in zip(level, answers, strict=True):
            for index, child in enumerate(answer[0] if answer is not None else ()):
                ref = Ref(*child)
                if ref.owner == self._holder.owner and ref not in seen and len(seen) < _MOST:
                    seen.add(ref)
                    below.append((ref, parent, index))
        return below

    def _names(self, refs: Sequence[Ref]) -> list[str]:
        return [_said(answer) for answer in self._bus.ask([_name_of(ref) for ref in refs], self._deadline_s)]

    def _option(self, ref: Ref, parent: Ref, index: int) -> Option:
        """With the ways to choose it: in the combo box or list, or by its own action.

        What is selected in the list that a combo box pops up does not choose it.
        """
        holders = [self._holder, *([parent] if self._is_list and parent != self._holder else [])]
        interfaces = self._bus.ask([Call(each, ACCESSIBLE, "GetInterfaces") for each in holders], self._deadline_s)
        actions = [Call(ref, ACTION, "GetName", "i", (number,)) for number in range(_MOST_ACTIONS)]
        names = [_first(answer) for answer in self._bus.ask(actions, self._deadline_s)]
        return Option(
            ref=ref,
            selected_in=tuple(
                (holder, index)
                for holder, offered in zip(holders, interfaces, strict=True)
                if offered is not None and SELECTION in offered[0]
            ),
            pressed_by=tuple(
                (number, name) for number, name in enumerate(names) if name.lower() in PRESSED_BY[Role.LIST_ITEM]
            ),
        )


def _name_of(ref: Ref) -> Call:
    return Call(ref, _PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name"))


def _first(answer: tuple[Any, ...] | None) -> str:
    return str(answer[0]) if answer else ""


def _said(answer: tuple[Any, ...] | None) -> str:
    """The name in an answer, on one line."""
    return " ".join(str(answer[0][1]).split()) if answer is not None else ""
