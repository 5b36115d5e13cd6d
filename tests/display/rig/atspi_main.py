"""The accessibility client's own process: reads and works a desktop's accessible tree as AT-SPI has it on the bus.

Not imported by tests; started by tests.display.rig.atspi under Debian's Python, which has ``gi``. One JSON request a
line on stdin, one JSON answer a line on stdout; between requests it only remembers which process a name on the bus is.

A tree is read by its levels, and what is to be known of a level's nodes is asked all at once: a trip for each question
was most of what driving a window took. Source: the AT-SPI D-Bus interfaces (org.a11y.atspi.*).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

MAX_DEPTH = 40
TIMEOUT_MS = 5_000
NEVER_LABELLED = frozenset(("label", "filler", "frame", "list item", "push button", "radio button", "scroll bar"))
STATES = {
    name: int(getattr(Atspi.StateType, name.upper()))
    for name in (
        "enabled", "sensitive", "showing", "visible", "focused", "focusable", "checked", "selected", "expanded",
        "editable", "modal", "active",
    )
}  # fmt: skip
LABELLED_BY = int(Atspi.RelationType.LABELLED_BY)
SCREEN = int(Atspi.CoordType.SCREEN)

ACCESSIBLE, ACTION, COMPONENT, EDITABLE, TEXT, VALUE = (
    f"org.a11y.atspi.{name}" for name in ("Accessible", "Action", "Component", "EditableText", "Text", "Value")
)
PROPERTIES = "org.freedesktop.DBus.Properties"
BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
NOBODY = "/org/a11y/atspi/null"

Place = tuple[str, str]
Question = tuple[Place, str, str, Any]


@dataclass
class Node:
    """One place of the tree, as far as it has been read."""

    place: Place
    states: frozenset[str] = frozenset()
    role: str = ""
    name: str = ""
    children: list[Place] = field(default_factory=list)


class Bus:
    """The accessibility bus of this session."""

    def __init__(self) -> None:
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        found = session.call_sync(
            "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, TIMEOUT_MS, None
        )
        flags = Gio.DBusConnectionFlags
        self._connection = Gio.DBusConnection.new_for_address_sync(
            found.unpack()[0], flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None
        )
        self._pids: dict[str, int] = {}

    def ask_all(self, questions: Sequence[Question]) -> list[Any]:
        """The answers in order: what was returned (a lone value unpacked), or the GLib.Error."""
        answers: list[Any] = [None] * len(questions)
        open_ones = set(range(len(questions)))

        def take(connection: Any, result: Any, number: int) -> None:
            try:
                value = connection.call_finish(result).unpack()
                answers[number] = value[0] if len(value) == 1 else value
            except GLib.Error as error:
                answers[number] = error
            open_ones.discard(number)

        for number, ((owner, path), interface, method, arguments) in enumerate(questions):
            self._connection.call(owner, path, interface, method, arguments, None, 0, TIMEOUT_MS, None, take, number)
        context = GLib.MainContext.default()
        while open_ones:
            context.iteration(True)
        return answers

    def ask(self, place: Place, interface: str, method: str, arguments: Any = None) -> Any:
        """One answer. Raises GLib.Error."""
        (answer,) = self.ask_all([(place, interface, method, arguments)])
        if isinstance(answer, GLib.Error):
            raise answer
        return answer

    def applications(self) -> list[tuple[Place, int]]:
        """The roots of the applications that are there, and their process ids."""
        roots = [place for place in self.ask(REGISTRY, ACCESSIBLE, "GetChildren") if place[1] != NOBODY]
        new = [owner for owner, _ in roots if owner not in self._pids]
        pids = self.ask_all(
            [(BUS, "org.freedesktop.DBus", "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,))) for name in new]
        )
        self._pids.update((name, pid) for name, pid in zip(new, pids, strict=True) if not isinstance(pid, GLib.Error))
        return [(root, self._pids[root[0]]) for root in roots if root[0] in self._pids]


def read_property(place: Place, interface: str, name: str) -> Question:
    return place, PROPERTIES, "Get", GLib.Variant("(ss)", (interface, name))


def basics(place: Place) -> list[Question]:
    """What `known` reads, in its order."""
    return [
        (place, ACCESSIBLE, "GetState", None),
        (place, ACCESSIBLE, "GetRole", None),
        read_property(place, ACCESSIBLE, "Name"),
        (place, ACCESSIBLE, "GetChildren", None),
    ]


def known(place: Place, answers: Sequence[Any]) -> Node | None:
    """The node, None where it went while it was read."""
    if any(isinstance(answer, GLib.Error) for answer in answers):
        return None
    bits, role, name, children = answers
    flags = bits[0] | bits[1] << 32
    states = frozenset(word for word, bit in STATES.items() if flags >> bit & 1)
    below = [tuple(child) for child in children if child[1] != NOBODY]
    return Node(place, states, Atspi.role_get_name(Atspi.Role(role)), name or "", below)


def read_nodes(bus: Bus, places: Iterable[Place]) -> list[Node | None]:
    wanted = list(places)
    answers = bus.ask_all([question for place in wanted for question in basics(place)])
    return [known(place, answers[4 * at : 4 * at + 4]) for at, place in enumerate(wanted)]


def walk(bus: Bus, root: Place, *, showing: bool) -> list[Node]:
    """All below the root, and itself, from top to bottom; with `showing`, what is below a hidden one is hidden too."""
    below: dict[Place, Node] = {}
    level = [root]
    for depth in range(MAX_DEPTH):
        found = [node for node in read_nodes(bus, level) if node is not None]
        below.update((node.place, node) for node in found)
        opened = [node for node in found if depth == 0 or not showing or "showing" in node.states]
        level = [child for node in opened for child in node.children if child not in below]
        if not level:
            break
    return list(in_order(root, below, set()))


def in_order(place: Place, nodes: dict[Place, Node], seen: set[Place]) -> Iterator[Node]:
    node = nodes.get(place)
    if node is not None and place not in seen:
        seen.add(place)
        yield node
        for child in node.children:
            yield from in_order(child, nodes, seen)


def find(bus: Bus, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Every match, as described nodes; a label names what it labels, so "name" is looked up there too."""
    found: list[Node] = []
    for root, pid in bus.applications():
        if request.get("pid") in (None, pid):
            nodes = walk(bus, root, showing=bool(request.get("showing")))
            named = labelled(bus, nodes, request)
            found.extend(node for node in nodes if matches(node, request, named=node.place in named))
    return [made for made in described(bus, found) if made is not None]


