"""Makes domain elements of what applications tell: names, texts, values, dialogs, groups, addresses, texts around.

What a button such as “Continue” or “Approve” carries out is seldom on the button itself.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from operator_console.domain.element_uses import accessible_name
from operator_console.domain.elements import FIELDS, LONGEST_TEXT, MASK, Dialog, Element, Role
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, NoReply, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.path_search import displacement
from operator_console.perception.accessibility.atspi.popups import border_box
from operator_console.perception.accessibility.atspi.tree_walk import (
    Path,
    next_level,
    paths_below,
    search,
    showing,
)
from operator_console.perception.accessibility.atspi.vocabulary import (
    ACTION,
    DESCRIBED_BY,
    DOCUMENT_WEB,
    EDITABLE,
    FILE_CHOOSER,
    FOCUSABLE,
    HYPERLINK,
    IS_DEFAULT,
    LABELLED_BY,
    MODAL,
    SELECTABLE,
    SHOWING,
    TEXT,
    VALUE,
    has_state,
    numbers_of,
    role_of,
    states_of,
)
from operator_console.perception.accessibility.control_rule import ACTIONABLE, CONTAINERS, Step, control_of
from operator_console.perception.accessibility.messages import Scene

_BASICS = (
    Field.NAME, Field.DESCRIPTION, Field.ROLE, Field.ROLE_NAME, Field.STATES, Field.INTERFACES, Field.RELATIONS,
    Field.ATTRIBUTES, Field.EXTENTS,
)  # fmt: skip
_FIELDS_WITH_VALUE = frozenset((Role.COMBO_BOX, Role.SEARCH_FIELD, Role.SPIN_BUTTON, Role.TEXT_FIELD))
_DIALOGS = frozenset((Role.ALERT, Role.DIALOG))
_GROUPS = frozenset((Role.FORM, Role.GROUP))
_LISTS = frozenset((Role.LIST, Role.MENU, Role.TABLE, Role.TREE))
_ENTRIES = frozenset((Role.CELL, Role.LINK, Role.LIST_ITEM, Role.MENU_ITEM, Role.TREE_ITEM))
_SUBMITTED_BY_ENTER = FIELDS - {Role.TERMINAL}
_FORMS = frozenset((Role.FORM, Role.DIALOG, Role.ALERT))
_MOST_BUTTONS = 40
_MOST_SUBMITTING = 8
_SPEAKING = frozenset((Role.LABEL, Role.PARAGRAPH, Role.HEADING))
_MOST_BELOW = 150
_LARGEST_TEXT_BOX_PX = 150_000  # 500 x 300
_EMBEDDED = "\N{OBJECT REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class _Below:
    """An element below another.

    Attributes:
        in_control: whether a control lies between the two.
        repeats: whether an element between the two has a name, which normally repeats what is below it.
    """

    ref: Ref
    role: Role
    name: str
    in_control: bool
    repeats: bool


async def control_at_end(tree: Tree, path: Path) -> Path:
    """The path shortened to the control that its last element belongs to. Raises NoReply."""
    await tree.read(path, Field.NAME, Field.ROLE, Field.STATES)
    return path[: control_of([step_of(tree, ref) for ref in path]) + 1]


def step_of(tree: Tree, ref: Ref) -> Step:
    """What the rule needs of an element of which name, role and states were read."""
    states = tree.get(ref, Field.STATES) or 0
    selectable = has_state(states, SELECTABLE) or has_state(states, FOCUSABLE)
    return Step(role=_role(tree, ref), named=bool(_name(tree, ref)), selectable=selectable)


async def describe(tree: Tree, scene: Scene, window: Window, path: Path) -> Element:
    """All that is told of the last element of a path from the top-level down. Raises NoReply."""
    ref = path[-1]
    await tree.read([ref], *_BASICS)
    await tree.read(path, Field.NAME, Field.ROLE, Field.STATES)
    await _read_more(tree, [ref])
    role = _role(tree, ref)
    await tree.read(path, Field.EXTENTS)
    element = _element(tree, scene, window, ref, displacement(tree, window, path))
    if window.content_boxes and window.ref is not None and role in ACTIONABLE:
        content = tree.get(ref, Field.EXTENTS) or Rect(0, 0, 0, 0)
        element = replace(element, box=native_box(scene, window, await border_box(tree, ref, content)))
    return replace(
        element,
        text=await _text_inside(tree, window, ref, role),
        value=await _value(tree, window, ref, role),
        dialog=await _dialog(tree, window, path),
        group=_groups(tree, path),
        url=await _address(tree, path),
        around=await texts_around(tree, window, path) if role in SURROUNDED else (),
        submits=await _submitting(tree, window, path) if role in _SUBMITTED_BY_ENTER else (),
    )


async def describe_briefly(
    tree: Tree, scene: Scene, window: Window, refs: Sequence[Ref], *, only_named: Collection[Role] = ()
) -> list[Element]:
    """What is told of elements themselves, without what lies in and around them. Raises NoReply.

    Of named ones with a role of `only_named`, only the role, name, states and extents that were read are told, unless
    they can be written in.
    """
    asked = [ref for ref in refs if not (tree.basic_role(ref) in only_named and _is_only_read(tree, ref))]
    await tree.read(asked, *_BASICS)
    await _read_more(tree, asked)
    places: dict[Ref, Path] = {}
    if window.libreoffice and window.ref is not None:
        places = await paths_below(tree, window, window.ref)
        await tree.read({each for ref in refs for each in places.get(ref, ())}, Field.EXTENTS)
    found: list[Element] = []
    for ref in refs:
        path = places.get(ref, ())
        displaced = displacement(tree, window, path)
        if displaced != (0, 0) and any(_role(tree, each) is Role.MENU_BAR for each in path):
            continue  # LibreOffice's own menu bar, which it says to show, is behind that of GTK
        value = await _value(tree, window, ref, _role(tree, ref))
        found.append(replace(_element(tree, scene, window, ref, displaced), value=value))
    return found


def native_box(scene: Scene, window: Window, extents: Rect) -> Rect:
    """The native pixels of the frame that extents in an application's coordinates cover."""
    return scene.geometry.rect_from_screen(extents.moved(window.offset.dx, window.offset.dy))


