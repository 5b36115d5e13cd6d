"""A window with a menu bar over a list, and a choice: `menus.py GTK3|GTK4|Qt`. Not imported by tests.

"Places" in the menu bar opens "Harbour" and "Inland", which opens "Meadow". "Closed" has "Hidden entry" and is never
opened. A right click on the list opens "Rename" and "Sort", which opens "Newest first"; GTK 4 shows it in place of the
menu. The menus cover rows of the list. Printed are the name of an entry that is chosen, and when the list's menu opens.
"""

from __future__ import annotations

import sys
from typing import Any

TOOLKIT = sys.argv[1]
TITLE = f"Menus of {TOOLKIT}"
ROWS = [f"Row {number}" for number in range(1, 12)]
CHOICES = ("by post", "by mail")
RIGHT_BUTTON = 3


def chosen(name: str) -> None:
    print(f"chosen: {name}", flush=True)


def opened(*_: Any) -> None:
    print("opened", flush=True)


def gtk3() -> None:
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk

    def menu(**entries: Any) -> Any:
        made = Gtk.Menu()
        for name, below in entries.items():
            item = Gtk.MenuItem(label=name)
            item.set_submenu(below)
            if below is None:
                item.connect("activate", lambda _item, name=name: chosen(name))
            made.append(item)
        return made

    def open_menu(view: Any, event: Any) -> bool:
        if event.button != RIGHT_BUTTON:
            return False
        context.popup_at_pointer(event)
        return True

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
    context = menu(Rename=None, Sort=menu(**{"Newest first": None}))
    context.connect("map", opened)
    context.show_all()
    context.attach_to_widget(view)
    view.connect("button-press-event", open_menu)
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
    from gi.repository import Gdk, Gio, GLib, Gtk

    def menu(**entries: Any) -> Any:
        made = Gio.Menu()
        for name, below in entries.items():
            if below is None:
                made.append(name, f"app.go('{name}')")
            else:
                made.append_submenu(name, below)
        return made

    def show(app: Any) -> None:
        def open_menu(_gesture: Any, _count: int, x: float, y: float) -> None:
            place = Gdk.Rectangle()
            place.x, place.y, place.width, place.height = int(x), int(y), 1, 1
            context.set_pointing_to(place)
            context.popup()

        places = menu(Harbour=None, Inland=menu(Meadow=None))
        bar = menu(Places=places, Closed=menu(**{"Hidden entry": None}))
        rows = Gtk.ListBox(vexpand=True)
        for row in ROWS:
            rows.append(Gtk.Label(label=row, xalign=0))
        context = Gtk.PopoverMenu.new_from_model(menu(Rename=None, Sort=menu(**{"Newest first": None})))
        context.connect("map", opened)
        context.set_parent(rows)
        click = Gtk.GestureClick(button=RIGHT_BUTTON)
        click.connect("pressed", open_menu)
        rows.add_controller(click)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.append(Gtk.PopoverMenuBar.new_from_model(bar))
        box.append(rows)
        box.append(Gtk.DropDown.new_from_strings(CHOICES))
        window = Gtk.ApplicationWindow(application=app, title=TITLE, default_width=420, default_height=420)
        window.set_child(box)
        window.present()

    app = Gtk.Application()
    go = Gio.SimpleAction(name="go", parameter_type=GLib.VariantType("s"))
    go.connect("activate", lambda _action, name: chosen(name.get_string()))
    app.add_action(go)
    app.connect("activate", show)
    app.run([])


def qt() -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication, QComboBox, QListWidget, QMainWindow, QMenu, QVBoxLayout, QWidget

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
    context = QMenu(rows)
    context.addAction("Rename\tF2")  # its keys are part of its name
    context.addMenu("Sort").addAction("Newest first")
    context.aboutToShow.connect(opened)
    rows.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    rows.customContextMenuRequested.connect(lambda place: context.popup(rows.mapToGlobal(place)))
    for menu in (places, context):
        menu.triggered.connect(lambda action: chosen(action.text().partition("\t")[0]))
    column = QVBoxLayout(inside)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(rows)
    column.addWidget(choice)
    window.setCentralWidget(inside)
    window.show()
    app.exec()


{"GTK3": gtk3, "GTK4": gtk4, "Qt": qt}[TOOLKIT]()
