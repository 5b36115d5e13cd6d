"""Translates Gemini's function calls to domain actions.

There are two sets of functions, 13 older and 20 newer ones. Both are accepted from every model, because the samples of
the documentation mix them. Unknown functions and invalid arguments raise ActionError, whose text is the answer to the
model. Sources: the computer-use pages of the Gemini API documentation, and calls seen in practice that differ from them
(drags with destination_x, scrolling in wheel clicks, hotkeys as text).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial

from operator_console.domain import scrolling
from operator_console.domain.actions import (
    Action,
    Back,
    Button,
    CallFunction,
    Chord,
    Click,
    Drag,
    Forward,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    OpenBrowser,
    Press,
    Release,
    Screenshot,
    Scroll,
    Search,
    TypeText,
    Wait,
)
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import listed, notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.arguments import (
    MAX_WHEEL_CLICKS,
    Arguments,
    ParsedCall,
    Reader,
    read_address,
    read_direction,
    read_with,
)

# Not arguments of the action itself.
META_ARGUMENTS = frozenset({"intent", "safety_decision", "safety_response"})
MAX_WAIT_S = 60.0
MAX_MAGNITUDE = 10_000
_HEIGHT_SHARE = 0.875
"""Of the viewport's height, what a browser scrolls by for Page Down."""


def parse_call(
    name: str,
    arguments: Mapping[str, object],
    geometry: FrameGeometry,
    *,
    tools: frozenset[str] = frozenset(),
    excluded: frozenset[str] = frozenset(),
    browser: bool = False,
) -> ParsedCall:
    """Translate a call to an action with points in native pixels.

    Args:
        name: Name of the function.
        arguments: As the model gave them.
        geometry: Of the frame that the model saw.
        tools: Further functions that the session offers; they take precedence.
        excluded: Functions that are not offered.
        browser: Whether the target is a managed browser.

    Raises:
        ActionError: The call cannot be translated; the text is for the model.
    """
    plain = {key: value for key, value in arguments.items() if key not in META_ARGUMENTS}
    if name in tools:
        return ParsedCall(action=CallFunction(name=name, arguments_json=json.dumps(plain, ensure_ascii=False)))
    if name in excluded:
        raise ActionError(notice(NoticeCode.FUNCTION_NOT_OFFERED, name=name))
    readers = _BROWSER_READERS if browser else _READERS
    reader = readers.get(name)
    if reader is None:
        known = ", ".join(sorted(set(readers) - excluded | tools))
        raise ActionError(notice(NoticeCode.NO_SUCH_FUNCTION, name=name[:80], functions=known))
    return read_with(reader, Arguments.on_grid(plain, geometry))


def _click(arguments: Arguments, *, button: Button = Button.LEFT, count: int = 1) -> Action:
    return Click(at=arguments.point(), button=button, count=count, modifiers=arguments.held())


def _move(arguments: Arguments) -> Action:
    return Move(at=arguments.point())


def _type(arguments: Arguments) -> ParsedCall:
    """Type at the focus without clearing, unless the optional arguments are given."""
    at = arguments.point_if_given()
    action = TypeText(
        text=arguments.text("text"),
        at=at,
        clear=arguments.flag("clear_before_typing", default=False),
        submit=arguments.flag("press_enter", default=False),
    )
    return ParsedCall(action=action, note=notice(NoticeCode.CLICKS_POINT_FIRST) if at is not None else "")


def _type_at(arguments: Arguments) -> ParsedCall:
    action = TypeText(
        text=arguments.text("text"),
        at=arguments.point(),
        clear=arguments.flag("clear_before_typing", default=True),
        submit=arguments.flag("press_enter", default=True),
    )
    effects = {"press_enter": NoticeCode.PRESSES_ENTER, "clear_before_typing": NoticeCode.CLEARS_FIELD}
    assumed = listed([notice(code) for name, code in effects.items() if not arguments.has(name)])
    return ParsedCall(action=action, note=notice(NoticeCode.BY_DEFAULT, effects=assumed) if assumed else "")


def _chord(arguments: Arguments, *, name: str) -> Action:
    return Chord(keys=arguments.chord(name))


