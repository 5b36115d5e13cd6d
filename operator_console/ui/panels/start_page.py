"""The start page: three ways to begin, over the preview until one was chosen. Not a dialog: it blocks nothing.

The page itself, and when it is shown and what its buttons do.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QVBoxLayout, QWidget

from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend, ModelChoice, SessionSummary, TargetChoice
from operator_console.ui.bridge import Bridge
from operator_console.ui.controllers.preferences import PreferenceController
from operator_console.ui.view.session_view import parse_time
from operator_console.ui.view.words import task_line
from operator_console.ui.web_links import open_web_page
from operator_console.ui.widgets.controls import GRID, ElidedLabel, button, column, enable, label, plain, row_layout
from operator_console.ui.window import MainWindow

WIDEST = 640
NARROW = 460
"""Logical pixels. Below it a card's buttons stand under its text."""
MOST_RECENT = 3
_ROW_HEIGHT = 28


class Card(QFrame):
    """One way: a title, a text, and buttons at the right."""

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName(title)
        self.rows = column(self, spacing=GRID, margins=(16, 14, 16, 14))
        self._across = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._across.setSpacing(16)
        words = column(spacing=4)
        words.addWidget(label(title, "title"))
        self.text = label(text, "hint", wrap=True)
        words.addWidget(self.text)
        self._buttons = column(spacing=4)
        self._across.addLayout(words, 1)
        self._across.addLayout(self._buttons)
        self.rows.addLayout(self._across)

    def add(self, *buttons: QWidget) -> None:
        """Add buttons, the main one first."""
        for each in buttons:
            self._buttons.addWidget(each)
        self._buttons.addStretch(1)

    def arrange(self, narrow: bool) -> None:
        """Put the buttons beside the text, or below it."""
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._across.setDirection(down if narrow else across)
        self._across.setSpacing(GRID if narrow else 16)


