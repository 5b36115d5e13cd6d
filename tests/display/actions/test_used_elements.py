"""Elements are used through accessibility by the injector alone, and only if they are what the grant says."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from operator_console.computers.desktop_computer import DesktopComputer
from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import UseElement
from operator_console.domain.decisions import ActResult, Outcome, Surface
from operator_console.domain.element_uses import ElementUse, identity_of, press_of
from operator_console.domain.elements import Element, Role
from operator_console.domain.events import Asked, Decided, Granted, Performed
from operator_console.domain.frames import Frame, ImageNeeds
from operator_console.domain.geometry import NativePoint
from operator_console.domain.intents import Answer
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus, Proposal
from operator_console.domain.risk import RiskClass
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import StopCause
from operator_console.engine.session import Session
from operator_console.engine.session_context import Options, Ports
from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from tests.display.actions.element_windows import Receiver, show
from tests.display.guard.acting import armed, guarded
from tests.display.rig import AccessibleDesktop, process_alive, wait_until
from tests.engine.rig import Memory, Model, Watcher, does, said

NEEDS = ImageNeeds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What applications tell of the screen."""

    elements: AccessibleElements
    computer: DesktopComputer

    async def look(self) -> tuple[Frame, dict[str, Element]]:
        """The screen, and its elements by name or role, once its last button is told."""
        async with asyncio.timeout(30):
            while True:
                frame = await self.computer.observe(NEEDS)
                found = await self.elements.visible(frame)
                if any(each.name == "Pay 25 euros" and each.role is Role.BUTTON for each in found):
                    named = {each.role.value: each for each in reversed(found)}
                    return frame, named | {each.name: each for each in found if each.role is not Role.LABEL}


@pytest.fixture
async def sight(
    accessible_desktop: AccessibleDesktop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Sight]:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", accessible_desktop.env["DBUS_SESSION_BUS_ADDRESS"])
    elements = AccessibleElements(AccessibilityOptions(run_folder=tmp_path))
    await elements.start()
    computer = await open_computer("monitor:1", OwnWindows(), accessible_desktop.desktop.name)
    yield Sight(elements=elements, computer=computer)
    await computer.close()
    await elements.close()


def used(element: Element, use: ElementUse, option: str = "") -> UseElement:
    identity = identity_of(element)
    assert identity is not None
    name = press_of(element.role, element.actions) if use is ElementUse.PRESS else ""
    return UseElement(use=use, element=identity, at=NativePoint(*element.box.centre), name=name, option=option)


def codes(outcome: Outcome) -> set[str]:
    return {each.code for each in outcome.detail_notices}


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "kit", ["GTK 3", "GTK 4", "Qt", pytest.param("Chromium", marks=pytest.mark.full)]
)  # pages: browser/test_use_element.py
async def test_applications_receive_the_press_the_choice_and_the_focus(
    accessible_desktop: AccessibleDesktop, sight: Sight, kit: str
) -> None:
    shown = show(accessible_desktop, kit)
    async with armed(accessible_desktop.desktop) as acting:
        _, elements = await sight.look()
        before = accessible_desktop.desktop.pointer()
        pressed = await acting.do(used(elements["Save draft"], ElementUse.PRESS))
        assert (pressed.result, pressed.delivered) == (ActResult.DONE, 1), pressed
        assert pressed.method.startswith("accessible action")
        # Qt shows the button pressed for a tenth of a second, and reports the click after that.
        wait_until(lambda: shown.received() == [["pressed", "Save draft"]], "the button to be pressed")
        _, elements = await sight.look()
        chosen = await acting.do(used(elements["combo box"], ElementUse.CHOOSE, "Norway"))
        wrong = await acting.do(used((await sight.look())[1]["combo box"], ElementUse.CHOOSE, "Atlantis"))
        focused = await acting.do(used(elements["text field"], ElementUse.FOCUS))
        accessible_desktop.desktop.xdo("type", "o")  # a person's key, to see who has the focus
        assert accessible_desktop.desktop.pointer() == before
    choice = [["chosen", "Norway"]] if kit in ("GTK 3", "Chromium") else []
    assert (chosen.result is ActResult.DONE) is bool(choice), chosen
    assert wrong.result is ActResult.FAILED and codes(wrong) == {NoticeCode.OPTION_NOT_THERE}
    # GTK 4.8 has no way to set the focus.
    assert (focused.result is ActResult.DONE) is (kit != "GTK 4"), focused
    focus = [["focused", "Note"]] if kit == "Chromium" else []
    typed = [["typed", "o"]] if kit != "GTK 4" else []
    expected = [["pressed", "Save draft"], *choice, *focus, *typed]
    wait_until(lambda: shown.received() == expected, f"it to have received {expected}; it has {shown.received()}")


LIES: dict[str, tuple[Callable[[Receiver], None], NoticeCode]] = {
    "another name": (lambda shown: os.kill(shown.app.pid, signal.SIGUSR1), NoticeCode.ELEMENT_CHANGED),
    "another place": (lambda shown: os.kill(shown.app.pid, signal.SIGUSR2), NoticeCode.ELEMENT_MOVED),
    "an application that hangs": (
        lambda shown: os.kill(shown.app.pid, signal.SIGSTOP), NoticeCode.ELEMENT_NOT_ANSWERING,
    ),
    "an application that has ended": (lambda shown: shown.app.stop(), NoticeCode.ELEMENT_GONE),
}  # fmt: skip


