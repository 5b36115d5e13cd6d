"""What tokens cost, and how amounts are kept and written."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.codec import CodecError, canonical, decode, encode
from operator_console.domain.prices import Money, Price, cost, money_text, total
from operator_console.domain.proposals import Usage

PRICE = Price(input=Decimal(3), output=Decimal(15), cached=Decimal("0.30"))
COUNTS = st.none() | st.integers(0, 10**9)


def amount(usage: Usage, price: Price = PRICE) -> Decimal:
    money = cost(usage, price)
    assert money is not None
    assert money.currency == price.currency
    return money.amount


@pytest.mark.parametrize(
    ("usage", "price", "dollars"),
    [
        (Usage(input_tokens=1_000_000), PRICE, "3"),
        (Usage(input_tokens=1_000_000, cached_tokens=900_000), PRICE, "0.57"),
        (Usage(input_tokens=1_000_000, cached_tokens=900_000), Price(input=Decimal(3), output=Decimal(15)), "3"),
        (Usage(input_tokens=100, output_tokens=1_000_000), PRICE, "15.0003"),
        (Usage(output_tokens=400_000, thought_tokens=600_000), PRICE, "15"),
        (Usage(input_tokens=1_000_000, image_tokens=1_000_000), PRICE, "3"),
        (Usage(input_tokens=1_000_000, cache_write_tokens=1_000_000), PRICE, "3.75"),
        (Usage(input_tokens=1_000_000, cache_write_tokens=400_000, cached_tokens=500_000), PRICE, "1.95"),
        (
            Usage(input_tokens=1_000_000, cache_write_tokens=1_000_000),
            Price(input=Decimal(3), output=Decimal(15), cache_write=Decimal(3)),
            "3",
        ),
        (Usage(input_tokens=10, cached_tokens=1_000_000, cache_write_tokens=1_000_000), PRICE, "0.000003"),
    ],
    ids=str,
)
def test_each_kind_has_its_price(usage: Usage, price: Price, dollars: str) -> None:
    assert amount(usage, price) == Decimal(dollars)


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=0, output_tokens=0, cached_tokens=0, thought_tokens=0)])
def test_what_is_not_reported_has_no_cost(usage: Usage) -> None:
    assert not usage.reported
    assert cost(usage, PRICE) is None


@given(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS)
def test_a_cost_is_never_negative_nor_above_all_input_at_the_highest_price(
    taken: int | None, given_back: int | None, cached: int | None, thought: int | None, written: int | None
) -> None:
    usage = Usage(
        input_tokens=taken,
        output_tokens=given_back,
        cached_tokens=cached,
        thought_tokens=thought,
        cache_write_tokens=written,
    )
    if usage.reported:
        most = (taken or 0) * Decimal("3.75") + ((given_back or 0) + (thought or 0)) * Decimal(15)
        assert 0 <= amount(usage) <= most / 1_000_000


def test_a_sum_keeps_what_is_not_reported_apart_from_zero() -> None:
    one = Usage(input_tokens=5, output_tokens=2, cached_tokens=0)
    other = Usage(input_tokens=7, output_tokens=1, image_tokens=6)
    assert one + other == Usage(input_tokens=12, output_tokens=3, cached_tokens=0, image_tokens=6)
    assert (one + other).total_tokens == 15
    assert Usage() + Usage() == Usage()


def test_amounts_are_summed_by_currency() -> None:
    amounts = [
        Money(amount=Decimal(text), currency=name) for text, name in [("0.1", "USD"), ("1", "EUR"), ("0.2", "USD")]
    ]
    assert total(amounts) == (
        Money(amount=Decimal("0.3"), currency="USD"),
        Money(amount=Decimal(1), currency="EUR"),
    )
    assert total([]) == ()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0", "0.00"),
        ("1234.5", "1,234.50"),
        ("1", "1.00"),
        ("0.1", "0.10"),
        ("0.099", "0.099"),
        ("0.0421", "0.042"),
        ("0.00421", "0.0042"),
        ("0.0000004", "0.000000"),
    ],
)
def test_an_amount_is_written_with_two_digits_that_count(text: str, shown: str) -> None:
    assert money_text(Money(amount=Decimal(text), currency="EUR")) == f"{shown} EUR"


def test_amounts_stay_exact_in_a_record() -> None:
    price = Price(input=Decimal("0.075"), output=Decimal("1E+1"), currency="€")
    back: Price = decode(Price, encode(price))
    assert back == price
    assert encode(price)["input"] == "0.075"
    assert canonical(price) == canonical(back)


@pytest.mark.parametrize("data", [1, 0.5, True, "", "1,5", "NaN", "Infinity", "1" * 100, ["1"]])
def test_what_is_no_amount_is_not_decoded(data: object) -> None:
    with pytest.raises(CodecError):
        decode(Decimal, data)


def test_what_is_no_amount_is_not_encoded() -> None:
    with pytest.raises(CodecError):
        encode(Decimal("NaN"))
