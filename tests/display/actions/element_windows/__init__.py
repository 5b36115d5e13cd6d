"""Windows of real toolkits that write down what they received, in a file or, a page, in its title."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from tests.display.rig import AccessibleDesktop, Application, launch
from tests.display.rig.apps import CHROMIUM_FLAGS

_FOLDER = Path(__file__).parent
_SYSTEM_PYTHON = "/usr/bin/python3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """A window and what it received; `log` is None for a page."""

    app: Application
    log: Path | None

    def received(self) -> list[list[str]]:
        """Kind and value of each, in order."""
        if self.log is None:
            return [part.split("=", 1) for part in self.app.now().title.split(" - ")[0].split("|")[1:]]
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines()]


def show(desktop: AccessibleDesktop, kit: str) -> Receiver:
    """A window of "GTK 3", "GTK 4", "Qt" or "Chromium"."""
    folder = Path(mkdtemp(dir=desktop.desktop.folder))
    log = folder / "received.jsonl"
    if kit == "Chromium":
        # --test-type: without it a bar about --no-sandbox slides in later and moves the page.
        flags = (*CHROMIUM_FLAGS, "--test-type", "--window-position=0,0", "--window-size=700,400")
        page = (_FOLDER / "page.html").as_uri()
        command = ["chromium", *flags, f"--user-data-dir={folder}", f"--app={page}"]
        app = launch(desktop.desktop, command, wm_class="chromium", by_pid=False, env=desktop.env)
        return Receiver(app=app, log=None)
    if kit == "Qt":
        command = [sys.executable, str(_FOLDER / "qt.py"), str(log)]
    else:
        command = [_SYSTEM_PYTHON, str(_FOLDER / "gtk.py"), f"{kit[-1]}.0", str(log)]
    return Receiver(app=launch(desktop.desktop, command, title="Elements of", env=desktop.env), log=log)
