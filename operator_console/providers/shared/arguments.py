"""Reads the arguments of a call, and makes a `Call` of them: any usual form of a value is accepted, but nothing out of
range.

Models send numbers as int, float or text, booleans as text, and lists of keys as text. Invalid arguments raise
ActionError, whose text is the answer to the model.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.actions import Action, Navigate
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, GridPoint, NativePoint, Rect
from operator_console.domain.keys import MODIFIERS, Key, parse_chord, parse_key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, SafetySignal

INTENT_LENGTH = 200
"""How much of what a model says is kept as the intent of a call."""
_QUOTED_CHARACTERS = 40
"""How much of an invalid value an answer quotes."""
_NAMES_KEYS = re.compile(r"(?:hot|modifier|mod)?_?keys?_?\d*|modifiers?", re.IGNORECASE)
_MODIFIER_FLAG = re.compile(r"(ctrl|control|shift|alt|meta|super|cmd|command|win)(?:_?key)?", re.IGNORECASE)
_SINGLE_PRESS = {
    **dict.fromkeys(("repeat", "repeats", "repetitions", "presses", "times", "count"), ("1",)),
    **dict.fromkeys(("hold", "duration", "duration_s", "hold_time", "hold_duration"), ("false", "0", "0.0")),
}
"""Arguments that make more of keys than one press of them, with the values that do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The arguments of one call.

    Attributes:
        values: As the model gave them.
        geometry: Of the frame that they refer to.
        locate: Converts the model's x and y to native pixels. Raises OutOfRange.
    """

    values: Mapping[str, object]
    geometry: FrameGeometry
    locate: Callable[[float, float], NativePoint]

    @classmethod
    def on_grid(cls, values: Mapping[str, object], geometry: FrameGeometry) -> Arguments:
        """Arguments with points on the model grid: 0-999, in thousandths of each axis."""
        return cls(values=values, geometry=geometry, locate=lambda x, y: geometry.from_grid(GridPoint(x, y)))

    def has(self, *names: str) -> bool:
        """Whether all these arguments are given."""
        return all(self.values.get(name) is not None for name in names)

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number. Raises ActionError if it is invalid, or missing without a default."""
        value = self.values.get(name)
        if value is None:
            if default is None:
                raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument=name))
            return default
        if not isinstance(value, bool) and isinstance(value, int | float | str):
            with contextlib.suppress(ValueError, OverflowError):
                number = float(value)
                if math.isfinite(number):
                    return number
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_NUMBER, argument=name, value=_shortened(value)))

    def within(self, name: str, low: float, high: float, default: float) -> float:
        """A number from `low` to `high`, both included. Raises ActionError."""
        value = self.number(name, default)
        if not low <= value <= high:
            raise ActionError(notice(NoticeCode.ARGUMENT_OUT_OF_RANGE, argument=name, low=low, high=high, value=value))
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """A text. Raises ActionError if it is invalid, or missing without a default."""
        value = self.values.get(name)
        if value is None:
            if default is None:
                raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument=name))
            return default
        if isinstance(value, bool | list | dict):
            raise ActionError(notice(NoticeCode.ARGUMENT_NOT_TEXT, argument=name, value=_shortened(value)))
        return str(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """A boolean, which may be given as text. Raises ActionError."""
        value = self.values.get(name)
        if value is None:
            return default
        if isinstance(value, bool):
            return value
        word = str(value).strip().lower()
        if word in {"true", "1", "yes"}:
            return True
        if word in {"false", "0", "no"}:
            return False
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_BOOLEAN, argument=name, value=_shortened(word)))

    def point(self, x: str = "x", y: str = "y") -> NativePoint:
        """The native pixel at two coordinates. Raises ActionError; OutOfRange outside the picture."""
        return self.locate(self.number(x), self.number(y))

    def at(self, x: float, y: float) -> NativePoint:
        """The native pixel at coordinates of a model that may also give fractions of the screen, as models do that run
        anywhere. Raises ActionError for those; OutOfRange outside the picture."""
        place = self.locate(x, y)
        if 0 <= x <= 1 and 0 <= y <= 1 and not (float(x).is_integer() and float(y).is_integer()):
            corner = self.geometry.to_grid(place)
            if not (_is_rounded(corner.x, x) and _is_rounded(corner.y, y)):
                raise ActionError(notice(NoticeCode.POINT_IN_FRACTIONS, x=x, y=y))
        return place

    def point_if_given(self) -> NativePoint | None:
        """The point, or None if neither x nor y is given. Raises ActionError."""
        return self.point() if self.has("x") or self.has("y") else None

    def chord(self, *names: str, reads: Collection[str] = ()) -> tuple[Key, ...]:
        """The keys that a call presses together: of these arguments and of all others whose names say that they name
        keys (`key2`, `modifiers`, `ctrl=true`).

        Args:
            names: At least one. Each may be "ctrl+c", ["ctrl", "c"], also as JSON text, or ["ctrl+c"]; "A" alone is
                Shift and A.
            reads: What else of the call is read. Without it an argument such as `presses` is an error.

        Raises:
            UnknownKey, ActionError: A name is not that of a key, there is none, or the call says more than is read.
        """
        self._check_single_press(reads)
        given = self._naming_keys(names) or names[:1]
        keys = pressed_keys([item for name in given for item in self._texts(name)])
        if not keys:
            raise ActionError(notice(NoticeCode.ARGUMENT_WITHOUT_KEY, argument=given[0]))
        return _in_order(keys) if len(given) > 1 else keys

    def held(self, *names: str) -> tuple[Key, ...]:
        """The keys that a call of the pointer holds: as `chord`, but there may be none. Raises UnknownKey."""
        given = [name for name in self._naming_keys(names) if str(self.values[name]).strip()]
        return _in_order(pressed_keys([item for name in given for item in self._texts(name)]))

    def key(self, *names: str) -> Key:
        """One key to press or release, ignoring case. Raises UnknownKey, ActionError."""
        self._check_single_press(())
        given = self._naming_keys(names) or names[:1]
        keys = tuple(key for name in given for text in self._texts(name) for key in _keys(text))
        if len(keys) != 1:
            raise ActionError(notice(NoticeCode.ARGUMENT_NOT_ONE_KEY, argument=given[-1]))
        return keys[0]

    def _naming_keys(self, names: Collection[str]) -> tuple[str, ...]:
        """The arguments that are given and name keys, as the model orders them."""
        return tuple(
            name
            for name, value in self.values.items()
            if (value not in (None, "", [], ()) and (name in names or _NAMES_KEYS.fullmatch(name)))
            or (value is True and _MODIFIER_FLAG.fullmatch(name))
        )

    def _texts(self, name: str) -> list[str]:
        value = self.values.get(name)
        if value is True and (flag := _MODIFIER_FLAG.fullmatch(name)):
            return [flag[1]]
        if isinstance(value, str) and value.lstrip().startswith("[") and len(value.strip()) > 1:
            with contextlib.suppress(ValueError, RecursionError):
                value = json.loads(value)
        return list(map(str, value)) if isinstance(value, list | tuple) else [self.text(name)]

    def _check_single_press(self, reads: Collection[str]) -> None:
        for name, value in self.values.items():
            usual = _SINGLE_PRESS.get(name.lower())
            if usual is not None and name not in reads and value is not None and str(value).lower() not in usual:
                raise ActionError(notice(NoticeCode.ARGUMENT_NOT_FOR_KEYS, argument=name))


