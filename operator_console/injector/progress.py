"""How much of an action has been sent, and by which method its characters were typed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from operator_console.desktop.ledger import Ledger, Word


class Method(StrEnum):
    """How a character was typed. The values are the words of the record."""

    MAPPED = "mapped keys"
    LENT = "temporary mapping"
    COMMITTED = "input method"
    PASTED = "clipboard paste"


METHODS = tuple(Method)
"""The order in which the ledger counts the methods."""


class MethodCounts(Counter[Method]):
    """Number of characters typed by each method."""

    @classmethod
    def of(cls, numbers: Iterable[int]) -> MethodCounts:
        """Build the counts from numbers in the order of METHODS."""
        return cls(dict(zip(METHODS, numbers, strict=False)))

    def __str__(self) -> str:
        """Only the method if there is one ("mapped keys"), else each method with its number of characters."""
        used = [(method, self[method]) for method in METHODS if self[method]]
        if len(used) == 1:
            return used[0][0].value
        return ", ".join(f"{method.value} {number}" for method, number in used)


@dataclass(slots=True, kw_only=True)
class Progress:
    """Progress of the current action. It is mirrored in the ledger, which outlives a killed injector.

    Attributes:
        way: how an element was used; "" for other actions. Not mirrored.
    """

    ledger: Ledger
    delivered: int = 0
    total: int = 0
    methods: MethodCounts = field(default_factory=MethodCounts)
    way: str = ""

    def __post_init__(self) -> None:
        self.count(self.delivered, self.total)
        for index in range(len(METHODS)):
            self.ledger.set_typed(index, 0)

    def count(self, delivered: int, total: int) -> None:
        """Set how many of how many units (characters, clicks, steps) have been sent."""
        self.delivered, self.total = delivered, total
        self.ledger.set(Word.DELIVERED, delivered)
        self.ledger.set(Word.TOTAL, total)

    def typed(self, method: Method, characters: int = 1) -> None:
        """Add characters that were sent by this method."""
        self.methods[method] += characters
        self.ledger.set_typed(METHODS.index(method), self.methods[method])
        self.count(self.delivered + characters, self.total)
