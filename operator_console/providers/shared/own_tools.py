"""Functions that the console itself offers to models: ask_user, yield_to_user, done, read_text and zoom.

`zoom` is useful if the screen has more pixels than the picture or the coordinates of the model. In a managed browser
there are those that control it, too: navigate, go_back, go_forward, search, switch_tab, close_tab, get_browser_state.
Each function has a description for the model, and a reader for its arguments; `parse_function` reads a call of one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Back,
    CallFunction,
    Choice,
    CloseTab,
    Finish,
    Forward,
    QuestionKind,
    QuoteText,
    ReadPage,
    Search,
    SwitchTab,
    Zoom,
)
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import GRID_UNITS, FrameGeometry, Rect, SentPoint
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Brief
from operator_console.domain.tools import ToolSpec
from operator_console.providers.shared.arguments import Arguments, ParsedCall, Reader, read_address, read_with

ASK_USER = "ask_user"
YIELD_TO_USER = "yield_to_user"
DONE = "done"
READ_TEXT = "read_text"
ZOOM = "zoom"
GET_BROWSER_STATE = "get_browser_state"
MOST_TABS = 1_000
ZOOM_INSTRUCTION = (
    "This screen has more pixels than the coordinates 0-999 can name in whole numbers, or than the screenshots show. "
    "Where a target is small or its text unclear, call zoom first; coordinates always refer to the whole screen and "
    "may have decimals."
)
"""Part of the instruction if zoom is offered to a model with coordinates of 0-999."""

_EDGES = ("left", "top", "right", "bottom")


def ask_user() -> ToolSpec:
    """Lets the model ask the operator."""
    return _spec(
        ASK_USER,
        "Ask the human operator who supervises you, and wait for the answer. Use it before anything that needs their "
        "consent, when something only they can know is missing, and when you are stuck. The answer comes back as this "
        "function's output.",
        {
            "question": {"type": "string", "description": "The question, complete and in plain words."},
            "answer": {
                "type": "string",
                "enum": ["text", "confirm"],
                "description": "confirm for a yes or no, text (the default) for words.",
            },
            "choices": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Offer these answers instead; the output is the index of the chosen one, from 0.",
            },
        },
        required=("question",),
    )


def yield_to_user() -> ToolSpec:
    """Lets the model have the operator do a part of the task."""
    return _spec(
        YIELD_TO_USER,
        "Hand over to the human operator, who does a part of the task themselves: signing in, a CAPTCHA, a payment, or "
        "whatever you must not or cannot do. Say what they should do. Their answer comes back as this function's "
        "output; then look at the screen again.",
        {"reason": {"type": "string", "description": "What the operator should do, and why, in plain words."}},
        required=("reason",),
    )


def done() -> ToolSpec:
    """Lets the model end the task."""
    return _spec(
        DONE,
        "End the task: it is done, or it cannot be done. Call it alone, after you have seen on the screen what your "
        "last action did.",
        {
            "text": {"type": "string", "description": "What was done and what was not, honestly, in a few words."},
            "success": {"type": "boolean", "description": "Whether the task is done. Default true."},
        },
        required=("text",),
    )


def read_text(scale: str) -> ToolSpec:
    """Lets the model read text exactly. `scale` describes the unit of the edges ("0-999 of the whole screen")."""
    return _spec(
        READ_TEXT,
        "Read the text of a part of the screen, line by line; it comes back as this function's output. Use it where a "
        "text must be exact, or is longer than what can be seen: with scroll_to_end the part is scrolled down to its "
        "end, and back.",
        {
            **_region_schema(scale),
            "scroll_to_end": {"type": "boolean", "description": "Read on below what can be seen. Default false."},
        },
        required=_EDGES,
    )


def zoom(scale: str, *, decimals: bool = True) -> ToolSpec:
    """Lets the model see a part of the screen enlarged. Coordinates always refer to the whole screen.

    `decimals` is whether the model may give coordinates with decimals.
    """
    finer = "; they may have decimals (412.6) where whole numbers are too coarse" if decimals else ""
    return _spec(
        ZOOM,
        "Look closer at a part of the screen before you act there: where something is small, close to something else, "
        "or its text cannot be read. The answer holds two pictures: first the whole screen as it is now, then the part "
        "you named, enlarged from the screen's own pixels. Nothing on the screen changes. The coordinates of all "
        f"actions refer to the whole screen, after this too, never to the enlarged part{finer}.",
        {
            **_region_schema(scale),
            "intent": {"type": "string", "description": "What you look for, in a few words."},
        },
        required=_EDGES,
    )


def browser_functions() -> tuple[ToolSpec, ...]:
    """Let the model control a managed browser."""
    url = {"type": "string", "description": "The address; https:// is added where it has no scheme."}
    new_tab = {"type": "boolean", "description": "Whether to open it in a new tab. Default false."}
    query = {"type": "string", "description": "What to search for. Empty: the start page of the search."}
    number = {"type": "integer", "description": "The tab's number in the list of tabs, from 1."}
    return (
        _spec("navigate", "Go to an address.", {"url": url, "new_tab": new_tab}, required=("url",)),
        _spec("go_back", "Go back one page in the history of the tab.", {}, required=()),
        _spec("go_forward", "Go forward one page in the history of the tab.", {}, required=()),
        _spec("search", "Search the web.", {"query": query}, required=()),
        _spec("switch_tab", "Show another tab.", {"number": number}, required=("number",)),
        _spec("close_tab", "Close the tab that is shown.", {}, required=()),
        _spec(
            GET_BROWSER_STATE,
            "Get the address of the page, the list of tabs, and the text of the whole page, also what is not in view.",
            {},
            required=(),
        ),
    )


def always_offered(scale: str, *, browser: bool = False) -> tuple[ToolSpec, ...]:
    """The functions that are offered in every dialect.

    Args:
        scale: As in `read_text`.
        browser: Whether the target is a managed browser.
    """
    own = ask_user(), yield_to_user(), done(), read_text(scale)
    return (*own, *browser_functions()) if browser else own


def offered(
    brief: Brief, scale: str, *, further: Sequence[ToolSpec] = (), excluded: Collection[str] = ()
) -> list[ToolSpec]:
    """The console's functions, with further ones, and those of the session, which replace the console's by name.

    `excluded` are names that the console's functions must not have.
    """
    taken = {*excluded, *(tool.name for tool in brief.tools)}
    own = (*always_offered(scale, browser=brief.browser), *further)
    return [*(tool for tool in own if tool.name not in taken), *brief.tools]


def worth_zooming(geometry: FrameGeometry) -> bool:
    """Whether the 0-999 grid or the picture sent is coarser than the native pixels."""
    native = geometry.native
    return geometry.sent != native or max(native.width, native.height) > GRID_UNITS


def read_question(arguments: Arguments) -> AskOperator:
    """The question of an `ask_user` call. Raises ActionError."""
    question = _filled(arguments, "question")
    offered = arguments.values.get("choices")
    choices = tuple(Choice(label=str(item)) for item in offered) if isinstance(offered, list) else ()
    if choices:
        return AskOperator(question=question, answer=QuestionKind.CHOOSE, choices=choices)
    word = arguments.text("answer", "").strip().lower()
    kind = QuestionKind.CONFIRM if word == QuestionKind.CONFIRM else QuestionKind.TEXT
    return AskOperator(question=question, answer=kind)


def read_yield(arguments: Arguments) -> AskOperator:
    """The question of a `yield_to_user` call. Raises ActionError."""
    return AskOperator(question=_filled(arguments, "reason"))


def read_done(arguments: Arguments) -> Finish:
    """The end of a `done` call. Raises ActionError."""
    return Finish(message=arguments.text("text", "").strip(), success=arguments.flag("success", default=True))


def read_reading(arguments: Arguments) -> QuoteText:
    """The action for a `read_text` call. Raises ActionError."""
    scrolls = arguments.flag("scroll_to_end", default=False)
    return QuoteText(region=_region(arguments), variable="text", auto_scroll=scrolls)


def read_zoom(arguments: Arguments) -> Zoom:
    """The region of a `zoom` call. Raises ActionError."""
    return Zoom(region=_region(arguments))


READERS: Mapping[str, Callable[[Arguments], Action]] = {
    ASK_USER: read_question,
    YIELD_TO_USER: read_yield,
    DONE: read_done,
    READ_TEXT: read_reading,
    ZOOM: read_zoom,
}
"""The reader for the arguments of each function, by name."""


def read_navigate(arguments: Arguments, name: str = "url") -> ParsedCall:
    """The address of a `navigate` call, which is in the argument of this name. Raises ActionError."""
    return read_address(arguments, name, new_tab=arguments.flag("new_tab", default=False))


def read_tab(arguments: Arguments, *, most: int = MOST_TABS) -> SwitchTab:
    """The tab of a `switch_tab` call. Raises ActionError."""
    return SwitchTab(number=int(arguments.within("number", 1, most, arguments.number("number"))))


BROWSER_READERS: Mapping[str, Reader] = {
    "navigate": read_navigate,
    "go_back": lambda _: Back(),
    "go_forward": lambda _: Forward(),
    "search": lambda arguments: Search(query=arguments.text("query", "").strip()),
    "switch_tab": read_tab,
    "close_tab": lambda _: CloseTab(),
    GET_BROWSER_STATE: lambda _: ReadPage(),
}
"""The same for the functions that control a managed browser."""


def readers(*, browser: bool) -> Mapping[str, Reader]:
    """The readers of all functions for a target that is a managed browser, or is none."""
    return {**READERS, **BROWSER_READERS} if browser else READERS


def _filled(arguments: Arguments, name: str) -> str:
    """A text that is not empty. Raises ActionError."""
    text = arguments.text(name).strip()
    if not text:
        raise ActionError(notice(NoticeCode.ARGUMENT_EMPTY, argument=name))
    return text


def _region(arguments: Arguments) -> Rect:
    """The region between two points, including both pixels. Raises ActionError."""
    start, end = arguments.point("left", "top"), arguments.point("right", "bottom")
    if end.x < start.x or end.y < start.y:
        raise ActionError(notice(NoticeCode.EDGES_IN_WRONG_ORDER))
    return Rect(start.x, start.y, end.x - start.x + 1, end.y - start.y + 1)


def _region_schema(scale: str) -> dict[str, dict[str, str]]:
    return {
        edge: {"type": "number", "description": f"{edge.capitalize()} edge of the part, {scale}."} for edge in _EDGES
    }


def _spec(name: str, description: str, properties: Mapping[str, object], *, required: tuple[str, ...]) -> ToolSpec:
    schema = {"type": "object", "properties": dict(properties), "required": list(required)}
    return ToolSpec(name=name, description=description, parameters_json=json.dumps(schema))


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What is offered: functions of the session, those of the console, and actions that are withheld."""

    tools: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    @classmethod
    def of(cls, functions: Sequence[ToolSpec], brief: Brief, excluded: Collection[str]) -> Vocabulary:
        """Of these functions, which are `offered` in a session."""
        tools = frozenset(tool.name for tool in brief.tools)
        own = frozenset(tool.name for tool in functions) - tools
        return cls(tools=tools, own=own, excluded=frozenset(excluded))


def in_picture(arguments: Mapping[str, object], geometry: FrameGeometry) -> Arguments:
    """Arguments with points in pixels of the picture that was sent."""
    return Arguments(values=arguments, geometry=geometry, locate=lambda x, y: geometry.from_sent(SentPoint(x, y)))


def parse_function(
    name: str, arguments: Mapping[str, object], geometry: FrameGeometry, vocabulary: Vocabulary
) -> ParsedCall:
    """Translate a call of a function. Raises ActionError, whose text is for the model."""
    if name in vocabulary.tools:
        given = json.dumps(arguments, ensure_ascii=False)
        return ParsedCall(action=CallFunction(name=name, arguments_json=given))
    if name not in vocabulary.own:
        raise unknown_function(name, vocabulary.own | vocabulary.tools)
    return read_with(readers(browser=True)[name], in_picture(arguments, geometry))


def unknown_function(name: str, known: frozenset[str]) -> ActionError:
    """The error for a function or action that does not exist."""
    return ActionError(notice(NoticeCode.NO_SUCH_FUNCTION, name=name[:80], functions=", ".join(sorted(known))))
