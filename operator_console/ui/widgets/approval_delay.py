"""The protection of every approval: a yes counts once what it is about was shown for a second, undisturbed.

Dialog, side card, folded bar and stop receipt share it. Shown means visible, attended and uncovered, in one place, now
and during the whole second. Attended means that its window is the active one; where that cannot be asked, the caller
says what counts instead (`Attended`). Any disturbance begins the second anew; the focus that a click brings, where the
pointer has rested for a second, does so for keys alone.
What a program pressed counts nowhere, where the display tells that (`gate`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import TypeAlias

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QTimer, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from operator_console.domain.geometry import Rect
from operator_console.domain.translations import _
from operator_console.ui.widgets.device_gate import DeviceGate

Covering: TypeAlias = Callable[[int, Rect | None], bool]
"""Whether another program's window covers a window, or a part of it in root coordinates."""

_PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.MouseButtonRelease)
SHOWN_S = 1.0
LOOK_MS = 50


class Attended(Enum):
    """When something that is shown counts as attended to."""

    ACTIVE = auto()
    """Its window is the active one."""
    ACTIVE_OR_POINTED_AT = auto()
    """As that, or the pointer rests on it: who works in the target approves without taking its focus away. Asked of a
    press of the pointer: a screen reader presses without either."""
    SHOWN = auto()
    """Always: where a click has no effect on the target, or in a window that never becomes active and is above all."""


class Obstacle(Enum):
    """Why something does not count as shown."""

    HIDDEN = auto()
    NOT_ATTENDED = auto()
    COVERED = auto()
    UNFIT = auto()
    """The caller's reason."""