class StartPage(QFrame):
    """Three cards over the preview.

    Signals:
        practice_pressed, practice_end_pressed, open_pressed, write_pressed, closed: no payload.
        key_pressed: carries the ModelChoice that needs a key.
        recent_chosen: carries the Path of a session file.
    """

    practice_pressed = Signal()
    practice_end_pressed = Signal()
    key_pressed = Signal(object)
    write_pressed = Signal()
    open_pressed = Signal()
    recent_chosen = Signal(object)
    closed = Signal()

    def __init__(self, preview: QWidget) -> None:
        super().__init__(preview)
        self.setProperty("role", "startpage")
        self.setAccessibleName(_("Start page"))
        self._preview = preview
        self._policy = preview.focusPolicy()
        self._choice: ModelChoice | None = None
        self._paths: list[Path] = []
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area = area
        inner = plain()
        area.setWidget(inner)
        column(self, spacing=0).addWidget(area)
        middle = row_layout(inner, margins=(24, 24, 24, 24))
        page = QWidget()
        page.setMaximumWidth(WIDEST)
        page.setProperty("role", "plain")
        middle.addWidget(page, 1)
        rows = column(page, spacing=12)
        rows.addStretch(1)
        self._headline = label(_("What would you like to do first?"), "headline", wrap=True)
        rows.addWidget(self._headline)
        rows.addWidget(label(_("Or set up a task of your own on the left."), "hint", wrap=True))
        rows.addSpacing(GRID)
        self._build_cards(rows)
        self.show_preview = button(
            _("Show the preview"),
            "link",
            tip=_("Shows the live picture of the target. The start page stays in the menu."),
        )
        rows.addWidget(self.show_preview, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addStretch(2)
        self._connect()
        preview.installEventFilter(self)
        self.show_models(())
        self.show_recent(())
        self.hide()

    def _build_cards(self, rows: QVBoxLayout) -> None:
        self.practice_card = Card(
            _("Practice"),
            _(
                "Approve the first steps in a practice window. Takes two minutes, needs no key, and "
                "sends nothing anywhere."
            ),
        )
        self.practice = button(_("Practice"), "primary")
        self.practice_end = button(_("End practice"))
        self.practice_end.hide()
        self.practice_card.add(self.practice, self.practice_end)
        self.model_card = Card(_("Use a model"), "")
        self.key = button(_("Enter a key…"))
        self.write = button(_("Write a task"))
        self.get = button(_("Get a key"), "link")
        keeps = self.get.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)  # so that nothing moves when the models are listed
        self.get.setSizePolicy(keeps)
        self.model_card.add(self.key, self.write, self.get)
        self.session_card = Card(_("Look at a session"), _("Go through a recorded session step by step."))
        self.open_session = button(_("Open a session…"))
        self.session_card.add(self.open_session)
        self.recent = [button("", "row") for _ in range(MOST_RECENT)]
        self._recent_tasks = [ElidedLabel(role="link") for _ in self.recent]
        self._recent_times = [label(role="secondary") for _ in self.recent]
        self._recent_lines = [QBoxLayout(QBoxLayout.Direction.LeftToRight, each) for each in self.recent]
        shown = zip(self.recent, self._recent_lines, self._recent_tasks, self._recent_times, strict=True)
        for each, line, task, when in shown:
            line.setContentsMargins(GRID, 0, GRID, 0)
            line.addWidget(task, 1)
            line.addWidget(when)
            for words in (task, when):
                words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self.session_card.rows.addWidget(each)
        for card in self.cards:
            rows.addWidget(card)

    def _connect(self) -> None:
        self.practice.clicked.connect(self.practice_pressed)
        self.practice_end.clicked.connect(self.practice_end_pressed)
        self.key.clicked.connect(self._key_clicked)
        self.get.clicked.connect(self._get_clicked)
        self.write.clicked.connect(self.write_pressed)
        self.open_session.clicked.connect(self.open_pressed)
        self.show_preview.clicked.connect(self.closed)
        for place, each in enumerate(self.recent):
            each.setProperty("place", place)
            each.clicked.connect(self._recent_clicked)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The three ways."""
        return self.practice_card, self.model_card, self.session_card

    # display

    def show_models(self, models: Sequence[ModelChoice]) -> None:
        """Show the model to start with in the middle card, which keeps its place while none is listed yet."""
        choice = self._choice = _model_to_start_with(models)
        self.model_card.setVisible(choice is not None or not models)
        enable(self.key, "" if models else _("The models are being listed."))
        if choice is None:
            self.model_card.text.setText(
                _("A model works with an API key of its service. The models are being listed.")
            )
            self.write.hide()
            self.get.hide()
            return
        title = choice.title
        self.model_card.text.setText(
            _("{model} is ready: its key was found. Write a task and press Start.").format(model=title)
            if choice.has_key
            else _("{model} works with an API key of its service. It is checked with one small request.").format(
                model=title
            )
        )
        self.key.setVisible(not choice.has_key)
        self.write.setVisible(choice.has_key)
        self.get.setVisible(not choice.has_key and bool(choice.key_page))
        self.get.setToolTip(_("Opens {address} in your browser").format(address=choice.key_page))

    def show_recent(self, sessions: Sequence[SessionSummary]) -> None:
        """Show the newest session files."""
        self._paths = [each.path for each in sessions[:MOST_RECENT]]
        first, after = _("What would you like to do first?"), _("What would you like to do next?")
        self._headline.setText(after if self._paths else first)
        self.session_card.text.setText(
            _("Go through a recorded session step by step.")
            if self._paths
            else _("No sessions yet. A file from somebody else can be opened, too.")
        )
        for place, each in enumerate(self.recent):
            each.setVisible(place < len(self._paths))
            if place < len(self._paths):
                summary = sessions[place]
                began = parse_time(summary.started)
                when = began.astimezone().strftime("%Y-%m-%d %H:%M") if began is not None else ""
                task = task_line(summary.task, 120, runbook=summary.is_runbook)
                self._recent_tasks[place].set_whole(task)
                self._recent_times[place].setText(when)
                each.setAccessibleName(f"{task} · {when}" if when else task)

    def show_practice(self, *, opening: bool, running: bool) -> None:
        """Show whether the practice window is being opened, or is open."""
        enable(self.practice, _("The practice window is being opened.") if opening else "")
        word = _("Opening…") if opening else _("Practice again") if running else _("Practice")
        self.practice.setText(word)
        self.practice.setAccessibleName(word)
        self.practice_end.setVisible(running and not opening)
        self.practice_card.text.setText(
            _("The practice window is open. Press Start on the left to run its steps, or end practice.")
            if running
            else _(
                "Approve the first steps in a practice window. Takes two minutes, needs no key, and "
                "sends nothing anywhere."
            )
        )

    def follow_in_tab_order(self, before: QWidget) -> None:
        """Let Tab go through the page after that widget."""
        pushes = (
            self.practice, self.practice_end, self.key, self.write, self.get, self.open_session, *self.recent,
            self.show_preview,
        )  # fmt: skip
        for one, other in itertools.pairwise((before, *pushes)):
            QWidget.setTabOrder(one, other)

    def open_page(self) -> None:
        """Show the page over the preview."""
        self._follow()
        self._policy = self._preview.focusPolicy() if self.isHidden() else self._policy
        self._preview.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # nothing of it can be seen
        self.show()
        self.raise_()

    def give_way(self) -> None:
        """Show the preview again."""
        if not self.isHidden():
            self._preview.setFocusPolicy(self._policy)
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the preview."""
        if event.type() is QEvent.Type.Resize:
            self._follow()
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        self.setGeometry(self._preview.rect())
        narrow = self.width() - 48 < NARROW
        for card in self.cards:
            card.arrange(narrow)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        for each, line in zip(self.recent, self._recent_lines, strict=True):
            line.setDirection(down if narrow else across)
            line.setSpacing(0 if narrow else 16)
            # A button takes no height from its layout.
            each.setMinimumHeight(max(_ROW_HEIGHT, line.sizeHint().height() + GRID))

    # event handlers

    def _key_clicked(self) -> None:
        self.key_pressed.emit(self._choice)

    def _get_clicked(self) -> None:
        if self._choice is not None:
            open_web_page(self._choice.key_page)

    def _recent_clicked(self) -> None:
        sender = self.sender()
        assert isinstance(sender, QObject)
        self.recent_chosen.emit(self._paths[int(sender.property("place"))])


