"""A GTK window with a form, a note, a canvas and a menu that saves: `work_window.py FOLDER`; run by Debian's Python.

FOLDER gets `places.json`, where each part stands on the window's screen (x, y, width, height in its pixels),
`pointer.txt`, a line for each press and release as the window was told of it (kind, x, y on the screen), and, once the
entry *Save* of the menu was chosen, `saved.json` with all that is in the window. Not imported by tests.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GdkPixbuf, GLib, Gtk  # noqa: E402

FOLDER = Path(sys.argv[1])
SIZE = (760, 560)
CANVAS = (700, 180)
WORDS = {"Start": (40, 40), "End": (540, 110)}
"""Where they stand on the canvas, in its own pixels."""


class Work:
    """The window and what was done in it."""

    def __init__(self) -> None:
        self.parts: dict[str, Any] = {}
        self.ordered: list[list[str]] = []
        self.strokes: list[list[tuple[float, float]]] = []
        self.told: dict[str, Any] = {}
        self.window = Gtk.Window(title="Work")
        self.window.set_default_size(*SIZE)
        self.window.set_resizable(False)
        self.window.connect("destroy", Gtk.main_quit)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=10)
        column.pack_start(self.menu(), False, False, 0)
        for row in (self.field("Article"), self.field("Amount"), self.adding(), self.note(), self.canvas()):
            row.set_margin_start(20)
            column.pack_start(row, False, False, 0)
        self.window.add(column)

    def menu(self) -> Any:
        bar, menu = Gtk.MenuBar(), Gtk.Menu()
        self.parts["menu"] = head = Gtk.MenuItem(label="Record")
        for name in ("Save", "Print preview"):
            self.parts[name] = entry = Gtk.MenuItem(label=name)
            menu.append(entry)
        self.parts["Save"].connect("activate", self.save)
        head.set_submenu(menu)
        bar.append(head)
        return bar

    def field(self, name: str) -> Any:
        row = Gtk.Box(spacing=12)
        label, self.parts[name] = Gtk.Label(label=name), Gtk.Entry()
        label.set_size_request(80, -1)
        label.set_mnemonic_widget(self.parts[name])
        row.pack_start(label, False, False, 0)
        row.pack_start(self.parts[name], False, False, 0)
        return row

    def adding(self) -> Any:
        row = Gtk.Box(spacing=12)
        self.parts["OK"] = button = Gtk.Button(label="OK")
        button.connect("clicked", self.add)
        self.state = Gtk.Label(label="Nothing was added yet")
        row.pack_start(button, False, False, 0)
        row.pack_start(self.state, False, False, 0)
        return row

    def note(self) -> Any:
        row = Gtk.Box(spacing=12)
        self.parts["Note"] = text = Gtk.TextView()
        label = Gtk.Label(label="Note")
        label.set_size_request(80, -1)
        label.set_mnemonic_widget(text)
        text.set_size_request(500, 60)
        frame = Gtk.Frame()
        frame.add(text)
        row.pack_start(label, False, False, 0)
        row.pack_start(frame, False, False, 0)
        return row

    def canvas(self) -> Any:
        self.picture = GdkPixbuf.Pixbuf.new(GdkPixbuf.Colorspace.RGB, False, 8, *CANVAS)
        self.picture.fill(0xFFFFFFFF)
        self.image = Gtk.Image.new_from_pixbuf(self.picture)
        paper = Gtk.Fixed()
        paper.put(self.image, 0, 0)
        for name, (x, y) in WORDS.items():
            self.parts[name] = word = Gtk.Label()
            word.set_markup(f'<span size="16000" color="black">{name}</span>')
            paper.put(word, x, y)
        self.parts["canvas"] = area = Gtk.EventBox(halign=Gtk.Align.START)
        area.add_events(Gdk.EventMask.BUTTON1_MOTION_MASK)
        area.add(paper)
        area.connect("button-press-event", lambda _, event: self.strokes.append([(event.x, event.y)]))
        area.connect("motion-notify-event", self.draw)
        area.connect("button-release-event", self.draw)
        return area

    def draw(self, _: Any, event: Any) -> None:
        if self.strokes:
            (x, y), there = self.strokes[-1][-1], (event.x, event.y)
            self.strokes[-1].append(there)
            for step in range(33):
                at = [int(a + (b - a) * step / 32) for a, b in zip((x, y), there, strict=True)]
                if all(0 <= each < most - 3 for each, most in zip(at, CANVAS, strict=True)):
                    self.picture.new_subpixbuf(*at, 3, 3).fill(0x0050C0FF)
            self.image.set_from_pixbuf(self.picture)

    def add(self, _: Any) -> None:
        self.ordered.append([self.parts[name].get_text() for name in ("Article", "Amount")])
        self.state.set_text("Added once" if len(self.ordered) == 1 else "Added again")

    def save(self, _: Any) -> None:
        buffer = self.parts["Note"].get_buffer()
        note = buffer.get_text(buffer.get_start_iter(), buffer.get_end_iter(), True)
        written = FOLDER / "saved.new"
        written.write_text(json.dumps({"added": self.ordered, "note": note, "strokes": self.strokes}))
        written.rename(FOLDER / "saved.json")
        self.state.set_text("All is saved")

    def event(self, event: Any) -> None:
        """Write down where a press or release came, and pass everything on."""
        if event.type in (Gdk.EventType.BUTTON_PRESS, Gdk.EventType.BUTTON_RELEASE):
            kind = "press" if event.type == Gdk.EventType.BUTTON_PRESS else "release"
            with (FOLDER / "pointer.txt").open("a") as told:
                told.write(f"{kind} {event.button.x_root:g} {event.button.y_root:g}\n")
        Gtk.main_do_event(event)

    def places(self) -> bool:
        """Tell where the parts are, whenever that has changed; those of a closed menu are not told."""
        now = {}
        for name, part in self.parts.items():
            if part.get_mapped():
                _, left, top = part.get_toplevel().get_window().get_origin()
                x, y = part.translate_coordinates(part.get_toplevel(), 0, 0)
                now[name] = (left + x, top + y, part.get_allocated_width(), part.get_allocated_height())
        if now != self.told:
            self.told = now
            written = FOLDER / "places.new"
            written.write_text(json.dumps(now))
            written.rename(FOLDER / "places.json")
        return True


work = Work()
Gdk.event_handler_set(work.event)
work.window.show_all()
GLib.timeout_add(20, work.places)
Gtk.main()
