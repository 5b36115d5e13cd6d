"""One proposed call in the side card: a crop at native resolution and the action in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from operator_console.domain.actions import target_point
from operator_console.domain.geometry import NativePoint
from operator_console.engine.wording import action_words
from operator_console.ui.call_words import call_outcome
from operator_console.ui.model import Call
from operator_console.ui.parts import GRID, CropView, label
from operator_console.ui.theme import Tokens, risk_token

Cropper: TypeAlias = Callable[[NativePoint, QSize], QImage | None]
"""Gives the native pixels around a point of the picture that the model was shown."""

LONG = 400
"""A longer text is cut in the card; the tooltip and the dialog have it whole."""


class CallRow(QWidget):
    """The row."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        self._crop = CropView(QSize(96, 72))
        row.addWidget(self._crop, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(2)
        self._title = label(role="strong", wrap=True)
        self._where = label(role="secondary", wrap=True)
        words.addWidget(self._title)
        words.addWidget(self._where)
        words.addStretch(1)
        row.addLayout(words, 1)

    def show_call(self, call: Call, *, numbered: bool, note: str, crop: Cropper, tokens: Tokens) -> None:
        """Another call; `note` is what is special about its turn."""
        words = action_words(call.action, call.label, limit=LONG)
        number = f"{call.index + 1} · " if numbered else ""
        self._title.setText(f"{number}{words.line}")
        parts = [part for part in (words.where, call.proposed.error, call.proposed.note, note) if part]
        if call.granted or call.performed is not None:
            parts.append(call_outcome(call))
        self._where.setText(" · ".join(parts))
        whole = action_words(call.action, call.label, limit=5_000)
        self.setToolTip(whole.line if whole.line != words.line else "")
        point = target_point(call.action) if call.action is not None else None
        if point is None and call.proposed.box is not None:
            point = NativePoint(*call.proposed.box.centre)
        risk = call.assessment.risk if call.assessment else None
        self._crop.set_colours(tokens.line_strong, tokens.stage, risk_token(tokens, risk))
        image = crop(point, self._crop.wanted()) if point is not None else None
        self._crop.show_image(image)
        self._crop.setVisible(image is not None)
