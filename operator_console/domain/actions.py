"""Provider-neutral actions that a model may ask for, in native pixels of the frame it was shown.

Every dialect maps onto this closed union; nothing else reaches policy, approval or the injector. Each class carries
a literal `kind`, which is its tag in the journal and on the wire (see `codec`). Pure values, no behaviour.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from operator_console.domain.element_uses import ElementIdentity, ElementUse
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import keep_notices, notice
from operator_console.domain.notices import Notice, NoticeCode


class Button(StrEnum):
    """A pointer button; X11 numbers are 1, 2, 3, 8, 9."""

    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"
    BACK = "back"
    FORWARD = "forward"


class QuestionKind(StrEnum):
    """The kind of answer a question takes."""

    CONFIRM = "confirm"
    CHOOSE = "choose"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Move the pointer to a point."""

    kind: Literal["move"] = "move"
    at: NativePoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """Press and release `button` `count` times; at the pointer where `at` is None; modifiers held meanwhile."""

    kind: Literal["click"] = "click"
    at: NativePoint | None
    button: Button = Button.LEFT
    count: int = 1
    modifiers: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """Press a button and keep it down (the ledger releases it if the run ends)."""

    kind: Literal["press"] = "press"
    at: NativePoint | None = None
    button: Button = Button.LEFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Release a button that an earlier call pressed."""

    kind: Literal["release"] = "release"
    at: NativePoint | None = None
    button: Button = Button.LEFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Drag:
    """Press at the first point, pass through the others, release at the last. At least two points."""

    kind: Literal["drag"] = "drag"
    path: tuple[NativePoint, ...]
    button: Button = Button.LEFT
    modifiers: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scroll:
    """Scroll by wheel notches at a point; dx positive to the right, dy positive downwards."""

    kind: Literal["scroll"] = "scroll"
    at: NativePoint | None
    dx: int = 0
    dy: int = 0
    modifiers: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeText:
    """Type text at the focus, or click `at` first; `clear` empties the field before, `submit` presses Enter after."""

    kind: Literal["type_text"] = "type_text"
    text: str
    at: NativePoint | None = None
    clear: bool = False
    submit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chord:
    """Press keys together in order, release in reverse, `repeat` times."""

    kind: Literal["chord"] = "chord"
    keys: tuple[Key, ...]
    repeat: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDown:
    """Press a key and keep it down."""

    kind: Literal["key_down"] = "key_down"
    key: Key


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUp:
    """Release a key that an earlier call pressed."""

    kind: Literal["key_up"] = "key_up"
    key: Key


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldKeys:
    """Hold keys down together for `duration_s`."""

    kind: Literal["hold_keys"] = "hold_keys"
    keys: tuple[Key, ...]
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UseElement:
    """Use an accessible element without pointer and keys.

    Attributes:
        use: what is done.
        element: the element; it must still be the same.
        at: the pixel in the middle of what can be seen of it.
        name: of PRESS, the name of its action.
        option: of CHOOSE, the name of the option.
    """

    kind: Literal["use_element"] = "use_element"
    use: ElementUse
    element: ElementIdentity
    at: NativePoint
    name: str = ""
    option: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Wait; sends no input."""

    kind: Literal["wait"] = "wait"
    duration_s: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Screenshot:
    """Take a new screenshot; sends no input."""

    kind: Literal["screenshot"] = "screenshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Zoom:
    """Take a closer look at a region (native pixels); sends no input."""

    kind: Literal["zoom"] = "zoom"
    region: Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorPosition:
    """Report the pointer position; sends no input."""

    kind: Literal["cursor_position"] = "cursor_position"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBrowser:
    """Open the default browser."""

    kind: Literal["open_browser"] = "open_browser"


