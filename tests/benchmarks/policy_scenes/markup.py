"""The notation in which scenes are written, read into rows of items that every toolkit can show.

One line is one row. What stands for itself:

    # Heading   ## Smaller heading   - List entry   | cell | cell |   ---   >> Title of a dialog   <<
    [Button]  [=Default button]  <Link>  {Field=value}  {?Search}  {!Password}  {/Several lines=text}
    (_ Check box)  (x Checked)  (. Radio button)  (o Chosen)  ~[Tab]  ~[+Shown tab]  ^[Entry of an open menu]
    =[Menu of a menu bar]  @[icon]  @[icon|Accessible name]

Everything else is text. A `*` behind an item, or at the end of a line without items, marks the place of the action;
`**` the place where a drag ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

Item = dict[str, Any]
"""`t` is the kind; `text`, `value`, `name`, `target` (0, 1 or 2) and flags by kind. JSON goes to other interpreters."""

_TOKEN = re.compile(
    r"""
      \[(?P<button>=?[^\[\]]+)\]
    | <(?P<link>[^<>]+)>
    | \{(?P<field>[^{}]*)\}
    | \((?P<box>[_x.o])\ (?P<boxed>[^()]+)\)
    | @\[(?P<icon>[^\[\]]+)\]
    | ~\[(?P<tab>[^\[\]]+)\]
    | \^\[(?P<entry>[^\[\]]+)\]
    | =\[(?P<menu>[^\[\]]+)\]
    """,
    re.VERBOSE,
)
_MARK = re.compile(r"\s?(\*{1,2})$")


def rows(body: str) -> list[list[Item]]:
    """The rows of a scene's body, without empty ones."""
    return [_row(line.strip()) for line in body.strip().splitlines() if line.strip()]


def targets(body: Sequence[Sequence[Item]]) -> frozenset[int]:
    """The places of the action that are marked: 1, and 2 where a drag ends."""
    found = _items([item for row in body for item in row])
    return frozenset(item["target"] for item in found if item.get("target"))


def _items(items: Sequence[Item]) -> list[Item]:
    """With those inside cells and entries."""
    inside = [each for item in items for each in (*item.get("cells", ()), *item.get("inner", ()))]
    return [*items, *(_items(inside) if inside else ())]


def _row(line: str) -> list[Item]:
    if line == "---":
        return [{"t": "separator"}]
    if line == "<<":
        return [{"t": "end"}]
    for prefix, kind in ((">> ", "dialog"), ("## ", "heading2"), ("# ", "heading"), ("- ", "item")):
        if line.startswith(prefix):
            text, target = _marked(line.removeprefix(prefix))
            inner = _tokens(line.removeprefix(prefix)) if kind == "item" else []
            if any(item["t"] != "text" for item in inner):
                whole = target if not targets([inner]) else 0
                return [{"t": "item", "text": "", "inner": inner, "target": whole}]
            return [{"t": kind, "text": text, "target": target}]
    if line.startswith("|"):
        cells = [_cell(cell.strip()) for cell in line.strip("|").split("|")]
        return [{"t": "cells", "cells": cells}]
    return _tokens(line)


def _cell(text: str) -> Item:
    inner = _tokens(text)
    if len(inner) == 1 and inner[0]["t"] == "text":
        return {"t": "cell", "text": inner[0]["text"], "target": inner[0]["target"], "inner": []}
    return {"t": "cell", "text": "", "target": 0, "inner": inner}


def _tokens(line: str) -> list[Item]:
    found: list[Item] = []
    place = 0
    while place < len(line):
        match = _TOKEN.search(line, place)
        if match is None:
            found += _text(line[place:])
            break
        found += _text(line[place : match.start()])
        mark = re.compile(r"\*{0,2}").match(line, match.end())
        stars = len(mark.group()) if mark else 0
        found.append({**_item(match), "target": stars})
        place = match.end() + stars
    return found


def _text(text: str) -> list[Item]:
    shown, target = _marked(text.strip())
    return [{"t": "text", "text": shown, "target": target}] if shown else []


def _marked(text: str) -> tuple[str, int]:
    mark = _MARK.search(text)
    return (text[: mark.start()], len(mark.group(1))) if mark else (text, 0)


def _item(match: re.Match[str]) -> Item:
    kind, text = next((name, value) for name, value in match.groupdict().items() if value is not None)
    match kind:
        case "button":
            return {"t": "button", "text": text.removeprefix("="), "default": text.startswith("=")}
        case "field":
            return _field(text)
        case "box":
            return {
                "t": "check" if text in "_x" else "radio", "text": match["boxed"], "on": text in "xo",
            }  # fmt: skip
        case "icon":
            icon, _, name = text.partition("|")
            return {"t": "icon", "icon": icon, "text": name}
        case "tab":
            return {"t": "tab", "text": text.removeprefix("+"), "on": text.startswith("+")}
        case _:
            return {"t": kind, "text": text}


def _field(text: str) -> Item:
    kinds = {"?": "search", "!": "password", "/": "area"}
    kind = kinds.get(text[:1], "line")
    label, _, value = (text[1:] if kind != "line" else text).partition("=")
    return {"t": "field", "kind": kind, "text": label, "value": value}