def names(bus: Bus, pid: int) -> list[str]:
    """The names of all that shows in an application; nothing else is asked of it."""
    roots = [root for root, owner in bus.applications() if owner == pid]
    nodes = [node for root in roots for node in walk(bus, root, showing=True)]
    return [node.name for node in nodes if node.name and "showing" in node.states]


def matches(node: Node, request: dict[str, Any], *, named: bool) -> bool:
    if request.get("role") is not None and node.role != request["role"]:
        return False
    if request.get("name") is not None and node.name != request["name"] and not named:
        return False
    return not request.get("showing") or "showing" in node.states


def labelled(bus: Bus, nodes: Sequence[Node], request: dict[str, Any]) -> set[Place]:
    """The places that another node's name, the one asked for, is the label of."""
    if request.get("name") is None:
        return set()
    unnamed = {**request, "name": None}
    asked = [node.place for node in nodes if node.role not in NEVER_LABELLED and matches(node, unnamed, named=True)]
    return {place for place, names in zip(asked, labels(bus, asked), strict=True) if request["name"] in names}


def labels(bus: Bus, places: Sequence[Place]) -> list[list[str]]:
    """The names of what labels each of them."""
    relations = bus.ask_all([(place, ACCESSIBLE, "GetRelationSet", None) for place in places])
    targets = [
        [] if isinstance(found, GLib.Error) else [tuple(t) for kind, to in found if kind == LABELLED_BY for t in to]
        for found in relations
    ]
    wanted = sorted({target for found in targets for target in found})
    names = dict(zip(wanted, bus.ask_all([read_property(t, ACCESSIBLE, "Name") for t in wanted]), strict=True))
    return [[names[t] for t in found if isinstance(names[t], str)] for found in targets]


