"""A window with a menu bar over a list, and a choice: `menus.py GTK3|GTK4|Qt`. Not imported by tests.

"Places" in the menu bar opens "Harbour" and "Inland", which opens "Meadow". "Closed" has "Hidden entry" and is never
opened. The menus cover rows of the list.
"""

from __future__ import annotations

import sys
from typing import Any

TOOLKIT = sys.argv[1]
TITLE = f"Menus of {TOOLKIT}"
ROWS = [f"Row {number}" for number in range(1, 12)]
CHOICES = ("by post", "by mail")


def gtk3() -> None:
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk

    def menu(**entries: Any) -> Any:
        made = Gtk.Menu()
        for name, below in entries.items():
            item = Gtk.MenuItem(label=name)
            item.set_submenu(below)
            made.append(item)
        return made

    window = Gtk.Window(title=TITLE, default_width=420, default_height=420)
    window.connect("destroy", Gtk.main_quit)
    bar = Gtk.MenuBar()
    for name, below in (
        ("Places", menu(Harbour=None, Inland=menu(Meadow=None))),
        ("Closed", menu(**{"Hidden entry": None})),
    ):
        item = Gtk.MenuItem(label=name)
        item.set_submenu(below)
        bar.append(item)
    rows = Gtk.ListStore(str)
    for row in ROWS:
        rows.append([row])
    view = Gtk.TreeView(model=rows, headers_visible=False)
    view.append_column(Gtk.TreeViewColumn("", Gtk.CellRendererText(), text=0))
    choice = Gtk.ComboBoxText()
    for text in CHOICES:
        choice.append_text(text)
    choice.set_active(0)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    box.add(bar)
    box.pack_start(view, True, True, 0)
    box.add(choice)
    window.add(box)
    window.show_all()
    Gtk.main()


def gtk4() -> None:
    import gi

    gi.require_version("Gtk", "4.0")
    from gi.repository import Gio, Gtk

    def show(app: Any) -> None:
        inland = Gio.Menu()
        inland.append("Meadow", "app.go")
        places = Gio.Menu()
        places.append("Harbour", "app.go")
        places.append_submenu("Inland", inland)
        closed = Gio.Menu()
        closed.append("Hidden entry", "app.go")
        bar = Gio.Menu()
        bar.append_submenu("Places", places)
        bar.append_submenu("Closed", closed)
        rows = Gtk.ListBox(vexpand=True)
        for row in ROWS:
            rows.append(Gtk.Label(label=row, xalign=0))
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.append(Gtk.PopoverMenuBar.new_from_model(bar))
        box.append(rows)
        box.append(Gtk.DropDown.new_from_strings(CHOICES))
        window = Gtk.ApplicationWindow(application=app, title=TITLE, default_width=420, default_height=420)
        window.set_child(box)
        window.present()

    app = Gtk.Application()
    go = Gio.SimpleAction(name="go")
    app.add_action(go)
    app.connect("activate", show)
    app.run([])


def qt() -> None:
    from PySide6.QtWidgets import QApplication, QComboBox, QListWidget, QMainWindow, QVBoxLayout, QWidget

    app = QApplication(sys.argv)
    window, inside = QMainWindow(), QWidget()
    window.setWindowTitle(TITLE)
    window.resize(420, 420)
    places = window.menuBar().addMenu("Places")
    places.addAction("Harbour")
    places.addMenu("Inland").addAction("Meadow")
    window.menuBar().addMenu("Closed").addAction("Hidden entry")
    rows, choice = QListWidget(), QComboBox()
    rows.addItems(ROWS)
    choice.addItems(CHOICES)
    column = QVBoxLayout(inside)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(rows)
    column.addWidget(choice)
    window.setCentralWidget(inside)
    window.show()
    app.exec()


{"GTK3": gtk3, "GTK4": gtk4, "Qt": qt}[TOOLKIT]()
