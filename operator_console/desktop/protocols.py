"""What each platform provides: screen and windows, preparation of input, screen lock. Nothing here sends input.

Rectangles and points are in input units of the whole desktop (root coordinates on X11). A Desktop is one connection; it
and everything it returns belong to one thread. Every method may raise ComputerUnavailable (no display) if the
connection is lost. Pictures are native pixels, BGRX rows without padding.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence, Set
from contextlib import AbstractContextManager
from typing import Protocol

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.stoppable_thread import StoppableThread
from operator_console.desktop.values import Capabilities, Grab, Monitor, PaintedPlace, SizeHints, TargetDrawing, Window
from operator_console.domain.frames import StackedWindow
from operator_console.domain.geometry import Rect, ScreenPoint
from operator_console.domain.hand_input import FarLine
from operator_console.domain.keys import Key
from operator_console.domain.programs import ProgramDoor


class Layer(Protocol):
    """A window with its frame, a menu, or a tooltip on the screen."""

    @property
    def layer_id(self) -> int:
        """The platform's id of the window including its frame."""

    @property
    def client(self) -> int:
        """The application's window in it; the layer's own id if there is none."""

    @property
    def rect(self) -> Rect:
        """The outer rectangle."""

    @property
    def border(self) -> int:
        """Width of the border, which is part of the rectangle but outside the layer's own coordinates; mostly 0."""

    @property
    def parts(self) -> tuple[Rect, ...]:
        """The parts of the rectangle that a shaped window really covers."""

    @property
    def pid(self) -> int | None:
        """Its process, None if unknown."""

    @property
    def own(self) -> bool:
        """Whether it is one of the console's."""


class WindowLayers(Protocol):
    """Everything on the screen, bottom first, and which of it is the console's."""

    @property
    def version(self) -> int:
        """A number that increases whenever the layers may have changed."""

    def layers(self) -> Sequence[Layer]:
        """All layers, after reading pending events."""

    def own_layers(self) -> Sequence[Layer]:
        """The console's layers, after reading pending events."""

    def known_own_layers(self) -> Sequence[Layer]:
        """The console's layers, without reading pending events."""

    def is_own(self, window: Window) -> bool:
        """Whether a window is one of the console's."""

    def close(self) -> None:
        """Stop following them."""


class ScreenCapture(Protocol):
    """Captures the screen without the console's windows, and single windows even if they are covered."""

    @property
    def window_layers(self) -> WindowLayers:
        """The layers on the screen."""

    def screen(self, rect: Rect) -> Grab:
        """A rectangle of the screen. Raises ComputerUnavailable (hidden) if the screen has become smaller."""

    def windows(self, rect: Rect, layer_ids: Sequence[int]) -> Grab | None:
        """A rectangle with only these layers in it, uncovered; None if one of them is gone."""

    def stacked(self, among: Container[int] | None = None) -> tuple[StackedWindow, ...]:
        """The windows that pointer input can reach, bottom first, without the console's; `among`: only these layers."""

    def close(self) -> None:
        """Release everything but the connection."""


class PaintWatch(Protocol):
    """Reports painting."""

    @property
    def pending(self) -> bool:
        """Whether something was painted since `take`, by the events read so far."""

    @property
    def painted(self) -> Rect | None:
        """The area painted since `take`, by the events read so far; None if nothing."""

    def take(self) -> Rect | None:
        """Read pending events, and return and clear the painted area, in coordinates of the window; None if nothing."""

    def close(self) -> None:
        """Stop reporting."""


class Ping(Protocol):
    """Asks an application whether it has handled the input sent to it."""

    @property
    def answered(self) -> bool:
        """Whether it has answered, or cannot be asked."""

    def look(self) -> bool:
        """As `answered`, but also True if the window is gone."""

    def halted(self) -> bool:
        """Whether the window's process is stopped, so that it handles nothing until it is continued."""

    def close(self) -> None:
        """Stop waiting for the answer."""


class ClickThrough(Protocol):
    """Lets input through the console's own windows at a point."""

    def open(self, layers: Sequence[Layer], point: ScreenPoint) -> None:
        """Let input through these layers at a point. Returns once it is in effect."""

    def restore(self) -> None:
        """All layers take input again everywhere."""