def described(bus: Bus, nodes: Sequence[Node]) -> list[dict[str, Any] | None]:
    """All that is told of a node; None where it went meanwhile."""
    places = [node.place for node in nodes]
    interfaces = bus.ask_all([(place, ACCESSIBLE, "GetInterfaces", None) for place in places])
    questions: list[Question] = []
    for place, offers in zip(places, interfaces, strict=True):
        questions += about(place, () if isinstance(offers, GLib.Error) else offers)
    answers = bus.ask_all(questions)
    told = {about_what(question): a for question, a in zip(questions, answers, strict=True)}
    made: list[dict[str, Any] | None] = []
    for node, offers, names in zip(nodes, interfaces, labels(bus, places), strict=True):
        gone = isinstance(offers, GLib.Error) or any(
            isinstance(answer, GLib.Error) for question, answer in told.items() if question[0] == node.place
        )
        made.append(None if gone else description(node, names, told))
    return made


def about(place: Place, offers: Iterable[str]) -> list[Question]:
    """What is asked of a node besides its basics."""
    questions = [read_property(place, ACCESSIBLE, "Description")]
    if COMPONENT in offers:
        questions.append((place, COMPONENT, "GetExtents", GLib.Variant("(u)", (SCREEN,))))
    if TEXT in offers:
        questions.append((place, TEXT, "GetText", GLib.Variant("(ii)", (0, -1))))
    if VALUE in offers:
        questions.append(read_property(place, VALUE, "CurrentValue"))
    if ACTION in offers:
        questions.append((place, ACTION, "GetActions", None))
    return questions


def about_what(question: Question) -> tuple[Place, str]:
    """The node, and the method's or property's name; no two interfaces share one that is asked."""
    place, _, method, arguments = question
    return place, arguments.unpack()[1] if method == "Get" else method


def description(node: Node, names: list[str], told: dict[tuple[Place, str], Any]) -> dict[str, Any]:
    place = node.place
    return {
        "place": place,
        "name": node.name,
        "role": node.role,
        "description": told[place, "Description"] or "",
        "states": sorted(node.states),
        "labelled_by": names,
        "extents": told.get((place, "GetExtents")),
        "text": told.get((place, "GetText")),
        "value": told.get((place, "CurrentValue")),
        "actions": [name for name, _, _ in told.get((place, "GetActions"), ())],
    }


def describe(bus: Bus, place: Place) -> dict[str, Any]:
    (node,) = read_nodes(bus, [place])
    made = described(bus, [node]) if node is not None else [None]
    if made[0] is None:
        raise LookupError("it is no longer there")
    return made[0]


def press(bus: Bus, place: Place, wanted: str | None) -> bool:
    names = [name for name, _, _ in bus.ask(place, ACTION, "GetActions")]
    wanted = wanted or next((name for name in ("Press", "click", "Toggle", "activate") if name in names), None)
    if wanted not in names:
        raise LookupError(f"no action {wanted!r} among {names}")
    return bool(bus.ask(place, ACTION, "DoAction", GLib.Variant("(i)", (names.index(wanted),))))


def set_value(bus: Bus, place: Place, value: float) -> bool:
    bus.ask(place, PROPERTIES, "Set", GLib.Variant("(ssv)", (VALUE, "CurrentValue", GLib.Variant("d", value))))
    return True


def answer(bus: Bus, request: dict[str, Any]) -> Any:
    if request["do"] == "find":
        return find(bus, request)
    if request["do"] == "names":
        return names(bus, request["pid"])
    if request["do"] == "apps":
        return [pid for _, pid in bus.applications()]
    place = tuple(request["place"])
    match request["do"]:
        case "press":
            return press(bus, place, request.get("action"))
        case "set_text":
            return bus.ask(place, EDITABLE, "SetTextContents", GLib.Variant("(s)", (request["text"],)))
        case "set_value":
            return set_value(bus, place, request["value"])
        case "describe":
            return describe(bus, place)
        case "selection":
            return bus.ask(place, TEXT, "GetSelection", GLib.Variant("(i)", (0,)))
        case "child":
            return bus.ask(place, ACCESSIBLE, "GetChildAtIndex", GLib.Variant("(i)", (request["index"],)))
    raise ValueError(request["do"])


def main() -> None:
    bus = Bus()
    for line in sys.stdin:
        try:
            reply = {"ok": answer(bus, json.loads(line))}
        except (GLib.Error, LookupError, TypeError) as failure:
            reply = {"error": f"{type(failure).__name__}: {failure}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
