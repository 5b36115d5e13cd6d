"""The inspector below the preview: a chosen step, its calls, their facts, times and documents.

It opens for the step that is chosen in the timeline, and loads its documents.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QWidget,
)

from operator_console.domain.errors import RecordError
from operator_console.domain.translations import _
from operator_console.engine.visible_text import brief
from operator_console.ui.bridge import Bridge
from operator_console.ui.controllers.preview_pictures import Pictures
from operator_console.ui.inspector.document_view import Document, DocumentView, readable_document
from operator_console.ui.panels.timeline import Timeline
from operator_console.ui.theme_colours import LIGHT, Tokens
from operator_console.ui.view.session_view import Item, Note, SessionView, Step
from operator_console.ui.view.step_facts import (
    Fact,
    TimePart,
    call_facts,
    note_facts,
    parts_of,
    step_facts,
    time_part_words,
)
from operator_console.ui.view.timeline_entries import entry_of, wait_title
from operator_console.ui.widgets.controls import (
    GRID,
    ElidedLabel,
    breakable,
    button,
    column,
    label,
    plain,
    row_layout,
    wide,
)


class Page(StrEnum):
    """The pages of the inspector; the last three are documents."""

    OVERVIEW = "overview"
    ARGUMENTS = "arguments"
    ANSWER = "answer"
    TOLD = "told"

    @property
    def words(self) -> str:
        """On its tab."""
        match self:
            case Page.OVERVIEW:
                return _("Overview")
            case Page.ARGUMENTS:
                return _("Arguments")
            case Page.ANSWER:
                return _("Answer")
            case Page.TOLD:
                return _("Told")

    @property
    def tip(self) -> str:
        """What it shows."""
        match self:
            case Page.OVERVIEW:
                return _("What was done, who decided, and how long it took")
            case Page.ARGUMENTS:
                return _("The call exactly as the model wrote it")
            case Page.ANSWER:
                return _("The model’s answer exactly as it arrived")
            case Page.TOLD:
                return _("What the model was told beside the picture")


DOCUMENTS = (Page.ARGUMENTS, Page.ANSWER, Page.TOLD)
HEIGHT = 280
WIDE = 840
NAMES = 148
"""The width of the facts' names; longer ones take two lines, so that the values keep their room."""


