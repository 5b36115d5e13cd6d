"""Other ways to act on an element, tried in a fixed order where acting on it by its number was not done.

1. by its number: in the middle of the element, on the screen that the model saw;
2. by its accessible action; a text: by the accessible focus, then typed there;
3. at a point of it, on the screen as it is now;
4. by keyboard: Tab to the element, and once it has the focus the key that presses it, or the text.

An option of a list whose options cannot be seen is chosen by the accessible selection, else the list is opened, the
option typed and Enter pressed.

Each attempt is a proposal of its own, so that policy decides it, a grant permits it, and the record shows it, with a
note of the ways before: what became of them, or why they do not apply. The model is told of all of them together, as
the result of its call. Only the first call of a turn is tried another way, because the model has not seen what that
call changed; and only if it was refused before anything was sent. Nothing is tried once the operator has declined,
changed or said something.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from operator_console.domain.actions import Action, Button, Chord, Click, TypeText, UseElement
from operator_console.domain.element_uses import ElementUse, identity_of, press_of
from operator_console.domain.elements import ElementState, Role
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import NoticeText, joined, notice, notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, CallResult, CallStatus, Observation
from operator_console.providers.structured.numbered_elements import Numbered, Screen

MOST_TABS = 20
"""Presses of Tab in one attempt."""

_SPACE, _ENTER = (Key("space"),), (Key("enter"),)
_PRESSED_BY = {
    Role.BUTTON: _SPACE, Role.CHECK_BOX: _SPACE, Role.RADIO_BUTTON: _SPACE, Role.SWITCH: _SPACE,
    Role.TOGGLE_BUTTON: _SPACE, Role.LINK: _ENTER, Role.MENU_ITEM: _ENTER,
}  # fmt: skip
_NOT_AS_SEEN = frozenset((NoticeCode.SCREEN_IS_NOT_AS_SEEN,))
_REFUSED = _NOT_AS_SEEN | {NoticeCode.CALL_NOT_DONE}
_FOR_THE_MODEL = frozenset((NoticeCode.OPTION_NOT_THERE, NoticeCode.OPTION_NOT_UNIQUE))
"""The model has to name another option: no other way finds it."""


class Way(StrEnum):
    """How an element is acted on. The values are codes of notices."""

    NUMBER = NoticeCode.BY_NUMBER
    ACTION = NoticeCode.BY_ACCESSIBLE_ACTION
    FOCUS = NoticeCode.BY_ACCESSIBLE_FOCUS
    SELECTION = NoticeCode.BY_ACCESSIBLE_SELECTION
    POINT = NoticeCode.ELEMENT_TRIED_AT_POINT
    KEYS = NoticeCode.ELEMENT_TRIED_BY_KEYS
    TAB = NoticeCode.ELEMENT_TRIED_BY_FOCUS
    TYPED_OPTION = NoticeCode.BY_TYPED_OPTION

    @property
    def words(self) -> NoticeText:
        """The way in words."""
        return notice(NoticeCode(self.value))


_ORDER = {
    Click: (Way.NUMBER, Way.ACTION, Way.POINT, Way.KEYS, Way.TAB),
    TypeText: (Way.NUMBER, Way.FOCUS, Way.POINT, Way.KEYS, Way.TAB),
    UseElement: (Way.SELECTION, Way.TYPED_OPTION),
}
_GIVES_FOCUS = frozenset((Way.FOCUS, Way.TAB))
"""With these alone, the call is not done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """A call on an element that was not done at first, and what has been tried for it.

    Attributes:
        results: those of the model's turn; the first is that of the call.
        element: as the model saw it.
        way: the last one that was tried, whose result is still to come.
        told: what became of the ways before.
        at: where the last attempt with a point was.
    """

    results: tuple[CallResult, ...]
    element: Numbered
    way: Way
    told: tuple[NoticeText, ...] = ()
    at: NativePoint

    @property
    def call(self) -> Call:
        """The model's call."""
        return self.results[0].call

    def ended(self, observation: Observation) -> Observation:
        """The observation with the results of the model's turn, in which that of the call tells all attempts."""
        last = _outcome(observation.results)
        told = "\n".join((*self.told, _tried(self.way, last)))
        status = CallStatus.FAILED if self.way in _GIVES_FOCUS and last.status is CallStatus.DONE else last.status
        merged = replace(self.results[0], status=status, text=told, changed=last.changed)
        return replace(observation, results=(merged, *self.results[1:]))

    def next(self, observation: Observation, screen: Screen) -> tuple[Attempts, tuple[Call, ...]] | None:
        """The next attempt on the screen as it is now, with its calls; None if there is none."""
        last, element = _outcome(observation.results), screen.same(self.element)
        if observation.messages or element is None:
            return None
        told = [*self.told, _tried(self.way, last)]
        for way in self._ways_after(last, element):
            found = _actions(way, self.call, element, screen, self.at)
            if isinstance(found, NoticeCode):
                told.append(notice(NoticeCode.WAY_NOT_OFFERED, way=way.words, reason=notice(found)))
            elif found:
                return self._trying(way, found, told, element)
        return None

    def _ways_after(self, last: CallResult, element: Numbered) -> Sequence[Way]:
        order = _ORDER.get(type(self.call.action), ())
        done = last.status is CallStatus.DONE
        if self.way in _GIVES_FOCUS and done and ElementState.FOCUSED in element.element.states:
            return (Way.KEYS,)
        if self.way is Way.TAB or self.way not in order:
            return ()
        # A focus that was set, and is not there, was no harm.
        goes_on = _was_refused(last) or (self.way is Way.FOCUS and done)
        return order[order.index(self.way) + 1 :] if goes_on else ()

    def _trying(
        self, way: Way, actions: Sequence[Action], told: Sequence[NoticeText], element: Numbered
    ) -> tuple[Attempts, tuple[Call, ...]]:
        note = joined(*told, notice(NoticeCode.WAY_NOW, way=way.words))
        first = actions[0]
        at = first.at if isinstance(first, Click | TypeText | UseElement) and first.at is not None else self.at
        calls = tuple(
            replace(self.call, index=index, action=action, box=element.box, note=note)
            for index, action in enumerate(actions)
        )
        return replace(self, way=way, told=tuple(told), at=at), calls


