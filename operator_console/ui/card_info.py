"""The card's information: the open calls with their crops, why it is asked, in which window, and the model's words.

Scrolled where there is more than the window has room for, so that the buttons below are always there.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from operator_console.engine.wording import cut, shown_lines
from operator_console.ui.call_row import CallRow, Cropper
from operator_console.ui.model import Call, SessionView
from operator_console.ui.parts import GRID, column, label
from operator_console.ui.theme import Tokens
from operator_console.ui.words import window_words

ROWS = 4


class CardInfo(QScrollArea):
    """The information."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._inner = QWidget()
        self._inner.setProperty("role", "plain")
        self.setWidget(self._inner)
        inside = column(self._inner, spacing=GRID)
        self._rows = [CallRow() for _ in range(ROWS)]
        for row in self._rows:
            inside.addWidget(row)
        self._more = label(role="secondary")
        self._why = label(role="secondary", wrap=True)
        self._says = label("The model says (not verified)", "heading")
        self._quote = label(role="quote", wrap=True)
        for widget in (self._more, self._why, self._says, self._quote):
            inside.addWidget(widget)
        inside.addStretch(1)

    def show_calls(
        self, view: SessionView, calls: tuple[Call, ...], subject: Call | None, turn: str, crop: Cropper, tokens: Tokens
    ) -> None:
        """The open calls; `turn` is what is special about the subject's."""
        numbered = view.step is not None and len(view.step.calls) > 1
        for row, call in zip(self._rows, calls, strict=False):
            row.show_call(call, numbered=numbered, note=turn if call == subject else "", crop=crop, tokens=tokens)
        for place, row in enumerate(self._rows):
            row.setVisible(place < len(calls))
        self._more.setText(f"and {len(calls) - ROWS} more")
        self._more.setVisible(len(calls) > ROWS)
        self.setVisible(bool(calls))
        self._show_reasons(view, subject if calls else None)

    def wanted_height(self, width: int) -> int:
        """What it needs at a width; 0 where it is hidden."""
        layout = self._inner.layout()
        return layout.totalHeightForWidth(width) if layout is not None and not self.isHidden() else 0

    def _show_reasons(self, view: SessionView, subject: Call | None) -> None:
        assessment = subject.assessment if subject is not None else None
        parts = []
        if assessment is not None and (assessment.rule or assessment.reasons):
            parts.append(f"Why: {' '.join(assessment.reasons) or assessment.rule}")
        step = view.step
        if subject is not None and step is not None and step.observed is not None:
            window = window_words(step.observed, view.started.target if view.started else None)
            if window:
                parts.append(f"Window: {cut(window, 80)}")
        self._why.setText(shown_lines(cut("\n".join(parts), 2_000)))
        self._why.setVisible(bool(parts))
        self._show_words(view, subject)

    def _show_words(self, view: SessionView, subject: Call | None) -> None:
        proposed = view.step.proposed if view.step is not None and subject is not None else None
        says = (subject.proposed.intent if subject else "") or (proposed.narration if proposed else "")
        thoughts = proposed.thoughts if proposed else ""
        text = "\n".join(part for part in (says, thoughts if thoughts != says else "") if part)
        self._quote.setText(shown_lines(cut(text, 600)))
        self._quote.setToolTip(shown_lines(cut(text, 5_000)) if len(text) > 600 else "")
        self._quote.setVisible(bool(text))
        self._says.setVisible(bool(text))