class ApprovalDelay(QObject):
    """Counts the time that something was shown undisturbed.

    Args:
        shown: what shows the question.
        press: what is pressed for a yes, which must not move either; None: it is not told.
        unfit: the caller's further reason why a yes does not count now; "" for none.
        attended: see `Attended`.
        monotonic: the clock.

    Attributes:
        covering: tells what is covered.
        obstacle: why it does not count as shown, as of the last look; None: it does.
        unfit_words: the caller's reason, as of the last look.
        gate: lets the presses of a person through; what is pressed is added to it.
        refused: whether a press of a program was dropped since it began.

    Signals:
        changed: the delay ended, began again or became shorter (no payload).
    """

    changed = Signal()

    def __init__(
        self, shown: QWidget, unfit: Callable[[], str] = str, *, press: QWidget | None = None,
        attended: Attended = Attended.ACTIVE_OR_POINTED_AT, covering: Covering = lambda _window, _part: False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        super().__init__(shown)
        self._shown, self._unfit, self._press, self._attended = shown, unfit, press, attended
        self._guarded: list[QWidget] = []
        self._places: tuple[QWidget, ...] = (shown,)
        self._monotonic = monotonic
        self.covering = covering
        self.obstacle: Obstacle | None = None
        self.unfit_words = ""
        self.refused = False
        self.gate = DeviceGate(self)
        self.gate.refused.connect(self._press_refused)
        if press is not None:
            self.guard([press])
        self._attended_since: float | None = None
        self._since: float | None = None
        self._open = False
        self._seen_as: tuple[QRect, QRect, bool] | None = None
        self._keys_count_s = self._clicked_s = -math.inf
        self._watched: QWidget | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)

    def guard(self, presses: Sequence[QWidget], *, places: Sequence[QWidget] = ()) -> None:
        """What else is pressed for a yes, in the place of what was named before.

        Args:
            presses: controls.
            places: what else shows the question, and answers where it is clicked. A program's click counts there.
        """
        self._guarded = [each for each in (self._press, *presses, *places) if each is not None]
        self._places = (self._shown, *places)
        for each in (*presses, *places):
            each.installEventFilter(self)
        self.gate.add(*presses)

    @property
    def open(self) -> bool:
        """Whether an approval is accepted."""
        return self._open

    @property
    def open_to_keys(self) -> bool:
        """Whether an approval by the keyboard is accepted."""
        return self._open and self._monotonic() >= self._keys_count_s

    @property
    def left_s(self) -> float:
        """The rest of the delay, if nothing disturbs it; 0 when a yes counts."""
        if self._open:
            return 0.0
        return SHOWN_S if self._since is None else max(0.0, SHOWN_S - (self._monotonic() - self._since))

    def begin(self) -> None:
        """Something (else) is shown: begin the delay."""
        self._watch(self._shown.window())
        self._since, self._open, self._seen_as = None, False, None
        self._timer.start()
        self._look()

    def end(self) -> None:
        """Close the gate: nothing is shown."""
        self._watch(None)
        self.refused = False
        self._timer.stop()
        self._since, self._open, self._seen_as = None, False, None
        self.changed.emit()

    def disturb(self) -> None:
        """Begin again, unless nothing is shown."""
        if self._timer.isActive() or self._open:
            self.begin()

    def check(self) -> bool:
        """Whether an approval is accepted now: the delay has passed and the content is still shown as required."""
        if self._open and not self._undisturbed():
            self.begin()
        return self.open_to_keys or (self._open and self._monotonic() - self._clicked_s < LOOK_MS / 1000)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Begin again when the window loses or gets the focus, is hidden or shown; drop a press that came too soon."""
        if watched in self._guarded:
            if event.type() not in _PRESSES:
                return False
            self._clicked_s = self._monotonic()
            counts = self._timer.isActive()  # else it asks for no yes: the edit of a paused action is judged again
            return counts and not self._attended_for_a_second()
        if event.type() is QEvent.Type.ActivationChange and self._focus_came_to_the_pointer():
            self._seen_as = self._look_of_it()
            self._keys_count_s = self._monotonic() + SHOWN_S
        elif event.type() in (QEvent.Type.ActivationChange, QEvent.Type.Hide, QEvent.Type.Show):
            self.disturb()
        return False

    def _focus_came_to_the_pointer(self) -> bool:
        """Whether its window became active while a click counts: many window managers give it the focus by that click,
        before the press or after it."""
        before = self._seen_as is not None and self._seen_as[-1]
        pointed_at = self._attended is not Attended.ACTIVE and self._pointed_at()
        comes = self._shown.window().isActiveWindow() and not before
        return self._open and comes and pointed_at and self._attended_for_a_second()

    def _watch(self, window: QWidget | None) -> None:
        self.gate.hear_shortcuts(window)
        if window is self._watched:
            return
        if self._watched is not None:
            self._watched.removeEventFilter(self)
        self._watched = window
        if window is not None:
            window.installEventFilter(self)

    def _press_refused(self) -> None:
        self.refused = True
        self.changed.emit()

    def _attended_for_a_second(self) -> bool:
        since = self._attended_since
        return self._attended is not Attended.ACTIVE_OR_POINTED_AT or (
            since is not None and self._monotonic() - since >= SHOWN_S
        )

    def _look(self) -> None:
        now = self._monotonic()
        self._attended_since = (self._attended_since or now) if self._is_attended() else None
        if not self._undisturbed():
            self._since, self._open = (now if self.obstacle is None else None), False
        elif self._since is None:
            self._since = now
        elif not self._open and now - self._since >= SHOWN_S:
            self._open = True
        self.changed.emit()

    def _undisturbed(self) -> bool:
        """Whether it is shown as it must be, where and as it was at the last look."""
        before, self._seen_as = self._seen_as, None
        self.obstacle = self._find_obstacle()
        if self.obstacle is not None:
            return False
        self._seen_as = self._look_of_it()
        return before is None or before == self._seen_as

    def _look_of_it(self) -> tuple[QRect, QRect, bool]:
        """Where its window and the button are, and whether the window is active."""
        window = self._shown.window()
        return _place(window), _place(self._press or window), window.isActiveWindow()

    def _find_obstacle(self) -> Obstacle | None:
        shown = self._shown
        window = shown.window()
        self.unfit_words = ""
        if not shown.isVisible() or window.isMinimized():
            return Obstacle.HIDDEN
        if self._attended is Attended.ACTIVE and not self._is_attended():
            return Obstacle.NOT_ATTENDED
        self.unfit_words = self._unfit()
        if self.unfit_words:
            return Obstacle.UNFIT
        part = None if shown.isWindow() else self._native_place()
        return Obstacle.COVERED if self.covering(int(window.winId()), part) else None

    def _is_attended(self) -> bool:
        """Whether its window is active or, where that counts, the pointer rests on it."""
        points = self._attended is Attended.ACTIVE_OR_POINTED_AT and self._pointed_at()
        return points or self._shown.isActiveWindow()

    def _pointed_at(self) -> bool:
        return any(_place(each).contains(QCursor.pos()) for each in self._places if each.isVisible())

    def _native_place(self) -> Rect:
        """Where it is on the desktop, in the display's pixels."""
        place, screen = _place(self._shown), self._shown.screen()
        corner, ratio = screen.geometry().topLeft(), screen.devicePixelRatio()
        offset = place.topLeft() - corner
        return Rect(
            round(corner.x() + offset.x() * ratio), round(corner.y() + offset.y() * ratio),
            round(place.width() * ratio), round(place.height() * ratio),
        )  # fmt: skip


def refused_words() -> str:
    """What is said where the press of a program was dropped."""
    return _("A program pressed this, so it does not count. Use the mouse or keyboard of this computer.")


def _place(widget: QWidget) -> QRect:
    """Where a widget is on the desktop, in logical pixels."""
    return QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size())
