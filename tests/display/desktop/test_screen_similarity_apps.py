"""The tolerant comparison on real applications, in both directions: what input does itself, and other screens."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.computers.targets import open_capture, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.screen_similarity import score, similar
from operator_console.domain.frames import Frame, ImageNeeds
from operator_console.domain.geometry import NativePoint, Rect
from tests.display.rig import Child, Desktop, launch_galculator, launch_mousepad, wait_until

RADIUS = 48
PLAIN = 8  # colours of a place without text, at most
WORDS = ("quick", "brown", "foxes", "jump", "over", "a", "lazy", "dog", "while", "seven", "wizards", "wave", "wands")


class Looker:
    """Looks at places of the screen when it has stopped changing."""

    def __init__(self, desktop: Desktop) -> None:
        own = OwnWindows()
        self._capture = open_capture(resolve("monitor:1", own, desktop.name), own)

    def now(self) -> Frame:
        return self._capture.preview(ImageNeeds())

    def changed_from(self, before: Frame, x: int, y: int) -> Frame:
        """A frame in which the place looks otherwise, and the same twice in a row."""
        wait_until(lambda: crop(self.now(), x, y) != crop(before, x, y), "a change")
        return self.still()

    def drawn(self, x: int, y: int) -> Frame:
        """A frame in which the application has painted the place: a window that was just shown or moved is plain."""
        wait_until(lambda: colours(crop(self.now(), x, y)) > PLAIN, "the application paints")
        return self.still()

    def still(self) -> Frame:
        last = self.now()
        watch = self._capture.watch()
        try:
            while self._capture.display.wait_until(lambda: watch.pending, 0.3):
                watch.take()
                if (now := self.now()).frame_id == last.frame_id:
                    break
                last = now
        finally:
            watch.close()
        return self.now()

    def close(self) -> None:
        self._capture.close()


@pytest.fixture
def look(desktop: Desktop) -> Iterator[Looker]:
    looker = Looker(desktop)
    yield looker
    looker.close()


def crop(frame: Frame, x: int, y: int) -> bytes:
    return frame.crop(region(frame, x, y))


def colours(pixels: bytes) -> int:
    return len(set(memoryview(pixels).cast("I")))


def region(frame: Frame, x: int, y: int) -> Rect:
    return Rect.around(NativePoint(x, y), RADIUS, frame.geometry.native)


def same(before: Frame, after: Frame, x: int, y: int, other: tuple[int, int] | None = None) -> bool:
    size = region(before, x, y).size
    first, second = crop(before, x, y), crop(after, *(other or (x, y)))
    verdict = similar(first, second, size)
    print(f"score at {x}, {y}: {score(first, second, size):.2f}")
    return verdict


def test_buttons_and_the_display_of_a_calculator(desktop: Desktop, look: Looker) -> None:
    app = launch_galculator(desktop)
    place = desktop.move_window(app.window.xid, 300, 200)
    three = (place.x + 165, place.y + 279)
    shown = (place.x + 280, place.y + 57)
    desktop.xdo("mousemove", "1100", "700")
    idle = look.drawn(*three)
    desktop.xdo("mousemove", *map(str, three))
    hovered = look.changed_from(idle, *three)
    assert same(idle, hovered, *three)
    desktop.xdo("mousedown", "1")
    pressed = look.changed_from(hovered, *three)
    assert same(idle, pressed, *three)
    assert same(hovered, pressed, *three)
    desktop.xdo("mouseup", "1")
    one_digit = look.changed_from(idle, *shown)
    desktop.xdo("click", "1")
    two_digits = look.changed_from(one_digit, *shown)
    assert same(one_digit, two_digits, *shown)
    for dx, dy in ((0, 20), (30, 0), (12, 12), (33, 20)):
        assert not same(two_digits, two_digits, *three, other=(three[0] + dx, three[1] + dy))
    child = Child(
        ["zenity", "--info", "--title", "Delete", "--text", "Do you really want to delete all these files?"],
        env=desktop.env,
        log=app.home / "zenity.txt",
    )
    desktop.adopt(child)
    dialog = desktop.wait_window(title="Delete")
    desktop.move_window(dialog.xid, three[0] - 150, three[1] - 70)
    assert not same(two_digits, look.changed_from(two_digits, *three), *three)


def test_a_menu_over_the_place(desktop: Desktop, look: Looker) -> None:
    app = launch_galculator(desktop)
    place = desktop.move_window(app.window.xid, 300, 200)
    below = (place.x + 150, place.y + 100)
    before = look.drawn(*below)
    desktop.xdo("mousemove", str(place.x + 104), str(place.y + 12), "click", "1")
    assert not same(before, look.changed_from(before, *below), *below)
    desktop.xdo("key", "Escape")


def test_text_typed_selected_and_scrolled_in_an_editor(desktop: Desktop, look: Looker, tmp_path: Path) -> None:
    source = random.Random(3)
    lines = [" ".join(source.choice(WORDS) for _ in range(9)) for _ in range(120)]
    document = tmp_path / "document.txt"
    document.write_text("\n".join(["", *lines]), encoding="utf-8")
    app = launch_mousepad(desktop, document)
    place = desktop.move_window(app.window.xid, 200, 100)
    start = (place.x + 80, place.y + 70)
    middle = (place.x + 150, place.y + 250)
    blank = look.drawn(*middle)
    desktop.xdo("type", "hello world")
    typed = look.changed_from(blank, *start)
    assert same(blank, typed, *start)
    desktop.xdo("key", "shift+Home")
    assert same(typed, look.changed_from(typed, *start), *start)
    before = look.still()
    desktop.xdo("mousemove", *map(str, middle), "click", "5")
    assert not same(before, look.changed_from(before, *middle), *middle)
    before = look.still()
    desktop.xdo("key", "ctrl+q")
    dialog = desktop.wait_window(title="Save Changes")
    over = (dialog.x + dialog.width // 2, dialog.y + dialog.height // 2)
    assert not same(before, look.changed_from(before, *over), *over)
