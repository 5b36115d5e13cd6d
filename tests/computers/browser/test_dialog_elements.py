"""The dialogs and lists that are drawn over a page have elements where they are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.browser.dialog_layout import lay_out, scrolled
from operator_console.computers.browser.page_elements import dialog_elements
from operator_console.domain.elements import Element, ElementState, Role
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.pages import DialogKind, ListOption, PageDialog

NATIVE = Size(800, 600)
ABOUT = Element(element_id="", role=Role.UNKNOWN, box=Rect(0, 0, 0, 0), app="Chromium", pid=7, url="http://a.example/")
SIGN_IN = PageDialog(
    dialog_id="4", kind=DialogKind.SIGN_IN, origin="http://b.example", values=("ann", ""), focus=1
)  # fmt: skip
OPTIONS = tuple(
    ListOption(number=number, name=f"Option {number}", group="More" if number > 2 else "", disabled=number == 1)
    for number in range(60)
)


def of(dialog: PageDialog, scale: float = 1.0) -> Sequence[Element]:
    return dialog_elements(dialog, Size(round(800 * scale), round(600 * scale)), scale, ABOUT)


def an_open_list(first: int = 0, y: float = 40.0) -> PageDialog:
    return PageDialog(
        dialog_id="5", kind=DialogKind.LIST, message="Size", options=OPTIONS, chosen=2, first=first,
        beside=(30.0, y, 90.0, 20.0), element="T/a.1",
    )  # fmt: skip


def test_a_sign_in_has_its_fields_and_tells_no_password() -> None:
    found = {each.name: each for each in of(SIGN_IN) if each.role is not Role.LABEL}
    assert [(each.role, each.value) for each in found.values()][1:] == [
        (Role.TEXT_FIELD, "ann"), (Role.PASSWORD_FIELD, ""), (Role.BUTTON, ""), (Role.BUTTON, ""),
    ]  # fmt: skip
    assert ElementState.FOCUSED in found["Password"].states
    assert ElementState.DEFAULT in found["Sign in"].states
    about = found["Sign in"].dialog
    assert about is not None
    assert (about.title, about.default, found["Sign in"].url) == ("Sign in to b.example", "Sign in", "http://b.example")


def test_every_element_stands_where_it_is_drawn_at_each_scale() -> None:
    for scale in (1.0, 2.0):
        layout = lay_out(SIGN_IN, Size(round(800 * scale), round(600 * scale)), scale)
        boxes = [each.box for each in of(SIGN_IN, scale)]
        assert boxes == [layout.box, *(box for _, box in layout.lines), *(part.box for part in layout.parts)]


def test_a_list_shows_twenty_rows_with_the_names_of_groups_between_them() -> None:
    found = of(an_open_list())
    assert (found[0].role, found[0].name) == (Role.LIST, "Size")
    rows = found[1:]
    assert len(rows) == 19  # and the name of a group
    assert rows[3].group == ("More", "Size")
    assert ElementState.DISABLED in rows[1].states
    assert ElementState.SELECTED in rows[2].states
    assert {each.box.height for each in rows} == {24}
    assert rows[3].box.y - rows[2].box.y == 48


def test_a_scrolled_list_begins_with_another_row_and_ends_with_the_last() -> None:
    dialog = an_open_list()
    layout = lay_out(dialog, NATIVE, 1.0)
    assert scrolled(dialog, layout, 2) == 6
    assert scrolled(dialog, layout, -2) == 0
    assert scrolled(dialog, layout, 100) == 41  # of 61 rows
    assert of(an_open_list(first=41))[-1].name == "Option 59"


def test_a_list_at_the_foot_of_a_page_opens_upwards() -> None:
    whole = of(an_open_list(y=560.0))[0].box
    assert whole.bottom <= 560
    assert whole.y >= 0


def test_a_narrow_page_still_shows_the_list_inside_it() -> None:
    whole = dialog_elements(an_open_list(), Size(120, 90), 1.0, ABOUT)[0].box
    assert whole.intersect(Rect(0, 0, 120, 90)) == whole
