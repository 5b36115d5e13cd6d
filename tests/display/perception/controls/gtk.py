"""A GTK window with controls, and their places as GTK has them: `gtk.py 3.0|4.0 FILE`; run by Debian's Python.

FILE gets a JSON list of role, name and box (x, y, width, height from the window's content). Not imported by tests.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import gi

VERSION = sys.argv[1]
gi.require_version("Gtk", VERSION)
from gi.repository import GLib, Gtk  # noqa: E402

FOUR = VERSION == "4.0"
TRUTH: list[tuple[str, str, Any]] = []


def told(role: str, name: str, widget: Any) -> Any:
    TRUTH.append((role, name, widget))
    return widget


def put(box: Any, child: Any) -> None:
    if FOUR:
        box.append(child)
    else:
        box.pack_start(child, False, False, 0)


def row(box: Any) -> Any:
    made = Gtk.Box(orientation=Gtk.Orientation.HORIZONTAL, spacing=12)
    put(box, made)
    return made


def link(uri: str, text: str) -> Any:
    return Gtk.LinkButton(uri=uri, label=text)


def entry(text: str) -> Any:
    made = Gtk.Entry()
    made.set_text(text)
    return made


def content() -> Any:
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=14)
    first = row(box)
    for name in ("Save", "Delete everything", "Send to all"):
        put(first, told("button", name, Gtk.Button(label=name)))
    fields = row(box)
    label = told("label", "Recipient", Gtk.Label(label="Recipient"))
    field = told("text field", "", entry("ada"))
    label.set_mnemonic_widget(field)
    put(fields, label)
    put(fields, field)
    secret = told("password field" if not FOUR else "text field", "", entry("hidden words"))
    secret.set_visibility(False)
    put(fields, secret)
    checks = row(box)
    put(checks, told("check box", "Remember me", Gtk.CheckButton(label="Remember me")))
    # GTK 4 calls it a button that can be pressed, as ARIA does.
    put(checks, told("button" if FOUR else "toggle button", "Bold", Gtk.ToggleButton(label="Bold")))
    dead = told("button", "Unavailable", Gtk.Button(label="Unavailable"))
    dead.set_sensitive(False)
    put(checks, dead)
    put(
        box,
        told("button" if not FOUR else "link", "Read the terms", link("https://example.org/terms", "Read the terms")),
    )
    wide = told("button", "Pay 25 euros", Gtk.Button(label="Pay 25 euros"))
    put(box, wide)
    put(box, told("label", "Nothing was saved yet", Gtk.Label(label="Nothing was saved yet")))
    put(box, numbers())
    put(box, pages())
    put(box, scrolled())
    return box


def numbers() -> Any:
    made = Gtk.Box(orientation=Gtk.Orientation.HORIZONTAL, spacing=12)
    adjustment = Gtk.Adjustment(value=2, lower=0, upper=10, step_increment=1)
    put(made, told("spin button", "", Gtk.SpinButton(adjustment=adjustment, climb_rate=1, digits=0)))
    scale = Gtk.Scale(adjustment=Gtk.Adjustment(value=5, lower=0, upper=10), draw_value=False)
    scale.set_size_request(120, -1)
    put(made, told("slider", "", scale))
    put(made, told("switch" if FOUR else "toggle button", "", Gtk.Switch(valign=Gtk.Align.CENTER)))
    return made


def pages() -> Any:
    """The second page is not shown: nothing of it may be answered."""
    made = Gtk.Notebook()
    one, two = Gtk.Label(label="One"), Gtk.Label(label="Two")
    made.append_page(told("button", "On the first page", Gtk.Button(label="On the first page")), one)
    made.append_page(Gtk.Button(label="On the second page"), two)
    for label in (one, two):  # GTK 3 tells nothing of a tab but its label
        told("tab", "" if FOUR else label.get_label(), label.get_parent() if FOUR else label)
    return made


def scrolled() -> Any:
    """A list of which only the first rows can be seen."""
    made = Gtk.ScrolledWindow()
    made.set_size_request(-1, 68)  # two of them
    rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for number in range(1, 9):
        button = Gtk.Button(label=f"Row {number}")
        put(rows, told("button", f"Row {number}", button) if number < 3 else button)
    made.set_overlay_scrolling(False)
    told("scroll bar", "", made.get_vscrollbar())
    if FOUR:
        made.set_child(rows)
    else:
        made.add(rows)
    return made


def place(widget: Any, window: Any) -> list[int] | None:
    if FOUR:
        known, bounds = widget.compute_bounds(window)
        if not known:
            return None
        return [round(each) for each in (bounds.origin.x, bounds.origin.y, bounds.size.width, bounds.size.height)]
    at = widget.translate_coordinates(window, 0, 0)
    given = widget.get_allocation()
    return [at[0], at[1], given.width, given.height] if at else None


def write(window: Any, file: Path) -> bool:
    boxes = [(role, name, place(widget, window)) for role, name, widget in TRUTH]
    if any(box is None or box[2] < 2 for _, _, box in boxes):
        return True
    part = file.with_suffix(".part")
    part.write_text(json.dumps([{"role": role, "name": name, "box": box} for role, name, box in boxes]))
    os.replace(part, file)  # noqa: PTH105 - the reader waits for the whole
    return False


def show(window: Any) -> None:
    window.set_title(f"Controls of GTK {VERSION}")
    window.set_default_size(520, 560)
    if FOUR:
        window.set_child(content())
        window.present()
    else:
        window.add(content())
        window.show_all()
    GLib.timeout_add(100, write, window, Path(sys.argv[2]))


def main() -> None:
    if FOUR:
        app = Gtk.Application()
        app.connect("activate", lambda one: show(Gtk.ApplicationWindow(application=one)))
        app.run([])
    else:
        window = Gtk.Window()
        window.connect("destroy", Gtk.main_quit)
        show(window)
        Gtk.main()


main()
