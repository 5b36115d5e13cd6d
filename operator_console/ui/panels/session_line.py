"""The set-up condensed into one line during a session: target, task, autonomy, model, limits; Message; Take over.

After the session the same line takes a follow-up task and offers Continue, Start and the set-up.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from operator_console.domain.events import EndedOutcome
from operator_console.domain.intents import ApproveNext, HandBack, Say, SetAutonomy, TakeOver
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.translations import _, ngettext
from operator_console.engine.visible_text import shown
from operator_console.ui.panels.setup_column import Segment
from operator_console.ui.view.autonomy_words import autonomy_name, autonomy_words
from operator_console.ui.view.next_steps import leads
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.state_words import Blocked, ended_in_words
from operator_console.ui.view.target_words import target_title
from operator_console.ui.view.words import task_line
from operator_console.ui.widgets.controls import (
    GRID,
    ElidedLabel,
    button,
    column,
    enable,
    label,
    row_layout,
    set_role,
    shown_width,
    width_with_space,
)
from operator_console.ui.window_shortcuts import ShortcutAction, keys_of

_LEAST_TASK, _TASK_BESIDE_CHIPS, _LEAST_TARGET, _MOST_TARGET = 16, 40, 10, 24
"""Characters that are shown of the task and of the target where there is too little room for all."""
MARGIN = 16
_ROWS = 4
"""That target and task, message and buttons fill at most, in the narrowest window with large text."""


class AutonomySwitch(QWidget):
    """The levels of autonomy, joined; a press changes that of the session which runs.

    Signals:
        chosen: carries the Autonomy.
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("Autonomy"))
        row = row_layout(self, spacing=0, margins=(0, 0, 0, 0))
        self._group = QButtonGroup(self)
        levels = (Autonomy.OBSERVE, Autonomy.STEP, Autonomy.GUARDED, Autonomy.AUTO)
        self.levels: dict[Autonomy, Segment] = {}
        for level in levels:
            edge = "first" if level is levels[0] else "last" if level is levels[-1] else ""
            self.levels[level] = made = Segment(autonomy_name(level), edge, "")
            self._group.addButton(made)
            row.addWidget(made)
        self._group.buttonClicked.connect(self._clicked)

    def show_level(self, level: Autonomy, allowed: tuple[Category, ...]) -> None:
        """Show the session's level and what it may do unasked in Auto."""
        for each, made in self.levels.items():
            tip = autonomy_words(each, allowed)
            keys = f" ({keys_of(ShortcutAction.STEP)})" if each is Autonomy.STEP else ""
            made.setToolTip(f"{tip}{keys} {_('From the next action on.')}")
            made.setFocusPolicy(Qt.FocusPolicy.StrongFocus if each is level else Qt.FocusPolicy.ClickFocus)
        if level in self.levels:
            self.levels[level].setChecked(True)

    def _clicked(self, pressed: object) -> None:
        level = next(level for level, made in self.levels.items() if made is pressed)
        self.chosen.emit(level)


