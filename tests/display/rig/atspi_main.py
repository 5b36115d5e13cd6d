"""The accessibility client's own process: reads and works a desktop's accessible tree through AT-SPI.

Not imported by tests; started by tests.display.rig.atspi under Debian's Python, which has ``gi`` and Atspi. One JSON
request a line on stdin, one JSON answer a line on stdout. It holds no state between requests.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

MAX_DEPTH = 40
NEVER_LABELLED = frozenset(("label", "filler", "frame", "list item", "push button", "radio button", "scroll bar"))
STATES = {
    "enabled": Atspi.StateType.ENABLED,
    "sensitive": Atspi.StateType.SENSITIVE,
    "showing": Atspi.StateType.SHOWING,
    "visible": Atspi.StateType.VISIBLE,
    "focused": Atspi.StateType.FOCUSED,
    "focusable": Atspi.StateType.FOCUSABLE,
    "checked": Atspi.StateType.CHECKED,
    "selected": Atspi.StateType.SELECTED,
    "expanded": Atspi.StateType.EXPANDED,
    "editable": Atspi.StateType.EDITABLE,
    "modal": Atspi.StateType.MODAL,
    "active": Atspi.StateType.ACTIVE,
}


def children(node: Any) -> list[Any]:
    """All of them, asked for at once: Qt 6.11 dies of an index that was right before a panel was hidden."""
    found = [node.get_child_at_index(index) for index in range(node.get_child_count())]
    return [child for child in found if child is not None]


def applications(request: dict[str, Any]) -> Iterator[Any]:
    for app in children(Atspi.get_desktop(0)):
        if request.get("pid") is None or app.get_process_id() == request["pid"]:
            yield app


def shows(node: Any) -> bool:
    return bool(node.get_state_set().contains(Atspi.StateType.SHOWING))


def walk(node: Any, path: list[int], *, showing: bool, depth: int = 0) -> Iterator[tuple[Any, list[int]]]:
    """The node and all below it; with `showing`, what is below a hidden one is hidden too and not walked."""
    yield node, path
    if depth >= MAX_DEPTH or (showing and depth > 0 and not shows(node)):
        return
    for index, child in enumerate(children(node)):
        try:
            yield from walk(child, [*path, index], showing=showing, depth=depth + 1)
        except GLib.Error:
            continue  # it went while it was read


def matches(node: Any, request: dict[str, Any]) -> bool:
    if request.get("role") is not None and node.get_role_name() != request["role"]:
        return False
    if request.get("name") is not None and (node.get_name() or "") != request["name"]:
        return False
    return not request.get("showing") or shows(node)


def describe(node: Any, path: list[int]) -> dict[str, Any]:
    states = node.get_state_set()
    found = {
        "path": path,
        "name": node.get_name() or "",
        "role": node.get_role_name(),
        "description": node.get_description() or "",
        "states": sorted(name for name, state in STATES.items() if states.contains(state)),
        "labelled_by": labels(node),
        "extents": None,
        "text": None,
        "value": None,
        "actions": [],
    }
    if node.get_component_iface() is not None:
        box = node.get_component_iface().get_extents(Atspi.CoordType.SCREEN)
        found["extents"] = [box.x, box.y, box.width, box.height]
    text = node.get_text_iface()
    if text is not None:
        found["text"] = Atspi.Text.get_text(text, 0, Atspi.Text.get_character_count(text))
    if node.get_value_iface() is not None:
        found["value"] = Atspi.Value.get_current_value(node.get_value_iface())
    action = node.get_action_iface()
    if action is not None:
        found["actions"] = [Atspi.Action.get_action_name(action, i) for i in range(Atspi.Action.get_n_actions(action))]
    return found


def labels(node: Any) -> list[str]:
    names: list[str] = []
    for relation in node.get_relation_set() or []:
        if relation.get_relation_type() == Atspi.RelationType.LABELLED_BY:
            names.extend(relation.get_target(i).get_name() or "" for i in range(relation.get_n_targets()))
    return names


def find(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Every match, as described nodes; a label names what it labels, so "name" is looked up there too."""
    found = []
    for app in applications(request):
        for node, path in walk(app, [app.get_process_id()], showing=bool(request.get("showing"))):
            try:
                if matches(node, request) or labelled(node, request):
                    found.append(describe(node, path))
            except GLib.Error:
                continue
    return found


def labelled(node: Any, request: dict[str, Any]) -> bool:
    """Whether another node's name is what this one is asked for by. Every question costs a trip: the cheapest first."""
    if request.get("name") is None or node.get_role_name() in NEVER_LABELLED:
        return False
    return request["name"] in labels(node) and matches(node, {**request, "name": None})


def resolve(path: list[int]) -> Any:
    for app in children(Atspi.get_desktop(0)):
        if app.get_process_id() == path[0]:
            node = app
            for index in path[1:]:
                node = node.get_child_at_index(index) if index < node.get_child_count() else None
                if node is None:
                    raise LookupError("it is no longer there")
            return node
    raise LookupError("its application is no longer there")


def act(request: dict[str, Any]) -> Any:
    node = resolve(request["path"])
    verb = request["do"]
    if verb == "press":
        action = node.get_action_iface()
        names = [Atspi.Action.get_action_name(action, i) for i in range(Atspi.Action.get_n_actions(action))]
        wanted = request.get("action") or next(
            (n for n in ("Press", "click", "Toggle", "activate") if n in names), None
        )
        if wanted not in names:
            raise LookupError(f"no action {wanted!r} among {names}")
        return Atspi.Action.do_action(action, names.index(wanted))
    if verb == "set_text":
        return Atspi.EditableText.set_text_contents(node.get_editable_text_iface(), request["text"])
    if verb == "set_value":
        return Atspi.Value.set_current_value(node.get_value_iface(), request["value"])
    if verb == "focus":
        return Atspi.Component.grab_focus(node.get_component_iface())
    if verb == "describe":
        return describe(node, request["path"])
    raise ValueError(verb)


def answer(request: dict[str, Any]) -> Any:
    if request["do"] == "find":
        return find(request)
    if request["do"] == "apps":
        return [{"pid": a.get_process_id(), "name": a.get_name() or ""} for a in children(Atspi.get_desktop(0))]
    return act(request)


def main() -> None:
    Atspi.init()
    # A cached tree would answer with what was there before.
    Atspi.get_desktop(0).set_cache_mask(Atspi.Cache.NONE)
    for line in sys.stdin:
        try:
            reply = {"ok": answer(json.loads(line))}
        except (GLib.Error, LookupError, AttributeError, TypeError) as failure:
            reply = {"error": f"{type(failure).__name__}: {failure}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
