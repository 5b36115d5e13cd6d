"""What a yes may be widened to: one sentence with a box to tick, and how many of the latest actions it would cover."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from operator_console.domain.decisions import Question
from operator_console.domain.message_texts import worded
from operator_console.ui.widgets.controls import column, label
from operator_console.ui.widgets.wrapped_check_box import WrappedCheckBox


class OfferedPermission(QFrame):
    """Hidden where nothing is offered. A tick alone gives nothing: the yes does.

    Signals:
        ticked_changed: the box was ticked or cleared (no payload).
    """

    ticked_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "offer")
        self._question: Question | None = None
        rows = column(self, spacing=2, margins=(8, 8, 8, 8))
        self.box = WrappedCheckBox("")
        self._share = label(role="secondary", wrap=True)
        self._share.setContentsMargins(28, 0, 0, 0)  # below the text of the box
        rows.addWidget(self.box)
        rows.addWidget(self._share)
        self.box.toggled.connect(self.ticked_changed)
        self.hide()

    @property
    def ticked(self) -> bool:
        """Whether something is offered and ticked."""
        return self._question is not None and self.box.isChecked()

    def show_offer(self, question: Question | None) -> None:
        """Show what a question offers, not ticked where it is another question; None: nothing."""
        offer = question.offer if question is not None else None
        if question is None or offer is None:
            question = None
            self.box.setChecked(False)
        elif self._question is None or question.question_id != self._question.question_id:
            self.box.setChecked(False)
            sentence, share = worded(offer.coverage.sentence), worded(offer.share)
            self.box.setText(sentence.replace("&", "&&"))
            self.box.setAccessibleName(sentence)
            self.box.setAccessibleDescription(share)
            self._share.setText(share)
        self._question = question
        self.setVisible(question is not None)