class SessionLine(QFrame):
    """Chips, message line and buttons of the session.

    Signals:
        intent: carries an Intent for the session (Say, TakeOver, HandBack).
        follow_up: a task for after the end; carries the text.
        continue_pressed, start_pressed, export_pressed: no payload.
        held: carries whether the button of hold-to-run is held now.
        unfold_toggled: carries whether to show the set-up.
    """

    intent = Signal(object)
    follow_up = Signal(object)
    continue_pressed = Signal()
    start_pressed = Signal()
    export_pressed = Signal()
    held = Signal(object)
    unfold_toggled = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "line")
        self._active = False
        self._handed_over = self._has_levels = False
        rows = column(self, spacing=4, margins=(MARGIN, 5, MARGIN, 5))
        self._rows = [QHBoxLayout() for _ in range(_ROWS)]
        for row in self._rows:
            row.setSpacing(GRID)
            rows.addLayout(row)
        for row in self._rows[1:]:  # without a message line the buttons stand at the right
            row.addStretch()
        self._target = ElidedLabel(role="chip", pad=20)
        self._target.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._task = ElidedLabel()
        self._chips = [label(role="chip") for _ in range(3)]
        for chip in self._chips:
            chip.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.unfold = button(_("Session setup"), tip=_("Show the session’s settings"))
        self.unfold.setCheckable(True)
        self.message = QLineEdit()
        self.message.setAccessibleName(_("Message"))
        self.message.setMinimumWidth(120)
        self.autonomy = AutonomySwitch()
        self.ahead = button("")
        self.take_over = button(_("Take over"))
        self.hold = button(_("Hold to run"), "primary", tip=_("The model acts while you hold this"))
        self.go_on = button(_("Continue"))
        self.start = button(_("Start"), "primary")
        self.export = button(
            _("Export…"), tip=_("Save this session as a web page, as events or as an archive (Ctrl+E)")
        )
        self._rows[0].addWidget(self._target)
        self._rows[0].addWidget(self._task, 3)
        for chip in self._chips:
            self._rows[0].addWidget(chip)
        self._acts = (
            self.message, self.ahead, self.autonomy, self.hold, self.take_over, self.go_on, self.start, self.export,
            self.unfold,
        )  # fmt: skip
        self._row_of_acts = (0,) * len(self._acts)
        for part in self._acts:
            self._rows[0].addWidget(part, 2 if part is self.message else 0)
        self.message.returnPressed.connect(self._sent)
        self.autonomy.chosen.connect(self._autonomy_chosen)
        self.ahead.clicked.connect(self._ahead_clicked)
        self.hold.pressed.connect(self._hold_pressed)
        self.hold.released.connect(self._hold_released)
        self.take_over.clicked.connect(self._take_over_clicked)
        self.go_on.clicked.connect(self.continue_pressed)
        self.start.clicked.connect(self.start_pressed)
        self.export.clicked.connect(self.export_pressed)
        self.unfold.toggled.connect(self._unfold_toggled)

    def show_view(
        self,
        view: SessionView,
        *,
        target: str = "",
        starting: bool,
        replay: bool,
        folded: bool = False,
        blocked: Blocked | None = None,
    ) -> None:
        """Show the running or last session.

        Args:
            view: the session.
            target: title of a different target now in the preview, "" for none.
            starting: whether a start is in progress.
            replay: whether a record is read.
            folded: whether the bar offers to hand back.
            blocked: why nothing can be started; None where something can.
        """
        started = view.started
        self._active = view.phase.active and not replay
        self._handed_over = view.phase is Phase.HANDED_OVER
        if started is not None:
            other = "" if self._active or replay else target
            self._target.set_whole(shown(other or target_title(started.target) or started.target.spec))
            self._task.set_whole(shown(task_line(started.task, runbook=view.plays_runbook)))
            level = view.autonomy or started.autonomy
            chips = (
                "" if self._active and level in self.autonomy.levels else autonomy_name(level),
                started.model or started.provider,
                _("{steps} steps · {minutes:g} min").format(steps=started.max_steps, minutes=started.max_minutes),
            )
            for chip, text in zip(self._chips, chips, strict=True):
                chip.setText(text)
            self._chips[0].setToolTip(autonomy_words(level, started.allow))
            self.autonomy.show_level(level, started.allow)
        word = _("Hand back") if self._handed_over else _("Take over")
        if self.take_over.text() != word:
            self.take_over.setText(word)
            self.take_over.setAccessibleName(word)
        over = view.phase in (Phase.STOPPED, Phase.ENDED, Phase.IDLE)
        self._show_hold(view)
        self._show_ahead(view)
        self._has_levels = self._active and started is not None and view.autonomy in self.autonomy.levels
        self.take_over.setVisible(self._active and not (folded and self._handed_over))
        enable(
            self.take_over,
            _("The session is starting.") if view.phase is Phase.STARTING else "",
            tip=_("Use the target yourself. The model sees nothing, and nothing is sent, until you hand back.")
            + f" ({keys_of(ShortcutAction.TAKE_OVER)})",
        )
        self.go_on.setVisible(over or replay)
        self.start.setVisible((over or starting) and not replay)
        if (word := _("Cancel the start") if starting else _("Start")) != self.start.text():
            self.start.setText(word)
            self.start.setAccessibleName(word)
        done = view.ended is not None and view.ended.outcome is EndedOutcome.FINISHED
        card_leads = leads(view)
        set_role(self.go_on, kind="" if done or replay or card_leads else "primary")
        set_role(self.start, kind="primary" if (done and not card_leads) or starting else "")
        self.export.setVisible((over or replay) and not starting and started is not None)
        self._show_message(view, starting=starting, replay=replay, blocked=blocked)
        self._arrange()

    def _show_message(self, view: SessionView, *, starting: bool, replay: bool, blocked: Blocked | None) -> None:
        """The line for words, and why nothing can be started."""
        self.message.setVisible(not replay)
        hint = _("Note for the model") if self._handed_over else _("Message to the model")
        if view.plays_runbook:
            hint = _("Add runbook steps")
        after = _("Answer to the model") if ended_in_words(view) else _("Follow-up task")
        blocked = None if self._active or starting else blocked
        words = hint if self._active else blocked.words if blocked is not None else after
        self.message.setPlaceholderText(words)
        self.message.setMinimumWidth(self.message.fontMetrics().horizontalAdvance(words) + 28)  # read whole
        why_not = blocked.why if blocked is not None else ""
        go_on = f"{_('Continue the same task in the same record')} ({keys_of(ShortcutAction.GO_ON)})"
        enable(self.go_on, why_not, tip=go_on)
        enable(self.start, why_not)
        enable(self.message, why_not, tip=f"{words} ({keys_of(ShortcutAction.MESSAGE)})")

    def _show_ahead(self, view: SessionView) -> None:
        """How many actions are approved ahead, which a press takes back."""
        count = view.approve_next if self._active else 0
        words = ngettext("{count} approved ahead ×", "{count} approved ahead ×", count).format(count=count)
        if self.ahead.text() != words:
            self.ahead.setText(words)
            self.ahead.setAccessibleName(words.removesuffix(" ×"))
        enable(self.ahead, tip=_("These actions run without a question. Press to be asked again."))
        self.ahead.setVisible(count > 0)

    def _show_hold(self, view: SessionView) -> None:
        """The button of hold-to-run, where the session has it; one that goes is let go."""
        started = view.started
        holds = self._active and not self._handed_over and started is not None and started.autonomy is Autonomy.HOLD
        if self.hold.isDown() and not holds:
            self.hold.setDown(False)
            self._hold_released()
        self.hold.setVisible(holds)

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest part that cannot be left out, although there may be fewer rows now."""
        task, target = self._task.least_width(_LEAST_TASK), self._target.least_width(_LEAST_TARGET)
        acts = (shown_width(part) for part in self._acts if part is not self.autonomy)
        return QSize(2 * MARGIN + max(target + GRID + task, *acts), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rearrange the chips and the message line for the new width."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Where the task needs the room, give message and buttons a row of their own, and hide chips."""
        task, target = self._task.least_width(_LEAST_TASK), self._target.least_width(_LEAST_TARGET)
        self._task.setMinimumWidth(task)
        self._target.setMinimumWidth(target)
        most = self._target.least_width(_MOST_TARGET)
        self._target.setMaximumWidth(most)
        whole = self.contentsRect().width() - 2 * MARGIN
        self.autonomy.setVisible(self._has_levels and width_with_space(self.autonomy) <= whole)
        room, acts = whole - most - GRID - task, shown_width(*self._acts)
        beside = acts <= room
        self._place((0,) * len(self._acts) if beside else self._filled_rows(whole))
        room -= acts if beside else 0
        room -= self._task.least_width(_TASK_BESIDE_CHIPS) - task
        for chip in self._chips:
            room -= chip.sizeHint().width() + GRID
            chip.setVisible(bool(chip.text()) and room >= 0)
        hidden = "\n".join(chip.text() for chip in self._chips if chip.isHidden() and chip.text())
        self._target.setToolTip("\n".join(part for part in (self._target.whole, hidden) if part))

    def _filled_rows(self, whole: int) -> tuple[int, ...]:
        """The row of each act, below that of the task, where a row is as wide as this.

        Buttons stay together where one row holds them.
        """
        whole += GRID  # the widths count the space before each part, also before the first
        if shown_width(*self._acts) <= whole:
            return (1,) * len(self._acts)
        first = self._acts.index(self.autonomy)
        if shown_width(*self._acts[first:]) <= whole:
            return (1,) * first + (2,) * (len(self._acts) - first)
        rows, row, used = [], 1, 0
        for part in self._acts:
            needed = shown_width(part)
            if used and used + needed > whole and row < _ROWS - 1:
                row, used = row + 1, 0
            used += needed
            rows.append(row)
        return tuple(rows)

    def _place(self, rows: tuple[int, ...]) -> None:
        """Move the message line and the buttons to these rows."""
        if rows == self._row_of_acts:
            return
        for part, row in zip(self._acts, self._row_of_acts, strict=True):
            self._rows[row].removeWidget(part)
        for part, row in zip(self._acts, rows, strict=True):
            self._rows[row].addWidget(part, 2 if part is self.message else 0)
        self._row_of_acts = rows

    def _sent(self) -> None:
        text = self.message.text().strip()
        if not text:
            return
        if self._handed_over:
            self.hand_back()
            return
        self.message.clear()
        if self._active:
            self.intent.emit(Say(text=text))
        else:
            self.follow_up.emit(text)

    def hand_back(self) -> None:
        """Hand back, with the note that was typed."""
        note = self.message.text().strip()
        self.message.clear()
        self.intent.emit(HandBack(note=note))

    def _autonomy_chosen(self, level: object) -> None:
        if isinstance(level, Autonomy):
            self.intent.emit(SetAutonomy(autonomy=level))

    def _ahead_clicked(self) -> None:
        self.intent.emit(ApproveNext(count=0))

    def _hold_pressed(self) -> None:
        self.held.emit(True)

    def _hold_released(self) -> None:
        self.held.emit(False)

    def _take_over_clicked(self) -> None:
        if self._handed_over:
            self.hand_back()
        else:
            self.intent.emit(TakeOver())

    def _unfold_toggled(self, checked: bool) -> None:
        self.unfold_toggled.emit(checked)
