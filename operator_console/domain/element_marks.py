"""Numbered boxes around elements, drawn alike on the picture that a model is sent and on the console's preview."""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.geometry import Rect

MARK_COLOURS = ("#a3195b", "#0b57a4", "#8a3b00", "#0b6b3a", "#5b2ca0")
"""Of boxes and, with white digits on them, of their tags; a mark's number selects one. White has a contrast of at least
6:1 on each, and a white line beside the coloured one keeps boxes visible on dark pictures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementMark:
    """One numbered box. All places are native pixels of the frame.

    Attributes:
        number: from 1, unique on its frame; by it the model names the element.
        box: what can be seen of the element.
        tag: where the number is written.
        words: role and name of the element.
    """

    number: int
    box: Rect
    tag: Rect
    words: str

    @property
    def colour(self) -> str:
        """Its colour, as #rrggbb."""
        return MARK_COLOURS[self.number % len(MARK_COLOURS)]
