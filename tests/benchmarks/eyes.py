"""Capture, encoding and the live picture against the bars of the design; prints ratios side by side.

    python -m tests.benchmarks.eyes

Starts its own Xvfb and real applications. Ratios count: machines are noisy.
"""

from __future__ import annotations

import io
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from operator_console.computers.encode import png
from operator_console.computers.live import LiveSource
from operator_console.computers.targets import make_eye, resolve
from operator_console.desktop.own import OwnWindows
from operator_console.desktop.x11.pixmaps import Grabber
from operator_console.domain.geometry import Rect
from tests.display.desktop.painted import Painted
from tests.display.rig import Desktop, launch_galculator, launch_mousepad, launch_xterm, start_xvfb

SIZE = (1920, 1080)
FRAMES = 200


def median_ms(work: Callable[[], object], times: int = 41) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1000


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def capture(desktop: Desktop) -> None:
    own = OwnWindows()
    eye = make_eye(resolve("monitor:1", own, desktop.name), own)
    whole = Rect(0, 0, *SIZE)
    bare = Grabber(eye.display)
    floor = median_ms(lambda: bare.drawable(eye.display.root, whole))
    ours = median_ms(lambda: eye.capture.screen(whole))
    print(
        f"capture {SIZE[0]}x{SIZE[1]}: {ours:.2f} ms, bare XShmGetImage {floor:.2f} ms: {ours / floor:.2f}x (bar 1.1)"
    )
    with Painted(desktop, (400, 300, 500, 425), (220, 10, 20), title="ours") as console:
        own.add(window_ids=[console.xid])
        eye.capture.screen(whole)
        print(f"the same with our 500x425 window left out: {median_ms(lambda: eye.capture.screen(whole)):.2f} ms")
    pixels = np.frombuffer(eye.capture.screen(whole).pixels, dtype=np.uint8).reshape(SIZE[1], SIZE[0], 4)
    image = Image.frombuffer("RGB", SIZE, pixels.tobytes(), "raw", "BGRX", 0, 1)

    def pillow() -> int:
        out = io.BytesIO()
        image.save(out, "PNG")
        return out.tell()

    theirs_ms, ours_ms = median_ms(pillow, 7), median_ms(lambda: png(pixels), 7)
    print(f"PNG: {ours_ms:.1f} ms, Pillow {theirs_ms:.1f} ms: {ours_ms / theirs_ms:.2f}x (bar 0.25); "
          f"size {len(png(pixels)) / pillow():.2f}x (bar 1.05)")  # fmt: skip
    bare.close()
    eye.close()


def live(desktop: Desktop) -> None:
    own = OwnWindows()
    ref = resolve("monitor:1", own, desktop.name)
    seen, came = 0, threading.Event()

    def on_frame(_frame: object) -> None:
        nonlocal seen
        seen += 1
        came.set()

    source = LiveSource(lambda: make_eye(ref, own))
    with Painted(desktop, (100, 100, 800, 600), (40, 90, 60)) as window:
        source.start(on_frame, print)
        came.wait()
        still = cpu_s()
        time.sleep(5)
        print(f"live picture, still: {(cpu_s() - still) / 5 * 100:.2f} % of a core (bar 1)")
        before, start, first = cpu_s(), time.monotonic(), seen
        for turn in range(FRAMES):
            came.clear()
            window.recolour((turn % 256, 90, 60))
            came.wait(1)
        frames, used, took = seen - first, cpu_s() - before, time.monotonic() - start
        source.stop()
    print(f"live picture, changing: {frames / took:.0f} frames/s, {used / frames * 100:.3f} % of a core per frame/s "
          "(bar 0.3, the drawing not counted, the painting of this benchmark counted)")  # fmt: skip


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = start_xvfb(Path(folder), size=SIZE)
        desktop = Desktop.start(server, Path(folder))
        try:
            launch_mousepad(desktop)
            launch_xterm(desktop, "sh", "-c", "ls -la --color=always /usr/bin | tail -60; cat", geometry="110x50+40+40")
            desktop.move_window(launch_galculator(desktop).window.xid, 900, 300)
            capture(desktop)
            live(desktop)
        finally:
            desktop.reset()
            desktop.close()
            server.stop()


if __name__ == "__main__":
    main()
