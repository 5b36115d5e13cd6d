"""Pairwise selection of texts, fields, layouts and locks: every pair of values occurs at least once. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tests.display.actions.sinks import FIELDS, takes
from tests.display.actions.texts import LAYOUTS, LOCKS, TEXTS, Layout


@dataclasses.dataclass(kw_only=True)
class Section:
    """Texts to type one after the other into one field, with one layout and lock."""

    field: str
    layout: Layout
    lock: str
    texts: list[str] = dataclasses.field(default_factory=list)

    @property
    def conditions(self) -> set[str]:
        """The values that a text is paired with in this section."""
        return {self.field, self.layout.name, self.lock}


def all_pairs() -> list[Section]:
    """Sections by field: each field with every layout, each layout with every lock, and the texts spread over them."""
    locks = list(LOCKS)
    sections = [
        Section(field=name, layout=layout, lock=locks[(index + place) % len(locks)])
        for index, name in enumerate(FIELDS)
        for place, layout in enumerate(LAYOUTS)
    ]
    for text in TEXTS:
        _spread(text, [section for section in sections if takes(section.field, TEXTS[text])])
    return sections


def everything() -> list[Section]:
    """Sections for every combination."""
    return [
        Section(field=name, layout=layout, lock=lock, texts=[text for text in TEXTS if takes(name, TEXTS[text])])
        for name in FIELDS
        for layout in LAYOUTS
        for lock in LOCKS
    ]


def _spread(text: str, sections: Sequence[Section]) -> None:
    """Add the text to sections with the most values it is not yet paired with, shortest first, until all are paired."""
    missing = set().union(*(section.conditions for section in sections))
    while missing:
        best = max(sections, key=lambda section: (len(section.conditions & missing), -len(section.texts)))
        best.texts.append(text)
        missing -= best.conditions
