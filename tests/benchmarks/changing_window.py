"""A window that is painted anew so many times a second: `changing_window.py FRAMES_PER_S`; 0: it stands still.

Started by preview.py, in a process of its own so that its work is not counted as the preview's.
"""

from __future__ import annotations

import sys
import time

from Xlib import X
from Xlib.display import Display

TITLE = "Changing"
_PLACE = (100, 100, 800, 600)
_COLOURS = (0x285A3C, 0x3C5A28)
_BAND = 60


def main() -> None:
    rate = float(sys.argv[1])
    display = Display()
    screen = display.screen()
    window = screen.root.create_window(
        *_PLACE, 0, screen.root_depth, background_pixel=_COLOURS[0], event_mask=X.ExposureMask
    )
    window.set_wm_name(TITLE)
    window.map()
    pens = [window.create_gc(foreground=colour) for colour in _COLOURS]
    while not (event := display.next_event()) or event.type != X.Expose:
        pass
    print("ready", flush=True)
    turn = 0
    next_s = time.monotonic()
    while True:
        if not rate:
            display.next_event()
            continue
        turn += 1
        # A band that moves, and the whole window in turn: no two frames in a row are alike.
        window.fill_rectangle(pens[turn % 2], 0, 0, _PLACE[2], _PLACE[3])
        window.fill_rectangle(pens[(turn + 1) % 2], 0, turn * 7 % (_PLACE[3] - _BAND), _PLACE[2], _BAND)
        display.flush()
        next_s += 1 / rate
        time.sleep(max(0.0, next_s - time.monotonic()))


if __name__ == "__main__":
    main()
