"""Finds controls by role and name among the accessible elements of a target, and fields by what labels them.

As with text that is read, exact matches take precedence over those that ignore case. Entries of menus are found without
the keys that applications write behind their names, too. A control takes precedence over a mere text of the same name
(a button over its caption), and an inner control over the one around it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from operator_console.domain.elements import FIELDS, Element, ElementState, Role
from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.providers.runbook.language import Named
from operator_console.providers.runbook.text_matching import contains, exact, plain

_SWITCHES = frozenset((Role.CHECK_BOX, Role.SWITCH, Role.RADIO_BUTTON, Role.TOGGLE_BUTTON))
_CONTROLS = (
    FIELDS
    | _SWITCHES
    | {
        Role.BUTTON, Role.CELL, Role.HEADER, Role.LINK, Role.LIST_ITEM, Role.MENU_ITEM, Role.SLIDER, Role.TAB,
        Role.TREE_ITEM,
    }
)  # fmt: skip
_ALSO: dict[Role, frozenset[Role]] = {
    Role.BUTTON: frozenset((Role.TOGGLE_BUTTON,)),
    Role.CHECK_BOX: frozenset((Role.SWITCH,)),
    Role.LIST_ITEM: frozenset((Role.CELL,)),
    Role.MENU_ITEM: frozenset((Role.MENU,)),
    Role.TEXT_FIELD: frozenset((Role.SEARCH_FIELD, Role.PASSWORD_FIELD)),
}
"""Finer roles that people call by a common one."""
_CONTAINERS = frozenset((Role.ALERT, Role.DIALOG, Role.LIST, Role.TABLE, Role.TREE))
"""Often named like the text beside them; pointed at only where the role is named."""
_INDICATOR_PX = 24
_ENTRIES = frozenset((Role.MENU, Role.MENU_ITEM))
_KEYS_BEHIND = re.compile(r"(?<=\S)\s+(?:(?:[^\W\d_]{2,}\+)+(?:[^\s+]+|\+)|F\d{1,2})$")
"""“Select All Ctrl+A”, as Qt and Chromium name an entry."""


def controls_named(elements: Sequence[Element], named: Named) -> tuple[Element, ...]:
    """The elements that a name means, in their order: several if it is ambiguous, none if it is not found."""
    return _only_controls(_named(elements, named, _names))


def fields_named(elements: Sequence[Element], named: Named) -> tuple[Element, ...]:
    """The fields to type into that have this accessible name or label."""
    fields = [e for e in elements if e.role in FIELDS or ElementState.EDITABLE in e.states]
    return _innermost(_named(fields, named, lambda field: (field.name, field.label, field.description)))


def switches_named(elements: Sequence[Element], named: Named) -> tuple[Element, ...]:
    """The check boxes, switches and other elements of this name that are on or off."""
    switches = [e for e in elements if e.role in _SWITCHES]
    return _innermost(_named(switches, named, _names))


def showing(elements: Sequence[Element], named: Named) -> tuple[Element, ...]:
    """The elements that show this text; without a role also those that have it among other words."""
    found = controls_named(elements, named)
    if found or named.role is not None:
        return found
    return tuple(e for e in elements if any(contains(text, named.text) for text in (*_names(e), e.value)))


def switched_on(element: Element) -> bool:
    """Whether a check box, switch or toggle button is on."""
    return ElementState.CHECKED in element.states or ElementState.PRESSED in element.states


def texts_of(elements: Sequence[Element]) -> tuple[TextBox, ...]:
    """The names of elements as texts on the screen."""
    named = ((next(filter(None, _names(e)), ""), e.box) for e in elements)
    return tuple(TextBox(text=text, box=box, source="accessible") for text, box in named if text)


def hit_point(element: Element, box: Rect) -> NativePoint:
    """Where to click it; `box`: the part of it that is on the picture.

    Check boxes may be much wider than what reacts, so the place of the mark is clicked: at the start of the text.
    """
    x, y = box.centre
    if element.role not in (Role.CHECK_BOX, Role.RADIO_BUTTON, Role.SWITCH) or box.width <= 2 * _INDICATOR_PX:
        return NativePoint(x, y)
    inset = min(box.height, _INDICATOR_PX) // 2
    return NativePoint(box.right - 1 - inset if _right_to_left(element.name) else box.x + inset, y)


def lists_of(elements: Sequence[Element]) -> tuple[Rect, ...]:
    """The boxes of lists, tables and trees, which may be scrolled."""
    return tuple(e.box for e in elements if e.role in (Role.LIST, Role.TABLE, Role.TREE))


def is_tall(element: Element) -> bool:
    """Whether a field has several lines."""
    return ElementState.MULTI_LINE in element.states


def _names(element: Element) -> tuple[str, ...]:
    return (element.name, element.text, element.label, element.description)


def _named(
    elements: Sequence[Element], named: Named, says: Callable[[Element], tuple[str, ...]]
) -> tuple[Element, ...]:
    """Those of the role itself, or else of a finer one, such as the entry of a menu that opens another."""
    if named.role is None:
        return _matching((e for e in elements if e.role not in _CONTAINERS), named.text, says)
    exactly = _matching((e for e in elements if e.role is named.role), named.text, says)
    finer = _ALSO.get(named.role, frozenset())
    return exactly or _matching((e for e in elements if e.role in finer), named.text, says)


def _matching(
    elements: Iterable[Element], wanted: str, says: Callable[[Element], tuple[str, ...]]
) -> tuple[Element, ...]:
    known = tuple(elements)
    for key in (exact, plain):
        goal = key(wanted)
        # Before descriptions and labels: a name that fits is what is meant.
        for place in range(len(says(known[0])) if known and goal else 0):
            if found := tuple(element for element in known if key(says(element)[place]) == goal):
                return found
    entries = (element for element in known if element.role in _ENTRIES)
    return tuple(each for each in entries if plain(_KEYS_BEHIND.sub("", each.name)) == plain(wanted) != "")


def _only_controls(found: tuple[Element, ...]) -> tuple[Element, ...]:
    controls = tuple(element for element in found if element.role in _CONTROLS or element.actions)
    return _innermost(controls or found)


def _innermost(found: tuple[Element, ...]) -> tuple[Element, ...]:
    """Without those that have another of them inside; of several with the same extents the first."""
    kept: list[Element] = []
    for place, element in enumerate(found):
        others = (*kept, *found[place + 1 :])
        inside = any(other.box != element.box and _holds(element.box, other.box) for other in others)
        same = any(other.box == element.box for other in kept)
        if not inside and not same:
            kept.append(element)
    return tuple(kept)


def _holds(outer: Rect, inner: Rect) -> bool:
    return not inner.empty and outer.intersect(inner) == inner


def _right_to_left(text: str) -> bool:
    strong = (unicodedata.bidirectional(char) for char in text)
    return next((kind for kind in strong if kind in ("L", "R", "AL")), "L") != "L"
