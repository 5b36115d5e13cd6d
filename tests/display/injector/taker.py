"""An override-redirect window that may grab the keyboard, like a screen lock or a launcher. Counts its keys in a file.

`python taker.py FILE X Y WIDTH HEIGHT show|hide grab|leave`; a hidden one grabs for the root window.
"""

from __future__ import annotations

import sys
from pathlib import Path

from Xlib import X
from Xlib.display import Display


def main(file: Path, rect: list[int], *, shows: bool, grab: bool) -> None:
    """Run until it is killed."""
    display = Display()
    screen = display.screen()
    window = screen.root.create_window(
        *rect, 0, screen.root_depth, background_pixel=screen.black_pixel, override_redirect=True,
        event_mask=X.KeyPressMask | X.ButtonPressMask | X.ExposureMask,
    )  # fmt: skip
    window.set_wm_name("the taker")
    if shows:
        window.map()
    display.sync()
    if grab:
        on = window if shows else screen.root
        if on.grab_keyboard(False, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime) != X.GrabSuccess:
            raise SystemExit("the keyboard is taken")
    keys = 0
    file.write_text("0")
    while True:
        if display.next_event().type == X.KeyPress:
            keys += 1
            file.write_text(str(keys))


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(n) for n in sys.argv[2:6]], shows=sys.argv[6] == "show", grab=sys.argv[7] == "grab")
