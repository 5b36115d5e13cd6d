"""Uses one accessible element: presses it, gives it the keyboard focus, or chooses one of its options.

Before anything is sent, the element is compared with the one in the grant, and the screen as for a click. An
application that does not answer that comparison at once is sent nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
COMPONENT = "org.a11y.atspi.Component"
SELECTION = "org.a11y.atspi.Selection"
TEXT = "org.a11y.atspi.Text"
_DEEPEST, _MOST = 5, 1_000
_MOST_OPTION_ACTIONS = 4
_CHECKED, _SELECTED = 4, 23
_ASK_S = 0.7


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
        actions = [Call(ref, ACTION, "GetName", "i", (number,)) for number in range(_MOST_OPTION_ACTIONS)]
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
