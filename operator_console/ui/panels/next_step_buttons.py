"""A column of buttons with the ways on from the present state, in the side card."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from operator_console.ui.view.next_steps import LEADING, NextStep
from operator_console.ui.widgets.controls import GRID, button, column


class NextStepButtons(QWidget):
    """The buttons; hidden while there is none.

    Signals:
        pressed: carries the NextStep.
    """

    pressed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "plain")
        rows = column(self, spacing=GRID)
        self.buttons: dict[NextStep, QPushButton] = {}
        line = QHBoxLayout()
        for step in NextStep:
            push = button(step.words, "primary" if step in LEADING else "")
            if step is not NextStep.DONE:  # beside Answer
                line = QHBoxLayout()
                rows.addLayout(line)
                line.addStretch(1)
            line.insertWidget(line.count() - 1, push)
            push.clicked.connect(self._clicked)
            self.buttons[step] = push
        self.show_steps(())

    def show_steps(self, steps: tuple[NextStep, ...]) -> None:
        """Offer these; a button that has the focus keeps it while it is offered."""
        for step, push in self.buttons.items():
            push.setVisible(step in steps)
        self.setVisible(bool(steps))

    def _clicked(self) -> None:
        step = next((step for step, push in self.buttons.items() if push is self.sender()), None)
        if step is not None:
            self.pressed.emit(step)
