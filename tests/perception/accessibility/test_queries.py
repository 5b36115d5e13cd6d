"""What is answered about applications that say what the tests wrote down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.elements import LONGEST_TEXT, Dialog, Element, ElementState, Exposure, Role
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint
from operator_console.perception.accessibility.atspi import path_search
from operator_console.perception.accessibility.atspi.connection import BusConnection
from operator_console.perception.accessibility.atspi.queries import Queries
from operator_console.perception.accessibility.atspi.vocabulary import (
    DOCUMENT_WEB,
    EDITABLE,
    FOCUSABLE,
    FOCUSED,
    IS_DEFAULT,
    LABELLED_BY,
    VISIBLE,
)
from operator_console.perception.accessibility.messages import ElementsReply, ElementsRequest, Query, scene_of
from tests.perception.accessibility.fake_bus import (
    ALIVE,
    BUTTON,
    CELL,
    ENTRY,
    FRAME,
    LABEL,
    LIST,
    LIST_ITEM,
    MENU,
    MENU_ITEM,
    PANEL,
    PASSWORD,
    TABLE,
    App,
    FakeBus,
    Widget,
    focused,
)
from tests.perception.accessibility.scenes import frame, window

PID, OTHER = 5_000_001, 5_000_002  # of no process: above the most that Linux gives
PLACE = Rect(0, 0, 400, 300)
BUDGET_S = 5.0
SHORT_S = 0.2

Start = Callable[..., Awaitable[tuple[FakeBus, Queries]]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    buses: list[FakeBus] = []
    connections: list[BusConnection] = []

    async def start_(*apps: App) -> tuple[FakeBus, Queries]:
        buses.append(FakeBus(apps))
        connections.append(await BusConnection.connect(await buses[-1].serve(tmp_path)))
        return buses[-1], Queries(connections[-1])

    yield start_
    for connection in connections:
        connection.close()
    for bus in buses:
        await bus.close()


def app(*children: Widget, pid: int = PID, toolkit: str = "Qt", role: int = FRAME, title: str = "Diary") -> App:
    return App(pid=pid, windows=[Widget(role, title, (0, 0, 400, 300), list(children))], toolkit=toolkit)


async def ask(
    queries: Queries,
    query: Query,
    shown: Frame,
    *points: tuple[int, int],
    own: frozenset[int] = frozenset(),
    budget_s: float = BUDGET_S,
    known: int = 0,
) -> ElementsReply:
    request = ElementsRequest(
        job=1,
        query=query,
        budget_s=budget_s,
        scene=scene_of(shown, own),
        points=tuple(NativePoint(*point) for point in points),
        limit=300,
        known=known,
    )
    return await queries.answer(request)


async def at(queries: Queries, x: int, y: int, shown: Frame | None = None) -> Element | None:
    reply = await ask(queries, Query.AT, shown or frame([window(1, PID, PLACE, "Diary")]), (x, y))
    return reply.elements[0]


async def test_the_deepest_showing_element_is_found_and_the_gap_names_none(start: Start) -> None:
    row = Widget(
        PANEL,
        "",
        (0, 100, 400, 40),
        [Widget(BUTTON, "Save", (10, 100, 80, 40)), Widget(BUTTON, "No", (110, 100, 80, 40))],
    )
    _, queries = await start(app(row))
    saved = await at(queries, 15, 110)
    assert saved is not None
    assert (saved.role, saved.name, saved.box) == (Role.BUTTON, "Save", Rect(10, 100, 80, 40))
    assert (saved.window, saved.app, saved.pid) == ("Diary", "app", PID)
    gap = await at(queries, 100, 110)
    assert gap is not None
    assert (gap.role, gap.name, gap.text) == (Role.GROUP, "", "")


async def test_hidden_elements_are_not_found(start: Start) -> None:
    hidden = Widget(PANEL, "", (0, 0, 400, 300), [Widget(BUTTON, "Old", (0, 0, 90, 40))], states=())
    _, queries = await start(app(Widget(BUTTON, "Real", (0, 0, 90, 40)), hidden))
    found = await at(queries, 5, 5)
    assert found is not None and found.name == "Real"


async def test_a_label_in_a_button_is_the_button_with_all_its_text(start: Start) -> None:
    button = Widget(
        BUTTON, "", (10, 10, 200, 40),
        [Widget(LABEL, "Delete", (12, 12, 80, 30)), Widget(LABEL, "all", (100, 12, 80, 30))],
    )  # fmt: skip
    _, queries = await start(app(button))
    found = await at(queries, 20, 20)
    assert found is not None
    assert (found.role, found.text) == (Role.BUTTON, "Delete all")


async def test_what_is_on_top_of_its_siblings_is_found(start: Start) -> None:
    below, above = Widget(BUTTON, "Below", (0, 0, 90, 40)), Widget(BUTTON, "Above", (0, 0, 90, 40))
    _, queries = await start(app(below, above))
    found = await at(queries, 5, 5)
    assert found is not None and found.name == "Above"


async def test_containers_without_extents_are_looked_into(start: Start) -> None:
    holder = Widget(PANEL, "", (-1, -1, -1, -1), [Widget(BUTTON, "Inside", (50, 50, 90, 40))])
    flat = Widget(PANEL, "", (0, 0, 400, 0), [Widget(BUTTON, "Folded", (0, 0, 90, 40))])
    _, queries = await start(app(holder, flat))
    found = await at(queries, 60, 60)
    assert found is not None and found.name == "Inside"
    folded = await at(queries, 5, 5)
    assert folded is not None and folded.role is Role.WINDOW


async def test_the_window_that_owns_the_point_is_asked_and_never_our_own(start: Start) -> None:
    mine = App(
        pid=OTHER, windows=[Widget(FRAME, "Console", (0, 0, 99, 99), [Widget(BUTTON, "Approve", (0, 0, 99, 99))])]
    )
    theirs = app(Widget(BUTTON, "Pay", (0, 0, 400, 300)))
    _, queries = await start(mine, theirs)
    stack = [window(1, PID, PLACE, "Diary"), window(2, OTHER, Rect(0, 0, 99, 99), "Console")]
    above = await ask(queries, Query.AT, frame(stack), (50, 50), (200, 200))
    assert [each and each.name for each in above.elements] == ["Approve", "Pay"]
    ours = await ask(queries, Query.AT, frame(stack, frame_id="2"), (50, 50), (200, 200), own=frozenset({OTHER}))
    assert [each and each.name for each in ours.elements] == [None, "Pay"]


async def test_points_on_no_window_and_outside_the_frame_are_unknown(start: Start) -> None:
    _, queries = await start(app())
    reply = await ask(queries, Query.AT, frame([window(1, PID, PLACE)]), (700, 500), (-5, 9_000))
    assert reply.elements == (None, None)


async def test_extents_are_native_pixels_of_the_frame(start: Start) -> None:
    _, queries = await start(app(Widget(BUTTON, "Save", (110, 100, 80, 40))))
    shown = frame([window(1, PID, PLACE, "Diary")], origin=ScreenPoint(100, 50), scale=0.5)
    found = await at(queries, 60, 120, shown)
    assert found is not None
    assert found.box == Rect(20, 100, 160, 80)


async def test_window_relative_coordinates_get_the_place_of_the_window(start: Start) -> None:
    _, queries = await start(app(Widget(BUTTON, "Save", (10, 10, 80, 40)), toolkit="GTK"))
    found = await at(queries, 215, 115, frame([window(1, PID, Rect(200, 100, 400, 300), "Diary")]))
    assert found is not None
    assert (found.name, found.box) == ("Save", Rect(210, 110, 80, 40))


async def test_content_below_a_menu_bar_that_it_leaves_out_is_where_it_is_shown(start: Start) -> None:
    drawn = Widget(PANEL, "", (0, 0, 400, 275), [Widget(BUTTON, "Print", (10, 10, 40, 40))])
    office = app(Widget(PANEL, "", (0, 25, 400, 275), [drawn]), toolkit="gtk")
    office.name = "soffice"
    _, queries = await start(office)
    found = await at(queries, 12, 70)
    assert found is not None
    assert (found.name, found.box) == ("Print", Rect(10, 35, 40, 40))


async def test_content_that_says_another_parent_is_where_it_is_shown(start: Start) -> None:
    field = focused(Widget(ENTRY, "Body", (10, 10, 40, 40)))
    drawn = Widget(PANEL, "", (0, 0, 400, 275), [field])
    office = app(Widget(PANEL, "", (0, 25, 400, 275), [drawn]), toolkit="gtk")
    office.name, drawn.said_parent = "soffice", office.windows[0]
    _, queries = await start(office)
    shown = frame([window(1, PID, PLACE, "Diary")])
    for query in (Query.FOCUSED, Query.ACTIONABLE):
        (found,) = (await ask(queries, query, shown)).elements
        assert found is not None
        assert (query, found.name, found.box) == (query, "Body", Rect(10, 35, 40, 40))


async def test_a_disabled_control_of_gtk_4_is_found_with_its_padding(start: Start) -> None:
    off = Widget(BUTTON, "Pay", (20, 20, 60, 20), states=(VISIBLE,), padding=10)
    _, queries = await start(app(Widget(PANEL, "", (0, 0, 400, 100), [off]), toolkit="GTK"))
    found, beside = await at(queries, 12, 30), await at(queries, 5, 30)
    assert found is not None and beside is not None
    assert (found.name, ElementState.DISABLED in found.states) == ("Pay", True)
    assert (found.box.x, found.box.y) == (10, 10)
    assert abs(found.box.right - 90) <= 2 and abs(found.box.bottom - 50) <= 2
    assert beside.role is Role.GROUP


def popover(name: str, size: tuple[int, int]) -> Widget:
    """Opened by a button at 50, 60: there its coordinates begin."""
    entry = Widget(MENU_ITEM, name, (60, 65, 40, 20))
    return Widget(MENU, "", (50, 65, size[0], size[1] - 5), [entry], in_parent=(0, 5, size[0], size[1] - 5))


def popover_scene() -> Frame:
    return frame([window(1, PID, PLACE, "Diary"), window(2, PID, Rect(200, 100, 90, 120), "")])


async def test_a_popover_of_gtk_4_is_in_the_window_that_is_as_large(start: Start) -> None:
    opener = Widget(BUTTON, "File", (50, 60, 60, 30), [popover("Open", (90, 120)), popover("No", (70, 80))])
    _, queries = await start(app(opener, toolkit="GTK"))
    found, covered = await at(queries, 215, 110, popover_scene()), await at(queries, 65, 70, popover_scene())
    assert found is not None and covered is not None
    assert (found.name, found.box) == ("Open", Rect(210, 105, 40, 20))
    assert covered.name == "File"  # the coordinates in a popover are not those of the window below it


async def test_of_two_popovers_of_one_size_none_is_taken(start: Start) -> None:
    opener = Widget(BUTTON, "File", (50, 60, 60, 30), [popover("Open", (90, 120)), popover("Pay", (90, 120))])
    _, queries = await start(app(opener, toolkit="GTK"))
    assert await at(queries, 215, 110, popover_scene()) is None


async def test_what_is_on_a_page_of_gtk_3_is_no_part_of_its_tab(start: Start) -> None:
    page = Widget(
        PANEL,
        "",
        (0, 50, 400, 250),
        [Widget(BUTTON, "Pay", (10, 60, 80, 40)), Widget(LABEL, "Total", (200, 60, 80, 40))],
    )
    tabs = Widget(38, "", (0, 0, 400, 300), [Widget(37, "Payment", (10, 10, 60, 30), [page])])
    _, queries = await start(app(tabs, toolkit="gtk"))
    found = [await at(queries, *place) for place in ((15, 70), (205, 70), (15, 15))]
    assert [(each.role, each.name) for each in found if each] == [
        (Role.BUTTON, "Pay"), (Role.LABEL, "Total"), (Role.TAB, "Payment")
    ]  # fmt: skip


async def test_a_menu_hides_what_it_covers(start: Start) -> None:
    entry = Widget(MENU, "New", (0, 30, 200, 25))
    tool = Widget(BUTTON, "Update", (50, 40, 30, 30))
    menu_bar = Widget(34, "", (0, 0, 400, 25), [Widget(MENU, "File", (0, 0, 40, 25), [entry])])
    _, queries = await start(app(menu_bar, tool, toolkit="gtk"))
    shown = frame([window(1, PID, PLACE, "Diary"), window(2, PID, Rect(0, 30, 200, 100), "")])
    found = await at(queries, 60, 45, shown)
    assert found is not None and found.name == "New"
    assert await at(queries, 60, 65, shown) is None


async def test_a_browser_s_own_menu_hides_the_page(start: Start) -> None:
    page = Widget(95, "Shop", (0, 60, 400, 240), [Widget(BUTTON, "Pay", (110, 100, 50, 20))])
    panel = Widget(PANEL, "", (100, 60, 200, 200), [Widget(BUTTON, "Settings", (100, 90, 200, 40))])
    _, queries = await start(app(panel, page, toolkit="Gecko"))
    shown = frame([window(1, PID, PLACE, "Diary"), window(2, PID, Rect(100, 60, 200, 200), "")])
    found = await at(queries, 120, 110, shown)
    assert found is not None and found.name == "Settings"


async def test_a_file_chooser_in_a_dialog_is_not_the_dialog(start: Start) -> None:
    field = focused(Widget(ENTRY, "", (10, 10, 200, 30), text="a.odt"))
    chooser = Widget(19, "File Chooser Widget", (0, 0, 400, 200), [field])
    save = Widget(BUTTON, "Save", (300, 250, 80, 40), states=(*ALIVE, IS_DEFAULT))
    _, queries = await start(app(chooser, save, role=19, title="Save as"))
    found = await at(queries, 15, 15, frame([window(1, PID, PLACE, "Save as")]))
    assert found is not None and found.dialog is not None
    assert (found.dialog.title, found.dialog.default) == ("Save as", "Save")


async def test_fields_tell_label_and_value_and_passwords_tell_none(start: Start) -> None:
    label = Widget(LABEL, "Name", (0, 0, 90, 20))
    field = Widget(ENTRY, "", (100, 0, 200, 20), text="Ada", relations=[(LABELLED_BY, [label])])
    secret = Widget(PASSWORD, "PIN", (100, 40, 200, 20), [Widget(LABEL, "1234", (100, 40, 50, 20))], text="1234")
    disguised = Widget(ENTRY, "Key", (100, 80, 200, 20), text="abcd", attributes={"text-input-type": "password"})
    _, queries = await start(app(label, field, secret, disguised))
    named = await at(queries, 110, 5)
    assert named is not None
    assert (named.label, named.value) == ("Name", "Ada")
    for y in (45, 85):
        hidden = await at(queries, 250, y)
        assert hidden is not None
        assert (hidden.role, hidden.value, hidden.text) == (Role.PASSWORD_FIELD, "", "")


async def test_a_toolkit_that_tells_hidden_text_is_not_asked_for_it(start: Start) -> None:
    """GTK 4 before 4.14 tells what was typed into fields that show dots."""
    field = Widget(ENTRY, "Key", (100, 0, 200, 20), text="abcd")
    bus, queries = await start(app(field, toolkit="GTK"))
    found = await at(queries, 250, 5)
    assert found is not None
    assert (found.name, found.value, found.text) == ("Key", "", "")
    assert bus.asked["GetText"] == 0


async def test_a_text_is_shortened(start: Start) -> None:
    _, queries = await start(app(Widget(LABEL, "", (0, 0, 90, 20), text="x" * 9_000)))
    found = await at(queries, 5, 5)
    assert found is not None and len(found.text) == LONGEST_TEXT


async def test_a_dialog_tells_title_text_and_default_button(start: Start) -> None:
    yes = Widget(BUTTON, "Delete", (10, 200, 80, 40), states=(*ALIVE, IS_DEFAULT))
    no = Widget(BUTTON, "Keep", (110, 200, 80, 40), [Widget(LABEL, "Keep", (112, 202, 30, 20))])
    dialog = app(Widget(LABEL, "Delete 3 files?", (10, 10, 300, 20)), yes, no, role=16, title="Confirm")
    _, queries = await start(dialog)
    found = await at(queries, 115, 205, frame([window(1, PID, PLACE, "Confirm")]))
    assert found is not None
    assert found.dialog == Dialog(title="Confirm", text="Delete 3 files?", default="Delete")


async def test_groups_are_named_innermost_first(start: Start) -> None:
    inner = Widget(PANEL, "Card", (0, 0, 200, 200), [Widget(BUTTON, "Pay", (0, 0, 90, 40))])
    _, queries = await start(app(Widget(87, "Checkout", (0, 0, 300, 300), [inner])))
    found = await at(queries, 5, 5)
    assert found is not None and found.group == ("Card", "Checkout")


@pytest.mark.parametrize(("holder", "entry"), [(31, 32), (MENU, MENU_ITEM), (65, 91), (31, 88)])
async def test_of_an_entry_its_list_is_named_too(start: Start, holder: int, entry: int) -> None:
    entries = Widget(holder, "Administrators", (0, 0, 200, 200), [Widget(entry, "Ada", (0, 0, 90, 40))])
    _, queries = await start(app(Widget(PANEL, "Roles", (0, 0, 300, 300), [entries])))
    found = await at(queries, 5, 5)
    assert found is not None and (found.name, found.group) == ("Ada", ("Administrators", "Roles"))


async def test_of_a_button_its_list_is_not(start: Start) -> None:
    row = Widget(31, "Comments", (0, 0, 200, 200), [Widget(BUTTON, "Reply", (0, 0, 90, 40))])
    _, queries = await start(app(row))
    found = await at(queries, 5, 5)
    assert found is not None and found.group == ()


async def test_the_focused_element_is_found_below_showing_ones_only(start: Start) -> None:
    folded = Widget(PANEL, "", (0, 0, 9, 9), [focused(Widget(BUTTON, "Folded", (0, 0, 9, 9)))], states=())
    _, queries = await start(app(folded, Widget(PANEL, "", (0, 0, 9, 9), [focused(Widget(ENTRY, "To", (0, 0, 9, 9)))])))
    reply = await ask(queries, Query.FOCUSED, frame([window(1, PID, PLACE, "Diary")]))
    (found,) = reply.elements
    assert found is not None
    assert found.name == "To"
    assert ElementState.FOCUSED in found.states


async def test_a_browser_that_tells_the_page_as_focused_is_asked_again(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, code = Widget(ENTRY, "Name", (0, 0, 90, 20)), Widget(ENTRY, "Code", (0, 30, 90, 20))
    page = focused(Widget(DOCUMENT_WEB, "Sign in", (0, 0, 400, 300), [old, code]))
    bus, queries = await start(replace(app(page, toolkit="Chromium"), searches=True))
    held_back_by(bus, old, code, monkeypatch)
    reply = await ask(queries, Query.FOCUSED, frame([window(1, PID, PLACE, "Diary")]))
    assert [each.name for each in reply.elements if each is not None] == ["Code"]


@pytest.mark.parametrize("searches", [False, True])
async def test_fields_are_what_can_be_typed_into_with_what_stands_around_them(searches: bool, start: Start) -> None:
    written_in = Widget(PANEL, "Message", (0, 90, 90, 20), states=(*ALIVE, EDITABLE, FOCUSABLE))
    shown = [Widget(PASSWORD, "Password", (0, 30, 90, 20)), Widget(ENTRY, "Name", (0, 0, 90, 20)), written_in]
    hidden = Widget(ENTRY, "Old", (0, 60, 90, 20), states=())
    page = Widget(DOCUMENT_WEB, "", (0, 0, 400, 300), [Widget(BUTTON, "Go", (0, 150, 90, 20)), hidden, *shown])
    group = Widget(PANEL, "Account", (0, 0, 400, 300), [page])
    toolkit = "Chromium" if searches else "Qt"
    _, queries = await start(replace(app(group, toolkit=toolkit), searches=searches))
    reply = await ask(queries, Query.FIELDS, frame([window(1, PID, PLACE, "Diary")]))
    told = [(each.name, each.group) for each in reply.elements if each is not None]
    names = ("Password", "Name", "Message") if searches else ("Name", "Password")
    assert told == [(name, ("Account",)) for name in names]


async def test_the_fields_that_were_described_in_time_are_told(start: Start) -> None:
    bus, queries = await start(app(Widget(ENTRY, "Name", (0, 0, 90, 20)), Widget(ENTRY, "Code", (0, 30, 90, 20))))
    bus.freezes_at["GetRelationSet"] = 1
    reply = await ask(queries, Query.FIELDS, frame([window(1, PID, PLACE, "Diary")]), budget_s=SHORT_S)
    assert ([each.name for each in reply.elements if each is not None], reply.complete) == (["Name"], False)


async def test_actionable_are_the_controls_that_can_be_seen(start: Start) -> None:
    covered = Widget(BUTTON, "Covered", (0, 0, 90, 40))
    outside = Widget(BUTTON, "Outside", (0, 5_000, 90, 40))
    row = [Widget(BUTTON, "Second", (200, 200, 90, 40)), Widget(BUTTON, "First", (0, 200, 90, 40))]
    _, queries = await start(app(covered, outside, Widget(LABEL, "Title", (0, 100, 90, 20)), *row))
    stack = [window(1, PID, PLACE, "Diary"), window(2, 77, Rect(0, 0, 120, 60))]
    reply = await ask(queries, Query.ACTIONABLE, frame(stack))
    assert [each.name for each in reply.elements if each is not None] == ["First", "Second"]


async def test_what_was_read_in_time_is_told(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_console.perception.accessibility.atspi.queries._BATCH", 5)
    rows = [Widget(BUTTON, f"Row {number}", (0, number, 90, 1)) for number in range(20)]
    bus, queries = await start(app(*rows))
    bus.freezes_at["GetRelationSet"] = 12
    reply = await ask(queries, Query.ACTIONABLE, frame([window(1, PID, PLACE, "Diary")]), budget_s=5 * SHORT_S)
    assert not reply.complete
    names = [element.name for element in reply.elements if element is not None]
    assert names and names == [f"Row {number}" for number in range(len(names))]


async def test_readable_are_texts_too_where_they_have_a_name(start: Start) -> None:
    texts = Widget(LABEL, "Title", (0, 100, 90, 20)), Widget(LABEL, "", (0, 140, 90, 20))
    panel = Widget(PANEL, "Panel", (0, 150, 400, 140), [Widget(BUTTON, "Go", (0, 200, 90, 40))])
    _, queries = await start(app(*texts, panel))
    reply = await ask(queries, Query.READABLE, frame([window(1, PID, PLACE, "Diary")]))
    assert [each.name for each in reply.elements if each is not None] == ["Title", "Go"]


async def test_a_list_has_the_same_elements_and_asks_no_more_of_texts_than_their_names_and_places(start: Start) -> None:
    texts = [Widget(LABEL, f"Line {number}", (0, 10 * number, 300, 9)) for number in range(20)]
    nameless = Widget(ENTRY, "", (0, 250, 90, 20), text="Ada", relations=[(LABELLED_BY, [texts[0]])])
    writable = Widget(LABEL, "Notes", (0, 280, 90, 9), states=(*ALIVE, EDITABLE))
    button = Widget(BUTTON, "Go", (0, 220, 90, 20), actions=("press",))
    bus, queries = await start(app(*texts, button, nameless, writable))
    shown = frame([window(1, PID, PLACE, "Diary")])
    listed = (await ask(queries, Query.LISTED, shown)).elements
    asked = bus.asked.copy()
    readable = (await ask(queries, Query.READABLE, replace(shown, frame_id="again"))).elements
    assert [each and (each.element_id, each.role, each.name, each.states, each.box) for each in listed] == [
        each and (each.element_id, each.role, each.name, each.states, each.box) for each in readable
    ]
    assert [each for each in listed if each and each.role is not Role.LABEL] == [
        each for each in readable if each and each.role is not Role.LABEL
    ]
    assert {each.label for each in listed if each} == {"", "Line 0"}
    assert asked["GetAttributes"] == asked["GetRelationSet"] == 3, (
        "of the button, the field, and what can be written in"
    )
    assert bus.asked["GetAttributes"] == 3 + 23


@pytest.mark.parametrize("query", [Query.READABLE, Query.LISTED])
async def test_texts_without_a_name_are_not_asked_where_they_are(query: Query, start: Start) -> None:
    nameless = [Widget(LABEL, "", (0, 10 * number, 300, 9)) for number in range(20)]
    button = Widget(BUTTON, "", (0, 220, 90, 20))
    bus, queries = await start(replace(app(*nameless, button, toolkit="gtk"), searches=True))
    reply = await ask(queries, query, frame([window(1, PID, PLACE, "Diary")]))
    assert [each.role for each in reply.elements if each] == [Role.BUTTON]
    assert bus.asked["GetExtents"] <= 2, "of the window and the button"


def changes_after(bus: FakeBus, searches: int, old: Widget, new: Widget, monkeypatch: pytest.MonkeyPatch) -> None:
    """One widget is replaced by the other after so many more searches."""
    real, last = bus._of, bus.asked["GetMatches"] + searches

    def of(widget: Widget, method: str, body: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
        answer = real(widget, method, body)
        if method == "GetMatches" and bus.asked["GetMatches"] == last:
            old.states, new.states = (), ALIVE
        return answer

    monkeypatch.setattr(bus, "_of", of)


async def test_a_list_that_changes_while_it_is_made_is_made_again(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = Widget(BUTTON, "Old", (0, 0, 90, 20)), Widget(BUTTON, "New", (0, 30, 90, 20), states=())
    bus, queries = await start(replace(app(old, new, toolkit="gtk"), searches=True))
    changes_after(bus, 1, old, new, monkeypatch)
    reply = await ask(queries, Query.LISTED, frame([window(1, PID, PLACE, "Diary")]))
    assert [each.name for each in reply.elements if each] == ["New"]


def held_back_by(bus: FakeBus, old: Widget, new: Widget, monkeypatch: pytest.MonkeyPatch) -> None:
    """One widget was replaced by the other, which is told once the application is asked again what is at a point."""
    real = bus._of

    def of(widget: Widget, method: str, body: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
        if method == "GetAccessibleAtPoint":
            old.states, new.states = (), (*ALIVE, FOCUSABLE, FOCUSED)
        return real(widget, method, body)

    monkeypatch.setattr(bus, "_of", of)


@pytest.mark.parametrize(
    ("query", "toolkit", "asked", "told"),
    [
        (Query.LISTED, "Chromium", False, "New"),
        (Query.LISTED, "gtk", False, "Old"),
        (Query.READABLE, "Chromium", True, "New"),
        (Query.READABLE, "Chromium", False, "Old"),
        (Query.ACTIONABLE, "Chromium", True, "New"),
        (Query.FOCUSED, "Chromium", True, "New"),
    ],
)
async def test_what_a_browser_holds_back_after_a_question_about_a_point_is_told(
    query: Query, toolkit: str, asked: bool, told: str, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("operator_console.perception.accessibility.atspi.chromium_trees.HELD_BACK_S", BUDGET_S)
    old, new = focused(Widget(BUTTON, "Old", (0, 0, 90, 20))), Widget(BUTTON, "New", (0, 30, 90, 20), states=())
    page = Widget(DOCUMENT_WEB, "", (0, 0, 400, 300), [old, new])
    bus, queries = await start(replace(app(page, toolkit=toolkit), searches=True))
    shown = frame([window(1, PID, PLACE, "Diary")])
    if asked:
        await ask(queries, Query.AT, shown, (200, 200))
    held_back_by(bus, old, new, monkeypatch)
    reply = await ask(queries, query, replace(shown, frame_id="next"))
    assert [each.name for each in reply.elements if each and each.role is Role.BUTTON] == [told]


@pytest.mark.parametrize(("old_answers", "hits"), [(0, 3), (1, 3), (2, 4)])
async def test_what_a_browser_says_last_of_a_point_counts_and_is_read_once(
    old_answers: int, hits: int, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = Widget(BUTTON, "Old", (0, 0, 90, 20)), Widget(BUTTON, "New", (0, 0, 90, 20))
    page = Widget(DOCUMENT_WEB, "", (0, 0, 400, 300), [old, new])
    bus, queries = await start(replace(app(page, toolkit="Chromium"), searches=True))
    real = bus._of

    def of(widget: Widget, method: str, body: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
        if method == "GetAccessibleAtPoint":
            return "(so)", ((old if bus.asked[method] <= old_answers else new).ref,)
        return real(widget, method, body)

    monkeypatch.setattr(bus, "_of", of)
    reply = await ask(queries, Query.AT, frame([window(1, PID, PLACE, "Diary")]), (20, 10))
    assert [each.name for each in reply.elements if each] == ["New"]
    assert bus.asked["GetAccessibleAtPoint"] == hits
    assert bus.asked["GetRelationSet"] == (1 if old_answers < 2 else 2)


async def test_a_page_that_comes_to_rest_is_waited_for_once_more(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = Widget(BUTTON, "Old", (0, 0, 90, 20)), Widget(BUTTON, "New", (0, 0, 90, 20))
    page = Widget(DOCUMENT_WEB, "", (0, 0, 400, 300), [old, new])
    bus, queries = await start(replace(app(page, toolkit="Chromium"), searches=True))
    rests = iter([False, True])
    monkeypatch.setattr(path_search, "main_threads_rest", lambda _: next(rests, True))
    real = bus._of

    def of(widget: Widget, method: str, body: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
        if method == "GetAccessibleAtPoint":
            return "(so)", ((old if bus.asked[method] <= 3 else new).ref,)
        return real(widget, method, body)

    monkeypatch.setattr(bus, "_of", of)
    reply = await ask(queries, Query.AT, frame([window(1, PID, PLACE, "Diary")]), (20, 10))
    assert [each.name for each in reply.elements if each] == ["New"]


async def test_a_browser_is_asked_for_its_changes_at_the_point_that_it_is_being_asked_about(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Widget(DOCUMENT_WEB, "", (0, 0, 400, 300), [Widget(ENTRY, "Name", (0, 0, 90, 20))])
    bus, queries = await start(replace(app(page, toolkit="Chromium"), searches=True))
    shown = frame([window(1, PID, PLACE, "Diary")])
    points: list[Any] = []
    listing: list[asyncio.Task[ElementsReply]] = []
    real = bus._of

    def of(widget: Widget, method: str, body: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
        if method == "GetAccessibleAtPoint":
            points.append(body[:2])
            if not listing:
                listing.append(asyncio.get_running_loop().create_task(ask(queries, Query.LISTED, shown)))
        return real(widget, method, body)

    monkeypatch.setattr(bus, "_of", of)
    await ask(queries, Query.AT, shown, (20, 10))
    await asyncio.gather(*listing)
    assert points == [(20, 10)] * (3 + 1)


@pytest.mark.parametrize("toolkit", ["gtk", "Qt"])
async def test_a_list_that_still_holds_is_not_made_again(toolkit: str, start: Start) -> None:
    old, new = Widget(BUTTON, "Old", (0, 0, 90, 20)), Widget(BUTTON, "New", (0, 30, 90, 20), states=())
    _, queries = await start(replace(app(old, new, toolkit=toolkit), searches=toolkit == "gtk"))
    shown = frame([window(1, PID, PLACE, "Diary")])
    first = await ask(queries, Query.LISTED, shown)
    assert (first.same, [each.name for each in first.elements if each]) == (False, ["Old"])
    again = await ask(queries, Query.LISTED, shown, known=first.job)
    assert (again.same, again.elements) == (True, ())
    old.states, new.states = (), ALIVE
    changed = await ask(queries, Query.LISTED, shown, known=first.job)
    assert (changed.same, [each.name for each in changed.elements if each]) == (False, ["New"])


async def test_an_application_that_is_quick_is_asked_for_more_at_a_time(start: Start) -> None:
    rows = [Widget(BUTTON, f"Row {number}", (0, number, 90, 1)) for number in range(250)]
    bus, queries = await start(app(*rows))
    shown = frame([window(1, PID, PLACE, "Diary")])
    names = [f"Row {number}" for number in range(250)]
    for number in range(3):
        reply = await ask(queries, Query.LISTED, replace(shown, frame_id=str(number)))
        assert [each.name for each in reply.elements if each] == names
    bus.freezes_at["GetRelationSet"] = bus.asked["GetRelationSet"] + 100
    reply = await ask(queries, Query.LISTED, replace(shown, frame_id="frozen"), budget_s=5 * SHORT_S)
    assert not reply.complete


async def test_a_frozen_application_is_skipped_and_others_are_answered(start: Start) -> None:
    bus, queries = await start(
        app(Widget(BUTTON, "Stuck", (0, 0, 400, 300)), pid=OTHER), app(Widget(BUTTON, "Go", PLACE_BOX))
    )
    bus.frozen.add(OTHER)
    stack = [window(1, PID, Rect(0, 0, 400, 300), "Diary"), window(2, OTHER, Rect(400, 0, 400, 300), "Diary")]
    first = await ask(queries, Query.AT, frame(stack), (500, 50), budget_s=SHORT_S)
    assert first.elements == (None,)
    assert not first.complete
    assert (await ask(queries, Query.EXPOSURE, frame(stack))).exposure is Exposure.NOT_ANSWERING
    asked = bus.asked.total()
    again = await ask(queries, Query.AT, frame(stack, frame_id="2"), (500, 50), (50, 50))
    assert [each and each.name for each in again.elements] == [None, "Go"]
    assert asked < bus.asked.total()
    assert len(bus.held) <= 4, "a frozen application is not asked again"


async def test_an_application_that_told_and_does_not_answer_is_asked_for_passwords_until_it_does(start: Start) -> None:
    bus, queries = await start(
        app(Widget(PASSWORD, "Code", (0, 0, 90, 20))), app(Widget(PASSWORD, "Key", PLACE_BOX), pid=OTHER)
    )
    stack = [window(1, PID, PLACE, "Diary"), window(2, OTHER, Rect(400, 0, 400, 300), "Diary")]
    bus.frozen |= {PID, OTHER}
    never = await ask(queries, Query.PASSWORDS, frame(stack, frame_id="never"), budget_s=SHORT_S)
    assert (never.complete, never.silent, never.elements) == (False, (), ())
    bus.thaw(PID)
    bus.thaw(OTHER)
    while not (await ask(queries, Query.PASSWORDS, frame(stack, frame_id="both"))).complete:
        pass
    bus.frozen.add(PID)
    silent = await ask(queries, Query.PASSWORDS, frame(stack, frame_id="silent"), budget_s=5 * SHORT_S)
    assert (silent.complete, silent.silent) == (False, (1,))
    assert [each.name for each in silent.elements if each is not None] == ["Key"]
    asyncio.get_running_loop().call_later(SHORT_S, bus.thaw, PID)
    waited = await ask(queries, Query.PASSWORDS, frame(stack, frame_id="waits"))
    assert (waited.complete, waited.silent) == (True, ())
    assert {each.name for each in waited.elements if each is not None} == {"Key", "Code"}


LONG_VIEW = (0, 40, 400, 200)


def long_list(rows: int) -> Widget:
    """A list that shows its rows from 400 on. None says that it does not show."""
    items = [Widget(LIST_ITEM, f"Row {row}", (0, 40 + 20 * (row - 400), 400, 20)) for row in range(rows)]
    return Widget(LIST, "Rows", LONG_VIEW, items)


def sheet(rows: int, columns: int) -> Widget:
    """A table of cells of 100 x 20, which shows those of the rows from 20 on, and of the columns from 10 on."""
    places = [(row, column) for row in range(rows) for column in range(columns)]
    cells = [
        Widget(CELL, f"{row}/{column}", (100 * (column - 10), 40 + 20 * (row - 20), 100, 20)) for row, column in places
    ]
    return Widget(TABLE, "Sheet", LONG_VIEW, cells, columns=columns)


@pytest.mark.parametrize(("toolkit", "searches"), [("Qt", False), ("gtk", True), ("Chromium", True)])
async def test_of_many_rows_or_cells_only_those_that_can_be_seen_are_asked_for(
    start: Start, monkeypatch: pytest.MonkeyPatch, toolkit: str, searches: bool
) -> None:
    module = "operator_console.perception.accessibility.atspi.large_containers"
    for most in ("_MOST_IN_WINDOW", "_MOST_IN_BROWSER"):
        monkeypatch.setattr(f"{module}.{most}", 300)
    page = Widget(DOCUMENT_WEB, "Page", PLACE_BOX)
    made = {"list": long_list(800), "sheet": sheet(40, 20)}
    wanted = {
        "list": [f"Row {row}" for row in range(400, 410)],
        "sheet": [f"{row}/{column}" for row in range(20, 30) for column in range(10, 14)],
    }
    for number, (kind, large) in enumerate(made.items()):
        page.children = [Widget(BUTTON, "Go", (0, 0, 40, 20)), large]
        asked = app(replace(page), pid=PID + number, toolkit=toolkit)
        asked.searches = searches
        bus, queries = await start(asked)
        shown = frame([window(1, PID + number, PLACE, "Diary")])
        reply = await ask(queries, Query.READABLE, shown)
        names = [each.name for each in reply.elements if each is not None and each.role in (Role.CELL, Role.LIST_ITEM)]
        assert names == wanted[kind]
        assert any(each is not None and each.name == "Go" for each in reply.elements)
        for query in (Query.FOCUSED, Query.FIELDS):
            assert bus.gone_through < 400, (kind, query)
            bus.gone_through = 0
            await ask(queries, query, shown)
        assert bus.gone_through < 400, kind


async def test_the_cells_of_an_office_program_are_asked_last_and_never_for_passwords(start: Start) -> None:
    cells, line = sheet(40, 20), focused(Widget(ENTRY, "Line", (0, 0, 400, 30)))
    line.states = (*line.states, EDITABLE)
    focused(next(each for each in cells.children if each.name == "21/12"))
    office = app(cells, Widget(PANEL, "", LONG_VIEW, [line]), toolkit="gtk")
    office.name, office.searches = "soffice", True
    bus, queries = await start(office)
    shown = [frame([window(1, PID, PLACE, "Diary")], frame_id=str(number)) for number in range(3)]
    await ask(queries, Query.PASSWORDS, shown[0])
    (written_in,) = (await ask(queries, Query.FOCUSED, shown[1])).elements
    assert written_in is not None
    assert written_in.name == "Line"
    assert bus.asked["GetMatches"] == bus.asked["GetAccessibleAt"] == 0
    line.states = ALIVE
    (cell,) = (await ask(queries, Query.FOCUSED, shown[2])).elements
    assert cell is not None
    assert cell.name == "21/12"


async def test_a_late_reply_ends_the_skipping(start: Start) -> None:
    bus, queries = await start(app(Widget(BUTTON, "Go", PLACE_BOX)))
    bus.frozen.add(PID)
    shown = frame([window(1, PID, PLACE, "Diary")])
    await ask(queries, Query.AT, shown, (50, 50), budget_s=SHORT_S)
    bus.thaw(PID)
    reply = await ask(queries, Query.EXPOSURE, replace(shown, frame_id="2"))
    while reply.exposure is Exposure.NOT_ANSWERING:
        reply = await ask(queries, Query.EXPOSURE, replace(shown, frame_id="2"))
    assert reply.exposure is Exposure.FULL


async def test_calls_to_an_application_that_never_replies_are_not_kept(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus, queries = await start(app(Widget(BUTTON, "Go", PLACE_BOX)))
    monkeypatch.setattr("operator_console.perception.accessibility.atspi.connection.SILENT_S", 0.0)  # asked at once
    connection = queries._bus
    assert isinstance(connection, BusConnection)
    bus.frozen.add(PID)
    kept: list[int] = []
    for number in range(3):
        shown = frame([window(1, PID, PLACE, "Diary")], frame_id=str(number))
        await ask(queries, Query.AT, shown, (50, 50), budget_s=SHORT_S)
        kept.append(len(connection._waiting))
    assert len(bus.held) >= 3
    assert kept == [0, 0, 0]
    assert len(connection._late) == 1, "one call, whose reply would end the silence"


async def test_what_an_application_exposes_is_told_apart(start: Start) -> None:
    _, queries = await start(app(Widget(BUTTON, "Go", PLACE_BOX)), app(pid=OTHER, title="Empty"))
    full = await ask(queries, Query.EXPOSURE, frame([window(1, PID, PLACE, "Diary")]))
    empty = await ask(queries, Query.EXPOSURE, frame([window(1, OTHER, PLACE, "Empty")]))
    absent = await ask(queries, Query.EXPOSURE, frame([window(1, OTHER + 1, PLACE, "xterm")]))
    assert [each.exposure for each in (full, empty, absent)] == [Exposure.FULL, Exposure.NOTHING, Exposure.NOTHING]


PLACE_BOX = (0, 0, 400, 300)


async def test_an_entry_tells_the_others_of_its_menu_or_list_and_a_button_no_entries_of_menus(start: Start) -> None:
    names = ("All", "Phone", "Network")
    menu = Widget(
        MENU, "", (0, 0, 90, 90),
        [Widget(MENU_ITEM, name, (0, 30 * row, 90, 30)) for row, name in enumerate(names)],
    )  # fmt: skip
    shelf = Widget(
        31, "", (100, 0, 90, 90), [Widget(32, name, (100, 30 * row, 90, 30)) for row, name in enumerate(names)]
    )
    _, queries = await start(app(menu, shelf, Widget(BUTTON, "Print", (0, 200, 90, 40))))
    entry, item, button = await at(queries, 5, 70), await at(queries, 105, 70), await at(queries, 5, 210)
    assert entry is not None and {"All", "Phone"} < set(entry.around)
    assert item is not None and {"All", "Phone"} <= set(item.around)
    assert button is not None and set(names) <= set(button.around), "of the list"
    alone = app(menu, Widget(BUTTON, "Print", (0, 200, 90, 40)), pid=OTHER)
    _, queries = await start(alone)
    button = await at(queries, 5, 210, frame([window(1, OTHER, PLACE, "Diary")]))
    assert button is not None and button.around == ()


async def test_a_button_tells_what_stands_around_it_nearest_first(start: Start) -> None:
    link = Widget(88, "Prices", (0, 0, 90, 20), [Widget(LABEL, "Prices", (0, 0, 90, 20))])
    total, far = Widget(LABEL, "Total 12 EUR", (10, 170, 90, 20)), Widget(LABEL, "Ride", (10, 40, 90, 20))
    own = Widget(BUTTON, "Confirm", (10, 200, 80, 40), [Widget(LABEL, "Confirm", (12, 202, 30, 20))])
    _, queries = await start(app(link, far, Widget(ENTRY, "Voucher", (10, 80, 90, 20)), total, own))
    found = await at(queries, 15, 205)
    assert found is not None
    assert found.around == ("Total 12 EUR", "Voucher", "Ride")
    field = await at(queries, 15, 90)
    assert field is not None
    assert field.around == ()
    drawn_as_button = await at(queries, 15, 45)
    assert drawn_as_button is not None
    assert "Total 12 EUR" in drawn_as_button.around
