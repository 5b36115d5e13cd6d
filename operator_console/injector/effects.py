"""Carrying out one admitted grant: check the surroundings, then press, move and type through the hands.

Everything that can refuse does so before the first event. Called by the injector's process with each grant that
`admission` let in; what it raises is turned into an Outcome there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Never

from operator_console.desktop.x11.input_ledger import Ledger, Word
from operator_console.desktop.x11.windows import Window
from operator_console.domain.actions import (
    Button,
    Chord,
    Click,
    CursorPosition,
    Drag,
    HoldKeys,
    InputAction,
    KeyDown,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
)
from operator_console.domain.decisions import FocusRule, Grant
from operator_console.domain.errors import RejectedReason
from operator_console.domain.geometry import NativePoint, ScreenPoint
from operator_console.domain.keys import Key
from operator_console.injector.hands import Hands
from operator_console.injector.place import Refused, Surroundings
from operator_console.injector.typing import Progress, Typist, normalised

_BUTTONS = {Button.LEFT: 1, Button.MIDDLE: 2, Button.RIGHT: 3, Button.BACK: 8, Button.FORWARD: 9}
_STEP_PX = 24
_DRAG_STEP_S = 0.004
_DWELL_S = 0.05
_MOST_CLICKS, _MOST_NOTCHES, _MOST_REPEATS, _LONGEST_HOLD_S, _MOST_CHARACTERS = 5, 2000, 200, 120.0, 100_000


class Effects:
    """Acts on one display."""

    def __init__(self, hands: Hands, typist: Typist, surroundings: Surroundings, ledger: Ledger) -> None:
        self._hands = hands
        self._typist = typist
        self._surroundings = surroundings
        self._ledger = ledger

    def perform(self, grant: Grant, progress: Progress) -> str:
        """Do it; returns the outcome's `output`. Raises Refused, Untypable, ForeignModifier, Halted."""
        action = grant.action
        match action:
            case CursorPosition():
                x, y = self._hands.position()
                return f"{x},{y}"
            case Move() | Click() | Press() | Release() | Drag() | Scroll():
                self._point(grant, action, progress)
            case TypeText() | Chord() | KeyDown() | KeyUp() | HoldKeys():
                self._key(grant, action, progress)
            case _:
                raise Refused(RejectedReason.UNSUPPORTED, f"The injector does not do {action.kind!r}.")
        return ""

    # Pointer

    def _point(self, grant: Grant, action: Move | Click | Press | Release | Drag | Scroll, progress: Progress) -> None:
        _within_limits(action)
        places = self._places(grant, action.path if isinstance(action, Drag) else action.at)
        modifiers = () if isinstance(action, Move | Press | Release) else action.modifiers
        codes = self._typist.keycodes(modifiers)
        self._look(grant, places, presses=not isinstance(action, Move | Release))
        if places:
            self._hands.move(places[0].x, places[0].y)
        elif grant.pointer is not None:
            self._hands.move(*grant.pointer)
        with self._held(codes):
            self._pointer_effect(action, places, progress)
        self._hands.sync()

    def _pointer_effect(
        self, action: Move | Click | Press | Release | Drag | Scroll, places: Sequence[ScreenPoint], progress: Progress
    ) -> None:
        match action:
            case Move():
                self._count(progress, 1, 1)
            case Click(button=button, count=count):
                progress.total = count
                for done in range(count):
                    self._click(_BUTTONS[button])
                    self._count(progress, done + 1, count)
            case Press(button=button):
                self._hands.press_button(_BUTTONS[button])
                self._count(progress, 1, 1)
            case Release(button=button):
                self._hands.release_button(_BUTTONS[button])
                self._count(progress, 1, 1)
            case Drag(button=button):
                self._drag(_BUTTONS[button], places, progress)
            case Scroll(dx=dx, dy=dy):
                self._scroll(dx, dy, progress)
            case _:
                _never(action)

    def _click(self, button: int) -> None:
        with ExitStack() as held:
            self._hands.press_button(button)
            held.callback(self._hands.release_button, button)

    def _drag(self, button: int, places: Sequence[ScreenPoint], progress: Progress) -> None:
        steps = list(_steps(places))
        progress.total = len(steps)
        with ExitStack() as held:
            self._hands.press_button(button)
            held.callback(self._hands.release_button, button)
            self._hands.wait(_DWELL_S)
            for done, (x, y) in enumerate(steps):
                self._hands.move(x, y)
                self._hands.wait(_DRAG_STEP_S)
                self._count(progress, done + 1, len(steps))
            # Drop targets look where the pointer rests before they accept.
            self._hands.wait(_DWELL_S)

    def _scroll(self, dx: int, dy: int, progress: Progress) -> None:
        notches = [(False, 1 if dy > 0 else -1)] * abs(dy) + [(True, 1 if dx > 0 else -1)] * abs(dx)
        progress.total = len(notches)
        for done, (horizontal, amount) in enumerate(notches):
            self._hands.notch(horizontal=horizontal, amount=amount)
            self._count(progress, done + 1, len(notches))

    # Keys

    def _key(self, grant: Grant, action: TypeText | Chord | KeyDown | KeyUp | HoldKeys, progress: Progress) -> None:
        _within_limits(action)
        if isinstance(action, TypeText):
            self._text(grant, action, progress)
            return
        keys = action.keys if isinstance(action, Chord | HoldKeys) else (action.key,)
        codes = self._typist.keycodes(keys)
        if not isinstance(action, KeyUp):
            self._look(grant, (), presses=False)
            self._surroundings.check_focus(grant, grant.focus or FocusRule())
        match action:
            case Chord(repeat=repeat):
                progress.total = repeat
                for done in range(repeat):
                    self._typist.press_chord(keys)
                    self._count(progress, done + 1, repeat)
            case KeyDown():
                self._hands.press_key(codes[0])
                self._count(progress, 1, 1)
            case KeyUp():
                self._hands.release_key(codes[0])
                self._count(progress, 1, 1)
            case HoldKeys(duration_s=duration_s):
                progress.total = 1
                with self._held(codes):
                    self._hands.wait(duration_s)
                self._count(progress, 1, 1)
            case _:
                _never(action)
        self._hands.sync()

    def _text(self, grant: Grant, action: TypeText, progress: Progress) -> None:
        text = normalised(action.text)
        places = self._places(grant, action.at)
        progress.total = len(text)
        self._ledger.set(Word.TOTAL, len(text))
        hit = self._look(grant, places, presses=True)
        if places:
            self._hands.move(places[0].x, places[0].y)
            self._click(1)
            self._hands.sync()
            # The click says who is meant; a popup that manages itself never gets the focus.
            rule = FocusRule(window_id=hit.window_id) if hit is not None and not hit.override else FocusRule()
            window_id = self._focus_after_click(grant, rule)
        else:
            window_id = self._surroundings.check_focus(grant, grant.focus or FocusRule())
        if action.clear:
            for chord in self._clearing(window_id):
                self._typist.press_chord(chord)
        self._typist.type_text(text, window_id=window_id, delay_s=grant.typing_delay_s, progress=progress)
        if action.submit:
            self._typist.press_chord((Key("enter"),))

    def _focus_after_click(self, grant: Grant, rule: FocusRule) -> int | None:
        """The click that came first gives the focus; wait until it has, and refuse if it does not."""
        refusal: list[Refused] = []
        found: list[int | None] = []

        def there() -> bool:
            try:
                found.append(self._surroundings.check_focus(grant, rule))
            except Refused as refused:
                refusal[:] = [refused]
                return False
            return True

        if not self._hands.wait_for(there, 1.0):
            raise refusal[0]
        return found[0]

    def _clearing(self, window_id: int | None) -> tuple[tuple[Key, ...], ...]:
        if self._surroundings.is_terminal(window_id):
            return ((Key("ctrl"), Key("u")),)
        return (Key("ctrl"), Key("a")), (Key("delete"),)

    # Both

    def _places(self, grant: Grant, at: NativePoint | tuple[NativePoint, ...] | None) -> tuple[ScreenPoint, ...]:
        points = () if at is None else (at,) if isinstance(at, NativePoint) else at
        return tuple(self._surroundings.resolve(grant, point) for point in points)

    def _look(self, grant: Grant, places: tuple[ScreenPoint, ...], *, presses: bool) -> Window | None:
        """All that can refuse a pointer action; returns the window that a press reaches."""
        hit: Window | None = None
        if presses:
            for place in places[:1] or self._pointer_place(grant):
                hit = self._surroundings.check_point(grant, place)
        self._surroundings.check_screen(grant)
        return hit

    def _pointer_place(self, grant: Grant) -> tuple[ScreenPoint, ...]:
        if isinstance(grant.action, TypeText):
            return ()
        return (ScreenPoint(*(grant.pointer or self._hands.position())),)

    @contextmanager
    def _held(self, codes: Sequence[int]) -> Iterator[None]:
        with ExitStack() as held:
            for code in codes:
                self._hands.press_key(code)
                held.callback(self._hands.release_key, code)
            yield

    def _count(self, progress: Progress, delivered: int, total: int) -> None:
        progress.delivered, progress.total = delivered, total
        self._ledger.set(Word.DELIVERED, delivered)
        self._ledger.set(Word.TOTAL, total)


