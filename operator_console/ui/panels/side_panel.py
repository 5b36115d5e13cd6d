"""The right column: the timeline, and below it the side card; above it the stop receipt while the stop is latched.
Between timeline and card stands what is permitted for the rest of the session.

The card stands at the lower edge, so that its buttons stay in one place however much it shows above them.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from operator_console.domain.events import Stopped
from operator_console.domain.geometry import Size
from operator_console.domain.translations import _
from operator_console.ui.backend import GuardStatus
from operator_console.ui.panels.action_card import ActionCard
from operator_console.ui.panels.permission_list import PermissionList
from operator_console.ui.panels.stop_receipt import StopReceipt
from operator_console.ui.panels.timeline import Timeline
from operator_console.ui.theme_colours import Tokens
from operator_console.ui.view.chunked_list import ChunkedList
from operator_console.ui.view.next_steps import stop_of
from operator_console.ui.view.runbook_lines import progress_words
from operator_console.ui.view.session_view import Item, Phase, SessionView
from operator_console.ui.widgets.controls import button, column, label, row_layout, rule, wide
from operator_console.ui.widgets.images import Cropper
from operator_console.ui.widgets.window_size import SIDE_WIDTH

NEWEST_ROWS = 2
"""Rows of the timeline that stay visible above a card that needs a lot of room."""


class SidePanel(QFrame):
    """The stop receipt, the timeline and the side card.

    Signals:
        open_pressed: a session should be opened (no payload).
        changed: another stop's receipt is to be shown; `show_view` is wanted (no payload).
        needed: something that waits for a person appeared and must be visible (no payload).
    """

    open_pressed = Signal()
    needed = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "side")
        self._reviewing = False
        self.fit_text()
        rows = column(self, spacing=0)
        self.card = ActionCard()
        self.receipt = StopReceipt()
        rows.addWidget(self.receipt)
        self._under_receipt = rule()
        rows.addWidget(self._under_receipt)
        head = QWidget()
        line = row_layout(head, margins=(16, 12, 16, 6))
        line.addWidget(label(_("Timeline"), "heading"), 1)
        self._count = label(role="secondary")
        line.addWidget(self._count)
        rows.addWidget(head)
        self._empty = QWidget()
        empty = column(self._empty, spacing=12, margins=(16, 6, 16, 16))
        empty.addWidget(
            label(
                _("No steps yet. Each step appears here with its picture, who decided, and what changed."),
                "hint",
                wrap=True,
            )
        )
        self.open_session = button(_("Open a session…"))
        line = QHBoxLayout()
        line.addWidget(self.open_session)
        line.addStretch(1)
        empty.addLayout(line)
        empty.addStretch(1)
        rows.addWidget(self._empty, 1)
        self.timeline = Timeline()
        self.timeline.setMinimumHeight(0)
        rows.addWidget(self.timeline, 1)
        self._over_permissions = rule()
        rows.addWidget(self._over_permissions)
        self.permissions = PermissionList()
        rows.addWidget(self.permissions)
        self._over_permissions.hide()
        self._over_card = rule()
        rows.addWidget(self._over_card)
        rows.addWidget(self.card)
        self._head = head
        self._some = False
        self.receipt.hide()
        self._under_receipt.hide()
        self._asked: tuple[Stopped, str] | None = None
        self.open_session.clicked.connect(self.open_pressed)
        self.timeline.chosen.connect(self._row_chosen)
        self.receipt.close_pressed.connect(self._receipt_closed)

    def sizeHint(self) -> QSize:
        """The width that it has."""
        return QSize(self.width(), 600)

    def fit_text(self) -> None:
        """Take the least width for the present text size."""
        self.setMinimumWidth(wide(SIDE_WIDTH))

    @property
    def waits(self) -> bool:
        """Whether something in it waits for a person: a stop receipt with its Reset, an action or a question."""
        return self._reviewing or not self.receipt.isHidden()

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self.card.set_tokens(tokens)
        self.timeline.set_tokens(tokens)

    def show_view(
        self, view: SessionView, guard: GuardStatus, crop: Cropper, native: Size, whole: ChunkedList[Item] | None
    ) -> None:
        """Show the next action or the stop receipt, and the timeline; `whole`: everything in a record that is read."""
        replay = whole is not None
        latched = guard.latch is not None and not replay
        stopped = view.phase is Phase.STOPPED or latched
        if stopped or view.phase.active:
            self._asked = None
        came_up = stopped and self.receipt.isHidden()
        came_up |= view.phase is Phase.REVIEWING and not (replay or self._reviewing)
        self._reviewing = view.phase is Phase.REVIEWING and not replay
        self.receipt.setVisible(stopped or self._asked is not None)
        self._under_receipt.setVisible(not self.receipt.isHidden())
        self._over_card.setVisible(self.receipt.isHidden())
        if came_up:
            self.needed.emit()
        self.card.setVisible(self.receipt.isHidden())
        if self._asked is not None:
            self.receipt.show_stop(*self._asked, None)
        elif stopped:
            self.receipt.show_stop(view.stopped, view.stopped_time, guard)
        self.receipt.show_latched(stopped and latched, closable=self._asked is not None)
        self.permissions.show_permissions(view.permissions if view.phase.active and not replay else ())
        self._show_timeline(view, whole)
        self._fit_card()
        self.card.show_view(view, crop, native, replay=replay)

    def _show_timeline(self, view: SessionView, whole: ChunkedList[Item] | None) -> None:
        some = bool(view.items if whole is None else whole)
        self.timeline.show_view(view, whole)
        self._some = some
        self._count.setText(_count_words(view, whole))
        self._fit_timeline()

    def _fit_timeline(self) -> None:
        """Beside a receipt or a card that needs all the height there is no timeline, and are no permissions."""
        receipt = not self.receipt.isHidden()
        beside = self.receipt.minimumSizeHint().height() if receipt else self.card.least_height
        permits = bool(self.permissions.shown)
        permits = permits and self.height() - beside >= self.permissions.minimumSizeHint().height()
        self.permissions.setVisible(permits)
        self._over_permissions.setVisible(permits)
        beside += self._permissions_height()
        row = max(0, self.timeline.sizeHintForRow(0))
        room = self.height() - beside >= self._head.sizeHint().height() + (0 if receipt else row)
        self._head.setVisible(room)
        self.timeline.setVisible(room and self._some)
        self._empty.setVisible(room and not self._some)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the card another part of the height."""
        super().resizeEvent(event)
        self._fit_timeline()
        self._fit_card()

    def _fit_card(self) -> None:
        """The card may take what the newest rows of the timeline leave; it never scrolls above an empty place."""
        above = 0
        if not self._head.isHidden():
            count = min(NEWEST_ROWS, self.timeline.rows.rowCount())
            above = sum(self.timeline.sizeHintForRow(row) for row in range(count)) + self._head.sizeHint().height()
        self.card.set_room(self.height() - above - self._over_card.height() - self._permissions_height())

    def _permissions_height(self) -> int:
        layout = self.permissions.layout()
        if self.permissions.isHidden() or layout is None:
            return 0
        return layout.totalHeightForWidth(self.width()) + self._over_permissions.height()

    def show_receipt(self, stop: tuple[Stopped, str] | None) -> None:
        """Show an earlier stop and its time in the place of the card, until another row is chosen; None closes it."""
        self._asked = stop
        self.changed.emit()

    def _row_chosen(self, item: object) -> None:
        if (stop := stop_of(item)) != self._asked:
            self.show_receipt(stop)

    def _receipt_closed(self) -> None:
        self.timeline.clear_choice()
        self.show_receipt(None)


def _count_words(view: SessionView, whole: ChunkedList[Item] | None) -> str:
    """How far the session is; in a replay the scrubber says it."""
    step, started = view.step_reached, view.started
    if not step or started is None or whole is not None:
        return ""
    return progress_words(started, view.line, view.looks) or _("step {number} of {most}").format(
        number=step, most=started.max_steps
    )