def _element(tree: Tree, scene: Scene, window: Window, ref: Ref, displaced: tuple[int, int]) -> Element:
    described = _names_of(tree, ref, DESCRIBED_BY)
    return Element(
        element_id=f"{ref.owner}{ref.path}",
        role=_role(tree, ref),
        role_name=tree.get(ref, Field.ROLE_NAME) or "",
        name=_name(tree, ref),
        description=tree.get(ref, Field.DESCRIPTION) or described,
        label=_names_of(tree, ref, LABELLED_BY),
        states=states_of(tree.get(ref, Field.STATES) or 0),
        box=native_box(scene, window, (tree.get(ref, Field.EXTENTS) or Rect(0, 0, 0, 0)).moved(*displaced)),
        actions=_actions(tree, ref),
        link=_link(tree, ref),
        app=window.name,
        pid=window.app.pid,
        window=window.info.title or (_name(tree, window.ref) if window.ref is not None else ""),
        extents=tree.get(ref, Field.EXTENTS),
    )


async def _read_more(tree: Tree, refs: Sequence[Ref]) -> None:
    """What depends on the interfaces and relations of elements of which the basics were read."""
    more: list[tuple[Ref, Field]] = []
    for ref in refs:
        if _offers(tree, ref, ACTION):
            more += [(ref, Field.ACTIONS), (ref, Field.FIRST_ACTION)]
        if _offers(tree, ref, VALUE):
            more.append((ref, Field.VALUE))
        if _offers(tree, ref, HYPERLINK) and _may_lead(tree, ref):
            more.append((ref, Field.URI))
        if _offers(tree, ref, TEXT) and _role(tree, ref) in _FIELDS_WITH_VALUE:
            more.append((ref, Field.TEXT_LENGTH))
        more += [(target, Field.NAME) for kind in (LABELLED_BY, DESCRIBED_BY) for target in related(tree, ref, kind)]
    await tree.read_each(more)


def _offers(tree: Tree, ref: Ref, interface: str) -> bool:
    return interface in (tree.get(ref, Field.INTERFACES) or ())


def _is_only_read(tree: Tree, ref: Ref) -> bool:
    return bool(_name(tree, ref)) and not has_state(tree.get(ref, Field.STATES) or 0, EDITABLE)


