"""The live picture: a frame when something changes, none while nothing does, words when the target cannot be seen."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
import numpy.typing as npt
import pytest

from operator_console.computers.live_preview import LiveSource
from operator_console.computers.targets import open_capture, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import Frame, MonitorTarget
from tests.display.desktop.painted import Painted, colours
from tests.display.rig import Desktop
from tests.display.rig.lacking import EVERYTHING, lack

BLUE, RED, GREEN = (30, 40, 230), (220, 10, 20), (10, 200, 30)
DEADLINE_S = 30.0


class Watched:
    def __init__(self) -> None:
        self.frames: queue.Queue[Frame] = queue.Queue()
        self.lost: queue.Queue[ConsoleError] = queue.Queue()
        self.same: queue.Queue[Frame] = queue.Queue()

    def next_frame(self) -> Frame:
        return self.frames.get(timeout=DEADLINE_S)

    def frame_with(self, colour: tuple[int, int, int]) -> Frame:
        while colour not in colours((frame := self.next_frame()).pixels):
            pass
        return frame

    def still(self) -> Frame:
        """The first picture that was looked at again and had not changed: what was painted before has been told of."""
        same = self.same.get(timeout=DEADLINE_S)
        while (frame := self.next_frame()).frame_id != same.frame_id:
            pass
        return frame


@contextmanager
def live(desktop: Desktop, spec: str, own: OwnWindows | None = None) -> Iterator[Watched]:
    own = own or OwnWindows()
    ref = resolve(spec, own, desktop.name)
    source = LiveSource(lambda: open_capture(ref, own))
    watched = Watched()
    source.start(watched.frames.put, watched.lost.put, on_same=watched.same.put)
    try:
        yield watched
    finally:
        source.stop()
        source.join()


@pytest.mark.parametrize("spec", ["window:target", "monitor:1"])
@pytest.mark.parametrize("lacks", [(), EVERYTHING], ids=["told", "looked for"])
def test_every_change_is_shown_and_nothing_else(
    desktop: Desktop, spec: str, lacks: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if lacks and spec.startswith("window"):
        lacks = ("paint_events",)  # a window is no target where windows are not known
    lack(monkeypatch, *lacks)
    with Painted(desktop, (200, 150, 300, 200), BLUE, title="target") as window, live(desktop, spec) as watched:
        watched.frame_with(BLUE)
        for colour in (RED, GREEN, RED):
            window.recolour(colour)
            watched.frame_with(colour)
        with pytest.raises(queue.Empty):  # still: no frame comes
            watched.frames.get(timeout=1.5)


@pytest.mark.parametrize(
    ("spec", "covered", "times"),
    # What changes beneath ours alone is seen when the screen is looked at again, after a second.
    [("window:target", True, 20), ("monitor:1", False, 20), ("monitor:1", True, 8)],
)
def test_the_changes_that_are_told_make_up_each_picture(desktop: Desktop, spec: str, covered: bool, times: int) -> None:
    """Who paints just what is said to have changed sees each picture as it is, also beneath a window of ours."""
    place, own = (200, 150, 300, 200), OwnWindows()
    with Painted(desktop, place, BLUE, title="target") as window, ExitStack() as stack:
        if covered:
            ours = stack.enter_context(Painted(desktop, (260, 190, 150, 100), RED, title="console"))
            own.add(window_ids=[ours.xid])
        watched = stack.enter_context(live(desktop, spec, own))
        last = watched.still()
        painted, partly = pixels_of(last), 0
        for number in range(times):
            colour = (number * 10, 255 - number * 10, 77)
            window.recolour(colour, (number * 37 % 260, number * 53 % 170, 40, 30))
            while colour not in colours(last.pixels):
                frame = watched.next_frame()
                assert frame.change is not None
                assert frame.change.since == last.frame_id
                box = frame.change.box
                rows, columns = slice(box.y, box.bottom), slice(box.x, box.right)
                painted[rows, columns] = pixels_of(frame)[rows, columns]
                assert (painted == pixels_of(frame)).all()
                partly += box.width * box.height < 0.25 * frame.geometry.native.width * frame.geometry.native.height
                last = frame
    assert partly >= times


def pixels_of(frame: Frame) -> npt.NDArray[np.uint8]:
    native = frame.geometry.native
    return np.frombuffer(frame.pixels, dtype=np.uint8).reshape(native.height, native.width, 4)[..., :3].copy()


def test_a_still_picture_is_looked_at_again(desktop: Desktop) -> None:
    again: queue.Queue[Frame] = queue.Queue()
    with Painted(desktop, (200, 150, 300, 200), BLUE, title="target"):
        ref = resolve("window:target", OwnWindows(), desktop.name)
        source, watched = LiveSource(lambda: open_capture(ref, OwnWindows())), Watched()
        source.start(watched.frames.put, watched.lost.put, on_same=again.put)
        try:
            first = watched.frame_with(BLUE)
            looks = [again.get(timeout=DEADLINE_S) for _ in range(2)]
        finally:
            source.stop()
    assert {look.frame_id for look in looks} == {first.frame_id}
    assert first.taken_s < looks[0].taken_s < looks[1].taken_s


def test_pictures_of_two_targets_never_share_an_id(desktop: Desktop) -> None:
    with Painted(desktop, (200, 150, 300, 200), BLUE, title="target"):
        with live(desktop, "window:target") as watched:
            first = watched.frame_with(BLUE)
        with live(desktop, "monitor:1") as watched:
            assert watched.frame_with(BLUE).frame_id != first.frame_id


def test_a_window_is_followed(desktop: Desktop) -> None:
    with Painted(desktop, (200, 150, 300, 200), BLUE, title="target") as window, live(desktop, "window:target") as seen:
        assert seen.next_frame().geometry.origin.x == 200
        window.resize(320, 240)
        while seen.next_frame().geometry.native.width != 320:
            pass


def test_ours_are_not_in_it(desktop: Desktop) -> None:
    with (
        Painted(desktop, (200, 150, 300, 200), BLUE, title="target") as window,
        Painted(desktop, (250, 200, 100, 100), RED, title="console") as console,
        live(desktop, "monitor:1", OwnWindows(window_ids=[console.xid])) as watched,
    ):
        for colour in (GREEN, BLUE):
            window.recolour(colour)
            assert RED not in colours(watched.frame_with(colour).pixels)


def test_a_target_that_cannot_be_seen_is_said_once_and_comes_back(desktop: Desktop) -> None:
    with Painted(desktop, (200, 150, 300, 200), BLUE, title="target") as window, live(desktop, "window:target") as seen:
        seen.next_frame()
        desktop.xdo("windowminimize", str(window.xid))
        error = seen.lost.get(timeout=DEADLINE_S)
        assert isinstance(error, ComputerUnavailable)
        assert error.reason is UnavailableReason.MINIMISED
        desktop.activate(window.xid)
        seen.next_frame()
        assert seen.lost.empty()


def test_a_target_that_is_gone_ends_it(desktop: Desktop) -> None:
    with Painted(desktop, (200, 150, 300, 200), BLUE, title="target") as window, live(desktop, "window:target") as seen:
        seen.next_frame()
        window.close()
        error = seen.lost.get(timeout=DEADLINE_S)
        assert isinstance(error, ComputerUnavailable)
        assert error.reason is UnavailableReason.GONE


def test_a_display_that_is_not_there_is_said() -> None:

    ref = MonitorTarget(spec="monitor:1", title="", display=":64123")
    source, watched = LiveSource(lambda: open_capture(ref, OwnWindows())), Watched()
    source.start(watched.frames.put, watched.lost.put)
    assert "64123" in str(watched.lost.get(timeout=DEADLINE_S))
    source.stop()
    source.stop()
