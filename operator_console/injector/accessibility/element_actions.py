"""Uses one accessible element: presses it, gives it the keyboard focus, or chooses one of its options.

Before anything is sent, the element is compared with the one in the grant, and the screen as for a click. An
application that does not answer that comparison at once is sent nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import UseElement
from operator_console.domain.element_uses import HOLDING_OPTIONS, PRESSED_BY, ElementUse, accessible_name
from operator_console.domain.elements import Role
from operator_console.domain.errors import RejectedReason
from operator_console.domain.geometry import Rect
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.accessibility.accessibility_bus import AccessibilityBus, Call, NoBus, NoReply, Ref
from operator_console.injector.accessibility.element_options import (
    ACCESSIBLE,
    ACTION,
    COMPONENT,
    SELECTION,
    Option,
    Options,
)
from operator_console.injector.action_errors import DeliveryUnknown, Refused
from operator_console.injector.input_sender import InputSender
from operator_console.injector.progress import Progress
from operator_console.injector.target_check import TargetCheck

CHECKED_WITHIN_S = 1.0
"""Time that an application has to say what the element is now."""
DONE_WITHIN_S = 1.0
"""Time that it has to answer that it did something; one that shows a dialog answers when that is closed."""
_SHOWS_WITHIN_S = 0.7
_POLL_S = 0.02
_NEAR_PX = 2
_MOST_ACTIONS = 10
_PROPERTIES = "org.freedesktop.DBus.Properties"
_SCREEN_COORDINATES = 0
_ENABLED, _FOCUSED, _SENSITIVE = 8, 12, 24


class ElementActions:
    """Uses elements of one display.

    Args:
        sender: decides whether anything may be sent now.
        target_check: compares the screen.
        own: the console's processes, whose elements are never used.
        bus: the accessibility bus of the display.
    """

    def __init__(self, sender: InputSender, target_check: TargetCheck, own: OwnWindows, bus: AccessibilityBus) -> None:
        self._sender = sender
        self._target_check = target_check
        self._own = own
        self._bus = bus
        self._progress: Progress | None = None

    def perform(self, grant: Grant, action: UseElement, progress: Progress) -> None:
        """Use the element. Raises Refused before anything was sent, and Halted, DeliveryUnknown."""
        self._sender.sync()
        ref = self._reference(action)
        try:
            self._require_same(grant, action, ref)
            make = self._prepared(action, ref)
        except NoReply as error:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_NOT_ANSWERING)) from error
        except NoBus as error:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.NO_ACCESSIBILITY_SERVICE)) from error
        except (TypeError, ValueError, LookupError) as error:  # an application that breaks the protocol
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_NOT_ANSWERING)) from error
        self._target_check.check_element(grant, action)
        progress.count(0, 1)
        self._progress = progress
        progress.way = make()

    def close(self) -> None:
        """Close the connection to the bus."""
        self._bus.close()

    def _reference(self, action: UseElement) -> Ref:
        owner, slash, path = action.element.element_id.partition("/")
        if not owner or not slash:
            raise Refused(RejectedReason.BAD_GRANT, notice(NoticeCode.ELEMENT_GONE))
        if action.element.pid in self._own.pids:
            raise Refused(RejectedReason.OWN_WINDOW, notice(NoticeCode.ELEMENT_OF_CONSOLE))
        return Ref(owner, slash + path)

    def _require_same(self, grant: Grant, action: UseElement, ref: Ref) -> None:
        """Raises Refused where it is not the element of the grant any more; NoBus, NoReply."""
        meant, deadline_s = action.element, time.monotonic() + CHECKED_WITHIN_S
        pid = self._bus.process_of(ref, deadline_s)
        if pid is None:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.ELEMENT_GONE))
        if pid != meant.pid:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.ELEMENT_OF_OTHER_PROCESS))
        name, role, states, extents = self._bus.ask(
            [
                Call(ref, _PROPERTIES, "Get", "ss", (ACCESSIBLE, "Name")),
                Call(ref, ACCESSIBLE, "GetRoleName"),
                Call(ref, ACCESSIBLE, "GetState"),
                Call(ref, COMPONENT, "GetExtents", "u", (_SCREEN_COORDINATES,)),
            ],
            deadline_s,
        )
        if name is None or states is None or extents is None:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.ELEMENT_GONE))
        now = accessible_name(str(name[0][1]))
        if now != meant.name or (str(role[0]) if role is not None else "") != meant.role_name:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.ELEMENT_CHANGED, name=now[:60], before=meant.name))
        if not _usable(states[0]):
            raise Refused(RejectedReason.STALE, notice(NoticeCode.ELEMENT_NOT_USABLE))
        moved = self._target_check.offset(grant)
        if not _near(Rect(*extents[0]), meant.extents, moved):
            raise Refused(RejectedReason.STALE, notice(NoticeCode.ELEMENT_MOVED))

    def _prepared(self, action: UseElement, ref: Ref) -> Callable[[], str]:
        """The function that does it and says how. Raises Refused, NoBus, NoReply."""
        match action.use:
            case ElementUse.PRESS:
                if action.name.lower() not in PRESSED_BY.get(action.element.role, ()):
                    raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_HAS_NO_ACTION))
                number = self._number_of(ref, action.name)
                return lambda: self._press(ref, number, action.name)
            case ElementUse.FOCUS:
                return lambda: self._focus(ref)
            case ElementUse.CHOOSE:
                if action.element.role not in HOLDING_OPTIONS:
                    raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_HAS_NO_OPTIONS))
                options = Options(
                    self._bus, ref, is_list=action.element.role is Role.LIST,
                    deadline_s=time.monotonic() + CHECKED_WITHIN_S,
                )  # fmt: skip
                option = options.named(action.option)
                return lambda: self._choose(options, option)

    def _number_of(self, ref: Ref, name: str) -> int:
        """The number of the action with this name. Raises Refused, NoBus, NoReply."""
        calls = [Call(ref, ACTION, "GetName", "i", (number,)) for number in range(_MOST_ACTIONS)]
        names = self._bus.ask(calls, time.monotonic() + CHECKED_WITHIN_S)
        for number, found in enumerate(names):
            if found is not None and str(found[0]).lower() == name.lower():
                return number
        raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_HAS_NO_ACTION))

    def _press(self, ref: Ref, number: int, name: str) -> str:
        self._done(Call(ref, ACTION, "DoAction", "i", (number,)))
        return f"accessible action “{name}”"

    def _focus(self, ref: Ref) -> str:
        self._done(Call(ref, COMPONENT, "GrabFocus"))
        if not self._comes_true(lambda: _has(self._states(ref), _FOCUSED)):
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_TAKES_NO_FOCUS))
        return "accessible focus"

    def _choose(self, options: Options, option: Option) -> str:
        """Choose by the first way that shows. Raises Refused where the application takes none."""
        if options.is_chosen(option):
            return "accessible selection"
        ways = [(Call(each, SELECTION, "SelectChild", "i", (index,)), "accessible selection")
                for each, index in option.selected_in]  # fmt: skip
        ways += [(Call(option.ref, ACTION, "DoAction", "i", (number,)), f"accessible action “{name}” of the option")
                 for number, name in option.pressed_by]  # fmt: skip
        taken = False
        for call, words in ways:
            try:
                self._done(call)
            except Refused:
                continue
            taken = True
            if self._comes_true(lambda: options.is_chosen(option)):
                return words
        if taken:
            raise DeliveryUnknown(notice(NoticeCode.OPTION_NOT_SHOWN_CHOSEN))
        raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.OPTION_NOT_CHOOSABLE))

    def _done(self, call: Call) -> None:
        """Send one call that acts, if the gate is open. Raises Refused, Halted, DeliveryUnknown."""
        try:
            answer = self._bus.act(call, time.monotonic() + DONE_WITHIN_S, self._commit)
        except NoBus as error:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.NO_ACCESSIBILITY_SERVICE)) from error
        except NoReply as error:
            if self._answers(call.ref):
                return  # it is still working on it: a dialog that it opened is not closed yet
            raise DeliveryUnknown(notice(NoticeCode.ELEMENT_ACTION_UNANSWERED)) from error
        if answer is None or not answer or answer[0] is False:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_REFUSED_ACTION))

    def _commit(self, send: Callable[[], bool]) -> bool:
        sent = self._sender.commit(send)
        if self._progress is not None:
            self._progress.count(1, 1)  # before the answer is waited for, in which a stop may kill this process
        return sent

    def _answers(self, ref: Ref) -> bool:
        """Whether the application answers a later question."""
        try:
            self._bus.ask([Call(ref, ACCESSIBLE, "GetRole")], time.monotonic() + _SHOWS_WITHIN_S)
        except (NoBus, NoReply):
            return False
        return True

    def _states(self, ref: Ref) -> Any:
        try:
            (answer,) = self._bus.ask([Call(ref, ACCESSIBLE, "GetState")], time.monotonic() + _SHOWS_WITHIN_S)
        except (NoBus, NoReply):
            return ()
        return () if answer is None else answer[0]

    def _comes_true(self, condition: Callable[[], bool]) -> bool:
        """Whether it becomes true soon; asked again and again. Raises Halted."""
        deadline_s = time.monotonic() + _SHOWS_WITHIN_S
        while not condition():
            if time.monotonic() >= deadline_s:
                return False
            self._sender.wait(_POLL_S)
        return True


def _has(states: Any, number: int) -> bool:
    """Whether a state is among the two words of `GetState`."""
    return len(states) > number // 32 and bool(int(states[number // 32]) >> (number % 32) & 1)


def _usable(states: Any) -> bool:
    return _has(states, _ENABLED) or _has(states, _SENSITIVE)


def _near(now: Rect, meant: Rect, moved: tuple[int, int]) -> bool:
    """Whether it has its size, and its place, also after its window moved by `moved`."""
    if abs(now.width - meant.width) > _NEAR_PX or abs(now.height - meant.height) > _NEAR_PX:
        return False
    dx, dy = now.x - meant.x, now.y - meant.y
    return any(abs(dx - x) <= _NEAR_PX and abs(dy - y) <= _NEAR_PX for x, y in ((0, 0), moved))
