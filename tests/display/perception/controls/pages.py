"""A window of GTK 4 with two pages, "First" with the button "Sow" and "Second" with "Reap". Not imported by tests."""

from __future__ import annotations

from typing import Any

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk  # noqa: E402 - its version must be chosen before


def show(app: Any) -> None:
    pages = Gtk.Notebook()
    for title, name in (("First", "Sow"), ("Second", "Reap")):
        pages.append_page(Gtk.Button(label=name), Gtk.Label(label=title))
    window = Gtk.ApplicationWindow(application=app, title="Pages", default_width=300, default_height=200)
    window.set_child(pages)
    window.present()


app = Gtk.Application()
app.connect("activate", show)
app.run([])
