"""The runbook provider on accessible elements: what each name means, and when the picture is read as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from operator_console.domain.actions import AskOperator, Click, Drag, Finish, TypeText, Wait
from operator_console.domain.elements import Element, ElementState, Role
from operator_console.domain.frames import Frame, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.proposals import Brief
from operator_console.providers.runbook.provider import RunbookProvider
from tests.providers.runbook.test_provider import Screen, Stage, text


@dataclass
class Told:
    """An application that tells these elements."""

    elements: Sequence[Element] = ()

    async def visible(self, frame: Frame) -> Sequence[Element]:
        return self.elements

    async def listed(self, frame: Frame) -> Sequence[Element]:
        return self.elements


@dataclass
class ToldStage(Stage):
    """A provider that asks for elements first; `screen` None: it cannot read."""

    told: Told | None = None
    reads: bool = True

    def __post_init__(self) -> None:
        self.provider = RunbookProvider(self.screen if self.reads else None, self.told, patience_s=10)
        self.provider.begin(Brief(task=self.task, instruction="", history=self.history))


def stage(task: str, *elements: Element, screen: Screen | None = None, reads: bool = True) -> ToldStage:
    return ToldStage(task, screen or Screen(), told=Told(elements), reads=reads)


def element(role: Role, name: str, box: Rect, *states: ElementState, **more: str) -> Element:
    return replace(Element(element_id=f"{role} {name} {box}", role=role, name=name, box=box, states=states), **more)  # type: ignore[arg-type]


SAVE = element(Role.BUTTON, "Save", Rect(100, 100, 80, 30))
CITY = element(Role.TEXT_FIELD, "City", Rect(100, 90, 200, 32), ElementState.EDITABLE)


async def test_a_click_lands_in_the_middle_of_the_control_and_nothing_is_read() -> None:
    played = stage('click "Save"', SAVE)
    assert await played.turn() == Click(at=NativePoint(140, 115))
    assert played.call is not None
    assert (played.call.box, played.call.intent) == (SAVE.box, "line 1: click “Save”")
    assert isinstance(await played.turn(), Finish)
    assert played.screen.reads == 0


@pytest.mark.parametrize(
    ("task", "centre"),
    [
        ('click button "Save"', NativePoint(140, 115)),
        ('click link "save"', NativePoint(340, 110)),
        ('click heading "Save"', NativePoint(340, 310)),
        ('click "Save"', None),
    ],
)
async def test_the_role_tells_controls_of_one_name_apart(task: str, centre: NativePoint | None) -> None:
    link = element(Role.LINK, "Save", Rect(300, 100, 80, 20))
    heading = element(Role.HEADING, "Save", Rect(300, 300, 80, 20))
    action = await stage(task, heading, SAVE, link).turn()
    if centre is not None:
        assert action == Click(at=centre)
        return
    assert isinstance(action, AskOperator)
    assert action.question == "“Save” appears 2 times. Which one is meant?"
    labels = [choice.label.split(", at")[0] for choice in action.choices]
    assert labels == ["button “Save”", "link “Save”"], "a heading of that name is no control"


async def test_two_controls_of_one_role_and_name_are_asked_about_and_near_decides() -> None:
    other = element(Role.BUTTON, "Save", Rect(100, 400, 80, 30))
    sketch = element(Role.LABEL, "Sketch", Rect(100, 380, 80, 15))
    asked = stage('click button "Save"', SAVE, other, sketch)
    question = await asked.turn()
    assert isinstance(question, AskOperator)
    assert question.question == "Button “Save” appears 2 times. Which one is meant?"
    assert "Sketch" in question.choices[1].label
    assert await asked.turn(output="1") == Click(at=NativePoint(140, 415))
    near = stage('click button "Save" near "Sketch"', SAVE, other, sketch)
    assert await near.turn() == Click(at=NativePoint(140, 415))


@pytest.mark.parametrize("name", ["Select All Ctrl+A", "Select All Strg+A", "Select all F3", "Select All Ctrl+Shift++"])
async def test_an_entry_is_found_without_the_keys_behind_its_name(name: str) -> None:
    entry, other = element(Role.MENU_ITEM, name, SAVE.box), element(Role.MENU_ITEM, "Select Ctrl+D", CITY.box)
    assert await stage('click menu item "Select All"', other, entry).turn() == Click(at=NativePoint(140, 115))
    whole = element(Role.MENU_ITEM, "Select All", CITY.box)
    assert await stage('click menu item "Select All"', entry, whole).turn() == Click(at=NativePoint(200, 106))


@pytest.mark.parametrize("name", ["Select All F", "Select All 1+1=2+", "Select All in Ctrl", "Ctrl+A"])
async def test_other_words_behind_the_name_of_an_entry_count(name: str) -> None:
    entry = element(Role.MENU_ITEM, name, SAVE.box)
    assert not isinstance(await stage('click menu item "Select All"', entry, reads=False).turn(), Click)


async def test_keys_behind_the_name_of_a_button_count() -> None:
    button = element(Role.BUTTON, "Select All Ctrl+A", SAVE.box)
    assert not isinstance(await stage('click button "Select All"', button, reads=False).turn(), Click)


async def test_the_caption_inside_a_control_and_the_row_around_it_are_not_others() -> None:
    caption = element(Role.LABEL, "Save", Rect(110, 105, 60, 20))
    row = element(Role.LIST_ITEM, "Save", Rect(0, 95, 400, 40))
    assert await stage('click "Save"', row, SAVE, caption).turn() == Click(at=NativePoint(140, 115))


async def test_a_check_box_wider_than_its_text_is_clicked_at_its_mark() -> None:
    wide = element(Role.CHECK_BOX, "Remember", Rect(100, 100, 400, 20))
    assert await stage('click check box "Remember"', wide).turn() == Click(at=NativePoint(110, 110))
    hebrew = element(Role.CHECK_BOX, "זכור", Rect(100, 100, 400, 20))
    assert await stage('click "זכור"', hebrew).turn() == Click(at=NativePoint(489, 110))


async def test_check_and_uncheck_click_only_where_the_state_is_another_one() -> None:
    off = element(Role.CHECK_BOX, "Remember", Rect(100, 100, 20, 20))
    on = replace(off, states=(ElementState.CHECKED,))
    for task, click in (("check", off), ("uncheck", on)):
        assert await stage(f'{task} box "Remember"', click).turn() == Click(at=NativePoint(110, 110))
    for task, done in (("check", on), ("uncheck", off)):
        played = stage(f'{task} "Remember"', done)
        assert isinstance(await played.turn(), Finish)
        assert "already" in played.proposal.narration


async def test_without_elements_the_state_of_a_check_box_is_not_guessed() -> None:
    action = await stage('check "Remember"', screen=Screen([text("Remember", 10, 10)])).turn()
    assert isinstance(action, Finish)
    assert not action.success
    assert "Line 1: Whether “Remember” is checked cannot be seen" in action.message


async def test_typing_goes_into_the_field_by_its_name_or_by_what_labels_it() -> None:
    label = element(Role.LABEL, "City", Rect(10, 95, 60, 20))
    labelled = replace(CITY, name="", label="City:")
    for field in (CITY, labelled):
        played = stage('type "Oslo" into "City"; replace "City" with "Rome"', label, field)
        assert await played.turn() == TypeText(text="Oslo", at=NativePoint(250, 106))
        assert await played.turn() == TypeText(text="Rome", at=NativePoint(250, 106), clear=True)
        assert played.screen.reads == 0


async def test_a_field_of_several_lines_is_clicked_low() -> None:
    notes = element(Role.TEXT_FIELD, "Notes", Rect(0, 0, 100, 80), ElementState.EDITABLE, ElementState.MULTI_LINE)
    assert await stage('type "x" into "Notes"', notes).turn() == TypeText(text="x", at=NativePoint(75, 60))


async def test_a_label_without_a_relation_finds_the_field_of_the_picture() -> None:
    label = element(Role.LABEL, "City", Rect(10, 95, 60, 20))
    screen = Screen(fields={(10, 95): Rect(100, 90, 200, 32)})
    action = await stage('type "Oslo" into "City"', label, screen=screen).turn()
    assert action == TypeText(text="Oslo", at=NativePoint(250, 106))
    assert screen.reads == 0


async def test_texts_of_elements_are_expected_and_waited_for_without_reading() -> None:
    status = element(Role.LABEL, "Saved 2 times", Rect(0, 0, 90, 15))
    played = stage('wait for "saved 2 times"; expect "2 times"; wait for button "Save"', status, SAVE)
    assert isinstance(await played.turn(), Finish)
    assert "Line 1: button “Save” is on the screen." in played.proposal.narration
    assert played.screen.reads == 0


async def test_a_drag_may_start_on_an_element_and_end_on_a_text_that_was_read() -> None:
    played = stage('drag "Save" to "Bin"', SAVE, screen=Screen([text("Bin", 300, 300)]))
    assert isinstance(await played.turn(), Wait)
    assert await played.turn() == Drag(path=(NativePoint(140, 115), NativePoint(312, 306)))


async def test_the_picture_is_read_when_the_elements_lack_a_text_at_the_second_look() -> None:
    screen = Screen([text("Drawn", 10, 10)])
    played = stage('click "Drawn"', SAVE, screen=screen)
    assert isinstance(await played.turn(), Wait)
    assert screen.reads == 0, "it may appear with a delay"
    assert await played.turn() == Click(at=NativePoint(30, 16))


async def test_an_application_that_tells_nothing_is_read_at_once() -> None:
    assert await stage('click "Drawn"', screen=Screen([text("Drawn", 10, 10)])).turn() == Click(at=NativePoint(30, 16))


async def test_a_role_is_never_taken_from_the_picture_where_elements_are_known() -> None:
    screen = Screen([text("Pay", 10, 10)])
    played = stage('click button "Pay"', SAVE, screen=screen)
    action = await played.turn()
    while isinstance(action, Wait):
        played.worked_s += action.duration_s
        action = await played.turn()
    assert isinstance(action, Finish)
    assert action.message == "Line 1: button “Pay” is not on the screen (searched for 10 s)."
    assert screen.reads == 0


async def test_where_nothing_is_told_a_role_is_left_open_and_that_is_said() -> None:
    played = stage('click button "Pay"', screen=Screen([text("Pay", 10, 10)]))
    assert await played.turn() == Click(at=NativePoint(22, 16))
    assert played.call is not None
    assert "was not checked" in played.call.note


async def test_elements_alone_are_enough() -> None:
    played = stage('click button "Save"; click "Nowhere"', SAVE, reads=False)
    assert isinstance(await played.turn(), Click)
    action = await played.turn()
    while isinstance(action, Wait):
        played.worked_s += action.duration_s
        action = await played.turn()
    assert isinstance(action, Finish)
    assert "“Nowhere” is not on the screen" in action.message
    assert "window" not in action.message


async def test_what_may_be_in_another_window_is_said_so() -> None:
    played = stage('click "Nowhere"', SAVE, reads=False)
    played.apart = (WindowInfo(window_id=7, title="Sign in", app="Shop", pid=1, rect=Rect(0, 0, 9, 9)),)
    action = await played.turn()
    while isinstance(action, Wait):
        played.worked_s += action.duration_s
        action = await played.turn()
    assert isinstance(action, Finish)
    assert "“Sign in”, opened" in action.message


async def test_of_a_control_that_reaches_beyond_the_picture_the_visible_part_is_clicked() -> None:
    wide = element(Role.BUTTON, "Wide", Rect(700, 100, 400, 20))
    assert await stage('click "Wide"', wide).turn() == Click(at=NativePoint(750, 110))


async def test_of_an_entry_that_is_scrolled_half_away_the_part_in_the_list_is_clicked() -> None:
    months = element(Role.LIST, "Month", Rect(100, 100, 200, 100))
    july = element(Role.LIST_ITEM, "July", Rect(104, 188, 192, 30))
    below = element(Role.BUTTON, "Go", Rect(100, 205, 200, 30))
    assert await stage('click "July"', months, july, below).turn() == Click(at=NativePoint(200, 194))
    assert await stage('click "Go"', months, july, below).turn() == Click(at=NativePoint(200, 220))


@pytest.mark.parametrize(("shown", "wanted"), [("Go to...", "Go to…"), ("Go to…", "Go to...")])
async def test_three_dots_are_an_ellipsis(shown: str, wanted: str) -> None:
    entry = element(Role.MENU_ITEM, shown, Rect(100, 100, 80, 30))
    other = element(Role.MENU_ITEM, "Go to", Rect(100, 130, 80, 30))
    assert await stage(f'click menu item "{wanted}"', entry, other).turn() == Click(at=NativePoint(140, 115))


async def test_an_entry_that_opens_a_menu_is_found_beside_entries_that_do_not() -> None:
    entry = element(Role.MENU_ITEM, "Open", Rect(100, 100, 80, 30))
    opener = element(Role.MENU, "Open Recent", Rect(100, 130, 80, 30))
    assert await stage('click menu item "Open Recent"', entry, opener).turn() == Click(at=NativePoint(140, 145))
