"""Windows of one colour, in the test's own process: managed ones, and some that manage themselves like menus."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from Xlib import X, Xatom, Xutil
from Xlib.display import Display
from Xlib.ext import shape

from tests.display.rig import Desktop, wait_until

Colour = tuple[int, int, int]


class Painted:
    """A mapped window that shows `colour` (red, green, blue) and nothing else; to be used in a with statement.

    `rect` is its client area as asked: x, y, width, height in root pixels. A managed window is put exactly there.
    """

    def __init__(
        self,
        desktop: Desktop,
        rect: tuple[int, int, int, int],
        colour: Colour,
        *,
        title: str = "painted",
        override: bool = False,
        transient_for: int | None = None,
        wm_class: str = "Painted",
    ) -> None:
        self._desktop = desktop
        self.rect = rect
        self.colour = colour
        self.clicks: list[tuple[int, int]] = []
        self._closed = False
        self._managed = not override
        self._display = Display(desktop.name)
        screen = self._display.screen()
        x, y, width, height = rect
        self.window: Any = screen.root.create_window(
            x, y, width, height, 0, screen.root_depth,
            background_pixel=self._pixel(colour), override_redirect=override,
            event_mask=X.StructureNotifyMask | X.ButtonPressMask | X.ExposureMask,
        )  # fmt: skip
        self.window.set_wm_name(title.encode("ascii", "replace").decode())
        self.window.change_property(
            self._display.intern_atom("_NET_WM_NAME"), self._display.intern_atom("UTF8_STRING"), 8, title.encode()
        )
        self.window.set_wm_class(wm_class.lower(), wm_class)
        self.window.set_wm_normal_hints(flags=1 << 2 | 1 << 9, win_gravity=X.StaticGravity)  # at this place exactly
        if transient_for is not None:
            self.window.change_property(
                self._display.intern_atom("WM_TRANSIENT_FOR"), Xatom.WINDOW, 32, [transient_for]
            )
        self.xid: int = self.window.id
        self.window.map()
        self._display.sync()
        try:
            wait_until(self._shown, f"{title} to be mapped and painted")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def recolour(self, colour: Colour, part: tuple[int, int, int, int] | None = None) -> None:
        """Show another colour, everywhere or in a part (x, y, width, height in the window)."""
        graphics = self.window.create_gc(foreground=self._pixel(colour))
        self.window.fill_rectangle(graphics, *(part or (0, 0, self.rect[2], self.rect[3])))
        graphics.free()
        self._display.sync()

    def move(self, x: int, y: int) -> None:
        self.window.configure(x=x, y=y)
        self.rect = (x, y, *self.rect[2:])
        self._display.sync()
        wait_until(lambda: self.place() == self.rect, "the painted window to move")

    def resize(self, width: int, height: int) -> None:
        self.window.configure(width=width, height=height)
        self.rect = (*self.rect[:2], width, height)
        self._display.sync()
        wait_until(lambda: self.place() == self.rect, "the painted window to be resized")

    def raise_(self) -> None:
        """Above all others. A managed window is raised by the window manager, some time after it was asked to."""
        self.window.configure(stack_mode=X.Above)
        self._display.sync()
        if self._managed:
            wait_until(lambda: self._desktop.top_window() == self.xid, "the painted window to be raised")

    def unmap(self) -> None:
        self.window.unmap()
        self._display.sync()
        wait_until(lambda: self.window.get_attributes().map_state == X.IsUnmapped, "the painted window to go")

    def place(self) -> tuple[int, int, int, int]:
        """Where it really is."""
        geometry = self.window.get_geometry()
        at = self._display.screen().root.translate_coords(self.window, 0, 0)
        return at.x, at.y, geometry.width, geometry.height

    def presses(self) -> list[tuple[int, int]]:
        """Button presses it has received so far, window pixels."""
        self._display.sync()
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type == X.ButtonPress:
                self.clicks.append((event.event_x, event.event_y))
        return self.clicks

    def take_input_only_in(self, part: tuple[int, int, int, int]) -> None:
        """Let input through everywhere else (x, y, width, height in the window)."""
        self.window.shape_rectangles(shape.SO.Set, shape.SK.Input, X.Unsorted, 0, 0, [part])
        self._display.sync()

    def take_no_keys(self) -> None:
        """Say that this window wants no keyboard focus (ICCCM's input hint)."""
        self.window.set_wm_hints(flags=Xutil.InputHint, input=0)
        self._display.sync()

    def close(self) -> None:
        """Gone, as when its application ends; twice is once."""
        if not self._closed:
            self._closed = True
            self._display.close()

    def _shown(self) -> bool:
        return bool(self.window.get_attributes().map_state == X.IsViewable) and self.place() == self.rect

    @staticmethod
    def _pixel(colour: Colour) -> int:
        red, green, blue = colour
        return red << 16 | green << 8 | blue


def pixel_at(pixels: bytes | bytearray | memoryview, width: int, x: int, y: int) -> Colour:
    """A pixel of BGRX rows as red, green, blue."""
    start = (y * width + x) * 4
    blue, green, red = bytes(pixels[start : start + 3])
    return red, green, blue


def colours(pixels: bytes | bytearray | memoryview) -> set[Colour]:
    """Every colour that occurs."""
    import numpy as np

    found = np.unique(np.frombuffer(pixels, dtype=np.uint32) & np.uint32(0xFFFFFF))
    return {(int(each) >> 16, int(each) >> 8 & 255, int(each) & 255) for each in found}
