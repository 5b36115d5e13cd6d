"""Enter and its chords are judged by the field that has the focus."""

from __future__ import annotations

from operator_console.domain.actions import Chord, TypeText
from operator_console.domain.elements import ElementState, Role
from operator_console.domain.keys import parse_chord
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import assess
from tests.policy.control_examples import BROWSER, PAGE, control, on


def test_enter_in_the_field_of_a_message_sends_it() -> None:
    field = on(control(Role.TEXT_FIELD, "Napište zprávu"), title="Jana")
    assert Category.SEND in assess(TypeText(text="už jdu", submit=True), field).categories
    several = control(Role.TEXT_FIELD, "Message", states=(ElementState.EDITABLE, ElementState.MULTI_LINE))
    newline = Chord(keys=parse_chord("shift+enter"))
    assert assess(newline, on(several, app=BROWSER, title="Chat - Chromium")).risk < RiskClass.C3


def test_the_cell_of_a_notebook_runs_what_is_submitted() -> None:
    cell = on(control(Role.TEXT_FIELD, "Code cell"), **PAGE, typed="!rm -rf data")
    assert Category.TERMINAL in assess(Chord(keys=parse_chord("shift+enter")), cell).categories