def _may_lead(tree: Tree, ref: Ref) -> bool:
    return _role(tree, ref) in {Role.LINK, Role.BUTTON, Role.IMAGE}


def _role(tree: Tree, ref: Ref) -> Role:
    return role_of(tree.get(ref, Field.ROLE) or 0, tree.get(ref, Field.ATTRIBUTES), tree.get(ref, Field.ROLE_NAME))


def _name(tree: Tree, ref: Ref) -> str:
    return accessible_name(tree.get(ref, Field.NAME) or "")


def related(tree: Tree, ref: Ref, kind: int) -> tuple[Ref, ...]:
    """The first targets of one relation of an element of which the relations were read."""
    relations = tree.get(ref, Field.RELATIONS) or ()
    return tuple(target for number, targets in relations if number == kind for target in targets)[:4]


def _names_of(tree: Tree, ref: Ref, kind: int) -> str:
    names = [_name(tree, target) for target in related(tree, ref, kind)]
    return " ".join(name for name in dict.fromkeys(names) if name)[:LONGEST_TEXT]


def _actions(tree: Tree, ref: Ref) -> tuple[str, ...]:
    """Chromium and Firefox tell no names in the list of actions, only one by one."""
    names = (*(tree.get(ref, Field.ACTIONS) or ()), tree.get(ref, Field.FIRST_ACTION) or "")
    return tuple({name.lower(): name for name in reversed(names) if name.strip(";")}.values())[::-1]


def _link(tree: Tree, ref: Ref) -> str:
    attributes = tree.get(ref, Field.ATTRIBUTES) or {}
    return tree.get(ref, Field.URI) or attributes.get("href", "") or ""


def _secret(window: Window, role: Role) -> bool:
    """Whether what is in a field must not be read, because it is or may be a password."""
    return role is Role.PASSWORD_FIELD or (role is Role.TEXT_FIELD and window.tells_hidden_text)


async def _value(tree: Tree, window: Window, ref: Ref, role: Role) -> str:
    if _secret(window, role):
        return ""
    number = tree.get(ref, Field.VALUE)
    if role in _FIELDS_WITH_VALUE and _offers(tree, ref, TEXT):
        text = (await tree.text(ref, LONGEST_TEXT)).strip()
        if text and _EMBEDDED not in text:
            return text
    if role is Role.COMBO_BOX and window.toolkit in {"gtk", "Qt"}:
        return _name(tree, ref)  # GTK 3 and Qt name a combo box by its chosen entry
    return "" if number is None else f"{number:g}"


async def _holds_text_only(tree: Tree, ref: Ref, role: Role) -> bool:
    """Whether a group is a small box with text and without controls, such as a place on which things are dropped."""
    extents = tree.get(ref, Field.EXTENTS)
    if role is not Role.GROUP or extents is None or extents.width * extents.height > _LARGEST_TEXT_BOX_PX:
        return False
    return await tree.matches(ref, states=[SHOWING], roles=numbers_of(ACTIONABLE), limit=1) == ()


async def _text_inside(tree: Tree, window: Window, ref: Ref, role: Role) -> str:
    if _secret(window, role) or (role in CONTAINERS and not await _holds_text_only(tree, ref, role)):
        return ""
    if _offers(tree, ref, TEXT):
        text = await tree.text(ref, LONGEST_TEXT)
        if text.strip() and _EMBEDDED not in text:
            return " ".join(text.split())
    below = await _below(tree, window, ref)
    names = [each.name for each in below if not each.repeats and (each.role in _SPEAKING or each.role in ACTIONABLE)]
    return " ".join(" ".join(names).split())[:LONGEST_TEXT]


async def _below(tree: Tree, window: Window, root: Ref) -> list[_Below]:
    """Showing elements below one, depth first, a limited number."""
    children: dict[Ref, list[Ref]] = {}
    level = [root]
    count = 0
    while level and count < _MOST_BELOW:
        await next_level(tree, window, level, Field.ROLE, Field.NAME)
        for ref in level:
            children[ref] = [kid for kid in tree.get(ref, Field.CHILDREN) or () if showing(tree, window, kid)]
        level = [kid for ref in level for kid in children[ref]]
        count += len(level)

    ordered: list[_Below] = []
    waiting = [(child, False, False) for child in reversed(children.get(root, []))]
    while waiting and len(ordered) < _MOST_BELOW:
        ref, in_control, repeats = waiting.pop()
        each = _Below(ref, _role(tree, ref), _name(tree, ref), in_control, repeats)
        ordered.append(each)
        held = in_control or each.role in ACTIONABLE
        told = repeats or (bool(each.name) and (each.role in _SPEAKING or each.role in ACTIONABLE))
        waiting += [(child, held, told) for child in reversed(children.get(ref, []))]
    return ordered


