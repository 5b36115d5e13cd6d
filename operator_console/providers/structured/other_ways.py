"""Other ways to act on an element, tried in a fixed order where acting on it by its number was not done.

1. by its number: in the middle of the element, on the screen that the model saw;
2. at a point of it, on the screen as it is now;
3. by keyboard: Tab to the element, and once it has the focus the key that presses it, or the text.

Each attempt is a proposal of its own, so that policy decides it, a grant permits it, and the record shows it. The model
is told of all attempts together, as the result of its call. Only the first call of a turn is tried another way, because
the model has not seen what that call changed; and only if it was refused before anything was sent. Nothing is tried
once the operator has declined, changed or said something.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from operator_console.domain.actions import Action, Button, Chord, Click, TypeText
from operator_console.domain.elements import ElementState, Role
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice, notices_of
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


class Way(StrEnum):
    """How an element is acted on, in the order in which it is tried. FOCUS and KEYS are the two parts of the third."""

    NUMBER = "by its number"
    POINT = "at a point of it on the new screen"
    FOCUS = "by keyboard: Tab to it"
    KEYS = "by keyboard: its key or text"


_NOTES = {
    Way.POINT: NoticeCode.ELEMENT_TRIED_AT_POINT,
    Way.FOCUS: NoticeCode.ELEMENT_TRIED_BY_FOCUS,
    Way.KEYS: NoticeCode.ELEMENT_TRIED_BY_KEYS,
}


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
    told: tuple[str, ...] = ()
    at: NativePoint

    @property
    def call(self) -> Call:
        """The model's call."""
        return self.results[0].call

    def ended(self, observation: Observation) -> Observation:
        """The observation with the results of the model's turn, in which that of the call tells all attempts."""
        last = observation.results[0]
        said = last.text or last.call.error or last.status.value
        told = "\n".join((*self.told, f"Then {self.way}: {said}"))
        # With the focus alone the call is not done.
        status = CallStatus.FAILED if self.way is Way.FOCUS and last.status is CallStatus.DONE else last.status
        merged = replace(self.results[0], status=status, text=told, changed=last.changed)
        return replace(observation, results=(merged, *self.results[1:]))

    def next(self, observation: Observation, screen: Screen) -> tuple[Attempts, Call] | None:
        """The next attempt on the screen as it is now; None if there is none."""
        last, element = observation.results[0], screen.same(self.element)
        if observation.messages or element is None:
            return None
        if self.way is Way.FOCUS:
            has_focus = last.status is CallStatus.DONE and ElementState.FOCUSED in element.element.states
            ways: tuple[Way, ...] = (Way.KEYS,) if has_focus else ()
        elif _was_refused(last):
            ways = {Way.NUMBER: (Way.POINT, Way.KEYS, Way.FOCUS), Way.POINT: (Way.KEYS, Way.FOCUS)}.get(self.way, ())
        else:
            ways = ()
        for way in ways:
            action = _action(way, self.call, element, screen, self.at)
            if action is not None:
                return self._tried(way, action, last, element)
        return None

    def _tried(self, way: Way, action: Action, last: CallResult, element: Numbered) -> tuple[Attempts, Call]:
        line = (
            f"First {self.way}: {last.text}" if self.way is Way.NUMBER else f"Then {self.way}: {last.text or 'done.'}"
        )
        at = action.at if isinstance(action, Click | TypeText) and action.at is not None else self.at
        call = replace(self.call, index=0, action=action, box=element.box, note=notice(_NOTES[way]))
        return replace(self, way=way, told=(*self.told, line), at=at), call


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
        case _:
            return None


def _element_of(call: Call, screen: Screen) -> Numbered | None:
    index = json.loads(call.arguments_json).get("index")
    return next((each for each in screen.numbered if each.number == index and each.box == call.box), None)


def _was_refused(result: CallResult) -> bool:
    """Whether nothing was sent. Of a text that failed otherwise, a part may have been typed."""
    codes = {each.code for each in notices_of(result.text)}
    refused = _NOT_AS_SEEN if isinstance(result.call.action, TypeText) else _REFUSED
    open_ = result.status in (CallStatus.FAILED, CallStatus.NOT_DONE) and result.executed is None
    return open_ and bool(codes & refused) and NoticeCode.DO_NOT_REPEAT not in codes


def _action(way: Way, call: Call, element: Numbered, screen: Screen, before: NativePoint) -> Action | None:
    match way:
        case Way.POINT:
            return _with_point(call.action, _another_point(element, before))
        case Way.KEYS if ElementState.FOCUSED in element.element.states:
            return _by_keys(call.action, element)
        case Way.FOCUS if _by_keys(call.action, element) is not None:
            return _tabs(element, screen.numbered)
        case _:
            return None


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
