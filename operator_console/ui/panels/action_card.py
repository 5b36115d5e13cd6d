"""The side card: the pending calls with crops and reasons; Approve, Edit and Skip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.actions import Action, Screenshot, Wait, target_point
from operator_console.domain.decisions import Assessment
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.intents import Approve, ApproveNext, Edit, Pause, Resume, Skip
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import quoted
from operator_console.engine.visible_text import cut, shown_lines
from operator_console.ui.backend import InputDevices
from operator_console.ui.panels.edit_panel import EditPanel, editable
from operator_console.ui.panels.next_step_buttons import NextStepButtons
from operator_console.ui.panels.question_panel import QuestionPanel
from operator_console.ui.theme_colours import LIGHT, OVERLAY_RISK, Tokens
from operator_console.ui.view.call_words import (
    as_asked,
    assessed_words,
    call_outcome,
    focus_elsewhere,
    reasons_of,
    said_heading,
    unread_words,
    window_hit,
    would_be,
)
from operator_console.ui.view.next_steps import next_steps
from operator_console.ui.view.session_view import Call, Phase, SessionView, asked_in_dialog
from operator_console.ui.view.state_words import (
    card_heading,
    card_words,
    question_heading,
    replay_heading,
    replay_words,
)
from operator_console.ui.view.words import risk_words
from operator_console.ui.widgets.approval_delay import ApprovalDelay, Covering, Obstacle, refused_words
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
    roomy,
    row_layout,
    set_role,
    show_text,
)
from operator_console.ui.widgets.fitting_scroll_area import scroll_bar
from operator_console.ui.widgets.images import Cropper
from operator_console.ui.widgets.permission_offer import OfferedPermission
from operator_console.ui.widgets.wrapped_lines import unbroken
from operator_console.ui.window_shortcuts import ShortcutAction, add_shortcut, keys_of

LONG, LATER = 240, 80
"""Characters of the next call's texts and of a later call's; longer ones are cut.

The editor, the tooltip and the safety dialog show them in full.
"""
ROWS = 4
"""Calls of a batch that are listed."""
MARGIN = 16
MOST_AHEAD = 50
"""Actions that can be approved ahead at once."""
_LINES_BESIDE_AHEAD = 20
"""Lines that the card must have room for before it offers that."""
LEAST_INFO = 60
"""Height that the scrollable part has at least, in logical pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCall:
    """A call as the card shows it.

    Attributes:
        call: with the action that would be done.
        edited: whether that is not the model's action.
        judged: whether the risk of that action is known.
    """

    call: Call
    edited: bool = False
    judged: bool = True

    @property
    def point(self) -> NativePoint | None:
        """The place in the picture; None: it has none."""
        action, box = self.call.action, self.call.proposed.box
        point = target_point(action) if action is not None else None
        return point if point is not None or box is None else NativePoint(*box.centre)


