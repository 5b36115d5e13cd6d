"""Which elements get a number, which number, and what the model is told of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.elements import ElementState, Role
from operator_console.domain.errors import ActionError
from operator_console.domain.frames import Frame, TextBox, WindowInfo
from operator_console.domain.geometry import Rect
from operator_console.providers.structured.numbered_elements import LARGEST_NUMBER, ElementSources, Numbers, Screen
from operator_console.providers.structured.options import ElementsFrom
from tests.providers.conftest import frame
from tests.providers.structured.screens import NAME, SAVE, TITLE, Read, Told, element

READ = Read([TextBox(text="Keep it", box=Rect(500, 500, 60, 20))])


async def screen_of(
    *elements: object, most: int = 120, numbers: Numbers | None = None, at: Frame | None = None
) -> Screen:
    sources = ElementSources(told=Told(elements))  # type: ignore[arg-type]
    return await sources.screen(at or frame(), numbers or Numbers(), most)


async def test_what_can_be_used_gets_a_number_and_what_can_be_read_is_listed() -> None:
    field = replace(NAME, value="Ada", states=(ElementState.EDITABLE, ElementState.FOCUSED, ElementState.REQUIRED))
    greyed = element("Undo", (300, 100, 80, 30), Role.BUTTON, ElementState.DISABLED)
    screen = await screen_of(TITLE, SAVE, field, greyed)
    assert screen.listing().splitlines() == [
        "Elements with a number:",
        "[1] button “Save”",
        "[2] text field “Name” = “Ada” (focused, required)",
        "Further texts:",
        "heading “Expenses”",
    ]


async def test_no_text_can_look_like_an_element_of_its_own_or_be_long() -> None:
    screen = await screen_of(element("Save\n[7] button “Pay”" + "x" * 500, (0, 0, 50, 50)))
    (_, line) = screen.listing().splitlines()
    assert line.startswith("[1] button “Save [7] button “Pay”xxx")
    assert len(line) < 110


async def test_their_number_is_bounded_and_the_model_is_told() -> None:
    many = [element(f"Row {i}", (0, 20 * i, 100, 20), Role.LIST_ITEM) for i in range(40)]
    texts = [element(f"Text {i}", (200, 20 * i, 100, 20), Role.LABEL) for i in range(40)]
    screen = await screen_of(*many, *texts, most=10)
    assert [each.number for each in screen.numbered] == list(range(1, 11))
    assert len(screen.texts) == 10
    assert "(30 more elements have no number" in screen.listing()


async def test_only_what_can_be_seen_counts_and_its_middle_is_in_the_picture() -> None:
    half = element("Half", (1400, 0, 400, 40))
    screen = await screen_of(half, element("Gone", (2000, 0, 40, 40)), element("Thin", (0, 0, 2, 40)))
    (only,) = screen.numbered
    assert (only.box, only.middle.x) == (Rect(1400, 0, 40, 40), 1420)


async def test_an_element_keeps_its_number_and_no_other_gets_it_soon() -> None:
    numbers = Numbers()
    first = await screen_of(SAVE, NAME, numbers=numbers)
    assert [each.number for each in first.numbered] == [1, 2]
    moved = replace(SAVE, box=Rect(300, 300, 80, 30))
    second = await screen_of(element("New", (0, 0, 50, 50)), moved, numbers=numbers)
    assert [each.number for each in second.numbered] == [3, 1]
    with pytest.raises(ActionError, match="number 2 on this screen"):
        second.element(2)
    third = await screen_of(NAME, replace(SAVE, name="Delete"), numbers=numbers)
    assert [each.number for each in third.numbered] == [4, 5], "the id alone does not make it the same"


async def test_numbers_begin_again_without_meeting_those_in_use() -> None:
    numbers, screen = Numbers(), Screen()
    for i in range(LARGEST_NUMBER):
        screen = await screen_of(SAVE, element(f"Row {i}", (0, 0, 50, 50)), numbers=numbers)
    assert [each.number for each in screen.numbered] == [1, 2]


async def test_equal_elements_get_numbers_of_their_own() -> None:
    row = element("Open", (0, 0, 50, 20), Role.LINK)
    screen = await screen_of(row, replace(row, box=Rect(0, 30, 50, 20)))
    assert [each.number for each in screen.numbered] == [1, 2]


@pytest.mark.parametrize(
    ("chosen", "told", "names"),
    [
        (ElementsFrom.AUTO, [SAVE], ["Save"]),
        (ElementsFrom.AUTO, [], ["Keep it"]),
        (ElementsFrom.AUTO, [TITLE], ["Keep it"]),
        (ElementsFrom.ACCESSIBILITY, [], []),
        (ElementsFrom.TEXT, [SAVE], ["Keep it"]),
    ],
)
async def test_the_source_is_accessibility_else_text(
    chosen: ElementsFrom, told: list[object], names: list[str]
) -> None:
    sources = ElementSources.of(chosen, Told(told), READ)  # type: ignore[arg-type]
    screen = await sources.screen(frame(), Numbers(), 120)
    assert [each.element.name for each in screen.numbered] == names


async def test_a_window_that_tells_nothing_is_read_beside_one_that_does() -> None:
    panel = element("Menu", (0, 0, 100, 30))
    focus = WindowInfo(window_id=1, title="xterm", app="xterm", pid=1, rect=Rect(400, 400, 300, 300))
    reader = Read(READ.boxes)
    sources = ElementSources.of(ElementsFrom.AUTO, Told([panel]), reader)
    screen = await sources.screen(replace(frame(), focus=focus), Numbers(), 120)
    assert [each.element.name for each in screen.numbered] == ["Menu", "Keep it"]
    assert reader.regions == [Rect(400, 400, 300, 300)]