async def _dialog(tree: Tree, window: Window, path: Path) -> Dialog | None:
    found = [
        ref
        for ref in path[:-1]
        if _role(tree, ref) in _DIALOGS or (ref == path[0] and has_state(tree.get(ref, Field.STATES) or 0, MODAL))
    ]
    # GTK 3 gives a file dialog and its part without title and buttons the same role.
    dialogs = [ref for ref in found if tree.get(ref, Field.ROLE) != FILE_CHOOSER] or found[:1]
    return await _dialog_of(tree, window, dialogs[-1], top=dialogs[-1] == path[0]) if dialogs else None


async def _dialog_of(tree: Tree, window: Window, ref: Ref, *, top: bool) -> Dialog:
    below = await _below(tree, window, ref)
    words: list[str] = []
    for each in below:
        if not (each.in_control or each.repeats) and each.role in _SPEAKING and each.name not in words:
            words.append(each.name)
    defaults = [
        each.name for each in below if has_state(tree.get(each.ref, Field.STATES) or 0, IS_DEFAULT) and each.name
    ]
    title = _name(tree, ref) or (window.info.title if top else "")
    text = " ".join(word for word in words if word and word != title)[:LONGEST_TEXT]
    return Dialog(title=title, text=text, default=defaults[0] if defaults else "")


def _groups(tree: Tree, path: Path) -> tuple[str, ...]:
    kinds = _GROUPS | _LISTS if _role(tree, path[-1]) in _ENTRIES else _GROUPS
    around = [ref for ref in path[1:-1] if _role(tree, ref) in kinds]
    names = [_name(tree, ref) for ref in reversed(around)]
    return tuple(dict.fromkeys(name for name in names if name))


async def _address(tree: Tree, path: Path) -> str:
    documents = [ref for ref in path if tree.get(ref, Field.ROLE) == DOCUMENT_WEB]
    if not documents:
        return ""
    found = await tree.one(documents[-1], Field.DOCUMENT) or {}
    return str(found.get("DocURL") or found.get("URI") or "")


SURROUNDED = frozenset((
    Role.BUTTON, Role.TOGGLE_BUTTON, Role.SWITCH, Role.CHECK_BOX, Role.RADIO_BUTTON,
    Role.LABEL, Role.GROUP,  # text and boxes that pages draw as buttons
    Role.LIST_ITEM, Role.MENU_ITEM, Role.TREE_ITEM, Role.LINK,
    Role.HEADING,  # of the list that a drag ends in
))  # fmt: skip
"""Controls whose effect may depend on what stands around them."""

_TELLING = frozenset((
    Role.LABEL, Role.PARAGRAPH, Role.HEADING, Role.TEXT_FIELD, Role.PASSWORD_FIELD, Role.SEARCH_FIELD, Role.COMBO_BOX,
    Role.BUTTON, Role.CELL, Role.LIST_ITEM, Role.CHECK_BOX, Role.RADIO_BUTTON, Role.LINK,
))  # fmt: skip
_ENOUGH = 8  # elements with a text
_MOST_READ = 80  # elements
_MOST_TOLD = 24  # texts
_LONGEST = 300  # characters of one text
_WITHIN_S = 0.12
_RESERVED_S = 0.05  # kept for the rest of the query


async def texts_around(tree: Tree, window: Window, path: Path) -> tuple[str, ...]:
    """The texts around the last element of a path, nearest first; none where they are not told in time.

    These are texts, and the names of fields and of other controls.
    """
    hurried = tree.for_another_query()
    hurried.deadline_s = min(time.monotonic() + _WITHIN_S, tree.deadline_s - _RESERVED_S)
    if hurried.late:
        return ()
    try:
        return await _texts_around(hurried, window, path)
    except NoReply:
        return ()


