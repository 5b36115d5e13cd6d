"""Captures one target: the picture, and what held true when it was taken (windows, focus, pointer, title).

Shared by monitors and windows; what differs is in their packages. The model's pictures and the preview come from the
same code. A capture holds one connection to the display and belongs to one thread.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import ClassVar

from operator_console.computers.blank_pictures import (
    BLANK_TIMEOUT_S,
    ONE_COLOUR,
    colour_of,
    nothing_but_black,
    one_colour,
    windows_lie_on,
)
from operator_console.computers.frame_building import make_frame
from operator_console.computers.what_is_hidden import Hidden
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import open_display
from operator_console.desktop.protocols import PaintWatch
from operator_console.desktop.values import Grab, Window
from operator_console.domain.frames import DesktopTarget, Frame, ImageNeeds, StackedWindow, WindowInfo
from operator_console.domain.geometry import Rect, ScreenPoint

_POLL_S = 0.05  # without paint events
CAPTURE_ATTEMPTS = 3
"""Captures are repeated, because a monitor may change its size, or a menu close, between two requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """The keyboard focus: the window that a frame reports, and whether keys would reach the target."""

    window: Window | None
    in_target: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Windows and focus at one moment. `version` and `focus_id` differ once they have changed."""

    version: int
    focus_id: int
    focus: Focus
    stack: tuple[StackedWindow, ...] | None


class NoPaintReports:
    """The PaintWatch of a desktop without paint events: it reports nothing, so pictures are to be compared."""

    pending = False
    painted = None

    def take(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing to stop."""


