"""Renders every state of the window to PNGs, for a person to look at: ``python -m tests.display.ui.gallery OUTDIR``.

Starts an Xvfb with a window manager of its own, and in it itself, light and dark, at 100 % and 200 %. Not a test.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.display.rig import start_openbox, start_xvfb

SIZE = (2960, 1900)


def main() -> None:
    """Start the display, and this again inside it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("outdir", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--inside", default="")
    args = parser.parse_args()
    if args.inside:
        _inside(args.outdir, args.inside, args.only)
        return
    args.outdir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server = start_xvfb(Path(folder), size=SIZE)
        manager = start_openbox(server, Path(folder))
        try:
            for theme, scale in (("light", "1"), ("dark", "1"), ("light", "2")):
                env = {**server.env, "QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "xcb"}
                command = [sys.executable, "-m", "tests.display.ui.gallery", str(args.outdir), "--inside", theme]
                subprocess.run([*command, "--only", args.only], env=env, check=True)
        finally:
            manager.stop()
            server.stop()


def _inside(outdir: Path, theme: str, only: str) -> None:
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    from operator_console.ui.backend import Preferences
    from operator_console.ui.theme_choice import ThemeChoice

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    preferences = Preferences(theme=ThemeChoice(theme), reduced_motion=False, start_page_seen=True)
    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        runner.run(_scenes(outdir, theme, preferences, only))


async def until(condition: Callable[[], object], what: str, timeout_s: float = 20.0) -> None:
    """Wait for a condition on the loop."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        await asyncio.sleep(0.01)


async def _scenes(outdir: Path, theme: str, preferences: object, only: str) -> None:
    from PySide6.QtWidgets import QApplication

    from operator_console.ui.backend import Preferences
    from operator_console.ui.console import Console
    from tests.display.ui.fake_backend import FakeBackend
    from tests.display.ui.gallery_scenes import SCENES

    assert isinstance(preferences, Preferences)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    scale = "200" if app.primaryScreen().devicePixelRatio() > 1.5 else "100"
    for name, make in SCENES.items():
        if only and only not in name:
            continue
        backend = FakeBackend(preferences=preferences)
        console = Console(app, backend)
        life = asyncio.ensure_future(console.run())
        await until(console.window.isVisible, "the window")
        for part, widget in await make(console, backend):
            path = outdir / f"{name}{part}-{theme}-{scale}.png"
            widget.grab().save(str(path))
            print(path, flush=True)
        console.close()
        await life


if __name__ == "__main__":
    main()
