"""The left column: target, task, autonomy, model, limits and Start."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QSize, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QDoubleSpinBox,
    QFrame,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QStyleOptionButton,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.risk import Autonomy
from operator_console.domain.translations import _
from operator_console.ui.panels import browser_choice, machine_choice, program_choice
from operator_console.ui.panels.browser_choice import BrowserChoice
from operator_console.ui.panels.machine_choice import MachineActs, MachineChoice
from operator_console.ui.panels.program_choice import ProgramChoice
from operator_console.ui.panels.scope_choice import ScopeChoice
from operator_console.ui.panels.target_chooser import TargetChooser
from operator_console.ui.panels.tool_choices import ToolChoices
from operator_console.ui.view.autonomy_words import autonomy_name, autonomy_words
from operator_console.ui.widgets.controls import (
    ALWAYS_OFF,
    CENTRED,
    GRID,
    NO_FOCUS,
    ElidedCombo,
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
    wide,
)
from operator_console.ui.widgets.window_size import setup_width

if TYPE_CHECKING:
    from decimal import Decimal

    from operator_console.domain.errors import TaskMistake
    from operator_console.domain.risk import Category
    from operator_console.domain.scope import Scope, ScopeSource
    from operator_console.domain.session_request import SessionRequest
    from operator_console.ui.backend import ModelChoice, Preferences, TargetChoice
    from operator_console.ui.window_place import RememberedSetup


class Segment(QRadioButton):
    """One of several joined radio buttons. `edge`: which corners are round: "first", "last" or "" (none)."""

    def __init__(self, text: str, edge: str, tip: str) -> None:
        super().__init__(text)
        self.setAccessibleName(text)
        self.setProperty("role", "segment")
        self.setProperty("edge", edge)
        self.setToolTip(tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.toggled.connect(self._colour)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for the text in bold, so that selecting it does not change the layout."""
        font = QFont(self.font())
        font.setBold(True)
        metrics = QFontMetrics(font)
        return QSize(metrics.horizontalAdvance(self.text()) + GRID, metrics.height() + 14)

    def sizeHint(self) -> QSize:
        """With some room on both sides of the text."""
        return self.minimumSizeHint() + QSize(GRID // 2, 0)

    def hitButton(self, pos: object) -> bool:
        """The whole rectangle can be clicked, not only the text."""
        return self.rect().contains(pos)  # type: ignore[call-overload, no-any-return]

    def changeEvent(self, event: QEvent) -> None:
        """Update the text colour when enabled or disabled."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.EnabledChange:
            self._colour()

    def _colour(self) -> None:
        chosen = self.isChecked() and self.isEnabled()
        self.setForegroundRole(QPalette.ColorRole.Link if chosen else QPalette.ColorRole.WindowText)

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        """Leave out the text, which the style would draw beside the indicator."""
        super().initStyleOption(option)
        option.text = ""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the button, then its text centred."""
        super().paintEvent(event)
        painter = QPainter(
            self
        )  # the pen takes the foreground role's colour; setting one loads `QtCore.Qt` (see widgets/controls.py)
        font = QFont(self.font())
        font.setBold(self.isChecked())
        painter.setFont(font)
        painter.drawText(self.rect(), CENTRED, self.text())
        painter.end()


class AutonomyChoice(QWidget):
    """The autonomy buttons with a note on the chosen level."""

    def __init__(self) -> None:
        super().__init__()
        rows = column(self, spacing=GRID)
        group = QGroupBox(_("Autonomy"))
        group.setAccessibleName(_("Autonomy"))
        line = row_layout(group, spacing=0, margins=(0, 4, 0, 0))
        self._group = QButtonGroup(self)
        self._levels: dict[Autonomy, QRadioButton] = {}
        levels = tuple(Autonomy)
        for level in levels:
            edge = "first" if level is levels[0] else "last" if level is levels[-1] else ""
            radio = Segment(autonomy_name(level), edge, autonomy_words(level, ()))
            radio.toggled.connect(self._changed)
            self._group.addButton(radio)
            self._levels[level] = radio
            line.addWidget(radio)
        self._allowed: tuple[Category, ...] = ()
        self._note = label(role="note", wrap=True)
        rows.addWidget(group)
        rows.addWidget(self._note)
        self.choose(Autonomy.GUARDED)

    def tab_to_chosen(self) -> None:
        """Let Tab go to the chosen level, from now on; the arrow keys go on to the others."""
        from PySide6.QtCore import Qt  # slow to import: see widgets/controls.py

        def follow() -> None:
            for radio in self.segments:
                chosen = radio.isChecked()
                radio.setFocusPolicy(Qt.FocusPolicy.StrongFocus if chosen else Qt.FocusPolicy.ClickFocus)

        self._group.buttonToggled.connect(follow)
        follow()

    @property
    def segments(self) -> tuple[QRadioButton, ...]:
        """The four buttons."""
        return tuple(self._levels.values())

    @property
    def level(self) -> Autonomy:
        """The chosen level."""
        return next(level for level, radio in self._levels.items() if radio.isChecked())

    def choose(self, level: Autonomy) -> None:
        """Choose a level."""
        self._levels[level].setChecked(True)

    def show_allowed(self, allowed: tuple[Category, ...]) -> None:
        """Show what Auto runs without asking."""
        self._allowed = allowed
        self._changed(True)

    def _changed(self, checked: bool) -> None:
        if checked:
            self._note.setText(autonomy_words(self.level, self._allowed))


_GROWTH = 0.9
"""How much wider it is with larger text: less than other columns can be, with three buttons in a row."""
WIDTH = 272
_MARGIN, _AROUND = 16, 12
"""Inside, and of the scroll bar with the edge, in logical pixels."""
TASK_HEIGHT, RUNBOOK_HEIGHT = 112, 168
_TALL = 900
"""Logical pixels, from which on the whole set-up fits with the target's picture."""
LEAST_COST, MOST_COST = 0.01, 99_999.99


class Limits(NamedTuple):
    """The values of the two fields below "Limits"."""

    max_steps: int
    max_minutes: int


class _ScrolledRows(QScrollArea):
    """Rows that scroll. The scroll bar takes its room from their right margin, so that their width stays the same."""

    def __init__(self) -> None:
        super().__init__()
        self.setViewport(QWidget())  # no background; asking for the default viewport makes PySide load all widgets
        self.setWidgetResizable(True)
        self.setProperty("horizontalScrollBarPolicy", ALWAYS_OFF)
        self.setProperty("focusPolicy", NO_FOCUS)
        self.inner = plain()
        self.rows = column(self.inner, spacing=GRID, margins=(_MARGIN, _MARGIN, _MARGIN, 8))
        self.setWidget(self.inner)

    def take_layout(self) -> None:
        """Lay the rows out now: a text of several lines changes their height in more than one pass."""
        self.rows.activate()
        self.inner.resize(self.inner.width(), max(self.viewport().height(), self.inner.minimumSizeHint().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Called for the viewport, which the scroll bar makes narrower."""
        super().resizeEvent(event)
        bar = self.width() - event.size().width()
        self.rows.setContentsMargins(_MARGIN, _MARGIN, max(0, _MARGIN - bar), 8)


class SetupColumn(QFrame):
    """Everything to set before Start.

    Attributes:
        double_pressed: whether the last press of Start was the second one of a double click, which cancels no start.

    Signals:
        start_pressed (no payload).
        model_chosen: carries the ModelChoice.
        key_pressed: a key should be entered; carries the ModelChoice.
        model_settings_pressed, runbook_open_pressed, runbook_save_pressed, runbook_help_pressed (no payload).
    """

    start_pressed = Signal()
    model_chosen = Signal(object)
    key_pressed = Signal(object)
    model_settings_pressed = Signal()
    runbook_open_pressed = Signal()
    runbook_save_pressed = Signal()
    runbook_help_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "setup")
        self._models: tuple[ModelChoice, ...] = ()
        self._priced: object = None
        self._pressed_s = -math.inf
        self.double_pressed = False
        self.runbook_buttons: list[QPushButton] = []
        self._own_limits: Limits | None = None
        self._limited_by: tuple[str, int | None, float | None] = ("", None, None)
        outer = column(self, spacing=0)
        self._area = _ScrolledRows()
        rows = self._area.rows
        outer.addWidget(self._area, 1)
        self.chooser = TargetChooser()
        self.target, self.refresh, self.elements = self.chooser.target, self.chooser.refresh, self.chooser.elements
        rows.addWidget(self.chooser)
        self._build_beside(rows)
        self._build_task(rows)
        self._autonomy = AutonomyChoice()
        rows.addSpacing(GRID)
        rows.addWidget(self._autonomy)
        self._build_model(rows)
        self.tools = ToolChoices()
        rows.addWidget(self.tools)
        self._build_limits(rows)
        rows.addStretch(1)
        foot = column(margins=(_MARGIN, 8, _MARGIN, 16))
        self.start = button(_("Start"), "primary")
        self.start.setMinimumHeight(40)
        self._blocked = label(role="trouble", wrap=True)
        self._blocked.hide()
        foot.addWidget(self._blocked)
        foot.addWidget(self.start)
        outer.addLayout(foot)
        self.fit_text()
        self.start.clicked.connect(self._start_clicked)
        self.chooser.chosen.connect(self._target_chosen)

    def _build_beside(self, rows: QVBoxLayout) -> None:
        """What is set and done about a target of one kind."""
        self.browser = BrowserChoice()
        self.machine = MachineChoice()
        self.programs = ProgramChoice()
        self._beside: dict[str, BrowserChoice | MachineChoice | ProgramChoice] = {
            browser_choice.KIND: self.browser, machine_choice.KIND: self.machine, program_choice.KIND: self.programs,
        }  # fmt: skip
        self.acts = MachineActs()
        for part in (self.browser, self.machine, self.programs, self.acts):
            part.hide()
            rows.addWidget(part)

    def _build_task(self, rows: QVBoxLayout) -> None:
        self.task = QPlainTextEdit()
        self.task.setAccessibleName(_("Task"))
        self.task.setTabChangesFocus(True)
        self.task.setPlaceholderText(_task_example())
        self.task.setFixedHeight(wide(TASK_HEIGHT, 1.0))
        rows.addSpacing(GRID)
        head = QHBoxLayout()
        head.addWidget(_buddy(_("Task"), self.task))
        head.addStretch(1)
        self._runbook_row = QHBoxLayout()  # of its own: all buttons in one row are wider than the column
        self._runbook_row.addStretch(1)
        self.recent = button(
            _("Recent"),
            "link",
            name=_("Recent tasks"),
            tip=_("Tasks of earlier sessions; Ctrl+Z brings back what was written"),
        )
        self.recent.hide()
        head.addWidget(self.recent)
        rows.addLayout(head)
        rows.addLayout(self._runbook_row)
        rows.addWidget(self.task)
        self.mistake = label(role="trouble", wrap=True)
        self.mistake.setObjectName("mistake")
        self.mistake.hide()
        rows.addWidget(self.mistake)
        self.task.textChanged.connect(self._task_changed)

    def _build_model(self, rows: QVBoxLayout) -> None:
        self.model = ElidedCombo()
        rows.addSpacing(GRID)
        head = QHBoxLayout()
        head.addWidget(_buddy(_("Model"), self.model))
        head.addStretch(1)
        tip = _("Make and change profiles: a model with its own endpoint, key, options, limits and price")
        self.model_settings = button(_("Model settings…"), "link", tip=tip)
        head.addWidget(self.model_settings)
        rows.addLayout(head)
        rows.addWidget(self.model)
        self._key_note = label(role="warning", wrap=True)
        self.key = button(_("Enter key…"))
        rows.addWidget(self._key_note)
        rows.addWidget(self.key)
        more = QHBoxLayout()
        self.privacy = button(_("What leaves this machine"), "link")
        self.privacy.setCheckable(True)
        self.change_key = button(_("API key…"), "link", tip=_("Replace or forget the key"))
        more.addWidget(self.privacy)
        more.addStretch(1)
        more.addWidget(self.change_key)
        rows.addLayout(more)
        self._leaves = label(role="note", wrap=True)
        self._leaves.setAccessibleName("")
        frame = QFrame()
        frame.setProperty("role", "notice")
        column(frame, spacing=2, margins=(8, 6, 8, 6)).addWidget(self._leaves)
        self._leaves_frame = frame
        rows.addWidget(frame)
        for later in (frame, self._key_note, self.key, self.privacy, self.change_key):
            later.hide()  # shown once a model that needs them is chosen
        self.key.clicked.connect(self._key_clicked)
        self.change_key.clicked.connect(self._key_clicked)
        self.privacy.toggled.connect(self._leaves_frame.setVisible)
        self.model_settings.clicked.connect(self.model_settings_pressed)
        self.model.currentIndexChanged.connect(self._model_changed)
        self.model.activated.connect(self._model_picked)

    def _build_limits(self, rows: QVBoxLayout) -> None:
        self.max_steps = _spin(_("Max steps"), 1, 100_000, f" {_('steps')}")
        self.max_minutes = _spin(_("Max minutes"), 1, 10_000, f" {_('min')}")
        rows.addSpacing(GRID)
        rows.addWidget(label(_("Limits"), "heading"))
        line = row_layout(spacing=GRID)
        line.addWidget(self.max_steps, 1)
        line.addWidget(self.max_minutes, 1)
        rows.addLayout(line)
        self.max_cost = QDoubleSpinBox()
        self.max_cost.setRange(0, MOST_COST)
        self.max_cost.setDecimals(2)
        self.max_cost.setSpecialValueText(_("No cost limit"))
        self.max_cost.setAccessibleName(_("Max cost"))
        self.max_cost.setToolTip(_("You are asked before more than this is spent, by the price given for the model"))
        roomy(self.max_cost)
        self.max_cost.hide()  # shown for a model whose price is known
        rows.addWidget(self.max_cost)
        self.scope = ScopeChoice()
        rows.addSpacing(GRID)
        rows.addWidget(self.scope)
        self.scope.grown.connect(self._scope_grown)

    # display

    def fit_text(self, window_width: int = 0) -> None:
        """Take the width for the window, the present text size and the words of the language."""
        rows = (self._autonomy.segments, (self.chooser.point, self.chooser.elements))
        for part in (part for row in rows for part in row):
            part.ensurePolished()
        needed = max(sum(part.minimumSizeHint().width() for part in row) for row in rows)
        width = setup_width(window_width, max(wide(WIDTH, _GROWTH), needed + 2 * _MARGIN + _AROUND))
        self.setFixedWidth(width)
        self._area.inner.setMaximumWidth(width - 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the target's picture, which the preview shows too, where there is room for it."""
        super().resizeEvent(event)
        self.chooser.set_pictured(self.height() >= wide(_TALL, 1.0))

    def set_ready(self, ready: bool) -> None:
        """Enable the controls once the backend is loaded; before that only the task can be edited."""
        for part in (
            self.chooser,
            self.browser,
            self.machine,
            self.acts,
            self.programs,
            self._autonomy,
            self.model,
            self.model_settings,
            self.tools,
            self.max_steps,
            self.max_minutes,
            self.max_cost,
            self.scope,
        ):
            part.setEnabled(ready)
        for spin in (self.max_steps, self.max_minutes):
            spin.setSpecialValueText("" if ready else "–")  # shown for the least value: the saved one is not known yet
        self.start.setEnabled(ready)
        self.start.setText(_("Start") if ready else _("Getting ready…"))

    def show_remembered(self, setup: RememberedSetup) -> None:
        """Show the set-up of the last session while the targets and models are not known yet; Start can be pressed."""
        for combo, title in ((self.target, setup.target_title), (self.model, setup.model_title)):
            combo.blockSignals(True)  # nothing is chosen yet
            combo.addItem(title)
            combo.blockSignals(False)
        if setup.autonomy in set(Autonomy):
            self._autonomy.choose(Autonomy(setup.autonomy))
        for spin, value in ((self.max_steps, setup.max_steps), (self.max_minutes, setup.max_minutes)):
            spin.setSpecialValueText("")
            spin.setValue(value)
        self.start.setEnabled(True)
        self.start.setText(_("Start"))

    def show_preferences(self, kept: Preferences) -> None:
        """Show the saved preferences as initial values."""
        self.show_allowed(kept.allow)
        self._autonomy.choose(kept.autonomy)
        self.max_steps.setValue(kept.max_steps)
        self.max_minutes.setValue(max(1, round(kept.max_minutes)))
        self.tools.show_tools(kept.tools)
        self.browser.show_settings(headless=kept.headless, sites=kept.sites)
        self.browser.show_spec(kept.target)
        self.machine.show_spec(kept.target)
        self.programs.show_programs(kept.programs)

    def show_limits(self, max_steps: int, max_minutes: float) -> None:
        """Show other limits; those of a profile stay until another model is chosen."""
        limits = Limits(max_steps, _whole(max_minutes))
        if self._own_limits is not None:
            self._own_limits = limits
        else:
            self.max_steps.setValue(limits.max_steps)
            self.max_minutes.setValue(limits.max_minutes)

    def show_allowed(self, allowed: tuple[Category, ...]) -> None:
        """Show in the autonomy note what Auto runs without asking."""
        self._autonomy.show_allowed(allowed)

    def show_models(self, models: Sequence[ModelChoice], chosen: tuple[str, str, str] = ("", "", "")) -> None:
        """Show the available models; the chosen one stays chosen if it is still available.

        Args:
            chosen: provider, model and profile to select if none is chosen yet.
        """
        current = self.chosen_model
        keep = (current.provider, current.model, current.profile) if current is not None else chosen
        self._models = tuple(models)
        self.model.blockSignals(True)
        self.model.clear()
        self.model.addItems([choice.title for choice in self._models])
        places = [place for place, choice in enumerate(self._models) if _is(choice, *keep)]
        plain = [place for place, choice in enumerate(self._models) if not choice.profile]
        self.model.setCurrentIndex((places or plain or [-1])[0])
        self.model.blockSignals(False)
        self._model_changed(self.model.currentIndex())

    def choose_profile(self, name: str) -> None:
        """Choose the model profile with this name, if it is listed."""
        self._choose(next((each for each in self._models if each.profile == name), None))

    def choose_model(self, wanted: ModelChoice) -> None:
        """Choose this model, if it is listed."""
        same = (each for each in self._models if _is(each, wanted.provider, wanted.model, wanted.profile))
        self._choose(next(same, None))

    def _choose(self, listed: ModelChoice | None) -> None:
        if listed is not None:
            self.model.setCurrentIndex(self._models.index(listed))

    def model_of(self, request: SessionRequest) -> ModelChoice | None:
        """The listed model of a request, or another one of its service; None if there is none."""
        exact = (each for each in self._models if _is(each, request.provider, request.model, request.profile))
        same = (each for each in self._models if _is(each, request.provider, "", ""))
        return next(exact, None) or next(same, None)

    def tab_to_chosen(self) -> None:
        """Let Tab go to the chosen autonomy."""
        self._autonomy.tab_to_chosen()

    def write_task(self, text: str) -> None:
        """Put a text in place of the task; undo brings back what was written."""
        from PySide6.QtGui import QTextCursor  # slow to import: see widgets/controls.py

        cursor = self.task.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.task.setTextCursor(cursor)

    def show_request(self, request: SessionRequest) -> None:
        """Show a session that was set up elsewhere (the practice run, a continued record)."""
        if not self.task.toPlainText().strip():  # never overwrite what the operator has typed
            self.task.setPlainText(request.task)
        self.browser.show_spec(request.target)
        self.machine.show_spec(request.target)
        self._autonomy.choose(request.autonomy)
        self._choose(self.model_of(request))
        # After the model, whose profile may have limits.
        self.max_steps.setValue(request.max_steps)
        self.max_minutes.setValue(max(1, round(request.max_minutes)))
        self.max_cost.setValue(float(request.max_cost or 0))
        from operator_console.domain.scope import Scope

        scope = Scope(apps=request.apps, sites=request.sites, effects=request.effects)
        self.scope.show_scope(scope, request.scope_by)

    def show_scope(self, scope: Scope, source: ScopeSource) -> None:
        """Show what is in scope; the sites of a managed browser where it has them."""
        self.scope.show_scope(scope, source)
        if not self.browser.isHidden():
            self.browser.sites.setPlainText("\n".join(scope.sites))

    def show_runbook(self, written: bool) -> None:
        """Show the task field as one for a runbook: higher, with buttons for files and help."""
        if not self.runbook_buttons:
            made = (
                (_("Open…"), _("Open a runbook file"), self.runbook_open_pressed),
                (_("Save…"), _("Save the runbook as a file"), self.runbook_save_pressed),
                (_("Help"), _("Help on runbooks"), self.runbook_help_pressed),
            )
            for text, name, pressed in made:
                each = button(text, "link", name=name, tip=name)
                each.clicked.connect(pressed)
                self._runbook_row.addWidget(each)
                self.runbook_buttons.append(each)
            for before, after in itertools.pairwise((self.task, *self.runbook_buttons)):
                QWidget.setTabOrder(before, after)
        for each in self.runbook_buttons:
            each.setVisible(written)
        self.task.setFixedHeight(wide(RUNBOOK_HEIGHT if written else TASK_HEIGHT, 1.0))
        self.task.setPlaceholderText(_runbook_example() if written else _task_example())

    def choose_runbook(self) -> None:
        """Choose the model that plays runbooks, if it is listed."""
        if self.chosen_model is None or not self.chosen_model.runbook:
            self._choose(next((each for each in self._models if each.runbook and not each.profile), None))

    def show_mistake(self, error: TaskMistake | None, *, select: bool = True) -> None:
        """Show an error below the task's text; None clears it. `select`: also select its line."""
        self.mistake.setText("\n".join(filter(None, error.worded)) if error else "")
        self.mistake.setVisible(error is not None)
        if error is not None:
            QTimer.singleShot(0, self._reveal_mistake)  # once the layout has made room for it
        if error is None or not select or not 0 < error.line <= self.task.blockCount():
            return
        from PySide6.QtGui import QTextCursor  # slow to import: see widgets/controls.py

        cursor = QTextCursor(self.task.document().findBlockByNumber(error.line - 1))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        self.task.setTextCursor(cursor)

    def show_starting(self, starting: bool) -> None:
        """Show that a start is in progress and can be cancelled."""
        if (word := _("Cancel the start") if starting else _("Start")) != self.start.text():
            self.start.setText(word)
            self.start.setAccessibleName(word)

    def show_blocked(self, why: str, *, tip: str) -> None:
        """Disable Start for a reason, which is shown above it; "" enables it with its tooltip."""
        show_text(self._blocked, breakable(why))
        enable(self.start, why, tip=tip)

    def focus_lacking(self) -> None:
        """Give the focus to what has to be set first before Start."""
        lacking = self._lacking
        if lacking is not None:
            lacking[0].setFocus()

    # state queries

    @property
    def chosen_target(self) -> TargetChoice | None:
        """The selected target; a browser with the address that it begins with, a machine with its own."""
        choice = self.chooser.choice
        if choice is None:
            return None
        from dataclasses import replace

        match choice.kind.value:
            case browser_choice.KIND:
                spec = self.browser.spec()
                address = spec.partition(":")[2]
                title = _("Browser · {address}").format(address=address) if address else _("Browser")
                return replace(choice, spec=spec, title=title)
            case machine_choice.KIND if address := self.machine.address:
                spec = f"{machine_choice.KIND}:{address}"
                return replace(choice, spec=spec, title=_("VNC · {address}").format(address=address))
            case _:
                return choice

    @property
    def chosen_machine(self) -> str:
        """The name that the settings know the selected machine by; "" for other targets."""
        choice = self.chosen_target
        if choice is None or choice.closed:
            return ""
        return choice.spec if choice.kind.value == machine_choice.KIND and self.machine.address else choice.machine

    @property
    def lacking(self) -> str:
        """What has to be set first before Start; "" for nothing."""
        lacking = self._lacking
        return lacking[1] if lacking is not None else ""

    @property
    def suggestion_lacking(self) -> str:
        """Why the model cannot be asked for the scope; "" if it can."""
        model, lacking = self.chosen_model, self._target_lacking
        if model is None:
            return _("Choose a model first.")
        if model.runbook:
            return _("A runbook is written steps: there is no model to ask.")
        if not model.answers_text:
            return _("This model answers with actions alone: it cannot name what a task needs.")
        if model.needs_key and not model.has_key:
            return _("No API key for {title} yet.").format(title=model.title)
        if lacking is not None:
            return lacking[1]
        return "" if self.task.toPlainText().strip() else _("Enter a task first.")

    @property
    def target_lacking(self) -> str:
        """What has to be set first about the target; "" for nothing."""
        lacking = self._target_lacking
        return lacking[1] if lacking is not None else ""

    @property
    def _target_lacking(self) -> tuple[QWidget, str] | None:
        target = self.chosen_target
        if target is None:
            return self.target, _("Choose a target first.")
        if target.closed:
            return self.target, _("The target is closed. Choose another one first.")
        beside = self._beside.get(target.kind.value)
        return beside.lacking if beside is not None else None

    @property
    def _lacking(self) -> tuple[QWidget, str] | None:
        if (lacking := self._target_lacking) is not None:
            return lacking
        if not self.task.toPlainText().strip():
            return self.task, _("Enter a task first.")
        if self.chosen_model is None:
            return self.model, _("Choose a model first.")
        return None

    @property
    def chosen_model(self) -> ModelChoice | None:
        """The selected model."""
        place = self.model.currentIndex()
        return self._models[place] if 0 <= place < len(self._models) else None

    @property
    def own_limits(self) -> Limits:
        """The limits that were set here, without those of a profile."""
        return self._own_limits or Limits(self.max_steps.value(), self.max_minutes.value())

    @property
    def remembered(self) -> RememberedSetup | None:
        """What is chosen, for the first picture of the next start; None without a target and a model."""
        from operator_console.ui.window_place import RememberedSetup

        target, model, limits = self.chosen_target, self.chosen_model, self.own_limits
        if target is None or model is None:
            return None
        return RememberedSetup(
            target.spec, target.title, model.title, self.autonomy.value, limits.max_steps, limits.max_minutes
        )

    @property
    def segments(self) -> tuple[QRadioButton, ...]:
        """The autonomy buttons."""
        return self._autonomy.segments

    @property
    def autonomy(self) -> Autonomy:
        """The chosen autonomy level."""
        return self._autonomy.level

    def request(self, kept: Preferences) -> SessionRequest | None:
        """What Start would begin; None without an open target, a task or a model."""
        target, model, task = self.chosen_target, self.chosen_model, self.task.toPlainText().rstrip()
        if target is None or target.closed or model is None or not task:
            return None
        beside = self._beside.get(target.kind.value)
        if beside is not None and beside.lacking is not None:
            return None
        from dataclasses import replace

        from operator_console.domain.risk import Autonomy
        from operator_console.domain.session_request import SessionRequest

        made = SessionRequest(
            task=task, target=target.spec, provider=model.provider, model=model.model, profile=model.profile
        )
        self.max_steps.interpretText()
        self.max_minutes.interpretText()
        minutes = float(self.max_minutes.value())
        if model.max_minutes is not None and _whole(model.max_minutes) == minutes:
            minutes = model.max_minutes  # the field shows whole minutes only
        scope = self.scope.chosen
        if beside is self.browser:
            scope = replace(scope, sites=self.browser.chosen_sites)
        return replace(
            self.tools.chosen(made), autonomy=self.autonomy, allow=kept.allow if self.autonomy is Autonomy.AUTO else (),
            max_steps=self.max_steps.value(), max_minutes=minutes, price=model.price,
            max_cost=self._chosen_max_cost(model), lead_time_s=kept.lead_time_s,
            sites=scope.sites, apps=scope.apps, effects=scope.effects, scope_by=self.scope.source_of(scope),
        )  # fmt: skip

    def _chosen_max_cost(self, model: ModelChoice) -> Decimal | None:
        from decimal import Decimal

        self.max_cost.interpretText()
        if model.price is None or not self.max_cost.value():
            return None
        return Decimal(f"{self.max_cost.value():.2f}")

    # event handlers

    def _target_chosen(self, choice: object) -> None:
        chosen = self.chooser.choice
        for kind, beside in self._beside.items():
            here = chosen is not None and chosen.kind.value == kind and not chosen.trouble and not chosen.running
            beside.setVisible(here)
        self.scope.show_sites(self.browser.isHidden())  # it has a list of its own

    def _start_clicked(self) -> None:
        before_s, self._pressed_s = self._pressed_s, time.monotonic()
        self.double_pressed = self._pressed_s - before_s < QApplication.doubleClickInterval() / 1000
        self.start_pressed.emit()

    def _task_changed(self) -> None:
        self.show_mistake(None)

    def _reveal_mistake(self) -> None:
        """Scroll to it, but not away from the line of the cursor."""
        if self.mistake.isHidden():
            return
        self._area.take_layout()
        self._area.ensureWidgetVisible(self.mistake, 0, GRID)
        line = self.task.cursorRect()
        at = self.task.viewport().mapTo(self._area.inner, line.center())
        self._area.ensureVisible(at.x(), at.y(), 0, line.height())

    def _scope_grown(self) -> None:
        QTimer.singleShot(0, self._reveal_scope)  # once the layout has made room for it

    def _reveal_scope(self) -> None:
        self._area.take_layout()
        self._area.ensureWidgetVisible(self.scope, 0, GRID)

    def _model_picked(self, _place: int) -> None:
        if not self.key.isHidden():
            QTimer.singleShot(0, self._reveal_key)  # once the layout has made room for it

    def _reveal_key(self) -> None:
        self._area.take_layout()
        self._area.ensureWidgetVisible(self.key, 0, GRID)

    def _key_clicked(self) -> None:
        self.key_pressed.emit(self.chosen_model)

    def _model_changed(self, _place: int) -> None:
        choice = self.chosen_model
        # A host name has no place to break a line: add some.
        self._leaves.setText(choice.leaves.replace(".", ".\u200b") if choice else "")
        self.privacy.setVisible(bool(choice and choice.leaves))
        self.privacy.setChecked(bool(choice and choice.leaves and not choice.told))
        told = (choice.title, choice.summary, choice.leaves) if choice else ()
        self.model.setToolTip("\n".join(part for part in told if part))
        self._show_key(choice)
        self._show_limits(choice)
        self._show_price(choice)
        self.model_chosen.emit(choice)

    def _show_key(self, choice: ModelChoice | None) -> None:
        missing = choice is not None and not choice.has_key and (choice.needs_key or choice.takes_key)
        self._key_note.setVisible(missing)
        self.key.setVisible(missing)
        self.change_key.setVisible(choice is not None and choice.takes_key and not missing)
        if choice is None or not missing:
            return
        needed, optional = (
            _("No API key for {title} yet.").format(title=choice.title),
            _("No API key. Enter one if the endpoint wants it."),
        )
        self._key_note.setText(needed if choice.needs_key else optional)
        set_role(self._key_note, role="warning" if choice.needs_key else "note")

    def _show_limits(self, choice: ModelChoice | None) -> None:
        """Show the limits of a profile; those from before come back with a model that has none."""
        limits = (choice.profile, choice.max_steps, choice.max_minutes) if choice else ("", None, None)
        if limits == self._limited_by:
            return
        if self._own_limits is not None:
            self.max_steps.setValue(self._own_limits.max_steps)
            self.max_minutes.setValue(self._own_limits.max_minutes)
        self._limited_by, self._own_limits = limits, None
        _, steps, minutes = limits
        if steps is None and minutes is None:
            return
        self._own_limits = Limits(self.max_steps.value(), self.max_minutes.value())
        if steps is not None:
            self.max_steps.setValue(steps)
        if minutes is not None:
            self.max_minutes.setValue(_whole(minutes))

    def _show_price(self, choice: ModelChoice | None) -> None:
        """Show the cost limit for a model with a price; what was entered stays until another one is chosen."""
        price = choice.price if choice is not None else None
        self.max_cost.setVisible(price is not None)
        if choice is None or price is None:
            return
        priced = (choice.provider, choice.model, choice.profile, price, choice.max_cost)
        if priced != self._priced:
            self._priced = priced
            self.max_cost.setSuffix(f" {price.currency}")
            least = LEAST_COST if choice.max_cost else 0.0  # less would mean no limit
            self.max_cost.setValue(max(least, float(choice.max_cost or 0)))


def _spin(name: str, least: int, most: int, suffix: str) -> QSpinBox:
    made = QSpinBox()
    made.setRange(least, most)
    made.setSuffix(suffix)
    roomy(made)
    made.setMinimumWidth(64)
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    made.setAccessibleName(name)
    made.setToolTip(name)
    return made


def _buddy(text: str, widget: QWidget) -> QLabel:
    made = label(text, "heading")
    made.setBuddy(widget)
    return made


def _is(choice: ModelChoice, provider: str, model: str, profile: str) -> bool:
    """Whether the choice is this one; with an empty model: any model of the provider that is no profile."""
    if profile or choice.profile:
        return choice.profile == profile
    return choice.provider == provider and model in ("", choice.model)


def _whole(minutes: float) -> int:
    return max(1, round(minutes))


def _runbook_example() -> str:
    steps = 'click button "Save"\nexpect "Saved once"'  # the same in every language
    return _("One step a line, for example:\n{steps}").format(steps=steps)


def _task_example() -> str:
    return _("What should be done? For example: copy the train receipt into the expense form and save a draft.")
