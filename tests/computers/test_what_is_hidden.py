"""What pictures do not show: which areas, that nothing of them is left, and that checks of the screen skip them."""

from __future__ import annotations

import numpy as np

from operator_console.computers.blackening import blackened
from operator_console.computers.what_is_hidden import GONE_AFTER_S, Hidden
from operator_console.domain.frames import StackedWindow, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.grants import ScreenCheck
from operator_console.domain.hidden_areas import SHUTTERED, UNTOLD, HiddenArea, is_under, shutter_at, touches
from operator_console.domain.shutters import AppShutter, RegionShutter, WindowShutter

WHOLE = Rect(100, 50, 400, 300)


def window(number: int, title: str, app: str, rect: Rect, pid: int | None = None) -> StackedWindow:
    info = WindowInfo(window_id=number, title=title, app=app, pid=pid or number, rect=rect)
    return StackedWindow(info=info, parts=(rect,))


def boxes(hidden: Hidden, *stacks: tuple[StackedWindow, ...]) -> set[Rect]:
    return {area.box for area in hidden.areas(WHOLE, (WHOLE.x, WHOLE.y), stacks)}


def test_a_place_is_counted_from_the_corner_of_the_target() -> None:
    hidden = Hidden(shutters=(RegionShutter(rect=Rect(10, 20, 30, 40)), RegionShutter(rect=Rect(390, 290, 50, 50))))
    assert boxes(hidden) == {Rect(10, 20, 30, 40), Rect(390, 290, 10, 10)}
    moved = hidden.areas(WHOLE, (90, 50), ())
    assert moved[0].box == Rect(0, 20, 30, 40)


def test_a_window_is_hidden_where_it_can_be_seen() -> None:
    bank, notes = window(1, "My Bank", "Firefox", Rect(100, 50, 200, 200)), Rect(150, 100, 300, 300)
    hidden = Hidden(shutters=(WindowShutter(title="bank"),))
    assert boxes(hidden, (bank,)) == {Rect(0, 0, 200, 200)}
    covered = boxes(hidden, (bank, window(2, "Notes", "Gedit", notes)))
    assert covered == {Rect(0, 0, 200, 50), Rect(0, 50, 50, 150)}
    assert boxes(hidden, (window(2, "Notes", "Gedit", notes), bank)) == {Rect(0, 0, 200, 200)}


def test_menus_and_dialogs_of_a_hidden_application_are_hidden() -> None:
    vault = window(1, "Vault", "org.keepassxc.KeePassXC", Rect(100, 50, 100, 100), pid=7)
    menu = window(2, "", "", Rect(200, 50, 50, 100), pid=7)
    dialog = window(3, "Entry", "", Rect(300, 50, 50, 50), pid=7)
    by_app = boxes(Hidden(shutters=(AppShutter(name="keepassxc"),)), (vault, menu, dialog))
    assert by_app == {Rect(0, 0, 100, 100), Rect(100, 0, 50, 100), Rect(200, 0, 50, 50)}
    by_title = boxes(Hidden(shutters=(WindowShutter(title="vault"),)), (vault, menu, dialog))
    assert by_title == {Rect(0, 0, 100, 100), Rect(100, 0, 50, 100)}


def test_a_window_that_moves_meanwhile_is_hidden_at_both_places() -> None:
    hidden = Hidden(shutters=(WindowShutter(title="bank"),))
    desktop = window(9, "Desktop", "xfdesktop", WHOLE)
    before = (desktop, window(1, "Bank", "", Rect(100, 50, 50, 50)))
    after = (desktop, window(1, "Bank", "", Rect(200, 50, 50, 50)))
    assert boxes(hidden, before, after) == {Rect(0, 0, 50, 50), Rect(100, 0, 50, 50)}


def test_a_window_that_may_show_a_password_is_hidden_where_it_stands_and_a_field_where_it_was_seen() -> None:
    field = HiddenArea(box=Rect(10, 10, 50, 20))
    hidden = Hidden(passwords=(field, HiddenArea(box=Rect(0, 0, 50, 50), label=UNTOLD, window_id=1)))
    assert hidden.windows
    areas = hidden.areas(WHOLE, (WHOLE.x, WHOLE.y), [(window(1, "Bank", "", Rect(200, 50, 50, 50)),)])
    assert areas == (field, HiddenArea(box=Rect(100, 0, 50, 50), label=UNTOLD, window_id=1))
    assert [area.password for area in areas] == [True, False]
    assert [area.untold for area in areas] == [False, True]


