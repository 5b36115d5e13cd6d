"""What changed between live pictures: as told by who paints, looked into now and then, compared where nobody tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from operator_console.computers.frame_building import make_frame
from operator_console.computers.live_preview import THOROUGH_S, LiveFrames
from operator_console.computers.monitor.capture import MonitorCapture
from operator_console.computers.target_capture import TargetCapture
from operator_console.computers.window.capture import WindowCapture
from operator_console.desktop.values import Grab
from operator_console.desktop.x11.damage import DamageWatch
from operator_console.desktop.x11.layers import Layer
from operator_console.domain.frames import Change, Frame, ImageNeeds, MonitorTarget
from operator_console.domain.geometry import Rect, ScreenPoint

PLACE = Rect(100, 50, 64, 48)
NEEDS = ImageNeeds()


class Screen:
    """What is painted, what is told of it, and where ours lie, root coordinates."""

    def __init__(self, kind: type[TargetCapture] = MonitorCapture, *, reports: bool = True) -> None:
        self.pixels = np.zeros((PLACE.height, PLACE.width, 4), dtype=np.uint8)
        self.place = PLACE
        self.box: Rect | None = None
        self.while_it_is_taken: Callable[[], None] = lambda: None
        self.ours: list[Layer] = []
        self.now_s = 100.0
        capture = type(
            "FakeCapture",
            (kind,),
            {
                "__init__": lambda _: None, "preview": self._preview, "screen_capture": self,
                "reports_painting": reports,
            },
        )()  # fmt: skip
        self.window_layers = self
        self.frames = LiveFrames(cast(Any, capture), cast(DamageWatch, self), lambda: self.now_s)

    def known_own_layers(self) -> tuple[Layer, ...]:
        return tuple(self.ours)

    @property
    def painted(self) -> Rect | None:
        return self.box

    def take(self) -> Rect | None:
        box, self.box = self.box, None
        return box

    def paint(self, part: Rect, *, told: bool = True) -> None:
        """Invert a part of the picture (its pixels)."""
        self.pixels[part.y : part.bottom, part.x : part.right] ^= 255
        if told:
            self.box = part.moved(PLACE.x, PLACE.y).union(self.box or Rect(0, 0, 0, 0))

    def next(self) -> Frame:
        return self.frames.next(NEEDS)

    def _preview(self, _needs: ImageNeeds, name: Callable[[Grab], str]) -> Frame:
        self.while_it_is_taken()
        grab = Grab(pixels=bytearray(self.pixels.tobytes()), rect=self.place)
        return make_frame(
            pixels=grab.pixels, native=grab.rect.size, origin=ScreenPoint(grab.rect.x, grab.rect.y), needs=NEEDS,
            target=MonitorTarget(spec="monitor:1", title=""), frame_id=name(grab),
        )  # fmt: skip


def test_what_was_painted_is_what_changed() -> None:
    screen = Screen()
    first = screen.next()
    assert first.change is None
    screen.paint(Rect(3, 4, 5, 6))
    second = screen.next()
    assert second.frame_id != first.frame_id
    assert second.change == Change(since=first.frame_id, box=Rect(3, 4, 5, 6))
    again = screen.next()
    assert again.frame_id == second.frame_id
    assert again.change == Change(since=second.frame_id, box=Rect(0, 0, 0, 0))


def test_what_is_painted_while_the_picture_is_taken_is_told_with_it_and_with_the_next() -> None:
    screen = Screen()
    first = screen.next()
    screen.paint(Rect(1, 1, 2, 2))
    screen.now_s += 0.02
    screen.while_it_is_taken = lambda: screen.paint(Rect(20, 20, 2, 2))
    second = screen.next()
    assert second.change == Change(since=first.frame_id, box=Rect(1, 1, 21, 21))
    screen.while_it_is_taken = lambda: None
    screen.paint(Rect(30, 30, 1, 1))
    third = screen.next()
    assert third.change == Change(since=second.frame_id, box=Rect(20, 20, 11, 11))


def test_painted_as_it_was_is_no_other_picture() -> None:
    screen = Screen()
    first = screen.next()
    screen.paint(Rect(1, 1, 2, 2))
    screen.paint(Rect(1, 1, 2, 2))
    assert screen.next().frame_id == first.frame_id


def test_what_nobody_told_of_comes_soon_although_others_paint() -> None:
    screen = Screen()
    last = screen.next()
    screen.paint(Rect(40, 40, 3, 3), told=False)
    boxes = []
    for _ in range(12):
        screen.now_s += THOROUGH_S / 10
        screen.paint(Rect(0, 0, 4, 4))
        frame = screen.next()
        assert frame.change is not None
        assert frame.change.since == last.frame_id
        boxes.append(frame.change.box)
        last = frame
    assert Rect(0, 0, 43, 43) in boxes
    assert boxes.count(Rect(0, 0, 4, 4)) == 11


def test_after_a_burst_a_still_picture_is_no_other_one_and_what_was_missed_is_told() -> None:
    screen = Screen()
    screen.next()
    for told in (True, False):
        screen.now_s += 0.1
        screen.paint(Rect(0, 0, 4, 4))
        screen.paint(Rect(40, 40, 3, 3), told=told)
        last = screen.next()
        screen.now_s += 1.0
        looked = screen.next()
        if told:
            assert looked.frame_id == last.frame_id
        else:
            assert looked.change == Change(since=last.frame_id, box=Rect(0, 0, 43, 43))


def test_beneath_our_own_windows_anything_may_have_changed() -> None:
    screen = Screen()
    ours = Layer(layer_id=1, client=1, rect=Rect(110, 60, 10, 10), border=0, parts=(), pid=None, own=True)
    screen.ours = [ours]
    first = screen.next()
    screen.now_s += 0.01
    first = screen.next()
    screen.paint(Rect(12, 12, 1, 1), told=False)
    screen.now_s += 0.01
    second = screen.next()
    assert second.change == Change(since=first.frame_id, box=Rect(10, 10, 10, 10))


def test_a_window_is_compared_and_so_is_a_screen_that_tells_nothing() -> None:
    for screen in (Screen(WindowCapture), Screen(reports=False)):
        first = screen.next()
        screen.paint(Rect(7, 8, 2, 3), told=False)
        assert screen.next().change == Change(since=first.frame_id, box=Rect(7, 8, 2, 3))


def test_a_picture_of_another_place_is_another_all_over() -> None:
    screen = Screen()
    first = screen.next()
    screen.place = PLACE.moved(5, 0)
    moved = screen.next()
    assert moved.frame_id != first.frame_id
    assert moved.change is None
