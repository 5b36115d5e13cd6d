"""What a page hears of the agent's input: what it would hear of a hand's, at the pixel that was named."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.actions import (
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
)
from operator_console.domain.geometry import NativePoint as At
from operator_console.domain.keys import Key
from tests.browser_rig import BrowserRig, browser_on
from tests.display.rig import desktop_of_its_own

PAGE = """<style>body {margin: 0; height: 3000px} body > * {position: absolute; left: 50px}</style>
<button id=button style="top:50px; width:100px; height:40px">Press</button>
<textarea id=area style="top:150px; width:300px; height:100px"></textarea>
<form style="top:260px" onsubmit="event.preventDefault()"><input id=line><input id=secret type=password>
<input id=short maxlength=5>
<input id=masked oninput="value = value.replace(/\\D/g, '').replace(/(\\d{3})(?=\\d)/g, '$1-')"><button>Send</button>
</form>
<div id=words style="top:300px; width:400px; height:30px">some words to select here</div>
<div id=dragged draggable=true style="top:350px; width:60px; height:60px; background:red"
  ondragstart="event.dataTransfer.setData('text/plain', 'what is dragged')"></div>
<div id=bin style="top:350px; left:300px; width:90px; height:90px; background:blue"
  ondragover="event.preventDefault()"
  ondrop="event.preventDefault(); this.textContent = event.dataTransfer.getData('text/plain')"></div>
<div id=box style="top:50px; left:450px; width:200px; height:200px; overflow:scroll">
  <div style="width:2000px; height:5000px"></div></div>
<input id=slider type=range min=0 max=100 value=0 style="top:450px; width:204px; margin:0">
<div id=rich contenteditable style="top:480px; width:300px; height:40px; border:1px solid"></div>
<div id=pad style="top:530px; width:400px; height:60px; background:silver; touch-action:none"
  onpointerdown="setPointerCapture(event.pointerId)"></div>
<div id=menu style="top:300px; left:500px; width:80px; height:30px; background:gold"
  onmouseenter="sub.hidden = false" onmouseleave="sub.hidden = true">Menu
  <div id=sub hidden style="width:80px; height:30px; background:pink" onclick="chosen = true">Item</div></div>