def test_a_field_that_is_gone_stays_black_until_something_else_is_painted() -> None:
    size, box = Size(200, 100), Rect(10, 10, 40, 20)
    field, hidden = HiddenArea(box=box), Hidden()
    shown = np.full((100, 200, 4), 200, dtype=np.uint8)

    def black(now_s: float) -> bool:
        """Whether the field's place is black in a picture of now."""
        areas = hidden.areas(Rect(0, 0, 200, 100), (0, 0), ())
        pixels, left = hidden.without(shown.tobytes(), size, areas, now_s)
        place = np.frombuffer(pixels, dtype=np.uint8).reshape(100, 200, 4)[box.y : box.bottom, box.x : box.right]
        blank = not place.any()
        assert blank == (left == (field,))
        return blank

    assert hidden.tell([field], 0.0)
    assert black(0.0)
    shown[15, 15] = 7  # a dot was typed
    assert black(0.1)
    assert not hidden.tell([field], 0.2)
    assert hidden.tell([], 0.3)
    assert not hidden.passwords
    assert black(0.4)
    assert hidden
    shown[15, 15] = 8
    assert not black(0.5)
    shown[15, 15] = 7
    assert black(0.3 + GONE_AFTER_S - 0.1)
    assert not black(0.3 + GONE_AFTER_S)
    assert not hidden


def test_a_field_that_is_told_again_is_not_leaving() -> None:
    field, other, hidden = HiddenArea(box=Rect(0, 0, 9, 9)), HiddenArea(box=Rect(9, 9, 9, 9)), Hidden()
    pixels, size = bytes(20 * 20 * 4), Size(20, 20)
    for told, black in (((field,), {field}), ((other,), {field, other}), ((field,), {field, other})):
        hidden.tell(told, 0.0)
        areas = hidden.areas(Rect(0, 0, 20, 20), (0, 0), ())
        assert set(hidden.without(pixels, size, areas, 0.0)[1]) == black


def test_nothing_is_left_in_a_black_area() -> None:
    size = Size(200, 100)
    noise = np.random.default_rng(1).integers(1, 255, (100, 200, 4), dtype=np.uint8)
    shutter, field = HiddenArea(box=Rect(10, 10, 180, 40), label=SHUTTERED), HiddenArea(box=Rect(20, 60, 100, 20))
    before = noise.tobytes()
    picture = np.frombuffer(blackened(before, size, (shutter, field)), dtype=np.uint8).reshape(100, 200, 4)
    other = np.frombuffer(blackened(bytes(len(before)), size, (shutter, field)), dtype=np.uint8).reshape(100, 200, 4)
    for box in (shutter.box, field.box):
        part = picture[box.y : box.bottom, box.x : box.right]
        assert (part == other[box.y : box.bottom, box.x : box.right]).all()  # whatever was there
    assert (picture[60:80, 20:120] == 0).all()
    assert picture[10:50, 10:190].any()  # the label
    assert (picture[:10] == noise[:10]).all()
    assert noise.tobytes() == before


def test_a_check_of_the_screen_leaves_out_what_is_hidden() -> None:
    region, inner = Rect(10, 10, 4, 4), Rect(12, 8, 10, 4)
    check = ScreenCheck(region=region, pixels=bytes(64), hidden=(inner,))
    now = np.frombuffer(check.as_seen(b"\xff" * 64), dtype=np.uint8).reshape(4, 4, 4)
    assert (now[:2, 2:] == 0).all()
    assert (now[2:] == 255).all()
    assert (now[:2, :2] == 255).all()
    assert ScreenCheck(region=region, pixels=bytes(64)).as_seen(b"\xff" * 64) == b"\xff" * 64


def test_fields_for_passwords_may_be_used_and_shutters_not() -> None:
    shutter, field = HiddenArea(box=Rect(0, 0, 50, 50), label=SHUTTERED), HiddenArea(box=Rect(100, 0, 50, 50))
    areas = (field, shutter)
    assert shutter_at(areas, [NativePoint(120, 20)]) is None
    assert shutter_at(areas, [NativePoint(120, 20), NativePoint(20, 20)]) is shutter
    assert is_under(areas, Rect(10, 10, 60, 60))
    assert not is_under(areas, Rect(40, 40, 200, 200))
    assert touches(areas, Rect(40, 40, 200, 200))
    assert not touches(areas, field.box)
