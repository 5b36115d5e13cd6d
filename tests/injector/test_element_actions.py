"""What is reported of an element whose application answers late, wrongly, or not at all; the bus is in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from operator_console.desktop.ledger import Ledger
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import UseElement
from operator_console.domain.element_uses import ElementIdentity, ElementUse
from operator_console.domain.elements import Role
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.domain.notices import NoticeCode
from operator_console.injector.accessibility.accessibility_bus import AccessibilityBus, Call, NoBus, NoReply, Ref
from operator_console.injector.accessibility.element_actions import ElementActions
from operator_console.injector.action_errors import ActionError, DeliveryUnknown, Halted, Refused
from operator_console.injector.input_sender import InputSender
from operator_console.injector.progress import Progress
from operator_console.injector.target_check import TargetCheck

SAVE = ElementIdentity(
    element_id=":1.2/save", pid=5, role=Role.BUTTON, role_name="push button", name="Save", extents=Rect(10, 20, 80, 20)
)
PRESS = UseElement(use=ElementUse.PRESS, element=SAVE, at=NativePoint(50, 30), name="click")
ENABLED = 1 << 8 | 1 << 24

Reply = tuple[Any, ...] | None | Exception


class Bus:
    """An application with one button. `replies` are by method; an exception is raised."""

    def __init__(self, **replies: Reply) -> None:
        self.replies: dict[str, Reply] = {
            "Get": (("s", "Save"),), "GetRoleName": ("push button",), "GetState": ([ENABLED, 0],),
            "GetExtents": ((10, 20, 80, 20),), "GetName": ("click",), "DoAction": (True,), "GetRole": (43,), **replies,
        }  # fmt: skip
        self.done: list[str] = []
        self.process: int | None = 5

    def process_of(self, ref: Ref, deadline_s: float) -> int | None:
        return self.process

    def ask(self, calls: Sequence[Call], deadline_s: float) -> list[tuple[Any, ...] | None]:
        return [self._reply(call) for call in calls]

    def act(self, call: Call, deadline_s: float, send: Callable[[Callable[[], bool]], bool]) -> tuple[Any, ...] | None:
        def sent() -> bool:
            self.done.append(call.method)
            return True

        send(sent)
        return self._reply(call)

    def _reply(self, call: Call) -> tuple[Any, ...] | None:
        reply = self.replies[call.method]
        if isinstance(reply, Exception):
            raise reply
        return reply


class Sender:
    """A gate; shut, it raises Halted."""

    def __init__(self) -> None:
        self.open = True

    def sync(self) -> None:
        return None

    def commit(self, send: Callable[[], bool]) -> bool:
        if not self.open:
            raise Halted(NoticeCode.NOT_FINISHED_PAUSED)
        return send()


class Screen:
    """A screen on which nothing has changed, and a window that may have moved."""

    def __init__(self) -> None:
        self.moved = (0, 0)

    def offset(self, grant: Grant) -> tuple[int, int]:
        return self.moved

    def check_element(self, grant: Grant, action: UseElement) -> None:
        return None


def perform(
    bus: Bus, action: UseElement = PRESS, *, sender: Sender | None = None, moved: tuple[int, int] = (0, 0)
) -> tuple[Progress, ActionError | None]:
    """What was sent, and the error, if any."""
    screen, progress = Screen(), Progress(ledger=cast(Ledger, _Ledger()))
    screen.moved = moved
    actions = ElementActions(
        cast(InputSender, sender or Sender()), cast(TargetCheck, screen), OwnWindows(pids=(99,)),
        cast(AccessibilityBus, bus),
    )  # fmt: skip
    size = Size(200, 100)
    grant = Grant(
        grant_id="a", step=1, call=0, action=action, epoch=1, expires_s=0.0,
        target=MonitorTarget(spec="monitor:1", title=""),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size),
    )  # fmt: skip
    try:
        actions.perform(grant, action, progress)
    except ActionError as error:
        return progress, error
    return progress, None


class _Ledger:
    def set(self, word: object, value: int) -> None:
        return None

    def set_typed(self, index: int, number: int) -> None:
        return None


def test_the_element_is_pressed_by_its_action() -> None:
    bus = Bus()
    progress, error = perform(bus)
    assert (error, bus.done) == (None, ["DoAction"])
    assert (progress.delivered, progress.way) == (1, "accessible action “click”")


@pytest.mark.parametrize(
    ("replies", "code"),
    [
        ({"Get": (("s", "Delete"),)}, NoticeCode.ELEMENT_CHANGED),
        ({"GetRoleName": ("link",)}, NoticeCode.ELEMENT_CHANGED),
        ({"GetState": ([0, 0],)}, NoticeCode.ELEMENT_NOT_USABLE),
        ({"GetExtents": ((10, 60, 80, 20),)}, NoticeCode.ELEMENT_MOVED),
        ({"GetExtents": ((10, 20, 40, 20),)}, NoticeCode.ELEMENT_MOVED),
        ({"GetExtents": None}, NoticeCode.ELEMENT_GONE),
        ({"Get": NoReply()}, NoticeCode.ELEMENT_NOT_ANSWERING),
        ({"Get": NoBus()}, NoticeCode.NO_ACCESSIBILITY_SERVICE),
        ({"GetExtents": (("here",),)}, NoticeCode.ELEMENT_NOT_ANSWERING),
        ({"GetState": (["on"],)}, NoticeCode.ELEMENT_NOT_ANSWERING),
        ({"GetName": ("showContextMenu",)}, NoticeCode.ELEMENT_HAS_NO_ACTION),
    ],
)
def test_nothing_is_sent_to_what_is_not_the_element(replies: dict[str, Reply], code: NoticeCode) -> None:
    bus = Bus(**replies)
    progress, error = perform(bus)
    assert isinstance(error, Refused) and [each.code for each in error.text.notices] == [code]
    assert (bus.done, progress.delivered) == ([], 0)


def test_a_window_that_moved_takes_its_element_with_it() -> None:
    bus = Bus(GetExtents=((40, 25, 80, 20),))
    assert perform(bus, moved=(30, 5))[1] is None
    assert isinstance(perform(bus, moved=(30, 50))[1], Refused)


@pytest.mark.parametrize("pid", [99, 6])
def test_the_console_and_other_processes_are_refused(pid: int) -> None:
    bus = Bus()
    changed = UseElement(
        use=ElementUse.PRESS, at=PRESS.at, name="click",
        element=ElementIdentity(
            element_id=SAVE.element_id, pid=pid, role=SAVE.role, role_name="push button", name="Save",
            extents=SAVE.extents,
        ),
    )  # fmt: skip
    assert isinstance(perform(bus, changed)[1], Refused)
    bus.process = None
    assert isinstance(perform(bus)[1], Refused)
    assert bus.done == []


def test_a_shut_gate_sends_nothing() -> None:
    bus, sender = Bus(), Sender()
    sender.open = False
    progress, error = perform(bus, sender=sender)
    assert isinstance(error, Halted)
    assert (bus.done, progress.delivered) == ([], 0)


def test_one_that_shows_a_dialog_before_it_answers_has_done_it() -> None:
    bus = Bus(DoAction=NoReply())
    assert (perform(bus)[1], bus.done) == (None, ["DoAction"])


def test_of_one_that_stops_answering_nothing_is_known() -> None:
    progress, error = perform(Bus(DoAction=NoReply(), GetRole=NoReply()))
    assert isinstance(error, DeliveryUnknown)
    assert progress.delivered == 1, "it was sent"


@pytest.mark.parametrize("answer", [(False,), None])
def test_one_that_refuses_is_told(answer: Reply) -> None:
    _, error = perform(Bus(DoAction=answer))
    assert isinstance(error, Refused)
    assert [each.code for each in error.text.notices] == [NoticeCode.ELEMENT_REFUSED_ACTION]
