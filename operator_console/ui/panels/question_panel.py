"""A question of the model or the engine in the side card: yes or no, one of several choices, or a text.

Not for approvals of actions (the card's buttons and the dialog). The answer None means "declined".
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QImage, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QScrollArea, QSizePolicy, QWidget

from operator_console.domain.actions import Choice, QuestionKind
from operator_console.domain.decisions import Question
from operator_console.domain.geometry import NativePoint
from operator_console.domain.intents import Answer
from operator_console.domain.translations import _
from operator_console.engine.visible_text import brief, cut, shown_lines
from operator_console.ui.theme_colours import LIGHT, OVERLAY_RISK, Tokens
from operator_console.ui.widgets.controls import (
    GRID,
    CropView,
    GuardedButton,
    breakable,
    button,
    column,
    enable,
    label,
    plain,
    row_layout,
    set_role,
)
from operator_console.ui.widgets.fitting_scroll_area import scroll_bar
from operator_console.ui.widgets.images import Cropper

CHOICE = 120
"""Characters of a choice shown on its button; the tooltip has all of it."""
CROP = QSize(88, 60)
_LINES_BESIDE_HINT = 24
"""Lines that the window must have room for before it says how choices are answered."""
LEAST_LIST = 100
"""Height of the list of choices in logical pixels where the window leaves no room; it scrolls."""


class ChoiceButton(GuardedButton):
    """A choice: its number, its part of the picture, and what sets it apart from the others.

    Signals:
        pointed: the pointer or the focus came (True) or left (False).
    """

    pointed = Signal(object)

    def __init__(self, number: int, choice: Choice, words: ChoiceWords) -> None:
        super().__init__("", "choice", name=f"{number} · {brief(choice.label, CHOICE)}")
        self.number, self.region = number, choice.region
        self.tip = shown_lines(cut(choice.label, 2_000))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = row_layout(self, spacing=GRID, margins=(8, 6, 8, 6))
        self._number = label(str(number), "choicenumber")
        self._number.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.crop = CropView(CROP)
        self.crop.hide()
        self.words = label(breakable(brief(words.own, CHOICE)), "strong", wrap=True)
        self._common = label(breakable(brief(words.common, CHOICE)), "secondary", wrap=True)
        self._common.setVisible(bool(words.common))
        lines = column(spacing=2)
        lines.addStretch(1)
        lines.addWidget(self.words)
        lines.addWidget(self._common)
        lines.addStretch(1)
        row.addWidget(self._number, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.crop, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(lines, 1)
        for part in (self._number, self.crop, self.words, self._common):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_crop(self, image: QImage | None, tokens: Tokens) -> None:
        """Show its part of the picture; None: there is none."""
        self.crop.set_colours(tokens.line_strong, tokens.stage, OVERLAY_RISK[None])
        self.crop.show_image(image)
        self.crop.setVisible(image is not None)

    def show_pointed(self, pointed: bool) -> None:
        """Highlight it, while its box in the preview is pointed at."""
        set_role(self, pointed="yes" if pointed else "")

    def show_suggested(self, suggested: bool) -> None:
        """Highlight it as the likely one."""
        set_role(self, suggested="yes" if suggested else "")

    def fit_height(self, width: int) -> int:
        """Take the height that its words need at a width, and return it."""
        row = self.layout()
        assert row is not None
        height = row.totalHeightForWidth(width)
        self.setFixedHeight(height)
        return height

    def enterEvent(self, event: QEnterEvent) -> None:
        """Emit `pointed`."""
        super().enterEvent(event)
        self.pointed.emit(True)

    def leaveEvent(self, event: QEvent) -> None:
        """Emit `pointed`."""
        super().leaveEvent(event)
        self.pointed.emit(False)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Emit `pointed`."""
        super().focusInEvent(event)
        self.pointed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Emit `pointed`."""
        super().focusOutEvent(event)
        self.pointed.emit(False)


class ChoiceList(QScrollArea):
    """The choices, one below the other; scrolled where the window has no room for all."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.buttons: list[ChoiceButton] = []
        self._inner = plain()
        self._rows = column(self._inner, spacing=4)
        self._rows.addStretch(1)
        self.setWidget(self._inner)
        self.hide()

    def show_choices(self, choices: tuple[Choice, ...]) -> None:
        """Replace the buttons."""
        for push in self.buttons:
            self._rows.removeWidget(push)
            push.hide()
            push.deleteLater()
        words = told_apart([choice.label for choice in choices])
        self.buttons = [
            ChoiceButton(number, choice, own)
            for number, (choice, own) in enumerate(zip(choices, words, strict=True), 1)
        ]
        for place, push in enumerate(self.buttons):
            self._rows.insertWidget(place, push)
        self.setVisible(bool(choices))

    def fit_height(self, width: int, most: int) -> None:
        """Take the height that the buttons need at a width, at most `most`."""
        wanted = self._wanted(width)
        if wanted > most:  # the scroll bar takes some of the width
            wanted = self._wanted(width - self.verticalScrollBar().sizeHint().width() - 2)
        self.setFixedHeight(max(1, min(wanted, most)))
        self.setVerticalScrollBarPolicy(scroll_bar(needed=wanted > most))

    def _wanted(self, width: int) -> int:
        return sum(push.fit_height(width) for push in self.buttons) + 4 * max(0, len(self.buttons) - 1)


