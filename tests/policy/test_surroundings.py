"""Buttons that no table knows are judged by what stands around them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.policy.control_examples import asks, button


@pytest.mark.parametrize(
    "changed",
    [
        {"nearby": ("Comfort, 4 min away, £11.37",)}, {"title": "Approve payments - Chromium"},
        {"url": "https://bank.example/1"}, {"url": "https://shop.example/1"}, {"nearby": ("Password",)},
        {"title": "Firewall - Chromium"}, {"nearby": ("Cancel",)},
        {"nearby": ("Once you go on, this cannot be undone by anybody.",)},
    ],
    ids=str,
)  # fmt: skip
def test_a_button_that_no_table_knows_asks_by_what_stands_around_it(changed: dict[str, Any]) -> None:
    assert asks(button("Qwxyz", **changed))
    assert not asks(button("Qwxyz"))


@pytest.mark.parametrize(
    "label", ["View details", "Sort by price", "In den Warenkorb", "Voir les avis", "詳細を見る", "7", "+", "…"]
)
def test_a_button_that_carries_nothing_out_runs_in_a_shop(label: str) -> None:
    assert not asks(button(label, url="https://shop.example/1", nearby=("89,00 €",)))
