"""A GTK window that writes down what it received: `gtk.py 3.0|4.0 FILE`; run by Debian's Python, not imported by tests.

FILE gets a JSON line for each press, tick, choice and text. SIGUSR1 gives the first button another name, SIGUSR2
moves it.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import gi

VERSION = sys.argv[1]
gi.require_version("Gtk", VERSION)
from gi.repository import GLib, Gtk  # noqa: E402

FOUR = VERSION == "4.0"
SPACER: list[Any] = []
COUNTRIES = ("Iceland", "Norway", "Sweden")


def log(what: str, value: str) -> None:
    with Path(sys.argv[2]).open("a", encoding="utf-8") as file:
        file.write(json.dumps([what, value]) + "\n")


def put(box: Any, *children: Any) -> None:
    for child in children:
        box.append(child) if FOUR else box.pack_start(child, False, False, 0)


def content() -> Any:
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
    first = Gtk.Button(label="Save draft")
    first.connect("clicked", lambda button: log("pressed", button.get_label()))
    pay = Gtk.Button(label="Pay 25 euros")
    pay.connect("clicked", lambda button: log("pressed", button.get_label()))
    tick = Gtk.CheckButton(label="Remember me")
    tick.connect("toggled", lambda button: log("ticked", str(button.get_active())))
    countries = Gtk.ComboBoxText()
    for name in COUNTRIES:
        countries.append_text(name)
    countries.set_active(0)
    countries.connect("changed", lambda chosen: log("chosen", chosen.get_active_text()))
    note = Gtk.Entry()
    note.connect("changed", lambda entry: log("typed", entry.get_text()))
    spacer = Gtk.Label(label="A new line")
    put(box, spacer, first, pay, tick, countries, note)
    spacer.set_visible(False)
    SPACER.append(spacer)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, lambda: first.set_label("Delete everything") or True)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR2, lambda: spacer.set_visible(True) or True)
    return box


def fill(window: Any) -> None:
    window.set_title(f"Elements of GTK {VERSION}")
    window.set_default_size(420, 360)
    if FOUR:
        window.set_child(content())
        window.present()
    else:
        window.set_border_width(12)
        window.add(content())
        window.show_all()
        SPACER[0].set_visible(False)


def main() -> None:
    if FOUR:
        app = Gtk.Application(application_id=None)
        app.connect("activate", lambda started: fill(Gtk.ApplicationWindow(application=started)))
        app.run([])
    else:
        fill(Gtk.Window())
        Gtk.main()


main()
