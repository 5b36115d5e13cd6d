"""Identity, bank numbers and secrets: found by their check digits, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.risk import Category
from operator_console.policy.commands import command_findings
from operator_console.policy.findings import OVERLAP, WINDOW
from operator_console.policy.text_content import personal_data

CARDS = ("4111111111111111", "5500-0000-0000-0004", "3400 0000 0000 009", "6011000000000004")
OTHERS = (
    "GB82 WEST 1234 5698 7654 32", "PL61109010140000071219812874", "FR7630006000011234567890189", "219-09-9999",
    "11010519491231002X", "2 55 08 14 168 025 38".replace(" ", ""), "02070803628",
)  # fmt: skip
HARMLESS = (
    "4111111111111112", "GB82 WEST 1234 5698 7654 33", "000-12-3456", "12345678901", "2026-11-21 13:20:20",
    "v1.2.3.4-5678", "+48 22 123 45 67", "0000000000000000", "3.14159265358979", "110105194912310021",
)  # fmt: skip


@pytest.mark.parametrize("text", [*CARDS, *OTHERS])
def test_found(text: str) -> None:
    assert personal_data(f"it is {text}, please")[0][0] is Category.PERSONAL_DATA


@pytest.mark.parametrize("text", HARMLESS)
def test_not_found(text: str) -> None:
    assert personal_data(f"it is {text}, please") == ()


@pytest.mark.parametrize("place", [WINDOW - n for n in (30, 17, 16, 10, OVERLAP + 5)])
def test_found_wherever_it_stands_in_a_long_text(place: int) -> None:
    """Also across the end of a window, and only where the whole number is a card's."""
    text = "x" * place + " 4111111111111111 " + "x" * WINDOW
    assert personal_data(text) == ((Category.PERSONAL_DATA, "a card number"),)
    longer = "x" * place + " 41111111111111114111 " + "x" * WINDOW
    assert personal_data(longer) == ()


def test_a_command_too_long_to_be_judged_is_always_asked() -> None:
    found = command_findings("echo " + "x" * 2 * WINDOW)
    assert [(finding.rule, finding.category) for finding in found] == [("command-too-long", Category.SECURITY)]


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    personal_data(text)
    command_findings(text)


@given(st.from_regex(r"[1-9][0-9]{14}", fullmatch=True))
def test_exactly_one_last_digit_makes_a_card_number(digits: str) -> None:
    cards = [d for d in "0123456789" if any(what == "a card number" for _, what in personal_data(digits + d))]
    assert len(cards) == (1 if len(set(digits)) > 1 or cards else 0)
