"""Eyes: see one target (a monitor, a window) with everything known at that moment. One path for model and preview.

An eye belongs to one thread: it holds that thread's connection. Not here: threads (worker.py, live.py), waiting
(stillness.py), input (input_preparation.py).
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from operator_console.computers.blank import (
    ONE_COLOUR,
    black_windows,
    colour_of,
    nothing_but_black,
    one_colour,
    windows_lie_on,
)
from operator_console.computers.framing import make_frame
from operator_console.computers.window_wording import quoted, require_shown
from operator_console.desktop.own import OwnWindows
from operator_console.desktop.platform import open_display
from operator_console.desktop.protocols import PaintWatch
from operator_console.desktop.values import Grab, Monitor, Window, WindowState
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, StackedWindow, TargetRef
from operator_console.domain.geometry import Rect, ScreenPoint

BLANK_TIMEOUT_S = 1.0
_LATELY_S = 0.25
_TRIES = 3  # a monitor may change its size, a menu may go, between the questions


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """Who has the focus: `window` as the frame tells it, `in_target` whether keys would reach the target."""

    window: Window | None
    in_target: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """Who lay where and who had the focus at one moment, and what tells whether that is still so."""

    version: int
    focus_id: int
    focus: Focus
    stack: tuple[StackedWindow, ...]


class Eye(ABC):
    """Sees one target. Everything raises ComputerUnavailable(reason) where it cannot be seen."""

    def __init__(self, target: TargetRef, own: OwnWindows) -> None:
        self.target = target
        self.display = open_display(target.display or None)
        self.capture = self.display.capture(own)
        self._foreign_focus: int | None = None
        self._plain: int | None = None

    @abstractmethod
    def grab(self) -> Grab:
        """The pixels now."""

    @abstractmethod
    def place(self) -> Rect:
        """Where the picture lies now, root coordinates."""

    @abstractmethod
    def focus(self) -> Focus:
        """Who has the focus now."""

    @abstractmethod
    def stack(self) -> tuple[StackedWindow, ...]:
        """The windows that input to the target could reach now, bottom first."""

    @abstractmethod
    def watch(self) -> PaintWatch:
        """Tells when the target was painted."""

    @property
    def title(self) -> str:
        """The target's title now."""
        return self.target.title

    def frame(self, needs: ImageNeeds) -> Frame:
        """A fresh capture with focus, pointer and title."""
        # Read before the grab: a window that comes in between, which may be in the picture or not, is then never taken
        # for the owner of its place, and an input there is refused.
        around, (taken_s, grab) = self._around(), self._grab_painted()
        for _ in range(_TRIES - 1):
            if not self._changed_since(around):
                break
            around, (taken_s, grab) = self._around(), self._grab_painted()
        covered = grab.covered or self._unreadable(grab)
        who = around.focus
        x, y = self.display.pointer_position()
        return make_frame(
            pixels=grab.pixels,
            native=grab.rect.size,
            origin=ScreenPoint(grab.rect.x, grab.rect.y),
            target=self.target,
            needs=needs,
            taken_s=taken_s,
            stack=around.stack,
            focus=who.window.info(own=self.is_own(who.window)) if who.window is not None else None,
            focus_in_target=who.in_target,
            pointer=ScreenPoint(x, y),
            title=self.title,
            covered=covered,
        )

    def preview(self, needs: ImageNeeds, name: Callable[[Grab], str] = lambda _: "") -> Frame:
        """A capture for the preview: pixels and place only. `name` gives it its id, "" for the usual one.

        Raises ComputerUnavailable (blank) for black.
        """
        grab = self.glance()
        self.require_seen(grab)
        origin = ScreenPoint(grab.rect.x, grab.rect.y)
        return make_frame(
            pixels=grab.pixels, native=grab.rect.size, origin=origin, target=self.target, needs=needs,
            title=self.title, covered=grab.covered, frame_id=name(grab),
        )  # fmt: skip

    def glance(self) -> Grab:
        """As grab, where it does that the target's place is known from a moment ago."""
        return self.grab()

    def current_focus(self) -> Window | None:
        """The window with the focus, ours too."""
        return self.display.focused()

    def is_own(self, window: Window) -> bool:
        """Whether a window is one of the console's."""
        return self.capture.scene.is_own(window)

    def close(self) -> None:
        """Let go of the connection."""
        self.capture.close()
        self.display.close()

    def _around(self) -> _Around:
        self.display.pump()
        version = self.capture.scene.version
        focus_id = self.display.focus_id()
        return _Around(version=version, focus_id=focus_id, focus=self.focus(), stack=self.stack())

    def _changed_since(self, around: _Around) -> bool:
        """Whether windows came, went or moved since, or the focus did."""
        now = self.display.focus_id()
        self.display.pump()
        return now != around.focus_id or self.capture.scene.version != around.version

    def _grab_painted(self) -> tuple[float, Grab]:
        taken_s, grab = time.monotonic(), self.grab()
        if one_colour(grab) and colour_of(grab) != self._plain:
            return self._await_paint()
        return taken_s, grab

    def _await_paint(self) -> tuple[float, Grab]:
        """When and what was seen: an application that begins shows one colour at first, also after its first painting.

        What is just plain is waited for once.
        """
        deadline = time.monotonic() + BLANK_TIMEOUT_S
        watch = self.watch()
        try:
            while True:
                watch.take()
                taken_s, grab = time.monotonic(), self.grab()
                left = deadline - taken_s
                if not one_colour(grab) or not self.display.wait_until(lambda: watch.pending, left):
                    return taken_s, grab
        finally:
            watch.close()

    def _unreadable(self, grab: Grab) -> str:
        """What of it shows nothing, in words. Raises ComputerUnavailable where that is all of it."""
        self._plain = None
        if not one_colour(grab):
            return self.unreadable_part(grab)
        self.require_seen(grab)
        self._plain = colour_of(grab)
        return ONE_COLOUR if self.shows_windows(grab.rect) else ""

    def unreadable_part(self, grab: Grab) -> str:
        """What of a picture with something in it shows nothing, in words."""
        return ""

    def require_seen(self, grab: Grab) -> None:
        """Raises ComputerUnavailable (blank) where windows lie and nothing but black is to be seen."""
        if colour_of(grab) == 0 and one_colour(grab) and self.shows_windows(grab.rect):
            raise nothing_but_black(self.display, self.title)

    def shows_windows(self, rect: Rect) -> bool:
        """Whether other applications' windows lie on the rectangle."""
        return windows_lie_on(self.display, rect, self.capture.scene.layers())


