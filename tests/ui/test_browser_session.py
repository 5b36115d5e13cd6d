"""A session in a browser, in the window: its address and tabs, what its page asks, and the operator's own hand."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from operator_console.domain import events as ev
from operator_console.domain.frames import TargetRef
from operator_console.domain.hand_input import HandButton, HandKey, HandTab
from operator_console.domain.intents import HandBack, TakeOver
from operator_console.domain.pages import DialogKind, PageDialog
from operator_console.domain.proposals import Usage
from operator_console.domain.stopping import PauseCause
from operator_console.ui.console import Console
from tests.display.ui.fake_backend import FakeBackend, FakeHandle
from tests.display.ui.scene import HEADLESS, page_frame
from tests.ui.conftest import until
from tests.ui.test_console import begun, running


async def in_browser(
    console: Console, backend: FakeBackend, target: TargetRef = HEADLESS, sites: tuple[str, ...] = ()
) -> FakeHandle:
    """A session in a browser, with a live picture."""
    handle = await begun(console, backend)
    backend.story.started(target=target, sites=sites)
    backend.story.observed(1)
    backend.play()
    assert backend.on_frame is not None
    backend.on_frame(page_frame(backend.story.image))
    await until(console.window.page_line.isVisible, "the page")
    return handle


@running
async def test_address_tabs_and_what_the_page_asks_are_shown(console: Console, backend: FakeBackend) -> None:
    await in_browser(console, backend)
    line, status = console.window.page_line, console.window.status
    assert line.address.toolTip() == "https://shop.example/orders?year=2026"
    assert [line.tabs.tabText(place) for place in range(3)] == [
        "Shop", "Your orders in 2026 — Shop && Co", "xn--pple-43d.example",
    ]  # fmt: skip
    assert status.page.isHidden()
    dialog = PageDialog(dialog_id="1", kind=DialogKind.CONFIRM, message="Cancel the order?")
    assert backend.on_frame is not None
    backend.on_frame(page_frame(backend.story.image, dialog))
    await until(lambda: not status.page.isHidden(), "the question of the page")
    assert status.page.whole == "The page asks to confirm: “Cancel the order?”"


@running
async def test_a_tab_is_chosen_by_hand_while_the_session_is_paused_only(console: Console, backend: FakeBackend) -> None:
    handle = await in_browser(console, backend)
    tabs = console.window.page_line.tabs
    assert not tabs.isEnabled()
    backend.emit(ev.Paused(by=PauseCause.HUMAN))
    await until(tabs.isEnabled, "the tabs")
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(0).center())
    assert handle.by_hands == [HandTab(number=1)]
    backend.emit(ev.Resumed(by="human"))
    await until(lambda: not tabs.isEnabled(), "the tabs to be shut")


@running
async def test_a_browser_without_a_window_is_used_in_the_preview(console: Console, backend: FakeBackend) -> None:
    handle = await in_browser(console, backend)
    window, stage = console.window, console.window.preview
    QTest.mouseClick(stage, Qt.MouseButton.LeftButton, pos=stage.rect().center())
    assert handle.by_hands == []
    window.line.take_over.click()
    backend.emit(ev.HandedOver())
    await until(lambda: window.line.take_over.accessibleName() == "Hand back", "the hand-over")
    assert stage.hasFocus()
    assert not window.isMinimized()
    QTest.mouseClick(stage, Qt.MouseButton.LeftButton, pos=stage.rect().center())
    QTest.keyClick(stage, Qt.Key.Key_Escape)
    QTest.keyClick(stage, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)  # no shortcut of the console now
    buttons = [each.down for each in handle.by_hands if isinstance(each, HandButton)]
    keys = [each.key for each in handle.by_hands if isinstance(each, HandKey) and each.down]
    assert (buttons, keys) == ([True, False], ["esc", "ctrl", "o"])
    QTest.keyClick(stage, Qt.Key.Key_F6)
    assert window.line.take_over.hasFocus()
    window.line.take_over.click()
    assert [type(each) for each in handle.intents] == [TakeOver, HandBack]
    handle.by_hands.clear()
    backend.emit(ev.HandedBack())
    await until(lambda: window.line.take_over.accessibleName() == "Take over", "the session to go on")
    QTest.mouseClick(stage, Qt.MouseButton.LeftButton, pos=stage.rect().center())
    assert handle.by_hands == []


@running
async def test_a_browser_with_a_window_is_raised_for_the_operator(console: Console, backend: FakeBackend) -> None:
    handle = await in_browser(console, backend, replace(HEADLESS, display=":0"))
    console.window.line.take_over.click()
    backend.emit(ev.HandedOver())
    await until(lambda: backend.forward, "the browser to be raised")
    assert console.window.isMinimized()
    QTest.mouseClick(console.window.preview, Qt.MouseButton.LeftButton, pos=console.window.preview.rect().center())
    assert handle.by_hands == []


@running
async def test_a_session_that_goes_on_reaches_the_same_sites_as_before(console: Console, backend: FakeBackend) -> None:
    backend.has_browser = True
    console.targets.refresh()
    setup = console.window.setup
    await until(lambda: setup.chooser.listed("browser") is not None, "the browser in the list")
    setup.chooser.choose("browser")
    setup.browser.address.setText("shop.example")
    setup.browser.sites.setPlainText("shop.example")
    handle = await in_browser(console, backend, sites=("shop.example",))
    assert (backend.requests[-1].target, backend.requests[-1].sites) == ("browser:shop.example", ("shop.example",))
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    handle.over.set()
    await until(console.window.line.go_on.isEnabled, "Continue")
    console.window.line.go_on.click()
    await until(lambda: len(backend.requests) == 2, "the session to go on")
    assert (backend.requests[-1].target, backend.requests[-1].sites) == ("browser:shop.example", ("shop.example",))
