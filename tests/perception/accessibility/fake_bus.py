"""A message bus with applications on it that exist as values only: what they say is what a test wrote down."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jeepney import HeaderFields, Parser, new_error, new_method_return

from operator_console.perception.accessibility.atspi.vocabulary import (
    ACCESSIBLE,
    ACTION,
    APPLICATION,
    COMPONENT,
    ENABLED,
    FOCUSABLE,
    FOCUSED,
    NULL_PATH,
    SENSITIVE,
    SHOWING,
    TEXT,
    VISIBLE,
    bit_words,
)

ALIVE = (ENABLED, SENSITIVE, SHOWING, VISIBLE)
FRAME, PANEL, BUTTON, LABEL, ENTRY, PASSWORD, MENU, MENU_ITEM = 23, 39, 43, 29, 79, 40, 33, 35
LIST, LIST_ITEM, TABLE, CELL = 31, 32, 55, 56
NOWHERE = ("", NULL_PATH)


@dataclass(eq=False)
class Widget:
    """One element; `box` in the application's coordinates, `text` where it has the interface Text.

    `padding` is what GTK 4 leaves out of the box; `in_parent` makes it a popover; `said_parent` is told instead of the
    parent that has it as a child. `columns` makes it a table, whose children are the cells row by row.
    """

    role: int
    name: str = ""
    box: tuple[int, int, int, int] = (0, 0, 0, 0)
    children: list[Widget] = field(default_factory=list)
    states: tuple[int, ...] = ALIVE
    text: str | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    relations: list[tuple[int, list[Widget]]] = field(default_factory=list)
    actions: tuple[str, ...] = ()
    path: str = ""
    parent: Widget | None = None
    owner: str = ""
    padding: int = 0
    in_parent: tuple[int, int, int, int] | None = None
    said_parent: Widget | None = None
    columns: int = 0

    @property
    def ref(self) -> tuple[str, str]:
        return self.owner, self.path

    def below(self) -> Iterator[Widget]:
        for child in self.children:
            yield child
            yield from child.below()


def focused(widget: Widget) -> Widget:
    widget.states = (*widget.states, FOCUSABLE, FOCUSED)
    return widget


@dataclass(eq=False)
class App:
    """An application: its process, toolkit and top-levels.

    `address` is that of its own socket; `searches`: it finds elements by role and state.
    """

    pid: int
    windows: list[Widget]
    toolkit: str = "Qt"
    name: str = "app"
    owner: str = ""
    address: str = ""
    searches: bool = False
    root: Widget = field(default_factory=lambda: Widget(75))


class FakeBus:
    """Start it with `serve`. `frozen` are processes that do not reply; `asked` counts methods.

    `freezes_at` is how often a method is answered before its process freezes. `gone_through` are the elements that were
    answered as children or looked at in searches, which are what costs an application time.
    """

    def __init__(self, apps: Iterable[App] = ()) -> None:
        self.frozen: set[int] = set()
        self.freezes_at: dict[str, int] = {}
        self.asked: Counter[str] = Counter()
        self.gone_through = 0
        self.held: list[Any] = []
        self._apps: dict[str, App] = {}
        self._widgets: dict[tuple[str, str], Widget] = {}
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []
        for app in apps:
            self.add(app)

    def add(self, app: App) -> None:
        app.owner = f":1.{len(self._apps) + 10}"
        app.root.name, app.root.children = app.name, app.windows
        self._apps[app.owner] = app
        self._place(app.root, None, app.owner, "/org/a11y/atspi/accessible/root")

    def _place(self, widget: Widget, parent: Widget | None, owner: str, path: str) -> None:
        widget.parent, widget.owner, widget.path = parent, owner, path
        self._widgets[widget.ref] = widget
        for child in widget.children:
            self._place(child, widget, owner, f"/w/{len(self._widgets)}")

    async def serve(self, folder: Path) -> str:
        """The address."""
        path = folder / "bus"
        self._server = await asyncio.start_unix_server(self._talk, str(path))
        return f"unix:path={path}"

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.close()
        await self._server.wait_closed()

    def widgets(self, name: str) -> list[Widget]:
        """Those with a name."""
        return [widget for widget in self._widgets.values() if widget.name == name]

    def hang_up(self) -> None:
        """Close all connections."""
        for writer in self._writers:
            writer.close()

    def thaw(self, pid: int) -> None:
        """Reply to everything that was asked of a frozen process."""
        self.frozen.discard(pid)
        held, self.held = self.held, []
        for message, writer in held:
            self._reply(message, writer)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        await reader.readline()
        writer.write(b"OK 0123456789abcdef\r\n")
        assert await reader.readline() == b"BEGIN\r\n"
        parser = Parser()
        while data := await reader.read(1 << 16):
            for message in parser.feed(data):
                self._reply(message, writer)

    def _reply(self, message: Any, writer: asyncio.StreamWriter) -> None:
        fields = message.header.fields
        owner, method = fields[HeaderFields.destination], fields[HeaderFields.member]
        self.asked[method] += 1
        app = self._apps.get(owner)
        if app is not None and self.asked[method] > self.freezes_at.get(method, self.asked[method]):
            self.frozen.add(app.pid)
        if app is not None and app.pid in self.frozen:
            self.held.append((message, writer))
            return
        answer = self._answer(owner, fields[HeaderFields.path], method, message.body)
        reply = new_error(message, "org.none") if answer is None else new_method_return(message, *answer)
        writer.write(reply.serialise(serial=message.header.serial + 100_000))

    def _answer(self, owner: str, path: str, method: str, body: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
        if method == "Hello":
            return "s", (":1.1",)
        if method == "GetConnectionUnixProcessID":
            return "u", (self._apps[body[0]].pid,)
        if owner == "org.a11y.atspi.Registry":
            return "a(so)", ([app.root.ref for app in self._apps.values()],)
        if method == "GetApplicationBusAddress":
            return ("s", (self._apps[owner].address,)) if self._apps[owner].address else None
        widget = self._widgets.get((owner, path))
        return None if widget is None else self._of(widget, method, body)

    def _of(self, widget: Widget, method: str, body: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
        interfaces = [ACCESSIBLE, COMPONENT]
        interfaces += [TEXT] if widget.text is not None else []
        interfaces += [ACTION] if widget.actions else []
        answers: dict[str, tuple[str, tuple[Any, ...]]] = {
            "GetRole": ("u", (widget.role,)),
            "GetRoleName": ("s", (f"role {widget.role}",)),
            "GetState": ("au", ([word & 0xFFFFFFFF for word in bit_words(widget.states, 2)],)),
            "GetIndexInParent": ("i", (widget.parent.children.index(widget) if widget.parent is not None else -1,)),
            "GetInterfaces": ("as", (interfaces,)),
            "GetAttributes": ("a{ss}", (widget.attributes,)),
            "GetRelationSet": ("a(ua(so))", ([(kind, [to.ref for to in found]) for kind, found in widget.relations],)),
            "GetExtents": ("(iiii)", (widget.in_parent if body == (2,) and widget.in_parent else widget.box,)),
            "GetLayer": ("u", (5 if widget.in_parent else 3,)),
            "GetActions": ("a(sss)", ([(name, "", "") for name in widget.actions],)),
            "GetName": ("s", (widget.actions[0] if widget.actions else "",)),
            "GetText": ("s", ((widget.text or "")[: body[1] if method == "GetText" else 0],)),
        }
        if method == "GetMatches" and self._apps[widget.owner].searches:
            return "a(so)", ([found.ref for found in self._search(widget, *body[0:3:2])],)
        if method == "GetChildren":
            self.gone_through += len(widget.children)
            return "a(so)", ([child.ref for child in widget.children],)
        if method == "GetChildAtIndex":
            return "(so)", (widget.children[body[0]].ref if body[0] < len(widget.children) else NOWHERE,)
        if widget.columns and (found := _of_table(widget, method, body)) is not None:
            return found
        if method == "Get":
            return self._property(widget, *body)
        if method == "Contains":
            return "b", (_covers(widget, body[0], body[1]),)
        if method == "GetAccessibleAtPoint":
            return "(so)", (self._child_at(widget, body[0], body[1]),)
        return answers.get(method)

    def _search(self, widget: Widget, rule: tuple[Any, ...], limit: int) -> list[Widget]:
        found: list[Widget] = []
        for each in _below(widget):
            self.gone_through += 1
            if _matches(each, rule):
                found.append(each)
            if limit and len(found) == limit:
                break
        return found

    def _property(self, widget: Widget, interface: str, name: str) -> tuple[str, tuple[Any, ...]] | None:
        app = self._apps[widget.owner]
        above = widget.said_parent or widget.parent
        parent = above.ref if above is not None else NOWHERE
        values: dict[tuple[str, str], tuple[str, Any]] = {
            (ACCESSIBLE, "Name"): ("s", widget.name),
            (ACCESSIBLE, "Description"): ("s", ""),
            (ACCESSIBLE, "Parent"): ("(so)", parent),
            (ACCESSIBLE, "ChildCount"): ("i", len(widget.children)),
            (APPLICATION, "ToolkitName"): ("s", app.toolkit),
            (TEXT, "CharacterCount"): ("i", len(widget.text or "")),
        }
        found = values.get((interface, name))
        return None if found is None else ("v", (found,))

    def _child_at(self, widget: Widget, x: int, y: int) -> tuple[str, str]:
        """The last child there that is not disabled: what lies on top."""
        for child in reversed(widget.children):
            if _covers(child, x, y) and SENSITIVE in child.states:
                return child.ref
        return NOWHERE


def _of_table(widget: Widget, method: str, body: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]] | None:
    if method == "GetAccessibleAt":
        row, column = body
        at = row * widget.columns + column
        inside = column < widget.columns and at < len(widget.children)
        return "(so)", (widget.children[at].ref if inside else NOWHERE,)
    if method in ("GetRowAtIndex", "GetColumnAtIndex"):
        return "i", (divmod(body[0], widget.columns)[method == "GetColumnAtIndex"],)
    return None


def _below(widget: Widget) -> Iterator[Widget]:
    for child in widget.children:
        yield child
        yield from _below(child)


def _matches(widget: Widget, rule: tuple[Any, ...]) -> bool:
    """Whether it has all states and one of the roles, if there are any."""
    states, roles = (sum((word & 0xFFFFFFFF) << (32 * at) for at, word in enumerate(rule[part])) for part in (0, 4))
    has_states = all(states >> state & 1 == 0 or state in widget.states for state in range(64))
    return has_states and (not roles or bool(roles >> widget.role & 1))


def _covers(widget: Widget, x: int, y: int) -> bool:
    (left, top, width, height), more = widget.box, widget.padding
    return left - more <= x < left + width + more and top - more <= y < top + height + more
