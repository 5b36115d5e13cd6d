"""The side card: the pending calls with crops and reasons; Approve, Edit and Skip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from operator_console.domain.actions import Action, target_point
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.intents import Approve, Edit, Pause, Resume, Skip
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.engine.action_wording import cut, shown_lines
from operator_console.ui.panels.edit_panel import EditPanel
from operator_console.ui.panels.question_panel import QuestionPanel
from operator_console.ui.theme_colours import LIGHT, Tokens, risk_token
from operator_console.ui.view.call_words import assessed_words, call_outcome, said_heading, unread_words, window_hit
from operator_console.ui.view.session_view import Call, SessionView, asked_in_dialog
from operator_console.ui.view.state_words import card_heading, card_words, question_heading
from operator_console.ui.view.words import CATEGORY_WORDS
from operator_console.ui.widgets.approval_delay import ApprovalDelay
from operator_console.ui.widgets.controls import GRID, CropView, GuardedButton, button, column, label, set_role
from operator_console.ui.widgets.frame_image import Cropper
from operator_console.ui.window_shortcuts import ShortcutAction, add_shortcut

LONG = 400
"""Characters; longer texts are cut in the card. The tooltip and the safety dialog show them in full."""


class CallRow(QWidget):
    """One pending call with its crop."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        self._crop = CropView(QSize(96, 72))
        row.addWidget(self._crop, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(2)
        self._title = label(role="strong", wrap=True)
        self._where = label(role="secondary", wrap=True)
        words.addWidget(self._title)
        words.addWidget(self._where)
        words.addStretch(1)
        row.addLayout(words, 1)

    def show_call(self, call: Call, *, numbered: bool, note: str, crop: Cropper, tokens: Tokens) -> None:
        """Show a call; `note` is a remark beside it."""
        words = assessed_words(call.action, call.assessment, limit=LONG)
        number = f"{call.index + 1} · " if numbered else ""
        self._title.setText(f"{number}{words.line}")
        unread = unread_words(call.assessment).rstrip(".")
        parts = [part for part in (words.where, unread, call.proposed.error, call.proposed.note, note) if part]
        if call.granted or call.performed is not None:
            parts.append(call_outcome(call))
        self._where.setText(" · ".join(parts))
        whole = assessed_words(call.action, call.assessment, limit=5_000)
        self.setToolTip(whole.line if whole.line != words.line else "")
        point = target_point(call.action) if call.action is not None else None
        if point is None and call.proposed.box is not None:
            point = NativePoint(*call.proposed.box.centre)
        risk = call.assessment.risk if call.assessment else None
        self._crop.set_colours(tokens.line_strong, tokens.stage, risk_token(tokens, risk))
        image = crop(point, self._crop.wanted()) if point is not None else None
        self._crop.show_image(image)
        self._crop.setVisible(image is not None)


ROWS = 4


class CardInfo(QScrollArea):
    """The scrollable part of the card: pending calls, why approval is needed, what the model says."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inner = QWidget()
        self._inner.setProperty("role", "plain")
        self.setWidget(self._inner)
        inside = column(self._inner, spacing=GRID)
        self._rows = [CallRow() for _ in range(ROWS)]
        for row in self._rows:
            inside.addWidget(row)
        self._more = label(role="secondary")
        self._why = label(role="secondary", wrap=True)
        self._says = label(role="heading")
        self._quote = label(role="quote", wrap=True)
        for widget in (self._more, self._why, self._says, self._quote):
            inside.addWidget(widget)
        inside.addStretch(1)

    def show_calls(
        self, view: SessionView, calls: tuple[Call, ...], subject: Call | None, turn: str, crop: Cropper, tokens: Tokens
    ) -> None:
        """Show the open calls; `turn` is a note for the row of `subject`."""
        numbered = view.step is not None and len(view.step.calls) > 1
        for row, call in zip(self._rows, calls, strict=False):
            row.show_call(call, numbered=numbered, note=turn if call == subject else "", crop=crop, tokens=tokens)
        for place, row in enumerate(self._rows):
            row.setVisible(place < len(calls))
        self._more.setText(f"and {len(calls) - ROWS} more")
        self._more.setVisible(len(calls) > ROWS)
        self.setVisible(bool(calls))
        self._show_reasons(view, subject if calls else None)

    def wanted_height(self, width: int) -> int:
        """The height needed at a width; 0 if hidden."""
        layout = self._inner.layout()
        return layout.totalHeightForWidth(width) if layout is not None and not self.isHidden() else 0

    def _show_reasons(self, view: SessionView, subject: Call | None) -> None:
        assessment = subject.assessment if subject is not None else None
        parts = []
        if assessment is not None and (assessment.rule or assessment.reasons):
            parts.append(f"Why: {' '.join(assessment.reasons) or assessment.rule}")
        if subject is not None and (window := window_hit(subject, view)):
            parts.append(f"Window: {cut(window, 80)}")
        self._why.setText(shown_lines(cut("\n".join(parts), 2_000)))
        self._why.setVisible(bool(parts))
        self._show_words(view, subject)

    def _show_words(self, view: SessionView, subject: Call | None) -> None:
        proposed = view.step.proposed if view.step is not None and subject is not None else None
        says = (subject.proposed.intent if subject else "") or (proposed.narration if proposed else "")
        thoughts = proposed.thoughts if proposed else ""
        text = "\n".join(part for part in (says, thoughts if thoughts != says else "") if part)
        self._quote.setText(shown_lines(cut(text, 600)))
        self._quote.setToolTip(shown_lines(cut(text, 5_000)) if len(text) > 600 else "")
        self._quote.setVisible(bool(text))
        self._says.setText(said_heading(view))
        self._says.setVisible(bool(text))


class ActionCard(QFrame):
    """The next action and its buttons.

    Signals:
        intent: carries an Intent.
        picking: carries whether a click on the preview now picks a point.
        edited: carries the edited action for the preview; None while it is invalid or nothing is edited.
        resized: the content needs another height (no payload).
    """

    intent = Signal(object)
    picking = Signal(object)
    edited = Signal(object)
    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "plain")
        self._view = SessionView()
        self._subject: Call | None = None
        self._tokens = LIGHT
        self._native = Size(1, 1)
        self._paused_to_edit = False
        self._delay = ApprovalDelay(self._presentable, self)
        self._question_id = ""
        rows = column(self, spacing=GRID, margins=(16, 16, 16, 12))
        self._build_head(rows)
        self._info = CardInfo()
        rows.addWidget(self._info)
        self.question = QuestionPanel()
        self.question.intent.connect(self.intent)
        rows.addWidget(self.question)
        self.question.hide()
        self._build_foot(rows)
        self._delay.changed.connect(self._show_delay)
        add_shortcut(ShortcutAction.APPROVE, self, self._approve).setAutoRepeat(False)

    def _build_head(self, rows: QVBoxLayout) -> None:
        head = QHBoxLayout()
        self._title = label("Next action", "heading")
        self._badge = label(role="badge")
        head.addWidget(self._title, 1)
        head.addWidget(self._badge)
        rows.addLayout(head)
        self._empty = label(card_words(self._view), "hint", wrap=True)
        rows.addWidget(self._empty)

    def _build_foot(self, rows: QVBoxLayout) -> None:
        self.editor = EditPanel()
        self.editor.edited.connect(self._edited)
        self.editor.hide()
        rows.addWidget(self.editor)
        line = QHBoxLayout()
        line.setSpacing(GRID)
        self.approve = GuardedButton("Approve", "primary")
        self.edit = button("Edit")
        self.skip = button("Skip…", name="Skip")
        for push in (self.approve, self.edit, self.skip):
            line.addWidget(push, 1)
        self._buttons = QWidget()
        self._buttons.setProperty("role", "plain")
        line.setContentsMargins(0, 0, 0, 0)
        self._buttons.setLayout(line)
        rows.addWidget(self._buttons)
        self.feedback = QLineEdit()
        self.feedback.setAccessibleName("Feedback")
        self.feedback.setPlaceholderText("Reason for the model (optional)")
        self.feedback.hide()
        rows.addWidget(self.feedback)
        self._note = label(role="secondary", wrap=True)
        rows.addWidget(self._note)
        self.approve.clicked.connect(self._approve)
        self.edit.clicked.connect(self._edit_clicked)
        self.skip.clicked.connect(self._skip_clicked)
        self.feedback.returnPressed.connect(self._skip)

    # display

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._tokens = tokens

    def show_view(self, view: SessionView, crop: Cropper, native: Size, *, replay: bool) -> None:
        """Show the next action."""
        self._view, self._native = view, native
        question = view.question
        own = question is not None and question.about not in ("review", "safety") and not asked_in_dialog(question)
        calls = () if own else view.open_calls
        subject = view.asked_call or view.leading_call or next(iter(calls), None)
        if _place(subject) != _place(self._subject):
            self._close_panels()
        self._subject = subject
        self._show_head(calls, own)
        self._info.show_calls(view, calls, subject, self._turn(), crop, self._tokens)
        self.question.show_question(question if own else None, enabled=not replay, crop=crop, tokens=self._tokens)
        self._show_buttons(calls, replay=replay)
        self._begin_delay(question.question_id if question is not None else "")
        self.fit_height()

    def _show_head(self, calls: tuple[Call, ...], own: bool) -> None:
        self._empty.setVisible(not calls and not own)
        self._empty.setText(card_words(self._view))
        set_role(self._title, role="title" if calls or own else "heading")
        count = len(calls)
        asks = question_heading(self._view) if own else ""
        self._title.setText(asks or (card_heading(self._view) if count <= 1 else f"Next: {count} actions"))
        subject = self._subject
        assessment = subject.assessment if subject is not None and calls else None
        self._badge.setVisible(assessment is not None)
        if assessment is not None:
            what = ", ".join(CATEGORY_WORDS[category] for category in assessment.categories)
            word = assessment.risk.word.capitalize()
            self._badge.setText(f"{word} · {what}" if what else f"{word} risk")
            set_role(self._badge, risk=str(int(assessment.risk)))

    def _turn(self) -> str:
        if self._view.question is None:
            return ""
        return "asked in the dialog" if self._in_dialog() else "waiting for your approval"

    def _show_buttons(self, calls: tuple[Call, ...], *, replay: bool) -> None:
        shown_now = bool(calls) and not replay
        self._buttons.setVisible(shown_now)
        workable = (
            shown_now and not self._in_dialog() and (self._reviewing() or self._leading() or self._paused_to_edit)
        )
        self.edit.setEnabled(workable)
        self.skip.setEnabled(workable)
        if not workable:
            self._close_panels()
        self._show_delay()

    def _show_delay(self) -> None:
        armed = self._paused_to_edit or (self._reviewing() and not self._in_dialog() and self._delay.open)
        if self.approve.isEnabled() != armed:
            self.approve.setEnabled(armed)
        self._note.setText(self._note_words())
        self._note.setVisible(bool(self._note.text()))
        self.question.set_armed(self._delay.open)

    def _note_words(self) -> str:
        if not self._buttons.isVisibleTo(self):
            return ""
        if self._in_dialog():
            return "Asked in the dialog"
        if self._reviewing():
            return "No time limit. Approve: Ctrl+Enter"
        if self._leading() and self._subject is not None:
            return f"Runs automatically after {self._subject.lead_s:g} s. You can still pause, skip or edit it."
        return ""

    # state queries

    def _presentable(self) -> bool:
        return self.isVisible() and not self.window().isMinimized()

    def _reviewing(self) -> bool:
        question = self._view.question
        return question is not None and question.about in ("review", "safety")

    def _in_dialog(self) -> bool:
        return asked_in_dialog(self._view.question)

    def _leading(self) -> bool:
        call = self._view.leading_call
        return call is not None and call.lead_s > 0 and not call.granted

    def _begin_delay(self, question_id: str) -> None:
        if question_id == self._question_id:
            return
        self._question_id = question_id
        if question_id:
            self._delay.begin()
        else:
            self._delay.end()

    # event handlers

    def _approve(self) -> None:
        if self.question.isVisibleTo(self) and self._delay.check() and self.question.press_focused():
            return
        call = self._subject
        if call is None or self._in_dialog():
            return
        action: Action | None = None
        if self.editor.isVisibleTo(self):
            action = self.editor.action()
            if action is None:
                return
        if self._paused_to_edit and action is not None:
            self.intent.emit(Edit(step=call.step, call=call.index, action=action))
            self.intent.emit(Resume())
            self._close_panels()
            return
        question = self._view.question
        if question is None or question.about != "review" or not self._delay.check():
            return
        self._delay.end()
        self.intent.emit(Approve(question_id=question.question_id, action=action if action != call.action else None))

    def _edit_clicked(self) -> None:
        call = self._subject
        if call is None or call.action is None:
            return
        if self.editor.isVisibleTo(self):
            self._close_panels()
            return
        if self._leading():
            self._paused_to_edit = True
            self.intent.emit(Pause(detail=notice(NoticeCode.ACTION_BEING_EDITED)))
        self._close_feedback()
        self.editor.open_for(call.action, self._native)
        self.editor.show()
        self.picking.emit(self.editor.has_point)
        self._show_delay()
        self.fit_height()

    def _skip_clicked(self) -> None:
        if self._leading() and self._subject is not None:
            self.intent.emit(Skip(step=self._subject.step, call=self._subject.index))
            return
        self.feedback.setVisible(not self.feedback.isVisibleTo(self))
        if self.feedback.isVisibleTo(self):
            self.feedback.setFocus(Qt.FocusReason.OtherFocusReason)
        self.fit_height()

    def _skip(self) -> None:
        call = self._subject
        if call is None or not self.skip.isEnabled():
            return
        text = self.feedback.text().strip()
        self._close_panels()
        self.intent.emit(Skip(step=call.step, call=call.index, feedback=text))

    def take_point(self, point: NativePoint) -> None:
        """Use a point picked on the preview while editing."""
        if self.editor.isVisibleTo(self):
            self.editor.set_point(point)

    def take_end(self, point: NativePoint) -> None:
        """Use a point picked on the preview as the end of a drag while editing."""
        if self.editor.isVisibleTo(self):
            self.editor.set_end(point)

    def _edited(self) -> None:
        self.edited.emit(self.editor.action())

    def _close_feedback(self) -> None:
        self.feedback.clear()
        self.feedback.hide()

    def _close_panels(self) -> None:
        self._close_feedback()
        self._paused_to_edit = False
        if self.editor.isVisibleTo(self):
            self.editor.hide()
            self.picking.emit(False)
            self.edited.emit(None)

    # size and visibility

    def fit_height(self) -> None:
        """Give the scrollable part the height that it needs, as far as the window allows."""
        width = self.width() - 32
        wanted = self._info.wanted_height(width)
        room = max(88, self.window().height() - 520)
        self._info.setFixedHeight(max(1, min(wanted, room)))
        self.question.fit_height()
        self.resized.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Refit the height: text wraps differently at a new width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.fit_height()

    def showEvent(self, event: QShowEvent) -> None:
        """Restart the approval delay."""
        super().showEvent(event)
        self._delay.disturb()

    def hideEvent(self, event: QHideEvent) -> None:
        """Restart the approval delay."""
        super().hideEvent(event)
        self._delay.disturb()


def _place(call: Call | None) -> tuple[int, int] | None:
    return (call.step, call.index) if call is not None else None