class PaintedArea(Protocol):
    """Tells which part of a window its application paints itself. Belongs to one thread."""

    def find(self, window: Window) -> PaintedPlace | None:
        """The largest such part that is shown; None: none, or it is not told. Blocking."""

    def close(self) -> None:
        """Disconnect."""


class WindowChanges(Protocol):
    """Reports that the list of windows or monitors may have changed: opened, closed, renamed, minimised, unplugged."""

    def wait(self, timeout_s: float, also: int) -> bool:
        """Wait for a change, or until `also` is readable; whether something changed since the last call."""

    def close(self) -> None:
        """Stop reporting."""


class Desktop(Protocol):
    """An open connection to one desktop."""

    @property
    def name(self) -> str:
        """The name by which it was opened (on X11 the display, ":0")."""

    @property
    def capabilities(self) -> Capabilities:
        """What it can do. What needs one that is absent is not called."""

    # The screen

    def monitors(self) -> list[Monitor]:
        """The monitors that show a part of the desktop, numbered from 1 in a fixed order."""

    def ask_monitors(self) -> Callable[[], list[Monitor]]:
        """Send the query for the monitors; call the result once to wait for the answer and get it."""

    def screen_rect(self) -> Rect:
        """The whole desktop."""

    def asleep(self) -> str:
        """Why nothing is shown, as a sentence; "" if the screen is on, or if unknown."""

    def capture(self, own: OwnWindows) -> ScreenCapture:
        """Captures the screen; `own` identifies the console's windows."""

    def watch_painting(self, window_id: int | None) -> PaintWatch:
        """Reports painting in a window (the id of its layer), or (None) anywhere on the screen. Needs paint_events."""

    # Windows

    def all_windows(self) -> list[Window]:
        """All top-level windows, top-most first, including minimised ones; without menus and tooltips."""

    def window_layers(self, own: OwnWindows) -> WindowLayers:
        """The layers on the screen; to be closed by the caller."""

    def window_changes(self) -> WindowChanges | None:
        """Reports changes of the lists of windows and monitors; None where the platform reports none."""

    def describe(self, window: int) -> Window | None:
        """The window with an id, None if it is gone."""

    def window_at(self, x: int, y: int) -> Window | None:
        """The window that a click at this point would reach, None if there is none. Needs window_owners."""

    def belongs(self, window: Window, target: Window, joined: Sequence[int] = ()) -> bool:
        """Whether a window is the target or one of `joined`, one of their dialogs, or a menu or popup of them."""

    def family(
        self, target: Window, shown: Iterable[tuple[int, int]], joined: Sequence[int] = ()
    ) -> tuple[list[Window], list[Window]]:
        """Those of `shown` (layer and client ids) that are the target or belong to it, bottom first; and the other
        windows of its program, without menus and tooltips."""

    def family_area(self, target: Window, relatives: Sequence[Window]) -> Rect:
        """The area of a picture of the target: its client area, extended by its dialogs and menus."""

    def size_hints(self, window: Window) -> SizeHints | None:
        """What the application asks of the window manager; None where it does not ask for both sizes."""

    def painted_area(self) -> PaintedArea:
        """Asks applications where they paint; to be closed by the caller."""

    # Input (nothing is sent)

    def pointer_position(self) -> tuple[int, int]:
        """The position of the pointer."""

    def pointer_held(self) -> bool:
        """Whether a program holds the pointer while no button is down."""

    def focused(self) -> Window | None:
        """The top-level window with the keyboard focus. Needs window_owners."""

    def focus_id(self) -> int:
        """The id of the window or child window with the focus."""

    def activate(self, window: Window) -> bool:
        """Give a window the focus, and wait up to 2 s until it has it; whether it does."""

    def window_manager(self) -> str:
        """The name of the window manager; "" where there is none, or it tells none."""

    def ask_to_close(self, window: Window) -> None:
        """Ask a window to close, as its own button does; its application may ask first, or refuse."""

    def ping(self, window: int | None) -> Ping:
        """Ask a window's application whether it has handled all input sent so far."""

    def click_through(self) -> ClickThrough:
        """Lets input through the console's windows. Needs click_through."""

    # Events

    def pump(self) -> int:
        """Process the events that have arrived, without waiting; how many there were."""

    def wait(self, timeout_s: float, also: int | None = None) -> int:
        """As `pump`, but waits for an event, or until the descriptor `also` is readable."""

    def wait_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until the condition is true, checking it after each event; whether it became true in time."""

    def losing(self) -> AbstractContextManager[None]:
        """In this context any failure of the connection raises ComputerUnavailable (no display)."""

    def close(self) -> None:
        """Disconnect. A second call does nothing."""


class DesktopInput(FarLine, Protocol):
    """Sends the operator's own input to a desktop that was started. Belongs to one thread. Raises OSError."""

    def named(self, name: Key) -> int | None:
        """The keycode of a key; None where there is none."""

    def character(self, character: str) -> tuple[int, bool] | None:
        """A keycode that types a character, and whether with Shift; None where there is none."""


