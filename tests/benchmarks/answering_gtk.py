"""A GTK window that turns another colour when it is pressed: `answering_gtk.py FOLDER`; run by Debian's Python.

As answering_window.py, for desktops whose programs do not reach this environment. While FOLDER has a file `moving`, it
changes 15 times a second by itself. FOLDER gets `places.json` with its place on the screen. Started by machines.py.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

FOLDER = Path(sys.argv[1])
SIZE = (400, 300)
COLOURS = ("#ecf0f4", "#fce2aa")
"""Those of answering_window.py."""


class Window:
    """All of it is the button."""

    def __init__(self) -> None:
        self.presses = 0
        self.styles = Gtk.CssProvider()
        screen = Gdk.Screen.get_default()
        Gtk.StyleContext.add_provider_for_screen(screen, self.styles, Gtk.STYLE_PROVIDER_PRIORITY_USER)
        self.shown = Gtk.Window(title="Work")
        self.shown.set_default_size(*SIZE)
        self.shown.set_resizable(False)
        self.shown.connect("destroy", Gtk.main_quit)
        area, label = Gtk.EventBox(), Gtk.Label(label="Show more")
        area.set_size_request(*SIZE)
        area.add(label)
        area.connect("button-press-event", self.answer)
        self.shown.add(area)
        self.paint()

    def answer(self, *_: Any) -> None:
        self.presses += 1
        self.paint()

    def paint(self) -> None:
        colour = COLOURS[self.presses % 2]
        self.styles.load_from_data(f"* {{ background: {colour}; color: black; font-size: 24px }}".encode())

    def move(self) -> bool:
        if (FOLDER / "moving").exists():
            self.answer()
        return True

    def tell(self) -> bool:
        _, x, y = self.shown.get_window().get_origin()
        written = FOLDER / "places.new"
        written.write_text(json.dumps({"all": (x, y, *SIZE)}))
        written.rename(FOLDER / "places.json")
        return True


window = Window()
window.shown.show_all()
GLib.timeout_add(66, window.move)
GLib.timeout_add(500, window.tell)
Gtk.main()
