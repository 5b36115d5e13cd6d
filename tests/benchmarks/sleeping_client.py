"""A step of a client as vendors' samples show it: click, sleep half a second, screenshot, PNG."""

from __future__ import annotations

import base64
import io
import subprocess
import time

from tests.display.rig import Desktop

SLEEP_S = 0.5


def step_ms(desktop: Desktop, x: int, y: int, window: int | None = None) -> float:
    """Everything of one step that is not the model's.

    Args:
        desktop: where it clicks.
        x: of the click, pixels of the desktop.
        y: of the click, pixels of the desktop.
        window: the X id of the window of the screenshot; None for the whole desktop.
    """
    began_s = time.perf_counter()
    subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", "1"], env=desktop.env, check=True)
    time.sleep(SLEEP_S)  # what is measured here is a fixed sleep
    out = io.BytesIO()
    desktop.grab(window).save(out, "PNG")
    base64.b64encode(out.getvalue())
    return (time.perf_counter() - began_s) * 1000
