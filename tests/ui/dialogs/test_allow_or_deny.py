"""Only a clear, deliberate yes is a yes: storms of keys, haste, distraction, closing and waiting are no."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.intents import Answer
from operator_console.domain.permissions import PermissionOffer
from operator_console.ui.dialogs.allow_or_deny import WORDS, QuestionDialog
from operator_console.ui.theme_colours import LIGHT, palette_of, sheet_of
from operator_console.ui.view.call_words import AskedFact, asking_of
from operator_console.ui.widgets.approval_delay import SHOWN_S
from operator_console.ui.widgets.held_button import HeldButton
from tests.display.ui.scene import CRITICAL, HIGH, LOW, SUBMIT, SUBMITTING, Story, call_of, desktop_image, review
from tests.ui.conftest import until
from tests.ui.view.folding import fold_all

Run = Callable[[Coroutine[Any, Any, None]], None]


class Asked:
    """An open dialog on a window, with a clock in the test's hands."""

    def __init__(
        self,
        action: a.Action | None = None,
        *,
        facts: tuple[tuple[AskedFact, str], ...] = (),
        says: str = "",
        crop: QImage | None = None,
        critical: bool = False,
        low: bool = False,
        offer: PermissionOffer | None = None,
    ) -> None:
        self.now = 1000.0
        self.covered = False
        self.answers: list[object] = []
        action = action or a.Click(at=SUBMIT)
        story = Story()
        story.started()
        story.observed(1)
        story.proposed(1, call_of(0, action, HIGH))
        high = isinstance(action, a.Click) and not critical
        question = review(1, 0, action, HIGH if high else CRITICAL, dialog=True, offer=offer)
        story.add(ev.Asked(question=question, step=1, call=0))
        self.parent = QWidget()
        self.parent.resize(900, 700)
        self.parent.show()
        asking = asking_of(fold_all(story.records), question)
        asking = replace(asking, facts=facts or asking.facts, says=says or asking.says)
        asking = replace(asking, assessment=LOW) if low else asking
        self.dialog = QuestionDialog(
            asking, LIGHT, self.parent, covering=lambda _window, _part: self.covered, monotonic=lambda: self.now
        )
        self.dialog.show_crop(crop)
        self.dialog.answered.connect(self.answers.append)

    async def __aenter__(self) -> Asked:
        self.dialog.ask(takes_focus=True)
        await until(self.dialog.isActiveWindow, "the dialog to be in front")
        return self

    async def __aexit__(self, *_error: object) -> None:
        if not self.answers:
            self.dialog.withdraw()
        self.parent.close()
        self.parent.deleteLater()

    async def pass_time(self, seconds: float) -> None:
        """The clock goes on in small steps, each of them seen by the delay."""
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + 0.2)
            self.dialog._delay._look()
            await asyncio.sleep(0)

    async def opened(self) -> None:
        """Allow has opened."""
        await self.pass_time(SHOWN_S + 0.3)
        await until(self.dialog.allow.isEnabled, "Allow")


