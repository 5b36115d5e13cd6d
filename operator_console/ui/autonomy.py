"""How much runs without asking: a group of four radio buttons, and what the chosen one means."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QGroupBox, QHBoxLayout, QRadioButton, QWidget

from operator_console.domain.risk import Autonomy
from operator_console.ui.parts import GRID, column, label
from operator_console.ui.segment import Segment

AUTONOMY_WORDS: dict[Autonomy, str] = {
    Autonomy.OBSERVE: "Nothing is sent; you only see what the model would do.",
    Autonomy.STEP: "Every action waits for your approval.",
    Autonomy.GUARDED: "Asks where policy or the model’s own safety check says so.",
    Autonomy.AUTO: "As Guarded, without asking for the categories allowed in Settings.",
}


class AutonomyChoice(QWidget):
    """The group with its note."""

    def __init__(self) -> None:
        super().__init__()
        rows = column(self, spacing=GRID)
        group = QGroupBox("Autonomy")
        group.setAccessibleName("Autonomy")
        line = QHBoxLayout(group)
        line.setContentsMargins(0, 4, 0, 0)
        line.setSpacing(0)
        self._group = QButtonGroup(self)
        self._levels: dict[Autonomy, QRadioButton] = {}
        levels = tuple(Autonomy)
        for level in levels:
            edge = "first" if level is levels[0] else "last" if level is levels[-1] else ""
            radio = Segment(level.value.capitalize(), edge, AUTONOMY_WORDS[level])
            radio.toggled.connect(self._changed)
            self._group.addButton(radio)
            self._levels[level] = radio
            line.addWidget(radio)
        self._note = label(role="note", wrap=True)
        rows.addWidget(group)
        rows.addWidget(self._note)
        self.choose(Autonomy.GUARDED)

    @property
    def segments(self) -> tuple[QRadioButton, ...]:
        """The four buttons."""
        return tuple(self._levels.values())

    @property
    def level(self) -> Autonomy:
        """What is chosen."""
        return next(level for level, radio in self._levels.items() if radio.isChecked())

    def choose(self, level: Autonomy) -> None:
        """Choose one."""
        self._levels[level].setChecked(True)

    def _changed(self, checked: bool) -> None:
        if checked:
            self._note.setText(AUTONOMY_WORDS[self.level])
