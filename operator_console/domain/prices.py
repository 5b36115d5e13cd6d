"""What a model's tokens cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Prices of a million tokens, as the operator entered them; nothing is looked up.

    Attributes:
        input: of input tokens that were not cached.
        output: of output tokens, including those of thinking.
        cached: of input tokens read from a cache; None: as `input`.
        currency: how amounts are written ("USD").
    """

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    currency: str = "USD"
