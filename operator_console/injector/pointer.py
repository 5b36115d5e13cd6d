"""Pointer actions: move, click, press, release, drag, scroll, and the click before typing into a field.

The target is checked before the first event of each action.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Never

from operator_console.desktop.values import Window
from operator_console.domain.actions import Button, Click, Drag, Move, Press, Release, Scroll
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import VmTarget
from operator_console.domain.geometry import NativePoint, ScreenPoint
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Refused
from operator_console.injector.action_limits import NOTCHES_APART_S, PRESS_ARRIVES_S
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.machine_typist import machine_typist
from operator_console.injector.progress import Progress
from operator_console.injector.target_check import TargetCheck

if TYPE_CHECKING:
    from operator_console.injector.keyboard.typist import Typist

PointerAction = Move | Click | Press | Release | Drag | Scroll

_BUTTONS = {Button.LEFT: 1, Button.MIDDLE: 2, Button.RIGHT: 3, Button.BACK: 8, Button.FORWARD: 9}
# Many small steps: a busy browser drops some motion events, and a drawn line must still be straight.
_STEP_PX = 12
_MIN_STEPS = 16
_DRAG_STEP_S = 0.004
_PAUSE_S = 0.08
_DROP_PAUSE_S = 0.3
# Event times are in milliseconds, and Chromium takes two presses with the same time for one.
_BETWEEN_CLICKS_S = 0.02


class PointerActions:
    """Performs pointer actions on one display."""

    def __init__(self, sender: InputSender, typist: Typist, target_check: TargetCheck) -> None:
        self._sender = sender
        self._typist = typist
        self._target_check = target_check
        self._presses_unconfirmed = False
        self._in_machine = False
        self._pressed_s = -math.inf
        self._press_time_s = 0.0

    def perform(self, grant: Grant, action: PointerAction, progress: Progress) -> None:
        """Perform the action. Raises Refused, Untypable, ForeignKey, Halted."""
        self._begin(grant)
        places = self.places(grant, action.path if isinstance(action, Drag) else action.at)
        modifiers = () if isinstance(action, Move | Press | Release) else action.modifiers
        codes = (machine_typist(grant, self._sender, self._typist) or self._typist).keycodes(modifiers)
        start = (places[0].x, places[0].y) if places else grant.pointer or self._sender.position()
        if not isinstance(action, Move | Release):
            self._typist.wait_for_foreign_keys()
        over = self._check_target(grant, action, places, start)
        if places or grant.pointer is not None:
            self._move_on(*start)
        with self.held(codes):
            self._send(action, start, over, places, progress)
        self._sender.sync()

    def _begin(self, grant: Grant) -> None:
        self._in_machine, self._press_time_s = isinstance(grant.target, VmTarget), grant.press_time_s

    def click_into(self, grant: Grant, place: ScreenPoint) -> Window:
        """Click a field before typing into it; returns the window that was clicked. Raises Refused."""
        self._typist.wait_for_foreign_keys()
        hit = self._target_check.check_point(grant, place)
        self._target_check.check_owners(grant)
        self._target_check.check_screen(grant)
        if hit is None:
            raise Refused(RejectedReason.NO_FOCUS, notice(NoticeCode.POINT_ON_BARE_DESKTOP))
        self._begin(grant)
        self._move_on(place.x, place.y)
        self._click(1, (place.x, place.y), hit.frame_id)
        self._sender.sync()
        return hit

    def wait_for_presses(self) -> None:
        """Before keys: wait until earlier button presses have reached their windows. Raises Refused, Halted."""
        if not self._presses_arrived():
            raise Refused(RejectedReason.NO_FOCUS, notice(NoticeCode.CLICK_MAY_NOT_HAVE_ARRIVED))

    def _presses_arrived(self) -> bool:
        if self._presses_unconfirmed:
            self._presses_unconfirmed = not self._typist.wait_for_presses()
            self._sender.wait(self._pressed_s + PRESS_ARRIVES_S - time.monotonic())
        return not self._presses_unconfirmed

    def _move_on(self, x: int, y: int) -> None:
        """Move the pointer once earlier presses have reached their windows, or the window manager does not answer.

        A window manager that gets presses first holds the pointer's events back, and windows are told of a release as
        if it had happened where the pointer was moved to meanwhile.
        """
        self._presses_arrived()
        self._sender.move(x, y)

    def places(self, grant: Grant, at: NativePoint | tuple[NativePoint, ...] | None) -> tuple[ScreenPoint, ...]:
        """Where points of the frame are on the screen now. Raises Refused."""
        points = () if at is None else (at,) if isinstance(at, NativePoint) else at
        return tuple(self._target_check.resolve(grant, point) for point in points)

    @contextmanager
    def held(self, codes: Sequence[int]) -> Iterator[None]:
        """Hold these keys down in the `with` block."""
        with ExitStack() as held:
            for code in codes:
                self._sender.press_key(code)
                held.callback(self._sender.release_key, code)
            yield

    def _check_target(
        self, grant: Grant, action: PointerAction, places: tuple[ScreenPoint, ...], start: tuple[int, int]
    ) -> int:
        """Check the target at every point of the action.

        Returns:
            The child of the root window that a press at `start` reaches; 0 for the bare desktop.

        Raises:
            Refused: the target is not what it was in the picture.
        """
        over = None
        if not isinstance(action, Move):
            # A release at the current position is always allowed.
            here = () if isinstance(action, Release) else (ScreenPoint(*start),)
            hits = [self._target_check.check_point(grant, place) for place in places or here]
            over = next(iter(hits), None)
        self._target_check.check_owners(grant)
        self._target_check.check_screen(grant)
        return 0 if over is None else over.frame_id

    def _send(
        self,
        action: PointerAction,
        start: tuple[int, int],
        over: int,
        places: Sequence[ScreenPoint],
        progress: Progress,
    ) -> None:
        match action:
            case Move():
                progress.count(1, 1)
            case Click(button=button, count=count):
                progress.total = count
                self._sender.make_room_for(2 * count)
                for done in range(count):
                    if done:
                        self._sender.wait(_BETWEEN_CLICKS_S)
                    # Later clicks may hit a window that the first one opened, as a person's double click would.
                    self._click(_BUTTONS[button], start, None if done else over)
                    progress.count(done + 1, count)
            case Press(button=button):
                self._press(_BUTTONS[button], start, over)
                progress.count(1, 1)
            case Release(button=button):
                self._sender.release_button(_BUTTONS[button])
                progress.count(1, 1)
            case Drag(button=button):
                self._drag(_BUTTONS[button], places, over, progress)
            case Scroll(dx=dx, dy=dy):
                self._scroll(dx, dy, start, over, progress)
            case _:
                _never(action)

    def _press(self, button: int, at: tuple[int, int], over: int | None) -> None:
        self._presses_unconfirmed = True
        self._sender.press_button(button, at, over)
        if self._in_machine:
            self._pressed_s = time.monotonic()

    def _click(self, button: int, at: tuple[int, int], over: int | None) -> None:
        with ExitStack() as held:
            self._press(button, at, over)
            held.callback(self._sender.release_button, button)
            self._sender.wait(self._press_time_s)

    def _drag(self, button: int, places: Sequence[ScreenPoint], over: int, progress: Progress) -> None:
        steps = list(_steps(places))
        progress.total = len(steps)
        source = self._target_check.drag_source()
        with ExitStack() as held:
            self._press(button, (places[0].x, places[0].y), over)
            held.callback(self._sender.release_button, button)
            self._sender.wait(_PAUSE_S)
            for done, (x, y) in enumerate(steps):
                self._sender.move(x, y)
                self._sender.wait(_DRAG_STEP_S)
                progress.count(done + 1, len(steps))
            self._pause_before_drop(source, steps)

    def _pause_before_drop(self, source: int, steps: Sequence[tuple[int, int]]) -> None:
        """Give the drop target of a drag between applications time to accept.

        The two applications negotiate by messages that start with the first motion after the source has begun its drag.
        The source may have begun only when the pointer was already at its end, so the last motion is repeated.
        """
        dropping = self._sender.wait_for(lambda: self._target_check.drag_source() not in {0, source}, _PAUSE_S)
        if dropping:
            self._sender.move(*steps[-2])
            self._sender.move(*steps[-1])
            self._sender.wait(_DROP_PAUSE_S)

    def _scroll(self, dx: int, dy: int, at: tuple[int, int], over: int, progress: Progress) -> None:
        notches = [(False, 1 if dy > 0 else -1)] * abs(dy) + [(True, 1 if dx > 0 else -1)] * abs(dx)
        progress.total = len(notches)
        for done, (horizontal, amount) in enumerate(notches):
            if done:
                self._sender.wait(NOTCHES_APART_S)
            self._sender.scroll_notch(at, over, horizontal=horizontal, amount=amount)
            progress.count(done + 1, len(notches))


def _steps(places: Sequence[ScreenPoint]) -> Iterator[tuple[int, int]]:
    """Points along the path, at most `_STEP_PX` apart, including each of its corners and its end."""
    for start, end in itertools.pairwise(places):
        pieces = max(_MIN_STEPS, math.ceil(math.hypot(end.x - start.x, end.y - start.y) / _STEP_PX))
        for i in range(1, pieces):
            yield (
                start.x + round((end.x - start.x) * i / pieces),
                start.y + round((end.y - start.y) * i / pieces),
            )
        yield end.x, end.y


def _never(action: Never) -> Never:
    raise AssertionError(action)
