"""Reads one call's arguments, leniently in form and strictly in range.

Services send numbers as int, float and numeric text, booleans as text, lists of keys as text. What cannot be read
raises ActionError, whose text goes back to the model. Pure.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, GridPoint, NativePoint
from operator_console.domain.keys import Key, parse_chord, parse_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The arguments of one call.

    Attributes:
        values: as the model gave them.
        geometry: of the frame that they refer to.
        locate: the native pixel that an x and a y of the dialect name. Raises OutOfRange.
    """

    values: Mapping[str, object]
    geometry: FrameGeometry
    locate: Callable[[float, float], NativePoint]

    @classmethod
    def on_grid(cls, values: Mapping[str, object], geometry: FrameGeometry) -> Arguments:
        """Arguments of a dialect that names points on the grid, 0-999 over 1000 of each axis."""
        return cls(values=values, geometry=geometry, locate=lambda x, y: geometry.from_grid(GridPoint(x, y)))

    def has(self, *names: str) -> bool:
        """Whether every one of them was given."""
        return all(self.values.get(name) is not None for name in names)

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number. Raises ActionError where it is missing without a default, or is none."""
        value = self.values.get(name)
        if value is None:
            if default is None:
                raise ActionError(f"Argument {name!r} is missing.")
            return default
        if not isinstance(value, bool) and isinstance(value, int | float | str):
            with contextlib.suppress(ValueError, OverflowError):
                number = float(value)
                if math.isfinite(number):
                    return number
        raise ActionError(f"Argument {name!r} is no number: {str(value)[:40]!r}.")

    def within(self, name: str, low: float, high: float, default: float) -> float:
        """A number between two bounds, both allowed."""
        value = self.number(name, default)
        if not low <= value <= high:
            raise ActionError(f"Argument {name!r} must be between {low:g} and {high:g}, not {value:g}.")
        return value

    def text(self, name: str, default: str | None = None) -> str:
        """A text. Raises ActionError where it is missing without a default."""
        value = self.values.get(name)
        if value is None:
            if default is None:
                raise ActionError(f"Argument {name!r} is missing.")
            return default
        if isinstance(value, bool | list | dict):
            raise ActionError(f"Argument {name!r} is no text: {str(value)[:40]!r}.")
        return str(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """A boolean, also as text."""
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
        raise ActionError(f"Argument {name!r} must be true or false, not {word[:40]!r}.")

    def point(self, x: str = "x", y: str = "y") -> NativePoint:
        """The native pixel that two coordinates name. Raises ActionError (OutOfRange outside the picture)."""
        return self.locate(self.number(x), self.number(y))

    def point_if_given(self) -> NativePoint | None:
        """The point, or None where neither x nor y was given."""
        return self.point() if self.has("x") or self.has("y") else None

    def chord(self, name: str) -> tuple[Key, ...]:
        """Keys from "ctrl+c", from ["ctrl", "c"] or from ["ctrl+c"]; "A" alone is Shift and A.

        Raises:
            UnknownKey, ActionError: a name that is no key, or none at all.
        """
        value = self.values.get(name)
        items = value if isinstance(value, list | tuple) else [self.text(name)]
        keys = keys_meant([str(item) for item in items])
        if not keys:
            raise ActionError(f"Argument {name!r} names no key.")
        return keys

    def key(self, name: str) -> Key:
        """One key, to hold or to release; its case counts for nothing. Raises UnknownKey, ActionError."""
        keys = _keys(self.text(name))
        if len(keys) != 1:
            raise ActionError(f"Argument {name!r} must name one key.")
        return keys[0]


def keys_meant(names: Sequence[str]) -> tuple[Key, ...]:
    """The keys that names in a model's call stand for, pressed together. Raises UnknownKey.

    A single character alone means itself, so a capital letter takes Shift. Beside other keys its case counts for
    nothing: "Ctrl+C" is what people write for Ctrl and c. Characters of a key's upper level ("%") need no Shift here;
    whoever presses them adds it as the keyboard's layout demands.
    """
    if len(names) == 1 and len(names[0]) == 1 and names[0].isascii() and names[0].isupper():
        return (Key("shift"), parse_key(names[0]))
    return tuple(key for name in names for key in _keys(name))


def _keys(name: str) -> tuple[Key, ...]:
    return (parse_key(name),) if len(name) == 1 else parse_chord(name)
