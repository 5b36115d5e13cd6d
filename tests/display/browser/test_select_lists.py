"""The open list of a `<select>`, pickers and context menus: nothing is clicked through them to the page beneath."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from operator_console.domain.actions import Button, Chord, Click, Drag, Scroll
from operator_console.domain.elements import ElementState, Role
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.pages import DialogKind
from operator_console.injector.action_errors import Refused
from tests.display.browser.element_rig import ElementRig, element_rig
from tests.display.rig import Desktop

BENEATH = '<button id=beneath style="position:absolute;left:0;top:70px;width:780px;height:500px">Beneath</button>'


@pytest.fixture(scope="module")
def rig() -> Iterator[ElementRig]:
    with element_rig() as made:
        yield made


def listed(count: int, *, top: int = 40) -> str:
    """A page with a list: the first option and one in a group cannot be chosen, the second half is a group."""
    half = count // 2

    def option(number: int) -> str:
        return f"<option{' disabled' if number in (0, half + 1) else ''}>Option {number}</option>"

    options = "".join(map(option, range(half)))
    grouped = "".join(map(option, range(half, count)))
    return (
        f"<title>List</title>{BENEATH}<select id=s aria-label=Choice style='position:absolute;left:60px;top:{top}px'>"
        f"{options}<optgroup label=More>{grouped}</optgroup></select>"
    )


def opened(rig: ElementRig) -> None:
    """Open the list; the page has told of that, and it is forgotten."""
    rig.click(rig.named("Choice"))
    rig.until(lambda: len(rig.heard("mousedown", "mouseup", "click")) == 3)
    rig.server.heard.clear()


@pytest.mark.parametrize("count", [25, *(pytest.param(each, marks=pytest.mark.full) for each in (4, 200))])
def test_a_click_on_a_row_chooses_it_with_one_change(rig: ElementRig, count: int) -> None:
    a_clicked_row_is_chosen(rig, count)


@pytest.mark.full
def test_a_click_on_a_row_chooses_it_at_twice_the_scale() -> None:
    with element_rig(scale=2.0) as rig:
        for count in (4, 25, 200):
            a_clicked_row_is_chosen(rig, count)


def a_clicked_row_is_chosen(rig: ElementRig, count: int) -> None:
    rig.open(listed(count))
    rig.click(rig.named("Choice"))
    rig.until(lambda: rig.computer.state.page.dialog is not None, "the list")
    page = rig.computer.state.page
    assert page.dialog is not None
    assert (page.dialog.kind, page.dialog.message, len(page.dialog.options)) == (DialogKind.LIST, "Choice", count)
    rows = {each.name: each for each in rig.visible() if each.role is Role.LIST_ITEM}
    assert ElementState.DISABLED in rows["Option 0"].states
    assert ElementState.SELECTED in rows["Option 1"].states
    last = next(each for each in reversed(rows.values()) if ElementState.DISABLED not in each.states)
    assert rig.click(last).way == "arrow keys and Enter in the open list"
    rig.until(lambda: len(rig.heard("input", "change")) == 2)
    assert [(each["name"], each["value"]) for each in rig.heard("input", "change")] == [
        ("input", last.name), ("change", last.name),
    ]  # fmt: skip
    assert {each["on"] for each in rig.heard("mousedown", "click", "mouseup")} == {"s"}
    assert (rig.named("Choice").value, rig.computer.state.page.dialog) == (last.name, None)


def test_a_row_far_down_is_reached_by_the_wheel(rig: ElementRig) -> None:
    rig.open(listed(200))
    rig.click(rig.named("Choice"))
    before = rig.visible()
    rig.do(Scroll(at=NativePoint(*before[3].box.centre), dy=20))
    rig.until(lambda: rig.visible()[1].name != before[1].name)
    row = rig.named("Option 70")
    rig.click(row)
    rig.until(lambda: rig.heard("change"))
    assert rig.heard("change")[0]["value"] == "Option 70"
    assert not [each for each in rig.server.heard if each["on"] == "beneath"]


def test_an_open_list_above_its_element_is_chosen_from_too(rig: ElementRig) -> None:
    rig.open(listed(25, top=540))
    rig.click(rig.named("Choice"))
    row = rig.named("Option 9")
    assert row.box.bottom < 540
    rig.click(row)
    rig.until(lambda: rig.heard("change"))
    assert rig.heard("change")[0]["value"] == "Option 9"


def test_a_click_elsewhere_closes_the_list_and_presses_nothing(rig: ElementRig) -> None:
    rig.open(listed(4))
    opened(rig)
    assert rig.do(Click(at=NativePoint(600, 400))).way == "Escape, which closes the open list"
    rig.until(lambda: rig.computer.state.page.dialog is None)
    assert not rig.heard("mousedown", "click", "keydown", "change")
    rig.click(rig.named("Beneath"))
    rig.until(lambda: rig.heard("click"))
    assert rig.heard("click")[0]["on"] == "beneath"


def test_a_row_that_cannot_be_chosen_changes_nothing(rig: ElementRig) -> None:
    rig.open(listed(4))
    opened(rig)
    rig.click(rig.named("Option 0"))
    assert rig.computer.state.page.dialog is not None
    assert not rig.heard("mousedown", "click", "change")


def test_what_a_list_does_not_take_is_refused_by_name(rig: ElementRig) -> None:
    rig.open(listed(4))
    opened(rig)
    for action in (
        Click(at=NativePoint(600, 400), button=Button.RIGHT),
        Drag(path=(NativePoint(80, 80), NativePoint(300, 300))),
        Scroll(at=NativePoint(600, 400), dy=1),
    ):
        with pytest.raises(Refused, match="A list is open"):
            rig.do(action)
    assert not rig.heard("mousedown", "contextmenu")


def test_keys_go_to_the_list(rig: ElementRig) -> None:
    rig.open(listed(25))
    rig.click(rig.named("Choice"))
    for key in ("down", "down", "enter"):
        rig.do(Chord(keys=(Key(key),)))
    rig.until(lambda: rig.heard("change"))
    assert rig.heard("change")[0]["value"] == "Option 3"
    rig.until(lambda: rig.computer.state.page.dialog is None)


def test_a_list_that_the_page_closes_is_closed(rig: ElementRig) -> None:
    rig.open(listed(4) + "<script>s.onfocus = () => setTimeout(() => s.remove(), 300)</script>")
    rig.click(rig.named("Choice"))
    rig.until(lambda: rig.computer.state.page.dialog is not None or not rig.heard("focusin"))
    rig.until(lambda: rig.computer.state.page.dialog is None, "the list to close")


def test_a_choice_in_a_list_with_other_options_by_now_is_refused(rig: ElementRig) -> None:
    rig.open(listed(4) + "<script>s.onfocus = () => setTimeout(() => { s.options[2].label = 'Other'; }, 400)</script>")
    rig.click(rig.named("Choice"))
    frame, row = rig.frame(), rig.named("Option 2")
    rig.until(lambda: [each for each in rig.visible() if each.name == "Other"])
    with pytest.raises(Refused, match="Another window"):
        rig.do(Click(at=NativePoint(*row.box.centre)), frame)
    assert not rig.heard("change")


@pytest.mark.parametrize("kind", ["color", "date"])
def test_a_picker_is_closed_and_named(rig: ElementRig, kind: str) -> None:
    rig.open(f"<title>Pick</title><input id=p type={kind} aria-label=When style='width:200px'>{BENEATH}")
    box = rig.named("When").box
    with pytest.raises(Refused, match=f"picker for this field \\({kind}\\)"):
        rig.do(Click(at=NativePoint(box.right - 12, box.centre[1])))
    rig.until(lambda: not rig.computer.state.picker)
    rig.click(rig.named("Beneath"))
    rig.until(lambda: [each for each in rig.heard("click") if each["on"] == "beneath"])


MENUS = """<title>Menus</title><p id=plain>Plain</p><p id=own>Own</p><p id=stops>Stops</p>
<p id=menu hidden>Page's menu</p>
<script>
document.addEventListener('contextmenu', e => tell({name: 'seen', on: e.target.id, trusted: e.defaultPrevented}));
own.addEventListener('contextmenu', e => { if (e.defaultPrevented) return; e.preventDefault(); menu.hidden = false; });
stops.addEventListener('contextmenu', e => {
  tell({name: 'seen', on: 'stops', trusted: e.defaultPrevented});
  e.stopPropagation();
});
</script>"""


def test_in_a_window_a_list_is_chosen_from_too_and_a_right_click_opens_no_menu_but_the_pages_own(
    desktop: Desktop,
) -> None:
    with element_rig(headless=False, display=desktop.name) as rig:
        rig.open(listed(25))
        opened(rig)
        rig.click(rig.named("Option 9"))
        rig.until(lambda: rig.heard("change"))
        assert rig.heard("change")[0]["value"] == "Option 9"
        assert not [each for each in rig.server.heard if each["on"] == "beneath"]
        rig.open(MENUS)
        for name in ("Plain", "Own", "Stops"):
            rig.server.heard.clear()
            rig.do(Click(at=NativePoint(*rig.named(name).box.centre), button=Button.RIGHT))
            rig.until(lambda: rig.heard("seen"))
            # The page's handlers ran before ours: none of them found the event prevented but by itself.
            assert rig.heard("seen")[0]["trusted"] is (name == "Own")
            rig.frame()  # a menu would be open by now
            assert all(width <= 1 for _, _, width, _ in desktop.pop_ups().values()), name
        assert rig.named("Page's menu").role is Role.PARAGRAPH
