"""Texts of questions with choices in the side card."""

from __future__ import annotations

ANSWER_SOON = "Answers open after a second on the screen."
ANSWER_BY_KEYBOARD = "By keyboard: Tab, then Ctrl+Enter."
ASKED_THEN = "This question was asked when the record was made."
DECLINE_TIP = "The model is told that you declined"
CLICK_A_BOX = f"Click a choice here, or its numbered box in the preview. {ANSWER_BY_KEYBOARD}"