def refused_attempt(observation: Observation, screen: Screen) -> Attempts | None:
    """The first call of a turn, if it was refused as it acted on an element by its number; else None.

    Args:
        observation: what became of the turn.
        screen: that which the turn refers to.
    """
    first = observation.results[0] if observation.results else None
    if first is None or not _was_refused(first):
        return None
    element = _element_of(first.call, screen)
    match first.call.action:
        case Click(at=NativePoint() as at, button=Button.LEFT, count=1) | TypeText(at=NativePoint() as at) if element:
            return Attempts(results=observation.results, element=element, way=Way.NUMBER, at=at)
        case UseElement(use=ElementUse.CHOOSE, at=at) if element:
            return Attempts(results=observation.results, element=element, way=Way.SELECTION, at=at)
        case _:
            return None


def typed_option(element: Numbered, option: str) -> tuple[Action, ...]:
    """Open a list, type the option, and press Enter."""
    return Click(at=element.middle), TypeText(text=option), Chord(keys=_ENTER)


def _element_of(call: Call, screen: Screen) -> Numbered | None:
    index = json.loads(call.arguments_json).get("index")
    return next((each for each in screen.numbered if each.number == index and each.box == call.box), None)


def _was_refused(result: CallResult) -> bool:
    """Whether nothing was sent. Of a text that failed otherwise, a part may have been typed."""
    codes = {each.code for each in notices_of(result.text)}
    refused = _NOT_AS_SEEN if isinstance(result.call.action, TypeText) else _REFUSED
    open_ = result.status in (CallStatus.FAILED, CallStatus.NOT_DONE) and result.executed is None
    final = _FOR_THE_MODEL | {NoticeCode.DO_NOT_REPEAT}
    return open_ and bool(codes & refused) and not codes & final