class MonitorEye(Eye):
    """Sees one monitor without our own windows."""

    def __init__(self, target: TargetRef, number: int, own: OwnWindows) -> None:
        super().__init__(target, own)
        self._number = number
        self._name: str | None = None
        self._before: Rect | None = None
        self._lately: tuple[float, Rect] | None = None

    def monitor(self) -> Monitor:
        """Where it is now. Raises ComputerUnavailable while it is switched off or unplugged: it may come back."""
        return self._among(self.display.monitors())

    def _among(self, found: Sequence[Monitor]) -> Monitor:
        for monitor in found:
            # By name once it is known: numbers move up when another monitor goes.
            if monitor.name == self._name or (self._name is None and monitor.number == self._number):
                self._name = monitor.name
                return monitor
        raise ComputerUnavailable(
            f"Monitor {self._number} is not there any more.",
            reason=UnavailableReason.HIDDEN,
            detail="It was switched off or unplugged.",
            remedy="Switch it on again, then go on; or choose another target (`operator-console targets` lists them).",
        )

    def place(self) -> Rect:
        """The monitor's rectangle."""
        return self.monitor().rect

    def grab(self) -> Grab:
        """The monitor. Raises ComputerUnavailable where it is gone, or changes faster than it can be read."""
        for _ in range(_TRIES - 1):
            with suppress(ComputerUnavailable):  # the screen became smaller between the question and the picture
                return self._grab()
        return self._grab()

    def _grab(self) -> Grab:
        """Where it was before, asked for together with where it is now: one round trip while it stays there."""
        before, grab = self._before, None
        asked = self.display.ask_monitors()
        if before is not None:
            with suppress(ComputerUnavailable):  # the screen became smaller
                grab = self.capture.screen(before)
        self._before = self._among(asked()).rect
        return grab if grab is not None and self._before == before else self.capture.screen(self._before)

    def glance(self) -> Grab:
        """The monitor where it was a moment ago: even asking for that costs some of the picture."""
        now_s = time.monotonic()
        if self._lately is not None and now_s - self._lately[0] < _LATELY_S:
            with suppress(ComputerUnavailable):  # the screen became smaller
                return self.capture.screen(self._lately[1])
        grab = self.grab()
        self._lately = (now_s, grab.rect)
        return grab

    def unreadable_part(self, grab: Grab) -> str:
        """The windows that are black all over."""
        return black_windows(self.display, grab, self.capture.scene.layers())

    def focus(self) -> Focus:
        """The focus; while ours has it, the window of another that had it last, or would have it without ours."""
        now = self.current_focus()
        if now is None or self.is_own(now):
            ours, now = now, self._remembered()
            if now is None and ours is not None:
                now = self._topmost() or ours
        if now is not None and not self.is_own(now):
            self._foreign_focus = now.window_id
        in_target = (
            now is not None
            and not self.is_own(now)
            and now.state is WindowState.SHOWN
            and not now.frame_rect.intersect(self.monitor().rect).empty
        )
        return Focus(window=now, in_target=in_target)

    def _remembered(self) -> Window | None:
        return self.display.describe(self._foreign_focus) if self._foreign_focus is not None else None

    def _topmost(self) -> Window | None:
        """The window of this monitor that lies uppermost, ours left out: the person came to ours from there."""
        place = self.monitor().rect
        for window in self.display.all_windows():
            here = window.state is WindowState.SHOWN and not window.frame_rect.intersect(place).empty
            if here and not self.is_own(window):
                return window
        return None

    def stack(self) -> tuple[StackedWindow, ...]:
        """All windows but ours, which let the agent's input through."""
        return self.capture.stacked()

    def watch(self) -> PaintWatch:
        """Anything painted on the screen."""
        return self.display.watch_painting(None)