class CallRow(QWidget):
    """One pending call: its picture, what it does and where, and why.

    Signals:
        enlarge: its picture was pressed; carries the NativePoint and the RiskClass or None.
    """

    enlarge = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        row = row_layout(self, spacing=GRID, margins=(0, 0, 0, 0))
        self._shown: ShownCall | None = None
        self.crop = CropButton(QSize(96, 72))
        row.addWidget(self.crop, 0, Qt.AlignmentFlag.AlignTop)
        words = column(spacing=2)
        self._title = label(role="strong", wrap=True)
        self._where = label(role="secondary", wrap=True)
        self._why = label(role="secondary", wrap=True)
        for line in (self._title, self._where, self._why):
            words.addWidget(line)
        words.addStretch(1)
        row.addLayout(words, 1)
        self.crop.clicked.connect(self._pressed)

    def show_call(self, shown: ShownCall, *, number: str, why: str, crop: Cropper, tokens: Tokens) -> None:
        """Show a call; `number` of a batch, `why` its own reason."""
        self._shown = shown
        call = shown.call
        words = assessed_words(call.action, call.assessment, limit=LATER if number else LONG)
        self._title.setText(breakable(f"{number} · {words.line}" if number else words.line))
        unread = unread_words(call.assessment).rstrip(".")
        parts = [part for part in (words.where, unread, call.proposed.error, call.proposed.note) if part]
        if call.granted or call.performed is not None:
            parts.append(call_outcome(call))
        show_text(self._where, breakable(" · ".join(parts)))
        show_text(self._why, breakable(why))
        whole = assessed_words(call.action, call.assessment, limit=5_000)
        self.setToolTip(whole.line if whole.line != words.line else "")
        risk = call.assessment.risk if call.assessment and shown.judged else None
        self.crop.set_colours(tokens.line_strong, tokens.stage, OVERLAY_RISK[risk])
        point = shown.point
        image = crop(point, self.crop.wanted()) if point is not None else None
        self.crop.show_image(image)
        self.crop.setVisible(image is not None)

    def _pressed(self) -> None:
        shown = self._shown
        if shown is not None and shown.point is not None:
            assessment = shown.call.assessment if shown.judged else None
            self.enlarge.emit(shown.point, assessment.risk if assessment is not None else None)


class CardInfo(QScrollArea):
    """The scrollable part of the card: the next call, its window, why it is asked, what the model says, its editor,
    the other calls, and the permission that is offered.
    """

    def __init__(self, editor: EditPanel, offer: OfferedPermission) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._inner = plain()
        self.setWidget(self._inner)
        inside = column(self._inner, spacing=GRID)
        self.rows = [CallRow() for _ in range(ROWS)]
        self._why = label(role="secondary", wrap=True)
        self._window = label(role="secondary", wrap=True)
        self._says = label(role="heading")
        self._quote = label(role="quote", wrap=True)
        self._more = label(role="secondary")
        words = (self._window, self._why, self._says, self._quote)
        for widget in (self.rows[0], *words, editor, *self.rows[1:], self._more, offer):
            inside.addWidget(widget)
        inside.addStretch(1)

    def show_calls(self, view: SessionView, calls: tuple[ShownCall, ...], crop: Cropper, tokens: Tokens) -> None:
        """Show the open calls, the next one first."""
        total = len(view.step.calls) if view.step is not None else 1
        for place, (row, shown) in enumerate(zip(self.rows, calls, strict=False)):
            number = (
                _("{number} of {total}").format(number=shown.call.index + 1, total=total) if place and total > 1 else ""
            )
            why = _own_reason(shown, calls[0]) if place else ""
            row.show_call(shown, number=number, why=why, crop=crop, tokens=tokens)
        for place, row in enumerate(self.rows):
            row.setVisible(place < len(calls))
        self._more.setText(
            ngettext("and {count} more action", "and {count} more actions", len(calls) - ROWS).format(
                count=len(calls) - ROWS
            )
        )
        self._more.setVisible(len(calls) > ROWS)
        self.setVisible(bool(calls))
        self._show_reasons(view, calls[0] if calls else None)
        self._show_words(view, calls[0].call if calls else None)

    def wanted_height(self, width: int) -> int:
        """The height needed at a width; 0 if hidden."""
        layout = self._inner.layout()
        return layout.totalHeightForWidth(width) if layout is not None and not self.isHidden() else 0

    def fit(self, wanted: int, room: int) -> None:
        """Take the height that is needed, as far as there is room; it takes the focus only where it scrolls."""
        self.setFixedHeight(max(1, min(wanted, room)))
        self.setVerticalScrollBarPolicy(scroll_bar(needed=wanted > room))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if wanted > room else Qt.FocusPolicy.NoFocus)

    def _show_reasons(self, view: SessionView, shown: ShownCall | None) -> None:
        window = elsewhere = why = ""
        if shown is not None:
            window, elsewhere = window_hit(shown.call, view), focus_elsewhere(shown.call, view)
            why = _why(shown)
        hit = shown_lines(cut(window, 120))
        self._window.setText(
            breakable(
                _("Window: {title}. Another window has the focus: {focused}.").format(
                    title=hit, focused=cut(shown_lines(elsewhere), 120)
                )
                if elsewhere
                else _("Window: {title}").format(title=hit)
            )
        )
        self._window.setVisible(bool(window))
        show_text(self._why, breakable(why))

    def _show_words(self, view: SessionView, subject: Call | None) -> None:
        proposed = view.step.proposed if view.step is not None and subject is not None else None
        says = (subject.proposed.intent if subject else "") or (proposed.narration if proposed else "")
        thoughts = proposed.thoughts if proposed else ""
        text = "\n".join(part for part in (says, thoughts if thoughts != says else "") if part)
        if view.plays_runbook and not (subject is not None and isinstance(subject.action, Wait | Screenshot)):
            text = ""  # the action says the same
        self._quote.setText(breakable(shown_lines(cut(text, 600))))
        self._quote.setToolTip(shown_lines(cut(text, 5_000)) if len(text) > 600 else "")
        self._quote.setVisible(bool(text))
        self._says.setText(said_heading(view))
        self._says.setVisible(bool(text))