@dataclass(frozen=True, slots=True, kw_only=True)
class Navigate:
    """Go to a URL in the browser."""

    kind: Literal["navigate"] = "navigate"
    url: str
    new_tab: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Back:
    """Go back one page in the browser."""

    kind: Literal["back"] = "back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forward:
    """Go forward one page in the browser."""

    kind: Literal["forward"] = "forward"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchTab:
    """Show another tab of the browser.

    Attributes:
        number: in a managed browser its place in `Page.tabs`, from 1. Elsewhere its place from the left, 1 to 8; 9 is
            the last tab.
    """

    kind: Literal["switch_tab"] = "switch_tab"
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseTab:
    """Close the tab of the browser that is shown."""

    kind: Literal["close_tab"] = "close_tab"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Open the default search page and search for `query`, unless it is empty."""

    kind: Literal["search"] = "search"
    query: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Start an application by name, or open a URL; the URL takes precedence where both are given."""

    kind: Literal["launch"] = "launch"
    app: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteText:
    """Read the text of a region into a variable; with `auto_scroll`, scroll to the end of the text."""

    kind: Literal["quote_text"] = "quote_text"
    region: Rect
    variable: str
    auto_scroll: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteClipboard:
    """Read the clipboard into a variable."""

    kind: Literal["quote_clipboard"] = "quote_clipboard"
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """Read the address, the tabs and the text of the page in a managed browser; sends no input."""

    kind: Literal["read_page"] = "read_page"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Ask the model itself and keep its answer in a variable."""

    kind: Literal["ask_model"] = "ask_model"
    prompt: str
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """Run a shell command in the sandbox, or restart its shell (`command` is "" then).

    The time limit of the settings applies too.
    """

    kind: Literal["run_command"] = "run_command"
    command: str
    timeout_s: float = 120.0
    restart: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EditFile:
    """View or edit a file in the sandbox: `command` is view, create, str_replace or insert, with its arguments."""

    kind: Literal["edit_file"] = "edit_file"
    command: str
    path: str
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFunction:
    """Call one of the operator's own functions; `arguments_json` is the model's JSON object as text."""

    kind: Literal["call_function"] = "call_function"
    name: str
    arguments_json: str = "{}"

    def arguments(self) -> dict[str, Any]:
        """The arguments by name. Raises ActionError if the text is no JSON object."""
        try:
            found = json.loads(self.arguments_json)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ActionError(notice(NoticeCode.FUNCTION_ARGUMENTS_UNREADABLE))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One answer to a *choose* question; `region` (native pixels) is the part of the screen that it refers to."""

    label: str
    region: Rect | None = None
    label_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "label")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOperator:
    """Ask the human; the answer goes back to the model as the call's output (choose: the index from 0).

    `suggested`: the index of the choice that is most likely; None: none is.
    """

    kind: Literal["ask_operator"] = "ask_operator"
    question: str
    answer: QuestionKind = QuestionKind.TEXT
    choices: tuple[Choice, ...] = ()
    suggested: int | None = None
    question_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "question")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The model reports that the task is done, or that it cannot be done."""

    kind: Literal["finish"] = "finish"
    message: str = ""
    success: bool = True
    message_notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        keep_notices(self, "message")


Action: TypeAlias = (
    Move
    | Click
    | Press
    | Release
    | Drag
    | Scroll
    | TypeText
    | Chord
    | KeyDown
    | KeyUp
    | HoldKeys
    | UseElement
    | Wait
    | Screenshot
    | Zoom
    | CursorPosition
    | OpenBrowser
    | Navigate
    | Back
    | Forward
    | SwitchTab
    | CloseTab
    | Search
    | Launch
    | QuoteText
    | QuoteClipboard
    | ReadPage
    | AskModel
    | RunCommand
    | EditFile
    | CallFunction
    | AskOperator
    | Finish
)

BrowserAction: TypeAlias = OpenBrowser | Navigate | Back | Forward | SwitchTab | CloseTab | Search
PointerAction: TypeAlias = Move | Click | Press | Release | Drag | Scroll
KeyAction: TypeAlias = TypeText | Chord | KeyDown | KeyUp | HoldKeys
InputAction: TypeAlias = PointerAction | KeyAction | UseElement


def target_point(action: Action) -> NativePoint | None:
    """The point where an action starts (of a drag, its first point); None where it names no point."""
    match action:
        case Move(at=at) | Click(at=at) | Press(at=at) | Release(at=at) | Scroll(at=at) | TypeText(at=at):
            return at
        case UseElement(at=at):
            return at
        case Drag(path=path):
            return path[0]
        case _:
            return None


def tab_keys(action: SwitchTab | CloseTab) -> tuple[Key, ...]:
    """The keys by which browsers do it; of a tab that they have no key for, those of the last one."""
    return (Key("ctrl"), Key(str(min(action.number, 9)) if isinstance(action, SwitchTab) else "w"))