def pressed_keys(names: Sequence[str]) -> tuple[Key, ...]:
    """The keys to press together for the names in a model's call.

    A single character alone means that character, so a capital letter includes Shift. With other keys its case is
    ignored: "Ctrl+C" is usually written for Ctrl and c. Shift is not added for characters such as "%", because it
    depends on the keyboard layout.

    Raises:
        UnknownKey: A name is not that of a key.
    """
    if len(names) == 1 and len(names[0]) == 1 and names[0].isascii() and names[0].isupper():
        return (Key("shift"), parse_key(names[0]))
    return tuple(key for name in names for key in _keys(name))


def _in_order(keys: Sequence[Key]) -> tuple[Key, ...]:
    """Each key once, modifiers first."""
    return tuple(dict.fromkeys(sorted(keys, key=lambda key: key not in MODIFIERS)))


def _shortened(value: object) -> str:
    return str(value)[:_QUOTED_CHARACTERS]


def _keys(name: str) -> tuple[Key, ...]:
    return (parse_key(name),) if len(name) == 1 else parse_chord(name)


MAX_WHEEL_CLICKS = 100
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCall:
    """An action.

    Attributes:
        action: what the call stands for.
        note: tells the operator what was assumed if the call left something open.
        box: the box that the model gave, in native pixels.
    """

    action: Action
    note: str = ""
    box: Rect | None = None


