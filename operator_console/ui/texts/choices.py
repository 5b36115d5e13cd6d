"""Texts of questions with choices in the side card."""

from __future__ import annotations

CLICK_A_BOX = "Click a choice here, or its numbered box in the preview. By keyboard: Tab, then Ctrl+Enter."
