"""The side card: what comes next, in words; Approve, Edit, Skip. High and critical actions it only shows.

Not the dialog (C3, C4 and providers' checks are answered there) and not a judge: it posts intents. A yes counts once
the card has shown this very question for a second; no key but Ctrl+Return gives it.
"""

from __future__ import annotations

from PySide6.QtCore import QKeyCombination, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from operator_console.domain.actions import Action
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.intents import Approve, Edit, Pause, Resume, Skip
from operator_console.ui.call_row import Cropper
from operator_console.ui.card_info import CardInfo
from operator_console.ui.edit_panel import EditPanel
from operator_console.ui.gate import Gate
from operator_console.ui.model import Call, SessionView, asked_in_dialog
from operator_console.ui.parts import GRID, GuardedButton, button, column, label, set_role
from operator_console.ui.question_panel import QuestionPanel
from operator_console.ui.state_words import card_words
from operator_console.ui.theme import LIGHT, Tokens
from operator_console.ui.words import CATEGORY_WORDS


class ActionCard(QFrame):
    """The card.

    Signals:
        intent: carries an Intent.
        picking: carries whether a click on the preview names a place now.
        edited: the edited action as far as it goes, for the preview; carries an Action or None.
        resized: what it shows needs another height (no payload).
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
        self._gate = Gate(self._presentable, self)
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
        self._gate.changed.connect(self._show_gate)
        self._shortcut = QShortcut(
            QKeySequence(QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_Return)), self
        )
        self._shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
        self._shortcut.setAutoRepeat(False)
        self._shortcut.activated.connect(self._approve)

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
        self.feedback.setPlaceholderText("Why? The model reads it. Enter skips.")
        self.feedback.hide()
        rows.addWidget(self.feedback)
        self._note = label(role="secondary", wrap=True)
        rows.addWidget(self._note)
        self.approve.clicked.connect(self._approve)
        self.edit.clicked.connect(self._edit_clicked)
        self.skip.clicked.connect(self._skip_clicked)
        self.feedback.returnPressed.connect(self._skip)

    # what is shown

    def set_tokens(self, tokens: Tokens) -> None:
        """Another scheme."""
        self._tokens = tokens

    def show_view(self, view: SessionView, crop: Cropper, native: Size, *, replay: bool) -> None:
        """What comes next."""
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
        self.question.show_question(question if own else None, enabled=not replay)
        self._show_buttons(calls, replay=replay)
        self._begin_gate(question.question_id if question is not None else "")
        self.fit_height()

    def _show_head(self, calls: tuple[Call, ...], own: bool) -> None:
        self._empty.setVisible(not calls and not own)
        self._empty.setText(card_words(self._view))
        set_role(self._title, role="title" if calls or own else "heading")
        count = len(calls)
        words = "The model asks you" if own else "Next action" if count <= 1 else f"Next: {count} actions"
        self._title.setText(words)
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
        return "asked in the dialog" if self._in_dialog() else "waits for your yes"

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
        self._show_gate()

    def _show_gate(self) -> None:
        armed = self._paused_to_edit or (self._reviewing() and not self._in_dialog() and self._gate.open)
        if self.approve.isEnabled() != armed:
            self.approve.setEnabled(armed)
        self._note.setText(self._note_words())
        self._note.setVisible(bool(self._note.text()))
        self.question.set_armed(self._gate.open)

    def _note_words(self) -> str:
        if not self._buttons.isVisibleTo(self):
            return ""
        if self._in_dialog():
            return "Asked in the dialog"
        if self._reviewing():
            return "Waits for you as long as it takes. Ctrl+Return approves."
        if self._leading() and self._subject is not None:
            return f"Happens by itself after {self._subject.lead_s:g} s. Pause, Skip and Edit work meanwhile."
        return ""

    # what is so

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

    def _begin_gate(self, question_id: str) -> None:
        if question_id == self._question_id:
            return
        self._question_id = question_id
        if question_id:
            self._gate.begin()
        else:
            self._gate.end()

    # what happens

    def _approve(self) -> None:
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
        if question is None or question.about != "review" or not self._gate.check():
            return
        self._gate.end()
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
            self.intent.emit(Pause(detail="an action is being edited"))
        self._close_feedback()
        self.editor.open_for(call.action, self._native)
        self.editor.show()
        self.picking.emit(True)
        self._show_gate()
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
        """A place named on the preview while editing."""
        if self.editor.isVisibleTo(self):
            self.editor.set_point(point)

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
        """Give the scrolled part the height that it needs, up to what the window has."""
        width = self.width() - 32
        wanted = self._info.wanted_height(width)
        room = max(88, self.window().height() - 520)
        self._info.setFixedHeight(max(1, min(wanted, room)))
        self.resized.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width wraps otherwise."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.fit_height()

    def showEvent(self, event: QShowEvent) -> None:
        """The second counts from here."""
        super().showEvent(event)
        self._gate.disturb()

    def hideEvent(self, event: QHideEvent) -> None:
        """Hidden: not shown."""
        super().hideEvent(event)
        self._gate.disturb()


def _place(call: Call | None) -> tuple[int, int] | None:
    return (call.step, call.index) if call is not None else None
