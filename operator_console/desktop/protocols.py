"""What a platform's desktop can do: seeing the screen and its windows, and making way for input. Sends no input.

`platform.py` opens the one that fits. Rects and points are in input units of the whole desktop (root coordinates on
X11). A Desktop is one connection and belongs to one thread, with all that it made; every method may raise
ComputerUnavailable (no display) where the connection is lost. Pictures are native pixels, BGRX rows without padding.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from operator_console.desktop.own import OwnWindows
from operator_console.desktop.values import Grab, Monitor, Window
from operator_console.domain.frames import StackedWindow
from operator_console.domain.geometry import Rect, ScreenPoint


class Layer(Protocol):
    """One thing on the screen: a window with its frame, a menu, a tooltip."""

    @property
    def layer_id(self) -> int:
        """The platform's id of the whole, frame included."""

    @property
    def client(self) -> int:
        """The application's window in it, the layer itself where it has none."""

    @property
    def rect(self) -> Rect:
        """Outer rectangle."""

    @property
    def border(self) -> int:
        """Width of the border around its own coordinates, part of the rectangle; 0 where the platform has none."""

    @property
    def parts(self) -> tuple[Rect, ...]:
        """What of the rectangle is really there, where windows have shapes."""

    @property
    def pid(self) -> int | None:
        """Its process, None where unknown."""

    @property
    def own(self) -> bool:
        """Whether it is one of the console's."""


class WindowLayers(Protocol):
    """What lies on the screen, bottom first, and which of it is the console's."""

    @property
    def version(self) -> int:
        """Moves on whenever the layers may have changed."""

    def layers(self) -> Sequence[Layer]:
        """All, after everything heard so far."""

    def own_layers(self) -> Sequence[Layer]:
        """The console's."""

    def known_own_layers(self) -> Sequence[Layer]:
        """The console's, as known without listening first."""

    def is_own(self, window: Window) -> bool:
        """Whether a window is one of the console's."""

    def close(self) -> None:
        """Follow them no longer."""


class ScreenCapture(Protocol):
    """Grabs the screen without the console's windows, and single windows although others cover them."""

    @property
    def scene(self) -> WindowLayers:
        """What lies where."""

    def screen(self, rect: Rect) -> Grab:
        """A rectangle of the screen. Raises ComputerUnavailable (hidden) where the screen became smaller."""

    def windows(self, rect: Rect, layer_ids: Sequence[int]) -> Grab | None:
        """A rectangle with just these layers in it, uncovered; None where one is gone."""

    def stacked(self, among: Container[int] | None = None) -> tuple[StackedWindow, ...]:
        """The windows that pointer input can reach now, bottom first, without ours; `among`: of these layers."""

    def close(self) -> None:
        """Let go of everything but the connection."""


class PaintWatch(Protocol):
    """Tells that something was painted."""

    @property
    def available(self) -> bool:
        """Whether the platform reports painting at all; where not, pictures have to be compared."""

    @property
    def pending(self) -> bool:
        """Whether something was painted since `take`, as far as has been heard."""

    @property
    def painted(self) -> Rect | None:
        """Where; the next `take` tells of it too."""

    def take(self) -> Rect | None:
        """Where something was painted since the last take, in coordinates of what is watched; None: nowhere."""

    def close(self) -> None:
        """Report no more."""


class Ping(Protocol):
    """A question to an application whether it has handled what was sent to it."""

    @property
    def answered(self) -> bool:
        """Whether it has, or cannot be asked."""

    def look(self) -> bool:
        """As `answered`, after listening."""

    def close(self) -> None:
        """Wait for the answer no longer."""


class ClickThrough(Protocol):
    """Lets input through the console's own windows at a point."""

    def open(self, layers: Sequence[Layer], point: ScreenPoint) -> None:
        """These let input through there; returns when it holds."""

    def restore(self) -> None:
        """They take input again, everywhere."""


class Occlusion(Protocol):
    """Tells whether another program's window lies over one of ours. Has a connection of its own."""

    def covered(self, window_id: int) -> bool:
        """Whether a foreign window lies over any part of this window; True where it is not shown."""

    def close(self) -> None:
        """End the connection."""


class Desktop(Protocol):
    """An open connection to one desktop."""

    @property
    def name(self) -> str:
        """What it was opened by (on X11 the display, ":0")."""

    # The screen

    def monitors(self) -> list[Monitor]:
        """Those that show a part of the desktop, numbered from 1 in a fixed order."""

    def ask_monitors(self) -> Callable[[], list[Monitor]]:
        """Asks for the monitors; call the result once for the answer, which comes with that of the next question."""

    def screen_rect(self) -> Rect:
        """The whole desktop."""

    def asleep(self) -> str:
        """Why nothing is shown (a sentence), "" where the screen is on or the platform does not tell."""

    def capture(self, own: OwnWindows) -> ScreenCapture:
        """Start grabbing; `own` tells the console's windows."""

    def watch_painting(self, window_id: int | None) -> PaintWatch:
        """Tells when a window (a layer's id) is painted, or (None) anything on the screen."""

    # Windows

    def all_windows(self) -> list[Window]:
        """Every application's top-level window, top-most first; minimised ones too, menus and tooltips not."""

    def window_layers(self, own: OwnWindows) -> WindowLayers:
        """What lies on the screen; close it."""

    def describe(self, window: int) -> Window | None:
        """A window by its id, None where it is gone."""

    def window_at(self, x: int, y: int) -> Window | None:
        """The window that a click at this point would reach, None where it is nobody's."""

    def belongs(self, window: Window, target: Window) -> bool:
        """Whether a window is the target, a dialog of it, or a menu or popup that it opened."""

    def family(self, target: Window, shown: Iterable[tuple[int, int]]) -> list[Window]:
        """The target and what belongs to it among `shown` (layer and client ids), bottom first."""

    def family_area(self, target: Window, relatives: Sequence[Window]) -> Rect:
        """What a picture of the target covers: its client area, widened by its dialogs and menus."""

    # Input (nothing is sent)

    def pointer_position(self) -> tuple[int, int]:
        """Where the pointer is."""

    def focused(self) -> Window | None:
        """The top-level window that keys go to."""

    def focus_id(self) -> int:
        """The id of whatever has the focus, perhaps a part of a window; it changes when the focus moves."""

    def activate(self, window: Window) -> bool:
        """Ask for the focus and wait until the window has it; whether it came in time (2 s)."""

    def ping(self, window: int | None) -> Ping:
        """Ask the window's application whether it has handled everything sent so far."""

    def click_through(self) -> ClickThrough:
        """Lets input through the console's own windows."""

    # Events

    def pump(self) -> int:
        """Hand out the events that have arrived, without waiting; how many."""

    def wait(self, timeout_s: float, also: int | None = None) -> int:
        """As pump, but waits for something to arrive (or for the descriptor `also` to become readable)."""

    def wait_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Whether the condition came true in time; it is asked again after each event."""

    def losing(self) -> AbstractContextManager[None]:
        """Within it a connection that breaks raises ComputerUnavailable (no display), whatever was asked."""

    def close(self) -> None:
        """Disconnect; a second time does nothing."""
