"""What the window needs of the rest of the program, as protocols and the values they carry.

app.py implements `ConsoleBackend`; the tests and the gallery bring one of their own. Not an implementation and not Qt:
nothing here does anything. Everything is called on the window's event loop unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from operator_console.domain.errors import ConsoleError
from operator_console.domain.events import Record, StopCause
from operator_console.domain.frames import Frame
from operator_console.domain.intents import Intent
from operator_console.domain.requests import (
    DEFAULT_MAX_MINUTES,
    DEFAULT_MAX_STEPS,
    LEAD_TIME_APP_S,
    SessionRequest,
)
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.states import State
from operator_console.domain.stopping import StopLiveness
from operator_console.engine.ports import Audience
from operator_console.ui.scheme import ThemeChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetChoice:
    """Something that can be worked here.

    Attributes:
        spec: as the command line writes it ("monitor:1").
        title: for people ("Monitor 1 · 1440 × 900").
        picture: how it looks now; None where that cannot be seen.
        trouble: why it cannot be worked now ("minimised"); "" where it can.
        closed: it was chosen and is gone; kept in the list so that no other target takes its place unasked.
    """

    spec: str
    title: str
    picture: Frame | None = None
    trouble: str = ""
    closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A model that a session can be given to.

    Attributes:
        title: for people ("Gemini 3.8 Flash", "Runbook: written steps, no AI").
        needs_key: whether the service wants a key; has_key: whether one is known (keyring or environment).
        leaves: what leaves this machine and to whom, in plain sentences; "" where nothing does.
        told: whether the operator has been told so before.
    """

    provider: str
    model: str
    title: str
    needs_key: bool = False
    has_key: bool = True
    leaves: str = ""
    told: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Latch:
    """The display is stopped until a human resets it. `since`: RFC 3339, "" where unknown."""

    reason: StopCause | None
    detail: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardStatus:
    """What the stop is worth now.

    Attributes:
        liveness: whether a press of the chord would stop.
        latch: set while stopped.
        human_input_s: time.monotonic() of the last input of a real device; None where unknown or none yet.
        stop_chord, pause_chord, approve_chord: as people write them ("Ctrl+Alt+X").
    """

    liveness: StopLiveness
    latch: Latch | None = None
    human_input_s: float | None = None
    stop_chord: str = "Ctrl+Alt+X"
    pause_chord: str = "Ctrl+Alt+P"
    approve_chord: str = "Ctrl+Alt+Enter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What the operator chose once and keeps; also the first values of the set-up column."""

    theme: ThemeChoice = ThemeChoice.SYSTEM
    reduced_motion: bool = False
    lead_time_s: float = LEAD_TIME_APP_S
    typing_delay_s: float = 0.0
    pastes: bool = False
    allow: tuple[Category, ...] = ()
    target: str = "monitor:1"
    provider: str = ""
    model: str = ""
    autonomy: Autonomy = Autonomy.GUARDED
    max_steps: int = DEFAULT_MAX_STEPS
    max_minutes: float = DEFAULT_MAX_MINUTES


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """A session file in the list. `outcome`: "finished", "stopped" ..., "" where it broke off."""

    path: Path
    task: str
    started: str = ""
    outcome: str = ""
    steps: int = 0
    size_bytes: int = 0


class PictureSource(Protocol):
    """Pictures kept in a record."""

    def blob(self, digest: str) -> bytes | None:
        """The encoded picture under a digest, None where the record lacks it."""
        ...


class SessionHandle(PictureSource, Protocol):
    """A session that was started."""

    @property
    def path(self) -> Path:
        """Its record."""
        ...

    @property
    def state(self) -> State:
        """Where it is."""
        ...

    def post(self, intent: Intent) -> None:
        """Tell it what the human wants; returns at once."""
        ...

    async def wait(self) -> ConsoleError | None:
        """Returns when it is over (ended, or stopped) and its record is closed: the error that ended it, if any."""
        ...


class OpenRecord(PictureSource, Protocol):
    """A session file opened for reading."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def records(self) -> Sequence[Record]:
        """Everything in it, in order."""
        ...

    @property
    def note(self) -> str:
        """What is to be said about it ("ends with an action whose outcome is unknown"); "" for nothing."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What the app was started for: a file to open, or a session to set up (and, with `start`, to begin)."""

    record: Path | None = None
    request: SessionRequest | None = None
    start: bool = False


class ConsoleBackend(Protocol):
    """Everything behind the window. Methods raise ConsoleError where something cannot be had."""

    async def list_targets(self) -> Sequence[TargetChoice]:
        """What can be worked here, with pictures."""
        ...

    async def models(self) -> Sequence[ModelChoice]:
        """What can be asked, the default first. May take long: it looks for keys in the system's keyring."""
        ...

    async def store_key(self, provider: str, key: str) -> None:
        """Put a key into the system's keyring."""
        ...

    async def check_key(self, provider: str, model: str) -> str:
        """Ask the service whether the key works for the model; a sentence for people. Raises ProviderError."""
        ...

    async def mark_told(self, provider: str) -> None:
        """Remember that the operator was told what leaves the machine for this provider."""
        ...

    async def start(self, request: SessionRequest, audience: Audience) -> SessionHandle:
        """Begin a session; `audience` hears everything from the first record on. Cancelling it undoes the start."""
        ...

    def watch(
        self, target: str, on_frame: Callable[[Frame], None], on_trouble: Callable[[ConsoleError], None]
    ) -> Callable[[], None]:
        """Live frames of a target, until the returned callable is called.

        Both callables are called from a worker thread, `on_frame` for every look at the target, also where the
        picture stayed the same (equal `frame_id`), so that its age can be shown.
        """
        ...

    @property
    def guard(self) -> GuardStatus:
        """As last heard."""
        ...

    def subscribe_guard(self, hear: Callable[[GuardStatus], None]) -> Callable[[], None]:
        """Hear of every change of it; the returned callable ends that."""
        ...

    async def stop(self) -> None:
        """The Stop button: kill, release, latch. Works whether a session runs or not."""
        ...

    async def reset(self) -> None:
        """A human reset the latch. Starts nothing."""
        ...

    def covered(self, window_id: int) -> bool:
        """Whether another program's window lies over part of this window of ours; False where nobody can tell."""
        ...

    def notify(self, title: str, text: str) -> None:
        """A desktop notification."""
        ...

    async def open_record(self, path: Path) -> OpenRecord:
        """Open a session file for reading. Raises RecordError."""
        ...

    async def sessions(self) -> Sequence[SessionSummary]:
        """The files in the sessions folder, newest first."""
        ...

    async def interrupted(self) -> SessionSummary | None:
        """The session that the last console left unfinished when it died, if its record has not been offered yet."""
        ...

    @property
    def preferences(self) -> Preferences:
        """As last chosen."""
        ...

    async def save_preferences(self, preferences: Preferences) -> None:
        """Use them from now on and write them; returns when they, or newer ones, are written."""
        ...
