"""Renders every state of the window to PNGs, for a person to look at: ``python -m tests.display.ui.gallery OUTDIR``.

Starts an Xvfb with a window manager of its own, and in it itself, light and dark, at 100 % and 200 %. With ``--check``
it renders nothing, and says for every state, at several sizes and scales, which texts are cut, hidden or overlapping;
it ends with 1 if there are any. Not a test.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.ui.theme_choice import ContrastChoice, Look, ThemeChoice
from tests.display.rig import start_openbox, start_xvfb

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from operator_console.ui.console import Console

SIZE = (2960, 1900)
LARGEST = (5240, 3000)
SIZES = ((720, 520), (1280, 720), (1440, 900), (2560, 1440))
CHECKED = (
    ("1", Look(ThemeChoice.LIGHT, ContrastChoice.NORMAL, 1.0)),
    ("1", Look(ThemeChoice.LIGHT, ContrastChoice.NORMAL, 1.5)),
    ("1.5", Look(ThemeChoice.LIGHT, ContrastChoice.NORMAL, 1.0)),
    ("2", Look(ThemeChoice.DARK, ContrastChoice.HIGH, 1.0)),
)
"""Scales with a look each. A scale changes rounding only; high contrast has wider borders, a theme other colours."""


def main() -> None:
    """Start the display, and this again inside it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("outdir", type=Path, nargs="?")
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--inside", default="")
    parser.add_argument("--text-size", type=float, default=1.0)
    parser.add_argument("--contrast", default="normal")
    args = parser.parse_args()
    if args.inside:
        _inside(args.outdir, Look.read(args.inside, args.contrast, args.text_size), args.only)
        return
    if args.check:
        raise SystemExit(1 if _check(args.only) else 0)
    if args.outdir is None:
        parser.error("name a folder for the pictures")
    args.outdir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server = start_xvfb(Path(folder), size=SIZE)
        manager = start_openbox(server, Path(folder))
        try:
            for theme, scale in (("light", "1"), ("dark", "1"), ("light", "2")):
                env = {**server.env, "QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "xcb"}
                command = [sys.executable, "-m", "tests.display.ui.gallery", str(args.outdir), "--inside", theme]
                command += ["--text-size", str(args.text_size), "--contrast", args.contrast, "--only", args.only]
                subprocess.run(command, env=env, check=True)
        finally:
            manager.stop()
            server.stop()


def _check(only: str) -> bool:
    """Whether there is any fault. Much of the time windows are waited for: all are checked at once."""
    with ThreadPoolExecutor(len(CHECKED)) as pool:
        return any(list(pool.map(partial(_faulty, only), *zip(*CHECKED, strict=True))))


def _faulty(only: str, scale: str, look: Look) -> bool:
    """Whether there is any fault at this scale with this look."""
    with tempfile.TemporaryDirectory() as folder:
        server = start_xvfb(Path(folder), size=LARGEST)
        manager = start_openbox(server, Path(folder))
        try:
            env = {**server.env, "QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "xcb"}
            command = [sys.executable, "-m", "tests.display.ui.gallery", "--inside", look.theme.value]
            command += ["--text-size", str(look.text_size), "--contrast", look.contrast.value, "--only", only]
            return subprocess.run(command, env=env, check=False).returncode != 0
        finally:
            manager.stop()
            server.stop()


def _inside(outdir: Path | None, look: Look, only: str) -> None:
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    from operator_console.ui.backend import Preferences

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    preferences = Preferences(look=look, reduced_motion=False, start_page_seen=True)
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        faults = runner.run(_scenes(outdir, _name(look), preferences, only))
    raise SystemExit(1 if faults else 0)


def _name(look: Look) -> str:
    """For the files: "light", "dark-high-1.5"."""
    high = "-high" if look.contrast is ContrastChoice.HIGH else ""
    return f"{look.theme.value}{high}{f'-{look.text_size:g}' if look.text_size != 1 else ''}"


async def until(condition: Callable[[], object], what: str, timeout_s: float = 20.0) -> None:
    """Wait for a condition on the loop."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        await asyncio.sleep(0.01)


async def _scenes(outdir: Path | None, theme: str, preferences: object, only: str) -> int:
    """Render the scenes to a folder; without one, say their faults. Returns how many faults there are."""
    from PySide6.QtWidgets import QApplication

    from operator_console.ui.backend import Preferences
    from operator_console.ui.console import Console
    from tests.display.ui.fake_backend import FakeBackend
    from tests.display.ui.gallery_scenes import SCENES

    assert isinstance(preferences, Preferences)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    ratio = app.primaryScreen().devicePixelRatio()
    faults = 0
    for name, make in SCENES.items():
        if only and only not in name:
            continue
        backend = FakeBackend(preferences=preferences)
        console = Console(app, backend)
        life = asyncio.ensure_future(console.run())
        await until(console.window.isVisible, "the window")
        shots = await make(console, backend)
        if outdir is None:
            faults += await _say_faults(name, theme, ratio, console, [widget for _, widget in shots])
        for part, widget in shots if outdir is not None else ():
            assert outdir is not None
            path = outdir / f"{name}{part}-{theme}-{ratio * 100:.0f}.png"
            widget.grab().save(str(path))
            print(path, flush=True)
        console.close()
        await life
    return faults


async def _say_faults(name: str, theme: str, ratio: float, console: Console, shown: Sequence[QWidget]) -> int:
    """The faults of a scene at every size of the window; of its other windows as they are."""
    from shiboken6 import isValid

    from tests.display.ui.layout_faults import layout_faults

    faults = 0
    for size in SIZES:
        if console.window in shown:
            console.window.resize(*size)
            for _ in range(3):
                await asyncio.sleep(0.02)
            console.render()
            await asyncio.sleep(0.02)
        for widget in filter(isValid, shown):  # a tooltip goes by itself
            for fault in layout_faults(widget):
                faults += 1
                print(f"{name} {theme} x{ratio:g} {size[0]}x{size[1]}: {fault}", flush=True)
        if console.window not in shown:
            break
    return faults


if __name__ == "__main__":
    main()
