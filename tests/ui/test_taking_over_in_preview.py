"""A target without a window on this desk is used in the picture while the operator has taken over, and never else."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from operator_console.domain import events as ev
from operator_console.domain.frames import TargetRef, VirtualTarget, VncTarget
from operator_console.domain.hand_input import HandButton, HandKey
from operator_console.domain.intents import HandBack, TakeOver
from operator_console.ui.console import Console
from tests.display.ui.fake_backend import FakeBackend, FakeHandle
from tests.display.ui.scene import frame_of
from tests.ui.conftest import until
from tests.ui.test_console import begun, running

LEFT = Qt.MouseButton.LeftButton
ISOLATED = VirtualTarget(spec="virtual", title="Virtual desktop · 1440 × 900", display=":7")
MACHINE = VncTarget(spec="vnc:machine:5900", title="VNC · machine:5900")


async def on_target(console: Console, backend: FakeBackend, target: TargetRef) -> FakeHandle:
    """A session with a live picture."""
    handle = await begun(console, backend)
    backend.story.started(target=target)
    backend.story.observed(1)
    backend.play()
    assert backend.on_frame is not None
    backend.on_frame(frame_of(backend.story.image, target=target))
    await until(lambda: console.window.preview.fit is not None, "the picture")
    await until(console.window.line.take_over.isEnabled, "Take over")
    return handle


async def is_used_between_take_over_and_hand_back(console: Console, backend: FakeBackend, target: TargetRef) -> None:
    handle = await on_target(console, backend, target)
    window, stage = console.window, console.window.preview
    QTest.mouseClick(stage, LEFT, pos=stage.rect().center())
    assert handle.by_hands == []
    window.line.take_over.click()
    backend.emit(ev.HandedOver())
    await until(lambda: window.line.take_over.accessibleName() == "Hand back", "the hand-over")
    assert stage.hasFocus()
    assert not window.isMinimized()
    QTest.mouseClick(stage, LEFT, pos=stage.rect().center())
    QTest.keyClick(stage, Qt.Key.Key_Escape)
    buttons = [each.down for each in handle.by_hands if isinstance(each, HandButton)]
    keys = [each.key for each in handle.by_hands if isinstance(each, HandKey) and each.down]
    assert (buttons, keys) == ([True, False], ["esc"])
    window.line.take_over.click()
    assert [type(each) for each in handle.intents] == [TakeOver, HandBack]
    handle.by_hands.clear()
    backend.emit(ev.HandedBack())
    await until(lambda: window.line.take_over.accessibleName() == "Take over", "the session to go on")
    QTest.mouseClick(stage, LEFT, pos=stage.rect().center())
    assert handle.by_hands == []


@running
async def test_a_machine_over_vnc_is_used_in_the_preview(console: Console, backend: FakeBackend) -> None:
    await is_used_between_take_over_and_hand_back(console, backend, MACHINE)


@running
async def test_an_isolated_desktop_is_used_in_the_preview(console: Console, backend: FakeBackend) -> None:
    await is_used_between_take_over_and_hand_back(console, backend, ISOLATED)


@running
async def test_input_that_the_target_cannot_be_given_is_told(console: Console, backend: FakeBackend) -> None:
    handle = await on_target(console, backend, MACHINE)
    handle.hand_told("The machine takes no text by its clipboard.")
    await until(lambda: "takes no text" in console.window.banner.accessibleName(), "the sentence")
