"""Translates the actions that a model asks for to calls with domain actions, on the screen that it was shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.actions import (
    Action,
    Back,
    Button,
    CallFunction,
    Chord,
    Click,
    CloseTab,
    Forward,
    Navigate,
    QuoteText,
    ReadPage,
    Scroll,
    Search,
    TypeText,
    UseElement,
    Wait,
)
from operator_console.domain.element_uses import HOLDING_OPTIONS, ElementUse, identity_of
from operator_console.domain.elements import Role
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.pages import Page
from operator_console.domain.proposals import Call
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.arguments import (
    INTENT_LENGTH,
    MAX_WHEEL_CLICKS,
    Arguments,
    ParsedCall,
    read_address,
    read_direction,
)
from operator_console.providers.shared.own_tools import unknown_function
from operator_console.providers.shared.results import one_line
from operator_console.providers.structured import action_space as ask
from operator_console.providers.structured.answer import Answer, Asked
from operator_console.providers.structured.fallbacks import typed_option
from operator_console.providers.structured.numbered_elements import Numbered, Screen

MAX_WAIT_S = 60.0
_LAST_TAB = 9
_OPTIONS = frozenset((Role.LIST_ITEM, Role.MENU_ITEM, Role.CELL, Role.TREE_ITEM, Role.RADIO_BUTTON))

ArgumentsOf: TypeAlias = Callable[[Mapping[str, object]], Arguments]
"""Gives arguments whose points are in the unit of the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What actions refer to: names of the session's functions, the screen that was shown, the unit of points, and the
    page of a managed browser."""

    tools: frozenset[str]
    screen: Screen
    geometry: FrameGeometry
    arguments_of: ArgumentsOf
    page: Page | None = None


def calls_of(answer: Answer, situation: Situation) -> tuple[Call, ...]:
    """The calls of an answer, in order. One that cannot be translated has an error for the model instead."""
    made: list[Call] = []
    for asked in answer.actions:
        parts: Sequence[ParsedCall | None]
        error = ""
        try:
            parts = _parsed(asked, situation)
        except ActionError as problem:
            parts, error = (None,), problem.text
        for part in parts:
            made.append(
                Call(
                    index=len(made),
                    name=_name(asked),
                    arguments_json=json.dumps(asked.written, ensure_ascii=False),
                    action=part.action if part is not None else None,
                    error=error,
                    intent=_intent(answer.next_goal, asked, situation.screen),
                    box=part.box if part is not None else None,
                    note=part.note if part is not None else "",
                )
            )
    return tuple(made)


def _name(asked: Asked) -> str:
    """The name of the action, or of the function that is called."""
    if isinstance(asked.arguments, ask.CallFunction):
        return asked.arguments.name[:64] or ask.CALL_FUNCTION
    return asked.name


def _intent(goal: str, asked: Asked, screen: Screen) -> str:
    index = asked.written.get("index")
    element = next((each.words for each in screen.numbered if each.number == index), "")
    return one_line(f"{goal} [{element}]" if element else goal, INTENT_LENGTH)


def _parsed(asked: Asked, situation: Situation) -> Sequence[ParsedCall]:
    """The actions that are asked for: one, but for options that are chosen by keys. Raises ActionError."""
    given, arguments = asked.arguments, situation.arguments_of(asked.written)
    if isinstance(given, ask.SelectOption):
        return _selected(given, situation.screen)
    if isinstance(given, ask.ClickElement | ask.InputText | ask.ScrollElement | ask.Extract):
        return (_on_element(given, arguments, situation),)
    if isinstance(given, ask.CallFunction):
        return (_function(given, situation.tools),)
    if asked.name in own_tools.READERS:
        return (ParsedCall(action=own_tools.READERS[asked.name](arguments)),)
    return (_elsewhere(given, arguments, situation.page),)


def _on_element(
    given: ask.ClickElement | ask.InputText | ask.ScrollElement | ask.Extract,
    arguments: Arguments,
    situation: Situation,
) -> ParsedCall:
    """An action on an element, or where the number is 0 on all of the screen. Raises ActionError."""
    if isinstance(given, ask.Extract) and given.index == 0 and situation.page is not None:
        return ParsedCall(action=ReadPage())
    native = situation.geometry.native
    box = Rect(0, 0, native.width, native.height)
    if given.index != 0 or isinstance(given, ask.ClickElement | ask.InputText):
        box = situation.screen.element(given.index).box
    at = NativePoint(*box.centre)
    shown = box if given.index != 0 else None
    match given:
        case ask.ClickElement():
            return ParsedCall(action=Click(at=at, button=Button(given.button), count=given.count), box=shown)
        case ask.InputText():
            typed = TypeText(text=given.text, at=at, clear=given.clear, submit=given.submit)
            return ParsedCall(action=typed, box=shown)
        case ask.ScrollElement():
            return ParsedCall(action=_scroll(at, arguments), box=shown)
        case ask.Extract():
            read = QuoteText(region=box, variable="text", auto_scroll=given.scroll_to_end)
            return ParsedCall(action=read, box=shown)


def _elsewhere(given: ask.Arguments, arguments: Arguments, page: Page | None) -> ParsedCall:
    """An action on no element. Raises ActionError."""
    match given:
        case ask.ClickPoint():
            at = arguments.at(given.x, given.y)
            return ParsedCall(action=Click(at=at, button=Button(given.button), count=given.count))
        case ask.ScrollPoint():
            return ParsedCall(action=_scroll(arguments.at(given.x, given.y), arguments))
        case ask.GoTo():
            return read_address(arguments, "url")
        case ask.NewTab():
            return _new_tab(given, arguments, page)
        case ask.SwitchTab():
            most = _LAST_TAB if page is None else max(1, len(page.tabs))
            return ParsedCall(action=own_tools.read_tab(arguments, most=most))
        case _:
            return ParsedCall(action=_by_keys(given, arguments))


def _by_keys(given: ask.Arguments, arguments: Arguments) -> Action:
    """An action at no point. Raises ActionError."""
    match given:
        case ask.TypeAtFocus():
            return TypeText(text=given.text, submit=given.submit)
        case ask.SendKeys():
            return Chord(keys=arguments.chord("keys"))
        case ask.CloseTab():
            return CloseTab()
        case ask.GoBack():
            return Back()
        case ask.GoForward():
            return Forward()
        case ask.SearchWeb():
            return Search(query=given.query)
        case ask.WaitFor():
            return Wait(duration_s=arguments.within("seconds", 0, MAX_WAIT_S, 1))
        case _:
            raise AssertionError(f"{type(given).__name__} has no meaning")


def _new_tab(given: ask.NewTab, arguments: Arguments, page: Page | None) -> ParsedCall:
    if not given.url.strip():
        return ParsedCall(action=Search() if page is None else Navigate(url="about:blank", new_tab=True))
    return read_address(arguments, "url", new_tab=True)


def _scroll(at: NativePoint, arguments: Arguments) -> Scroll:
    dx, dy = read_direction(arguments, "direction")
    notches = round(arguments.within("notches", 1, MAX_WHEEL_CLICKS, 5))
    return Scroll(at=at, dx=dx * notches, dy=dy * notches)


def _selected(given: ask.SelectOption, screen: Screen) -> Sequence[ParsedCall]:
    """A click on the option where it can be seen; else it is chosen through accessibility; where that does not know the
    list, it is opened, the option typed, and Enter pressed."""
    chosen_from = screen.element(given.index)
    option = given.option.strip()
    if not option:
        raise ActionError(notice(NoticeCode.ARGUMENT_EMPTY, argument="option"))
    for each in screen.numbered:
        if each.element.role in _OPTIONS and each.element.name.strip() == option and not _is_shut_in(each, chosen_from):
            return (ParsedCall(action=Click(at=each.middle), box=each.box),)
    identity = identity_of(chosen_from.element)
    if identity is not None and identity.role in HOLDING_OPTIONS:
        chosen = UseElement(use=ElementUse.CHOOSE, element=identity, at=chosen_from.middle, option=option)
        note = notice(NoticeCode.OPTION_CHOSEN_BY_SERVICE)
        return (ParsedCall(action=chosen, box=chosen_from.box, note=note),)
    note = notice(NoticeCode.OPTION_CHOSEN_BY_TYPING)
    opened, *keys = typed_option(chosen_from, option)
    return (
        ParsedCall(action=opened, box=chosen_from.box, note=note),
        *(ParsedCall(action=each, note=note) for each in keys),
    )


def _is_shut_in(option: Numbered, chosen_from: Numbered) -> bool:
    """Whether it is the option that a shut combo box shows: browsers tell it as if it could be seen by itself."""
    return chosen_from.element.role is Role.COMBO_BOX and chosen_from.box.intersect(option.box) == option.box


def _function(given: ask.CallFunction, tools: frozenset[str]) -> ParsedCall:
    if given.name not in tools:
        raise unknown_function(given.name, tools | frozenset(ask.ACTIONS))
    action = CallFunction(name=given.name, arguments_json=given.arguments_json)
    action.arguments()  # raises ActionError if they are no object
    return ParsedCall(action=action)
