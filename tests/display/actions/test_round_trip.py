"""Text is text: what real applications received, under every layout and lock. `--full` types the whole product."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from operator_console.domain.actions import TypeText
from tests.display.actions.roundtrip import Trip, square, trips
from tests.display.actions.sinks import SINKS, holds
from tests.display.actions.texts import LAYOUTS, LOCKS, TEXTS
from tests.display.guard.acting import FocusRule, armed
from tests.display.rig import Desktop

APPS = list(SINKS)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("app", APPS)
async def test_pairs_of_texts_layouts_locks_and_applications(
    desktop: Desktop, tmp_path: Path, app: str, full: bool
) -> None:
    if not full:
        pytest.skip("needs --full")
    found: list[Trip] = []
    async with SINKS[app](desktop, tmp_path) as sink:
        for layout, lock, names in square(APPS.index(app)):
            found += await trips(desktop, app, sink, layout, lock, {name: TEXTS[name] for name in names})
    wrong = [str(trip) for trip in found if not trip.right]
    assert not wrong, "\n".join(wrong)
    assert len(found) >= len(LAYOUTS) * 3


def test_the_pairs_leave_none_out() -> None:
    met = [(app, layout.name, lock, name) for i, app in enumerate(APPS) for layout, lock, names in square(i)
           for name in names]  # fmt: skip
    factors: list[Sequence[str]] = [APPS, [layout.name for layout in LAYOUTS], list(LOCKS), list(TEXTS)]
    for one in range(4):
        for other in range(one + 1, 4):
            pairs = {(each[one], each[other]) for each in met}
            assert len(pairs) == len(factors[one]) * len(factors[other]), (one, other)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("app", APPS)
async def test_the_full_product(desktop: Desktop, tmp_path: Path, app: str, full: bool) -> None:
    if not full:
        pytest.skip("needs --full")
    found: list[Trip] = []
    async with SINKS[app](desktop, tmp_path) as sink:
        for layout in LAYOUTS:
            for lock in LOCKS:
                found += await trips(desktop, app, sink, layout, lock, TEXTS)
    print(table(found))
    assert all(trip.right for trip in found), "\n".join(str(trip) for trip in found if not trip.right)


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize("app", ["mousepad", "xterm", "chromium textarea", "qt text edit"])
async def test_ten_thousand_characters(desktop: Desktop, tmp_path: Path, app: str) -> None:
    text = long_text()
    async with SINKS[app](desktop, tmp_path) as sink, armed(desktop) as acting:
        outcome = await acting.do(TypeText(text=text, clear=True), focus=FocusRule())
        got = await holds(sink, acting, text, timeout_s=60)
        assert (outcome.delivered, outcome.total) == (len(text), len(text)), outcome
    assert got == text, _difference(text, got)


def long_text() -> str:
    """10,000 characters of mixed scripts, the same each time."""
    chance = random.Random(7)
    words = [word for text in TEXTS.values() for word in text.split()]
    made = ""
    while len(made) < 10_000:
        made += chance.choice(words) + (" " if chance.random() < 0.9 else "\n")
    return made[:10_000]


def table(found: Sequence[Trip]) -> str:
    """Right of all, by text and layout."""
    lines = [f"\n{found[0].app}: {sum(t.right for t in found)} of {len(found)}"]
    for name in TEXTS:
        right = Counter(t.layout for t in found if t.text == name and t.right)
        count = Counter(t.layout for t in found if t.text == name)
        lines.append(f"  {name:10} " + "  ".join(f"{lay.name} {right[lay.name]}/{count[lay.name]}" for lay in LAYOUTS))
    return "\n".join(lines)


def _difference(wanted: str, got: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(wanted, got, strict=False)) if a != b), min(len(wanted), len(got)))
    return f"{len(got)} of {len(wanted)}; first difference at {at}: {wanted[at : at + 20]!r} -> {got[at : at + 20]!r}"
