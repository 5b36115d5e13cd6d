"""The words of AT-SPI2: interfaces, numbers of roles, states and relations, and what they are in the domain.

Source: at-spi2-core, atspi/atspi-constants.h.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from operator_console.domain.elements import ElementState, Role

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
APPLICATION = "org.a11y.atspi.Application"
COLLECTION = "org.a11y.atspi.Collection"
COMPONENT = "org.a11y.atspi.Component"
DOCUMENT = "org.a11y.atspi.Document"
HYPERLINK = "org.a11y.atspi.Hyperlink"
TABLE = "org.a11y.atspi.Table"
TEXT = "org.a11y.atspi.Text"
VALUE = "org.a11y.atspi.Value"
PROPERTIES = "org.freedesktop.DBus.Properties"

REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
NULL_PATH = "/org/a11y/atspi/null"

SCREEN_COORDINATES, PARENT_COORDINATES = 0, 2
POPUP_LAYER = 5

LABELLED_BY, DESCRIBED_BY = 2, 18

CHECKED, EDITABLE, ENABLED, FOCUSABLE, FOCUSED = 4, 7, 8, 11, 12
MODAL, SELECTABLE, SELECTED, SENSITIVE, SHOWING, VISIBLE, IS_DEFAULT = 16, 22, 23, 24, 25, 30, 39
ACTIVE = 1
HAS_POPUP = 42

DOCUMENT_WEB = 95
FILE_CHOOSER, PAGE_TAB = 19, 37
_DOCUMENTS = (82, 92, 93, 94, DOCUMENT_WEB, 96)

_ROLES: Mapping[Role, tuple[int, ...]] = {
    Role.ALERT: (2, 101, 102),
    Role.BUTTON: (43, 129),
    Role.CELL: (56, 10, 47),
    Role.CHECK_BOX: (7,),
    Role.COMBO_BOX: (11,),
    Role.DIALOG: (9, 16, 19, 22),
    Role.DOCUMENT: (25, *_DOCUMENTS),
    Role.FORM: (87,),
    Role.GROUP: (20, 24, 30, 36, 39, 46, 49, 53, 68, 71, 72, 84, 85, 86, 99, 105, 109, 110),
    Role.HEADER: (57, 58),
    Role.HEADING: (83,),
    Role.IMAGE: (3, 6, 18, 26, 27, 80, 100),
    Role.LABEL: (1, 29, 81, 116),
    Role.LINK: (88,),
    Role.LIST: (17, 31, 98),
    Role.LIST_ITEM: (32, 13),
    Role.MENU: (33, 41),
    Role.MENU_BAR: (34,),
    Role.MENU_ITEM: (8, 35, 45, 59),
    Role.PARAGRAPH: (73, 97, 111, 118, 124, 125, 126, 127, 128),
    Role.PASSWORD_FIELD: (40,),
    Role.PROGRESS_BAR: (42, 103),
    Role.RADIO_BUTTON: (44,),
    Role.SCROLL_BAR: (48,),
    Role.SEPARATOR: (50,),
    Role.SLIDER: (15, 51),
    Role.SPIN_BUTTON: (12, 52),
    Role.STATUS_BAR: (54,),
    Role.TAB: (37,),
    Role.TAB_LIST: (38,),
    Role.TABLE: (55, 90),
    Role.TERMINAL: (60,),
    Role.TEXT_FIELD: (61, 76, 77, 79),
    Role.TITLE_BAR: (104,),
    Role.TOGGLE_BUTTON: (62,),
    Role.TOOL_BAR: (63,),
    Role.TOOL_TIP: (64,),
    Role.TREE: (65, 66),
    Role.TREE_ITEM: (91,),
    Role.WINDOW: (14, 23, 28, 69, 75),
}
_ROLE_OF = {number: role for role, numbers in _ROLES.items() for number in numbers}

_XML_ROLES = {"searchbox": Role.SEARCH_FIELD, "switch": Role.SWITCH, "alertdialog": Role.DIALOG}
_ROLE_NAMES = {"switch": Role.SWITCH, "search box": Role.SEARCH_FIELD}
"""What GTK 4 tells only by the name of a role."""
_INPUT_TYPES = {"search": Role.SEARCH_FIELD, "password": Role.PASSWORD_FIELD}
_FIELDS = frozenset((Role.TEXT_FIELD, Role.SEARCH_FIELD))

_STATE_BITS = {
    ElementState.CHECKED: CHECKED,
    ElementState.DEFAULT: IS_DEFAULT,
    ElementState.EDITABLE: EDITABLE,
    ElementState.EXPANDABLE: 9,
    ElementState.EXPANDED: 10,
    ElementState.FOCUSABLE: FOCUSABLE,
    ElementState.FOCUSED: FOCUSED,
    ElementState.INVALID: 36,
    ElementState.MODAL: MODAL,
    ElementState.MULTI_LINE: 17,
    ElementState.PRESSED: 20,
    ElementState.READ_ONLY: 43,
    ElementState.REQUIRED: 33,
    ElementState.SELECTED: SELECTED,
    ElementState.VISITED: 40,
}


def role_of(number: int, attributes: Mapping[str, str] | None = None, role_name: str | None = None) -> Role:
    """The role of a number, made finer by the name of the role and the object attributes where they are known."""
    role = _ROLE_NAMES.get(role_name or "", _ROLE_OF.get(number, Role.UNKNOWN))
    if not attributes:
        return role
    for name in attributes.get("xml-roles", "").split():
        if name in _XML_ROLES:
            return _XML_ROLES[name]
    if role in _FIELDS:
        return _INPUT_TYPES.get(attributes.get("text-input-type", ""), role)
    return role


def numbers_of(roles: Iterable[Role]) -> tuple[int, ...]:
    """The numbers that stand for these roles; search fields and switches are told by attributes only."""
    return tuple(sorted(number for role in roles for number in _ROLES.get(role, ())))


def has_state(states: int, number: int) -> bool:
    """Whether a state is among the bits of `GetState`."""
    return bool(states >> number & 1)


def states_of(states: int) -> tuple[ElementState, ...]:
    """The states of the domain, in its order."""
    found = {state for state, number in _STATE_BITS.items() if has_state(states, number)}
    if not has_state(states, ENABLED) and not has_state(states, SENSITIVE):
        found.add(ElementState.DISABLED)
    if has_state(states, HAS_POPUP):
        found.add(ElementState.EXPANDABLE)  # as buttons are told that open a menu and say nothing of its state
    return tuple(state for state in ElementState if state in found)


def bit_words(numbers: Iterable[int], words: int) -> list[int]:
    """A set of numbers as 32-bit words, signed as D-Bus's type `i` has them."""
    bits = sum(1 << number for number in set(numbers))
    unsigned = [bits >> (32 * word) & 0xFFFFFFFF for word in range(words)]
    return [word - (1 << 32) if word >> 31 else word for word in unsigned]
