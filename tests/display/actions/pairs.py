"""Which texts are typed where, under which layout and lock: every pair of these four at least once. Arithmetic only."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tests.display.actions.sinks import FIELDS, takes
from tests.display.actions.texts import LAYOUTS, LOCKS, TEXTS, Layout


@dataclasses.dataclass(kw_only=True)
class Section:
    """Some texts, one after the other into one field under one layout and lock."""

    field: str
    layout: Layout
    lock: str
    texts: list[str] = dataclasses.field(default_factory=list)

    @property
    def conditions(self) -> set[str]:
        """What a text meets here."""
        return {self.field, self.layout.name, self.lock}


def all_pairs() -> list[Section]:
    """Sections by field: each with every layout once, each layout with every lock, the texts spread over them."""
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
    """The whole product."""
    return [
        Section(field=name, layout=layout, lock=lock, texts=[text for text in TEXTS if takes(name, TEXTS[text])])
        for name in FIELDS
        for layout in LAYOUTS
        for lock in LOCKS
    ]


def _spread(text: str, sections: Sequence[Section]) -> None:
    """Put the text where it meets most that it has not met, and there where least is typed, until it has met all."""
    missing = set().union(*(section.conditions for section in sections))
    while missing:
        best = max(sections, key=lambda section: (len(section.conditions & missing), -len(section.texts)))
        best.texts.append(text)
        missing -= best.conditions