class FactList(QWidget):
    """Names and values, one below the other; the values can be selected."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "plain")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, QLabel]] = []

    def show_facts(self, facts: tuple[Fact, ...]) -> None:
        """Show these facts; without any, the others get its room."""
        self.setVisible(bool(facts))
        for row in range(len(self._rows), len(facts)):
            name, value = label(role="secondary", wrap=True), label(wrap=True)
            name.setFixedWidth(wide(NAMES))
            for part in (name, value):
                part.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            name.setContentsMargins(0, 2, 0, 0)  # its font is smaller: on one line with the value
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
            self._grid.addWidget(name, row, 0)
            self._grid.addWidget(value, row, 1)
            self._rows.append((name, value))
        for place, (name, value) in enumerate(self._rows):
            shown = place < len(facts)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                name.setText(facts[place][0])
                value.setText(breakable(facts[place][1]))
                value.setAccessibleName(f"{facts[place][0]}: {facts[place][1]}")

    def fit_text(self) -> None:
        """Take the widths for the present text size."""
        for name, _value in self._rows:
            name.setFixedWidth(wide(NAMES))


class Inspector(QFrame):
    """Everything about one step.

    Signals:
        closed: the inspector should close (no payload).
        document_wanted: a document is shown that has not been loaded; carries its Page.
    """

    closed = Signal()
    document_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "inspector")
        self.setAccessibleName(_("Inspector"))
        self._item: Item | None = None
        self._view = SessionView()
        self._asked: set[Page] = set()
        rows = column(self, spacing=GRID, margins=(16, 8, 16, 8))
        rows.addLayout(self._make_head())
        self.calls = QTabBar()
        self.calls.setAccessibleName(_("Calls of this step"))
        self.calls.setExpanding(False)
        self.calls.setDrawBase(False)
        self.calls.setElideMode(Qt.TextElideMode.ElideNone)  # else texts are cut that have room
        self.calls.setUsesScrollButtons(True)
        rows.addWidget(self.calls)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._make_overview())
        self.documents = {page: DocumentView(page.words) for page in DOCUMENTS}
        for document in self.documents.values():
            self._stack.addWidget(document)
        rows.addWidget(self._stack, 1)
        self.pages.currentChanged.connect(self._page_chosen)
        self.calls.currentChanged.connect(self._call_chosen)
        self.close_button.clicked.connect(self.closed)

    def _make_head(self) -> QHBoxLayout:
        line = row_layout(spacing=GRID)
        self._title = label(role="title")
        self._what = ElidedLabel(role="secondary")
        self.pages = QTabBar()
        self.pages.setAccessibleName(_("Pages of the inspector"))
        self.pages.setDrawBase(False)
        self.pages.setExpanding(False)
        self.pages.setUsesScrollButtons(False)
        self.pages.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for page in Page:
            place = self.pages.addTab(page.words)
            self.pages.setTabToolTip(place, page.tip)
        self.close_button = button("✕", "icon", name=_("Close inspector"), tip=_("Close the inspector (Esc)"))
        line.addWidget(self._title)
        line.addWidget(self._what, 1)
        line.addWidget(self.pages)
        line.addWidget(self.close_button)
        return line

    def _make_overview(self) -> QWidget:
        self.overview = QScrollArea()
        self.overview.setWidgetResizable(True)
        self.overview.setAccessibleName(_("Details of the step"))
        self.overview.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.overview.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = plain()
        rows = column(inner, spacing=10, margins=(0, 0, GRID, 0))
        self.times = TimeBar()
        self.call_facts, self.step_facts = FactList(), FactList()
        rows.addWidget(self.times)
        self._columns = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._columns.setSpacing(10)
        self._columns.addWidget(self.call_facts, 1, Qt.AlignmentFlag.AlignTop)
        self._columns.addWidget(self.step_facts, 1, Qt.AlignmentFlag.AlignTop)
        rows.addLayout(self._columns)
        rows.addStretch(1)
        self.overview.setWidget(inner)
        return self.overview

    def resizeEvent(self, event: QResizeEvent) -> None:
        """With room, the facts stand in two columns."""
        super().resizeEvent(event)
        self._place_columns()

    def _place_columns(self) -> None:
        roomy = self.width() >= wide(WIDE)
        self._columns.setDirection(QBoxLayout.Direction.LeftToRight if roomy else QBoxLayout.Direction.TopToBottom)
        self._columns.setSpacing(24 if roomy else 10)

    def sizeHint(self) -> QSize:
        """A good height to begin with."""
        return QSize(600, HEIGHT)

    @property
    def call(self) -> int:
        """The place of the shown call among those of the step."""
        return max(0, self.calls.currentIndex())

    def focus_order(self) -> tuple[QWidget, ...]:
        """What Tab goes through."""
        documents = (w for d in self.documents.values() for w in (d.search, d.next, d.copy, d.text))
        return (self.pages, self.calls, self.overview, *documents, self.close_button)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours and text size."""
        self.times.set_tokens(tokens)
        self.call_facts.fit_text()
        self.step_facts.fit_text()
        self._place_columns()
        for document in self.documents.values():
            document.set_tokens(tokens)

    def show_item(self, item: Item, view: SessionView) -> None:
        """Show a step or a note in its newest state."""
        if item is self._item:
            return
        before, self._item, self._view = self._item, item, view
        other = before is None or before.seq != item.seq
        entry = entry_of(item)
        step = item if isinstance(item, Step) else None
        self._title.setText(
            _("Step {number}").format(number=item.number) if isinstance(item, Step) else brief(item.title, 80)
        )
        self._what.set_whole(entry.title if step is not None else "")
        self.pages.setVisible(step is not None)
        if other:
            self.pages.setCurrentIndex(0)
            self.overview.verticalScrollBar().setValue(0)
        self._show_calls(step, other=other)
        self._show_facts()
        for place, page in enumerate(Page):
            self.pages.setTabVisible(place, page is Page.OVERVIEW or (step is not None and _has(step, page)))
        self.pages.updateGeometry()
        if other or (before is not None and _documents(before) != _documents(item)):
            self._forget_documents()

    def show_document(self, page: Page, document: object) -> None:
        """Show a loaded document, or a sentence (str)."""
        from operator_console.ui.inspector.document_view import Document

        view = self.documents[page]
        if isinstance(document, Document):
            view.show_document(document)
        else:
            view.say(str(document))

    def forget(self) -> None:
        """Show nothing."""
        self._item = None
        self._forget_documents()

    def _show_calls(self, step: Step | None, *, other: bool) -> None:
        calls = step.calls if step is not None else ()
        current = 0 if other else self.calls.currentIndex()
        self.calls.blockSignals(True)
        while self.calls.count() > len(calls):
            self.calls.removeTab(self.calls.count() - 1)
        for place, call in enumerate(calls):
            words = brief(f"{place + 1} · {wait_title(call)}", 40).replace("&", "&&")
            if place < self.calls.count():
                self.calls.setTabText(place, words)
            else:
                self.calls.addTab(words)
        self.calls.setCurrentIndex(max(0, min(current, len(calls) - 1)))
        self.calls.blockSignals(False)
        self.calls.setVisible(len(calls) > 1)

    def _show_facts(self) -> None:
        item = self._item
        if isinstance(item, Note):
            self.times.show_parts(())
            self.call_facts.show_facts(note_facts(item))
            self.step_facts.show_facts(())
            return
        if item is None:
            return
        self.times.show_parts(parts_of(item))
        call = item.calls[self.call] if self.call < len(item.calls) else None
        self.call_facts.show_facts(call_facts(call, self._view, item) if call is not None else ())
        self.step_facts.show_facts(step_facts(item, self._view))

    def _forget_documents(self) -> None:
        self._asked.clear()
        for document in self.documents.values():
            document.say(_("Loading…"))
        self._want_document()

    def _want_document(self) -> None:
        page = list(Page)[self.pages.currentIndex()]
        if self._item is not None and page in DOCUMENTS and page not in self._asked:
            self._asked.add(page)
            self.document_wanted.emit(page)

    def _page_chosen(self, place: int) -> None:
        self._stack.setCurrentIndex(place)
        self._want_document()

    def _call_chosen(self, _place: int) -> None:
        self._show_facts()
        self._asked.discard(Page.ARGUMENTS)
        self.documents[Page.ARGUMENTS].say(_("Loading…"))
        self._want_document()


