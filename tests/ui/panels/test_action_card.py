"""The card shows the action that would be done, edited or not, and its buttons stay where they are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import Assessment, DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.intents import Approve, Skip
from operator_console.domain.keys import parse_chord
from operator_console.domain.permissions import PermissionOffer
from operator_console.domain.proposals import Usage
from operator_console.domain.risk import RiskClass
from operator_console.domain.stopping import PauseCause
from operator_console.ui.console import Console
from operator_console.ui.panels.action_card import ActionCard
from operator_console.ui.view.session_view import Phase
from tests.display.ui.fake_backend import FakeBackend, FakeHandle
from tests.display.ui.scene import HIGH, IN_NOTES, IN_NOTES_FIELD, LOW, NOTES, SUBMIT, Story, call_of, review
from tests.ui.conftest import until
from tests.ui.test_console import Run, begun, press, running, running_styled
from tests.ui.view.folding import fold_all

TYPED = a.TypeText(text="Train to Kraków", at=NOTES)
WAIT = a.Wait(duration_s=1.0)
INVISIBLE = str.maketrans({"\u200b": "", "\u00a0": " "})
"""Where lines may break, and where they may not."""


def words(card: ActionCard) -> str:
    """Every text that the card shows."""
    return "\n".join(each.text() for each in card.findChildren(QLabel) if each.isVisible()).translate(INVISIBLE)


async def asked(
    console: Console, backend: FakeBackend, *calls: ev.ProposedCall, window: str = "", steps: int = 0
) -> FakeHandle:
    """A session that asks about the first of the calls."""
    handle = await begun(console, backend)
    step = steps + 1
    if steps:
        backend.story.history(steps)
    else:
        backend.story.started()
    backend.story.observed(step)
    backend.story.proposed(step, *calls)
    backend.play()
    ask(backend, step, calls[0], window)
    await until(console.window.side.card.skip.isEnabled, "the question")
    return handle


def ask(backend: FakeBackend, step: int, call: ev.ProposedCall, window: str = "") -> None:
    assert call.action is not None
    question = replace(review(step, call.index, call.action, call.assessment or LOW), window=window)
    backend.emit(ev.Asked(question=question, step=step, call=call.index))


async def moved(console: Console) -> ActionCard:
    """The card, with the point of its action moved."""
    card = console.window.side.card
    press(card.edit)
    console.window.preview.picked.emit(NativePoint(33, 44))
    await until(lambda: "33, 44" in words(card), "the edited action")
    return card


@running
async def test_an_edited_action_is_what_the_card_and_the_overlay_show(console: Console, backend: FakeBackend) -> None:
    handle = await asked(console, backend, call_of(0, TYPED, IN_NOTES))
    card = await moved(console)
    card.editor.text.replace("Bus")
    await until(lambda: "Type “Bus”" in words(card), "the edited text")
    assert "33, 44" in words(card)
    assert "Notes" not in words(card), "another place need not be the same control"
    assert "Edited" in words(card)
    assert "Low risk" not in words(card), "the risk of the edited action is not known yet"
    assert "looked at again when you approve" in words(card)
    assert card.approve.text() == "Approve edited"
    assert card.approve.accessibleName() == "Approve"
    mark = console.pictures.marks(console.sessions.view, console._edited)[0]
    assert (mark.label, mark.points) == ("type “Bus”", (NativePoint(33, 44),))
    await until(card.approve.isEnabled, "Approve")
    press(card.approve)
    assert handle.intents == [Approve(question_id="q1.0", action=a.TypeText(text="Bus", at=NativePoint(33, 44)))]


@running
async def test_the_risk_of_the_edited_action_is_shown_once_it_is_known(console: Console, backend: FakeBackend) -> None:
    handle = await asked(console, backend, call_of(0, TYPED, IN_NOTES))
    judged = Assessment(risk=RiskClass.C3, categories=HIGH.categories, rule="r", reasons=("it would send the form",))
    card = await moved(console)
    card.show_judged(a.TypeText(text="older", at=NOTES), judged)
    assert "it would send" not in words(card)
    handle.judgement = judged
    await until(lambda: "High · sends data" in words(card), "the risk")
    assert "it would send the form" in words(card)
    assert handle.judges == [replace(TYPED, at=NativePoint(33, 44))]


@pytest.mark.parametrize("how", ["escape", "button"])
def test_cancelling_an_edit_shows_the_models_action_again(app: QApplication, on_qt: Run, how: str) -> None:
    async def test(console: Console, backend: FakeBackend) -> None:
        await asked(console, backend, call_of(0, TYPED, IN_NOTES))
        card = await moved(console)
        if how == "escape":
            await until(console.window.isActiveWindow, "the window in front")
            QTest.keyClick(card.editor.text, Qt.Key.Key_Escape)
        else:
            press(card.editor.cancel)
        assert not card.editor.isVisible()
        assert "250, 470" in words(card)
        assert "Edited" not in words(card)
        assert card.approve.text() == "Approve"

    _run(test, app, on_qt)


@running
async def test_an_edit_of_a_running_lead_time_that_is_cancelled_leaves_no_button_without_effect(
    console: Console, backend: FakeBackend
) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.story.proposed(1, call_of(0, TYPED, IN_NOTES))
    backend.play()
    decided = ev.Decided(
        step=1, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule="r", lead_s=0.5, assessment=LOW
    )
    backend.emit(decided)
    card = console.window.side.card
    await until(card.edit.isEnabled, "Edit")
    press(card.edit)
    backend.emit(ev.Paused(by=PauseCause.HUMAN))
    await until(lambda: console.sessions.view.phase is Phase.PAUSED, "the pause")
    press(card.editor.cancel)
    assert not card.approve.isEnabled()


@running_styled
async def test_the_editor_is_scrolled_into_view_when_it_opens_and_in_a_smaller_window(
    console: Console, backend: FakeBackend
) -> None:
    console.window.resize(1440, 900)
    await asked(console, backend, call_of(0, TYPED, IN_NOTES), call_of(1, a.Click(at=SUBMIT), HIGH), steps=5)
    card = console.window.side.card

    def in_view() -> bool:
        field, area = card.editor.text, card.info.viewport()
        return area.rect().contains(QRect(field.mapTo(area, QPoint(0, 0)), field.size()))

    press(card.edit)
    await until(in_view, "the text's field to be in view")
    console.window.resize(1280, 720)
    await until(lambda: console.window.height() == 720 and in_view(), "it to be in view again")


@running
async def test_the_editor_stands_under_the_action_that_it_changes(console: Console, backend: FakeBackend) -> None:
    await asked(console, backend, call_of(0, TYPED, IN_NOTES), call_of(1, a.Click(at=SUBMIT), HIGH))
    card = console.window.side.card
    press(card.edit)
    await until(card.editor.isVisible, "the editor")
    await laid_out()
    first, second = card.info.rows[:2]
    assert first.geometry().bottom() < card.editor.y()
    assert card.editor.geometry().bottom() < second.y(), "the other action is not what the fields belong to"
    await until(console.window.isActiveWindow, "the window in front")
    card.editor.cancel.setFocus()
    QTest.keyClick(card.editor.cancel, Qt.Key.Key_Tab)
    assert second.crop.hasFocus(), "Tab goes on from the fields to what stands below them"


@running
async def test_edit_is_off_while_the_editor_is_open(console: Console, backend: FakeBackend) -> None:
    await asked(console, backend, call_of(0, TYPED, IN_NOTES))
    card = await moved(console)
    assert not card.edit.isEnabled()
    assert card.edit.toolTip() == "The action is being edited. Cancel edit discards the changes."
    press(card.edit)
    assert card.editor.x_field.value() == 33
    press(card.editor.cancel)
    assert card.edit.isEnabled()
    assert card.edit.hasFocus()


@running
async def test_approve_says_that_a_change_is_not_valid(console: Console, backend: FakeBackend) -> None:
    await asked(console, backend, call_of(0, a.Chord(keys=parse_chord("ctrl+s")), LOW))
    card = console.window.side.card
    await until(card.approve.isEnabled, "Approve")
    press(card.edit)
    card.editor.text.replace("no such key")
    await until(lambda: not card.approve.isEnabled(), "Approve, disabled")
    assert card.approve.toolTip() == "The change is not valid yet; the editor says why."
    press(card.editor.cancel)
    await until(card.approve.isEnabled, "Approve")


@running
async def test_buttons_that_are_off_say_why(console: Console, backend: FakeBackend) -> None:
    call = call_of(0, WAIT, LOW)
    await asked(console, backend, call)
    card = console.window.side.card
    assert card.approve.toolTip() == card._note.text() == "Approve opens after a second on the screen."
    await until(card.approve.isEnabled, "Approve")
    assert card._note.text() == "No time limit. Approve: Ctrl+Enter"
    assert "Ctrl+" in card.approve.toolTip()
    assert card.edit.toolTip() == card.edit.accessibleDescription() == "This action has no text and no place to change."
    backend.emit(ev.Asked(question=replace(review(1, 0, WAIT, HIGH, dialog=True), question_id="q2"), step=1, call=0))
    await until(lambda: not card.skip.isEnabled(), "the question in the dialog")
    for push in (card.approve, card.edit, card.skip):
        assert push.toolTip() == push.accessibleDescription() == "This is asked in the dialog."


@running_styled
async def test_a_question_of_the_card_says_why_its_answer_is_off_and_its_keys(
    console: Console, backend: FakeBackend
) -> None:
    await begun(console, backend)
    backend.story.started()
    limit = Question(question_id="q9", answer=a.QuestionKind.CONFIRM, surface=Surface.CARD, text="On?", about="limit")
    backend.story.add(ev.Asked(question=limit))
    backend.play()
    card = console.window.side.card
    await until(card.question.isVisible, "the question")
    assert not card.question.yes.isEnabled()
    height = card.height()
    assert card._note.text() == "Answers open after a second on the screen."
    await until(card.question.yes.isEnabled, "Continue")
    assert card._note.text() == "By keyboard: Ctrl+Enter."
    assert card.height() == height, "nothing moves when it opens"


@running
async def test_what_is_asked_again_after_an_edit_is_what_is_shown(console: Console, backend: FakeBackend) -> None:
    call = call_of(0, TYPED, IN_NOTES)
    await asked(console, backend, call)
    edited = a.TypeText(text="rm -rf", at=NOTES)
    backend.emit(ev.Asked(question=replace(review(1, 0, edited, HIGH), question_id="q2"), step=1, call=0))
    card = console.window.side.card
    await until(lambda: "rm -rf" in words(card), "the edited action")
    assert "Kraków" not in words(card)
    assert "Edited" in words(card)
    assert "High · sends data" in words(card)


async def laid_out() -> None:
    """Until the layouts inside one another have had their turns."""
    for _ in range(5):
        QApplication.sendPostedEvents()
        await asyncio.sleep(0)


@running_styled
async def test_approve_stays_in_one_place_from_step_to_step(console: Console, backend: FakeBackend) -> None:
    long = replace(HIGH, reasons=("a long reason that needs many lines to be said in full, one after another " * 6,))
    shapes = [
        (call_of(0, a.Click(at=SUBMIT), LOW, intent="Go."),),
        (call_of(0, a.Click(at=SUBMIT), long), call_of(1, TYPED, long), call_of(2, TYPED, HIGH)),
        (call_of(0, a.TypeText(text="text " * 200, at=NOTES), IN_NOTES),),
    ]
    card = console.window.side.card
    console.window.resize(1280, 720)
    await asked(console, backend, *shapes[0], steps=5)

    def place() -> QPoint:
        return card.approve.mapTo(console.window, QPoint(0, 0))

    await laid_out()
    first = place()
    for step, calls in enumerate(shapes[1:], start=7):
        backend.emit(ev.Proposed(step=step, calls=calls, usage=Usage()))
        ask(backend, step, calls[0])
        await until(lambda step=step: card._question_id == f"q{step}.0", "the question")  # type: ignore[misc]
        await until(lambda: place() == first, f"Approve at {first} in step {step}")
        press(card.edit)
        await until(lambda: card.editing and place() == first, f"Approve at {first} while step {step} is edited")
        press(card.editor.cancel)
    assert first.y() > console.window.height() - 120, "at the lower edge"


@running_styled
async def test_the_card_never_scrolls_above_an_empty_place(console: Console, backend: FakeBackend) -> None:
    console.window.resize(1280, 720)
    calls = tuple(call_of(n, TYPED, HIGH, intent=f"reason {n} " * 12) for n in range(3))
    await asked(console, backend, *calls)
    side = console.window.side
    await laid_out()
    card = side.card
    assert card.info.wanted_height(card.width() - 32) > card.info.height(), "more than the card has room for"
    rows = sum(side.timeline.sizeHintForRow(row) for row in range(side.timeline.rows.rowCount()))
    assert side.timeline.height() - rows < 20, "the timeline has no more room than for its rows"


@running_styled
async def test_there_is_a_scroll_bar_only_where_the_card_has_too_little_room(
    console: Console, backend: FakeBackend
) -> None:
    console.window.resize(1280, 720)
    calls = tuple(call_of(n, TYPED, HIGH, intent=f"reason {n} " * 12) for n in range(3))
    await asked(console, backend, *calls)
    info = console.window.side.card.info
    await until(info.verticalScrollBar().isVisible, "the scroll bar")
    needs = info.wanted_height
    fits = next(width for width in range(info.width(), 0, -1) if needs(width) < needs(width - 10))
    info.fit(needs(fits), 10_000)
    info.setFixedWidth(fits)  # the text needs all of the width: beside a scroll bar it would need one
    QApplication.sendPostedEvents()  # at once: the card takes its own height again when its note changes
    assert not info.verticalScrollBar().isVisible()


@pytest.mark.parametrize("provider", ["gemini", "runbook"])
def test_what_a_model_says_is_quoted_and_the_line_of_a_runbook_is_not_repeated(
    app: QApplication, provider: str
) -> None:
    story, card = Story(), ActionCard()
    story.started()
    story.observed(1)
    story.proposed(1, call_of(0, TYPED, LOW, intent="line 4: type it"))
    view = fold_all(story.records)
    assert view.started is not None
    view = replace(view, started=replace(view.started, provider=provider))
    card.show()
    card.show_view(view, lambda _point, _size: None, Size(1280, 800), replay=False)
    assert ("line 4: type it" in words(card)) is (provider == "gemini")
    card.close()
    card.deleteLater()


@running
async def test_each_call_of_a_batch_has_its_number_and_its_own_reason(console: Console, backend: FakeBackend) -> None:
    first, second = call_of(0, TYPED, IN_NOTES), call_of(1, a.Click(at=SUBMIT), HIGH, intent="Then I send it.")
    await asked(console, backend, first, second, call_of(2, a.Click(at=SUBMIT), replace(HIGH, reasons=())))
    card = console.window.side.card
    said = words(card)
    assert "Next action · 1 of 3" in said
    assert "Why: ordinary typing" in said
    assert "High · sends data: it submits a form to a recipient" in said
    assert "“Then I send it.”" in said
    assert HIGH.rule not in said
    assert card.approve.text() == "Approve 1 of 3"


@running
async def test_the_window_that_is_hit_is_named_and_that_it_has_not_the_focus(
    console: Console, backend: FakeBackend
) -> None:
    await asked(console, backend, call_of(0, a.Click(at=SUBMIT), LOW), window="galculator")
    said = words(console.window.side.card)
    assert "Window: galculator. Another window has the focus: Expense report — Chromium." in said


@running
async def test_the_window_with_the_focus_is_named_alone(console: Console, backend: FakeBackend) -> None:
    await asked(console, backend, call_of(0, a.Click(at=SUBMIT), LOW), window="Expense report — Chromium")
    said = words(console.window.side.card)
    assert "Window: Expense report — Chromium" in said
    assert "focus" not in said


@running
async def test_skip_takes_a_note_by_button(console: Console, backend: FakeBackend) -> None:
    handle = await asked(console, backend, call_of(0, TYPED, IN_NOTES))
    card = console.window.side.card
    press(card.skip)
    assert card.skip_now.accessibleName() == "Skip without note"
    QTest.keyClicks(card.feedback, "not needed")
    assert card.skip_now.accessibleName() == "Skip with note"
    press(card.skip_now)
    assert handle.intents == [Skip(step=1, call=0, feedback="not needed")]


@running_styled
async def test_the_picture_of_the_target_is_enlarged_and_closed_by_keyboard(
    console: Console, backend: FakeBackend
) -> None:
    await asked(console, backend, call_of(0, a.Click(at=SUBMIT), LOW))
    await until(console.window.isActiveWindow, "the window in front")
    crop = console.window.side.card.info.rows[0].crop
    QTest.keyClick(crop, Qt.Key.Key_Return)
    enlarged = console._enlarged
    assert enlarged is not None
    assert enlarged.isVisible()
    assert console.window.preview.rect().contains(enlarged.geometry())
    console.window.preview.set_covered(300)
    assert enlarged.geometry().right() < console.window.preview.width() - 300, "its button is in reach beside a drawer"
    QTest.keyClick(enlarged.close_button, Qt.Key.Key_Escape)
    assert not enlarged.isVisible()
    QTest.keyClick(crop, Qt.Key.Key_Space)
    assert enlarged.isVisible()
    backend.emit(ev.Answered(question_id="q1.0", answer="yes", by=DecidedBy.HUMAN))
    backend.emit(ev.Proposed(step=2, calls=(call_of(0, TYPED, LOW),), usage=Usage()))
    await until(lambda: not enlarged.isVisible(), "the place of an earlier action to go")


def _run(test: Callable[[Console, FakeBackend], Awaitable[None]], app: QApplication, on_qt: Run) -> None:
    running(test)(app, on_qt)


@running
async def test_the_card_widens_its_yes_by_a_tick_that_no_other_question_inherits(
    console: Console, backend: FakeBackend
) -> None:
    handle = await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.story.proposed(1, call_of(0, TYPED, IN_NOTES), call_of(1, TYPED, IN_NOTES))
    backend.play()
    card = console.window.side.card
    offer = PermissionOffer(coverage=IN_NOTES_FIELD, covered=1, of=1)
    backend.emit(ev.Asked(question=review(1, 0, TYPED, IN_NOTES, offer=offer), step=1, call=0))
    await until(card.approve.isEnabled, "Approve")
    card.offer.box.click()
    assert not card.approve.isEnabled(), "the second begins anew"
    await until(card.approve.isEnabled, "Approve")
    press(card.approve)
    assert handle.intents[-1] == Approve(question_id="q1.0", permits=True)
    backend.emit(ev.Asked(question=review(1, 1, TYPED, IN_NOTES, offer=offer), step=1, call=1))
    await until(card.approve.isEnabled, "Approve")
    assert not card.offer.isHidden()
    press(card.approve)
    assert handle.intents[-1] == Approve(question_id="q1.1")


@running
async def test_an_edited_action_and_the_dialog_leave_no_offer_on_the_card(
    console: Console, backend: FakeBackend
) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.story.proposed(1, call_of(0, TYPED, IN_NOTES))
    backend.play()
    card = console.window.side.card
    offer = PermissionOffer(coverage=IN_NOTES_FIELD)
    backend.emit(ev.Asked(question=review(1, 0, TYPED, IN_NOTES, offer=offer), step=1, call=0))
    await until(card.approve.isEnabled, "Approve")
    assert not card.offer.isHidden()
    await moved(console)
    await until(card.offer.isHidden, "no offer")