class QuestionPanel(QWidget):
    """The question with its answer buttons or text field.

    Args:
        counts: whether Yes or a choice is accepted now, besides being enabled.

    Signals:
        intent: carries an Answer.
        pointed: a choice is pointed at; carries its number from 1, or None.
        armed: whether Yes and the choices are enabled changed; carries it.
    """

    intent = Signal(object)
    pointed = Signal(object)
    armed = Signal(object)

    def __init__(self, counts: Callable[[], bool] = lambda: True) -> None:
        super().__init__()
        self._counts = counts
        self._question: Question | None = None
        self._armed = False
        self._enabled = True
        rows = column(self, spacing=GRID)
        self._text = label(wrap=True)
        rows.addWidget(self._text)
        self.choices = ChoiceList()
        rows.addWidget(self.choices)
        self._hint = label(role="secondary", wrap=True)
        rows.addWidget(self._hint)
        self.answer = QLineEdit()
        self.answer.setAccessibleName(_("Answer"))
        self.answer.setPlaceholderText(_("Your answer (Enter sends it)"))
        rows.addWidget(self.answer)
        line = row_layout(spacing=GRID)
        self.yes = GuardedButton(_("Yes"))
        self.decline = button(_("Decline"))
        line.addWidget(self.yes, 1)
        line.addWidget(self.decline, 1)
        rows.addLayout(line)
        self.answer.returnPressed.connect(self._answered)
        self.yes.clicked.connect(self._yes_clicked)
        self.decline.clicked.connect(self._declined)

    def show_question(
        self, question: Question | None, *, enabled: bool, crop: Cropper | None = None, tokens: Tokens = LIGHT
    ) -> None:
        """Show a question; None hides the panel. `crop`: the parts of the picture that its choices refer to."""
        self.setVisible(question is not None)
        self._enabled = enabled
        if question is None or question == self._question:
            if question is None and self._question is not None:
                self.choices.show_choices(())
                self.set_armed(False)
            self._question = question
            self._show_crops(crop, tokens)
            return
        self._question = question
        self._text.setText(shown_lines(cut(question.text, 2_000)))
        self._make_choices(question)
        self._show_crops(crop, tokens)
        self.answer.clear()
        self.answer.setVisible(question.answer is QuestionKind.TEXT)
        self.yes.setVisible(question.answer is QuestionKind.CONFIRM)
        limit = question.about == "limit"
        self.yes.setText(_("Continue") if limit else _("Yes"))
        self.yes.setAccessibleName(_("Continue") if limit else _("Yes"))
        haste = question.about == "haste"
        self.decline.setText(_("End here") if limit else _("Keep asking me") if haste else _("Decline"))
        self.decline.setAccessibleName(self.decline.text())
        self.set_armed(False)
        self.fit_height(self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Refit the height: text wraps differently at a new width."""
        super().resizeEvent(event)
        self.fit_height(self.width())

    def fit_height(self, width: int) -> None:
        """Give question and choices the height that they need at a width, as far as the window allows."""
        # A wrapped label's size hint is one line high: without this the buttons below would overlap.
        height = max(0, self._text.heightForWidth(width))
        self._text.setMinimumHeight(height)
        self.choices.fit_height(width, max(LEAST_LIST, self.window().height() - 420 - height))

    def fit_hint(self) -> None:
        """Say how choices are answered where the window has room for it."""
        room = self.window().height() >= _LINES_BESIDE_HINT * self.fontMetrics().lineSpacing()
        self._hint.setVisible(self.placed and room)

    def set_armed(self, armed: bool, why_not: str = "") -> None:
        """Set whether Yes and the choices are enabled; `why_not`: why they are not, "" where they only open later."""
        before, self._armed = self._armed, armed and self._enabled
        always = "" if self._enabled else _("This question was asked when the record was made.")
        why_not = "" if self._armed else always or why_not or _("Answers open after a second on the screen.")
        enable(self.yes, why_not)
        for push in self.choices.buttons:
            enable(push, why_not, tip=push.tip)
        model = self._question is None or self._question.about not in ("limit", "haste")
        enable(self.decline, always, tip=_("The model is told that you declined") if model else "")
        enable(self.answer, always)
        if self._armed is not before:
            self.armed.emit(self._armed)
            if self._armed:
                self._lead_to_likely()

    @property
    def likely(self) -> GuardedButton | None:
        """The button of the likely answer; None: none is."""
        question = self._question
        if question is not None and question.about == "limit":
            return self.yes
        place = question.suggested if question is not None else None
        buttons = self.choices.buttons
        return buttons[place] if place is not None and 0 <= place < len(buttons) else None

    def _lead_to_likely(self) -> None:
        """Give the likely answer the keyboard, unless words are being written."""
        focused, likely = self.window().focusWidget(), self.likely
        written = focused.text() if isinstance(focused, QLineEdit) else ""
        if isinstance(focused, QPlainTextEdit):
            written = focused.toPlainText()
        if likely is not None and not written:
            likely.setFocus(Qt.FocusReason.OtherFocusReason)
            if isinstance(likely, ChoiceButton):
                self.choices.ensureWidgetVisible(likely, 0, 4)

    @property
    def placed(self) -> bool:
        """Whether its choices have boxes in the preview."""
        return self._question is not None and any(choice.region is not None for choice in self._question.choices)

    @property
    def hinted(self) -> bool:
        """Whether it says by itself how its choices are answered."""
        return bool(self._hint.text())

    @property
    def opens(self) -> bool:
        """Whether there is an answer that is enabled only after a while."""
        question = self._question
        return question is not None and (question.answer is QuestionKind.CONFIRM or bool(question.choices))

    def choose(self, number: object) -> None:
        """Answer with the choice of this number, as its button does."""
        if self._question is not None and isinstance(number, int) and 1 <= number <= len(self._question.choices):
            self._send(str(number - 1))

    def show_pointed(self, number: object) -> None:
        """Highlight the choice whose box in the preview is pointed at; None: none."""
        for push in self.choices.buttons:
            push.show_pointed(push.number == number)
            if push.number == number:
                self.choices.ensureWidgetVisible(push, 0, 4)

    def press_focused(self) -> bool:
        """Press the button of an answer that has the focus; False if none has it."""
        focused = [push for push in (self.yes, *self.choices.buttons) if push.hasFocus() and push.isVisibleTo(self)]
        for push in focused:
            push.click()
        return bool(focused)

    def _make_choices(self, question: Question) -> None:
        self.choices.show_choices(question.choices)
        for before, push in itertools.pairwise((self.answer, *self.choices.buttons)):
            QWidget.setTabOrder(before, push)
        for push in self.choices.buttons:
            push.clicked.connect(self._chosen)
            push.pointed.connect(self._pointed)
        likely = self.likely
        for push in self.choices.buttons:
            push.show_suggested(push is likely)
        self._hint.setText(
            _("Click a choice here, or its numbered box in the preview. By keyboard: Tab, then Ctrl+Enter.")
            if self.placed
            else ""
        )
        self.fit_hint()

    def _show_crops(self, crop: Cropper | None, tokens: Tokens) -> None:
        for push in self.choices.buttons:
            image = None
            if crop is not None and push.region is not None:
                image = crop(NativePoint(*push.region.centre), push.crop.wanted())
            push.show_crop(image, tokens)

    def _pointed(self, here: object) -> None:
        sender = self.sender()
        assert isinstance(sender, ChoiceButton)
        self.pointed.emit(sender.number if here else None)

    def _chosen(self) -> None:
        sender = self.sender()
        assert isinstance(sender, ChoiceButton)
        self.choose(sender.number)

    def _yes_clicked(self) -> None:
        self._send("yes")

    def _answered(self) -> None:
        if self._question is not None and self.answer.text().strip():
            self.intent.emit(Answer(question_id=self._question.question_id, answer=self.answer.text()))

    def _declined(self) -> None:
        if self._question is not None:
            self.intent.emit(Answer(question_id=self._question.question_id, answer=None))

    def _send(self, answer: str) -> None:
        if self._question is not None and self._armed and self._counts():
            self.intent.emit(Answer(question_id=self._question.question_id, answer=answer))


@dataclass(frozen=True, slots=True)
class ChoiceWords:
    """A choice in two parts.

    Attributes:
        own: what sets it apart from the others; all of it if nothing is common to them.
        common: the words that all choices begin with; "" for none.
    """

    own: str
    common: str = ""


def told_apart(labels: Sequence[str]) -> tuple[ChoiceWords, ...]:
    """The labels without the words that all of them begin with."""
    words = [label.split() for label in labels]
    columns = zip(*words, strict=False)
    same = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
    same = min(same, *(len(each) - 1 for each in words)) if len(set(labels)) > 1 else 0
    while same > 0 and (_broken(words[0][:same]) or all(_belongs(each[same]) for each in words)):
        same -= 1
    return tuple(ChoiceWords(" ".join(each[same:]), " ".join(each[:same]).rstrip(",")) for each in words)


def _belongs(word: str) -> bool:
    """Whether a word belongs to the one before it: a number, or one in brackets."""
    return word[0].isdecimal() or word[0] == "("


def _broken(words: Sequence[str]) -> bool:
    """Whether the words end within a quotation, or with one that belongs to what follows."""
    text, last = " ".join(words), words[-1]
    quoted = text.count("“") != text.count("”") or text.count('"') % 2 == 1
    return quoted or last in _JOINING


_JOINING = {"near", "at", "in", "on", "of", "by", "to"}
