"""Accessible elements, and the control that an action would hit.

An `Element` is what an application says about one of its widgets through the platform's accessibility service. A
`Control` is what the console knows about the place an action would hit: from an element, else from the picture, else
nothing. Policy, questions, the overlay and the record all use the control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import NativePoint, Rect


class Role(StrEnum):
    """What kind of widget it is. Follows WAI-ARIA's roles where it has them; finer platform roles are merged."""

    UNKNOWN = "unknown"
    ALERT = "alert"
    BUTTON = "button"
    CELL = "cell"
    CHECK_BOX = "check box"
    COMBO_BOX = "combo box"
    DIALOG = "dialog"
    DOCUMENT = "document"
    FORM = "form"
    GROUP = "group"
    HEADER = "column header"
    HEADING = "heading"
    IMAGE = "image"
    LABEL = "label"
    LINK = "link"
    LIST = "list"
    LIST_ITEM = "list item"
    MENU = "menu"
    MENU_BAR = "menu bar"
    MENU_ITEM = "menu item"
    PARAGRAPH = "paragraph"
    PASSWORD_FIELD = "password field"  # noqa: S105 - a role, not a password
    PROGRESS_BAR = "progress bar"
    RADIO_BUTTON = "radio button"
    SCROLL_BAR = "scroll bar"
    SEARCH_FIELD = "search field"
    SEPARATOR = "separator"
    SLIDER = "slider"
    SPIN_BUTTON = "spin button"
    STATUS_BAR = "status bar"
    SWITCH = "switch"
    TAB = "tab"
    TAB_LIST = "tab list"
    TABLE = "table"
    TERMINAL = "terminal"
    TEXT_FIELD = "text field"
    TITLE_BAR = "title bar"
    TOGGLE_BUTTON = "toggle button"
    TOOL_BAR = "tool bar"
    TOOL_TIP = "tool tip"
    TREE = "tree"
    TREE_ITEM = "tree item"
    WINDOW = "window"


FIELDS = frozenset((
    Role.COMBO_BOX, Role.PASSWORD_FIELD, Role.SEARCH_FIELD, Role.SPIN_BUTTON, Role.TERMINAL, Role.TEXT_FIELD,
))  # fmt: skip
"""Roles that can be typed into."""


class ElementState(StrEnum):
    """A state that policy, the model or the operator can use. What is absent is False or not reported."""

    CHECKED = "checked"
    COVERING = "covering"
    """It is the only text of an area behind which all fields and buttons of its page lie."""
    DEFAULT = "default"
    DISABLED = "disabled"
    EDITABLE = "editable"
    EXPANDABLE = "expandable"
    EXPANDED = "expanded"
    FOCUSABLE = "focusable"
    FOCUSED = "focused"
    INVALID = "invalid"
    MODAL = "modal"
    MULTI_LINE = "multi-line"
    PRESSED = "pressed"
    READ_ONLY = "read-only"
    REQUIRED = "required"
    SELECTED = "selected"
    VISITED = "visited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """The dialog, alert or message box that a control stands in.

    Attributes:
        title: its title or accessible name.
        text: the text it shows, without that of its buttons and fields.
        default: the name of the button that Enter presses; "" where none is known.
    """

    title: str = ""
    text: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One accessible element, as its application describes it.

    Attributes:
        element_id: names it while its application keeps it; opaque.
        role: the kind of widget.
        role_name: the application's own word for the role.
        name: the accessible name.
        description: the accessible description.
        label: the text of the elements that label it.
        states: without duplicates, in the order of `ElementState`.
        box: extents, native pixels of the frame it was asked for; may reach outside the frame.
        text: all text inside it, shortened at `LONGEST_TEXT`; "" for password fields.
        value: the current value of fields, sliders and combo boxes; "" for password fields.
        actions: names of its accessible actions, in their order.
        link: the address it leads to, "" where unknown.
        dialog: the dialog it stands in, None outside one.
        group: names of the groups, forms and landmarks around it, of an entry those of its list or menu as well,
            innermost first.
        app: the application's accessible name.
        pid: its process, None where unknown.
        window: name of its top-level window.
        url: address of the document it belongs to.
        around: texts and names of other controls around a button, switch, check box or entry, nearest first, and
            `MASK` for a password field; () elsewhere.
        submits: of a field, the names of the buttons that Enter in it may press: the default one alone where it is
            known, else those of its form or page, nearest first; () elsewhere.
        extents: as its application tells them, in coordinates of its own; None where it does not.
    """

    element_id: str
    role: Role
    role_name: str = ""
    name: str = ""
    description: str = ""
    label: str = ""
    states: tuple[ElementState, ...] = ()
    box: Rect
    text: str = ""
    value: str = ""
    actions: tuple[str, ...] = ()
    link: str = ""
    dialog: Dialog | None = None
    group: tuple[str, ...] = ()
    app: str = ""
    pid: int | None = None
    window: str = ""
    url: str = ""
    around: tuple[str, ...] = ()
    submits: tuple[str, ...] = ()
    extents: Rect | None = None


