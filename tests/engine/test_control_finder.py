"""The control at a point: the accessible element, else the box that the picture shows, else nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from operator_console.domain.elements import (
    Control,
    ControlSource,
    Dialog,
    Element,
    ElementState,
    Exposure,
    Role,
    TextKnowledge,
)
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import Frame, ImageNeeds, StackedWindow, TextBox, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.engine.control_finder import (
    AFTER_SILENCE_S,
    AHEAD_S,
    ELEMENTS_FIRST_S,
    ELEMENTS_WITHIN_S,
    ControlFinder,
    Hit,
    field_label,
    label_of,
    placed,
    text_inside,
)
from operator_console.engine.screen_text import READ_WITHIN_S, TargetReader
from tests.engine.rig import FakeClock, Words, quiet
from tests.fakes.computer import FakeComputer
from tests.fakes.elements import FakeElements

T = TypeVar("T")

WIDE = Rect(40, 100, 300, 40)
IN_WIDE = NativePoint(60, 120)
WORDS = ("Pay now", Rect(160, 112, 60, 16))
"""The text in the middle of the wide button, far from `IN_WIDE`."""
PAGE = Rect(0, 0, 400, 300)
BROWSER = StackedWindow(info=WindowInfo(window_id=5, title="Page", app="Chromium", pid=7, rect=PAGE), parts=(PAGE,))


def element(role: Role = Role.BUTTON, box: Rect = WIDE, *, name: str = "", **rest: Any) -> Element:
    return Element(element_id=rest.pop("element_id", f"{role}{box}"), role=role, name=name, box=box, **rest)


class Finding:
    """A finder on one frame, with a clock that only the test advances."""

    def __init__(self, elements: FakeElements | None = None, reader: Words | None = None) -> None:
        self.clock = FakeClock()
        self.finder = ControlFinder(elements, reader, TargetReader(reader, self.clock), self.clock)
        self.frame: Frame

    async def begin(self, *, whole: bool = False) -> Finding:
        self.frame = await FakeComputer(Size(400, 300)).observe(ImageNeeds())
        await self.finder.begin(self.frame, whole=whole)
        return self

    async def at(self, point: NativePoint = IN_WIDE) -> Hit:
        return (await self.finder.at(self.frame, [point]))[0]

    async def waiting(self, asked: Awaitable[T]) -> tuple[T, float]:
        """The answer, and how long it was waited for."""
        task = asyncio.ensure_future(asked)
        before_s = self.clock.now
        await quiet()
        while not task.done():
            await self.clock.advance(self.clock.deadlines()[0])
        return task.result(), self.clock.now - before_s


async def test_an_element_is_the_control_and_nothing_is_read() -> None:
    dialog = Dialog(title="Checkout", text="Pay 12 EUR?", default="Pay now")
    reader = Words(WORDS, slow=True)
    told = element(name="Pay now", text="Pay now", dialog=dialog, group=("Order",), app="Shop", window="Shop – Basket")
    found = await Finding(FakeElements(told), reader).begin()
    hit, waited_s = await found.waiting(found.at())
    assert hit.control == Control(
        source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.BUTTON, name="Pay now",
        text="Pay now", extent=WIDE, dialog=dialog, group=("Order",), app="Shop", window="Shop – Basket",
    )  # fmt: skip
    assert hit.nearby == ("Checkout", "Pay 12 EUR?", "Order")
    assert (waited_s, reader.reads) == (0, 0)


async def test_the_picture_is_read_before_a_silent_application_is_given_up() -> None:
    reader = Words(WORDS, boxes=[WIDE])
    found = await Finding(FakeElements(element(name="Pay now"), silent=True), reader).begin()
    finding = asyncio.ensure_future(found.at())
    await quiet()
    assert reader.reads == 0
    await found.clock.advance(ELEMENTS_FIRST_S)
    assert reader.reads == 1
    assert not finding.done()
    await found.clock.advance(ELEMENTS_WITHIN_S - ELEMENTS_FIRST_S)
    assert (await finding).control.text == "Pay now"


async def test_what_the_application_tells_around_a_button_is_nearby_without_reading() -> None:
    told = element(name="Approve", text="Approve", around=("Amount 12 EUR", "Reject", "Approve"))
    found = await Finding(FakeElements(told), Words(WORDS, slow=True)).begin()
    hit, waited_s = await found.waiting(found.at())
    assert (hit.nearby, waited_s) == (("Amount 12 EUR", "Reject"), 0)


@pytest.mark.parametrize("x", [41, 60, 190, 338])
async def test_without_an_element_the_box_in_the_picture_is_the_control(x: int) -> None:
    found = await Finding(None, Words(WORDS, ("Total", Rect(40, 60, 50, 16)), boxes=[WIDE])).begin()
    hit = await found.at(NativePoint(x, 120))
    assert hit.control.source is ControlSource.PICTURE
    assert (hit.control.text, hit.control.extent, hit.control.knowledge) == ("Pay now", WIDE, TextKnowledge.READ)
    assert hit.nearby == ("Total",)


async def test_a_small_word_inside_a_large_button_is_not_all_it_says() -> None:
    decoy = ("No", Rect(50, 112, 20, 16))
    found = await Finding(None, Words(decoy, ("Delete everything", Rect(160, 112, 120, 16)), boxes=[WIDE])).begin()
    assert (await found.at()).control.text == "No Delete everything"


async def test_without_element_and_box_the_text_at_the_point_is_what_is_known() -> None:
    found = await Finding(None, Words(WORDS)).begin()
    at, beside = await found.at(NativePoint(170, 120)), await found.at(IN_WIDE)
    assert (at.control.source, at.control.text, at.control.extent) == (ControlSource.NONE, "Pay now", None)
    assert (beside.control.text, beside.control.knowledge) == ("", TextKnowledge.READ)
    assert beside.nearby == ("Pay now",)


class Broken(Words):
    async def read(self, frame: Frame, region: Rect | None = None) -> list[TextBox]:
        raise OperatorError("The reader is broken.")


async def test_what_says_nothing_what_is_not_read_yet_and_what_cannot_be_read_are_three_facts() -> None:
    empty = await Finding(None, Words(boxes=[WIDE])).begin()
    slow = await Finding(None, Words(slow=True, boxes=[WIDE])).begin()
    broken = await Finding(None, Broken()).begin(whole=True)
    none = await Finding(None, None).begin()
    assert (await empty.at()).control.knowledge is TextKnowledge.READ
    hit, waited_s = await slow.waiting(slow.at())
    assert (hit.control.knowledge, waited_s) == (TextKnowledge.NOT_YET, READ_WITHIN_S)
    await quiet()
    assert broken.finder.at_hand(broken.frame, [IN_WIDE])[0].control.knowledge is TextKnowledge.UNREADABLE
    assert (await none.at()).control.knowledge is TextKnowledge.UNREADABLE


async def test_a_silent_application_costs_its_bound_once_and_the_picture_counts() -> None:
    elements = FakeElements(element(name="Pay now"), silent=True)
    found = await Finding(elements, Words(WORDS, boxes=[WIDE])).begin()
    hit, waited_s = await found.waiting(found.at())
    assert (hit.control.source, hit.control.text) == (ControlSource.PICTURE, "Pay now")
    assert waited_s == pytest.approx(ELEMENTS_WITHIN_S)
    _, waited_s = await found.waiting(found.at())
    assert waited_s == pytest.approx(AFTER_SILENCE_S)
    elements.silent = False
    assert (await found.at()).control.source is ControlSource.ACCESSIBLE
    elements.silent = True
    _, waited_s = await found.waiting(found.at())
    assert waited_s == pytest.approx(ELEMENTS_WITHIN_S)


async def test_a_place_in_a_card_is_not_the_card() -> None:
    card = Rect(40, 40, 200, 120)
    reader = Words(("Anna @anna", Rect(50, 50, 90, 14)), ("Good morning", Rect(50, 80, 90, 14)), boxes=[card])
    found = await Finding(reader=reader).begin()
    assert (await found.at(NativePoint(60, 140))).control.source is ControlSource.NONE
    on_text = (await found.at(NativePoint(60, 85))).control
    assert (on_text.source, on_text.extent) == (ControlSource.PICTURE, card)
    assert (on_text.text, on_text.line) == ("Anna @anna Good morning", "Good morning"), (
        "judged whole, named by its line"
    )


@pytest.mark.parametrize(
    ("y", "said"), [(50, "Restore"), (80, "Delete for ever of all"), (105, "Delete for ever of all"), (136, "Details")]
)
async def test_of_a_menu_that_is_drawn_as_one_box_the_entry_at_the_point_is_the_control(y: int, said: str) -> None:
    menu = Rect(40, 40, 200, 110)
    entries = (("Restore", 48), ("Delete for ever", 80), ("of all", 98), ("Details", 130))
    texts = [(text, Rect(50, top, 90, 12)) for text, top in entries]
    found = await Finding(reader=Words(*texts, boxes=[menu])).begin()
    control = (await found.at(NativePoint(60, y))).control
    assert (control.source, control.text) == (ControlSource.PICTURE, said)


@pytest.mark.parametrize(("height", "several"), [(40, False), (98, True)])
async def test_a_high_empty_box_with_a_name_is_a_field_with_several_lines(height: int, *, several: bool) -> None:
    box = Rect(40, 60, 320, height)
    found = await Finding(reader=Words(("Notes", Rect(40, 40, 50, 14)), boxes=[box])).begin()
    control = (await found.at(NativePoint(60, 80))).control
    assert (control.label, ElementState.MULTI_LINE in control.states) == ("Notes", several)
    assert control.role is (Role.TEXT_FIELD if several else Role.UNKNOWN)


BLINKING = Rect(46, 66, 1, 18)


async def at_caret(reader: Words, window: Rect = PAGE) -> Control | None:
    found = await Finding(reader=reader).begin()
    hit = await found.finder.at_caret(found.frame, found.frame, replace(BROWSER.info, rect=window))
    return None if hit is None else hit.control


@pytest.mark.parametrize(
    ("box", "text", "label", "value", "several"),
    [
        (Rect(40, 60, 320, 30), "Text", "To", "Text", False),
        (Rect(40, 60, 320, 60), "", "To", "", True),
        (Rect(40, 20, 320, 80), "Text", "To Text", "", True),  # both are inside, as a placeholder is
    ],
)
async def test_the_box_around_a_caret_is_the_field_with_the_focus(
    box: Rect, text: str, label: str, value: str, *, several: bool
) -> None:
    reader = Words(("To", Rect(42, 40, 30, 14)), *[(text, Rect(48, 68, 60, 14))] * bool(text), boxes=[box])
    reader.blinks = BLINKING
    control = await at_caret(reader)
    assert control is not None
    assert (control.role, control.label, control.value, control.extent) == (Role.TEXT_FIELD, label, value, box)
    assert {ElementState.EDITABLE, ElementState.FOCUSED} <= set(control.states)
    assert (ElementState.MULTI_LINE in control.states) is several


async def test_a_caret_without_a_box_or_in_another_window_tells_no_field() -> None:
    reader = Words(boxes=[])
    reader.blinks = BLINKING
    assert await at_caret(reader) is None
    reader.boxes = [Rect(40, 60, 320, 30)]
    assert await at_caret(reader, Rect(200, 0, 200, 300)) is None
    reader.blinks = None
    assert await at_caret(reader) is None


async def test_an_application_that_never_told_a_control_is_not_waited_for_again() -> None:
    elements = FakeElements(element(name="Pay now"), silent=True)
    found = await Finding(elements, Words(WORDS, boxes=[WIDE])).begin()
    found.frame = replace(found.frame, stack=(BROWSER,))
    _, waited_s = await found.waiting(found.at())
    assert waited_s == pytest.approx(ELEMENTS_WITHIN_S)
    hit, waited_s = await found.waiting(found.at())
    assert (hit.control.text, waited_s) == ("Pay now", 0)
    elsewhere = replace(BROWSER, info=replace(BROWSER.info, pid=8))
    found.frame = replace(found.frame, stack=(elsewhere,))
    _, waited_s = await found.waiting(found.at())
    assert waited_s == pytest.approx(AFTER_SILENCE_S)


async def test_one_that_begins_to_tell_its_controls_is_waited_for_again() -> None:
    elements = FakeElements(element(name="Pay now"), silent=True)
    found = await Finding(elements, Words(WORDS, boxes=[WIDE])).begin()
    found.frame = replace(found.frame, stack=(BROWSER,), focus=BROWSER.info, focus_in_target=True)
    await found.waiting(found.at())
    elements.silent = False
    assert await found.finder.exposure(found.frame) is Exposure.FULL
    elements.silent = True
    _, waited_s = await found.waiting(found.at())
    assert waited_s == pytest.approx(ELEMENTS_WITHIN_S)
    elements.silent = False
    assert (await found.at()).control.source is ControlSource.ACCESSIBLE


async def test_all_sources_together_wait_for_one_deadline() -> None:
    button = element()  # without any text, so that it is read
    found = await Finding(FakeElements(button), Words(slow=True)).begin()
    hit, waited_s = await found.waiting(found.at())
    assert (hit.control.role, hit.control.knowledge) == (Role.BUTTON, TextKnowledge.NOT_YET)
    assert waited_s == READ_WITHIN_S


async def test_a_button_without_a_name_says_what_is_drawn_in_it() -> None:
    found = await Finding(FakeElements(element()), Words(WORDS, ("Help", Rect(40, 200, 40, 16)))).begin()
    hit = await found.at()
    assert (hit.control.role, hit.control.text, hit.control.extent) == (Role.BUTTON, "Pay now", WIDE)
    assert hit.nearby == ("Help",)


@pytest.mark.parametrize("known", [True, False])
async def test_an_icon_is_recognised_where_there_are_no_words(known: bool) -> None:
    elements = FakeElements(element()) if known else None
    reader = Words(boxes=[WIDE])
    reader.drawn = {WIDE: "delete", NativePoint(10, 10): "send"}
    found = await Finding(elements, reader).begin()
    control = (await found.at()).control
    assert (control.icon, label_of(control)) == ("delete", "delete")
    assert (await found.at(NativePoint(10, 10))).control.icon == "send"
    reader.texts = (WORDS,)
    assert (await (await Finding(elements, reader).begin()).at()).control.icon == ""
    named = await Finding(FakeElements(element(name="Keep")), reader).begin()
    assert (await named.at()).control.icon == ""


@pytest.mark.parametrize(("text", "icon"), [("四", "delete"), (">", ""), ("Day", "")])
async def test_an_icon_that_was_read_as_a_letter_is_recognised(text: str, icon: str) -> None:
    box = Rect(20, 20, 30, 30)
    reader = Words((text, Rect(28, 28, 12, 12)), boxes=[box])
    reader.drawn = {box: "delete"}
    found = await Finding(reader=reader).begin()
    assert (await found.at(NativePoint(35, 35))).control.icon == icon


async def test_what_a_page_draws_itself_is_told_by_the_picture_and_the_place_by_the_page() -> None:
    canvas = element(Role.GROUP, PAGE, name="Board", app="Chromium", window="Shop", url="https://shop.example/")
    found = await Finding(FakeElements(canvas), Words(WORDS, boxes=[WIDE])).begin()
    control = (await found.at()).control
    assert (control.source, control.role, control.text) == (ControlSource.PICTURE, Role.UNKNOWN, "Pay now")
    assert (control.app, control.window, control.url) == ("Chromium", "Shop", "https://shop.example/")


async def test_the_gap_between_two_buttons_is_neither() -> None:
    left, right = Rect(40, 100, 100, 40), Rect(150, 100, 100, 40)
    texts = [("Pay", Rect(60, 112, 40, 16)), ("Delete", Rect(152, 112, 60, 16))]
    bar = Rect(30, 90, 300, 60)  # around both, as the picture shows it
    page = element(Role.DOCUMENT, PAGE, name="Delete or pay")
    elements = FakeElements(page, element(box=left, name="Pay"), element(box=right, name="Delete"))
    for boxes in ([bar], []):
        found = await Finding(elements, Words(*texts, boxes=boxes)).begin()
        hit = await found.at(NativePoint(145, 120))
        assert (hit.control.role, hit.control.text, label_of(hit.control)) == (Role.DOCUMENT, "", "")
        assert set(hit.nearby) >= {"Pay", "Delete"}


async def test_text_that_a_page_shows_in_a_box_of_its_own_belongs_to_the_box() -> None:
    page = element(Role.GROUP, WIDE)
    words = element(Role.LABEL, WORDS[1], name="Pay now")
    found = await Finding(FakeElements(page, words), Words(WORDS, boxes=[WIDE])).begin()
    assert (await found.at()).control.text == "Pay now"


async def test_what_ok_confirms_is_read_where_no_dialog_tells_it() -> None:
    asked = Words(("Delete 3 files?", Rect(40, 60, 120, 16)))
    alone = await Finding(FakeElements(element(name="OK")), asked).begin()
    assert (await alone.at()).nearby == ("Delete 3 files?",)
    told = element(name="OK", dialog=Dialog(title="Files", text="Delete 3 files?"))
    reader = Words(slow=True)
    known = await Finding(FakeElements(told), reader).begin()
    hit, waited_s = await known.waiting(known.at())
    assert (hit.nearby, waited_s) == (("Files", "Delete 3 files?"), 0)


async def test_a_password_field_keeps_its_content_to_itself() -> None:
    field = element(Role.PASSWORD_FIELD, name="Password", value="hunter2", text="hunter2")
    found = await Finding(FakeElements(field, focus=field), Words(("•••••••", WORDS[1]))).begin()
    focused = await found.finder.focused(
        found.frame, WindowInfo(window_id=7, title="Log in", app="App", pid=1, rect=PAGE), has_focus=True, changed=False
    )
    assert focused is not None
    for control in ((await found.at()).control, focused.control):
        assert (control.name, control.value, control.text) == ("Password", "", "")


@pytest.mark.parametrize("label", [Rect(60, 112, 70, 16), Rect(142, 80, 70, 16)])
async def test_a_field_without_a_name_is_labelled_by_the_text_beside_or_above_it(label: Rect) -> None:
    box = Rect(140, 100, 200, 40)
    reader = Words(("Card number", label), boxes=[box])
    for elements in (None, FakeElements(element(Role.TEXT_FIELD, box))):
        found = await Finding(elements, reader).begin()
        hit = await found.at(NativePoint(200, 120))
        assert (hit.control.label, label_of(hit.control)) == ("Card number", "Card number")


async def test_the_focused_control_is_asked_for_each_time_and_in_the_window_that_has_the_focus() -> None:
    elements = FakeElements(focus=element(name="Delete"))
    found = await Finding(elements).begin()
    window = WindowInfo(window_id=7, title="Files", app="Files", pid=1, rect=PAGE)
    first = await found.finder.focused(found.frame, window, has_focus=True, changed=False)
    elements.focus = element(name="Keep")
    second = await found.finder.focused(found.frame, window, has_focus=True, changed=True)
    assert [hit.control.name for hit in (first, second) if hit is not None] == ["Delete", "Keep"]
    assert [frame.focus for frame in elements.focus_asked] == [window, window]
    elements.focus = None
    assert await found.finder.focused(found.frame, window, has_focus=True, changed=True) is None


async def test_a_glance_never_waits_and_uses_what_was_asked_before() -> None:
    elements = FakeElements(element(name="Pay now"))
    found = await Finding(elements, Words(WORDS, slow=True)).begin()
    assert found.finder.at_hand(found.frame, [IN_WIDE])[0].control.source is ControlSource.NONE
    await found.at()
    assert found.finder.at_hand(found.frame, [IN_WIDE])[0].control.name == "Pay now"
    assert len(elements.asked) == 1


@pytest.mark.parametrize(
    ("now", "same"),
    [
        (element(name="Save"), True),
        (element(name="Save", box=WIDE.moved(1, -2)), True),
        (element(name="Save", box=WIDE.moved(3, 0)), False),
        (element(name="Delete"), False),
        (element(Role.LINK, name="Save"), False),
        (None, True),
    ],
)
async def test_a_control_is_the_same_while_its_role_name_and_place_are(now: Element | None, same: bool) -> None:
    elements = FakeElements(element(name="Save"))
    found = await Finding(elements).begin()
    before = await found.at()
    elements.shown = [now] if now is not None else []
    elements.focus = now
    for point in (IN_WIDE, None):
        replaced = await found.finder.replaced(found.frame, point, before)
        assert (replaced is None) is same
        assert replaced is None or (now is not None and replaced.name == now.name)


async def test_no_answer_about_the_control_now_does_not_make_it_another() -> None:
    elements = FakeElements(element(name="Save"))
    found = await Finding(elements).begin()
    before = await found.at()
    elements.silent = True
    replaced, waited_s = await found.waiting(found.finder.replaced(found.frame, IN_WIDE, before))
    assert replaced is None
    assert waited_s == pytest.approx(ELEMENTS_WITHIN_S)


async def test_exposure_is_what_the_application_is_said_to_tell() -> None:
    elements = FakeElements()
    elements.told = Exposure.SWITCHED_OFF
    found = await Finding(elements).begin()
    assert await found.finder.exposure(found.frame) is Exposure.SWITCHED_OFF
    assert await (await Finding().begin()).finder.exposure(found.frame) is None


def test_the_window_system_names_the_window_where_the_application_does_not() -> None:
    window = WindowInfo(window_id=7, title="Plant diary", app="gedit", pid=1, rect=PAGE)
    control = placed(Hit(control=Control(text="Save")), window).control
    assert (control.app, control.window) == ("gedit", "Plant diary")
    told = Hit(control=Control(text="Save", app="Text Editor", window="Diary"))
    assert placed(told, window) == told
    assert placed(told, None) == told


def test_of_a_long_line_only_the_words_inside_a_box_are_its_text() -> None:
    words = (TextBox(text="Cancel", box=Rect(0, 0, 50, 10)), TextBox(text="Delete", box=Rect(100, 0, 50, 10)))
    line = TextBox(text="Cancel Delete", box=Rect(0, 0, 150, 10), parts=words)
    assert text_inside([line], Rect(90, -10, 80, 30)) == "Delete"


def test_a_field_has_no_label_far_away() -> None:
    field = Rect(300, 100, 80, 20)
    far = TextBox(text="Name", box=Rect(0, 102, 40, 12))
    assert field_label([far], field) == ""
    assert field_label([replace(far, box=Rect(200, 102, 40, 12))], field) == "Name"


@pytest.mark.parametrize(
    ("changed", "pressable"),
    [
        ({"actions": ("click",)}, True), ({"states": (ElementState.FOCUSABLE,)}, True), ({}, False),
        ({"actions": ("clickAncestor",)}, False), ({"actions": ("click",), "url": ""}, False),
        ({"actions": ("click",), "role": Role.HEADING}, False), ({"actions": ("click",), "role": Role.CELL}, False),
    ],
)  # fmt: skip
async def test_text_of_a_page_is_pressable_if_the_application_tells_an_action(
    changed: dict[str, Any], pressable: bool
) -> None:
    told: dict[str, Any] = {"role": Role.LABEL, "name": "Let it fly", "url": "https://x.example/", **changed}
    found = await Finding(FakeElements(element(**told)), Words()).begin()
    assert (await found.at()).control.pressable is pressable


@pytest.mark.parametrize(("box", "pressable"), [(WIDE, True), (PAGE, False)])
async def test_text_of_a_page_is_pressable_in_a_box_of_the_size_of_a_button(box: Rect, pressable: bool) -> None:
    text = element(Role.LABEL, name="Let it fly", text="Let it fly", url="https://x.example/")
    found = await Finding(FakeElements(text), Words(boxes=[box])).begin()
    assert (await found.at()).control.pressable is pressable


async def test_an_icon_without_role_and_name_is_told_by_the_picture_rather_than_by_the_text_around_it() -> None:
    icon = Rect(IN_WIDE.x - 15, IN_WIDE.y - 15, 30, 30)
    area = element(Role.GROUP, PAGE, text="Since when? Since Saturday", url="https://x.example/")
    found = await Finding(FakeElements(area), Words(boxes=[icon])).begin()
    control = (await found.at()).control
    assert (control.source, control.extent, control.text) == (ControlSource.PICTURE, icon, "")


async def test_beside_a_word_in_its_box_the_word_is_hit_rather_than_what_holds_the_box() -> None:
    box, inside = Rect(40, 100, 120, 40), Rect(60, 110, 80, 20)
    row = element(Role.LIST_ITEM, PAGE, text="Contract Download Delete", url="https://x.example/")
    word = element(Role.LABEL, inside, name="Delete", text="Delete", url="https://x.example/")
    found = await Finding(FakeElements(row, word), Words(boxes=[box])).begin()
    control = (await found.at(NativePoint(45, 105))).control
    assert (control.says, control.pressable, control.extent) == ("Delete", True, inside)


async def test_without_a_box_a_list_item_is_hit_as_a_whole() -> None:
    row = element(Role.LIST_ITEM, PAGE, text="Delete a saved card", url="https://x.example/")
    word = element(Role.LABEL, Rect(60, 110, 80, 20), name="Delete", url="https://x.example/")
    found = await Finding(FakeElements(row, word), Words()).begin()
    control = (await found.at(NativePoint(45, 105))).control
    assert (control.role, control.pressable) == (Role.LIST_ITEM, False)


async def test_a_box_in_an_area_of_a_page_that_tells_only_what_its_ancestor_does_says_what_is_drawn() -> None:
    page = element(Role.GROUP, PAGE, url="https://x.example/", actions=("clickAncestor",))
    small = Rect(40, 100, 90, 40)
    found = await Finding(FakeElements(page), Words(("Pay now", Rect(50, 112, 60, 16)), boxes=[small])).begin()
    control = (await found.at()).control
    assert (control.source, control.text, control.extent) == (ControlSource.PICTURE, "Pay now", small)


@pytest.mark.parametrize(
    ("actions", "opens"), [(("ShowMenu",), True), (("Press",), False), (("Press", "ShowMenu"), False)]
)
async def test_a_menu_entry_that_only_shows_a_menu_opens(actions: tuple[str, ...], opens: bool) -> None:
    found = await Finding(FakeElements(element(Role.MENU_ITEM, name="Remove", actions=actions)), Words()).begin()
    assert (ElementState.EXPANDABLE in (await found.at()).control.states) is opens


async def test_what_was_asked_ahead_is_not_asked_again() -> None:
    elements = FakeElements(element(name="Pay now"))
    found = await Finding(elements).begin()
    await found.finder.ask_ahead(found.frame, [IN_WIDE])
    await quiet()
    assert [points for _, points in elements.asked] == [(IN_WIDE,)]
    assert (await found.at()).control.name == "Pay now"
    assert len(elements.asked) == 1


async def test_another_point_than_the_one_asked_ahead_is_asked_for() -> None:
    elements = FakeElements(element(name="Pay now"))
    found = await Finding(elements).begin()
    await found.finder.ask_ahead(found.frame, [NativePoint(1, 1)])
    assert (await found.at()).control.name == "Pay now"
    await found.finder.close()


async def test_an_answer_from_before_a_pause_does_not_count() -> None:
    elements = FakeElements(element(name="Show"))
    found = await Finding(elements).begin()
    await found.finder.ask_ahead(found.frame, [IN_WIDE])
    await quiet()
    elements.shown = [element(name="Pay now")]
    await found.clock.advance(AHEAD_S + 0.1)
    assert (await found.at()).control.name == "Pay now"
    await found.finder.close()


async def test_what_was_asked_ahead_is_given_up_with_its_frame() -> None:
    found = await Finding(FakeElements(silent=True)).begin()
    await found.finder.ask_ahead(found.frame, [IN_WIDE])
    await quiet()
    before = asyncio.all_tasks()
    await found.finder.begin(found.frame, whole=False)
    assert len(asyncio.all_tasks()) < len(before)
