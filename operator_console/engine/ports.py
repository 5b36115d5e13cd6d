"""The Protocols through which the engine uses the other packages.

The other packages do not import them: their classes match structurally, and mypy checks that where `app` and the tests
pass them in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from operator_console.domain.actions import Action
from operator_console.domain.decisions import Outcome
from operator_console.domain.elements import Element, Exposure, PointText
from operator_console.domain.errors import OperatorError, RecordError
from operator_console.domain.events import Blocked, Downloaded, Event, Record
from operator_console.domain.frames import (
    Frame,
    ImageNeeds,
    KeyboardFocus,
    Picture,
    SettleReason,
    TargetRef,
    TextBox,
    WindowInfo,
)
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import Grant, ScreenCheck
from operator_console.domain.guard_listener import GuardListener
from operator_console.domain.hidden_areas import HiddenArea
from operator_console.domain.programs import ProgramDoor
from operator_console.domain.secrets_by_name import NamedSecret
from operator_console.domain.states import State
from operator_console.domain.stopping import PauseCause, StopCause, StopLiveness, WaitsFor
from operator_console.domain.tools import ToolSpec


class Computer(Protocol):
    """The target computer. All methods raise ComputerUnavailable(reason) where it cannot be seen."""

    @property
    def target(self) -> TargetRef:
        """The target."""
        ...

    @property
    def programs(self) -> ProgramDoor | None:
        """What starts programs on it, in surroundings of their own; None: they are started as the person's."""
        ...

    @property
    def own_elements(self) -> OwnElements | None:
        """What tells its elements and texts without an accessibility service and without reading the picture; None
        where it cannot do that by itself."""
        ...

    @property
    def shutters(self) -> Sequence[str]:
        """What no picture of it shows, as the command line writes it."""
        ...

    async def observe(self, needs: ImageNeeds) -> Frame:
        """Capture a fresh frame with everything known at this moment."""
        ...

    async def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        """The frame encoded for a model: scaled at most once, to `frame.geometry.sent`, or smaller where it would have
        more bytes than `needs` allow. The model's points refer to its `size`."""
        ...

    async def zoom(self, frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
        """A region of the frame from its native pixels, for a Zoom call."""
        ...

    async def hide_passwords(self, areas: Sequence[HiddenArea]) -> bool:
        """Make fields for passwords, and what may be one, black in all pictures from the next one on, instead of those
        before; whether they differ."""
        ...

    async def glimpse(self) -> Frame:
        """Capture only pixels and position; points still refer to the frame that was observed last."""
        ...

    async def settle(
        self, before: Frame, *, at: NativePoint | None, lower_s: float, upper_s: float,
        expect: Callable[[Frame], None] | None = None,
    ) -> SettleReason:  # fmt: skip
        """Wait until the screen stops changing, at least `lower_s`, at most `upper_s`.

        Args:
            before: the screen before the input.
            at: the native pixel of the input; None: keys.
            lower_s: lower bound in seconds.
            upper_s: upper bound in seconds.
            expect: called, on the event loop, with a frame that the next one will show if nothing changes any more.
        """
        ...

    async def late_change(self, since: Frame) -> bool:
        """Whether an effect comes late, after a `settle` that saw none: watches for some seconds while the model
        thinks about `since`. False at once where `settle` saw an effect. May be cancelled."""
        ...

    async def receiver(self, at: NativePoint | None) -> WindowInfo | None:
        """The window that input would reach now, at a native pixel of the last frame, or (None) by keys, once
        prepare_input has given it the focus. The console's windows are ignored. None: the bare desktop, or no window
        of the target has the focus or can be given it."""
        ...

    async def keyboard_focus(self) -> KeyboardFocus:
        """Where keys would go now, without prepare_input."""
        ...

    async def prepare_input(self, at: NativePoint | None, needs_focus: bool, path: Sequence[NativePoint] = ()) -> None:
        """Move the console's windows out of the way of `at` and `path`; with `needs_focus`, give the target the focus
        and wait, for a bounded time, until its application has noticed. Raises ComputerRejected, naming the window that
        is in the way."""
        ...

    def watch_console_focus(self, told: Callable[[bool], None]) -> None:
        """Call `told` on the event loop before each input, with whether one of the console's windows has the keyboard
        focus; never where the target has a keyboard focus of its own."""
        ...

    async def after_input(self) -> None:
        """Undo what prepare_input did to the console's windows."""
        ...

    async def changed(self, before: Frame) -> bool | None:
        """Whether the screen now differs from an earlier frame, except where it changes by itself (carets, clocks).
        None: it cannot be determined, because a video plays there."""
        ...

    async def differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        """The screen now, as by glimpse, and the areas (native pixels) where it differs from an earlier frame; no areas
        where the target's size or position has changed."""
        ...

    async def page_text(self) -> str | None:
        """The address, the tabs and the text of the page that a managed browser shows; None where there is none.

        Raises ComputerUnavailable, ComputerTimedOut.
        """
        ...

    def take_news(self) -> Sequence[Downloaded | Blocked]:
        """What a managed browser has downloaded, and was kept from reaching, since the last call."""
        ...

    async def still_shows(self, checks: Sequence[ScreenCheck]) -> bool:
        """Whether the screen passes the checks that are made again right before input: similar, not equal."""
        ...

    async def close(self) -> None:
        """Release it."""
        ...


class Injector(Protocol):
    """The only door to input."""

    async def perform(self, grant: Grant, secret: str = "") -> Outcome:
        """Carry out the grant, once. Refusals and stops are Outcomes, never raised. Raises ComputerTimedOut where the
        child process is alive but does not answer.

        Args:
            grant: the grant.
            secret: what the placeholder stands for that is the whole text that the grant types; "" for none.
        """
        ...

    async def release_all(self) -> int:
        """Release the keys and buttons that the agent holds down; returns how many there were."""
        ...


class EffectPort(Protocol):
    """Carries out actions that are not input: launching, shell commands, file edits, own functions."""

    async def describe(self) -> Sequence[ToolSpec]:
        """Functions to offer to the model by name; none where the dialects have their own calls for its actions.

        Raises:
            OperatorError: a function cannot be offered.
        """
        ...

    def handles(self, action: Action) -> bool:
        """Whether it carries out this action."""
        ...

    async def perform(self, grant: Grant) -> Outcome:
        """Carry out the grant, once; cancelling ends what it started. Refusals and stops are Outcomes, never raised."""
        ...

    @property
    def problems(self) -> Sequence[OperatorError]:
        """What could not be offered when it was described, without which a session can run."""
        ...

    async def close(self) -> None:
        """End everything it has started; not usable afterwards."""
        ...


class Guard(Protocol):
    """The client of the process that stops."""

    @property
    def liveness(self) -> StopLiveness:
        """Whether the stop works, as last reported."""
        ...

    @property
    def epoch(self) -> int:
        """Part of every grant; increases at each stop, pause and resume."""
        ...

    @property
    def grant_key(self) -> bytes:
        """The per-run key that grants are sealed with (32 bytes)."""
        ...

    def subscribe(self, listener: GuardListener) -> Callable[[], None]:
        """Register a listener; the returned callable removes it."""
        ...

    async def arm(self, *, session: str, target: TargetRef) -> None:
        """Take the display's lock, write `armed`, test the stop, start an injector. Raises OperatorError (latched,
        locked by another session, stop not working)."""
        ...

    async def disarm(self) -> None:
        """End in order: release all input, end the injector, clear `armed`, release the lock."""
        ...

    async def set_gate(self, *, open_: bool, why: PauseCause | WaitsFor = PauseCause.HUMAN) -> None:
        """Shut or open the injector's gate. Once shutting returns, no further primitive is sent.

        `why` it is shut is what `status` says; a later call may change it.
        """
        ...

    async def set_review_open(self, open_: bool) -> None:
        """Listen for the approve chord or not."""
        ...

    async def stop(self, cause: StopCause, detail: str = "") -> None:
        """Stop now; `on_stop` follows."""
        ...


class Reader(Protocol):
    """Reads text off frames."""

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        """Texts in a region (None: everywhere), native pixels, reading order. Reading everywhere has low priority."""
        ...

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        """What stands at a point of the frame and near it, before anything else that is being read.

        Args:
            frame: the frame to read.
            point: native pixels.
            extent: the control at the point, native pixels; None: not known.

        Never raises: where reading fails, the text is UNREADABLE.
        """
        ...

    def box_around(self, frame: Frame, point: NativePoint) -> Rect | None:
        """The box (button, field, tab, card) that the picture shows around a point, native pixels; None where there
        is none. Takes some milliseconds."""
        ...

    def icon(self, frame: Frame, place: Rect | NativePoint) -> str:
        """What a drawn icon in an extent or at a point (native pixels) stands for, as of `Control.icon`."""
        ...

    def caret(self, before: Frame, now: Frame) -> Rect | None:
        """The text caret, native pixels, where nothing but it differs between two pictures; None otherwise. Takes some
        milliseconds."""
        ...

    async def close(self) -> None:
        """End its process."""
        ...


class Elements(Protocol):
    """Asks applications for their accessible elements.

    Every query is bounded in time and in the number of elements, and never raises: where there is no answer in time,
    nothing is known.
    """

    async def at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        """The deepest element at each point, in order; None where none is known. Only elements of the window that owns
        the point in the frame, and of processes other than the console's."""
        ...

    async def focused(self, frame: Frame, *, unhurried: bool = False) -> Element | None:
        """The element that has the keyboard focus now, in the frame's focused window.

        Asked anew each time, also for the same picture: the focus can move without a visible change. It is told in
        the time that a decision has, or not at all; `unhurried` in as much as an application with very many elements
        needs.
        """
        ...

    async def fields(self, frame: Frame, limit: int = 12) -> Sequence[Element]:
        """What can be typed into in the frame's focused window."""
        ...

    async def actionable(self, frame: Frame, limit: int = 300) -> Sequence[Element]:
        """Visible elements of the target that can be pressed, typed into or chosen, in reading order."""
        ...

    async def passwords(self, frame: Frame, within_s: float) -> Sequence[HiddenArea] | None:
        """Where the target shows fields for passwords; None where nobody tells.

        Of an application that has answered before, and now does not within this many seconds, the windows as `UNTOLD`.
        """
        ...

    async def exposure(self, frame: Frame) -> Exposure:
        """What the application of the frame's focused window tells."""
        ...

    async def close(self) -> None:
        """End its process and restore what was switched on."""
        ...


class OwnElements(Elements, Protocol):
    """The elements and texts that a target tells by itself."""

    @property
    def switches_on(self) -> bool:
        """Whether something is switched on for it until `close`."""
        ...

    async def start(self) -> None:
        """Prepare for the first question. Never raises."""
        ...

    async def visible(self, frame: Frame) -> Sequence[Element]:
        """The visible elements that a person can read or use, in reading order."""
        ...

    async def listed(self, frame: Frame) -> Sequence[Element]:
        """As `visible`, in less time."""
        ...

    async def texts(self, frame: Frame) -> tuple[Sequence[TextBox], Sequence[Rect]] | None:
        """The lines of text that can be seen, and the pictures among them, whose text is not told; None where that is
        not known in time. Native pixels."""
        ...


class Journal(Protocol):
    """The session record. Only `close` waits for the disk; it is called in a thread."""

    @property
    def path(self) -> str:
        """The file."""
        ...

    @property
    def backlog_bytes(self) -> int:
        """Bytes of pictures and raw answers queued in memory."""
        ...

    def watch(self, written: Callable[[int], None], failed: Callable[[RecordError], None]) -> None:
        """Register callbacks, which may be called in any thread.

        Args:
            written: everything up to this sequence number is durable.
            failed: the next event cannot be written (disk full, read-only); called again when a `retry` fails.
        """
        ...

    def append(self, event: Event) -> Record:
        """Number, timestamp and queue one event; events are written in order."""
        ...

    def retry(self) -> None:
        """Try again after a failure."""
        ...

    def put_blob(self, digest: str, data: bytes, mime_type: str) -> None:
        """Store a picture or raw answer under its SHA-256, unless it is stored already."""
        ...

    def close(self) -> None:
        """Write what is queued and merge everything into the one file. Blocks as long as the disk takes."""
        ...


class SecretPort(Protocol):
    """The secrets that can be typed by name."""

    @property
    def secrets(self) -> Sequence[NamedSecret]:
        """All of them, without their values."""
        ...

    def value(self, name: str) -> str:
        """The value of one of them."""
        ...

    async def asks_silently(self, pid: int) -> bool:
        """Whether the terminal of a process asks for a password now; False where that is not known."""
        ...


class Audience(Protocol):
    """Observes a session (the window, the terminal). Called on the session's loop, after the event was queued."""

    def on_record(self, record: Record) -> None:
        """An event was recorded."""
        ...

    def on_state(self, state: State) -> None:
        """The session's state has changed."""
        ...

    def on_frame(self, frame: Frame) -> None:
        """The model is shown a frame (the live preview has its own source)."""
        ...


class Clock(Protocol):
    """Time; tests replace it."""

    def monotonic(self) -> float:
        """Seconds, the machine's monotonic clock."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; can be cancelled."""
        ...