def _steps(places: Sequence[ScreenPoint]) -> Iterator[tuple[int, int]]:
    """Points on the way, at most `_STEP_PX` apart, each corner of the path and the end exactly."""
    for start, end in itertools.pairwise(places):
        pieces = max(2, math.ceil(math.hypot(end.x - start.x, end.y - start.y) / _STEP_PX))
        for i in range(1, pieces):
            yield (
                start.x + round((end.x - start.x) * i / pieces),
                start.y + round((end.y - start.y) * i / pieces),
            )
        yield end.x, end.y


def _within_limits(action: InputAction) -> None:
    """Numbers that no honest call has."""
    match action:
        case Click(count=count):
            bad = not 1 <= count <= _MOST_CLICKS
        case Scroll(dx=dx, dy=dy):
            bad = abs(dx) + abs(dy) > _MOST_NOTCHES
        case Chord(keys=keys, repeat=repeat):
            bad = not keys or not 1 <= repeat <= _MOST_REPEATS
        case HoldKeys(keys=keys, duration_s=duration_s):
            bad = not keys or not 0 <= duration_s <= _LONGEST_HOLD_S
        case Drag(path=path):
            bad = len(path) < 2
        case TypeText(text=text):
            bad = len(text) > _MOST_CHARACTERS
        case _:
            bad = False
    if bad:
        raise Refused(RejectedReason.UNSUPPORTED, f"The numbers of this {action.kind} are out of range.")


def _never(action: Never) -> Never:
    raise AssertionError(action)
