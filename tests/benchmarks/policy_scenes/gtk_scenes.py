"""The GTK 3 application of the scenes: shows one after another, as lines of JSON on stdin tell it.

Started by `applications.py` under Debian's Python, which has `gi`; not imported. Speaks as `qt_scenes.py` does.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

_ICONS = Path(__file__).parent / "icons"
_EVENTS = {Gdk.EventType.BUTTON_PRESS: "press", Gdk.EventType.BUTTON_RELEASE: "release", Gdk.EventType.KEY_PRESS: "key"}


def say(data: dict[str, Any]) -> None:
    print(json.dumps(data), flush=True)


def _tell(_: Any, event: Any) -> bool:
    say({"event": _EVENTS.get(event.type, "other")})
    return False


class Shower:
    """Shows the scenes."""

    def __init__(self) -> None:
        self.window: Any = None
        self.menu: Any = None
        self.listed: Any = None
        self.table: Any = None
        self.store: Any = None
        self.places: dict[int, tuple[Any, Any]] = {}
        self.order: list[Any] = []

    def show(self, scene: dict[str, Any]) -> None:
        former, self.places, self.order = self.window, {}, []
        if self.menu is not None:
            self.menu.popdown()
        self.menu = self.listed = self.table = self.store = None
        dialog = scene["look"] == "dialog"
        self.window = window = Gtk.Dialog() if dialog else Gtk.Window()
        window.set_title(scene["title"])
        if dialog:
            window.set_modal(True)
            box = window.get_content_area()
        else:
            box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
            window.add(box)
            window.set_default_size(720, 440)
        box.set_spacing(8)
        box.set_border_width(12)
        for row in scene["rows"]:
            self._add_row(row, box)
        for signal in ("button-press-event", "button-release-event", "key-press-event"):
            window.connect(signal, _tell)
        window.connect("delete-event", lambda *_: True)
        window.move(170, 80)
        window.show_all()
        window.present()
        if former is not None:
            former.destroy()
        self._focus(scene["focus"])
        GLib.timeout_add(150, self._popup)

    def _add_row(self, row: list[dict[str, Any]], box: Any) -> None:
        kind = row[0]["t"]
        if kind == "menu":
            self._add_menu_bar(row, box)
        elif kind == "entry":
            # The entries of one menu may stand in several rows.
            self.menu, entries = _menu([item["text"] for item in row], self.menu)
            for item, entry in zip(row, entries, strict=True):
                self._keep(item, entry)
        elif kind == "item" and not row[0].get("inner"):
            self._add_entry(row[0], box)
        elif kind == "cells" and not any(cell["inner"] for cell in row[0]["cells"]):
            self._add_line(row[0]["cells"], box)
        else:
            across = Gtk.Box(spacing=8)
            for item in _all(row):
                self._add(item, across)
            box.pack_start(across, False, False, 0)

    def _add_menu_bar(self, row: list[dict[str, Any]], box: Any) -> None:
        bar = Gtk.MenuBar()
        for item in row:
            entry = Gtk.MenuItem(label=item["text"])
            entry.set_submenu(_menu(["…"])[0])
            bar.append(entry)
            self._keep(item, entry)
        box.pack_start(bar, False, False, 0)

    def _add_entry(self, item: dict[str, Any], box: Any) -> None:
        if self.listed is None:
            self.listed = Gtk.ListBox()
            box.pack_start(self.listed, False, False, 0)
        label = Gtk.Label(label=item["text"], xalign=0)
        self.listed.add(label)
        self.order.append(label.get_parent())
        self._keep(item, label.get_parent())

    def _add_line(self, cells: list[dict[str, Any]], box: Any) -> None:
        """The first line is the header of the table."""
        if self.table is not None:
            self.store.append([cell["text"] for cell in cells])
            for number, cell in enumerate(cells):
                self._keep(cell, self.table, (len(self.store) - 1, number))
            return
        self.store = Gtk.ListStore(*[str] * len(cells))
        self.table = Gtk.TreeView(model=self.store)
        for number, cell in enumerate(cells):
            column = Gtk.TreeViewColumn(cell["text"], Gtk.CellRendererText(), text=number)
            column.set_clickable(True)
            column.set_min_width(110)
            self.table.append_column(column)
            self._keep(cell, column.get_button())
        box.pack_start(self.table, True, True, 0)
        self.order.append(self.table)

    def _popup(self) -> bool:
        if self.menu is not None:
            self.menu.attach_to_widget(self.window)
            self.menu.show_all()
            self.menu.popup_at_widget(self.window, Gdk.Gravity.CENTER, Gdk.Gravity.NORTH_WEST, None)
        GLib.timeout_add(100, self._ready)
        return False

    def _ready(self) -> bool:
        say({"places": {number: self._place(number) for number in self.places}})
        return False

    def _place(self, number: int) -> tuple[int, int, int, int]:
        widget, part = self.places[number]
        window = Gtk.Widget.get_window(widget)  # a text view has another method of that name
        _, left, top = window.get_origin()
        if part is not None:
            row, column = part
            cell = widget.get_cell_area(Gtk.TreePath(row), widget.get_column(column))
            x, y = widget.convert_bin_window_to_widget_coords(cell.x, cell.y)
            return left + x, top + y, cell.width, cell.height
        if isinstance(widget, (Gtk.Button, Gtk.Entry)) or not widget.get_has_window():
            placed = widget.get_allocation()
            return left + placed.x, top + placed.y, placed.width, placed.height
        return left, top, widget.get_allocated_width(), widget.get_allocated_height()

    def _keep(self, item: dict[str, Any], widget: Any, part: Any = None) -> None:
        if item.get("target"):
            self.places[item["target"]] = (widget, part)

    def _add(self, item: dict[str, Any], across: Any) -> None:
        made = self._made(item)
        if item["t"] == "field" and item["text"] and item["kind"] != "search":
            label = Gtk.Label(label=item["text"])
            label.set_mnemonic_widget(made)
            across.pack_start(label, False, False, 0)
        across.pack_start(made, False, False, 0)
        if made.get_can_focus():
            self.order.append(made)
        if item.get("default"):
            made.set_can_default(True)
            self.window.set_default(made)
        self._keep(item, made)

    def _made(self, item: dict[str, Any]) -> Any:
        text = item.get("text", "")
        kind = item["t"]
        if kind == "button":
            return Gtk.Button(label=text)
        if kind == "link":
            return Gtk.LinkButton(uri="https://docs.example/", label=text)
        if kind in ("check", "radio"):
            made = Gtk.CheckButton(label=text) if kind == "check" else Gtk.RadioButton(label=text)
            made.set_active(item["on"])
            return made
        if kind == "icon":
            made = Gtk.Button()
            made.set_image(Gtk.Image.new_from_file(str(_ICONS / f"{item['icon']}.svg")))
            made.set_always_show_image(True)
            if text:
                made.set_tooltip_text(text)
                made.get_accessible().set_name(text)
            return made
        if kind == "field":
            return _field(item)
        if kind == "tab":
            return Gtk.ToggleButton(label=text)
        made = Gtk.Label(label=text, xalign=0)
        if kind.startswith("heading"):
            made.set_markup(f"<b>{GLib.markup_escape_text(text)}</b>")
        made.set_line_wrap(True)
        return made

    def _focus(self, what: str) -> None:
        target = self.places.get(1)
        if target is None or what == "none":
            return
        widget = target[0]
        place = self.order.index(widget) if widget in self.order else -1
        if what == "before" and place > 0:
            self.order[place - 1].grab_focus()
        elif what == "target":
            widget.grab_focus()
            if isinstance(widget, Gtk.ListBoxRow):
                widget.get_parent().select_row(widget)
            if isinstance(widget, Gtk.TreeView):
                widget.set_cursor(Gtk.TreePath(target[1][0]), None, False)


def _field(item: dict[str, Any]) -> Any:
    if item["kind"] == "area":
        made = Gtk.TextView()
        made.get_buffer().set_text(item["value"])
        made.set_size_request(420, 90)
        return made
    made = Gtk.SearchEntry() if item["kind"] == "search" else Gtk.Entry()
    made.set_text(item["value"])
    made.set_width_chars(28)
    made.set_visibility(item["kind"] != "password")
    if item["kind"] == "password":
        made.set_input_purpose(Gtk.InputPurpose.PASSWORD)
    if item["kind"] == "search":
        made.set_placeholder_text(item["text"])
    return made


def _menu(texts: list[str], menu: Any = None) -> tuple[Any, list[Any]]:
    """A menu with an entry for each text, in addition to those that it has; and these entries."""
    entries = []
    if menu is None:
        menu = Gtk.Menu()
    for text in texts:
        entry = Gtk.MenuItem(label=text)
        entry.connect("activate", lambda _: say({"event": "activate"}))
        menu.append(entry)
        entries.append(entry)
    return menu, entries


def _all(row: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items of a row with those inside entries and cells."""
    found: list[dict[str, Any]] = []
    for item in row:
        if item["t"] == "cells":
            for cell in item["cells"]:
                found += cell["inner"] or [cell]
        elif item.get("inner"):
            found += item["inner"]
        elif item["t"] not in ("end", "separator"):
            found.append(item)
    return found


def main() -> int:
    GLib.set_prgname(sys.argv[1])
    GLib.set_application_name(sys.argv[1])
    shower = Shower()

    def read(*_: Any) -> bool:
        line = sys.stdin.readline()
        if not line:
            Gtk.main_quit()
            return False
        shower.show(json.loads(line))
        return True

    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, read)
    Gtk.main()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