def _why(shown: ShownCall) -> str:
    assessment = shown.call.assessment
    if not shown.judged:
        return _("The risk is looked at again when you approve.")
    if assessment is None or not (reasons := reasons_of(assessment)):
        return ""
    why = _("Why: {reasons}").format(reasons=shown_lines(cut(" ".join(reasons), 2_000)))
    return f"{why}\n{_('Looked at again as edited.')}" if shown.edited else why


def _own_reason(shown: ShownCall, first: ShownCall) -> str:
    """Risk and reason of a later call of a batch, and the model's words where it has words of its own."""
    assessment, intent = shown.call.assessment, shown.call.proposed.intent
    parts = []
    if assessment is not None:
        parts.append(f"{risk_words(assessment)}: {' '.join(reasons_of(assessment))}".rstrip(": "))
    if intent and intent != first.call.proposed.intent:
        parts.append(quoted(intent, 200))
    return shown_lines(cut(" · ".join(parts), 600))


class ActionCard(QFrame):
    """The next action and its buttons, which stay at the lower edge.

    Signals:
        intent: carries an Intent.
        picking: carries whether a click on the preview now picks a point.
        edited: carries the edited action for the preview; None while it is invalid or nothing is edited.
        enlarge: a picture was pressed; carries the NativePoint and the RiskClass or None.
    """

    intent = Signal(object)
    picking = Signal(object)
    edited = Signal(object)
    enlarge = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "plain")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._view = SessionView()
        self._subject: Call | None = None
        self._crop: Cropper = lambda _point, _size: None
        self._replay = False
        self._draft: Action | None = None
        self._judged: tuple[Action, Assessment] | None = None
        self._tokens = LIGHT
        self._native = Size(1, 1)
        self._room = 10_000
        self._paused_to_edit = self._invalid = False
        self._out_of_reach, self._seen = "", True
        self._blocked = ""
        self._boxed_in: tuple[QWidget, ...] = ()
        self._question_id = ""
        rows = column(self, spacing=GRID, margins=(MARGIN, 12, MARGIN, 12))
        self._build_head(rows)
        self.editor = EditPanel()
        self.offer = OfferedPermission()
        self.info = CardInfo(self.editor, self.offer)
        rows.addWidget(self.info)
        self.question = QuestionPanel(self._answer_counts)
        self.question.intent.connect(self.intent)
        rows.addWidget(self.question)
        self.question.hide()
        self._build_panels(rows)
        self._build_foot(rows)
        self._delay = ApprovalDelay(self, self._unfit, press=self.approve)
        self._delay.gate.add(self.offer.box)
        self.offer.ticked_changed.connect(self._delay.disturb)
        for row in self.info.rows:
            row.enlarge.connect(self.enlarge)
        self._delay.changed.connect(self._show_delay)
        add_shortcut(ShortcutAction.APPROVE, self, self._approve_by_key).setAutoRepeat(False)

    def _build_head(self, rows: QVBoxLayout) -> None:
        head = row_layout(spacing=GRID)
        self._title = label(_("Next action"), "heading", wrap=True)
        self._edited_badge = label(_("Edited"), role="badge")
        self._badge = label(role="badge")
        head.addWidget(self._title, 1)
        badges = row_layout(spacing=GRID // 2)
        for badge in (self._edited_badge, self._badge):
            badges.addWidget(badge, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(badges)
        self._edited_badge.hide()
        rows.addLayout(head)
        self._empty = label(card_words(self._view), "hint", wrap=True)
        rows.addWidget(self._empty)
        self.next_steps = NextStepButtons()
        rows.addWidget(self.next_steps)

    def _build_panels(self, rows: QVBoxLayout) -> None:
        self.editor.edited.connect(self._edited)
        self.editor.cancelled.connect(self.cancel_edit)
        self.editor.hide()
        self._skipping = plain()
        line = row_layout(self._skipping, spacing=GRID, margins=(0, 0, 0, 0))
        self.feedback = QLineEdit()
        self.feedback.setAccessibleName(_("Feedback"))
        self.feedback.setPlaceholderText(_("Reason for the model (optional)"))
        self.skip_now = button(_("Skip without note"))
        line.addWidget(self.feedback, 1)
        line.addWidget(self.skip_now)
        self._skipping.hide()
        rows.addWidget(self._skipping)
        self.feedback.returnPressed.connect(self._skip)
        self.feedback.textChanged.connect(self._feedback_changed)
        self.skip_now.clicked.connect(self._skip)

    def _build_foot(self, rows: QVBoxLayout) -> None:
        self._note = label(role="secondary", wrap=True)
        rows.addWidget(self._note)
        self._buttons = plain()
        line = self._line = row_layout(self._buttons, spacing=GRID, margins=(0, 0, 0, 0))
        self.approve = GuardedButton(_("Approve"), "primary")
        self.edit = button(_("Edit"))
        self.skip = button(_("Skip…"), name=_("Skip"))
        line.addWidget(self.approve, 1)
        line.addWidget(self.edit)
        line.addWidget(self.skip)
        rows.addWidget(self._buttons)
        self._ahead = plain()
        ahead = row_layout(self._ahead, spacing=GRID, margins=(0, 0, 0, 0))
        self.approve_next = GuardedButton(_("Approve the next"), "link")
        self.many = QSpinBox()
        self.many.setRange(2, MOST_AHEAD)
        self.many.setValue(5)
        roomy(self.many)
        self.many.setAccessibleName(_("How many actions are approved, with this one"))
        ahead.addWidget(self.approve_next)
        ahead.addWidget(self.many)
        ahead.addStretch(1)
        rows.addWidget(self._ahead)
        self.approve_next.clicked.connect(self._approve_next)
        self.approve.clicked.connect(self._approve)
        self.edit.clicked.connect(self._edit_clicked)
        self.skip.clicked.connect(self._skip_clicked)

    # display

    def protect(self, covering: Covering, devices: Callable[[], InputDevices | None]) -> None:
        """What tells whether another program's window covers the card, and which presses are a person's."""
        self._delay.covering, self._delay.gate.devices = covering, devices

    def set_boxed_in(self, preview: QWidget) -> None:
        """Where the boxes of a question's choices are clicked, too."""
        self._boxed_in = (preview,)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._tokens = tokens

    def set_room(self, height: int) -> None:
        """The most height that it may take, in logical pixels."""
        if height != self._room:
            self._room = height
            self._show_ahead()
            self.question.fit_hint()
            self.fit_height()

    def show_view(self, view: SessionView, crop: Cropper, native: Size, *, replay: bool) -> None:
        """Show the next action."""
        self._view, self._native, self._crop, self._replay = view, native, crop, replay
        question = view.question
        own = question is not None and question.about not in ("review", "safety") and not asked_in_dialog(question)
        calls = () if own else view.open_calls
        subject = view.asked_call or view.leading_call or next(iter(calls), None)
        subject = as_asked(subject, view) if subject is not None else None
        if _place(subject) != _place(self._subject):
            self._close_panels()
        self._subject = subject
        shown = self._shown_calls(calls)
        self._show_head(shown, own=own)
        self.next_steps.show_steps(() if own else next_steps(view, replay=replay))
        self.info.show_calls(view, shown, crop, self._tokens)
        edited = bool(shown) and shown[0].edited
        offers = question is not None and not (own or edited or replay or self._in_dialog())
        self.offer.show_offer(question if offers else None)
        self.question.show_question(question if own else None, enabled=not replay, crop=crop, tokens=self._tokens)
        presses = (self.approve_next, self.question.yes, *self.question.choices.buttons)
        self._delay.guard(presses, places=self._boxed_in if self.question.placed else ())
        self._show_buttons(calls, replay=replay)
        self._begin_delay(question.question_id if question is not None else "")
        self.fit_height()

    def set_blocked(self, why: str) -> None:
        """Why no session can be started now; "": one can."""
        self._blocked = why

    def set_out_of_reach(self, why: str, *, seen: bool) -> None:
        """While the target cannot be seen or reached, nothing is approved; the delay begins again after it.

        Args:
            why: said at Approve then; "": it can be.
            seen: whether its picture is live. Else nothing is edited on it either.
        """
        self._out_of_reach, self._seen = why, seen

    def show_judged(self, action: object, assessment: object) -> None:
        """Show policy's assessment of the action as it is edited; None: it could not be asked."""
        if isinstance(assessment, Assessment) and action == self._draft and self._draft is not None:
            self._judged = (self._draft, assessment)
            self._redraw()

    def _shown_calls(self, calls: tuple[Call, ...]) -> tuple[ShownCall, ...]:
        """The subject as it would be done, then the others in their order."""
        subject = self._subject
        if subject is None or not calls:
            return tuple(ShownCall(call=call) for call in calls)
        draft = self._draft if self._draft != subject.action else None
        judged = self._judged[1] if draft is not None and self._judged and self._judged[0] == draft else None
        own = self._view.call(subject.step, subject.index)
        first = ShownCall(
            call=would_be(subject, draft, judged),
            edited=draft is not None or (own is not None and own.proposed.action != subject.action),
            judged=draft is None or judged is not None,
        )
        return (first, *(ShownCall(call=call) for call in calls if _place(call) != _place(subject)))

    def _redraw(self) -> None:
        self.show_view(self._view, self._crop, self._native, replay=self._replay)

    def _show_head(self, calls: tuple[ShownCall, ...], *, own: bool) -> None:
        words = replay_words(self._view) if self._replay else card_words(self._view, blocked=self._blocked)
        self._empty.setVisible(bool(words) and not calls and not own)
        self._empty.setText(words)
        set_role(self._title, role="title" if calls or own or self._view.started is not None else "heading")
        asks = question_heading(self._view) if own else ""
        total = len(self._view.step.calls) if self._view.step is not None else 1
        heading = replay_heading(self._view) if self._replay else card_heading(self._view)
        if calls and total > 1:
            heading = _("Next action · {number} of {total}").format(number=calls[0].call.index + 1, total=total)
        self._title.setText(unbroken(asks or heading))
        self._title.setAccessibleName(asks or heading)
        first = calls[0] if calls else None
        assessment = first.call.assessment if first is not None and first.judged else None
        self._edited_badge.setVisible(first is not None and first.edited)
        self._badge.setVisible(assessment is not None)
        if assessment is not None:
            self._badge.setText(risk_words(assessment))
            set_role(self._badge, risk=str(int(assessment.risk)))
        self._show_approve(first, total)

    def _show_approve(self, first: ShownCall | None, total: int) -> None:
        words = _("Approve")
        if first is not None and first.edited and self._draft is not None:
            words = _("Approve edited")
        elif first is not None and total > 1:
            words = _("Approve {number} of {total}").format(number=first.call.index + 1, total=total)
        self.approve.setText(words)
        self._stack_buttons()

    def _stack_buttons(self) -> None:
        """One below the other where they do not fit beside each other."""
        needed = sum(push.sizeHint().width() for push in (self.approve, self.edit, self.skip)) + 2 * GRID
        fits = needed <= self.width() - 2 * MARGIN
        self._line.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)

    def _show_buttons(self, calls: tuple[Call, ...], *, replay: bool) -> None:
        shown_now = bool(calls) and not replay
        self._buttons.setVisible(shown_now)
        if not shown_now or self._not_asked():
            self._close_panels()
        enable(self.skip, self._not_asked(), tip=f"{_('Skip')} ({keys_of(ShortcutAction.SKIP)})")
        enable(self.edit, self._no_edit(), tip=f"{_('Edit')} ({keys_of(ShortcutAction.EDIT)})")
        self._show_ahead()
        self._show_delay()

    def _show_ahead(self) -> None:
        """Offer to approve more than one, where that leaves the action room."""
        question = self._view.question
        asked = question is not None and question.about == "review" and self._buttons.isVisibleTo(self)
        room = self._room >= _LINES_BESIDE_AHEAD * self.fontMetrics().lineSpacing()
        self._ahead.setVisible(asked and room and not self.editing)

    def _show_delay(self) -> None:
        words = self.approve.text()
        enable(
            self.approve,
            self._no_approval(),
            tip=f"{_('Approve')} ({keys_of(ShortcutAction.APPROVE)})",
            says=words if words != _("Approve") else "",
        )
        enable(
            self.approve_next, self._no_approval(),
            tip=_("This action and those after it, as far as each is asked about here. What is risky is always asked."),
        )  # fmt: skip
        note = self._note_words()
        if self._note.text() != note or self._note.isHidden() == bool(note):
            show_text(self._note, note)
            self.fit_height()
        self.question.set_armed(self._delay.open, self._answers_wait())

    def _note_words(self) -> str:
        if not self._buttons.isVisibleTo(self):
            return self._own_question_note()
        if (why := self._not_asked()) in (
            _("This is asked in the dialog."),
            _("The session is paused. Resume it first."),
        ):
            return why
        if self._out_of_reach:
            return self._out_of_reach
        if self._reviewing():
            heard = self._delay.open and not self._delay.refused
            return _("No time limit. Approve: Ctrl+Enter") if heard else self._approval_waits()
        if self._leading() and self._subject is not None:
            return _("Runs automatically after {lead_s:g} s. You can still pause, skip or edit it.").format(
                lead_s=self._subject.lead_s
            )
        return ""

    def _own_question_note(self) -> str:
        """What is said below a question of the card's own: why its answers are off, or how they are given by keys."""
        if self._replay or not self.question.opens or self.question.hinted:
            return self._out_of_reach if self.question.isVisibleTo(self) else ""
        if self._out_of_reach:
            return self._out_of_reach
        if not self._delay.open:
            return self._answers_wait()
        return _("By keyboard: Ctrl+Enter.") if self.question.likely else _("By keyboard: Tab, then Ctrl+Enter.")

    # state queries

    def _not_asked(self) -> str:
        """Why nothing can be done about the action now; "" where something can."""
        if self._in_dialog():
            return _("This is asked in the dialog.")
        if self._reviewing() or self._leading() or self._paused_to_edit:
            return ""
        if self._view.phase is Phase.PAUSED:
            return _("The session is paused. Resume it first.")
        return (
            _("This action is being performed.")
            if self._view.leading_call is not None
            else _("This action waits for no answer now.")
        )

    def _no_edit(self) -> str:
        """Why no editor can be opened now; "" where one can."""
        if why := self._not_asked():
            return why
        if self.editing:
            return _("The action is being edited. Cancel edit discards the changes.")
        if not self._seen:
            return self._out_of_reach
        return (
            ""
            if self._subject is not None and editable(self._subject.action)
            else _("This action has no text and no place to change.")
        )

    def _no_approval(self) -> str:
        """Why the action cannot be approved now; "" where it can."""
        if why := self._not_asked():
            return why
        if self._out_of_reach:
            return self._out_of_reach
        if self._invalid:
            return _("The change is not valid yet; the editor says why.")
        if self._paused_to_edit:
            return ""
        if not self._reviewing():
            return self._note_words() or _("This action waits for no answer now.")
        return "" if self._delay.open else self._approval_waits()

    def _unfit(self) -> str:
        return self._out_of_reach

    def _approval_waits(self) -> str:
        """Why Approve is not open yet, or why it was not heard."""
        if self._delay.refused:
            return refused_words()
        match self._delay.obstacle:
            case Obstacle.COVERED:
                return _("Another window is over this. Approve opens when it is in view.")
            case _:
                return self._out_of_reach or _("Approve opens after a second on the screen.")

    def _answers_wait(self) -> str:
        """Why the answers to a question are not open yet."""
        match self._delay.obstacle:
            case Obstacle.COVERED:
                return _("Another window is over this. Answers open when it is in view.")
            case _:
                return self._out_of_reach or _("Answers open after a second on the screen.")

    def _answer_counts(self) -> bool:
        return self._delay.check()

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

    def _approve_by_key(self) -> None:
        """Approve, but not while words are being written that are not part of the action, such as those for Skip."""
        focused = self.window().focusWidget()
        if isinstance(focused, QLineEdit | QPlainTextEdit) and not focused.isReadOnly():
            part = any(each.isAncestorOf(focused) for each in (self.editor, self.question))
            written = focused.text() if isinstance(focused, QLineEdit) else focused.toPlainText()
            if not part and written.strip():
                return
        if self._delay.gate.shortcut_counts():
            self._approve()
        else:
            self._delay.gate.refused.emit()

    def _approve(self) -> None:
        if self.question.isVisibleTo(self) and self._delay.check() and self.question.press_focused():
            return
        call = self._subject
        if call is None or self._in_dialog():
            return
        action: Action | None = None
        if self.editing:
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
        edited = action if action != call.action else None
        permits = self.offer.ticked and edited is None
        self.intent.emit(Approve(question_id=question.question_id, action=edited, permits=permits))

    def _approve_next(self) -> None:
        if self._delay.check():
            self.intent.emit(ApproveNext(count=self.many.value() - 1))
            self._approve()

    @property
    def place(self) -> tuple[int, int] | None:
        """The step and the index of the call that is shown first; None: none is."""
        return _place(self._subject)

    @property
    def editing(self) -> bool:
        """Whether the action is being edited."""
        return self.editor.isVisibleTo(self)

    def _edit_clicked(self) -> None:
        call = self._subject
        if call is None or call.action is None:
            return
        if self._leading():
            self._paused_to_edit = True
            self.intent.emit(Pause(detail=notice(NoticeCode.ACTION_BEING_EDITED)))
        self._close_feedback()
        self.editor.open_for(call.action, self._native)
        self.editor.show()
        self.editor.first_field().setFocus(Qt.FocusReason.OtherFocusReason)
        self.picking.emit(self.editor.has_point)
        enable(self.edit, self._no_edit(), tip=f"{_('Edit')} ({keys_of(ShortcutAction.EDIT)})")
        self._show_delay()
        self.fit_height()
        QTimer.singleShot(0, self, self._reveal_editor)  # once the layout has made room for it

    def cancel_edit(self) -> None:
        """Discard the edit: the action is the model's again."""
        if not self.editing:
            return
        self._paused_to_edit = False
        self._close_editor()
        self._redraw()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _skip_clicked(self) -> None:
        if self._leading() and self._subject is not None:
            self.intent.emit(Skip(step=self._subject.step, call=self._subject.index))
            return
        self._skipping.setVisible(not self._skipping.isVisibleTo(self))
        if self._skipping.isVisibleTo(self):
            self.feedback.setFocus(Qt.FocusReason.OtherFocusReason)
        self.fit_height()

    def _feedback_changed(self, _text: object) -> None:
        words = _("Skip with note") if self.feedback.text().strip() else _("Skip without note")
        self.skip_now.setText(words)
        self.skip_now.setAccessibleName(words)

    def _skip(self) -> None:
        call = self._subject
        if call is None or not self.skip.isEnabled():
            return
        text = self.feedback.text().strip()
        self._close_panels()
        self.intent.emit(Skip(step=call.step, call=call.index, feedback=text))

    def take_point(self, point: NativePoint) -> None:
        """Use a point picked on the preview while editing."""
        if self.editing:
            self.editor.set_point(point)

    def take_end(self, point: NativePoint) -> None:
        """Use a point picked on the preview as the end of a drag while editing."""
        if self.editing:
            self.editor.set_end(point)

    def _edited(self) -> None:
        draft = self.editor.action()
        self._invalid = draft is None
        self._show_delay()
        if draft is not None and draft != self._draft:
            self._draft = draft
            self._redraw()
        self.edited.emit(draft)

    def _close_feedback(self) -> None:
        self.feedback.clear()
        self._skipping.hide()

    def _close_editor(self) -> None:
        self._draft = self._judged = None
        self._invalid = False
        if self.editing:
            self.editor.hide()
            self.fit_height()
            self.picking.emit(False)
            self.edited.emit(None)

    def _close_panels(self) -> None:
        self._close_feedback()
        self._paused_to_edit = False
        self._close_editor()

    # size and visibility

    def sizeHint(self) -> QSize:
        """The height that its texts need at the present width."""
        hint, layout = super().sizeHint(), self.layout()
        return QSize(hint.width(), layout.totalHeightForWidth(self.width())) if layout is not None else hint

    @property
    def least_height(self) -> int:
        """The height that it needs with the least of what scrolls."""
        layout = self.layout()
        whole = layout.totalHeightForWidth(self.width()) if layout is not None else 0
        least = LEAST_INFO + (self.editor.sizeHint().height() if self.editing else 0)
        return whole - max(0, self.info.height() - least) if not self.info.isHidden() else whole

    def fit_height(self) -> None:
        """Give the scrollable part the height that it needs, as far as there is room."""
        layout = self.layout()
        if layout is None:
            return
        width = self.width() - 2 * MARGIN
        self.question.fit_height(width)
        before = self.info.size()
        wanted = self.info.wanted_height(width)
        self.info.fit(wanted, LEAST_INFO)
        around = layout.totalHeightForWidth(self.width()) - self.info.height()
        self.info.fit(wanted, max(LEAST_INFO, self._room - around))
        self.updateGeometry()  # the height for another width
        if self.editing and self.info.size() != before:
            QTimer.singleShot(0, self, self._reveal_editor)

    def _reveal_editor(self) -> None:
        if not self.editing:
            return
        self.info.ensureWidgetVisible(self.editor, 0, 0)
        focused = self.editor.focusWidget()
        if focused is not None:
            self.info.ensureWidgetVisible(focused, 0, 0)  # it may be higher than what is in view

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Refit the height: text wraps differently at a new width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._stack_buttons()
            self.fit_height()


def _place(call: Call | None) -> tuple[int, int] | None:
    return (call.step, call.index) if call is not None else None
