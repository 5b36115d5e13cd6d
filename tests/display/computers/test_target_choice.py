"""The list of targets of a real desktop follows its windows by events."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence

from operator_console.computers.target_choice import TargetList, TargetPictures
from operator_console.computers.target_spec import TargetListing
from operator_console.computers.targets import bring_forward
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.geometry import Rect, Size
from tests.display.desktop.painted import Painted
from tests.display.rig import Desktop

Listed = Sequence[TargetListing]


def test_the_list_follows_windows_that_open_close_change_their_name_and_are_minimised(desktop: Desktop) -> None:
    heard: queue.Queue[Listed] = queue.Queue()

    def until(condition: Callable[[Listed], bool]) -> Listed:
        while not condition(found := heard.get(timeout=10)):
            pass
        return found

    source = TargetList(OwnWindows(), desktop.name)
    source.start(heard.put)
    try:
        first = until(lambda _: True)
        assert [each.ref.spec for each in first] == ["monitor:1", "virtual", "vnc", "browser"]
        with Painted(desktop, (300, 200, 100, 100), (220, 10, 20), title="before") as window:
            until(lambda found: any(each.ref.title == "before" for each in found))
            desktop.xdo("set_window", "--name", "after", str(window.xid))
            until(lambda found: any(each.ref.title == "after" for each in found))
            desktop.xdo("windowminimize", str(window.xid))
            listed = until(lambda found: any(each.state == "minimised" for each in found))
            assert bring_forward(listed[1].ref)
            until(lambda found: len(found) == 5 and all(each.state == "shown" for each in found))
            assert desktop.active_window() == window.xid
            pictures = TargetPictures(OwnWindows(), desktop.name)
            for ref, size in ((listed[1].ref, Size(100, 100)), (listed[0].ref, Size(1280, 800))):
                frame = pictures.take(ref)
                assert frame.geometry.native == size
                middle = Rect(350, 250, 1, 1) if ref is listed[0].ref else Rect(50, 50, 1, 1)
                assert frame.crop(middle)[:3] == bytes((20, 10, 220))
            pictures.close()
        last = until(lambda found: len(found) == 4)
        assert [each.ref.spec for each in last] == ["monitor:1", "virtual", "vnc", "browser"]
    finally:
        source.stop()
        source.join(10)
