"""What the engine needs of the other rooms, as small protocols; app.py hands in things that fit them.

Rooms do not import this module's classes: they fit by shape, and mypy checks it where app.py (and the tests) join them.
Nothing here does anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from operator_console.domain.decisions import Grant, Outcome
from operator_console.domain.errors import RecordError
from operator_console.domain.events import Event, PauseCause, Record, StopCause
from operator_console.domain.frames import Frame, ImageNeeds, Picture, SettleReason, TargetRef, TextBox, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.states import State
from operator_console.domain.stopping import StopLiveness, StopReport


class Computer(Protocol):
    """What is captured and driven. All methods raise ComputerUnavailable(reason) where it cannot be seen."""

    @property
    def target(self) -> TargetRef:
        """What it is."""
        ...

    async def observe(self, needs: ImageNeeds) -> Frame:
        """A fresh capture with everything known at this moment."""
        ...

    async def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        """The frame encoded for a model: scaled at most once, to `frame.geometry.sent`, or smaller where it would have
        more bytes than the model takes; its `size` is what the model's points refer to."""
        ...

    async def zoom(self, frame: Frame, region: Rect, needs: ImageNeeds) -> Picture:
        """A region of the frame from its native pixels, for a Zoom call."""
        ...

    async def glimpse(self) -> Frame:
        """The picture now, pixels and place only; points still refer to the frame that was observed last."""
        ...

    async def settle(self, before: Frame, *, at: NativePoint | None, lower_s: float, upper_s: float) -> SettleReason:
        """Wait until the picture stopped changing, not shorter than `lower_s` nor longer than `upper_s`. `before` is
        as it was before the input, `at` where that went (None: by its keys), a native pixel."""
        ...

    async def late_change(self, since: Frame) -> bool:
        """After a settle that saw no plain effect: whether one comes after all, some seconds long. No, at once, where
        there was one. Called while the model thinks about `since`, and cancelled when it has answered."""
        ...

    async def receiver(self, at: NativePoint | None) -> WindowInfo | None:
        """The window that an input would reach now: at a native pixel of the last frame, or (None) by its keys, our
        own windows passed over. None: the bare desktop, or nobody on the target has the focus."""
        ...

    async def prepare_input(self, at: NativePoint | None, needs_focus: bool, path: Sequence[NativePoint] = ()) -> None:
        """Before an input: get our own windows out of the way of `at` and of the further points of a `path`, and (keys,
        text) see to it that the target has the focus. Raises ComputerRejected naming who stands in the way."""
        ...

    async def after_input(self) -> None:
        """Undo what prepare_input did to our own windows."""
        ...

    async def changed(self, before: Frame) -> bool | None:
        """Whether the picture differs from an earlier one now, but for places that change by themselves (carets,
        clocks); None: it cannot be told from a film that runs there."""
        ...

    async def differences(self, before: Frame) -> tuple[Frame, tuple[Rect, ...]]:
        """The picture now, as by glimpse, and the places (native pixels) in which it differs from an earlier one; no
        places where the target has another size or place now."""
        ...

    async def close(self) -> None:
        """Let go of it."""
        ...


class Injector(Protocol):
    """The only door to input."""

    async def perform(self, grant: Grant) -> Outcome:
        """Do what the grant says, once. Never raises for a refusal or a stop: the Outcome says so. Raises
        ComputerTimedOut where no answer came and the child still lives."""
        ...

    async def release_all(self) -> int:
        """Release keys and buttons the agent still holds (before a question, at the end); how many there were."""
        ...


class GuardListener(Protocol):
    """What a session hears from the guard, on its own event loop."""

    def on_stop(self, report: StopReport) -> None:
        """The injector is dead, everything is released, the display is latched."""
        ...

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        """The gate is shut: the pause chord, a silent lease, no live stop."""
        ...

    def on_resume(self, cause: PauseCause) -> None:
        """A pause that ends by itself (the lease was answered again before it lapsed)."""
        ...

    def on_approve(self) -> None:
        """The approve chord was pressed while a card review was open."""
        ...


class Guard(Protocol):
    """The client of the process that stops."""

    @property
    def liveness(self) -> StopLiveness:
        """As last reported."""
        ...

    @property
    def epoch(self) -> int:
        """Goes into every grant; moves on at each stop, pause and resume."""
        ...

    @property
    def grant_key(self) -> bytes:
        """The per-run key that approval seals with (32 bytes)."""
        ...

    def subscribe(self, listener: GuardListener) -> Callable[[], None]:
        """Hear it; the returned callable ends that."""
        ...

    async def arm(self, *, session: str, target: TargetRef) -> None:
        """Take the display's lock, write `armed`, prove the stop, make an injector. Raises OperatorError (latched,
        locked by another, no live stop)."""
        ...

    async def disarm(self) -> None:
        """An orderly end: release everything, end the injector, clear `armed`, let go of the lock."""
        ...

    async def set_gate(self, *, open_: bool) -> None:
        """Shut or open the injector's gate (pause, questions). Shutting returns when no further primitive is sent."""
        ...

    async def set_review_open(self, open_: bool) -> None:
        """Whether the approve chord is listened for."""
        ...

    async def stop(self, cause: StopCause, detail: str = "") -> None:
        """Stop now (the button, the bar); `on_stop` follows."""
        ...


class Reader(Protocol):
    """Reads text off frames (OCR in its own process, accessibility); cached by picture."""

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        """Texts in a region (None: everywhere), native pixels, reading order."""
        ...

    async def close(self) -> None:
        """End its process."""
        ...


class Journal(Protocol):
    """The session record. Nothing here waits for the disk but `close`, which is called off the loop."""

    @property
    def path(self) -> str:
        """The file."""
        ...

    @property
    def backlog_bytes(self) -> int:
        """Bytes of pictures and raw answers that wait in memory to be written."""
        ...

    def watch(self, written: Callable[[int], None], failed: Callable[[RecordError], None]) -> None:
        """Hear of the writing, from any thread.

        Args:
            written: everything up to this number is durable.
            failed: the next event cannot be written (disk full, read-only); told again after a `retry` in vain.
        """
        ...

    def append(self, event: Event) -> Record:
        """Number, stamp and queue one event; it is written soon, in order."""
        ...

    def retry(self) -> None:
        """Try again to write what could not be written."""
        ...

    def put_blob(self, digest: str, data: bytes, mime_type: str) -> None:
        """Keep a picture or a raw answer under its SHA-256; a second time is free."""
        ...

    def close(self) -> None:
        """Write what is queued and make the file the whole. Blocks as long as the disk takes."""
        ...


class Audience(Protocol):
    """Who watches a session: the window, the terminal. Called on the session's loop, once the record was handed it."""

    def on_record(self, record: Record) -> None:
        """Something happened."""
        ...

    def on_state(self, state: State) -> None:
        """The session is in another state."""
        ...

    def on_frame(self, frame: Frame) -> None:
        """A frame the model was shown (the live preview has its own source)."""
        ...


class Clock(Protocol):
    """Time, so that tests need not wait."""

    def monotonic(self) -> float:
        """Seconds, the machine's monotonic clock."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; ends at once when cancelled."""
        ...
