"""What a model's tokens cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from operator_console.domain.proposals import Usage

_MILLION = Decimal(1_000_000)
_CACHE_WRITE_FACTOR = Decimal("1.25")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Prices of a million tokens, as the operator entered them; nothing is looked up.

    Attributes:
        input: of input tokens that were not cached.
        output: of output tokens, including those of thinking.
        cached: of input tokens read from a cache; None: as `input`.
        currency: how amounts are written ("USD").
        cache_write: of input tokens written to a cache; None: 1.25 times `input`, which is what Anthropic bills for its
            five-minute cache. Services that bill nothing extra do not report such tokens, or cost less than shown.
    """

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    currency: str = "USD"
    cache_write: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount with its currency."""

    amount: Decimal
    currency: str


def cost(usage: Usage, price: Price) -> Money | None:
    """The cost of these tokens; None if none are reported.

    What is not reported apart costs as much as the rest: where it is not known how much of the input was cached, all of
    it counts as not cached. So the amount is rather too high than too low.
    """
    if not usage.reported:
        return None
    whole = usage.input_tokens or 0
    read = min(usage.cached_tokens or 0, whole)
    written = min(usage.cache_write_tokens or 0, whole - read)
    per_read = price.input if price.cached is None else price.cached
    per_written = price.input * _CACHE_WRITE_FACTOR if price.cache_write is None else price.cache_write
    output = (usage.output_tokens or 0) + (usage.thought_tokens or 0)
    amount = (whole - read - written) * price.input + read * per_read + written * per_written + output * price.output
    return Money(amount=amount / _MILLION, currency=price.currency)


def total(amounts: Iterable[Money]) -> tuple[Money, ...]:
    """The sum for each currency, in the order in which the currencies first occur."""
    sums: dict[str, Decimal] = {}
    for money in amounts:
        sums[money.currency] = sums.get(money.currency, Decimal(0)) + money.amount
    return tuple(Money(amount=amount, currency=currency) for currency, amount in sums.items())


def money_text(money: Money) -> str:
    """ "12.40 USD"; below a tenth with two digits that count: "0.0042 USD"."""
    amount = money.amount
    places = 2
    while places < 6 and 0 < amount < Decimal(10) ** (1 - places):
        places += 1
    return f"{amount:,.{places}f} {money.currency}"