@pytest.mark.timeout(120)
async def test_an_element_that_is_not_what_it_was_is_not_used(
    accessible_desktop: AccessibleDesktop, sight: Sight
) -> None:
    desktop = accessible_desktop.desktop
    async with armed(desktop) as acting:
        for lie, (tell, code) in LIES.items():
            shown = show(accessible_desktop, "Qt")
            _, elements = await sight.look()
            save = used(elements["Save draft"], ElementUse.PRESS)
            tell(shown)
            if code in (NoticeCode.ELEMENT_CHANGED, NoticeCode.ELEMENT_MOVED):
                await asyncio.to_thread(wait_until, lambda now=save: _differs(accessible_desktop, now), lie)
            refused = await acting.do(save)
            assert (refused.result, refused.delivered, codes(refused)) == (ActResult.FAILED, 0, {code}), (lie, refused)
            assert refused.duration_s < 2, "a told error within a bounded time"
            if process_alive(shown.app.pid):
                os.kill(shown.app.pid, signal.SIGCONT)
            assert shown.received() == [], lie
            shown.app.stop()
            wait_until(lambda pid=shown.app.pid: not process_alive(pid), "it to end")  # type: ignore[misc]


def _differs(place: AccessibleDesktop, save: UseElement) -> bool:
    found = place.tree.find("Save draft", "push button")
    extents = save.element.extents
    return found is None or found.extents != (extents.x, extents.y, extents.width, extents.height)


@pytest.mark.timeout(120)
async def test_a_grant_for_another_process_for_the_console_or_after_a_stop_uses_nothing(
    accessible_desktop: AccessibleDesktop, sight: Sight
) -> None:
    shown = show(accessible_desktop, "Qt")
    async with armed(accessible_desktop.desktop) as acting:
        _, elements = await sight.look()
        save = used(elements["Save draft"], ElementUse.PRESS)
        other = await acting.do(replace(save, element=replace(save.element, pid=os.getpid() + 1)))
        assert codes(other) == {NoticeCode.ELEMENT_OF_OTHER_PROCESS}
        enter = await acting.do(replace(save, element=replace(save.element, role=Role.TEXT_FIELD), name="activate"))
        assert codes(enter) == {NoticeCode.ELEMENT_HAS_NO_ACTION}
        acting.injector._own.add(pids=[shown.app.pid])
        own = await acting.do(save)
        assert own.reason == "own_window"
        await acting.guard.set_gate(open_=False)
        shut = await acting.do(save)
        assert (shut.result, shut.reason) == (ActResult.STOPPED, "paused")
        await acting.guard.stop(StopCause.BUTTON)
        stopped = await acting.do(save)
        assert stopped.result is ActResult.STOPPED
    assert shown.received() == []


@pytest.mark.timeout(120)
async def test_policy_asks_about_it_as_about_the_click(accessible_desktop: AccessibleDesktop, sight: Sight) -> None:
    """A declined payment is not received; what something covers is not used; the draft is."""
    shown = show(accessible_desktop, "GTK 3")

    async def turn(name: str, at: str = "") -> Proposal:
        _, elements = await sight.look()
        use = used(elements[name], ElementUse.PRESS)
        return does(replace(use, at=NativePoint(*elements[at or name].box.centre)))

    turns = (
        lambda _: turn("Pay 25 euros"),
        lambda _: turn("Save draft", at="Remember me"),
        lambda _: turn("Save draft"),
    )
    model, journal, told = Model((*turns, said("done"))), Memory(), Watcher()
    async with guarded(accessible_desktop.desktop) as acting:
        ports = Ports(
            provider=model, computer=sight.computer, injector=acting.injector, guard=acting.guard,
            open_journal=lambda: journal, elements=sight.elements,
        )  # fmt: skip
        request = SessionRequest(task="save it", target="monitor:1")
        session = Session(request, ports, options=Options(name="test"), audiences=(told,))
        task = asyncio.create_task(session.run())
        await acting.ears.wait(lambda: task.done() or _of(told, Asked))
        (question,) = [event.question for event in _of(told, Asked)]
        assert question.surface is Surface.DIALOG
        assert question.assessment is not None and question.assessment.risk is RiskClass.C4
        assert "“Pay 25 euros”" in question.text
        session.post(Answer(question_id=question.question_id, answer="no"))
        await asyncio.wait_for(task, 30)
    assert [event.decision.value for event in _of(told, Decided)] == ["deny", "approve", "approve"]
    performed = _of(told, Performed)
    assert [event.status for event in performed] == [CallStatus.FAILED, CallStatus.DONE], performed
    assert [each.code for each in performed[0].detail_notices] == [NoticeCode.OTHER_ELEMENT_AT_PLACE]
    assert performed[1].method == "accessible action “Click”"
    assert len(_of(told, Granted)) == 1
    wait_until(lambda: shown.received() == [["pressed", "Save draft"]], "only the draft to be saved")


def _of(told: Watcher, kind: type) -> list:  # type: ignore[type-arg]
    return [record.event for record in told.records if isinstance(record.event, kind)]
