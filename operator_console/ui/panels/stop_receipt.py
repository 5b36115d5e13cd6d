"""What a stop did, in the side column, and the button that resets it. Resetting starts nothing.

Only a person can reset: no key presses the button; on the keyboard the word `reset` is typed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import Enum, auto

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QWidget

from operator_console.domain.events import Stopped
from operator_console.domain.stopping import StopCause
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import cancelled_words, in_flight_words
from operator_console.engine.visible_text import brief
from operator_console.ui.backend import GuardStatus, InputDevices
from operator_console.ui.view.cause_words import stop_words
from operator_console.ui.view.session_view import parse_time
from operator_console.ui.widgets.approval_delay import ApprovalDelay, Attended, Covering, refused_words
from operator_console.ui.widgets.controls import GRID, GuardedButton, button, column, enable, label
from operator_console.ui.widgets.fitting_scroll_area import FittingScrollArea
from operator_console.ui.widgets.typed_word import WordLine

WORD = "reset"


class _Fact(Enum):
    """A line of the receipt."""

    BY = auto()
    WHEN = auto()
    LASTED = auto()
    IN_FLIGHT = auto()
    CANCELLED = auto()
    RELEASED = auto()
    LATE = auto()

    @property
    def words(self) -> str:
        """Its name."""
        match self:
            case _Fact.BY:
                return _("By")
            case _Fact.WHEN:
                return _("When")
            case _Fact.LASTED:
                return _("Last input")
            case _Fact.IN_FLIGHT:
                return _("In flight")
            case _Fact.CANCELLED:
                return _("Cancelled")
            case _Fact.RELEASED:
                return _("Released")
            case _Fact.LATE:
                return _("Late model answers")


class StopReceipt(QFrame):
    """What the last stop did, with Reset.

    Signals:
        reset_pressed, close_pressed: no payload.
    """

    reset_pressed = Signal()
    close_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "plain")
        self._latched = False
        rows = column(self, spacing=GRID, margins=(16, 16, 16, 12))
        head = QHBoxLayout()
        head.addWidget(label(_("Stop receipt"), "title"), 1)
        badge = label(_("STOPPED"), "badge")
        badge.setProperty("risk", "stop")
        head.addWidget(badge)
        self.close_receipt = button(_("Close"), "link", name=_("Close the stop receipt"))
        self.close_receipt.clicked.connect(self.close_pressed)
        head.addWidget(self.close_receipt)
        rows.addLayout(head)
        rows.addWidget(self._make_facts())
        self.reset = GuardedButton(_("Reset stop"), name=_("Reset"))
        self.word = WordLine()
        self.word.setAccessibleName(_("Type {word} to reset the stop").format(word=WORD))
        line = QHBoxLayout()
        self._ask = label(role="secondary", wrap=True)
        self._ask.setBuddy(self.word)
        line.addWidget(self._ask, 1)
        line.addWidget(self.word, 1)
        self._acts = QWidget()
        acts = column(self._acts, spacing=GRID)
        acts.addWidget(self.reset)
        acts.addLayout(line)
        rows.addWidget(self._acts)
        # A reset starts nothing: after a stop by the hotkey the first click counts, too, in a window without the focus.
        self._delay = ApprovalDelay(self, press=self.reset, attended=Attended.SHOWN)
        self._delay.gate.add(self.word)
        self._show_ask()
        self._delay.changed.connect(self._show_delay)
        self.reset.clicked.connect(self._reset_clicked)
        self.word.typed.connect(self._word_typed)

    def _make_facts(self) -> FittingScrollArea:
        """What the stop did, a line each, and the hint below them."""
        facts = QWidget()
        self._grid = QGridLayout(facts)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._facts = FittingScrollArea(facts, least_lines=1)  # Reset matters more
        self._values: dict[_Fact, tuple[QLabel, QLabel]] = {}
        for place, name in enumerate(_Fact):
            title, value = label(name.words, "secondary"), label(wrap=True)
            self._grid.addWidget(title, place, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, place, 1)
            self._values[name] = (title, value)
        self._hint = label(
            _("Resetting does not start anything. Press Start or Continue afterwards."), "secondary", wrap=True
        )
        self._grid.addWidget(self._hint, len(self._values), 0, 1, 2)
        return self._facts

    def show_stop(self, stopped: Stopped | None, time: str, guard: GuardStatus | None) -> None:
        """Show a session's stop, or a latch found at startup; `guard`: None for a stop of the past."""
        latch = guard.latch if guard is not None else None
        reason = stopped.reason if stopped is not None else latch.reason if latch is not None else None
        detail = stopped.detail if stopped is not None else latch.detail if latch is not None else ""
        by = stop_words(reason) if reason is not None else _("unknown")
        if reason is StopCause.HOTKEY and guard is not None:
            by = _("hotkey {keys}").format(keys=guard.stop_chord)
        self._set(_Fact.BY, "\n".join(part for part in (by[:1].upper() + by[1:], brief(detail, 600)) if part))
        self._set(_Fact.WHEN, local_time(time or (latch.since if latch is not None else "")))
        if stopped is None:
            for name in _Fact:
                if name not in (_Fact.BY, _Fact.WHEN):
                    self._set(name, "")
            return
        last = stopped.press_to_last_event_ms
        lasted = _("{ms:.1f} ms after the press").format(ms=last) if last else _("No input after the stop")
        lasted = lasted if last is not None else _("nothing was being sent")
        self._set(_Fact.LASTED, lasted)
        doing, nothing = brief(in_flight_words(stopped), 120), _("nothing")
        if doing and stopped.total:
            sent = _("{action}, {delivered} of {total} sent")
            doing = sent.format(action=doing, delivered=stopped.delivered, total=stopped.total)
        self._set(_Fact.IN_FLIGHT, doing or nothing)
        self._set(_Fact.CANCELLED, "\n".join(brief(text, 80) for text in cancelled_words(stopped)) or nothing)
        keys, buttons = stopped.released_keys, stopped.released_buttons
        released = ngettext("{count} key", "{count} keys", keys).format(count=keys)
        self._set(
            _Fact.RELEASED,
            f"{released}, {ngettext('{count} button', '{count} buttons', buttons).format(count=buttons)}",
        )
        self._set(_Fact.LATE, _("discarded"))

    def show_latched(self, latched: bool, *, closable: bool = False) -> None:
        """Show whether there is something to reset; Reset is enabled after this was shown for a second."""
        self.close_receipt.setVisible(closable)
        if latched == (not self._acts.isHidden()) and latched == self._latched:
            return
        self._latched = latched
        self._acts.setVisible(latched)
        self._hint.setVisible(latched)
        self._facts.updateGeometry()
        if latched:
            self._delay.begin()
        else:
            self._delay.end()

    def protect(self, covering: Covering, devices: Callable[[], InputDevices | None]) -> None:
        """What tells whether another program's window covers the receipt, and which presses are a person's."""
        self._delay.covering, self._delay.gate.devices = covering, devices

    def event(self, event: QEvent) -> bool:
        """Say where the word is typed once the keyboard is in another window, as after a hotkey."""
        if event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate, QEvent.Type.Show):
            self._show_ask()
        return super().event(event)

    def _show_ask(self) -> None:
        here = _("By keyboard: type “{word}”")
        there = _("Click here, then type “{word}”")
        self._ask.setText((here if self.isActiveWindow() else there).format(word=WORD))

    def _show_delay(self) -> None:
        enable(self.reset, "" if self._delay.open else _("Reset becomes available after one second."))
        if self._delay.refused:
            hint = refused_words()
        elif self._delay.open:
            hint = _("Resetting does not start anything. Press Start or Continue afterwards.")
        else:
            hint = _("Reset becomes available after one second. It does not start anything.")
        self._hint.setText(hint)
        self.word.armed = self._delay.open_to_keys

    def _set(self, name: _Fact, text: str) -> None:
        for part in self._values[name]:
            part.setVisible(bool(text))
        self._values[name][1].setText(text)
        self._facts.updateGeometry()

    def _reset_clicked(self) -> None:
        if self._delay.check():
            self.reset_pressed.emit()

    def _word_typed(self, text: object) -> None:
        if text == WORD and self._delay.check():
            self.word.clear()
            self.reset_pressed.emit()


def local_time(text: str) -> str:
    """The local time of day of an RFC 3339 time; "" if it is not one."""
    parsed = parse_time(text)
    if parsed is None:
        return ""
    here = parsed.astimezone() if parsed.tzinfo is not None else parsed
    today = datetime.now().astimezone().date()
    return here.strftime("%H:%M:%S") if here.date() == today else here.strftime("%Y-%m-%d %H:%M:%S")