def _outcome(results: Sequence[CallResult]) -> CallResult:
    """The result of an attempt of one or several calls: the first that was not done, else the last."""
    return next((each for each in results if each.status is not CallStatus.DONE), results[-1])


def _tried(way: Way, result: CallResult) -> NoticeText:
    """What became of a way."""
    said = result.text or result.call.error
    if not said:
        said = result.status.value
    elif result.status is CallStatus.DONE:
        said = joined(f"{result.status.value}.", said)
    return notice(NoticeCode.WAY_TRIED, way=way.words, outcome=said)


def _actions(
    way: Way, call: Call, element: Numbered, screen: Screen, before: NativePoint
) -> Sequence[Action] | NoticeCode:
    """What carries out the call this way; why nothing does; () where it is not to be mentioned."""
    match way:
        case Way.ACTION | Way.FOCUS:
            return _by_service(way, element)
        case Way.POINT:
            return _given(_with_point(call.action, _another_point(element, before)))
        case Way.KEYS if ElementState.FOCUSED in element.element.states:
            return _given(_by_keys(call.action, element)) or NoticeCode.NO_KEY_PRESSES_IT
        case Way.TAB if _by_keys(call.action, element) is None:
            return NoticeCode.NO_KEY_PRESSES_IT
        case Way.TAB:
            return _given(_tabs(element, screen.numbered)) or NoticeCode.TAB_CANNOT_REACH_IT
        case Way.TYPED_OPTION if isinstance(call.action, UseElement):
            return typed_option(element, call.action.option)
        case _:
            return ()


def _given(action: Action | None) -> Sequence[Action]:
    return () if action is None else (action,)


def _by_service(way: Way, element: Numbered) -> Sequence[Action] | NoticeCode:
    """The accessible action that presses an element, or that gives it the focus."""
    identity, at = identity_of(element.element), element.middle
    if identity is None:
        return NoticeCode.ELEMENT_UNKNOWN_TO_SERVICE
    if way is Way.FOCUS:
        return (UseElement(use=ElementUse.FOCUS, element=identity, at=at),)
    name = press_of(element.element.role, element.element.actions)
    if not name:
        return NoticeCode.ELEMENT_HAS_NONE
    return (UseElement(use=ElementUse.PRESS, element=identity, at=at, name=name),)


def _with_point(action: Action | None, at: NativePoint) -> Action | None:
    return replace(action, at=at) if isinstance(action, Click | TypeText) else None


def _another_point(element: Numbered, before: NativePoint) -> NativePoint:
    """The middle of the element, or a point left of it if the middle was tried."""
    if element.middle != before:
        return element.middle
    return NativePoint(element.box.x + element.box.width // 4, element.middle.y)


def _by_keys(action: Action | None, element: Numbered) -> Action | None:
    """What does with keys what the action does, once the element has the focus."""
    if isinstance(action, TypeText):
        return replace(action, at=None)
    keys = _PRESSED_BY.get(element.element.role)
    return Chord(keys=keys) if keys is not None else None


def _tabs(element: Numbered, numbered: Sequence[Numbered]) -> Chord | None:
    """Presses of Tab from the element with the focus; None if it is not known, or too far away."""
    order = [
        each
        for each in numbered
        if ElementState.FOCUSABLE in each.element.states and each.element.window == element.element.window
    ]
    focused = next((i for i, each in enumerate(order) if ElementState.FOCUSED in each.element.states), None)
    if focused is None or element not in order:
        return None
    steps = order.index(element) - focused
    keys = (Key("tab"),) if steps > 0 else (Key("shift"), Key("tab"))
    return Chord(keys=keys, repeat=abs(steps)) if 0 < abs(steps) <= MOST_TABS else None
