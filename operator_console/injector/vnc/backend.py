"""Carries out grants on a machine over VNC: pointer, keys and text."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from functools import partial

from operator_console.desktop.keyboard_layouts import keyboard_layout, why_no_layout
from operator_console.desktop.ledger import Ledger
from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
)
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import VncTarget
from operator_console.domain.geometry import NativePoint, Rect, along
from operator_console.domain.grants import Grant, ScreenCheck
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Refused, Untypable
from operator_console.injector.action_limits import (
    BETWEEN_CLICKS_S,
    NOTCHES_APART_S,
    PRESS_ARRIVES_S,
    check_limits,
    place_of,
)
from operator_console.injector.input_gate import InputGate
from operator_console.injector.keyboard.clear_field import clearing_chords
from operator_console.injector.keyboard.text_runs import normalised
from operator_console.injector.progress import Method, Progress
from operator_console.injector.vnc.machine_input import MachineInput
from operator_console.rfb.machine_keys import MachineKey, character_keys, named_key
from operator_console.rfb.server_login import Login

PointerAction = Move | Click | Press | Release | Drag | Scroll
KeyAction = Chord | KeyDown | KeyUp | HoldKeys

_steps = partial(along, longest=12, least=16)
_DRAG_STEP_S = 0.004
_PAUSE_S = 0.08
"""After the press of a drag and before its end: applications begin a drag, and accept a drop, a moment later."""


class MachineBackend:
    """Acts on one machine.

    Args:
        ledger: shared with the guard.
        gate: asked before each event.
        login: how to log in.
    """

    def __init__(self, ledger: Ledger, gate: InputGate, login: Login) -> None:
        self._gate = gate
        self._input = MachineInput(login, ledger, gate)
        self._pressed_s = -math.inf

    def perform(self, grant: Grant, progress: Progress) -> None:
        """Carry out an admitted grant. Raises ActionError."""
        self._gate.begin(grant.epoch)
        self._gate.check()
        action = grant.action
        check_limits(action)
        self._input.connect()
        match action:
            case Move() | Click() | Press() | Release() | Drag() | Scroll():
                self._point(grant, action, progress)
            case TypeText():
                self._type(grant, action, progress)
            case Chord() | KeyDown() | KeyUp() | HoldKeys():
                self._key(grant, action, progress)
            case _:
                raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ACTION_UNSUPPORTED, kind=action.kind))

    def pointer(self) -> tuple[int, int]:
        """The pointer's position, input units."""
        return self._input.at or (0, 0)

    def look_at_held(self) -> None:
        """Does nothing: which window of the machine has the focus is not known."""

    def release_all(self) -> int:
        """Release every key and button that is held. Returns their number."""
        return self._input.release_all()

    def close(self) -> None:
        """Release what is held, and disconnect."""
        self._input.close()

    def _check(self, grant: Grant, points: Sequence[NativePoint]) -> None:
        """Raises Refused unless the machine's screen has the size, and looks, as in the picture."""
        for point in points:
            place_of(grant, point)
        checks = grant.checks
        if points and not checks:
            checks = (ScreenCheck(region=Rect(points[0].x, points[0].y, 1, 1), pixels=b""),)  # its size alone
        for check in checks:
            region, seen = check.region, check.pixels
            now, size = self._input.part(region)
            if size != grant.geometry.native:
                raise Refused(RejectedReason.STALE, notice(NoticeCode.MACHINE_SIZE_CHANGED))
            if seen and (now := check.as_seen(now)) != seen:
                from operator_console.desktop.screen_similarity import similar  # loads numpy

                if not similar(seen, now, region.size):
                    raise Refused(RejectedReason.STALE, notice(NoticeCode.SCREEN_CHANGED_UNDER_TARGET))

    # Pointer

    def _point(self, grant: Grant, action: PointerAction, progress: Progress) -> None:
        points = _points(action)
        modifiers = () if isinstance(action, Move | Press | Release) else action.modifiers
        keys = _keys(grant, modifiers)
        self._check_pointer(grant, action, points)
        with self._input.holding(keys):
            if points:
                self._move(points[0])
            match action:
                case Move():
                    progress.count(1, 1)
                case Click(button=button, count=count):
                    self._click(button, count, progress, grant.press_time_s)
                case Press(button=button):
                    self._pressed_s = time.monotonic()
                    self._input.press(button)
                    progress.count(1, 1)
                case Release(button=button):
                    self._input.release(button)
                    progress.count(1, 1)
                case Drag(button=button):
                    self._drag(button, points, progress)
                case Scroll(dx=dx, dy=dy):
                    self._scroll(dx, dy, progress)
        self._input.confirm()

    def _check_pointer(self, grant: Grant, action: Action, points: Sequence[NativePoint]) -> None:
        if self._input.pointer_is_relative:
            why = joined(notice(NoticeCode.VNC_POINTER_RELATIVE), notice(NoticeCode.ADD_TABLET))
            raise Refused(RejectedReason.UNSUPPORTED, why)
        if not points and self._input.at is None and grant.pointer is None:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.POINTER_PLACE_NOT_KNOWN))
        if not isinstance(action, Release) or points:
            self._check(grant, points)
        if not points and self._input.at is None and grant.pointer is not None:
            self._input.move(*grant.pointer)

    def _move(self, to: NativePoint) -> None:
        """Move there; with a button held, in steps, as a drag needs them."""
        self._wait_for_press()
        at = self._input.at
        if not self._input.holds_buttons or at is None:
            self._input.move(to.x, to.y)
            return
        for step in _steps((NativePoint(*at), to)):
            self._input.move(step.x, step.y)
            self._gate.wait(_DRAG_STEP_S)

    def _wait_for_press(self) -> None:
        self._gate.wait(self._pressed_s + PRESS_ARRIVES_S - time.monotonic())

    def _click(self, button: Button, count: int, progress: Progress, held_s: float = 0.0) -> None:
        progress.total = count
        for number in range(1, count + 1):
            if number > 1:
                self._gate.wait(BETWEEN_CLICKS_S)
            self._pressed_s = time.monotonic()
            try:
                self._input.press(button)
                self._gate.wait(held_s)
            finally:
                self._input.release(button)
            progress.count(number, count)

    def _drag(self, button: Button, points: Sequence[NativePoint], progress: Progress) -> None:
        steps = list(_steps(points))
        progress.total = len(steps)
        try:
            self._input.press(button)
            self._gate.wait(_PAUSE_S)
            for done, step in enumerate(steps, start=1):
                self._input.move(step.x, step.y)
                self._gate.wait(_DRAG_STEP_S)
                progress.count(done, len(steps))
            self._input.confirm()
            self._gate.wait(_PAUSE_S)
        finally:
            self._input.release(button)

    def _scroll(self, dx: int, dy: int, progress: Progress) -> None:
        notches = [5 if dy > 0 else 4] * abs(dy) + [7 if dx > 0 else 6] * abs(dx)
        progress.total = len(notches)
        for done, number in enumerate(notches, start=1):
            if done > 1:
                self._gate.wait(NOTCHES_APART_S)
            self._input.wheel(number)
            progress.count(done, len(notches))
            self._input.confirm()

    # Keys

    def _key(self, grant: Grant, action: KeyAction, progress: Progress) -> None:
        keys = _keys(grant, action.keys if isinstance(action, Chord | HoldKeys) else (action.key,))
        if not isinstance(action, KeyUp):
            self._check(grant, ())
            self._wait_for_press()
        match action:
            case Chord(repeat=repeat):
                progress.total = repeat
                for done in range(1, repeat + 1):
                    self._chord(grant, keys, grant.press_time_s)
                    progress.count(done, repeat)
            case KeyDown():
                self._input.press_key(keys[0])
                progress.count(1, 1)
            case KeyUp():
                self._input.release_key(keys[0])
                progress.count(1, 1)
            case HoldKeys(duration_s=duration_s):
                with self._input.holding(keys):
                    self._gate.wait(duration_s)
                progress.count(1, 1)
        self._input.confirm()

    def _chord(self, grant: Grant, keys: Sequence[MachineKey], held_s: float = 0.0) -> None:
        """Keys at once, and those that must be held for them, which is confirmed before anything else is sent."""
        names = [name for key in keys for name in key.holding] if self._input.takes_positions else ()
        shift = self._input.shift_held or any(key.shift for key in keys)
        needed = _keys(grant, (name for name in dict.fromkeys(names) if not (name == "shift" and shift)))
        with self._input.holding((*(each for each in needed if each not in keys), *keys)):
            self._gate.wait(held_s)
        self._input.confirm()

    def _type(self, grant: Grant, action: TypeText, progress: Progress) -> None:
        text = normalised(action.text)
        progress.count(0, len(text))
        keys = self._keys_for(grant, text)
        points = () if action.at is None else (action.at,)
        if points:
            self._check_pointer(grant, action, points)
            self._move(points[0])
            self._click(Button.LEFT, 1, Progress(ledger=progress.ledger))
            self._input.confirm()
            self._wait_for_press()
            progress.count(0, len(text))
        else:
            self._check(grant, ())
            self._wait_for_press()
        if action.clear:
            for chord in clearing_chords(terminal=grant.terminal, has_a=True):
                self._chord(grant, _keys(grant, chord))
        if keys is None:
            self._paste(grant, text, progress)
        else:
            for character in keys:
                for key in character:
                    self._chord(grant, (key,))
                progress.typed(Method.MAPPED)
                if grant.typing_delay_s:
                    self._gate.wait(grant.typing_delay_s)
        if action.submit:
            self._chord(grant, _keys(grant, (Key("enter"),)))

    def _keys_for(self, grant: Grant, text: str) -> list[tuple[MachineKey, ...]] | None:
        """The keys of each character; None: the text is pasted. Raises Untypable: the machine cannot be given it."""
        layout, positions = _layout(grant), self._input.takes_positions
        keys = {each: character_keys(each, layout, positions=positions) for each in dict.fromkeys(text)}
        missing = [each for each, found in keys.items() if not found]
        if missing and grant.paste and not grant.terminal and self._input.has_clipboard:
            return None
        if missing and keyboard_layout(layout) is None:
            raise Untypable(why_no_layout(layout))
        if missing:
            named = notice(
                NoticeCode.CHARACTERS_WITHOUT_MACHINE_KEY, layout=layout, characters=" ".join(map(_name, missing))
            )
            raise Untypable(joined(named, notice(NoticeCode.NAME_LAYOUT_OR_PASTE)))
        return [keys[each] for each in text]

    def _paste(self, grant: Grant, text: str, progress: Progress) -> None:
        self._input.offer_text(text)
        self._input.confirm()
        self._chord(grant, _keys(grant, (Key("ctrl"), Key("v"))))
        self._input.wait_until_fetched()
        progress.typed(Method.PASTED, len(text))


def _layout(grant: Grant) -> str:
    assert isinstance(grant.target, VncTarget)
    return grant.target.layout


def _keys(grant: Grant, keys: Iterable[Key]) -> tuple[MachineKey, ...]:
    """The keys, in order. Raises Refused for one that the machine cannot be sent."""
    found = []
    for key in keys:
        known = named_key(key, _layout(grant))
        if known is None:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.KEY_NOT_FOR_MACHINE, key=key))
        found.append(known)
    return tuple(found)


def _name(character: str) -> str:
    return f"{character} (U+{ord(character):04X})"


def _points(action: PointerAction) -> tuple[NativePoint, ...]:
    if isinstance(action, Drag):
        return action.path
    return () if action.at is None else (action.at,)
