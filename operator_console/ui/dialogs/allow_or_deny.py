"""The safety dialog: Allow or Deny for what policy or the model's service wants confirmed.

Esc, closing and a timeout count as Deny. Allow is enabled once the dialog has been active, uncovered and read to its
end for one second; no key presses it. What is critical (C4) is allowed by holding it for a second. On the keyboard the
displayed word is typed. Opened with `open()`, not `exec()`.

The question is worded in engine/turn/decide.py, the facts below it in ui/view/call_words.py.
"""

from __future__ import annotations

import itertools
import math
import secrets
import time
from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QImage,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.intents import Answer
from operator_console.domain.risk import RiskClass
from operator_console.domain.translations import _
from operator_console.engine.visible_text import brief, cut, shown, shown_lines
from operator_console.ui.backend import InputDevices
from operator_console.ui.theme_colours import OVERLAY_RISK, Tokens
from operator_console.ui.view.call_words import AskedFact, Asking, fact_name
from operator_console.ui.view.words import risk_words
from operator_console.ui.widgets.announcement import announce
from operator_console.ui.widgets.approval_delay import ApprovalDelay, Attended, Covering, Obstacle, refused_words
from operator_console.ui.widgets.controls import (
    GRID,
    CropButton,
    GuardedButton,
    breakable,
    button,
    column,
    enable,
    label,
    plain,
    row_layout,
    set_role,
    wide,
)
from operator_console.ui.widgets.enlarged_crop import EnlargedCrop
from operator_console.ui.widgets.fitting_scroll_area import scroll_bar
from operator_console.ui.widgets.held_button import HeldButton
from operator_console.ui.widgets.images import Cropper
from operator_console.ui.widgets.permission_offer import OfferedPermission
from operator_console.ui.widgets.show_without_focus import open_modal
from operator_console.ui.widgets.typed_word import WordLine

WORDS = (
    "amber",
    "birch",
    "cedar",
    "cobalt",
    "delta",
    "ember",
    "fjord",
    "garnet",
    "hazel",
    "indigo",
    "juniper",
    "lunar",
)
"""A random one of these is typed to allow by keyboard, so that neither habit nor a script can know it beforehand."""
NARROW, WIDE, SIDE = 560, 720, 24
"""Widths for a short and for a long text, and the margin, in logical pixels."""
SAID = 4_000
"""Characters of what the model and its service say."""
SHORT_BADGE = 28
"""Characters; a longer badge is placed above the title."""
LEAST_CONTENT = 200
LINES_LEAST, LINES_MOST = 8, 24
"""Visible lines of a long text."""
CHUNK, LINE = 8_192, 1_000
"""Characters laid out at once, and at most in one line of the layout."""
LAPSE_GRACE_S = 1.0
"""Seconds. The engine expires a question itself; if it does not, the dialog answers no this much later."""