async def _texts_around(tree: Tree, window: Window, path: Path) -> tuple[str, ...]:
    # What an entry of a menu does is told by the others; a menu bar tells nothing of a button.
    telling = _TELLING | {Role.MENU_ITEM} if _role(tree, path[-1]) is Role.MENU_ITEM else _TELLING
    found = [ref for ref in await _telling_around(tree, window, path, telling) if ref not in path]
    await tree.read([path[-1], *found], Field.EXTENTS, Field.NAME, Field.ROLE)
    own = tree.get(path[-1], Field.EXTENTS) or Rect(0, 0, 0, 0)
    links = [
        box for ref in found if _role(tree, ref) is Role.LINK and (box := tree.get(ref, Field.EXTENTS)) is not None
    ]
    told: list[tuple[float, str]] = []
    for ref in found:
        name = " ".join((tree.get(ref, Field.NAME) or "").split())
        box = tree.get(ref, Field.EXTENTS)
        # What a link says is about the page that it leads to.
        if name and box is not None and not any(each.contains(*box.centre) for each in (own, *links)):
            told.append((box.distance(own), name[:_LONGEST]))
        if box is not None and _role(tree, ref) is Role.PASSWORD_FIELD:
            told.append((box.distance(own), MASK))
    return tuple(dict.fromkeys(name for _, name in sorted(told, key=lambda each: each[0])))[:_MOST_TOLD]


async def _submitting(tree: Tree, window: Window, path: Path) -> tuple[str, ...]:
    """The names of the buttons that Enter in the last element of a path may press, nearest first: the default one alone
    where it is told, else on pages those of its form; none where they are not told in time."""
    hurried = tree.for_another_query()
    hurried.deadline_s = min(time.monotonic() + _WITHIN_S, tree.deadline_s - _RESERVED_S)
    if hurried.late:
        return ()
    try:
        return await _buttons_of_form(hurried, window, path)
    except NoReply:
        return ()


async def _buttons_of_form(tree: Tree, window: Window, path: Path) -> tuple[str, ...]:
    await tree.read(path[:-1], Field.ATTRIBUTES)
    forms = [ref for ref in path[:-1] if _is_form(tree, ref)]
    documents = [ref for ref in path if tree.get(ref, Field.ROLE) == DOCUMENT_WEB]
    root = (*forms[-1:], *documents[-1:], path[0])[0]
    found = await search(
        tree, window, root, states=[SHOWING], roles=numbers_of((Role.BUTTON,)), limit=_MOST_READ, in_sheets=False
    )
    await tree.read([path[-1], *found[:_MOST_BUTTONS]], Field.EXTENTS, Field.NAME, Field.STATES)
    named = [ref for ref in found[:_MOST_BUTTONS] if _name(tree, ref)]
    defaults = [ref for ref in named if has_state(tree.get(ref, Field.STATES) or 0, IS_DEFAULT)]
    if (defaults and forms) or not documents:
        return tuple(_name(tree, ref) for ref in defaults[:1])
    own = tree.get(path[-1], Field.EXTENTS) or Rect(0, 0, 0, 0)
    boxes = {ref: box for ref in named if (box := tree.get(ref, Field.EXTENTS)) is not None}
    nearest = sorted(boxes, key=lambda ref: boxes[ref].distance(own))
    return tuple(dict.fromkeys(_name(tree, ref) for ref in nearest))[:_MOST_SUBMITTING]


def _is_form(tree: Tree, ref: Ref) -> bool:
    """Whether it is a form or a dialog; Chromium tells a form with a name as a landmark, and its tag."""
    return _role(tree, ref) in _FORMS or (tree.get(ref, Field.ATTRIBUTES) or {}).get("tag") == "form"


async def _telling_around(tree: Tree, window: Window, path: Path, telling: frozenset[Role]) -> tuple[Ref, ...]:
    """The elements with a text in the smallest part of the page or window that has enough of them."""
    found: tuple[Ref, ...] = ()
    for ref in reversed(path[:-1]):
        found = await search(tree, window, ref, states=[SHOWING], roles=numbers_of(telling), limit=_MOST_READ)
        if len(found) > _ENOUGH or _role(tree, ref) in (Role.DOCUMENT, Role.DIALOG):
            break
    return found