class StartedDesktop(Protocol):
    """A desktop that was started for one session."""

    @property
    def display(self) -> str:
        """The name by which it is opened."""

    @property
    def programs(self) -> ProgramDoor:
        """Starts programs on it."""

    @property
    def sandboxed(self) -> bool:
        """Whether they run in a sandbox."""

    @property
    def accessibility(self) -> str:
        """The address of its own accessibility bus; "" for none."""

    def open_input(self) -> DesktopInput:
        """Connect the operator's own input to it. Blocking. Raises OSError; OperatorError without XKB."""

    async def close(self) -> None:
        """End its processes, and remove its home folder unless it is kept."""


class InputDevices(Protocol):
    """Tells the presses of physical devices from those of programs."""

    def watch(self, watcher: int, *, pointer: bool, keys: bool) -> None:
        """Note the presses of pointers, touches and keys that any watcher wants, from now on.

        Said again, it takes in what came meanwhile.
        """

    def from_device(self, time_ms: int) -> bool:
        """Whether the press or release of this time of the display came from physical devices alone."""

    def close(self) -> None:
        """Disconnect."""


class Occlusion(Protocol):
    """Tells how the console's windows stand among those of other programs."""

    def covered(self, window_id: int, part: Rect | None = None) -> bool:
        """Whether a foreign window overlaps the window, or a part of it in root coordinates; True if the window is not
        shown."""

    def has_focus(self) -> bool:
        """Whether a window of this process has the keyboard focus."""

    def close(self) -> None:
        """Disconnect."""


class WindowPicker(Protocol):
    """Lets a person choose a window by pointing at it. Belongs to one thread."""

    def pick(self, thread: StoppableThread) -> int | None:
        """The id of the window that was clicked; None if it was cancelled, or `thread`, which runs this, was stopped.

        No application gets the click. Raises ComputerUnavailable if another program holds the pointer.
        """

    def close(self) -> None:
        """Release the pointer and disconnect."""


class TargetFrame(Protocol):
    """Draws a session's target and its next action on the real desktop; takes no input and is in no picture."""

    def show(self, drawing: TargetDrawing | None) -> None:
        """Draw this; None: nothing. To be called again when the target may have moved. Returns at once."""

    def close(self) -> None:
        """Remove everything. Returns at once."""

    def join(self, timeout_s: float) -> None:
        """Wait until everything is removed. Blocking."""


class NewWindows(Protocol):
    """Tells which windows have opened since it was made. Belongs to one thread."""

    def already(self, names: Set[str]) -> str | None:
        """The title of a window, open before, of an application with one of these names (lower case); None if none."""

    def wait(self, session: int, names: Set[str], until: float, also: int) -> str | None:
        """Wait for the first new window of a process session, or of an application with one of these names.

        Args:
            session: id of the process session.
            names: names of applications, in lower case.
            until: when to give up, as `time.monotonic`.
            also: a descriptor that ends the wait when it becomes readable.

        Returns:
            Its title, or None if none opened.
        """

    def close(self) -> None:
        """Disconnect."""


class ReducedMotionWatch(Protocol):
    """Reports whether the desktop asks for reduced motion."""

    def start(self) -> None:
        """Report from now on; returns at once."""

    def stop(self) -> None:
        """Stop reporting; no callback follows. Blocks for up to 2 s."""


class ScreenLockWatch(Protocol):
    """Reports when the screen is locked and unlocked."""

    @property
    def available(self) -> bool:
        """Whether the platform reports it; known after `start`."""

    def start(self) -> None:
        """Connect and report from now on. Blocks for up to a few seconds."""

    def stop(self) -> None:
        """Stop reporting; no callback follows."""