<script>chosen = false</script>"""
FRAMED = """<style>body {margin: 0; height: 3000px}</style><div style="height:700px"></div>
<iframe name=inner src=/inner style="margin-left:30px; border:3px solid; width:300px; height:200px"></iframe>"""
INNER = """<style>body {margin: 0; height: 900px}</style><button id=inside
style="position:absolute; left:20px; top:40px; width:50px; height:20px"></button>"""

EMPTY = {"": "<style>body {margin: 0}</style>"}
PAGES = {"": PAGE, "framed": FRAMED, "inner": INNER}
POINTER = ("isTrusted", "button", "buttons", "detail", "clientX", "clientY", "pointerType", "pressure")


@pytest.fixture(scope="module")
def running() -> Iterator[BrowserRig]:
    with browser_on(PAGES) as rig:
        yield rig


@pytest.fixture
def rig(running: BrowserRig) -> BrowserRig:
    running.open("")
    running.do(Move(at=At(700, 550)))
    running.events()
    return running


def kinds(events: list[dict[str, Any]], *wanted: str) -> list[str]:
    return [f"{each['type']} {each['target']}" for each in events if not wanted or each["type"] in wanted]


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [each for each in events if each["type"] == kind]


def some(event: Mapping[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(event.get(name) for name in names)


def keys(*names: str) -> tuple[Key, ...]:
    return tuple(map(Key, names))


def focus(rig: BrowserRig, name: str) -> None:
    rig.run(f"document.getElementById('{name}').focus()")
    rig.events()


def test_a_click_comes_as_a_mouse_sends_it(rig: BrowserRig) -> None:
    rig.do(Click(at=At(60, 61)))
    events = rig.events()
    assert kinds(events) == [
        "pointerout BODY", "pointerover button", "mouseout BODY", "mouseover button", "pointermove button",
        "mousemove button", "pointerdown button", "mousedown button", "focusin button", "pointerup button",
        "mouseup button", "click button",
    ]  # fmt: skip
    down, up, click = of(events, "pointerdown")[0], of(events, "mouseup")[0], of(events, "click")[0]
    assert some(down, *POINTER) == (True, 0, 1, 0, 60, 61, "mouse", 0.5)
    assert some(up, "button", "buttons", "detail", "offsetX", "offsetY") == (0, 0, 1, 8, 9)
    assert some(click, "isTrusted", "detail", "pointerType") == (True, 1, "mouse")


def test_each_click_of_several_is_counted(rig: BrowserRig) -> None:
    rig.do(Click(at=At(60, 310), count=3))
    events = rig.events()
    assert [each["detail"] for each in of(events, "mousedown")] == [1, 2, 3]
    assert [each["detail"] for each in of(events, "click")] == [1, 2, 3]
    assert len(of(events, "dblclick")) == 1
    assert rig.run("getSelection().toString()").strip() == "some words to select here"


@pytest.mark.parametrize(
    ("button", "number", "bit", "last"), [(Button.MIDDLE, 1, 4, "auxclick"), (Button.RIGHT, 2, 2, "contextmenu")]
)
def test_the_other_buttons_are_no_clicks(rig: BrowserRig, button: Button, number: int, bit: int, last: str) -> None:
    rig.do(Click(at=At(60, 60), button=button))
    events = rig.events()
    assert some(of(events, "mousedown")[0], "button", "buttons") == (number, bit)
    assert of(events, last)
    assert not of(events, "click")


def test_modifiers_are_held_while_it_clicks(rig: BrowserRig) -> None:
    rig.do(Click(at=At(60, 60), modifiers=keys("ctrl", "shift")))
    events = rig.events()
    assert some(of(events, "click")[0], "ctrlKey", "shiftKey", "altKey") == (True, True, False)
    assert [each["key"] for each in of(events, "keyup")] == ["Shift", "Control"]


def test_a_menu_opens_under_the_pointer_and_its_item_is_chosen(rig: BrowserRig) -> None:
    rig.do(Move(at=At(510, 310)))
    assert not rig.run("sub.hidden")
    rig.do(Click(at=At(520, 335)))
    assert rig.run("chosen")
    rig.do(Move(at=At(700, 550)))
    assert rig.run("sub.hidden")


def test_text_is_selected_by_dragging(rig: BrowserRig) -> None:
    width = rig.run("(r => (r.selectNodeContents(words), r.getBoundingClientRect().width))(document.createRange())")
    rig.do(Drag(path=(At(50, 310), At(50 + int(width) + 2, 310))))
    events = rig.events()
    assert rig.run("getSelection().toString()") == "some words to select here"
    moves = of(events, "pointermove")[1:]
    assert all(some(each, "buttons", "pressure") == (1, 0.5) for each in moves)
    assert sum(each["movementX"] for each in moves) == int(width) + 2
    assert all(each["clientX"] == int(each["clientX"]) for each in moves)


@pytest.mark.parametrize("several_calls", [False, True])
def test_a_page_s_own_drag_is_dropped_where_it_was_meant(rig: BrowserRig, several_calls: bool) -> None:
    start, end = At(70, 370), At(330, 380)
    drag = (Press(at=start), Move(at=At(76, 371)), Move(at=end), Release(at=end))
    rig.do(*(drag if several_calls else (Drag(path=(start, end)),)))
    events = rig.events()
    assert rig.run("bin.textContent") == "what is dragged"
    order = [each for each, _ in itertools.groupby(kinds(events, "dragstart", "pointercancel", "drop", "dragend"))]
    assert order == ["dragstart dragged", "pointercancel dragged", "drop bin", "dragend dragged"]
    assert some(of(events, "drop")[0], "clientX", "clientY") == (end.x, end.y)
    after = events[events.index(of(events, "dragend")[0]) :]
    assert not kinds(after, "mouseup", "pointerup", "click")  # the drop took the place of the release
    rig.do(Click(at=At(60, 60)))
    assert kinds(rig.events(), "click") == ["click button"]


def test_a_slider_follows(rig: BrowserRig) -> None:
    rig.do(Drag(path=(At(51, 458), At(152, 458))))
    assert 45 <= int(rig.run("slider.value")) <= 55


def test_a_pointer_is_captured_over_several_calls(rig: BrowserRig) -> None:
    rig.do(Press(at=At(60, 550)), Move(at=At(100, 560)))
    rig.do(Move(at=At(500, 200)), Release(at=At(500, 200)))
    events = rig.events()
    assert {each["target"] for each in of(events, "pointermove")[1:]} == {"pad"}
    assert some(of(events, "pointerup")[0], "target", "clientX", "buttons") == ("pad", 500, 0)


def test_the_wheel_turns_by_notches_and_scrolls_what_is_under_it(rig: BrowserRig) -> None:
    rig.run("box.scrollTop = 1000")
    rig.do(*(Scroll(at=At(500, 100), dx=dx, dy=dy) for dx, dy in ((0, 2), (3, 0), (0, -1))))
    rig.until_heard("wheel", 6)  # a page hears of the wheel when it has scrolled already
    wheels = of(rig.events(), "wheel")
    assert [some(each, "deltaX", "deltaY", "deltaMode") for each in wheels] == [
        *[(0, 120, 0)] * 2, *[(120, 0, 0)] * 3, (0, -120, 0)
    ]  # fmt: skip
    assert rig.run("scrollY") == 0


TEXTS = (
    "Plain text, 100 % of it: {[(<a@b.c>)]} ~`'\"\\|",
    "Zażółć gęślą jaźń, ÀÉÎÕÜ ß ẞ Ÿ ı İ ŉ ǅ",
    "Съешь ещё ЭТИХ",
    "Ξεσκεπάζω ΨΥΧΗ ς",
    "نص حكيم له سِرّ",
    "דג סקרן שׁ",
    "क्षत्रिय ज़रा",
    "เป็นมนุษย์",
    "中文，日本語。한국어",
    "👩‍👩‍👧‍👦 ☝🏽 1️⃣ ❤️ 🇵🇱",
    "e\u0301 a\u0323\u0302 \u200cمی‌خواهم",
    "“quotes” — dash… №5 €7 ½ ×÷ \u00a0|",
)


@pytest.mark.parametrize("field", ["area", "line", "secret", "rich"])
def test_text_of_all_scripts_is_exact(rig: BrowserRig, field: str) -> None:
    value = f"{field}.{'textContent' if field == 'rich' else 'value'}"
    typed: list[str] = []
    for text in TEXTS:
        rig.run(f"{value} = ''")
        focus(rig, field)
        rig.do(TypeText(text=text))
        typed.append(rig.run(value).replace("\u00a0", " "))
    assert typed == [text.replace("\u00a0", " ") for text in TEXTS]


def test_each_letter_has_its_key_and_what_has_none_comes_as_from_an_input_method(rig: BrowserRig) -> None:
    focus(rig, "area")
    rig.do(TypeText(text="aŻф!日本"))
    events = rig.events()
    downs = [some(each, "key", "code", "keyCode", "shiftKey") for each in of(events, "keydown")]
    assert downs == [
        ("a", "KeyA", 65, False), ("Shift", "ShiftLeft", 16, True), ("Ż", "KeyZ", 90, True),
        ("ф", "", 0, False), ("Shift", "ShiftLeft", 16, True), ("!", "Digit1", 49, True),
    ]  # fmt: skip
    assert [each["charCode"] for each in of(events, "keypress")] == [97, ord("Ż"), ord("ф"), 33]
    assert [each["data"] for each in of(events, "beforeinput")] == ["a", "Ż", "ф", "!", "日本"]
    ups = [each["key"] for each in of(events, "keyup")]
    assert ups == ["a", "Ż", "Shift", "ф", "!", "Shift"]


def test_a_line_break_after_a_capital_is_a_plain_enter(rig: BrowserRig) -> None:
    focus(rig, "area")
    rig.do(TypeText(text="A\r\nB\rC"))
    enters = [each for each in of(rig.events(), "keydown") if each["key"] == "Enter"]
    assert [each["shiftKey"] for each in enters] == [False, False]
    assert rig.run("area.value") == "A\nB\nC"


def test_tab_and_enter_in_text_do_what_the_keys_do(rig: BrowserRig) -> None:
    focus(rig, "line")
    rig.do(TypeText(text="name\tword\n"))
    assert rig.run("[line.value, secret.value]") == ["name", "word"]
    assert of(rig.events(), "submit")


def test_a_field_is_cleared_before_and_submitted_after(rig: BrowserRig) -> None:
    rig.run("line.value = 'old'")
    rig.do(TypeText(text="new", at=At(60, 270), clear=True, submit=True))
    assert rig.run("line.value") == "new"
    assert of(rig.events(), "submit")


def test_fields_that_limit_or_rewrite_what_is_typed_do_so(rig: BrowserRig) -> None:
    focus(rig, "short")
    rig.do(TypeText(text="1234567"))
    focus(rig, "masked")
    rig.do(TypeText(text="123456789"))
    assert rig.run("[short.value, masked.value]") == ["12345", "123-456-789"]


KEYS = [
    ("f5", "F5", "F5", 116, 0), ("home", "Home", "Home", 36, 0), ("kp_enter", "Enter", "NumpadEnter", 13, 3),
    ("kp_7", "7", "Numpad7", 103, 3), ("ctrl_r", "Control", "ControlRight", 17, 2),
    ("esc", "Escape", "Escape", 27, 0),
    ("alt_gr", "AltGraph", "AltRight", 225, 2), ("page_down", "PageDown", "PageDown", 34, 0),
    ("super", "Meta", "MetaLeft", 91, 1), ("delete", "Delete", "Delete", 46, 0), ("space", " ", "Space", 32, 0),
]  # fmt: skip


def test_a_key_is_named_as_a_keyboard_names_it(rig: BrowserRig) -> None:
    focus(rig, "area")
    heard: list[list[tuple[Any, ...]]] = [[], []]
    for named, *_ in KEYS:
        rig.do(Chord(keys=keys(named)))
        events = rig.events()
        for kind, each in zip(("keydown", "keyup"), heard, strict=True):
            each.append(some(of(events, kind)[0], "key", "code", "keyCode", "location"))
    assert heard == [[tuple(expected) for _, *expected in KEYS]] * 2


def test_shift_changes_what_a_key_says_and_writes(rig: BrowserRig) -> None:
    focus(rig, "area")
    rig.do(Chord(keys=keys("shift", "a")), Chord(keys=keys("shift", "1")), Chord(keys=keys("B")))
    assert rig.run("area.value") == "A!B"
    assert [each["key"] for each in of(rig.events(), "keypress")] == ["A", "!", "B"]


def test_chords_edit_text(rig: BrowserRig) -> None:
    focus(rig, "area")
    rig.do(TypeText(text="one two"), Chord(keys=keys("ctrl", "a")), Chord(keys=keys("ctrl", "x")))
    assert rig.run("area.value") == ""
    rig.do(Chord(keys=keys("ctrl", "v")), Chord(keys=keys("ctrl", "v")), Chord(keys=keys("ctrl", "z")))
    assert rig.run("area.value") == "one two"
    rig.do(Chord(keys=keys("shift", "left"), repeat=3), Chord(keys=keys("ctrl", "c")), Chord(keys=keys("home")))
    rig.do(Chord(keys=keys("ctrl", "v")), Chord(keys=keys("shift", "end")), Chord(keys=keys("delete")))
    assert rig.run("area.value") == "two"


def test_a_key_that_is_held_repeats(rig: BrowserRig) -> None:
    focus(rig, "area")
    rig.do(HoldKeys(keys=keys("shift", "x"), duration_s=1.2))
    events = rig.events()
    repeated = [each["repeat"] for each in of(events, "keydown") if each["code"] == "KeyX"]
    assert repeated[0] is False
    assert len(repeated) >= 3 and all(repeated[1:])
    assert set(rig.run("area.value")) == {"X"}
    assert kinds(events, "keyup") == ["keyup area"] * 2


def test_a_key_stays_down_over_calls_and_changes_them(rig: BrowserRig) -> None:
    focus(rig, "area")
    rig.do(KeyDown(key=Key("shift")), Chord(keys=keys("a")), Click(at=At(60, 60)), KeyUp(key=Key("shift")))
    events = rig.events()
    assert rig.run("area.value") == "A"
    assert of(events, "click")[0]["shiftKey"] is True
    assert of(events, "keyup")[-1]["shiftKey"] is False


def test_releasing_all_is_no_click_and_no_drop(rig: BrowserRig) -> None:
    rig.do(KeyDown(key=Key("shift")), Press(at=At(70, 370)), Move(at=At(330, 380)))
    rig.events()
    assert rig.backend.release_all() == 2
    assert rig.ledger.clean
    events = rig.events()
    assert {"keyup", "dragend"} <= {each["type"] for each in events}
    assert rig.run("held()") == []
    assert not kinds(events, "click", "drop")
    assert rig.run("bin.textContent") == ""
    rig.do(Press(at=At(60, 60)))
    rig.events()
    rig.backend.release_all()
    assert kinds(rig.events(), "mouseup", "click", "auxclick") == ["mouseup HTML"]
    rig.do(Click(at=At(60, 60)))
    assert of(rig.events(), "click")[0]["shiftKey"] is False


def test_a_pixel_in_a_frame_of_a_scrolled_page_is_hit(rig: BrowserRig) -> None:
    rig.open("framed")
    rig.run("scrollTo(0, 400)")
    left, top = rig.run("(r => [r.x, r.y])(frames.inner.frameElement.getBoundingClientRect())")
    rig.run("scrollTo(0, 50)", "inner")
    rig.events("inner")
    rig.do(Click(at=At(int(left) + 3 + 25, int(top) + 3 + 5)), Scroll(at=At(int(left) + 13, int(top) + 13), dy=1))
    rig.until_heard("wheel", 1, "inner")
    events = rig.events("inner")
    assert some(of(events, "click")[0], "target", "clientX", "clientY", "frame") == ("inside", 25, 5, "inner")
    assert of(events, "wheel")[0]["frame"] == "inner"


_SCALES = [1.25, *(pytest.param(each, marks=pytest.mark.full) for each in (1.0, 2.0))]


@pytest.mark.parametrize("scale", _SCALES)
def test_the_pixel_that_is_named_is_hit_at_every_scale(scale: float) -> None:
    """In each run: the least even one; the other tests here are at 1."""
    with browser_on(EMPTY, scale=scale) as rig:
        every_named_pixel_is_hit(rig, scale)


@pytest.mark.parametrize("scale", _SCALES)
def test_the_pixel_that_is_named_is_hit_in_a_window_at_every_scale(tmp_path: Path, scale: float) -> None:
    with (
        desktop_of_its_own(tmp_path, (2400, 1800)) as desktop,
        browser_on(EMPTY, scale=scale, headless=False, display=desktop.name) as rig,
    ):
        every_named_pixel_is_hit(rig, scale)


def every_named_pixel_is_hit(rig: BrowserRig, scale: float) -> None:
    native = [At(x, y) for x, y in ((0, 0), (1, 2), (3, 3), (7, 11), (101, 57), (333, 599), (798, 597))]
    rig.do(*(Click(at=each) for each in native))
    found = [some(each, "clientX", "clientY") for each in of(rig.events(), "click")]
    assert found == [(int(each.x / scale), int(each.y / scale)) for each in native]
