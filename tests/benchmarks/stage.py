"""Where benchmarks take place: a private X server with a window manager, a private home, real applications.

Everything ends with the context. Called by the modules of this folder.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.display.rig import Application, Desktop, launch_galculator, launch_mousepad, launch_xterm, start_xvfb

_TEXT = Path(__file__).parents[2] / "README.md"
_LISTING = "ls -la --color=always /usr/bin | tail -60; exec cat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A desktop and a folder of its own."""

    desktop: Desktop
    folder: Path

    def scratch(self, name: str) -> Path:
        """A new folder in it."""
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder))


@contextmanager
def stage(size: tuple[int, int] = (1280, 800)) -> Iterator[Stage]:
    """A fresh display; OPERATOR_CONSOLE_HOME is a private one until it ends."""
    former = os.environ.get("OPERATOR_CONSOLE_HOME")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name, ExitStack() as stack:
        folder = Path(name)
        os.environ["OPERATOR_CONSOLE_HOME"] = str(folder / "home")
        stack.callback(_restore, former)
        server = start_xvfb(folder, size=size)
        stack.callback(server.stop)
        desktop = Desktop.start(server, folder)
        stack.callback(desktop.close)
        yield Stage(desktop=desktop, folder=folder)


def _restore(former: str | None) -> None:
    if former is None:
        os.environ.pop("OPERATOR_CONSOLE_HOME", None)
    else:
        os.environ["OPERATOR_CONSOLE_HOME"] = former


def furnish(desktop: Desktop) -> None:
    """An ordinary desktop: an editor, a coloured listing in a terminal, a calculator."""
    text = desktop.folder / "read-me.txt"
    text.write_bytes(_TEXT.read_bytes())
    desktop.move_window(launch_mousepad(desktop, text).window.xid, 500, 60)
    launch_xterm(desktop, "sh", "-c", _LISTING, geometry="110x50+40+40")
    launch_xterm(desktop, "sh", "-c", _LISTING.replace("bin", "lib"), title="more", geometry="150x60+620+520")
    desktop.move_window(launch_galculator(desktop).window.xid, 900, 300)


def terminal_into(desktop: Desktop, path: Path) -> Application:
    """An xterm whose every typed byte lands in a file."""
    return launch_xterm(desktop, "sh", "-c", f"stty raw -echo -ixon; exec cat > '{path}'")
