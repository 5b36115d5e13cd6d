"""A capture of a whole monitor beside a bare XShmGetImage of the same area, with and without its one copy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from operator_console.computers.targets import open_capture, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.pixels import SharedMemory
from tests.benchmarks.figures import Options, Row, in_turn, ratio_row
from tests.benchmarks.stage import furnish, stage
from tests.display.desktop.painted import Painted

_BAR = 1.1
_SIZES = ((1920, 1080), (1440, 900))
_OURS = (400, 300, 500, 425)
_Z_PIXMAP, _ALL_PLANES = 2, 0xFFFFFFFF


class Bare:
    """XShmGetImage on a connection of its own, into one segment, and nothing else."""

    def __init__(self, display_name: str, size: tuple[int, int]) -> None:
        self._display = Display(display_name)
        self._shm = self._display.extension("shm")
        self._size = size
        self._bytes = size[0] * size[1] * 4
        self._memory = SharedMemory(self._bytes)
        self._segment = self._display.connection.generate_id()
        assert self._shm is not None
        assert self._display.done(self._shm.Attach(self._segment, self._memory.number, False, is_checked=True))
        self._memory.forget()
        self._view = self._memory.lend(self._bytes, lambda _: None)
        self._target = ctypes.create_string_buffer(self._bytes)

    def grab(self) -> None:
        """The request and its reply."""
        assert self._shm is not None
        root = self._display.root
        self._shm.GetImage(root, 0, 0, *self._size, _ALL_PLANES, _Z_PIXMAP, self._segment, 0).reply()

    def grab_and_copy(self) -> None:
        """The same, and one copy into memory that is there already."""
        self.grab()
        ctypes.memmove(self._target, ctypes.addressof(ctypes.c_char.from_buffer(self._view)), self._bytes)

    def close(self) -> None:
        self._display.close()


def measure(options: Options) -> list[Row]:
    """Two sizes, and one with a window of ours to be left out."""
    return [row for size in _SIZES for row in _of_size(options, size)]


def _of_size(options: Options, size: tuple[int, int]) -> list[Row]:
    what = f"capture {size[0]} x {size[1]}"
    with stage(size) as here:
        furnish(here.desktop)
        own = OwnWindows()
        capture = open_capture(resolve("monitor:1", own, here.desktop.name), own)
        bare = Bare(here.desktop.name, size)
        place = capture.place()
        works: dict[str, Callable[[], object]] = {
            "bare": bare.grab,
            "ours": lambda: capture.screen_capture.screen(place),
        }
        asking: dict[str, Callable[[], object]] = {"copied": bare.grab_and_copy, "asking": capture.grab}
        try:
            # Two and two: the memory of all four together is as large as a cache, and then it decides who comes after
            # whom.
            took = in_turn(works, options.times(200, 20)) | in_turn(asking, options.times(200, 20))
            rows = [
                ratio_row(what, took["ours"], took["bare"], _BAR, beside="bare XShmGetImage", digits=2),
                ratio_row(
                    f"{what}, asking where the monitor lies first", took["asking"], took["copied"], _BAR,
                    beside="bare XShmGetImage and one copy", digits=2,
                ),
            ]  # fmt: skip
            if size == _SIZES[0]:
                with Painted(here.desktop, _OURS, (220, 10, 20), title="ours") as window:
                    own.add(window_ids=[window.xid])
                    took = in_turn(works, options.times(200, 20))
                what += f", a {_OURS[2]} x {_OURS[3]} window of ours left out"
                rows.append(ratio_row(what, took["ours"], took["bare"], None, beside="bare XShmGetImage", digits=2))
            return rows
        finally:
            bare.close()
            capture.close()
