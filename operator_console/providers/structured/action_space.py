"""The actions that a model can ask for, as pydantic models of their arguments; names follow browser-use where it has
the action. What they mean in domain actions is in `actions`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Button: TypeAlias = Annotated[Literal["left", "right", "middle"], Field(description="The mouse button.")]
Count: TypeAlias = Annotated[Literal[1, 2, 3], Field(description="2 for a double click.")]
Direction: TypeAlias = Literal["up", "down", "left", "right"]
Index: TypeAlias = Annotated[int, Field(description="The element's number on the newest screen.")]
Coordinate: TypeAlias = float
Notches: TypeAlias = Annotated[int, Field(description="Notches of the mouse wheel, 1-100; 5 are about half a page.")]


class Arguments(BaseModel):
    """The arguments of one action; the docstring of a subclass describes the action to the model."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ClickElement(Arguments):
    """Click an element."""

    index: Index
    button: Button = "left"
    count: Count = 1


class ClickPoint(Arguments):
    """Click a point, where no element has a number."""

    x: Coordinate
    y: Coordinate
    button: Button = "left"
    count: Count = 1


class InputText(Arguments):
    """Click a field, and type a text into it."""

    index: Index
    text: str
    clear: Annotated[bool, Field(description="Whether to empty the field before.")] = False
    submit: Annotated[bool, Field(description="Whether to press Enter afterwards.")] = False


class TypeAtFocus(Arguments):
    """Type a text where the keyboard focus is."""

    text: str
    submit: Annotated[bool, Field(description="Whether to press Enter afterwards.")] = False


class SelectOption(Arguments):
    """Choose an option of a combo box or list."""

    index: Annotated[int, Field(description="The number of the combo box or list.")]
    option: Annotated[str, Field(description="The option's text, exactly.")]


class ScrollElement(Arguments):
    """Scroll an element, or with the number 0 what is in the middle of the screen."""

    index: Annotated[int, Field(description="The element's number, or 0.")]
    direction: Direction
    notches: Notches = 5


class ScrollPoint(Arguments):
    """Scroll at a point."""

    x: Coordinate
    y: Coordinate
    direction: Direction
    notches: Notches = 5


class SendKeys(Arguments):
    """Press keys together, for example ctrl+s, enter, or alt+f4."""

    keys: str


class SwitchTab(Arguments):
    """Switch to a tab of the browser that has the focus, by its place from the left."""

    number: Annotated[int, Field(description="1 to 8; 9 is the last tab.")]


class NewTab(Arguments):
    """Open a tab in the browser that has the focus."""

    url: Annotated[str, Field(description="The address to open; empty for none.")] = ""


class CloseTab(Arguments):
    """Close the tab of the browser that has the focus."""


class GoTo(Arguments):
    """Go to an address in the browser that has the focus."""

    url: str


class GoBack(Arguments):
    """Go back one page in the browser that has the focus."""


class SearchWeb(Arguments):
    """Search the web in a new tab of the browser that has the focus."""

    query: str


class WaitFor(Arguments):
    """Wait for something to happen on the screen."""

    seconds: Annotated[float, Field(description="0-60.")] = 1.0


class Extract(Arguments):
    """Read the text of an element, or with the number 0 of the whole screen; you get it with the next screen."""

    index: Annotated[int, Field(description="The element's number, or 0.")]
    scroll_to_end: Annotated[bool, Field(description="Whether to read on below what can be seen.")] = False


class AskUser(Arguments):
    """Ask the human operator who supervises you, and get the answer: before anything that needs their consent, when
    something only they can know is missing, and when you are stuck."""

    question: str
    answer: Annotated[Literal["text", "confirm"], Field(description="confirm for a yes or no.")] = "text"
    choices: Annotated[
        list[str], Field(description="Offer these answers; you get the index of the chosen one, from 0. Empty: none.")
    ] = Field(default_factory=list)


class YieldToUser(Arguments):
    """Have the operator do a part themselves: signing in, a CAPTCHA, a payment, or what you must not or cannot do."""

    reason: Annotated[str, Field(description="What they should do, and why.")]


class Done(Arguments):
    """End the task: it is done, or it cannot be done. Only alone, after you saw what your last action did."""

    text: Annotated[str, Field(description="What was done and what was not, honestly, in a few words.")]
    success: Annotated[bool, Field(description="Whether the task is done.")] = True


class CallFunction(Arguments):
    """Call one of the functions that are listed."""

    name: str
    arguments_json: Annotated[str, Field(description="Its arguments, as a JSON object in a string.")] = "{}"


CALL_FUNCTION = "call_function"
ACTIONS: Mapping[str, type[Arguments]] = {
    "click": ClickElement,
    "click_at": ClickPoint,
    "input": InputText,
    "type": TypeAtFocus,
    "select": SelectOption,
    "scroll": ScrollElement,
    "scroll_at": ScrollPoint,
    "send_keys": SendKeys,
    "switch_tab": SwitchTab,
    "new_tab": NewTab,
    "close_tab": CloseTab,
    "navigate": GoTo,
    "go_back": GoBack,
    "search": SearchWeb,
    "wait": WaitFor,
    "extract": Extract,
    "ask_user": AskUser,
    "yield_to_user": YieldToUser,
    "done": Done,
    CALL_FUNCTION: CallFunction,
}
"""The closed set, by name."""


class ShowTab(SwitchTab):
    """Show another tab."""

    number: Annotated[int, Field(description="Its number in the list of tabs.")]


class OpenTab(NewTab):
    """Open a tab."""


class CloseShownTab(CloseTab):
    """Close the tab that is shown."""


class GoToPage(GoTo):
    """Go to an address."""


class GoBackHere(GoBack):
    """Go back one page."""


class GoForward(Arguments):
    """Go forward one page."""


class SearchPage(SearchWeb):
    """Search the web."""


class ExtractPage(Extract):
    """Read the text of an element, or with the number 0 of the whole page, also what is not in view; you get it with
    the next screen."""


BROWSER_ACTIONS: Mapping[str, type[Arguments]] = {
    **ACTIONS,
    "switch_tab": ShowTab,
    "new_tab": OpenTab,
    "close_tab": CloseShownTab,
    "navigate": GoToPage,
    "go_back": GoBackHere,
    "go_forward": GoForward,
    "search": SearchPage,
    "extract": ExtractPage,
}
"""The closed set in a managed browser."""

_KEPT = ("type", "enum", "description", "items")
"""What all services take in the schema of a value."""


@functools.cache
def arguments_schema(kind: type[Arguments]) -> dict[str, Any]:
    """The JSON schema of an action's arguments, in the part of JSON Schema that all services take.

    All properties are required, as OpenAI demands. Bounds are in descriptions only: Anthropic takes none.
    """
    properties = kind.model_json_schema().get("properties", {})
    made = {name: {key: value[key] for key in _KEPT if key in value} for name, value in properties.items()}
    return {"type": "object", "properties": made, "required": list(made), "additionalProperties": False}


def description(kind: type[Arguments]) -> str:
    """What an action does, for the model."""
    return " ".join((kind.__doc__ or "").split())