class TargetCapture(ABC):
    """Captures one target. Every method may raise ComputerUnavailable with the reason why it cannot be seen.

    Attributes:
        fixed: a picture of another place or size shows something else; False: the target may move, and is followed.
        click_gives_focus: typing at a point gets the keyboard focus by its click; False: the target is given it before.
        watch_reports_all: `watch` reports whatever can change in a picture, except under the console's windows; where
            it reports at all.
        others_join: whether further windows may become a part of the target.
    """

    fixed: ClassVar[bool]
    click_gives_focus: ClassVar[bool]
    watch_reports_all: ClassVar[bool]
    others_join: ClassVar[bool] = False

    def __init__(self, target: DesktopTarget, own: OwnWindows) -> None:
        self.target = target
        self.display = open_display(target.display or None)
        self.screen_capture = self.display.capture(own)
        self.hidden = Hidden()
        self._foreign_focus: int | None = None
        self._accepted_colour: int | None = None

    @abstractmethod
    def grab_all(self) -> Grab:
        """The current pixels, also of what is hidden."""

    def grab(self) -> Grab:
        """The current pixels."""
        return self.without_hidden(self.grab_all)

    @property
    def base(self) -> ScreenPoint | None:
        """The corner from which hidden places are counted; None: that of the picture."""
        return None

    def without_hidden(self, take: Callable[[], Grab]) -> Grab:
        """What `take` gives, with what is hidden in black. A window that moves meanwhile is hidden in both places."""
        if not self.hidden:
            return take()
        grab, stacks = self._with_windows(take)
        for _ in range(CAPTURE_ATTEMPTS - 1):
            if len(stacks) == 1:
                break
            grab, stacks = self._with_windows(take)
        base = self.base or ScreenPoint(grab.rect.x, grab.rect.y)
        areas = self.hidden.areas(grab.rect, (base.x, base.y), stacks)
        pixels, areas = self.hidden.without(grab.pixels, grab.rect.size, areas, time.monotonic())
        return replace(grab, pixels=pixels, hidden=areas) if areas else grab

    def _with_windows(self, take: Callable[[], Grab]) -> tuple[Grab, Sequence[Sequence[StackedWindow]]]:
        """What `take` gives, and the windows: before, and after if one moved, opened or closed meanwhile."""
        if not self.hidden.windows:
            return take(), [()]
        self.display.pump()
        version, before = self.screen_capture.window_layers.version, self.stack() or ()
        grab = take()
        self.display.pump()
        if self.screen_capture.window_layers.version == version:
            return grab, [before]
        return grab, [before, self.stack() or ()]

    @abstractmethod
    def place(self) -> Rect:
        """The rectangle that a picture covers now, in root coordinates."""

    @abstractmethod
    def focus(self) -> Focus:
        """The current focus."""

    @abstractmethod
    def stack(self) -> tuple[StackedWindow, ...] | None:
        """The windows that input to the target can reach now, bottom first; None where they cannot be known."""

    @abstractmethod
    def receiver_of(self, hit: Window | None) -> Window | None:
        """The window of the target that stands for `hit`: `hit` itself, if input there is input to the target."""

    @property
    def apart(self) -> tuple[WindowInfo, ...]:
        """The windows that the target's program opened since the first picture, and that are in none."""
        return ()

    def input_follows(self) -> None:  # noqa: B027 - most targets do not care
        """The agent's input follows: a window that the target's program opens now is its effect."""

    @abstractmethod
    def keys_reach(self) -> bool:
        """Whether keys that were sent now would reach the target."""

    @abstractmethod
    def window_for_keys(self) -> Window | None:
        """The window to give the focus, so that keys reach the target; None if there is none that may be given it."""

    @property
    @abstractmethod
    def painted_in(self) -> int | None:
        """The layer that the target is painted in; None: anywhere on the screen."""

    @property
    def reports_painting(self) -> bool:
        """Whether `watch` reports painting. If not, pictures must be compared at intervals."""
        return self.display.capabilities.paint_events

    def watch(self) -> PaintWatch:
        """Reports painting in the target from now on."""
        return self.display.watch_painting(self.painted_in) if self.reports_painting else NoPaintReports()

    @property
    def knows_windows(self) -> bool:
        """Whether it is known which windows are on the screen, at a point, and have the focus."""
        return self.display.capabilities.window_owners

    def window_at(self, x: int, y: int) -> Window | None:
        """The window that a click at this point would reach; None if there is none, or it cannot be known."""
        return self.display.window_at(x, y) if self.knows_windows else None

    @property
    def title(self) -> str:
        """The target's current title."""
        return self.target.title

    def frame(
        self, needs: ImageNeeds, recognise: Callable[[Grab], tuple[Grab, str]] = lambda grab: (grab, "")
    ) -> Frame:
        """A new picture with focus, pointer, title and window stack.

        Args:
            needs: limits on the size sent to a model.
            recognise: gives a picture with equal pixels, and the frame's id; "" computes the usual fingerprint.
        """
        # The windows are read before the pixels. A window that opens in between may be in the picture, but is then not
        # recorded as the owner of its area, so input there is refused.
        around, (taken_s, grab) = self._surroundings(), self._grab_painted()
        for _ in range(CAPTURE_ATTEMPTS - 1):
            if not self._changed_since(around):
                break
            around, (taken_s, grab) = self._surroundings(), self._grab_painted()
        covered = grab.covered or self._unreadable(grab)
        grab, frame_id = recognise(grab)
        return self._frame(around, replace(grab, covered=covered), needs, taken_s, frame_id)

    def expected(self, grab: Grab, needs: ImageNeeds, frame_id: str) -> Frame:
        """The frame that a picture taken just now is if nothing changes any more; its pixels are not taken again."""
        return self._frame(self._surroundings(), grab, needs, time.monotonic(), frame_id)

    def _frame(self, around: Surroundings, grab: Grab, needs: ImageNeeds, taken_s: float, frame_id: str) -> Frame:
        focus = around.focus
        x, y = self.display.pointer_position()
        return make_frame(
            pixels=grab.pixels,
            native=grab.rect.size,
            origin=ScreenPoint(grab.rect.x, grab.rect.y),
            target=self.target,
            needs=needs,
            taken_s=taken_s,
            stack=around.stack,
            focus=None if focus.window is None else _untitled(focus.window.info(own=self.is_own(focus.window)), grab),
            focus_in_target=focus.in_target,
            pointer=ScreenPoint(x, y),
            title=self.title,
            covered=grab.covered,
            hidden=grab.hidden,
            apart=self.apart,
            frame_id=frame_id,
        )

    def preview(self, needs: ImageNeeds, name: Callable[[Grab], str] = lambda _: "") -> Frame:
        """A picture for the preview, with pixels and position only.

        Args:
            needs: limits on the size sent to a model.
            name: gives the frame's id; "" computes the usual fingerprint.

        Raises:
            ComputerUnavailable: it cannot be seen; with reason BLANK, also where it is all black.
        """
        grab = self.quick_grab()
        self.require_seen(grab)
        origin = ScreenPoint(grab.rect.x, grab.rect.y)
        return make_frame(
            pixels=grab.pixels, native=grab.rect.size, origin=origin, target=self.target, needs=needs,
            title=self.title, covered=grab.covered, hidden=grab.hidden, frame_id=name(grab),
        )  # fmt: skip

    def quick_grab(self) -> Grab:
        """As `grab`, but the target's position may be up to a fraction of a second old."""
        return self.grab()

    def current_focus(self) -> Window | None:
        """The window with the keyboard focus, including the console's own; None also where it cannot be known."""
        return self.display.focused() if self.knows_windows else None

    def is_own(self, window: Window) -> bool:
        """Whether a window is one of the console's."""
        return self.screen_capture.window_layers.is_own(window)

    def close(self) -> None:
        """Disconnect from the display."""
        self.screen_capture.close()
        self.display.close()

    def _surroundings(self) -> Surroundings:
        self.display.pump()
        version = self.screen_capture.window_layers.version
        focus_id = self.display.focus_id()
        return Surroundings(version=version, focus_id=focus_id, focus=self.focus(), stack=self.stack())

    def _changed_since(self, around: Surroundings) -> bool:
        """Whether a window opened, closed or moved since then, or the focus changed."""
        focus_id = self.display.focus_id()
        self.display.pump()
        return focus_id != around.focus_id or self.screen_capture.window_layers.version != around.version

    def _grab_painted(self) -> tuple[float, Grab]:
        taken_s, grab = time.monotonic(), self.grab()
        if one_colour(grab) and colour_of(grab) != self._accepted_colour:
            return self._await_paint()
        return taken_s, grab

    def _await_paint(self) -> tuple[float, Grab]:
        """Wait until the picture has more than one colour, BLANK_TIMEOUT_S at most; the time of the grab, and the grab.

        A starting application shows a single colour at first, sometimes still after its first paint.
        """
        deadline = time.monotonic() + BLANK_TIMEOUT_S
        with closing(self.watch()) as watch:
            while True:
                watch.take()
                taken_s, grab = time.monotonic(), self.grab()
                left = deadline - taken_s
                if not one_colour(grab) or left <= 0:
                    return taken_s, grab
                self.display.wait_until(lambda: watch.pending, left if self.reports_painting else min(left, _POLL_S))

    def _unreadable(self, grab: Grab) -> str:
        """What part of the picture cannot be read, as a sentence. Raises ComputerUnavailable if that is all of it."""
        self._accepted_colour = None
        if not one_colour(grab):
            return self.unreadable_part(grab)
        self.require_seen(grab)
        self._accepted_colour = colour_of(grab)  # waited for once; not again while it stays so
        return ONE_COLOUR if self.shows_windows(grab.rect) else ""

    def unreadable_part(self, grab: Grab) -> str:
        """What part of a picture of several colours cannot be read, as a sentence; "" if nothing."""
        return ""

    def require_seen(self, grab: Grab) -> None:
        """Raises ComputerUnavailable (blank) if there are windows but the picture is all black."""
        if colour_of(grab) == 0 and one_colour(grab) and self.shows_windows(grab.rect):
            raise nothing_but_black(self.display, self.title)

    def shows_windows(self, rect: Rect) -> bool:
        """Whether windows of other applications are on the rectangle."""
        return windows_lie_on(self.display, rect, self.screen_capture.window_layers.layers())


def _untitled(focus: WindowInfo, grab: Grab) -> WindowInfo:
    """The window with the focus, without its title if it is hidden."""
    return replace(focus, title="") if any(area.window_id == focus.window_id for area in grab.hidden) else focus