TASK = "recent sessions"


class StartPageController(QObject):
    """Shows the page at the first start, and on request; hides it once the person goes another way.

    It gives way when another target is chosen, a task is written, a session starts or a record opens. It is not shown
    by itself again once a session was run or the page was closed by its own button.

    Signals:
        practice_pressed, practice_end_pressed, open_pressed: no payload.
        key_pressed: carries the ModelChoice; recent_chosen: carries a Path.
        toggled: the page was shown or hidden; carries whether it is shown.
    """

    practice_pressed = Signal()
    practice_end_pressed = Signal()
    key_pressed = Signal(object)
    open_pressed = Signal()
    recent_chosen = Signal(object)
    toggled = Signal(object)

    def __init__(
        self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow, preferences: PreferenceController
    ) -> None:
        super().__init__()
        self._backend, self._bridge, self._window, self._preferences = backend, bridge, window, preferences
        self.page: StartPage | None = None
        self._models: Sequence[ModelChoice] = ()
        self._target = ""
        self._practice = (False, False)
        self._soon = QTimer(window)  # ends with the widgets that it is about
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.show)
        window.setup.task.textChanged.connect(self._task_changed)
        window.setup.chooser.chosen.connect(self._target_chosen)

    @property
    def shown(self) -> bool:
        """Whether the page is shown."""
        return self.page is not None and not self.page.isHidden()

    def begin(self) -> None:
        """Show the page soon, after the window was painted, unless it was seen before or a task is being written."""
        if not self._preferences.kept.start_page_seen and not self._window.setup.task.toPlainText().strip():
            self._soon.start()

    def show(self) -> None:
        """Show the page, with the newest sessions. It takes no focus."""
        page = self.page = self.page or self._furnish()
        page.show_models(self._models)
        opening, running = self._practice
        page.show_practice(opening=opening, running=running)
        page.open_page()
        self._bridge.run(TASK, self._recent())
        self.toggled.emit(True)

    def hide(self) -> None:
        """Give way to the preview."""
        self._soon.stop()
        if self.page is not None and self.shown:
            focused: QWidget | None = self._window.focusWidget()
            had_focus = focused is not None and self.page.isAncestorOf(focused)
            self.page.give_way()
            if had_focus:
                self._window.setup.task.setFocus()
            self.toggled.emit(False)

    def remember(self) -> None:
        """Do not show it by itself again."""
        self._preferences.keep(replace(self._preferences.kept, start_page_seen=True))

    def show_models(self, models: Sequence[ModelChoice]) -> None:
        """Take the models to choose from."""
        self._models = models
        if self.page is not None:
            self.page.show_models(models)

    def show_practice(self, *, opening: bool, running: bool) -> None:
        """Show whether the practice window is being opened, or is open."""
        self._practice = opening, running
        if self.page is not None:
            self.page.show_practice(opening=opening, running=running)

    def _furnish(self) -> StartPage:
        page = StartPage(self._window.preview)
        page.follow_in_tab_order(self._window.setup.task)  # where the keyboard is at the first start
        page.practice_pressed.connect(self.practice_pressed)
        page.practice_end_pressed.connect(self.practice_end_pressed)
        page.key_pressed.connect(self.key_pressed)
        page.open_pressed.connect(self.open_pressed)
        page.recent_chosen.connect(self.recent_chosen)
        page.write_pressed.connect(self._write_pressed)
        page.closed.connect(self._closed)
        return page

    async def _recent(self) -> None:
        found = await self._backend.sessions()
        if self.page is not None:
            self.page.show_recent([each for each in found if not each.trouble])

    def _write_pressed(self) -> None:
        self.hide()
        self._window.setup.task.setFocus()

    def _closed(self) -> None:
        self.hide()
        self.remember()

    def _task_changed(self) -> None:
        if self._window.setup.task.toPlainText().strip():
            self.hide()

    def _target_chosen(self, choice: object) -> None:
        spec = choice.spec if isinstance(choice, TargetChoice) else ""
        before, self._target = self._target, spec or self._target
        if before and spec and spec != before:
            self.hide()


def _model_to_start_with(models: Sequence[ModelChoice]) -> ModelChoice | None:
    """The first model that needs a key, as the services of the program are listed: its default one."""
    return next((each for each in models if each.needs_key and not each.profile), None)
