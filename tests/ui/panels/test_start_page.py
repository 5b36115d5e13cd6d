"""The start page: when it shows, what its buttons do, and how practice goes from there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QRadioButton

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.api_keys import KeyPlace
from operator_console.domain.decisions import DecidedBy, DecisionKind
from operator_console.domain.geometry import Rect
from operator_console.domain.proposals import Usage
from operator_console.domain.risk import Autonomy
from operator_console.ui.backend import ModelChoice, Opening, PracticeResult, Preferences
from operator_console.ui.console import Console
from operator_console.ui.panels.start_page import StartPage
from tests.display.ui.fake_backend import FakeBackend
from tests.display.ui.scene import LOW, Story, call_of
from tests.ui.conftest import Run, until
from tests.ui.test_console import opened

Work = Callable[[Console, FakeBackend], Awaitable[None]]


def at_first(test: Work, *, seen: bool = False, styled: bool = False) -> Callable[[QApplication, Run], None]:
    """A test of a console that was never used on this machine."""

    def run(app: QApplication, on_qt: Run) -> None:
        async def work() -> None:
            preferences = Preferences(start_page_seen=seen)
            async with opened(app, FakeBackend(preferences=preferences), styled=styled) as (console, backend):
                await until(lambda: console.window.setup.chosen_model, "the model")
                await test(console, backend)

        on_qt(work())

    run.__doc__ = test.__doc__
    return run


at_first_styled = partial(at_first, styled=True)


async def page_of(console: Console) -> StartPage:
    await until(lambda: console.start_page.shown, "the start page")
    assert console.start_page.page is not None
    return console.start_page.page


def press(button: QPushButton) -> None:
    assert button.isVisible(), button.text()
    assert button.isEnabled(), button.text()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@at_first_styled
async def test_it_shows_three_ways_beside_the_setup_and_takes_no_focus(console: Console, backend: FakeBackend) -> None:
    console.window.setup.task.setFocus()
    page = await page_of(console)
    assert [card.isVisible() for card in page.cards] == [True] * 3
    assert console.window.setup.isVisible()
    assert console.window.setup.task.hasFocus()
    assert page.geometry() == console.window.preview.rect()
    assert page.key.isVisible(), "no key was found"
    assert "aistudio.google.com" in page.get.toolTip()
    assert backend.requests == []


@at_first_styled
async def test_its_buttons_stay_in_place_when_the_models_are_listed(console: Console, backend: FakeBackend) -> None:
    page, models = await page_of(console), await backend.models()

    def places(listed: Sequence[ModelChoice]) -> list[QPoint]:
        page.show_models(listed)
        for _ in range(2):  # a text of several lines changes the height in a second pass
            page.grab()
            QApplication.sendPostedEvents()
        return [each.mapTo(page, QPoint(0, 0)) for each in (page.key, page.practice, page.open_session)]

    before = places(())
    assert not page.key.isEnabled()
    assert places(models) == before
    assert page.key.isEnabled()


@at_first
async def test_tab_goes_from_the_task_through_the_page_and_on_to_the_chosen_autonomy(
    console: Console, backend: FakeBackend
) -> None:
    page, setup = await page_of(console), console.window.setup
    await until(console.window.isActiveWindow, "the window")
    setup.task.setFocus()
    for push in (page.practice, page.key, page.get, page.open_session):
        QTest.keyClick(console.window.focusWidget(), Qt.Key.Key_Tab)
        assert console.window.focusWidget() is push
    while not isinstance(chosen := console.window.focusWidget(), QRadioButton):
        QTest.keyClick(chosen, Qt.Key.Key_Tab)
        assert chosen is not setup.start
    assert (chosen.isChecked(), chosen.text()) == (True, "Guarded")


@at_first
async def test_it_gives_way_to_a_task_and_comes_back_on_request(console: Console, backend: FakeBackend) -> None:
    await page_of(console)
    QTest.keyClicks(console.window.setup.task, "L")
    assert not console.start_page.shown
    assert not backend.kept.start_page_seen, "nothing was started"
    console.show_start_page()
    assert console.start_page.shown


@at_first
async def test_it_gives_way_to_another_target(console: Console, backend: FakeBackend) -> None:
    await page_of(console)
    console.window.setup.refresh.click()
    await until(console.window.setup.refresh.isEnabled, "the list")
    page = await page_of(console)
    assert page.isVisible(), "the same target is no choice"
    console.window.setup.chooser.choose("window:0x7")
    assert page.isHidden()
    assert backend.watching == "window:0x7"


@at_first
async def test_its_close_button_is_remembered(console: Console, backend: FakeBackend) -> None:
    page = await page_of(console)
    assert console.window.side.open_session.isHidden(), "the page has the same button"
    press(page.show_preview)
    assert not console.window.side.open_session.isHidden()
    await until(lambda: backend.kept.start_page_seen, "the note")
    assert not console.start_page.shown


def test_it_is_not_shown_by_itself_once_it_was_seen(app: QApplication, on_qt: Run) -> None:
    async def work(console: Console, _backend: FakeBackend) -> None:
        await asyncio.sleep(0)
        assert not console.start_page.shown
        assert console.start_page.page is None, "it is not even furnished"

    at_first(work, seen=True)(app, on_qt)


@at_first
async def test_it_does_not_cover_a_session_that_runs(console: Console, backend: FakeBackend) -> None:
    console.window.setup.task.setPlainText("press Enter")
    press(console.window.setup.start)
    await until(lambda: backend.kept.start_page_seen, "the note of the first session")
    backend.story.started()
    backend.play()
    await until(lambda: console.sessions.view.phase.active, "the session")
    console.show_start_page()
    assert not console.start_page.shown
    await until(lambda: "session is running" in console.window.banner.accessibleName(), "the notice")


@at_first
async def test_a_key_that_is_entered_makes_its_model_the_chosen_one(console: Console, backend: FakeBackend) -> None:
    page = await page_of(console)
    press(page.key)
    dialog = console.keys.dialog
    assert dialog is not None
    QTest.keyClicks(dialog.key, "k-123")
    QTest.keyClick(dialog.key, Qt.Key.Key_Return)
    await until(lambda: backend.keys == {"gemini": "k-123"}, "the key")
    await until(page.write.isVisible, "the next thing to do")
    chosen = console.window.setup.chosen_model
    assert chosen is not None
    assert chosen.provider == "gemini"
    dialog.reject()
    press(page.write)
    assert console.window.focusWidget() is console.window.setup.task
    assert not console.start_page.shown


@at_first
async def test_a_recent_session_opens_from_it(console: Console, backend: FakeBackend) -> None:
    path = Path("old.ocsession")
    backend.files[path] = Story()
    backend.files[path].history(1)
    console.show_start_page()
    page = await page_of(console)
    await until(page.recent[0].isVisible, "the recent session")
    assert "Copy the receipt" in page.recent[0].accessibleName()
    when = page._recent_times[0]
    assert when.text(), "when it ran"
    page._recent_tasks[0].set_whole("Copy the receipt " * 40)
    QApplication.sendPostedEvents()
    assert page._recent_tasks[0].text().endswith("…")
    assert when.width() >= when.fontMetrics().horizontalAdvance(when.text()), "the date is whole"
    press(page.recent[0])
    await until(lambda: console.records.record is not None, "the record")
    assert not console.start_page.shown


@at_first
async def test_practice_is_three_presses_from_the_first_approval(console: Console, backend: FakeBackend) -> None:
    """Practice, Start, Approve."""
    page = await page_of(console)
    press(page.practice)
    setup = console.window.setup
    await until(lambda: console.practice.offer is not None and not console.practice.opening, "practice")
    target, model = setup.chosen_target, setup.chosen_model
    assert target is not None
    assert model is not None
    assert (target.spec, model.provider, setup.autonomy) == ("virtual:800x600", "runbook", Autonomy.STEP)
    assert setup.task.toPlainText() == 'click "Save"'
    assert setup.start.hasFocus()
    assert not console.start_page.shown
    assert "isolated desktop" in console.window.banner.accessibleName()
    QTest.keyClick(setup.start, Qt.Key.Key_Space)
    await until(lambda: len(backend.requests) == 1, "the session")
    assert backend.kept.target != "virtual:800x600", "practice is not what the next start begins with"
    assert not backend.kept.start_page_seen
    backend.story.started()
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    await until(lambda: "received every action" in console.window.banner.accessibleName(), "the result")
    assert backend.handle is not None
    backend.handle.over.set()
    press(console.window.banner._act)
    again = await page_of(console)
    assert again.practice.text() == "Practice again"
    press(again.practice_end)
    await until(lambda: backend.practice is None and not console.practice.opening, "the end")
    assert again.practice.text() == "Practice"
    assert setup.task.toPlainText() == ""


DIFFERENCES = ("Room was saved as “Bath” instead of “Kitchen”", "Notes was saved as “” instead of “ż”")


async def practised(console: Console, backend: FakeBackend, *kinds: DecisionKind) -> str:
    """What is said after practice in which Room and Notes were decided so, and the window did not get all."""
    missed = f"The practice window did not receive every action: {'; '.join(DIFFERENCES)}."
    backend.practice_told = PracticeResult(passed=False, words=missed, missing=DIFFERENCES)
    press((await page_of(console)).practice)
    await until(lambda: console.practice.offer is not None and not console.practice.opening, "practice")
    press(console.window.setup.start)
    await until(lambda: backend.audience is not None, "the session")
    story, banner = backend.story, console.window.banner
    story.started()
    for step, (name, kind) in enumerate(zip(("Room", "Notes"), kinds, strict=True), 1):
        at = replace(LOW, label=name)
        story.observed(step)
        story.proposed(step, call_of(0, a.TypeText(text="Kitchen"), at))
        story.add(ev.Decided(step=step, call=0, decision=kind, by=DecidedBy.HUMAN, rule="edited", assessment=at))
    story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    backend.play()
    await until(lambda: DIFFERENCES[1] in banner.accessibleName(), "the result")
    return f"{banner.property('tone')}: {banner.accessibleName()}"


@at_first
async def test_practice_blames_nobody_for_what_was_changed_or_skipped(console: Console, backend: FakeBackend) -> None:
    """It is told as what it is, with what it came to."""
    said = await practised(console, backend, DecisionKind.MODIFY, DecisionKind.SKIP)
    assert "You changed Room and skipped Notes. What differs from the practice runbook: Room was saved" in said
    assert said.startswith("info")


@at_first
async def test_what_practice_lacks_without_a_hand_of_yours_is_an_error(console: Console, backend: FakeBackend) -> None:
    said = await practised(console, backend, DecisionKind.APPROVE, DecisionKind.APPROVE)
    assert "The practice window did not receive every action: Room was saved" in said
    assert said.startswith("error")


@at_first
async def test_practice_from_the_menu_leaves_a_record_that_is_read(console: Console, backend: FakeBackend) -> None:
    """Also in the middle of it, where the record's state is that of a session at work."""
    path = Path("old.ocsession")
    backend.files[path] = Story()
    backend.files[path].history(2)
    console._open_path(path)
    await until(lambda: console.records.record is not None, "the record")
    console.menu.open()
    assert console.menu.menu is not None
    entry = next(each for each in console.menu.menu.actions() if each.text() == "Practice")
    assert entry.isEnabled()
    console.menu.menu.close()
    entry.trigger()
    await until(lambda: console.practice.offer is not None and not console.practice.opening, "practice")
    start = console.window.setup.start
    await until(lambda: start.isVisible() and start.isEnabled(), "Start")
    assert console.window.focusWidget() is start
    console.window.activateWindow()
    await until(console.window.isActiveWindow, "the focus")
    QTest.keyClick(console.window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: len(backend.requests) == 1, "the session")


