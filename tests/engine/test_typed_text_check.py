"""A field that does not hold what was typed into it: both the model and the person learn what it holds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from operator_console.domain.actions import Action, TypeText
from operator_console.domain.elements import Element, ElementState, Role
from operator_console.domain.events import Warned
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect
from operator_console.engine.turn.typed_text_check import differs, stays_in_field
from tests.engine.rig import Rig, does, rig, said
from tests.fakes.elements import FakeElements

LETTER = WindowInfo(window_id=1, title="Letter", app="Writer", pid=5_000_001, rect=Rect(0, 0, 400, 300))


def field(value: str, role: Role = Role.TEXT_FIELD) -> Element:
    return Element(element_id="e1", role=role, name="Letter", value=value, box=Rect(0, 0, 300, 200))


async def typing(action: Action, *held: str | Element, role: Role = Role.TEXT_FIELD) -> tuple[Rig, str]:
    """A run in which the field holds these texts, one after the other, from the typing on; what the model was told."""
    elements = FakeElements(focus=field("", role))
    r = rig(does(action), said("Done."), elements=elements)
    r.computer.windows, r.computer.focus = [LETTER], LETTER

    def typed(_action: object) -> None:
        elements.focus_values = [each if isinstance(each, Element) else field(each, role) for each in held]

    r.injector.on_act = typed
    await r.run()
    return r, r.model.seen[1].results[0].text


async def test_what_a_field_holds_instead_is_told_to_both() -> None:
    r, told = await typing(TypeText(text="teh cat"), "The cat")
    assert "It now holds: “The cat”" in told
    assert [each.title for each in r.of(Warned)] == ["The field that was typed into does not hold what was typed."]
    assert "“The cat”" in r.of(Warned)[0].detail


async def test_what_was_sent_with_enter_is_not_compared() -> None:
    r, told = await typing(TypeText(text="teh cat", submit=True), "The cat")
    assert "holds" not in told
    assert r.of(Warned) == []


def test_what_leaves_the_field_or_names_a_secret_is_not_compared() -> None:
    assert stays_in_field(TypeText(text="teh cat"))
    for text in ("teh cat\n", "teh\tcat", "{{secret:bank}}", " "):
        assert not stays_in_field(TypeText(text=text))


async def test_a_field_that_is_told_late_or_changes_on_is_no_difference() -> None:
    _, told = await typing(TypeText(text="teh cat"), "te", "teh cat")
    assert "holds" not in told


@pytest.mark.parametrize(
    ("text", "states", "other"),
    [
        ("a\nteh cat", [ElementState.EDITABLE], False),
        ("teh cat\nthe cat", [ElementState.EDITABLE], True),
        ("the cat", [], False),
    ],
)
async def test_a_part_of_a_document_holds_the_last_line_that_was_typed(
    text: str, states: Sequence[ElementState], other: bool
) -> None:
    shown = Element(
        element_id="e1", role=Role.PARAGRAPH, text="teh cat", states=tuple(states), box=Rect(0, 0, 300, 200)
    )  # fmt: skip
    _, told = await typing(TypeText(text=text), shown)
    assert ("It now holds: “teh cat”" in told) is other


@pytest.mark.parametrize("role", [Role.TERMINAL, Role.SPIN_BUTTON])
async def test_only_fields_whose_text_is_told_are_compared(role: Role) -> None:
    _, told = await typing(TypeText(text="teh cat"), "The cat", role=role)
    assert "holds" not in told


@pytest.mark.parametrize(
    ("typed", "clear", "held", "other"),
    [
        ("teh cat", False, "teh cat", False),
        ("cat", False, "the cat sat", False),
        ("cat", True, "the cat sat", True),
        ("exam", True, "example.com", True),
        ("if x:\n    y", False, "if x:\n        y", True),
        ("if x:\n    y", False, "if x: y", False),
        ("a\r\nb", False, "a\nb", False),
        ("a b", False, "a\N{NO-BREAK SPACE}b", False),
        ('"a"', False, "“a”", True),
        ("1234567", False, "1234", True),
        ("gone", False, "", False),
    ],
)  # fmt: skip
def test_a_text_differs(typed: str, clear: bool, held: str, other: bool) -> None:
    assert differs(TypeText(text=typed, clear=clear), held) is other