class WholeText(QPlainTextEdit):
    """Shows a text of any length in full: invisible characters are made visible, ⏎ marks its line breaks.

    It is laid out in chunks, so that the window stays responsive.

    Signals:
        complete: the whole text is laid out (no payload).
    """

    complete = Signal()

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text.replace("\r\n", "\n")
        self._at = 0
        self._in_line = 0
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._lay_out_next)
        self._lay_out_next()
        if not self.whole:
            self._timer.start(0)

    @property
    def whole(self) -> bool:
        """Whether the whole text is laid out."""
        return self._at >= len(self._text)

    def least_height(self) -> int:
        """Height that fits LINES_LEAST lines."""
        return self._height(LINES_LEAST)

    def wanted_height(self) -> int:
        """Height that fits all lines, up to LINES_MOST."""
        rows = sum(1 + len(line) // 60 for line in self._text[:CHUNK].split("\n"))
        return self._height(min(LINES_MOST, max(LINES_LEAST, rows)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Home and End scroll to the beginning and to the end, which Qt leaves out for a text without a cursor."""
        bar = self.verticalScrollBar()
        if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            bar.setValue(bar.minimum() if event.key() == Qt.Key.Key_Home else bar.maximum())
            event.accept()
            return
        super().keyPressEvent(event)

    def _height(self, lines: int) -> int:
        around = round(2 * self.document().documentMargin()) + 2 * self.frameWidth()
        return self.fontMetrics().lineSpacing() * lines + around + 2

    def _lay_out_next(self) -> None:
        piece = self._text[self._at : self._at + CHUNK]
        self._at += len(piece)
        made: list[str] = []
        for place, line in enumerate(piece.split("\n")):
            if place:
                made.append("⏎\n")
                self._in_line = 0
            for start in range(0, len(line), LINE):
                part = line[start : start + LINE]
                if self._in_line + len(part) > LINE:
                    made.append("\n")
                    self._in_line = 0
                made.append(shown(part))
                self._in_line += len(part)
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText("".join(made))
        if self.whole:
            self._timer.stop()
            self.complete.emit()


class QuestionDialog(QDialog):
    """The dialog for one question.

    Args:
        asking: the question and everything it shows.
        covering: tells whether another program's window covers this one.
        devices: what tells the presses of a person from those of programs; None: nothing does.
        monotonic: the clock.

    Signals:
        answered: carries an Answer ("yes", "no", or None: closed, Esc, too late). Emitted once.
        stop_pressed, end_pressed: no payload; the window's own buttons cannot be reached while this is open.
    """

    answered = Signal(object)
    stop_pressed = Signal()
    end_pressed = Signal()

    def __init__(
        self, asking: Asking, tokens: Tokens, parent: QWidget | None, *, covering: Covering,
        devices: Callable[[], InputDevices | None] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._asking, self._monotonic = asking, monotonic
        self._shown_s = monotonic()
        self._answer_sent = False
        self._out_of_reach, self._gone = "", False
        self._wanted = 0
        self._typing_on: Callable[[], bool] = bool
        self._word = secrets.choice(WORDS)
        self._tokens = tokens
        self._cropper: Cropper | None = None
        self._enlarged: EnlargedCrop | None = None
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Question — Operator console"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._delay = ApprovalDelay(self, self._unfit, attended=Attended.ACTIVE, covering=covering, monotonic=monotonic)
        outer = column(self, spacing=GRID + 4, margins=(0, 20, 0, 20))
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._content = plain()
        self._area.setWidget(self._content)
        rows = column(self._content, spacing=GRID + 4, margins=(SIDE, 0, SIDE, 0))
        self._build_head(rows)
        self._build_facts(rows, tokens)
        self._build_says(rows)
        rows.addStretch(1)
        outer.addWidget(self._area, 1)
        self._foot = plain()
        self._build_foot(column(self._foot, spacing=GRID + 4, margins=(SIDE, 0, SIDE, 0)))
        outer.addWidget(self._foot)
        self._delay.gate.devices = devices
        self._delay.gate.add(self.allow, self.word, self.offer.box)
        self.offer.ticked_changed.connect(self._delay.disturb)
        self._delay.changed.connect(self._show_delay)
        self._clock = QTimer(self)
        self._clock.setInterval(100)
        self._clock.timeout.connect(self._tick)

    # building

    def _build_head(self, rows: QVBoxLayout) -> None:
        # A long text is shown in full in its own box: the title need not repeat its beginning.
        limit = 160 if self._asking.exact else 400
        title = label(breakable(brief(self._asking.question.text, limit)), "title", wrap=True)
        assessment = self._asking.assessment
        self._head = row_layout(spacing=GRID * 2)
        self._head.addWidget(title, 1)
        # A check of the model's service asks about any action: beside its question "Low risk" would speak for a yes.
        if assessment is not None and assessment.risk >= RiskClass.C3:
            text = risk_words(assessment)
            badge = label(text, "badge", wrap=len(text) > SHORT_BADGE)
            set_role(badge, risk=str(int(assessment.risk)))
            if len(text) > SHORT_BADGE:
                rows.addWidget(badge)
            else:
                self._head.addWidget(badge, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        rows.addLayout(self._head)

    def _build_facts(self, rows: QVBoxLayout, tokens: Tokens) -> None:
        facts = self._facts = row_layout(spacing=GRID * 2)
        self._crop = CropButton(QSize(200, 128))
        self._crop.clicked.connect(self._enlarge)
        risk = self._asking.assessment.risk if self._asking.assessment else None
        self._crop.set_colours(tokens.line_strong, tokens.stage, OVERLAY_RISK[risk])
        facts.addWidget(self._crop, 0, Qt.AlignmentFlag.AlignTop)
        self._crop.hide()
        grid = QGridLayout()
        grid.setHorizontalSpacing(GRID * 2)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for place, (fact, value) in enumerate(self._asking.facts):
            grid.addWidget(label(fact_name(fact), "secondary"), place, 0, Qt.AlignmentFlag.AlignTop)
            role = "strong" if fact is AskedFact.ACTION else ""
            grid.addWidget(label(breakable(value), role, wrap=True), place, 1)
        grid.setRowStretch(len(self._asking.facts), 1)
        facts.addLayout(grid, 1)
        rows.addLayout(facts)
        self._exact: WholeText | None = None
        if self._asking.exact:
            heading = label(_("Full text, read to the end"), "heading", wrap=True)
            rows.addWidget(heading)
            self._exact = WholeText(self._asking.exact)
            self._exact.setAccessibleName(_("Full text"))
            self._exact.verticalScrollBar().setAccessibleName(_("Scroll the full text"))
            self._exact.complete.connect(self.fit)
            rows.addWidget(self._exact)

    def _build_says(self, rows: QVBoxLayout) -> None:
        if not self._asking.says:
            return
        rows.addWidget(label(self._asking.said_heading, "heading", wrap=True))
        rows.addWidget(label(breakable(shown_lines(cut(self._asking.says, SAID))), "quote", wrap=True))

    def _build_foot(self, rows: QVBoxLayout) -> None:
        self.offer = OfferedPermission()
        self.offer.show_offer(self._asking.question)
        rows.addWidget(self.offer)
        rows.addWidget(self._build_typing())
        rows.addWidget(self._build_denial())
        self._note = label(role="secondary", wrap=True)
        rows.addWidget(self._note)
        self.stop = button(
            _("Stop"), "stop", name=_("Stop everything"), tip=_("Stops everything at once, like the stop hotkey")
        )
        self.stop.setProperty("live", "acting")
        self.stop.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.deny_with_note = button(_("Deny with note…"), name=_("Deny with note"))
        self.deny, self.allow = GuardedButton(_("Deny")), self._make_allow()
        for push in (self.deny, self.allow):
            push.setMinimumWidth(72)
        self.end = button(_("End the session"), "primary")
        self.end.hide()
        # In a narrow dialog the note's button stands above the others: see `fit`.
        self._above, self._line = QHBoxLayout(), QHBoxLayout()
        self._line.setSpacing(GRID + 4)
        self._line.addWidget(self.stop)
        self._line.addStretch(1)
        for each in (self.deny_with_note, self.deny, self.allow, self.end):
            self._line.addWidget(each)
        rows.addLayout(self._above)
        rows.addLayout(self._line)
        self._left = QProgressBar()
        self._left.setTextVisible(False)
        self._left.setRange(0, 1000)
        self._left.setAccessibleName(_("Time left to answer"))
        rows.addWidget(self._left)
        self._left.setVisible(self._asking.question.timeout_s is not None)
        enable(self.allow, _("Allow opens when this has been shown undisturbed for a second."))
        self.deny.clicked.connect(self._deny_clicked)
        self.deny_with_note.clicked.connect(self._deny_with_note_clicked)
        self.stop.clicked.connect(self.stop_pressed)
        self.end.clicked.connect(self.end_pressed)
        self.word.typed.connect(self._word_typed)
        order = (self.offer.box, self.word, self.denial, self.deny_with_note, self.deny, self.allow, self.end)
        for before, after in itertools.pairwise(order):
            self.setTabOrder(before, after)

    def _make_allow(self) -> GuardedButton:
        """One press; held for a second where it is critical."""
        assessment = self._asking.assessment
        if assessment is None or assessment.risk < RiskClass.C4:
            pressed = GuardedButton(_("Allow"))
            pressed.clicked.connect(self._allowed)
            return pressed
        held = HeldButton(_("Hold to allow"), self._tokens.accent, name=_("Allow"), monotonic=self._monotonic)
        held.held.connect(self._allowed)
        return held

    def _build_typing(self) -> QWidget:
        self._typing = plain()
        typing = row_layout(self._typing, spacing=GRID, margins=(0, 0, 0, 0))
        ask = label(_("By keyboard: type “{word}” to allow").format(word=self._word), "secondary", wrap=True)
        self.word = WordLine()
        self.word.setAccessibleName(_("Type {word} to allow").format(word=self._word))
        self.word.setFixedWidth(140)
        ask.setBuddy(self.word)
        typing.addWidget(ask, 1)
        typing.addWidget(self.word)
        return self._typing

    def _build_denial(self) -> QWidget:
        self.denial = QLineEdit()
        self.denial.setAccessibleName(_("Note for the model"))
        self.denial.setPlaceholderText(_("Reason for the model (optional)"))
        self.denial.returnPressed.connect(self._deny_with_note_clicked)
        self.denial.hide()
        return self.denial

    # display

    def crop_size(self) -> QSize:
        """The size of the picture in native pixels."""
        return self._crop.wanted()

    def show_crop(self, image: QImage | None, crop: Cropper | None = None) -> None:
        """Show the target at native resolution; None hides the picture. `crop`: for more of it; None: there is none."""
        self._crop.show_image(image)
        self._crop.setVisible(image is not None)
        self._cropper = crop
        self._crop.setEnabled(crop is not None and self._asking.point is not None)

    def set_out_of_reach(self, why: str, *, gone: bool = False) -> None:
        """While the target cannot be seen or reached, nothing is allowed; the delay begins again after it.

        Args:
            why: says so; "": it can.
            gone: whether it was closed, so that the session can only end.
        """
        self._out_of_reach = why
        if gone == self._gone:
            return
        self._gone = gone
        self._typing.setVisible(not gone and self.denial.isHidden())
        self.allow.setVisible(not gone)
        self.end.setVisible(gone)
        self._show_delay()
        self.fit()

    def fit(self, room: QSize | None = None) -> None:
        """Size the parts to their content; the long text gets the remaining height.

        Args:
            room: the largest size of the dialog in logical pixels; None: almost the whole screen.
        """
        room = room or self.screen().availableGeometry().size() - QSize(32, 64)
        width = min(wide(WIDE if self._exact is not None else NARROW), room.width())
        layout = self._content.layout()
        outer = self.layout()
        assert layout is not None
        assert outer is not None
        for part in self.findChildren(QWidget):
            part.ensurePolished()  # apply the style sheet's fonts and paddings before measuring
        layout.invalidate()
        self._fit_width(width)
        self._note.setMinimumHeight(self._note_height(width))
        foot_layout = self._foot.layout()
        assert foot_layout is not None
        foot_layout.invalidate()
        foot = foot_layout.totalHeightForWidth(width)
        self._foot.setFixedHeight(foot)
        around = foot + outer.contentsMargins().top() + outer.contentsMargins().bottom() + outer.spacing()
        if self._exact is not None:
            self._exact.setFixedHeight(self._exact.least_height())
            free = room.height() - around - layout.totalHeightForWidth(width)
            self._exact.setFixedHeight(min(self._exact.wanted_height(), self._exact.least_height() + max(0, free)))
        layout.invalidate()
        self._wanted = around + layout.totalHeightForWidth(width)
        # At a fractional scale a window may get up to a pixel less than it asks for.
        wanted = self._wanted + (0 if self.devicePixelRatioF().is_integer() else 1)
        self.setFixedWidth(width)
        self.setMinimumHeight(min(wanted, room.height(), around + LEAST_CONTENT))
        self.resize(width, min(wanted, room.height()))
        self._fit_scrolling()

    def _fit_scrolling(self) -> None:
        """A scroll bar, and a place for the keyboard, only where there is something to scroll."""
        scrolls = self._wanted > self.height()
        self._area.setVerticalScrollBarPolicy(scroll_bar(needed=scrolls))
        self._area.setFocusPolicy(Qt.FocusPolicy.TabFocus if scrolls else Qt.FocusPolicy.NoFocus)

    def _fit_width(self, width: int) -> None:
        """Put beside each other what fits in a width, and the rest one below the other."""
        inside = width - 2 * SIDE
        for row in (self._head, self._facts):
            row.setDirection(QBoxLayout.Direction.LeftToRight)
            if row.minimumSize().width() > inside:
                row.setDirection(QBoxLayout.Direction.TopToBottom)
        pushes: tuple[QPushButton, ...] = (
            self.stop,
            self.deny_with_note,
            self.deny,
            self.end if self._gone else self.allow,
        )
        needed = sum(push.minimumSizeHint().width() for push in pushes) + (GRID + 4) * (len(pushes) + 1)
        beside, above = (self._line, self._above) if needed <= inside else (self._above, self._line)
        if beside.indexOf(self.deny_with_note) < 0:
            above.removeWidget(self.deny_with_note)
            if beside is self._line:
                beside.insertWidget(2, self.deny_with_note)
            else:
                beside.addWidget(self.deny_with_note)

    def _note_height(self, width: int) -> int:
        """Height of the longest note, so that the layout does not move when the note changes."""
        box = QRect(0, 0, max(80, width - 2 * SIDE), 10_000)
        metrics = self._note.fontMetrics()
        opens = (
            _("Allow opens when you have read to the end of the text."),
            _("Allow opens when this window is in front."),
            _("You are typing. This gets the keyboard once you rest for a second."),
            _("Allow opens when the target can be seen."),
            _("Allow opens when no other window covers the target."),
            self._how_to_allow(),
            refused_words(),
        )
        notes = (
            f"{self._deny_note()} {why}"
            for why in (
                (
                    _(
                        "The target was closed, so nothing more can be allowed. End the session; then you can "
                        "choose another target."
                    ),
                )
                if self._gone
                else opens
            )
        )
        return max(metrics.boundingRect(box, Qt.TextFlag.TextWordWrap, note).height() for note in notes) + 2

    def ask(self, *, takes_focus: bool, typing: Callable[[], bool] = bool) -> None:
        """Open the dialog, see `open_modal`."""
        self.fit()
        self._typing_on = typing
        open_modal(self, takes_focus=takes_focus, typing=typing)
        self.word.setFocus(Qt.FocusReason.OtherFocusReason)
        announce(self, self._asking.question.text, urgent=True)
        self._clock.start()
        self._delay.begin()
        self._tick()

    def withdraw(self) -> None:
        """Close without an answer: the question is no longer open."""
        self._answer_sent = True
        self._close()

    def _why_not(self) -> str:
        """Why the question is not shown as it must be; "" where it is."""
        if self._gone:
            return _(
                "The target was closed, so nothing more can be allowed. End the session; then you can "
                "choose another target."
            )
        match self._delay.obstacle:
            case None:
                return ""
            case Obstacle.UNFIT:
                return self._delay.unfit_words
            case Obstacle.NOT_ATTENDED if self._typing_on():
                return _("You are typing. This gets the keyboard once you rest for a second.")
            case Obstacle.HIDDEN | Obstacle.NOT_ATTENDED | Obstacle.COVERED:
                return _("Allow opens when this window is in front.")

    def _unfit(self) -> str:
        """Why nothing is allowed although the dialog is in front; "" for no reason."""
        if self._gone:
            return self._why_not()
        if self._out_of_reach:
            return self._out_of_reach
        if self._is_enlarged():
            return _("Allow opens when the enlarged picture is closed.")
        if not self._read_to_end():
            return _("Allow opens when you have read to the end of the text.")
        return ""

    def _read_to_end(self) -> bool:
        if self._exact is None:
            return True
        bar = self._exact.verticalScrollBar()
        return self._exact.whole and bar.value() >= bar.maximum()

    def _show_delay(self) -> None:
        armed = self._delay.open and not self._expired()
        why_not = (
            _("Not answered in time: denied.")
            if self._expired()
            else self._why_not() or _("Allow opens when this has been shown undisturbed for a second.")
        )
        enable(self.allow, "" if armed else why_not, tip=self._how_to_allow(), says=self._how_to_allow())
        if self.word.armed and not armed:
            self.word.clear()
        self.word.armed = armed
        self._note.setText(self._note_words())

    def _note_words(self) -> str:
        if self._expired():
            return _("Not answered in time: denied.")
        means = self._deny_note()
        if self._delay.refused:
            return f"{means} {refused_words()}"
        if self._gone:
            return f"{self._why_not()} {means}"
        if self._delay.open:
            return f"{means} {self._how_to_allow()}".rstrip()
        opens = _("Allow opens in {seconds:.1f} s.").format(seconds=self._delay.left_s)
        return f"{means} {self._why_not() or opens}"

    def _how_to_allow(self) -> str:
        """How the button is used, where that is not plain."""
        return _("To allow, hold the button for a second.") if isinstance(self.allow, HeldButton) else ""

    def _deny_note(self) -> str:
        timeout = self._asking.question.timeout_s
        if timeout is None:
            return _("Denied if you close this.")
        left_s = max(0, math.ceil(timeout - (self._monotonic() - self._shown_s)))
        return _("Denied in {left_s} s, or if you close this.").format(left_s=left_s)

    def _expired(self) -> bool:
        timeout = self._asking.question.timeout_s
        return timeout is not None and self._monotonic() - self._shown_s >= timeout

    def _tick(self) -> None:
        timeout = self._asking.question.timeout_s
        if timeout is None:
            return
        passed = self._monotonic() - self._shown_s
        self._left.setValue(max(0, round(1000 * (1 - passed / timeout))))
        if passed >= timeout:
            self._show_delay()
        if passed >= timeout + LAPSE_GRACE_S:
            self._send(None)

    # answering

    def _allowed(self) -> None:
        if self._delay.check() and not self._expired():
            self._send("yes")

    def _deny_clicked(self) -> None:
        self._send("no")

    def _deny_with_note_clicked(self) -> None:
        """Open the line for the note; pressed again, send it."""
        if self.denial.isHidden():
            self._typing.hide()
            self.denial.show()
            self.deny_with_note.setText(_("Deny with note"))
            self.denial.setFocus(Qt.FocusReason.OtherFocusReason)
            self.fit()
            return
        self._send("no", self.denial.text().strip())

    def _enlarge(self) -> None:
        point = self._asking.point
        if self._cropper is None or point is None:
            return
        if self._enlarged is None:
            self._enlarged = EnlargedCrop(self._area)
            self._enlarged.closed.connect(self._delay.disturb)
        risk = self._asking.assessment.risk if self._asking.assessment else None
        self._enlarged.show_place(point, risk, self._cropper, self._tokens)
        self._delay.disturb()

    def _is_enlarged(self) -> bool:
        return self._enlarged is not None and self._enlarged.isVisible()

    def _word_typed(self, text: object) -> None:
        if text == self._word and self._delay.check() and not self._expired():
            self._send("yes")

    def _send(self, answer: str | None, note: str = "") -> None:
        if self._answer_sent:
            return
        self._answer_sent = True
        permits = answer == "yes" and self.offer.ticked
        question_id = self._asking.question.question_id
        self.answered.emit(Answer(question_id=question_id, answer=answer, note=note, permits=permits))
        self._close()

    def _close(self) -> None:
        self._clock.stop()
        self._delay.end()
        self.done(QDialog.DialogCode.Rejected)
        self.deleteLater()

    def reject(self) -> None:
        """Answer no on Esc; where the picture is enlarged, Esc closes that first."""
        if self._is_enlarged() and self._enlarged is not None:
            self._enlarged.shut()
            return
        self._send(None)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Answer no on closing."""
        event.accept()
        self._send(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore Enter; Esc answers no."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()
            return
        super().keyPressEvent(event)

    # events

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scroll where a person, or the window manager, leaves less height than is needed."""
        super().resizeEvent(event)
        self._fit_scrolling()

    def showEvent(self, event: QShowEvent) -> None:
        """Refit: font metrics are final only once shown."""
        super().showEvent(event)
        self.fit()