def _documents(item: Item) -> tuple[object, ...]:
    proposed = item.proposed if isinstance(item, Step) else None
    return (proposed.raw, proposed.told, len(proposed.calls)) if proposed is not None else ()


def _has(step: Step, page: Page) -> bool:
    proposed = step.proposed
    if proposed is None:
        return False
    return bool({Page.ARGUMENTS: proposed.calls, Page.ANSWER: proposed.raw, Page.TOLD: proposed.told}.get(page))


BAR = 8


class TimeBar(QWidget):
    """The parts of a step's time; the legend wraps."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: tuple[tuple[TimePart, float], ...] = ()
        self._tokens = LIGHT
        self.setAccessibleName(_("Times"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._tokens = tokens
        self.update()

    def show_parts(self, parts: tuple[tuple[TimePart, float], ...]) -> None:
        """Show each part with its seconds."""
        self._parts = parts
        self.setAccessibleDescription(", ".join(time_part_words(*each) for each in parts))
        self.setVisible(bool(parts))
        self._fit()
        self.update()

    def sizeHint(self) -> QSize:
        """As high as the legend needs at this width."""
        return QSize(200, self._places()[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The legend wraps anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self._places()[1])

    def _places(self) -> tuple[list[tuple[int, int]], int]:
        """Where each part of the legend begins, and the height of all."""
        metrics = QFontMetrics(self.font())
        places: list[tuple[int, int]] = []
        x, y = 0, BAR + 6
        for each in self._parts:
            width = metrics.horizontalAdvance(time_part_words(*each)) + 30
            if x and x + width > self.width():
                x, y = 0, y + metrics.height() + 2
            places.append((x, y))
            x += width
        return places, y + metrics.height() + 2

    def _colour(self, part: TimePart) -> QColor:
        tokens = self._tokens
        return QColor({
            TimePart.THINKING: tokens.accent, TimePart.CHECKS: tokens.secondary, TimePart.YOU: tokens.warn,
            TimePart.PAUSED: tokens.line_strong, TimePart.ACTING: tokens.ok, TimePart.SETTLING: tokens.risk_critical,
        }[part])  # fmt: skip

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint bar and legend."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        total = sum(value for _, value in self._parts) or 1.0
        gap, least = 2.0, 3.0
        room = self.width() - gap * (len(self._parts) - 1) - least * len(self._parts)
        metrics, x = QFontMetrics(self.font()), 0.0
        places, _ = self._places()
        for (part, value), (left, top) in zip(self._parts, places, strict=True):
            width = least + room * value / total
            painter.setPen(QColor(0, 0, 0, 0))
            painter.setBrush(self._colour(part))
            painter.drawRoundedRect(QRectF(x, 0, width, BAR), 2, 2)
            painter.drawRoundedRect(QRectF(left, top + metrics.height() / 2 - 4, 8, 8), 2, 2)
            painter.setPen(QColor(self._tokens.text))
            painter.drawText(left + 13, top + metrics.ascent(), time_part_words(part, value))
            x += width + gap
        painter.end()


TASK = "inspector"


class InspectionController(QObject):
    """The inspector: open while a row of the timeline is chosen."""

    def __init__(self, bridge: Bridge, inspector: Inspector, timeline: Timeline, pictures: Pictures) -> None:
        super().__init__()
        self._bridge, self._inspector, self._timeline, self._pictures = bridge, inspector, timeline, pictures
        inspector.document_wanted.connect(self._load)
        inspector.closed.connect(pictures.back_to_live)
        timeline.entered.connect(self._entered)

    def show_view(self, view: SessionView) -> None:
        """Show the chosen item as it is now, or close the inspector."""
        item = self._pictures.chosen
        if item is not None:
            self._inspector.show_item(item, view)
            self._inspector.show()
        elif not self._inspector.isHidden():
            focused = self._inspector.window().focusWidget()
            self._inspector.hide()
            self._inspector.forget()
            if self._inspector.isAncestorOf(focused):
                self._timeline.setFocus()

    def _entered(self) -> None:
        """Enter on a row moves the focus to the inspector."""
        if not self._inspector.isHidden():
            self._inspector.pages.setFocus()

    def _load(self, page: object) -> None:
        item, source = self._pictures.chosen, self._pictures.source
        if not isinstance(item, Step) or item.proposed is None or not isinstance(page, Page):
            return
        proposed, place = item.proposed, self._inspector.call
        digest = {Page.ANSWER: proposed.raw, Page.TOLD: proposed.told}.get(page, "")
        arguments = item.calls[place].proposed.arguments_json if place < len(item.calls) else ""

        def read() -> Document | str:
            try:
                stored = source.blob(digest) if digest and source is not None else None
            except RecordError:
                return _("The record could not be read.")
            data = arguments.encode("utf-8", "replace") if page is Page.ARGUMENTS else stored
            return readable_document(data) if data else _("The record has none.")

        async def load() -> None:
            document = await asyncio.to_thread(read)
            shown = self._pictures.chosen
            if isinstance(shown, Step) and shown.seq == item.seq and shown.proposed is item.proposed:
                self._inspector.show_document(page, document)

        self._bridge.run(f"{TASK} {page.value}", load())
