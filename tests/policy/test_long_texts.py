"""Texts of any length are judged in time that grows with their length only: a quadratic search would time out here."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Action, Click, Launch, Navigate, TypeText
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.policy import PolicyContext, assess
from tests.policy.control_examples import asking, control, on

LENGTH = 50_000
PIECES = ("a ", "1", "* ", "/../", "how to ", "x\n", "4 ", "é", "?", "€1", "terminal ", "•", "\\", "a.")


@pytest.mark.timeout(30)  # a hundred times as long as it takes
@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_is_judged(piece: str) -> None:
    text = (piece * LENGTH)[:LENGTH]
    button = control(name=text[:2_000], dialog=asking(text[:2_000], text, text[:100]))
    rows: list[tuple[Action, PolicyContext]] = [
        (TypeText(text=text, submit=True), PolicyContext(app="XTerm", typed=text[:4_000])),
        (TypeText(text=text), PolicyContext(app="mousepad", title="Save As", held=(Key("ctrl"),))),
        (TypeText(text=text, submit=True), PolicyContext(app="Code", title=text)),
        (Click(at=NativePoint(1, 1)), PolicyContext(app="Chromium", title=text, label=text, nearby=(text,), url=text)),
        (Click(at=NativePoint(1, 1)), on(button, intent=text, nearby=(text, text))),
        (Navigate(url=text), PolicyContext(app="Chromium", url=text)),
        (Launch(app=text), PolicyContext()),
    ]
    for action, context in rows:
        found = assess(action, context)
        assert found.rule and found.reasons
        assert all(len(reason) < 50_000 for reason in found.reasons)
