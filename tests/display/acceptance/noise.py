"""A desktop so large and so restless in its pixels that a look at it takes the console a good part of a second."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from Xlib import X
from Xlib.display import Display

from tests.display.rig import Desktop, desktop_of_its_own

SIZE = (3840, 2160)
_ROWS = 16  # as many as one request holds


@contextmanager
def noisy_desktop(folder: Path) -> Iterator[Desktop]:
    """A server of its own, its root window full of noise."""
    folder.mkdir()
    with desktop_of_its_own(folder, SIZE) as desktop:
        _paint(desktop.name)
        yield desktop


def _paint(name: str) -> None:
    display = Display(name)
    root = display.screen().root
    width, height = SIZE
    pixmap = root.create_pixmap(width, height, 24)
    context = pixmap.create_gc()
    for top in range(0, height, _ROWS):
        pixmap.put_image(context, 0, top, width, _ROWS, X.ZPixmap, 24, 0, os.urandom(4 * width * _ROWS))
    root.change_attributes(background_pixmap=pixmap)
    root.clear_area()
    display.sync()
    display.close()
