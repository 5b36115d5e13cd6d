"""An element that was seen is used as a hand would: recognised again, scrolled into view, hit or refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from operator_console.domain.actions import Click, TypeText, UseElement
from operator_console.domain.element_uses import ElementUse, identity_of
from operator_console.domain.elements import ElementState, Role
from operator_console.domain.errors import RejectedReason
from operator_console.domain.geometry import NativePoint
from operator_console.injector.action_errors import Refused
from tests.display.browser.element_rig import ElementRig, element_rig

PAGE = """<title>Use</title><button id=b>Save</button><input id=f aria-label=Name>
<input type=checkbox id=c aria-label=Agree>
<select id=s aria-label=Colour><option>Red<option disabled>Grey<option>Blue<option>Blue<option>Green</select>
<select id=m aria-label=Many size=4><option>One<option>Two<option>Three</select>
<div role=listbox aria-label=Own id=o><div role=option id=o1>Left</div><div role=option id=o2>Right</div></div>
<div id=d tabindex=0 role=button>Own button</div>"""


@pytest.fixture(scope="module")
def rig() -> Iterator[ElementRig]:
    with element_rig() as made:
        yield made


def refused(rig: ElementRig, use: ElementUse, named: str, **more: str) -> Refused:
    """Why an element is not used, after which the page has heard nothing."""
    element = rig.named(named)
    rig.server.heard.clear()
    with pytest.raises(Refused) as caught:
        rig.use(use, element, **more)
    assert not rig.heard("mousedown", "click", "keydown")
    return caught.value


def test_a_press_is_a_click_of_a_hand(rig: ElementRig) -> None:
    rig.open(PAGE)
    assert rig.use(ElementUse.PRESS, rig.named("Save"), name="press").way == "click on the element"
    rig.until(lambda: rig.heard("click"))
    rig.until(lambda: len(rig.heard("click", "mousedown", "mouseup")) == 3)
    assert [(each["name"], each["on"], each["trusted"]) for each in rig.heard("click", "mousedown", "mouseup")] == [
        ("mousedown", "b", True), ("mouseup", "b", True), ("click", "b", True),
    ]  # fmt: skip


def test_a_field_gets_the_focus_by_a_click_and_a_button_without_being_pressed(rig: ElementRig) -> None:
    rig.open(PAGE)
    assert rig.use(ElementUse.FOCUS, rig.named("Name")).way == "click into the element"
    assert ElementState.FOCUSED in rig.named("Name").states
    rig.do(TypeText(text="Ann"))
    assert rig.named("Name").value == "Ann"
    rig.until(lambda: len(rig.heard("mousedown", "mouseup", "click")) == 3)
    rig.server.heard.clear()
    assert rig.use(ElementUse.FOCUS, rig.named("Own button")).way == "focus of the element"
    assert ElementState.FOCUSED in rig.named("Own button").states
    assert not rig.heard("mousedown", "click")


def test_an_option_is_chosen_with_one_change(rig: ElementRig) -> None:
    rig.open(PAGE)
    assert rig.use(ElementUse.CHOOSE, rig.named("Colour"), option="Green").way == "open list, arrow keys and Enter"
    rig.until(lambda: len(rig.heard("input", "change")) == 2)
    assert [(each["name"], each["on"], each["value"]) for each in rig.heard("input", "change")] == [
        ("input", "s", "Green"), ("change", "s", "Green"),
    ]  # fmt: skip
    assert not rig.heard("keydown"), "its keys are for the list, not for the page"
    rig.until(lambda: rig.computer.state.page.dialog is None, "the list to close")


def test_an_option_that_can_be_seen_is_clicked(rig: ElementRig) -> None:
    rig.open(PAGE)
    assert rig.use(ElementUse.CHOOSE, rig.named("Many"), option="Two").way == "click on the option"
    rig.until(lambda: rig.heard("change"))
    assert rig.heard("change")[0]["value"] == "Two"


def test_only_one_option_with_that_name_that_is_enabled_is_chosen(rig: ElementRig) -> None:
    rig.open(PAGE)
    for option, why in (("Purple", "no option"), ("Blue", "several"), ("Grey", "disabled")):
        assert why in str(refused(rig, ElementUse.CHOOSE, "Colour", option=option))


def test_what_is_out_of_view_is_scrolled_into_it(rig: ElementRig) -> None:
    rig.open("""<title>Far</title><div style="height:120px;width:300px;overflow:auto"><div style="height:2000px">
    <button style="margin-top:100px;height:60px" id=b>Half</button></div></div>""")
    half = rig.named("Half")
    assert half.box.height < 60
    rig.use(ElementUse.PRESS, half, name="press")
    rig.until(lambda: rig.heard("click"))
    assert rig.heard("click")[0]["on"] == "b"


def test_an_element_in_a_frame_of_another_site_is_used_where_it_is(rig: ElementRig) -> None:
    rig.open({
        "": """<title>Outer</title><div style="height:500px"></div>
        <iframe src="{other}/far" style="width:400px;height:90px;border:3px solid;margin-left:50px"></iframe>
        <div style="height:900px"></div>""",
        "far": """<title>Far</title><div style='height:40px'></div><button id=b>Pay</button>
        <div style='height:600px'></div>""",
    })  # fmt: skip
    rig.until(lambda: [each for each in rig.visible() if each.name == "Pay"])
    rig.use(ElementUse.PRESS, rig.named("Pay"), name="press")
    rig.until(lambda: rig.heard("click"))
    assert (rig.heard("click")[0]["on"], rig.heard("click")[0]["trusted"]) == ("b", True)


def test_an_element_of_the_document_before_is_gone(rig: ElementRig) -> None:
    rig.open(PAGE)
    save = rig.named("Save")
    rig.open(PAGE)
    identity = identity_of(save)
    assert identity is not None
    with pytest.raises(Refused) as caught:
        rig.do(UseElement(use=ElementUse.PRESS, element=identity, at=NativePoint(*save.box.centre), name="press"))
    assert caught.value.reason == RejectedReason.STALE.value
    assert "no longer there" in str(caught.value)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("b.remove()", "no longer there"),
        ("b.replaceWith(b.cloneNode(true))", "no longer there"),
        ("b.style.display = 'none'", "no longer there"),
        ("b.textContent = 'Delete all'", "is called “Delete all” now"),
        ("b.disabled = true", "disabled now"),
    ],
)
def test_an_element_that_has_become_another_is_not_used(rig: ElementRig, script: str, why: str) -> None:
    # The rest of the page looks the same, so that only the element tells.
    rig.open(f'<title>Use</title><button id=b>Save</button><p onclick="{script}">Change it</p>')
    save, frame = rig.named("Save"), rig.frame()
    rig.click(rig.named("Change it"))
    rig.until(lambda: len(rig.heard("mousedown", "mouseup", "click")) == 3)
    identity = identity_of(save)
    assert identity is not None
    used = UseElement(use=ElementUse.PRESS, element=identity, at=NativePoint(790, 590), name="press")
    rig.server.heard.clear()
    with pytest.raises(Refused, match=why):
        rig.do(used, frame)
    assert not rig.heard("mousedown")


def test_a_covered_element_is_refused_and_nothing_else_is_hit(rig: ElementRig) -> None:
    rig.open("""<title>Cover</title><button id=b style="width:200px;height:80px">Save</button>
    <p onclick="cover.hidden = false">Cover it</p>
    <div id=cover hidden style="position:fixed;inset:0;background:#fff8">Over all of it</div>""")
    save, frame = rig.named("Save"), rig.frame()
    rig.click(rig.named("Cover it"))
    rig.until(lambda: len(rig.heard("mousedown", "mouseup", "click")) == 3, "the click on the paragraph")
    identity = identity_of(save)
    assert identity is not None
    used = UseElement(use=ElementUse.PRESS, element=identity, at=NativePoint(*save.box.centre), name="press")
    frame = replace(frame, pixels=rig.frame().pixels)
    rig.server.heard.clear()
    with pytest.raises(Refused) as caught:
        rig.do(used, frame)
    assert caught.value.reason == RejectedReason.COVERED.value
    assert not rig.heard("mousedown", "click")


def test_an_action_that_does_not_press_it_is_refused(rig: ElementRig) -> None:
    rig.open(PAGE)
    assert "no accessible action" in str(refused(rig, ElementUse.PRESS, "Save", name="clickAncestor"))


def test_a_button_of_a_dialog_is_used_too(rig: ElementRig) -> None:
    rig.open("<title>Ask</title><button onclick=\"tell({name: 'said', on: String(confirm('Sure?'))})\">Ask</button>")
    rig.click(rig.named("Ask"))
    rig.until(lambda: rig.computer.state.page.dialog)
    cancel = rig.named("Cancel")
    assert cancel.role is Role.BUTTON
    rig.use(ElementUse.PRESS, cancel, name="press")
    rig.until(lambda: rig.heard("said"))
    assert rig.heard("said")[0]["on"] == "false"
    with pytest.raises(Refused):
        rig.do(Click(at=NativePoint(5000, 5000)))