def _drag(arguments: Arguments) -> Action:
    start = ("start_x", "start_y") if arguments.has("start_x") else ("x", "y")
    end = ("end_x", "end_y") if arguments.has("end_x") else ("destination_x", "destination_y")
    return Drag(path=(arguments.point(*start), arguments.point(*end)), modifiers=arguments.held())


def _scroll(arguments: Arguments, *, default_magnitude: float) -> Action:
    """Scroll by wheel clicks if they are given, or by a distance in grid units."""
    dx, dy = read_direction(arguments, "direction")
    if arguments.has("magnitude_in_wheel_clicks"):
        notches = scrolling.from_clicks(arguments.within("magnitude_in_wheel_clicks", 1, MAX_WHEEL_CLICKS, 1))
    else:
        name = "magnitude_in_pixels" if arguments.has("magnitude_in_pixels") else "magnitude"
        distance = arguments.within(name, 1, MAX_MAGNITUDE, default_magnitude)
        native = arguments.geometry.native
        notches = scrolling.from_grid(distance, native.width if dx else native.height)
    return Scroll(at=arguments.point_if_given(), dx=dx * notches, dy=dy * notches, modifiers=arguments.held())


def _scroll_document(arguments: Arguments) -> ParsedCall:
    """Scroll a page with its key, or sideways by half the width, as the reference implementation does."""
    _, dy = read_direction(arguments, "direction")
    if dy:
        page = Chord(keys=(Key("page_down" if dy > 0 else "page_up"),))
        return ParsedCall(action=page, note=notice(NoticeCode.WITH_PAGE_KEYS))
    return _scroll_page(arguments)


def _scroll_page(arguments: Arguments) -> ParsedCall:
    """Scroll the document of a managed browser with the wheel, in the middle of the viewport."""
    dx, dy = read_direction(arguments, "direction")
    native = arguments.geometry.native
    notches = scrolling.from_pages(_HEIGHT_SHARE, native.height) if dy else scrolling.from_pages(0.5, native.width)
    note = notice(NoticeCode.MOST_OF_PAGE_AT_CENTRE if dy else NoticeCode.HALF_WIDTH_AT_CENTRE)
    centre = NativePoint(native.width // 2, native.height // 2)
    return ParsedCall(action=Scroll(at=centre, dx=dx * notches, dy=dy * notches), note=note)


_READERS: dict[str, Reader] = {
    "click": _click,
    "click_at": _click,
    "double_click": partial(_click, count=2),
    "triple_click": partial(_click, count=3),
    "middle_click": partial(_click, button=Button.MIDDLE),
    "right_click": partial(_click, button=Button.RIGHT),
    "mouse_down": lambda arguments: Press(at=arguments.point_if_given()),
    "mouse_up": lambda arguments: Release(at=arguments.point_if_given()),
    "move": _move,
    "hover_at": _move,
    "type": _type,
    "type_text_at": _type_at,
    "press_key": partial(_chord, name="key"),
    "hotkey": partial(_chord, name="keys"),
    "key_combination": partial(_chord, name="keys"),
    "key_down": lambda arguments: KeyDown(key=arguments.key("key")),
    "key_up": lambda arguments: KeyUp(key=arguments.key("key")),
    "drag_and_drop": _drag,
    "scroll": partial(_scroll, default_magnitude=300),
    "scroll_at": partial(_scroll, default_magnitude=800),
    "scroll_document": _scroll_document,
    "wait": lambda arguments: Wait(duration_s=arguments.within("seconds", 0, MAX_WAIT_S, 1)),
    "wait_5_seconds": lambda _: Wait(duration_s=5.0),
    "take_screenshot": lambda _: Screenshot(),
    "open_web_browser": lambda _: OpenBrowser(),
    "go_back": lambda _: Back(),
    "go_forward": lambda _: Forward(),
    "search": lambda _: Search(),
    "navigate": partial(read_address, name="url"),
    "open_app": lambda arguments: Launch(app=arguments.text("app_name")),
    **own_tools.READERS,
}
_BROWSER_READERS: dict[str, Reader] = {**_READERS, "scroll_document": _scroll_page, **own_tools.BROWSER_READERS}
del _BROWSER_READERS["open_app"]  # no program is started there
PREDEFINED = frozenset(_READERS) - frozenset(own_tools.READERS)
"""Names of the predefined functions of both sets."""
