"""What a managed browser tells of its pages: at a point, with the focus, and all that can be seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import sync_playwright

from operator_console.browser.chromium import find_browser
from operator_console.computers.browser import page_elements
from operator_console.domain.elements import Element, ElementState, Exposure, Role
from operator_console.domain.geometry import NativePoint
from operator_console.domain.pages import DialogKind
from operator_console.domain.shutters import parse_shutters
from operator_console.perception.visible_elements import VisibleElements, VisibleTexts
from tests.display.browser.element_rig import ElementRig, element_rig

FORM = """<title>Sign up</title><h1>Welcome</h1>
<form aria-label="Account"><label>Name <input id=name value=Ann required></label>
<label><input type=checkbox id=terms> I agree to the terms</label>
<input type=password id=word placeholder=Password value=s3cret-word>
<select aria-label=Colour><option>Red<option selected>Blue</select>
<button id=send>Send <img alt=now width=8 height=8></button><button disabled>Later</button></form>
<p>Read <a href="/next">the next page</a> first.</p>
<div role=dialog aria-label="Delete it?"><p>This cannot be undone.</p><button>OK</button></div>"""
SHADOW = """<title>Shadow</title><x-open></x-open><div id=shut></div><script>
document.querySelector('x-open').attachShadow({mode: 'open'}).innerHTML = '<button>In the open</button>';
shut.attachShadow({mode: 'closed'}).innerHTML = '<p>Quiet</p><input placeholder=Hidden><button>Behind</button>';
</script>"""
INNER = "<title>Inner</title><button style='margin:20px'>{name}</button><input id=deep>"
FRAMES = {
    "": """<title>Outer</title><button>Outside</button>
    <iframe src=/same style="position:absolute;left:100px;top:80px;width:300px;height:150px;border:7px solid"></iframe>
    <iframe src="{other}/far" style="position:absolute;left:420px;top:280px;width:300px;height:200px;padding:9px">
    </iframe>""",
    "same": INNER.format(name="Near"),
    "far": INNER.format(name="Pay") + "<iframe srcdoc='<button>Deepest</button>' width=200 height=60></iframe>",
}


@pytest.fixture(scope="module")
def rig() -> Iterator[ElementRig]:
    with element_rig() as made:
        yield made


def hit(rig: ElementRig, element: Element) -> Element:
    """What is told at the middle of an element."""
    (found,) = rig.wait(rig.computer.own_elements.at(rig.frame(), [NativePoint(*element.box.centre)]))
    assert found is not None
    return found


def test_a_field_for_a_password_is_black_and_a_shutter_hides_texts(rig: ElementRig) -> None:
    rig.open(FORM)
    frame, computer = rig.frame(), rig.computer
    (field,) = rig.wait(computer.own_elements.passwords(frame, 1.0)) or ()
    heading = next(each for each in rig.visible() if each.name == "Welcome")
    assert set(frame.crop(field.box)) - {0}
    assert rig.wait(computer.hide_passwords([field]))
    computer.hidden.shutters = parse_shutters([
        f"region:{heading.box.x},{heading.box.y},{heading.box.width}x{heading.box.height}"
    ])  # fmt: skip
    try:
        seen = rig.frame()
        assert set(seen.crop(field.box)) == {0}
        assert {area.password for area in seen.hidden} == {True, False}
        listed = rig.wait(VisibleElements(computer.own_elements).visible(seen))
        assert "Welcome" not in {each.name for each in listed}
        assert "Password" in {each.name for each in listed}
        told = rig.wait(VisibleTexts(computer.own_elements).texts(seen))
        assert told is not None
        assert not any("Welcome" in box.text for box in told[0])
    finally:
        rig.wait(computer.hide_passwords([]))
        computer.hidden.shutters = ()


def test_a_form_is_told_with_roles_names_values_states_and_places(rig: ElementRig) -> None:
    rig.open(FORM)
    found = {each.name: each for each in rig.visible()}
    assert {name: each.role for name, each in found.items()} == {
        "Welcome": Role.HEADING, "Name": Role.TEXT_FIELD, "I agree to the terms": Role.CHECK_BOX,
        "Password": Role.PASSWORD_FIELD, "Colour": Role.COMBO_BOX, "Send now": Role.BUTTON, "Later": Role.BUTTON,
        "Read the next page first.": Role.PARAGRAPH, "the next page": Role.LINK,
        "This cannot be undone.": Role.PARAGRAPH, "OK": Role.BUTTON,
    }  # fmt: skip
    assert (found["Name"].value, found["Colour"].value) == ("Ann", "Blue")
    assert ElementState.REQUIRED in found["Name"].states
    assert ElementState.DISABLED in found["Later"].states
    assert found["the next page"].link == f"{rig.server.address()}/next"
    assert {each.url for each in found.values()} == {f"{rig.server.address()}/"}
    assert {each.pid for each in found.values()} == {rig.computer.pid}


def test_a_point_tells_what_is_pressed_and_what_stands_around_it(rig: ElementRig) -> None:
    rig.open(FORM)
    send = hit(rig, rig.named("Send now"))
    assert (send.role, send.group, send.actions) == (Role.BUTTON, ("Account",), ("press",))
    assert "I agree to the terms" in send.around
    sure = hit(rig, rig.named("OK")).dialog
    assert sure is not None
    assert (sure.title, sure.text) == ("Delete it?", "This cannot be undone.")
    told = rig.visible()
    assert [hit(rig, each).element_id for each in told] == [each.element_id for each in told]


SUBMITS = {
    "<form><input id=f><button type=button>Show</button><button>Transfer now</button></form>": ("Transfer now",),
    "<form id=x></form><input id=f form=x><input type=submit form=x value=Publish>": ("Publish",),
    "<form><input id=f><div><button disabled>Pay</button><button>Next</button></div></form>": ("Next",),
    "<div><input id=f><button>Clear</button></div><button>Transfer now</button>": ("Clear", "Transfer now"),
    "<form><input id=f><button type=button>Ask</button></form><button>Out</button>": ("Ask",),
    "<input id=f><p>Pay</p>": (),
}


def test_a_field_tells_the_button_that_enter_presses(rig: ElementRig) -> None:
    told: dict[str, tuple[str, ...]] = {}
    for page in SUBMITS:
        rig.open(f"<title>Form</title>{page}<script>f.focus()</script>")
        found = rig.wait(rig.computer.own_elements.focused(rig.frame()))
        assert found is not None
        told[page] = found.submits
    assert told == SUBMITS


def test_the_words_beside_a_box_are_the_box(rig: ElementRig) -> None:
    rig.open(FORM)
    box = rig.named("I agree to the terms").box
    there = rig.at(box.right + 40, box.centre[1])
    assert there is not None
    assert (there.role, there.name) == (Role.CHECK_BOX, "I agree to the terms")


def test_no_password_leaves_the_page(rig: ElementRig) -> None:
    rig.open(FORM + "<input id=bare style='-webkit-text-security:disc' value=s3cret-word aria-label=Masked>")
    told = [*rig.visible(), hit(rig, rig.named("Password")), hit(rig, rig.named("Masked"))]
    told += rig.wait(rig.computer.own_elements.fields(rig.frame()))
    assert rig.named("Masked").role is Role.PASSWORD_FIELD
    texts = rig.wait(rig.computer.own_elements.texts(rig.frame()))
    assert "s3cret-word" not in repr((told, texts))


def test_open_and_closed_shadow_roots_are_seen_through(rig: ElementRig) -> None:
    rig.open(SHADOW)
    told = [each for each in rig.visible() if each.role is not Role.PARAGRAPH]
    assert [(each.role, each.name) for each in told] == [
        (Role.BUTTON, "In the open"), (Role.TEXT_FIELD, "Hidden"), (Role.BUTTON, "Behind"),
    ]  # fmt: skip
    assert [hit(rig, each).element_id for each in told] == [each.element_id for each in told]
    rig.click(rig.named("Hidden"))
    focused = rig.wait(rig.computer.own_elements.focused(rig.frame()))
    assert focused is not None
    assert (focused.role, focused.name) == (Role.TEXT_FIELD, "Hidden")


def test_frames_of_the_same_and_of_another_site_are_told_in_their_places_with_their_own_address(
    rig: ElementRig,
) -> None:
    frames_are_told(rig, 1)


@pytest.mark.full
def test_frames_are_told_so_at_twice_the_scale() -> None:
    with element_rig(scale=2.0) as rig:
        frames_are_told(rig, 2)


def frames_are_told(rig: ElementRig, scale: int) -> None:
    rig.open(FRAMES)
    rig.until(lambda: len([each for each in rig.visible() if each.role is Role.BUTTON]) == 4, "all frames")
    told = {each.name: each for each in rig.visible() if each.role is Role.BUTTON}
    addresses = {name: each.url for name, each in told.items()}
    here, other = rig.server.address(), rig.server.address("localhost")
    assert addresses == {
        "Outside": f"{here}/",
        "Near": f"{here}/same",
        "Pay": f"{other}/far",
        "Deepest": f"{other}/far",
    }
    # 7 px of border, 20 px of margin, 8 px of the body.
    assert told["Near"].box.x == (100 + 7 + 8 + 20) * scale
    for name, element in told.items():
        found = hit(rig, element)
        assert (found.element_id, found.name) == (element.element_id, name)
        if name == "Deepest":
            continue  # nothing listens there
        rig.server.heard.clear()
        rig.click(element)
        rig.until(lambda: rig.heard("click"), f"the click on {name}")


def test_what_is_covered_or_hidden_is_not_told(rig: ElementRig) -> None:
    rig.open("""<title>Covered</title><button>Free</button><button hidden>Hidden</button>
    <div style="height:40px;overflow:hidden"><button style="margin-top:60px">Cut off</button></div>
    <button style="position:absolute;top:300px;left:10px">Below</button>
    <div style="position:absolute;top:280px;left:0;width:300px;height:100px;background:#fff"></div>""")
    assert [each.name for each in rig.visible() if each.role is Role.BUTTON] == ["Free"]


def test_what_listens_for_presses_without_saying_so_is_told_as_pressable(rig: ElementRig) -> None:
    rig.open("""<title>Listening</title><div id=a>Plain</div><div id=b>Heard</div><div style="cursor:pointer">Hand</div>
    <script>b.addEventListener('click', () => 1)</script>""")
    actions = {each.name: hit(rig, each).actions for each in rig.visible()}
    assert actions == {"Plain": (), "Heard": ("click",), "Hand": ("click",)}


def test_the_pieces_of_a_running_text_between_what_can_be_pressed_are_told_as_one(rig: ElementRig) -> None:
    word = "<span style='cursor:pointer'>{}</span>"
    rig.open(f"""<title>Words</title><p>Sed {word.format("laoreet")} sit amet {word.format("dolor")} et vel.</p>
    <p>To: <b>Ann</b> About: <b>Plants</b></p><p>Cc <input id=copy> Answer to</p>""")
    around = hit(rig, rig.named("laoreet")).around
    assert sorted(around) == ["About:", "Ann", "Answer to", "Cc", "Plants", "Sed sit amet et vel.", "To:", "dolor"]


@pytest.mark.parametrize(
    ("colour", "beside", "covers"),
    [("#111", "", True), ("#111", "<button style='position:absolute;left:500px'>Send</button>", False),
     ("rgba(0, 0, 0, 0.9)", "", False)],
    ids=["all lies behind it", "a button beside it", "it can be seen through"],
)  # fmt: skip
def test_the_only_text_of_an_area_in_front_of_all_fields_and_buttons_is_told_so(
    rig: ElementRig, colour: str, beside: str, covers: bool
) -> None:
    rig.open(f"""<title>Start</title>{beside}<p><input type=password><button>Login</button></p>
    <div style="position:absolute;inset:0 400px 100px 0;background:{colour}">Begin</div>""")
    assert (ElementState.COVERING in hit(rig, rig.named("Begin")).states) is covers


def test_a_page_without_a_focused_field_tells_its_document(rig: ElementRig) -> None:
    rig.open(FORM)
    focused = rig.wait(rig.computer.own_elements.focused(rig.frame()))
    assert focused is not None
    assert (focused.role, focused.name) == (Role.DOCUMENT, "Sign up")
    assert rig.wait(rig.computer.own_elements.exposure(rig.frame())) is Exposure.FULL


def test_a_dialog_is_told_in_place_of_the_page_beneath(rig: ElementRig) -> None:
    rig.open(
        "<title>Asks</title><button style='width:800px;height:500px' onclick=\"prompt('Your name?')\">All</button>"
    )
    rig.click(rig.named("All"))
    rig.until(lambda: rig.computer.state.page.dialog)
    told = {each.name: each for each in rig.visible()}
    assert (told["Answer"].role, told["OK"].role, told["Cancel"].role) == (Role.TEXT_FIELD, Role.BUTTON, Role.BUTTON)
    about = told["OK"].dialog
    assert about is not None
    assert (about.text, about.default) == ("Your name?\nAnswer", "OK")
    assert rig.at(20, 550) is None
    rig.click(told["Cancel"])
    rig.until(lambda: rig.computer.state.page.dialog is None)


def test_the_lines_of_text_are_told_with_their_words(rig: ElementRig) -> None:
    rig.open(FORM)
    told = rig.wait(rig.computer.own_elements.texts(rig.frame()))
    assert told is not None
    lines, pictures = told
    assert [each.text for each in lines if "next" in each.text] == ["the next page"]
    assert [part.text for each in lines for part in each.parts if each.text == "the next page"] == [
        "the", "next", "page",
    ]  # fmt: skip
    assert len(pictures) == 1


def test_names_and_roles_are_those_that_another_client_computes(rig: ElementRig) -> None:
    page = rig.open(FORM + SHADOW)
    assert page.page is not None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox"])
        try:
            judge = browser.new_page(viewport={"width": 800, "height": 600})
            judge.goto(page.page.url)
            for element in rig.visible():
                if element.role in (Role.BUTTON, Role.LINK, Role.HEADING, Role.CHECK_BOX, Role.COMBO_BOX):
                    role = {Role.CHECK_BOX: "checkbox", Role.COMBO_BOX: "combobox"}.get(
                        element.role, element.role.value
                    )
                    shut = element.name == "Behind"  # the judge does not see through closed shadow roots
                    found = judge.get_by_role(role, name=element.name, exact=True)  # type: ignore[arg-type]
                    assert found.count() == (0 if shut else 1), element.name
        finally:
            browser.close()


def test_a_page_that_does_not_answer_delays_nobody(rig: ElementRig, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = rig.open("""<title>Busy</title><button>B</button><script>
    fetch('/begin').then(() => {
      const request = new XMLHttpRequest();
      request.open('GET', '/end', false);
      request.send();
    });</script>""")
    middle = NativePoint(*rig.named("B").box.centre)
    monkeypatch.setattr(page_elements, "AT_BUDGET_S", 0.2)
    monkeypatch.setattr(page_elements, "LIST_BUDGET_S", 0.2)

    def told() -> list[Element | None]:
        return [*rig.wait(rig.computer.own_elements.at(frame, [middle]))]

    rig.server.awaited["/begin"].set()
    rig.until(lambda: told() == [None], "the page to be busy")
    assert rig.wait(rig.computer.own_elements.visible(frame)) == []
    rig.server.awaited["/end"].set()
    rig.until(lambda: told() != [None], "the page to answer again")


def test_a_list_knows_no_dialog_of_scripts(rig: ElementRig) -> None:
    rig.open("<title>L</title><select aria-label=Size><option>S<option>M</select>")
    rig.click(rig.named("Size"))
    rig.until(lambda: rig.computer.state.page.dialog is not None, "the list")
    dialog = rig.computer.state.page.dialog
    assert dialog is not None
    assert dialog.kind is DialogKind.LIST
    assert [(each.role, each.name, each.group, each.dialog) for each in rig.visible()][1:] == [
        (Role.LIST_ITEM, "S", ("Size",), None), (Role.LIST_ITEM, "M", ("Size",), None),
    ]  # fmt: skip
