"""A window of GTK 3, "Long list", with a list of 50,000 rows of three columns, the button "Save", and a field that
writes a byte to FILE at each change: `long_list.py FILE`. Not imported by tests."""

from __future__ import annotations

import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402 - its version must be chosen before

store = Gtk.ListStore(str, str, str)
for number in range(50_000):
    store.append([f"Row {number}", f"Size {number}", f"Day {number}"])
view = Gtk.TreeView(model=store)
for index, title in enumerate(("Name", "Size", "Day")):
    view.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=index))
scrolled = Gtk.ScrolledWindow()
scrolled.add(view)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
box.pack_start(scrolled, True, True, 0)
box.pack_start(Gtk.Button(label="Save"), False, False, 0)
field = Gtk.Entry()
box.pack_start(field, False, False, 0)
window = Gtk.Window(title="Long list", default_width=500, default_height=300)
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()
field.grab_focus()
view.scroll_to_cell(Gtk.TreePath(40_000))
with Path(sys.argv[1]).open("wb", buffering=0) as changes:
    field.connect("changed", lambda _field: changes.write(b"."))
    Gtk.main()