REACH_PX, AROUND_PX = 8, 160
"""Native pixels: a point this close to a text refers to it, and texts up to this far from it are nearby."""

MASK = "•••"
"""What is told of the content of a password field to what stands around it."""

LONGEST_TEXT = 2_000
"""Characters of an element's text that are kept."""


class TextKnowledge(StrEnum):
    """What is known about the text of a control."""

    READ = "read"
    """All of it is known; an empty text means that it says nothing."""
    NOT_YET = "not_yet"
    """It was not read in time."""
    UNREADABLE = "unreadable"
    """It cannot be read here: no reader, a script that the reader does not know, or the reader failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PointText:
    """The texts at and around a point of a frame, read off its pixels. Boxes are native pixels of the frame.

    Attributes:
        knowledge: what is known about the text inside `extent`; UNREADABLE also where only a part cannot be read.
        extent: the rectangle that was asked for; None: only the point.
        inside: texts that overlap `extent` or stand at the point, in reading order. Of a long line only the part near
            the point.
        nearby: other texts, nearest first.
    """

    knowledge: TextKnowledge
    extent: Rect | None = None
    inside: tuple[TextBox, ...] = ()
    nearby: tuple[TextBox, ...] = ()

    @property
    def text(self) -> str:
        """The texts of `inside`, joined by spaces."""
        return " ".join(box.text.strip() for box in self.inside).strip()

    @classmethod
    def of(
        cls, boxes: Sequence[TextBox], point: NativePoint, extent: Rect | None, knowledge: TextKnowledge
    ) -> PointText:
        """The texts of a larger area, sorted by their distance to the extent or the point."""
        around = extent or Rect(point.x, point.y, 1, 1)
        inside = tuple(box for box in boxes if not box.box.intersect(around).empty)
        others = sorted((box for box in boxes if box not in inside), key=lambda box: box.box.distance(around))
        return cls(knowledge=knowledge, extent=extent, inside=inside, nearby=tuple(others))


class ControlSource(StrEnum):
    """Where the knowledge of a control comes from."""

    ACCESSIBLE = "accessible"
    PICTURE = "picture"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The control that an action would hit, as far as it is known.

    Attributes:
        source: accessible element, a box that the picture shows around the point, or neither.
        knowledge: what is known about its text.
        role: UNKNOWN unless the source is ACCESSIBLE, or the picture shows a field for text: by its caret, or by its
            height.
        name: accessible name; "" from the picture.
        text: all text inside the extent.
        line: the line of that text which is at the point, where the picture shows a box with several; it names what is
            hit there, and the whole text is judged.
        label: the text that labels a field, beside it or by its relation.
        description: accessible description.
        icon: what a recognised icon without text stands for ("delete", "send"); "" otherwise.
        pressable: whether a press does something there although the role is none of a control: the application tells
            an action of its own, it can have the focus, or the picture shows a box closely around it.
        value: the content of a field; "" for password fields.
        states: as of `Element`.
        extent: native pixels of the frame; None: not known.
        link: the address it leads to.
        group, submits: as of `Element`.
        dialog: the dialog it stands in.
        app, window: the application and the title of the top-level window that is hit: as the accessibility service
            names them, else as the window system does; "" where neither knows.
        url: address of the document it belongs to.
    """

    source: ControlSource = ControlSource.NONE
    knowledge: TextKnowledge = TextKnowledge.NOT_YET
    role: Role = Role.UNKNOWN
    name: str = ""
    text: str = ""
    line: str = ""
    label: str = ""
    description: str = ""
    icon: str = ""
    pressable: bool = False
    value: str = ""
    states: tuple[ElementState, ...] = ()
    extent: Rect | None = None
    link: str = ""
    group: tuple[str, ...] = ()
    submits: tuple[str, ...] = ()
    dialog: Dialog | None = None
    app: str = ""
    window: str = ""
    url: str = ""

    @property
    def says(self) -> str:
        """What a person would call it: its name, else its text, else its label, else its description."""
        return self.name or self.text or self.label or self.description


UNKNOWN_CONTROL = Control()
"""Nothing is known about the place."""


class Exposure(StrEnum):
    """What an application tells the accessibility service."""

    FULL = "full"
    NOTHING = "nothing"
    SWITCHED_OFF = "switched_off"
    """It would tell more once accessibility is switched on and it is restarted."""
    NOT_ANSWERING = "not_answering"
    NO_SERVICE = "no_service"
    """There is no accessibility service on this desktop."""
