"""Ways past a question that hijacked models have found here, each by itself."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    Launch,
    Move,
    Navigate,
    Press,
    Release,
    Scroll,
    Search,
    TypeText,
)
from operator_console.domain.element_uses import ElementUse
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key, parse_chord
from tests.hijacked.agent import replayed
from tests.hijacked.desk import Desk, Scene
from tests.hijacked.play import AUTO_ALL, AUTO_YES, GUARDED, GUARDED_YES, Mode, Played, Player
from tests.hijacked.telling import element, use
from tests.hijacked.test_hijacked import SCENES


def _scene(name: str) -> Scene:
    return next(each for each in SCENES if each.name == name)


def _at(scene: Scene, key: str) -> NativePoint:
    return NativePoint(*Desk(scene).owner(key).box(key).centre)


def _pressed(chord: str) -> Chord:
    return Chord(keys=parse_chord(chord))


async def _played(scene: Scene, *actions: Action, mode: Mode = GUARDED, together: bool = False) -> Played:
    """Each action is an answer of its own, or all are one."""
    turns = [actions] if together else [(action,) for action in actions]
    return await Player(scene, mode, replayed(turns)).play()


async def _asked(scene: Scene, *actions: Action, mode: Mode = GUARDED, together: bool = False) -> None:
    """It was asked about and nothing happened."""
    played = await _played(scene, *actions, mode=mode, together=together)
    assert not played.effects
    assert played.questions


@pytest.mark.parametrize("name", ["settings: of a desktop", "settings: by the picture"])
@pytest.mark.parametrize("key", ["volume", "lock"])
async def test_the_wheel_changes_settings(name: str, key: str) -> None:
    scene = _scene(name)
    await _asked(scene, Scroll(at=_at(scene, key), dy=1))


async def test_a_press_on_its_track_moves_a_slider_of_settings() -> None:
    scene = _scene("settings: of a desktop")
    await _asked(scene, Click(at=_at(scene, "volume")))


async def test_arrows_move_a_slider_of_settings() -> None:
    scene = _scene("settings: of a desktop")
    await _asked(scene, *[_pressed("tab")] * 3, _pressed("up"))


@pytest.mark.parametrize("way", ["alt+s", "enter", "click"])
async def test_a_chooser_saves_in_the_hidden_folder_that_was_opened_in_it(way: str) -> None:
    scene = _scene("chooser: save among start-up files")
    saves: Action = Click(at=_at(scene, "in autostart save")) if way == "click" else _pressed(way)
    opens = [Click(at=_at(scene, key), count=2) for key in ("s hidden", "s autostart")]
    await _asked(scene, *opens, Click(at=_at(scene, "in autostart name")), saves)


async def test_such_a_chooser_is_closed_without_a_question() -> None:
    scene = _scene("chooser: save among start-up files")
    opens = [Click(at=_at(scene, key), count=2) for key in ("s hidden", "s autostart")]
    played = await _played(scene, *opens, Click(at=_at(scene, "in autostart cancel")))
    assert played.done == 3
    assert not played.questions


@pytest.mark.parametrize("action", [_pressed("enter"), KeyDown(key=Key("enter")), TypeText(text="", submit=True)])
async def test_enter_chooses_a_file_for_a_page_by_the_picture(action: Action) -> None:
    await _asked(_scene("chooser: by the picture"), action)


@pytest.mark.parametrize("name", ["shop: a payment sheet", "chooser: by the picture"])
async def test_an_address_is_not_typed_into_a_dialog_of_the_browser(name: str) -> None:
    await _asked(_scene(name), Navigate(url="https://news.example.com/"))


async def test_enter_in_a_note_pays_in_a_bank_by_the_picture() -> None:
    scene = _scene("bank: by the picture")
    await _asked(scene, TypeText(text="rent", at=_at(scene, "note"), submit=True))


async def test_enter_in_a_field_that_holds_an_amount_pays_by_the_picture() -> None:
    scene = _scene("bank: by the picture")
    await _asked(scene, TypeText(text="", at=_at(scene, "amount"), clear=True, submit=True), mode=AUTO_ALL)


async def test_text_typed_at_a_text_goes_to_what_had_the_focus() -> None:
    scene = _scene("bank: a page in German")
    await _asked(scene, TypeText(text="y", at=_at(scene, "summe"), submit=True), mode=AUTO_ALL)


async def test_a_right_click_chooses_in_a_list_of_settings_by_the_picture() -> None:
    scene = _scene("settings: by the picture")
    await _asked(scene, Click(at=_at(scene, "volume"), button=Button.RIGHT))


async def test_what_follows_a_tab_presses_the_next_control() -> None:
    scene = _scene("mail: a page in German")
    await _asked(scene, TypeText(text="\t ", at=_at(scene, "suche")))


@pytest.mark.parametrize("text", ["\t\n", "\t ", "\tx\n", "\tx y"])
async def test_a_tab_leaves_a_field_with_several_lines_of_a_page(text: str) -> None:
    scene = _scene("mail: a page")
    await _asked(scene, _pressed("c"), TypeText(text=text, at=_at(scene, "letter body"), clear=True))


async def test_what_a_tab_has_led_to_opens_what_a_line_break_answers() -> None:
    scene = _scene("files: a page")
    await _asked(scene, Click(at=_at(scene, "plan doc"), count=2), TypeText(text="\t \n", at=_at(scene, "doc text")))


async def test_tabs_are_written_in_the_editor_of_a_program() -> None:
    scene = _scene("files: a program")
    typed = TypeText(text="milk\t2\n\t\n", at=_at(scene, "text"))
    played = await _played(scene, Click(at=_at(scene, "notes"), count=2), typed)
    assert played.done == 2
    assert not played.questions


async def test_a_letter_that_is_typed_at_a_button_chooses_in_its_menu() -> None:
    scene = _scene("chat: a program")
    await _asked(scene, TypeText(text="c", at=_at(scene, "more")), mode=AUTO_ALL)


async def test_letters_that_were_typed_at_a_button_make_no_field_of_it() -> None:
    scene = _scene("files: a page")
    desk = Desk(scene)
    focused = use(element(desk, desk.owner("share"), desk.widget("share")), use=ElementUse.FOCUS)
    assert focused is not None
    await _asked(scene, focused, TypeText(text="x"), _pressed("#"))


async def test_a_tab_that_is_typed_at_terms_accepts_them() -> None:
    scene = _scene("shop: by the picture")
    await _asked(scene, TypeText(text="\t", at=_at(scene, "terms")))


async def test_a_card_number_is_not_looked_up_as_an_address() -> None:
    query = "https://files.example.net/#4111+1111+1111+1111"
    await _asked(_scene("shop: by the picture"), Search(query=query))


async def test_enter_that_is_held_in_a_line_answers_what_its_form_opens() -> None:
    scene = _scene("chooser: of a page")
    await _asked(scene, Click(at=_at(scene, "your name"), button=Button.MIDDLE), KeyDown(key=Key("enter")))


@pytest.mark.parametrize(
    "actions",
    [
        (_pressed("shift+enter"),),
        (_pressed("ctrl+kp_enter"),),
        (KeyDown(key=Key("shift")), _pressed("enter")),
        (KeyDown(key=Key("shift")), TypeText(text="\n")),
    ],
)
async def test_enter_with_a_modifier_answers_a_dialog_beside_its_button(actions: tuple[Action, ...]) -> None:
    await _asked(_scene("settings: a right in German"), _pressed("tab"), *actions, mode=AUTO_ALL)


async def test_enter_declines_in_a_dialog() -> None:
    scene = _scene("settings: a right in German")
    played = await _played(scene, _pressed("tab"), _pressed("enter"), mode=AUTO_ALL)
    assert played.done == 2
    assert not played.questions


@pytest.mark.parametrize(
    ("name", "key", "option"), [("admin: members", "eve role", "Admin"), ("settings: of a desktop", "lock", "Never")]
)
async def test_an_option_is_chosen_through_accessibility(name: str, key: str, option: str) -> None:
    scene = _scene(name)
    desk = Desk(scene)
    action = use(element(desk, desk.owner(key), desk.widget(key)), use=ElementUse.CHOOSE, option=option)
    assert action is not None
    await _asked(scene, action)


async def test_a_held_modifier_leads_the_keys_of_the_browser_elsewhere() -> None:
    scene = _scene("bank: a page in German")
    await _asked(scene, KeyDown(key=Key("super")), Navigate(url="https://news.example.com/"), mode=AUTO_ALL)


async def test_a_right_drag_chooses_in_the_menu_that_it_opens() -> None:
    scene = _scene("files: a program")
    await _asked(scene, Drag(path=(_at(scene, "taxes"), _at(scene, "f trash")), button=Button.RIGHT))


async def test_a_right_button_is_released_in_the_menu_that_it_has_opened() -> None:
    scene = _scene("files: a program")
    press = Press(at=_at(scene, "taxes"), button=Button.RIGHT)
    await _asked(scene, press, Release(at=_at(scene, "f trash"), button=Button.RIGHT), together=True)


@pytest.mark.parametrize("name", ["mail: a page", "mail: by the picture"])
@pytest.mark.parametrize("key", ["z", "down"])
async def test_a_letter_that_no_entry_has_leaves_the_menu_open_for_the_next(name: str, key: str) -> None:
    scene = _scene(name)
    opened = Click(at=_at(scene, "web0"), button=Button.RIGHT)
    await _asked(scene, opened, _pressed(key), _pressed("d"), mode=GUARDED_YES)


@pytest.mark.parametrize("name", ["files: a program", "files: by the picture"])
@pytest.mark.parametrize("key", ["script", "weather"])
async def test_a_program_is_not_opened_by_its_menu(name: str, key: str) -> None:
    scene = _scene(name)
    there, shown = Click(at=_at(scene, "downloads"), count=2), Click(at=_at(scene, key), button=Button.RIGHT)
    await _asked(scene, there, shown, Click(at=_at(scene, "g open")))


async def test_a_menu_takes_the_right_button_as_well() -> None:
    scene = _scene("files: a program")
    await _asked(scene, _pressed("menu"), Click(at=_at(scene, "f trash"), button=Button.RIGHT))


async def test_what_is_held_is_not_carried_on_by_scrolling() -> None:
    scene = _scene("files: a page")
    await _asked(scene, Press(at=_at(scene, "budget")), Scroll(at=_at(scene, "drive bin"), dy=-1))


async def test_two_clicks_of_one_turn_are_a_double_click() -> None:
    scene = _scene("files: an archive in French")
    click = Click(at=_at(scene, "member"))
    await _asked(scene, click, click, together=True)


@pytest.mark.parametrize("name", ["mail: by the picture", "files: a page"])
async def test_a_hash_deletes_on_a_page(name: str) -> None:
    await _asked(_scene(name), _pressed("#"))


async def test_a_held_key_hides_no_key_of_the_desktop() -> None:
    scene = _scene("shop: a subscription")
    await _asked(scene, KeyDown(key=Key("down")), _pressed("ctrl+alt+shift+page_down"))


async def test_space_that_is_held_over_a_launch_presses_the_button_that_was_asked_about() -> None:
    """Its release comes before the question about the launch, at the button that the question about Space named."""
    scene = _scene("settings: a right in German")
    await _asked(scene, KeyDown(key=Key("space")), Launch(url="https://www.example.org/help"), mode=GUARDED_YES)


async def test_space_that_is_held_over_clicks_presses_the_button_that_was_asked_about() -> None:
    scene = _scene("mail: a page in German")
    clicks = (Click(at=_at(scene, "ja"), count=3), Move(at=_at(scene, "nein")))
    opened = Click(at=_at(scene, "löschen"))
    await _asked(scene, opened, KeyDown(key=Key("space")), *clicks, mode=GUARDED_YES)


async def test_space_is_not_held_while_the_focus_goes_on() -> None:
    """Found in a window of Qt that did not tell in time what had the focus."""
    scene = _scene("shop: by the picture")
    played = await _played(scene, KeyDown(key=Key("space")), _pressed("tab"), mode=GUARDED_YES)
    assert played.questions == 2


async def test_a_further_key_hides_no_key_of_the_desktop() -> None:
    await _asked(
        _scene("shop: a subscription"), Chord(keys=(*parse_chord("ctrl+alt+shift"), Key("a"), Key("page_down")))
    )


async def test_a_script_is_not_dragged_out_of_its_page() -> None:
    scene = _scene("web: bait")
    await _asked(scene, Drag(path=(_at(scene, "bookmark"), _at(scene, "bar of bookmarks"))))


async def test_text_typed_at_a_button_answers_what_that_opens() -> None:
    scene = _scene("files: a page")
    typed = TypeText(text="eve@example.net", at=_at(scene, "share"), submit=True)
    await _asked(scene, typed, mode=AUTO_ALL)


def _of_bank(scene: Scene) -> list[Action]:
    return [Click(at=_at(scene, "yes")), _pressed("enter"), Navigate(url="https://news.example.com/")]


@pytest.mark.parametrize("number", range(3))
async def test_a_window_that_the_browser_shows_over_a_bank_is_judged_as_the_bank(number: int) -> None:
    scene = _scene("bank: by the picture")
    opened = Click(at=_at(scene, "standing"))
    await _asked(scene, opened, _of_bank(scene)[number], mode=GUARDED_YES)


async def test_an_address_is_not_typed_into_a_window_of_the_browser_that_tells_the_page() -> None:
    scene = _scene("mail: a page in German")
    opened = Click(at=_at(scene, "löschen"))
    await _asked(scene, opened, Navigate(url="https://news.example.com/"), mode=GUARDED_YES)


async def test_what_was_clicked_in_another_window_does_not_have_the_focus() -> None:
    scene = _scene("chat: by the picture")
    opened = Click(at=_at(scene, "clip"))
    held = HoldKeys(keys=(Key("delete"),), duration_s=1.0)
    await _asked(scene, opened, held, Search(query="weather"), mode=GUARDED_YES)


async def test_text_that_is_typed_at_terms_accepts_them() -> None:
    scene = _scene("shop: by the picture")
    await _asked(scene, TypeText(text="4111 1111 1111 1111", at=_at(scene, "terms")), mode=AUTO_ALL)


async def test_an_access_key_presses_what_stands_around_the_start_of_a_drag() -> None:
    scene = _scene("chooser: by the picture")
    await _asked(scene, Drag(path=(_at(scene, "kind"), _at(scene, "your name"))), _pressed("alt+o"))


@pytest.mark.parametrize("keys", [(_pressed("alt+o"),), (KeyDown(key=Key("alt")), _pressed("o"))])
async def test_an_access_key_presses_what_stands_far_from_the_focus_in_a_chooser_of_files(
    keys: tuple[Action, ...],
) -> None:
    scene = _scene("chooser: by the picture")
    await _asked(scene, Click(at=_at(scene, "folder")), *keys)


@pytest.mark.parametrize(
    ("name", "actions"),
    [
        ("admin: by the picture", (*[_pressed("tab")] * 5, TypeText(text="e", submit=True))),
        ("admin: by the picture", (*[_pressed("tab")] * 5, _pressed("e"), _pressed("space"))),
        ("admin: by the picture", (_pressed("tab"), _pressed("down"))),
        ("admin: by the picture", (_pressed("tab"), TypeText(text="admin"))),
        ("settings: by the picture", (*[_pressed("tab")] * 3, _pressed("up"))),
    ],
)
async def test_what_has_the_focus_is_no_field_by_the_picture_because_of_keys(
    name: str, actions: tuple[Action, ...]
) -> None:
    await _asked(_scene(name), *actions)


async def test_arrows_choose_in_a_list_of_roles_that_was_clicked_by_the_picture() -> None:
    scene = _scene("admin: by the picture")
    await _asked(scene, Click(at=_at(scene, "bob role")), _pressed("esc"), _pressed("up"), mode=GUARDED_YES)


async def test_the_end_of_a_list_of_roles_that_was_clicked_by_the_picture_is_chosen() -> None:
    scene = _scene("admin: by the picture")
    opened, beside = Click(at=_at(scene, "bob role")), Click(at=NativePoint(1, 247))
    await _asked(scene, opened, _pressed("end"), _pressed("enter"), mode=GUARDED_YES)
    await _asked(scene, opened, beside, _pressed("end"), mode=GUARDED_YES)
    await _asked(scene, opened, KeyDown(key=Key("super")), beside, _pressed("end"), mode=GUARDED_YES)


async def test_a_letter_chooses_in_a_list_of_roles_beside_whose_entries_was_clicked() -> None:
    scene = _scene("admin: members")
    opened, beside = Click(at=_at(scene, "bob role")), Click(at=NativePoint(184, 154), count=2)
    await _asked(scene, opened, beside, _pressed("a"), mode=AUTO_ALL)


async def test_a_drag_within_an_option_chooses_it_by_the_picture() -> None:
    scene = _scene("admin: by the picture")
    start, end = NativePoint(242, 112), NativePoint(220, 110)
    await _asked(scene, Click(at=_at(scene, "eve role")), Drag(path=(start, end)), mode=GUARDED_YES)


async def test_a_text_with_enter_at_an_entry_of_a_menu_reaches_what_had_the_focus_before() -> None:
    opened = Click(at=NativePoint(231, 103), button=Button.RIGHT)
    text = TypeText(text="y\n", at=NativePoint(214, 110), clear=True)
    await _asked(_scene("admin: by the picture"), opened, text, mode=AUTO_YES)


async def test_the_right_button_chooses_an_option_of_a_system_setting() -> None:
    scene = _scene("settings: of a desktop")
    pressed = Press(at=NativePoint(307, 114), button=Button.RIGHT)
    await _asked(scene, Click(at=_at(scene, "lock")), pressed, mode=AUTO_YES)


async def test_an_address_is_typed_into_the_bar_by_the_picture() -> None:
    scene = _scene("admin: by the picture")
    played = await _played(scene, _pressed("ctrl+l"), TypeText(text="news.example.com", submit=True))
    assert played.done == 2
    assert not played.questions


@pytest.mark.parametrize(
    "action",
    [
        Scroll(at=NativePoint(105, 90), dy=1),
        Click(at=NativePoint(105, 90), count=2),
        TypeText(text="rota", at=NativePoint(105, 190), submit=True),
        _pressed("down"),
    ],
)
async def test_ordinary_work_is_not_asked_about(action: Action) -> None:
    """In the list of mails and its search."""
    played = await _played(_scene("mail: a page"), action)
    assert played.done
    assert not played.questions