@at_first_styled
async def test_practice_on_the_same_screen_keeps_clear_of_start_and_approve(
    console: Console, backend: FakeBackend
) -> None:
    backend.isolated = False
    page = await page_of(console)
    press(page.practice)
    await until(lambda: "beside this one" in console.window.banner.accessibleName(), "what was opened")
    ((available, clear),) = backend.practice_rooms
    start = console.window.setup.start
    at = start.mapToGlobal(start.rect().center())
    assert not available.empty
    assert any(rect.contains(at.x(), at.y()) for rect in clear)


def test_the_command_opens_practice_with_the_autonomy_of_the_settings(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend(preferences=Preferences())
        offer = await backend.open_practice(Rect(0, 0, 9, 9), ())
        console = Console(app, backend, Opening(request=offer.request, practice=offer))
        life = asyncio.ensure_future(console.run())
        setup = console.window.setup
        await until(lambda: setup.chosen_target is not None and setup.chosen_model is not None, "the set-up")
        assert setup.chosen_target is not None
        assert setup.chosen_target.spec == "virtual:800x600"
        assert setup.autonomy is Autonomy.GUARDED
        await until(lambda: "isolated desktop" in console.window.banner.accessibleName(), "the words")
        assert not console.start_page.shown
        console.close()
        assert await asyncio.wait_for(life, 15) == 0

    on_qt(work())


@at_first
async def test_without_a_keyring_a_key_is_kept_for_the_session(console: Console, backend: FakeBackend) -> None:
    backend.no_keyring = "No keyring was found."
    page = await page_of(console)
    press(page.key)
    dialog = console.keys.dialog
    assert dialog is not None
    await until(dialog.for_session.isChecked, "the other way")
    assert not dialog.in_keyring.isEnabled()
    QTest.keyClicks(dialog.key, "k-123")
    press(dialog.reveal)
    assert dialog.key.echoMode() is dialog.key.EchoMode.Normal
    press(dialog.keep)
    assert dialog.key.echoMode() is dialog.key.EchoMode.Password, "hidden again"
    await until(lambda: "works" in dialog._result.text(), "the check")
    assert backend.key_places == {"gemini": KeyPlace.SESSION}
    press(dialog.forget)
    await until(lambda: backend.keys == {}, "the key to be forgotten")
    assert not dialog.forget.isVisible()
    dialog.reject()
