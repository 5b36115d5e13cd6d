"""Takes the screenshots in packaging/pictures: the real app on a virtual display, its practice, browser and guest.

    .venv/bin/python packaging/take_pictures.py [session] [browser] [picker] [machine]

Without names it takes all. Needs what `packaging/bootstrap.py test` installs, and `machine` what `bootstrap.py guest`
does. Controls are found by their accessible names.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.display.rig import (  # noqa: E402
    AccessibleSession,
    Child,
    Desktop,
    RigError,
    WindowInfo,
    start_xvfb,
    wait_until,
)
from tests.display.rig.guest import installer  # noqa: E402

PICTURES = Path(__file__).resolve().parent / "pictures"
SIZE = (1440, 900)
_SIDE_BY_SIDE = (2560, 900)
"""For two windows: the frame around a target is drawn over what covers it."""
_SETTINGS = (
    '[session]\nautonomy = "step"\nprovider = "runbook"\n[appearance]\ntheme = "{theme}"\nreduced_motion = true\n'
)


_BROWSER = """[browser]
headless = true
viewport = "1280x760"
[notices]
seen = ["start page"]
"""


def photograph(theme: str, folder: Path) -> None:
    """Take the three screenshots of one theme: ready, reviewing, stopped."""
    home = folder / "home"
    home.mkdir(parents=True)
    (home / "settings.toml").write_text(_SETTINGS.format(theme=theme), encoding="utf-8")
    server = start_xvfb(folder, size=SIZE)
    desktop = Desktop.start(server, folder)
    tree = AccessibleSession(desktop)
    env = {**tree.env, "OPERATOR_CONSOLE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    app = Child([sys.executable, "-m", "operator_console", "practice"], env=env, log=folder / "app.log")
    try:
        tree.wait("Start", pid=app.pid, enabled=True)
        wait_until(lambda: _shows(tree, "Plant diary", "combo box", app.pid), "the target to be chosen")
        wait_until(lambda: _shows(tree, "Runbook", "combo box", app.pid), "the model to be chosen")
        console = desktop.wait_window(title="Operator console", pid=app.pid)
        desktop.activate(console.xid)
        _picture(desktop, console, f"ready-{theme}.png")
        _press(tree, "Start", app.pid)
        tree.wait("Approve", pid=app.pid, enabled=True)
        _picture(desktop, console, f"reviewing-{theme}.png")
        _press(tree, "Approve", app.pid)
        wait_until(lambda: _shows(tree, "Approved by you", "list item", app.pid), "the first step to be done")
        tree.wait("Approve", pid=app.pid, enabled=True)
        _press(tree, "Stop", app.pid)
        tree.wait("Reset", pid=app.pid)
        desktop.activate(console.xid)
        _picture(desktop, console, f"stopped-{theme}.png")
    finally:
        app.stop()
        tree.close()
        desktop.close()
        server.stop()


_PAGE = """<!doctype html><meta charset="utf-8"><title>Riverside Library</title>
<style>
body { font: 16px "DejaVu Sans", sans-serif; margin: 0; background: #f7f7fb; color: #222 }
header { background: #274060; color: #fff; padding: 18px 32px; font-size: 22px }
main { padding: 20px 32px; max-width: 900px }
a { display: block; background: #fff; border: 1px solid #d7dbe3; border-radius: 8px; padding: 14px 18px; margin: 10px 0;
    color: #1a3c8c; text-decoration: none }
input, button { font: inherit; padding: 8px 12px }
button { background: #274060; color: #fff; border: 0; border-radius: 6px }
</style>
<header>Riverside Library</header>
<main><h1>Opening hours</h1><p>Monday to Friday, 9 to 18. Saturday, 10 to 14.</p>
<form><input name="q" placeholder="Search the catalogue"> <button>Search</button></form>
<h2>New books</h2><a href="salt.html">The Salt Path</a><a href="bees.html">A History of Bees</a>
<a href="tide.html">Tide and Time</a></main>"""


def browse(theme: str, folder: Path) -> None:
    """Take the screenshot of a session in the browser: the page, its address, and the first action."""
    home, site = folder / "home", folder / "site"
    home.mkdir(parents=True)
    site.mkdir()
    (site / "index.html").write_text(_PAGE, encoding="utf-8")
    handler = partial(SimpleHTTPRequestHandler, directory=site)
    pages = ThreadingHTTPServer(("127.0.0.1", 8080), handler)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    settings = _SETTINGS.format(theme=theme).replace(
        "[session]", '[session]\ntarget = "browser:http://127.0.0.1:8080/"'
    )
    (home / "settings.toml").write_text(settings + _BROWSER, encoding="utf-8")
    server = start_xvfb(folder, size=SIZE)
    desktop = Desktop.start(server, folder)
    tree = AccessibleSession(desktop)
    try:
        _review('click "A History of Bees"', f"browser-{theme}.png", home, desktop, tree)
    finally:
        tree.close()
        desktop.close()
        server.stop()
        pages.shutdown()


_MACHINE = "machine"
_PICTURES_S = 6.0
"""After which each row of the open list has its picture; nothing tells when."""
_LAST = {
    "target": "virtual", "target_title": "Virtual desktop", "model_title": "Runbook", "autonomy": "step",
    "max_steps": 100, "max_minutes": 30,
}  # fmt: skip


def pick(theme: str, folder: Path) -> None:
    """Take the screenshot of the open list of targets, beside two windows."""
    home = folder / "home"
    (home / "logs").mkdir(parents=True)
    settings = _SETTINGS.format(theme=theme).replace("[session]", '[session]\ntarget = "virtual"')
    (home / "settings.toml").write_text(settings + '[notices]\nseen = ["start page"]\n', encoding="utf-8")
    (home / "window.json").write_text(json.dumps({"setup": _LAST}), encoding="utf-8")
    server = start_xvfb(folder, size=SIZE)
    desktop = Desktop.start(server, folder)
    tree = AccessibleSession(desktop)
    env = {**tree.env, "OPERATOR_CONSOLE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    others = [
        Child(["zenity", "--forms", "--title", "Expense report", "--text", "Trip to Kraków", "--add-entry", "Amount",
               "--add-entry", "Date"], env=env, log=folder / "form.log"),
        Child(["xterm", "-T", "Notes", "-geometry", "60x12+900+560"], env=env, log=folder / "notes.log"),
    ]  # fmt: skip
    for title in ("Expense report", "Notes"):
        desktop.wait_window(title=title)
    app = Child([sys.executable, "-m", "operator_console"], env=env, log=folder / "app.log")
    try:
        tree.wait("Start", pid=app.pid, enabled=True)
        wait_until(lambda: _shows(tree, "Runbook", "combo box", app.pid), "the model to be chosen")
        wait_until(lambda: _shows(tree, "Virtual desktop", "combo box", app.pid), "the target to be chosen")
        console = desktop.wait_window(title="Operator console", pid=app.pid)
        desktop.activate(console.xid)
        wait_until(lambda: _opened(tree, app.pid), "the list of targets to open", interval_s=2)
        time.sleep(_PICTURES_S)
        _picture(desktop, console, f"picker-{theme}.png")
    finally:
        app.stop()
        for other in others:
            other.stop()
        tree.close()
        desktop.close()
        server.stop()


def _opened(tree: AccessibleSession, pid: int) -> bool:
    """Open the list of targets; whether it is open."""
    if _shows(tree, "Expense report", "list item", pid):
        return True
    tree.press(next(node for node in tree.find_all(role="combo box", pid=pid) if "Virtual" in node.name))
    return False


def supervise_machines(themes: Sequence[str], folder: Path) -> None:
    """Take the screenshots of a session in a virtual machine's window: a language to be chosen in an installer."""
    server = start_xvfb(folder, size=_SIDE_BY_SIDE)
    desktop = Desktop.start(server, folder)
    tree = AccessibleSession(desktop)
    try:
        with installer(folder, window=server):
            machine = desktop.wait_window(title="QEMU")
            for theme in themes:
                _supervise(theme, folder / theme, desktop, tree, machine)
    finally:
        tree.close()
        desktop.close()
        server.stop()


def _supervise(theme: str, home: Path, desktop: Desktop, tree: AccessibleSession, machine: WindowInfo) -> None:
    home.mkdir()
    settings = _SETTINGS.format(theme=theme).replace("[session]", f'[session]\ntarget = "vm:{machine.xid:#x}"')
    (home / "settings.toml").write_text(settings, encoding="utf-8")
    _review('click "German"', f"machine-{theme}.png", home, desktop, tree)


def _review(task: str, picture: str, home: Path, desktop: Desktop, tree: AccessibleSession) -> None:
    """Take the picture of the app, with the settings in `home`, waiting for the approval of the task's first action."""
    env = {**tree.env, "OPERATOR_CONSOLE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    app = Child([sys.executable, "-m", "operator_console"], env=env, log=home / "app.log")
    try:
        tree.wait("Start", pid=app.pid, enabled=True)
        wait_until(lambda: _shows(tree, "Runbook", "combo box", app.pid), "the model to be chosen")
        console = desktop.wait_window(title="Operator console", pid=app.pid)
        desktop.activate(console.xid)
        desktop.xdo("type", "--delay", "10", task)
        _press(tree, "Start", app.pid)
        tree.wait("Approve", pid=app.pid, enabled=True, timeout_s=90)
        _picture(desktop, console, picture)
    finally:
        app.stop()


def _picture(desktop: Desktop, window: WindowInfo, name: str) -> None:
    """The window without its frame and without what lies behind it."""
    path = PICTURES / name
    desktop.screenshot(path)
    with Image.open(path) as screen:
        area = screen.crop((window.x, window.y, window.x + window.width, window.y + window.height))
    area.save(path, optimize=True)


def _shows(tree: AccessibleSession, part: str, role: str, pid: int) -> bool:
    return any(part in node.name for node in tree.find_all(role=role, pid=pid))


def _press(tree: AccessibleSession, name: str, pid: int) -> None:
    """Press a control; try again if the accessibility tree changed in between."""

    def pressed() -> bool:
        with contextlib.suppress(RigError):
            tree.press(tree.wait(name, pid=pid, enabled=True))
            return True
        return False

    wait_until(pressed, f"{name} to be pressed")


def main() -> None:
    """Take the screenshots of both themes."""
    PICTURES.mkdir(exist_ok=True)
    themes = ("light", "dark")
    takes = {"session": photograph, "browser": browse, "picker": pick}
    wanted = sys.argv[1:] or [*takes, _MACHINE]
    if _MACHINE in wanted:
        with tempfile.TemporaryDirectory(prefix="operator-console-pictures-") as folder:
            supervise_machines(themes, Path(folder))
    for theme in themes:
        for take in (takes[name] for name in wanted if name in takes):
            with tempfile.TemporaryDirectory(prefix="operator-console-pictures-") as folder:
                take(theme, Path(folder))
        print(f"{theme}: {', '.join(sorted(path.name for path in PICTURES.glob(f'*-{theme}.png')))}")


if __name__ == "__main__":
    main()