def test_a_deliberate_allow_is_a_yes(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked() as asked:
            assert not asked.dialog.allow.isEnabled()
            await asked.opened()
            QTest.mouseClick(asked.dialog.allow, Qt.MouseButton.LeftButton)
            assert asked.answers == [Answer(question_id="q1.0", answer="yes")]

    on_qt(work())


def test_deny_is_a_no_from_the_start(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked() as asked:
            QTest.mouseClick(asked.dialog.deny, Qt.MouseButton.LeftButton)
            assert asked.answers == [Answer(question_id="q1.0", answer="no")]

    on_qt(work())


@pytest.mark.parametrize("low", [False, True])
def test_only_a_high_risk_is_said_beside_the_question(app: QApplication, on_qt: Run, *, low: bool) -> None:
    async def work() -> None:
        async with Asked(low=low) as asked:
            badges = [each.text() for each in asked.dialog.findChildren(QLabel) if each.property("role") == "badge"]
            assert badges == ([] if low else ["High · sends data"])

    on_qt(work())


@pytest.mark.parametrize("seed", range(4))
def test_storms_of_keys_and_clicks_never_allow(app: QApplication, on_qt: Run, seed: int) -> None:
    """Letters, space, newline, mnemonics, double clicks, through the time that Allow opens and after it."""

    async def work() -> None:
        chance = random.Random(seed)
        keys = [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_A, Qt.Key.Key_Y]
        async with Asked() as asked:
            for round_number in range(60):
                target = chance.choice([asked.dialog, asked.dialog.allow, asked.dialog.deny, asked.dialog.word])
                alt = Qt.KeyboardModifier.AltModifier if chance.random() < 0.3 else Qt.KeyboardModifier.NoModifier
                QTest.keyClick(target, chance.choice(keys), alt)
                if round_number < 15:
                    QTest.mouseDClick(asked.dialog.allow, Qt.MouseButton.LeftButton)
                    await asked.pass_time(0.05)
                else:
                    await asked.pass_time(0.2)
            assert asked.answers == []
            assert asked.dialog.allow.isEnabled()

    on_qt(work())


async def hold(asked: Asked, seconds: float) -> None:
    """Press the button and hold it for so long, by the test's clock."""
    push = asked.dialog.allow
    assert isinstance(push, HeldButton)
    QTest.mousePress(push, Qt.MouseButton.LeftButton)
    for _ in range(round(seconds / 0.05)):
        asked.now += 0.05
        asked.dialog._delay._look()
        push._step()
        if asked.answers:
            return
        await asyncio.sleep(0)
    QTest.mouseRelease(push, Qt.MouseButton.LeftButton)


def test_what_is_critical_is_allowed_by_a_held_second(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked(critical=True) as asked:
            await asked.opened()
            await hold(asked, 0.9)
            assert asked.answers == []
            await hold(asked, 1.05)
            assert asked.answers == [Answer(question_id="q1.0", answer="yes")]

    on_qt(work())


@pytest.mark.parametrize("how", ["leaves", "covered", "inactive", "right button"])
def test_a_held_second_that_is_disturbed_allows_nothing(app: QApplication, on_qt: Run, how: str) -> None:
    async def work() -> None:
        async with Asked(critical=True) as asked:
            await asked.opened()
            push = asked.dialog.allow
            assert isinstance(push, HeldButton)
            QTest.mousePress(push, Qt.MouseButton.LeftButton)
            assert push.holding
            await asked.pass_time(0.5)
            other = QWidget()
            match how:
                case "leaves":
                    QTest.mouseMove(push, QPoint(-20, -20))
                case "covered":
                    asked.covered = True
                case "inactive":
                    other.show()
                    other.activateWindow()
                    await until(other.isActiveWindow, "another window in front")
                case _:
                    QTest.mousePress(push, Qt.MouseButton.RightButton)
            await asked.pass_time(0.1)
            await until(lambda: not push.holding, "the hold to be taken back")
            asked.now += 2.0
            push._step()
            assert asked.answers == []
            other.close()
            other.deleteLater()

    on_qt(work())


def test_a_screen_reader_starts_the_second_and_takes_it_back(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked(critical=True) as asked:
            await asked.opened()
            push = asked.dialog.allow
            assert isinstance(push, HeldButton)
            held = []
            for _ in range(3):
                push.click()
                held.append(push.holding)
            assert held == [True, False, True]
            await asked.pass_time(1.05)
            await until(lambda: asked.answers, "the answer")
            assert asked.answers == [Answer(question_id="q1.0", answer="yes")]

    on_qt(work())


@pytest.mark.parametrize("tries", [200, pytest.param(10_000, marks=(pytest.mark.full, pytest.mark.timeout(3_600)))])
def test_short_presses_and_held_keys_never_allow_what_is_critical(app: QApplication, on_qt: Run, tries: int) -> None:
    """Clicks, double clicks and held keys at a dialog whose Allow is open."""

    async def work() -> None:
        chance = random.Random(tries)
        keys = [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_A]
        async with Asked(critical=True) as asked:
            await asked.opened()
            for number in range(tries):
                push = asked.dialog.allow
                match chance.randrange(4):
                    case 0:
                        QTest.mouseClick(push, Qt.MouseButton.LeftButton)
                    case 1:
                        QTest.mouseDClick(push, Qt.MouseButton.LeftButton)
                    case 2:
                        key = chance.choice(keys)
                        push.setFocus()
                        QTest.keyPress(push, key)
                        for _ in range(5):
                            QApplication.sendEvent(push, repeat_of(key))
                        QTest.keyRelease(push, key)
                    case _:
                        await hold(asked, chance.uniform(0.05, 0.9))
                asked.now += 0.01
                if not number % 50:
                    await asyncio.sleep(0)
                    asked.dialog._shown_s = asked.now  # the question does not lapse meanwhile
            assert asked.dialog.allow.isEnabled()
            assert asked.answers == []

    on_qt(work())


def repeat_of(key: Qt.Key) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, "", True)


@pytest.mark.parametrize("how", ["escape", "close", "timeout"])
def test_everything_else_is_a_no(app: QApplication, on_qt: Run, how: str) -> None:
    async def work() -> None:
        async with Asked() as asked:
            await asked.opened()
            if how == "escape":
                QTest.keyClick(asked.dialog, Qt.Key.Key_Escape)
            elif how == "close":
                asked.dialog.close()
            else:
                asked.now = asked.dialog._shown_s + 60.5
                asked.dialog._tick()
                assert not asked.dialog.allow.isEnabled()
                assert asked.answers == []
                asked.now += 1.0
                asked.dialog._tick()
            assert asked.answers == [Answer(question_id="q1.0", answer=None)]

    on_qt(work())


@pytest.mark.parametrize("how", ["blur", "move", "resize", "covered", "not live"])
def test_a_disturbance_begins_the_second_anew(app: QApplication, on_qt: Run, how: str) -> None:
    async def work() -> None:
        async with Asked() as asked:
            await asked.opened()
            other = QWidget()
            if how == "blur":
                other.show()
                other.activateWindow()
                await until(lambda: not asked.dialog.isActiveWindow(), "the dialog to lose the focus")
                asked.dialog.activateWindow()
                await until(asked.dialog.isActiveWindow, "the dialog to have it again")
                other.close()
            elif how == "move":
                asked.dialog.move(asked.dialog.pos() + QPoint(5, 5))
            elif how == "resize":
                asked.dialog.resize(asked.dialog.width(), asked.dialog.height() + 9)
            elif how == "not live":
                asked.dialog.set_out_of_reach("Allow opens when the target can be seen.")
                await until(lambda: "can be seen" in asked.dialog._note.text(), "the reason")
                assert asked.dialog.allow.toolTip() == "Allow opens when the target can be seen."
                QTest.mouseClick(asked.dialog.allow, Qt.MouseButton.LeftButton)
                assert asked.answers == []
                asked.dialog.set_out_of_reach("")
            else:
                asked.covered = True
                QTest.mouseClick(asked.dialog.allow, Qt.MouseButton.LeftButton)
                assert asked.answers == []
                assert asked.dialog.allow.toolTip() == asked.dialog.allow.accessibleDescription()
                assert asked.dialog.allow.toolTip() == "Allow opens when this window is in front."
                assert "Allow opens when this window is in front." in asked.dialog._note.text()
                asked.covered = False
            await until(lambda: not asked.dialog.allow.isEnabled(), "Allow to shut")
            await asked.pass_time(SHOWN_S / 2)
            assert not asked.dialog.allow.isEnabled()
            assert asked.dialog.allow.toolTip() == "Allow opens when this has been shown undisturbed for a second."
            await asked.opened()
            assert asked.answers == []

    on_qt(work())


def test_the_typed_word_allows_and_nothing_else_does(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked() as asked:
            word = asked.dialog._word
            assert word in WORDS
            QTest.keyClicks(asked.dialog.word, word)
            assert asked.dialog.word.text() == "", "typed before it counts"
            await asked.opened()
            QTest.keyClicks(asked.dialog.word, "no" + word)
            assert asked.answers == []
            asked.dialog.word.clear()
            app.clipboard().setText(word)
            QTest.keyClick(asked.dialog.word, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
            asked.dialog.word.setText(word)
            QTest.keyClick(asked.dialog.word, Qt.Key.Key_Return)
            assert asked.answers == []
            asked.dialog.word.clear()
            QTest.keyClicks(asked.dialog.word, word)
            assert asked.answers == [Answer(question_id="q1.0", answer="yes")]

    on_qt(work())


LINES = "\n".join(f"echo {n}" for n in range(80)) + "\nrm -rf \u202e~/reports"


@pytest.mark.parametrize(
    "action",
    [
        a.RunCommand(command=LINES),
        a.EditFile(command="str_replace", path="note", arguments={"old_str": "echo 7", "new_str": LINES}),
    ],
)
def test_a_long_text_must_be_read_to_its_end(app: QApplication, on_qt: Run, action: a.Action) -> None:
    async def work() -> None:
        async with Asked(action) as asked:
            exact = asked.dialog._exact
            assert exact is not None
            assert exact.toPlainText().count("echo") >= 80
            assert "⟨U+202E⟩" in exact.toPlainText()
            await asked.pass_time(3 * SHOWN_S)
            assert not asked.dialog.allow.isEnabled()
            exact.verticalScrollBar().setValue(exact.verticalScrollBar().maximum())
            await asked.opened()

    on_qt(work())


LONG_REASONS = (
    "The text at the target names a recipient and the form is sent to a person outside this organisation. "
    "The field is “Card number”. The text holds what looks like a card number. "
    "The address points to “a-recipient-outside-of-the-organisation-with-a-very-long-name”."
)


def larger_text(sheet: str, factor: float) -> str:
    """The style sheet with larger letters."""
    return re.sub(r"font-size: (\d+)px", lambda found: f"font-size: {round(int(found[1]) * factor)}px", sheet)


@pytest.fixture
def themed(app: QApplication) -> Iterator[None]:
    """The style sheet of the program, whose fonts and paddings change every size."""
    plain = app.palette()
    app.setPalette(palette_of(LIGHT))
    app.setStyleSheet(sheet_of(LIGHT))
    yield
    app.setStyleSheet("")
    app.setPalette(plain)


WORDS_IN_OTHER_TONGUES = "Konstantynopolitańczykowianeczka " * 3 + "Rechtsschutzversicherungsgesellschaften 汉字" * 9


@pytest.mark.usefixtures("themed")
@pytest.mark.parametrize(
    ("room", "larger"),
    [
        (None, 1.0), ((800, 600), 1.0), ((800, 600), 1.5), ((640, 360), 1.0), ((480, 360), 1.5),
        ((1280, 720), 1.5), ((2560, 1440), 1.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", ["one\ntwo\nthree", "A fairly long text. " * 245, "x" * 100_000])
def test_every_part_has_the_size_that_it_needs(
    app: QApplication, on_qt: Run, room: tuple[int, int] | None, larger: float, text: str
) -> None:
    """`larger`: the text size, as a factor."""

    async def work() -> None:
        app.setStyleSheet(larger_text(sheet_of(LIGHT), larger))
        facts = (
            (AskedFact.ACTION, f"Type ({len(text)} characters, below)"),
            (AskedFact.WINDOW, WORDS_IN_OTHER_TONGUES),
            (AskedFact.WHY, LONG_REASONS),
        )
        crop = desktop_image(200, 128)
        async with Asked(a.TypeText(text=text), facts=facts, says="The model says so. " * 40, crop=crop) as asked:
            dialog = asked.dialog
            exact = dialog._exact
            assert exact is not None
            await until(lambda: exact.whole, "the text")
            if room is not None:  # else it has the size that it was opened with
                dialog.fit(QSize(*room))
            await asyncio.sleep(0)
            QApplication.sendPostedEvents()
            screen = dialog.screen().availableGeometry()
            most = QSize(*room) if room is not None else screen.size()
            assert dialog.width() <= most.width()
            assert dialog.height() <= most.height()
            for shown in dialog.findChildren(QLabel):
                if not shown.isVisible():
                    continue
                needed = shown.heightForWidth(shown.width()) if shown.wordWrap() else shown.sizeHint().height()
                assert needed <= shown.height(), shown.text()
                assert shown.minimumSizeHint().width() <= shown.width(), shown.text()
            assert exact.viewport().height() >= 8 * exact.fontMetrics().lineSpacing()
            if min(most.width(), most.height()) >= 600:
                assert exact.height() <= dialog._area.viewport().height()
            else:
                assert dialog._area.focusPolicy() is Qt.FocusPolicy.TabFocus, "the keyboard scrolls it"
            for push in (dialog.stop, dialog.deny, dialog.deny_with_note, dialog.allow, dialog.word):
                place = QRect(push.mapTo(dialog, QPoint(0, 0)), push.size())
                assert dialog.rect().contains(place), push
                assert push.width() >= push.minimumSizeHint().width()
            parts = [
                w for w in dialog._content.findChildren(QWidget) if w.isVisible() and w.parent() is dialog._content
            ]
            rects = [part.geometry() for part in parts]
            assert not any(a.intersects(b) for n, a in enumerate(rects) for b in rects[n + 1 :])
            assert all(rect.right() <= dialog._area.viewport().width() for rect in rects), "nothing is cut at the side"
            bar = dialog._area.verticalScrollBar()
            assert bar.isVisible() == (bar.maximum() > 0) == (dialog._wanted > dialog.height())

    on_qt(work())


@pytest.mark.parametrize(("ratio", "spare"), [(1.0, 0), (1.5, 1), (2.0, 0)])
def test_a_fractional_scale_that_takes_a_pixel_brings_no_scroll_bar(
    app: QApplication, on_qt: Run, ratio: float, spare: int
) -> None:
    async def work() -> None:
        async with Asked() as asked:
            dialog = asked.dialog
            dialog.devicePixelRatioF = lambda: ratio  # type: ignore[method-assign]
            dialog.fit()
            assert dialog.height() == dialog._wanted + spare
            assert not dialog._area.verticalScrollBar().isVisible()

    on_qt(work())


def test_a_megabyte_is_laid_out_in_pieces_and_must_be_there_to_be_read(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked(a.TypeText(text="x" * 999_999 + "\u202e")) as asked:
            exact = asked.dialog._exact
            assert exact is not None
            assert not exact.whole
            exact.verticalScrollBar().setValue(exact.verticalScrollBar().maximum())
            assert not asked.dialog._read_to_end()
            await until(lambda: exact.whole, "all of the text")
            assert exact.toPlainText().replace("\n", "") == "x" * 999_999 + "⟨U+202E⟩"

    on_qt(work())


def test_the_time_left_is_counted_down(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked() as asked:
            note = asked.dialog._note
            assert note.text().startswith("Denied in 60 s, or if you close this.")
            asked.now += 6.5
            asked.dialog._delay._look()
            assert note.text().startswith("Denied in 54 s, or if you close this.")

    on_qt(work())


def test_stop_is_within_reach(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked() as asked:
            stops: list[int] = []
            asked.dialog.stop_pressed.connect(lambda: stops.append(1))
            QTest.mouseClick(asked.dialog.stop, Qt.MouseButton.LeftButton)
            assert stops == [1]
            assert asked.answers == []

    on_qt(work())


def test_markup_and_endless_texts_are_plain_and_bounded(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked(a.TypeText(text="<img src='http://127.0.0.1:9/x'>" * 40_000)) as asked:
            assert asked.dialog.height() < 900
            labels = asked.dialog.findChildren(QLabel)
            assert labels
            assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)

    on_qt(work())


def test_a_denial_takes_a_note_by_button(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked() as asked:
            dialog = asked.dialog
            QTest.mouseClick(dialog.deny_with_note, Qt.MouseButton.LeftButton)
            assert asked.answers == []
            assert dialog.denial.isVisible()
            QTest.keyClicks(dialog.denial, "Archive it instead.")
            QTest.mouseClick(dialog.deny_with_note, Qt.MouseButton.LeftButton)
            assert asked.answers == [Answer(question_id="q1.0", answer="no", note="Archive it instead.")]

    on_qt(work())


def test_nothing_is_allowed_under_an_enlarged_picture_and_esc_closes_that_first(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked() as asked:
            dialog = asked.dialog
            image = desktop_image(200, 128)
            dialog.show_crop(image, lambda _point, _size: image)
            await asked.opened()
            QTest.keyClick(dialog._crop, Qt.Key.Key_Return)
            assert dialog._is_enlarged()
            await asked.pass_time(3 * SHOWN_S)
            assert not dialog.allow.isEnabled()
            for push in (dialog.stop, dialog.deny, dialog.allow):
                place = QRect(push.mapTo(dialog, QPoint(0, 0)), push.size())
                over = dialog._enlarged
                assert over is not None
                assert not place.intersects(QRect(over.mapTo(dialog, QPoint(0, 0)), over.size()))
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
            assert asked.answers == []
            await asked.opened()

    on_qt(work())


def test_the_question_is_read_out(app: QApplication, on_qt: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("operator_console.ui.widgets.announcement.QAccessible.isActive", lambda: True)
    monkeypatch.setattr(
        "operator_console.ui.widgets.announcement.QAccessible.updateAccessibility",
        lambda event: said.append(event.message()),
    )

    async def work() -> None:
        async with Asked():
            assert said == ["Allow the model to click “Submit report” in “Expense report”?"]

    on_qt(work())


OFFER = PermissionOffer(coverage=SUBMITTING, covered=3, of=12)


@pytest.mark.parametrize("ticks", [0, 1, 2])
def test_a_yes_is_widened_only_where_the_box_is_ticked(app: QApplication, on_qt: Run, ticks: int) -> None:
    async def work() -> None:
        async with Asked(offer=OFFER) as asked:
            assert asked.dialog.offer.box.text() == OFFER.coverage.sentence
            for _ in range(ticks):
                QTest.mouseClick(asked.dialog.offer.box, Qt.MouseButton.LeftButton)
            await asked.opened()
            QTest.mouseClick(asked.dialog.allow, Qt.MouseButton.LeftButton)
            assert asked.answers == [Answer(question_id="q1.0", answer="yes", permits=ticks == 1)]

    on_qt(work())


def test_a_tick_begins_the_second_anew_and_a_no_permits_nothing(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked(offer=OFFER) as asked:
            await asked.opened()
            QTest.mouseClick(asked.dialog.offer.box, Qt.MouseButton.LeftButton)
            assert not asked.dialog.allow.isEnabled()
            QTest.mouseClick(asked.dialog.deny, Qt.MouseButton.LeftButton)
            assert asked.answers == [Answer(question_id="q1.0", answer="no")]

    on_qt(work())


def test_where_nothing_is_offered_there_is_no_box(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with Asked() as asked:
            assert asked.dialog.offer.isHidden()
            assert not asked.dialog.offer.ticked

    on_qt(work())
