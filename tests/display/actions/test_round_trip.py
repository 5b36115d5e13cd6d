"""Text arrives exactly in real applications, with every layout and lock. `--full` types every combination."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

from operator_console.domain.actions import TypeText
from tests.display.actions.pairs import Section, all_pairs, everything
from tests.display.actions.roundtrip import Trip, choose, table, trips
from tests.display.actions.sinks import APPLICATIONS, FIELDS, holds, takes
from tests.display.actions.texts import LAYOUTS, LOCKS, TEXTS
from tests.display.guard.acting import FocusRule, armed
from tests.display.rig import Desktop
from tests.display.rig.xkb_locks import set_locks

IN_EACH_RUN = ("mousepad", "qt text", "xterm")
"""One of each toolkit. Chromium: browser/test_hand.py and on_page/test_keys.py."""


async def typed(desktop: Desktop, folder: Path, app: str, sections: Sequence[Section]) -> list[Trip]:
    """All sections of one application's fields.

    The application and the session are started once; layouts are changed meanwhile. At the end the keyboard map must be
    the last layout's.
    """
    found: list[Trip] = []
    mapping = desktop.keyboard_mapping()
    try:
        async with APPLICATIONS[app](desktop, folder) as sinks, armed(desktop) as acting:
            for section in sections:
                if section.field in sinks:
                    mapping = await asyncio.to_thread(choose, desktop, section)
                    found += await trips(acting, sinks[section.field], section)
        assert desktop.keyboard_mapping() == mapping
    finally:
        set_locks(desktop.name, LOCKS["plain"])
    return found


def assert_all_right(found: Sequence[Trip]) -> None:
    assert found
    wrong = [str(trip) for trip in found if not trip.right]
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    "app", [app if app in IN_EACH_RUN else pytest.param(app, marks=pytest.mark.full) for app in APPLICATIONS]
)
async def test_pairs_of_texts_layouts_locks_and_fields(desktop: Desktop, tmp_path: Path, app: str) -> None:
    assert_all_right(await typed(desktop, tmp_path, app, all_pairs()))


def test_the_pairs_leave_none_out() -> None:
    met = [{"field": s.field, "layout": s.layout.name, "lock": s.lock, "text": t} for s in all_pairs() for t in s.texts]
    values = {
        "field": list(FIELDS),
        "layout": [each.name for each in LAYOUTS],
        "lock": list(LOCKS),
        "text": list(TEXTS),
    }
    for one, other in combinations(values, 2):
        wanted = {(a, b) for a in values[one] for b in values[other]}
        if (one, other) == ("field", "text"):
            wanted = {(field, text) for field, text in wanted if takes(field, TEXTS[text])}
        assert {(each[one], each[other]) for each in met} == wanted, (one, other)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("app", APPLICATIONS)
async def test_the_full_product(desktop: Desktop, tmp_path: Path, app: str) -> None:
    found = await typed(desktop, tmp_path, app, everything())
    print("\n" + table(found))
    assert_all_right(found)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("field", FIELDS)
async def test_a_long_text(desktop: Desktop, tmp_path: Path, field: str) -> None:
    """In each run: injector/keyboard/test_typist.py."""
    text = long_text(field, 10_000)
    app = next(app for app in APPLICATIONS if field.startswith(app))
    async with APPLICATIONS[app](desktop, tmp_path) as sinks, armed(desktop) as acting:
        sink = sinks[field]
        if sink.ready is not None:
            await sink.ready()
        typed = TypeText(text=text, clear=True, submit=sink.always_submit)
        outcome = await acting.do(typed, focus=FocusRule(), terminal=sink.terminal)
        got = await holds(sink, acting, text, timeout_s=60)
        assert (outcome.delivered, outcome.total) == (len(text), len(text)), outcome
    assert got == text, _difference(text, got)


def long_text(field: str, length: int) -> str:
    """That many characters of mixed scripts, always the same."""
    chance = random.Random(7)
    words = [word for text in TEXTS.values() for word in text.split() if takes(field, word)]
    between = [" "] * 9 + [mark for mark in "\n" if takes(field, mark)]
    made = ""
    while len(made) < length:
        made += chance.choice(words) + chance.choice(between)
    return made[:length].rstrip("\n").ljust(length, ".")


def _difference(wanted: str, got: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(wanted, got, strict=False)) if a != b), min(len(wanted), len(got)))
    return f"{len(got)} of {len(wanted)}; first difference at {at}: {wanted[at : at + 20]!r} -> {got[at : at + 20]!r}"
