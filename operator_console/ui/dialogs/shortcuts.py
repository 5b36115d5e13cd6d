"""The window of keyboard shortcuts: the global hotkeys, the screen corners, and the keys of the console's window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from operator_console.domain.translations import _
from operator_console.ui.backend import GuardStatus
from operator_console.ui.widgets.controls import GRID, button, column, label, plain, wide
from operator_console.ui.widgets.window_size import largest_window
from operator_console.ui.window_shortcuts import REPLAY_KEYS, SHORTCUTS, keys_of, replay_keys_of


class ShortcutsDialog(QDialog):
    """Not modal: it can stay open beside the work.

    Signals:
        settings_pressed: the hotkeys are to be changed (no payload).
    """

    settings_pressed = Signal()

    def __init__(self, guard: GuardStatus, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self.setWindowTitle(_("Keyboard shortcuts — Operator console"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = column(self, spacing=GRID, margins=(24, 20, 24, 20))
        rows.addWidget(label(_("Keyboard shortcuts"), "title"))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = plain()
        inside = column(inner, spacing=GRID, margins=(0, GRID, GRID, 0))
        everywhere = [
            (_("Stop everything"), guard.stop_chord),
            (_("Stop everything, with the pointer"), _("any corner of the screen")),
            (_("Pause the session"), guard.pause_chord),
            (_("Approve the action on the card; never one that is asked in a dialog"), guard.approve_chord),
        ]
        if guard.stop_chord:
            _add_group(inside, _("Everywhere, whatever has the focus"), everywhere)
        else:
            inside.addWidget(
                label(
                    _(
                        "In a Wayland session no keys are heard outside this window. Stop with the button, or "
                        "with operator-console stop."
                    ),
                    "secondary",
                    wrap=True,
                )
            )
        inside.addSpacing(GRID)
        _add_group(inside, _("In this window"), [(_sentence(action.words), keys_of(action)) for action in SHORTCUTS])
        inside.addSpacing(GRID)
        _add_group(
            inside, _("While a record is open"), [(_sentence(key.words), replay_keys_of(key)) for key in REPLAY_KEYS]
        )
        inside.addStretch(1)
        area.setWidget(inner)
        rows.addWidget(area, 1)
        rows.addWidget(label(_("The keys that work everywhere can be changed in Settings."), "secondary", wrap=True))
        line = QHBoxLayout()
        self.change, self.close_button = button(_("Change them…")), button(_("Close"))
        line.addWidget(self.change)
        line.addStretch(1)
        line.addWidget(self.close_button)
        rows.addLayout(line)
        self.change.clicked.connect(self._change_clicked)
        self.close_button.clicked.connect(self.reject)
        self.resize(QSize(wide(560, 1.0), wide(620)).boundedTo(largest_window(self)))

    def _change_clicked(self) -> None:
        self.accept()
        self.settings_pressed.emit()


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _add_group(rows: QVBoxLayout, title: str, lines: list[tuple[str, str]]) -> None:
    rows.addWidget(label(title, "heading"))
    grid = QGridLayout()
    grid.setHorizontalSpacing(2 * GRID)
    grid.setVerticalSpacing(6)
    grid.setColumnStretch(0, 1)
    for place, (what, keys) in enumerate(lines):
        name, key = label(what, wrap=True), label(keys, "key")
        key.setAccessibleName(f"{what}: {keys}")
        grid.addWidget(name, place, 0)
        grid.addWidget(key, place, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    rows.addLayout(grid)
