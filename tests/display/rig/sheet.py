"""A window of another program that lies exactly where it is told and writes down each press that it receives.

It manages itself like a menu, so no window manager moves or decorates it; it may hang out over the screen's edge.
As a program: `python -m tests.display.rig.sheet FILE X Y WIDTH HEIGHT RRGGBB TITLE managed|alone`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from Xlib import X
from Xlib.display import Display

from tests.display.rig.desktop import Desktop
from tests.display.rig.processes import Child, wait_until

_ROOT = Path(__file__).resolve().parents[3]
_RULED = 96  # a faint line so often: a picture of one colour would be looked at twice


@dataclass(frozen=True, slots=True)
class Hit:
    """A press as the window was told of it: its own pixels, and the screen's."""

    x: int
    y: int
    root_x: int
    root_y: int
    button: int


class Sheet:
    """To be used in a with statement; `rect` is x, y, width, height in root pixels."""

    def __init__(
        self,
        desktop: Desktop,
        rect: tuple[int, int, int, int],
        *,
        colour: str = "2f6fd0",
        title: str = "Sheet",
        managed: bool = False,
    ) -> None:
        self._file = desktop.folder / f"sheet-{title}.txt"
        self._file.unlink(missing_ok=True)
        args = [*map(str, rect), colour, title, "managed" if managed else "alone"]
        self._child = Child(
            [sys.executable, "-m", "tests.display.rig.sheet", str(self._file), *args],
            env={**desktop.env, "PYTHONPATH": str(_ROOT)},
            log=desktop.folder / f"sheet-{title}.log",
        )
        try:
            wait_until(lambda: self._child.checked() and self._file.exists(), f"{title} to be shown")
            self.xid = int(self._file.read_text().split("\n", 1)[0])
        except BaseException:
            self._child.stop()
            raise

    def __enter__(self) -> Sheet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._child.stop()

    def hits(self) -> list[Hit]:
        """The presses so far, in order."""
        lines = self._file.read_text().split("\n")[1:-1]  # what follows the last newline is half a line
        return [Hit(*map(int, line.split())) for line in lines]

    def wait(self, count: int) -> list[Hit]:
        """Once there are so many."""
        return wait_until(lambda: found if len(found := self.hits()) >= count else [], f"{count} presses")


def main(file: Path, rect: list[int], colour: str, title: str, *, managed: bool) -> None:
    """Until it is killed."""
    display = Display()
    screen = display.screen()
    window = screen.root.create_window(
        *rect, 0, screen.root_depth, background_pixel=int(colour, 16), override_redirect=not managed,
        event_mask=X.ButtonPressMask | X.ExposureMask,
    )  # fmt: skip
    window.set_wm_name(title)
    window.set_wm_class("sheet", "Sheet")
    window.set_wm_normal_hints(flags=1 << 2 | 1 << 9, win_gravity=X.StaticGravity)  # at this place exactly
    window.map()
    while display.next_event().type != X.Expose:
        pass
    graphics = window.create_gc(foreground=int(colour, 16) ^ 0x101010)
    for y in range(_RULED, rect[3], _RULED):
        window.line(graphics, 0, y, rect[2], y)
    display.sync()
    part = file.with_suffix(".part")
    with part.open("w", buffering=1) as out:
        out.write(f"{window.id}\n")
        part.rename(file)
        while True:
            event = display.next_event()
            if event.type == X.ButtonPress:
                out.write(f"{event.event_x} {event.event_y} {event.root_x} {event.root_y} {event.detail}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), list(map(int, sys.argv[2:6])), *sys.argv[6:8], managed=sys.argv[8] == "managed")