class WindowEye(Eye):
    """Sees one window with its dialogs and menus, wherever it is, whatever covers it."""

    def __init__(self, target: TargetRef, own: OwnWindows) -> None:
        super().__init__(target, own)
        assert target.window_id is not None
        self._window_id = target.window_id
        self._title = target.title
        self._pid: int | None = None

    @property
    def title(self) -> str:
        """The window's title when it was last seen."""
        return self._title

    def window(self) -> Window:
        """The window now. Raises ComputerUnavailable: gone, minimised, hidden."""
        window = self.display.describe(self._window_id)
        if window is not None and (window.window_id != self._window_id or self._pid not in {None, window.pid}):
            window = None  # the id was given to another window
        if window is not None:
            self._title, self._pid = window.title, window.pid
        return require_shown(window, self._title)

    def family(self) -> tuple[Window, list[Window]]:
        """The window, and everything of it that can be seen (itself included), bottom first."""
        window = self.window()
        shown = [(layer.layer_id, layer.client) for layer in self.capture.scene.layers()]
        return window, self.display.family(window, shown)

    def place(self) -> Rect:
        """The client area, widened by its dialogs and menus."""
        window, family = self.family()
        return self.display.family_area(window, family)

    def grab(self) -> Grab:
        """The window's client area, widened by its dialogs and menus."""
        for _ in range(_TRIES):
            window, family = self.family()
            rect = self.display.family_area(window, family)
            grab = self.capture.windows(rect, [each.frame_id for each in family])
            if grab is not None:
                return grab
        raise ComputerUnavailable(
            f"{quoted(self._title)} could not be captured.",
            reason=UnavailableReason.HIDDEN,
            detail="Its windows changed faster than they could be read.",
            remedy="Wait until it stands still, then go on.",
        )

    def focus(self) -> Focus:
        """The focus, and whether it is the window's or one of its dialogs'."""
        now = self.current_focus()
        return Focus(window=now, in_target=now is not None and self.display.belongs(now, self.window()))

    def stack(self) -> tuple[StackedWindow, ...]:
        """The window and what belongs to it: what covers it is not in the picture, and cannot be hit."""
        _, family = self.family()
        return self.capture.stacked({window.frame_id for window in family})

    def watch(self) -> PaintWatch:
        """Anything painted in the window's frame; dialogs and menus announce themselves by coming and going."""
        return self.display.watch_painting(self.window().frame_id)
