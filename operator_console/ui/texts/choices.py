"""Texts of questions with choices in the side card."""

from __future__ import annotations

ANSWER_SOON = "Answers open after a second on the screen."