Reader: TypeAlias = Callable[[Arguments], Action | ParsedCall]
"""Reads the arguments of one function. Raises ActionError."""


def read_with(reader: Reader, arguments: Arguments) -> ParsedCall:
    """What the reader makes of the arguments. Raises ActionError."""
    made = reader(arguments)
    return made if isinstance(made, ParsedCall) else ParsedCall(action=made)


def read_direction(arguments: Arguments, name: str) -> tuple[int, int]:
    """The signs of dx and dy for "up", "down", "left" or "right". Raises ActionError."""
    word = arguments.text(name).strip().lower()
    if word not in _DIRECTIONS:
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_DIRECTION, argument=name, value=word[:40]))
    return _DIRECTIONS[word]


def read_address(arguments: Arguments, name: str, *, new_tab: bool = False) -> ParsedCall:
    """Going to the address of an argument; https:// is added where it has no scheme. Raises ActionError."""
    url = arguments.text(name).strip()
    if not url:
        raise ActionError(notice(NoticeCode.ARGUMENT_EMPTY, argument=name))
    return going_to(url, new_tab=new_tab)


def going_to(url: str, *, new_tab: bool = False) -> ParsedCall:
    """Going to an address; https:// is added where it has no scheme."""
    if "://" in url or url.startswith(("about:", "data:", "mailto:")):
        return ParsedCall(action=Navigate(url=url, new_tab=new_tab))
    return ParsedCall(action=Navigate(url=f"https://{url}", new_tab=new_tab), note=notice(NoticeCode.HTTPS_ADDED))


def make_call(
    parse: Callable[[], ParsedCall],
    *,
    index: int,
    call_id: str,
    name: str,
    arguments: object,
    intent: str = "",
    safety: SafetySignal | None = None,
) -> Call:
    """The call with the action that `parse` returns, or with the text of the ActionError that it raises.

    `arguments` are the model's, unchanged; any JSON value, None where it gave none.
    """
    parsed: ParsedCall | None = None
    error = ""
    try:
        parsed = parse()
    except ActionError as problem:
        error = problem.text
    return Call(
        index=index,
        call_id=call_id,
        name=name,
        arguments_json=json.dumps(arguments if arguments is not None else {}, ensure_ascii=False),
        action=parsed.action if parsed is not None else None,
        error=error,
        intent=intent,
        safety=safety,
        box=parsed.box if parsed is not None else None,
        note=parsed.note if parsed is not None else "",
    )


def _is_rounded(exact: float, given: float) -> bool:
    """Whether a coordinate is the exact one, with one, two or three decimals."""
    return any(given == round(exact, decimals) for decimals in (1, 2, 3)) or math.isclose(given, exact)


def given_arguments(value: object) -> Mapping[str, object]:
    """The arguments if they are an object, also as JSON text, else none."""
    value = decoded_arguments(value)
    return value if isinstance(value, dict) else {}


def decoded_arguments(value: object) -> object:
    """Arguments that may be JSON text, which some gateways encode once more; as given if that cannot be kept."""
    made = value
    for _ in range(2):
        if isinstance(made, str):
            try:
                made = json.loads(made or "{}")
            except (ValueError, RecursionError):
                return value
    return made if can_be_kept(made) else value


def can_be_kept(arguments: object) -> bool:
    """Whether arguments that were read from a model's text can be written as JSON in UTF-8."""
    try:
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):  # a lone surrogate, NaN, a number of thousands of digits, or too deep
        return False
    return True
