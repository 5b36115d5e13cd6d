"""What the window needs from the rest of the program: protocols and the values they carry. Free of Qt.

Everything runs on the window's event loop unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from operator_console.domain.actions import Action
from operator_console.domain.api_keys import KeyPlace
from operator_console.domain.decisions import Assessment
from operator_console.domain.elements import Element, Exposure
from operator_console.domain.errors import ConsoleError, TaskMistake
from operator_console.domain.events import Record
from operator_console.domain.frames import Frame, TargetKind
from operator_console.domain.geometry import Rect, ScreenPoint, Size
from operator_console.domain.hand_input import HandInput
from operator_console.domain.hotkeys import HotkeyChords
from operator_console.domain.intents import Intent
from operator_console.domain.prices import Price
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.scope import SuggestedScope
from operator_console.domain.secrets_by_name import NamedSecret
from operator_console.domain.session_request import (
    DEFAULT_LEAD_TIME_S,
    DEFAULT_MAX_MINUTES,
    DEFAULT_MAX_STEPS,
    MachinePassword,
    SessionRequest,
)
from operator_console.domain.snapshot_acts import MachineSnapshot, SnapshotAct
from operator_console.domain.states import State
from operator_console.domain.stopping import StopCause, StopLiveness
from operator_console.domain.target_tests import TargetReport
from operator_console.domain.tools import SandboxTool
from operator_console.engine.ports import Audience
from operator_console.ui.profile_values import CheckReport, ModelProfile, ModelSettings
from operator_console.ui.theme_choice import DEFAULT_LOOK, Look
from operator_console.ui.window_place import RememberedSetup, WindowPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetChoice:
    """A target to choose.

    Attributes:
        spec: as the command line writes it ("monitor:1").
        title: for people ("Monitor 1 · 1440 × 900").
        picture: a picture of it, where one is at hand.
        kind: what it is, which is also its group in the list.
        app: a window's application; "" if unknown.
        state: why it cannot be seen now, in a few words ("Minimised"); "" if it can.
        trouble: as `state`, in sentences, with what to do about it; "" if it can be used.
        closed: it was chosen and has closed; it stays listed so that no other target replaces it silently.
        running: an isolated desktop that exists already.
        pid: a window's process; None if unknown. The id of a closed window is given to others.
        machine: the name that the settings know it by, for one machine ("vm:debian"); "" for others.
    """

    spec: str
    title: str
    kind: TargetKind = TargetKind.WINDOW
    picture: Frame | None = None
    app: str = ""
    state: str = ""
    trouble: str = ""
    closed: bool = False
    running: bool = False
    pid: int | None = None
    machine: str = ""

    @property
    def live(self) -> bool:
        """Whether it exists before a session, so that it has a picture."""
        return not self.closed and (self.running or not self.kind.starts_with_session)


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineOptions:
    """What is set for one machine.

    Attributes:
        layout: its keyboard layout by its name in XKB; "": as for all machines of its kind.
        paste: whether text that its layout lacks goes through its clipboard; None: as for all machines.
        qmp: the path of its monitor's socket; "" for none.
    """

    layout: str = ""
    paste: bool | None = None
    qmp: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineDefaults:
    """What holds for a machine that sets nothing, and the layouts to choose from.

    `layout`: "" for that of this computer.
    """

    layout: str
    paste: bool
    layouts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSketch:
    """What is drawn on the real desktop about the target of a session.

    Attributes:
        rect: the picture's place, in input units.
        window_id: the window, if the target is one.
        ring: where the next action will land, in input units; None for nowhere.
        ring_colour: as 0xRRGGBB.
    """

    rect: Rect
    window_id: int | None = None
    ring: ScreenPoint | None = None
    ring_colour: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownElements:
    """The accessible elements that the console knows on a target.

    Attributes:
        elements: those that can be pressed, typed into or chosen, in reading order.
        exposure: what the application with the focus tells.
        native: the size of the picture that their boxes refer to.
        switched_on: whether accessibility is switched on on this desktop until `forget_elements`.
    """

    elements: tuple[Element, ...] = ()
    exposure: Exposure
    native: Size
    switched_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A model to choose.

    Attributes:
        title: for people ("gemini-3.8-flash", "Runbook: written steps, no AI").
        profile: the model profile that this is; "" for none.
        summary: what a profile is made of; "" for none.
        needs_key: whether the service requires a key; has_key: whether one was found (keyring or environment).
        takes_key: whether the service may want a key.
        key_place: where its key is kept; None if there is none.
        key_page: address of the page where a person gets a key; "" if there is none.
        service: the name of the service, for people ("Google Gemini").
        leaves: what leaves this machine and where it goes, in sentences; "" if nothing does.
        told: whether the operator has been told so before.
        price: of its tokens; None if it is not known, and then no cost limit can be set.
        max_cost: the cost limit to begin with; None for none.
        max_steps, max_minutes: the limits of a profile; None where it has none.
        answers_text: whether it answers a text without a picture in words.
        runbook: whether the task is written in the language of runbooks.
    """

    provider: str
    model: str
    title: str
    profile: str = ""
    summary: str = ""
    needs_key: bool = False
    takes_key: bool = False
    has_key: bool = True
    key_place: KeyPlace | None = None
    key_page: str = ""
    service: str = ""
    leaves: str = ""
    told: bool = True
    price: Price | None = None
    max_cost: Decimal | None = None
    max_steps: int | None = None
    max_minutes: float | None = None
    answers_text: bool = False
    runbook: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Latch:
    """The display is stopped until a human resets it. `since`: RFC 3339, "" where unknown."""

    reason: StopCause | None
    detail: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A session that a terminal runs on this display.

    Attributes:
        pid: of its process; 0 where unknown.
        since: when it began to work, or to wait where `paused`; RFC 3339, "" where unknown.
        record: the name of its file.
    """

    pid: int
    since: str
    paused: bool
    record: str


class InputDevices(Protocol):
    """Tells the presses of physical devices from those of programs."""

    def watch(self, watcher: int, *, pointer: bool, keys: bool) -> None:
        """Note the presses of pointers, touches and keys that any watcher wants, from now on.

        Said again, it takes in what came meanwhile.
        """
        ...

    def from_device(self, time_ms: int) -> bool:
        """Whether the press or release of this time of the display came from physical devices alone."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardStatus:
    """Whether the stop works now, and the hotkeys.

    Attributes:
        liveness: whether pressing the stop hotkey would stop.
        latch: set while stopped.
        elsewhere: set while a terminal runs a session here.
        human_input_s: time.monotonic() of the last input from a real device; None if unknown or none yet.
        devices_told: whether input of a person can be told from that of programs here; None: not known yet.
        stop_chord, pause_chord, approve_chord: for display ("Ctrl+Alt+X"); "" where no keys are heard.
    """

    liveness: StopLiveness
    latch: Latch | None = None
    elsewhere: Elsewhere | None = None
    human_input_s: float | None = None
    devices_told: bool | None = None
    stop_chord: str = "Ctrl+Alt+X"
    pause_chord: str = "Ctrl+Alt+P"
    approve_chord: str = "Ctrl+Alt+Enter"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTools:
    """What a session can use besides mouse and keyboard.

    Attributes:
        servers: all MCP servers of the settings; enabled: those that a session uses unless it names others.
        sandboxable: the tools that can be switched on; sandboxed: those that the settings switch on.
        folder: their working folder by the settings; "" for a new one in each session.
        functions: the paths of own functions, all of which a session offers.
    """

    servers: tuple[str, ...] = ()
    enabled: tuple[str, ...] = ()
    sandboxable: tuple[SandboxTool, ...] = ()
    sandboxed: tuple[SandboxTool, ...] = ()
    folder: str = ""
    functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """The operator's saved choices, and the initial values of the set-up column.

    Attributes:
        start_page_seen: whether a session was run, or the start page closed, so that it is not shown by itself again.
        only_devices: whether a yes, Reset and Start count only from a physical device, where devices can be told.
        resume_after_hand: whether a pause for the person's hand ends by itself.
        headless: whether a browser has no window.
        programs: what is started with an isolated desktop, by name.
        hide_passwords, hide: what the model is not shown, as of `settings.model.Privacy`.
        sites: what a browser may reach; (): everything that is not blocked. Shown, never saved, as are the tools.
    """

    look: Look = DEFAULT_LOOK
    reduced_motion: bool = False
    loupe: bool = True
    target_frame: bool = True
    lead_time_s: float = DEFAULT_LEAD_TIME_S
    typing_delay_s: float = 0.0
    press_time_s: float = 0.04
    pastes: bool = False
    accessibility: bool = True
    tombstones: bool = False
    only_devices: bool = True
    resume_after_hand: bool = False
    hide_passwords: bool = True
    hide: tuple[str, ...] = ()
    allow: tuple[Category, ...] = ()
    target: str = "monitor:1"
    provider: str = ""
    model: str = ""
    profile: str = ""
    autonomy: Autonomy = Autonomy.GUARDED
    max_steps: int = DEFAULT_MAX_STEPS
    max_minutes: float = DEFAULT_MAX_MINUTES
    start_page_seen: bool = False
    headless: bool = False
    programs: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    tools: OfferedTools = OfferedTools()


class SessionOutcome(StrEnum):
    """How a recorded session ended, or why it has no end."""

    RUNNING = "running"
    FINISHED = "finished"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    FAILED = "failed"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """A session file in the library.

    Attributes:
        named: whether somebody gave the file its name.
        task: its beginning, if it is very long.
        started: RFC 3339, UTC; of a file that cannot be read, when it was changed.
        runs: how often it was started or went on; `steps`: what the model answered in all of them.
        length_s: how long they took together.
        picture: digest of the last picture that the model was shown; "" if there is none.
        trouble: why the file cannot be read, in sentences; "" if it can.
    """

    path: Path
    task: str
    named: bool = False
    started: str = ""
    outcome: SessionOutcome = SessionOutcome.INTERRUPTED
    runs: int = 1
    steps: int = 0
    length_s: float = 0.0
    size_bytes: int = 0
    target: str = ""
    model: str = ""
    picture: str = ""
    trouble: str = ""

    @property
    def is_runbook(self) -> bool:
        """Whether it played a runbook, and no model was asked."""
        return self.model == "runbook"


class VerifyFinding(StrEnum):
    """What a verification found."""

    INTACT = "intact"
    DAMAGED = "damaged"
    RECORDED_ELSEWHERE = "recorded_elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """What a verification found. `remarks`: problems, or limits of the verification, in sentences."""

    finding: VerifyFinding
    events: int = 0
    blobs: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Where this program keeps its files."""

    sessions: Path
    logs: Path
    settings: Path


class PictureSource(Protocol):
    """Pictures stored in a record."""

    def blob(self, digest: str) -> bytes | None:
        """The encoded picture with this digest; None if the record lacks it."""
        ...


class SessionHandle(PictureSource, Protocol):
    """A session started in the window."""

    @property
    def path(self) -> Path:
        """Its session file."""
        ...

    @property
    def state(self) -> State:
        """Its current state."""
        ...

    def renamed(self, path: Path) -> None:
        """Its session file, which is complete, has this path now."""
        ...

    def post(self, intent: Intent) -> None:
        """Send it what the human wants; returns at once."""
        ...

    def by_hand(self, given: HandInput) -> None:
        """Give it the operator's own input for its target; returns at once. Nothing unless that is permitted now."""
        ...

    def tell_of_hand(self, told: Callable[[str], None]) -> None:
        """Call `told` with a sentence for the operator from now on, where that input cannot be given."""
        ...

    async def judged(self, step: int, call: int, action: Action) -> Assessment | None:
        """Policy's assessment of an action of a waiting call as it is being edited, for display; None: not known."""
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
    def cut_off(self) -> bool:
        """Whether its last run has no end, and is not being written."""
        ...

    @property
    def note(self) -> str:
        """A remark for the user ("... its outcome is unknown"); "" for none."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeOffer:
    """The open practice window.

    Attributes:
        request: the session that plays its runbook.
        isolated: whether it stands in a desktop of its own instead of on the screen.
    """

    request: SessionRequest
    isolated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What to show first: a file to open, or a session to set up (and, with `start`, to start).

    Attributes:
        practice: the open practice window that `request` is for; None if it is for something else.
    """

    record: Path | None = None
    request: SessionRequest | None = None
    start: bool = False
    practice: PracticeOffer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeResult:
    """What the practice window says about the run so far, as a sentence, and whether every action arrived.

    Attributes:
        missing: each thing that is not as the runbook has it.
    """

    passed: bool
    words: str
    missing: tuple[str, ...] = ()


class ConsoleBackend(Protocol):
    """Everything behind the window. Methods raise ConsoleError."""

    async def list_targets(self) -> Sequence[TargetChoice]:
        """The available targets."""
        ...

    def watch_targets(self, on_targets: Callable[[Sequence[TargetChoice]], None]) -> Callable[[], None]:
        """The available targets, now and after each change, until the returned callable is called.

        `on_targets` runs on a worker thread.
        """
        ...

    async def picture(self, target: str) -> Frame:
        """One picture of a target. Raises ComputerUnavailable."""
        ...

    def address_trouble(self, address: str) -> str:
        """Why a browser cannot begin with this address, in sentences; "" if it can."""
        ...

    def site_trouble(self, site: str) -> str:
        """Why this is no site that a browser can be limited to, in sentences; "" if it is one."""
        ...

    def machine_address(self, text: str) -> str:
        """The address of a VNC machine, HOST:PORT, that a text gives; "" if it gives none."""
        ...

    @property
    def machines(self) -> Sequence[str]:
        """The addresses of VNC machines that sessions worked on, newest first."""
        ...

    async def forget_machine(self, address: str) -> None:
        """Take an address from `machines`. Its password and its accepted certificate stay."""
        ...

    def machine_options(self, machine: str) -> MachineOptions:
        """What is set for a machine, named as in the settings: "vnc:HOST:PORT" or "vm:NAME"."""
        ...

    def machine_defaults(self, machine: str) -> MachineDefaults:
        """What holds where it sets nothing."""
        ...

    def machine_trouble(self, machine: str, options: MachineOptions) -> str:
        """Why these cannot be set, in a sentence; "" if they can."""
        ...

    async def save_machine(self, machine: str, options: MachineOptions) -> None:
        """Set them. Raises OperatorError."""
        ...

    async def find_snapshot(self, machine: str) -> MachineSnapshot | None:
        """The snapshot that the console took of a machine; None for none. Raises OperatorError."""
        ...

    async def snapshot(self, act: SnapshotAct, machine: str) -> MachineSnapshot:
        """Take a snapshot of a machine, or go back to it, and record that. May take minutes.

        Raises OperatorError, also while a session works on it and is not paused.
        """
        ...

    async def accept_certificate(self, address: str, fingerprint: str) -> None:
        """Accept a machine's certificate from now on, by its SHA-256 in hex. Raises OperatorError."""
        ...

    @property
    def points_at_windows(self) -> bool:
        """Whether a person can choose a window by a click here: not in a Wayland session."""
        ...

    async def applications(self) -> Sequence[str]:
        """The names of the installed applications that an isolated desktop can start, in their order for people."""
        ...

    async def test_target(self, target: str, password: MachinePassword | None = None) -> TargetReport:
        """Test a target; the console is stopped afterwards, until `reset`. Cancelling ends it in order, without a stop.

        Raises ConsoleError if it is refused, LoginRefused for want of a password or an accepted certificate.
        """
        ...

    async def point_at_window(self) -> str:
        """Let the person click a window: its specification, "" if cancelled. Cancelling this releases the pointer."""
        ...

    def draw_target(self, sketch: TargetSketch | None) -> None:
        """Draw the target on the real desktop, wherever it is now; None: nothing. Returns at once."""
        ...

    async def bring_forward(self, target: str) -> None:
        """Restore a window that is minimised, raise it and give it the focus; nothing for other targets.

        Raises OperatorError if it does not get the focus, ComputerUnavailable if it is gone.
        """
        ...

    async def may_restart_browser(self, pid: int) -> bool:
        """Whether a program is a browser whose restart loses nothing: it opens its only window again by itself."""
        ...

    async def restart_browser(self, pid: int) -> None:
        """Close a browser as its window's button does, wait for its end, and start it again so that it tells its
        controls.

        Raises OperatorError if it does not close, or may not be restarted.
        """
        ...

    async def elements(self, target: str) -> KnownElements:
        """The elements that are known on a target now. Sends no input to it. Raises ComputerUnavailable."""
        ...

    async def forget_elements(self) -> None:
        """No more elements are asked for; puts back what was switched on for that."""
        ...

    async def models(self) -> Sequence[ModelChoice]:
        """The available models, the default first. May take long: it looks for keys in the system keyring."""
        ...

    async def store_key(self, choice: ModelChoice, key: str, place: KeyPlace) -> None:
        """Keep a key, that of the provider or of a profile alone: in the system keyring, or in memory (SESSION)."""
        ...

    async def forget_key(self, choice: ModelChoice) -> None:
        """Delete the key from memory and the system keyring. A key of the environment stays."""
        ...

    async def secrets(self) -> Sequence[NamedSecret]:
        """The secrets that can be typed by name, without their values. May take long. Raises KeyringUnusable."""

    async def store_secret(self, secret: NamedSecret, value: str) -> None:
        """Store or replace a secret in the system keyring. Raises OperatorError."""

    async def delete_secret(self, name: str) -> None:
        """Delete a secret from the system keyring. Raises KeyringUnusable."""

    async def keyring_trouble(self) -> str:
        """Why no key can be kept in the system keyring, as a sentence; "" if it can. May take long."""
        ...

    async def check_key(self, choice: ModelChoice) -> str:
        """Ask the service whether the key works for the model; a sentence for people. Raises ProviderError."""
        ...

    async def mark_told(self, request: SessionRequest) -> None:
        """Remember that the operator was told what leaves the machine for the service of this request."""
        ...

    async def sandbox_trouble(self) -> str:
        """Why nothing can be run in a sandbox here, and what to do about it, in sentences; "" if it can."""
        ...

    async def model_settings(self) -> ModelSettings:
        """All model profiles and the providers that they can be made of. May take long, as `models`."""
        ...

    async def save_profile(self, profile: ModelProfile, before: str, key: str | None) -> None:
        """Save a profile and its key.

        Args:
            profile: as edited.
            before: the name that it had; "" for a new one.
            key: a key of its own for the keyring; "" deletes the one it has, None leaves it.
        """
        ...

    async def delete_profile(self, name: str) -> None:
        """Delete a profile and its own key."""
        ...

    async def check_profile(self, profile: ModelProfile, before: str, key: str | None) -> CheckReport:
        """Check a profile as it is edited; arguments as for `save_profile`. Cancelling ends the request."""
        ...

    async def suggest_scope(self, choice: ModelChoice, target: TargetKind, task: str) -> SuggestedScope:
        """Ask the model, with the task alone, what the task needs on such a target. Cancelling ends the request."""
        ...

    async def task_mistake(self, choice: ModelChoice, task: str) -> TaskMistake | None:
        """What is wrong with a task as written for this model; None if nothing is."""
        ...

    async def open_practice(self, available: Rect, keep_clear: Sequence[Rect]) -> PracticeOffer:
        """Open the practice window; one that is open is closed first. `list_targets` names its target from then on.

        Args:
            available: the screen, in Qt's units. Counts where no isolated desktop can be started.
            keep_clear: what the practice window must not cover on it.
        """
        ...

    async def close_practice(self) -> None:
        """End the practice window and its desktop. Raises OperatorError while a session runs on it."""
        ...

    async def practice_result(self) -> PracticeResult:
        """Ask the practice window what it received."""
        ...

    async def start(
        self, request: SessionRequest, audience: Audience, password: MachinePassword | None = None
    ) -> SessionHandle:
        """Start a session. Cancelling undoes the start.

        Args:
            request: what to do.
            audience: receives everything from the first record on.
            password: of the VNC machine that is the target, as typed; None: the one that is kept.

        Raises LoginRefused if the machine takes another password, or its certificate has to be accepted.
        """
        ...

    def watch(
        self, target: str, on_frame: Callable[[Frame], None], on_trouble: Callable[[ConsoleError], None]
    ) -> Callable[[], None]:
        """Live frames of a target, until the returned callable is called.

        Both callables may run on a worker thread. `on_frame` also receives frames whose picture did not change (equal
        `frame_id`), so that the picture's age can be shown.
        """
        ...

    @property
    def guard(self) -> GuardStatus:
        """The last known status."""
        ...

    def subscribe_guard(self, hear: Callable[[GuardStatus], None]) -> Callable[[], None]:
        """Call `hear` at every change; the returned callable unsubscribes."""
        ...

    async def stop(self) -> None:
        """Stop everything: kill the injector, release input, latch. Works whether a session runs or not."""
        ...

    @property
    def hotkeys(self) -> HotkeyChords:
        """The global hotkeys, in pynput's notation."""
        ...

    def hotkey_trouble(self, chords: HotkeyChords) -> str:
        """Why these cannot be the global hotkeys, in a sentence; "" if they can."""
        ...

    async def use_hotkeys(self, chords: HotkeyChords) -> None:
        """Listen for these from now on, and save them. Raises OperatorError while a session runs or after a stop."""
        ...

    @property
    def services_told(self) -> Mapping[str, str]:
        """The services of which the operator was told what leaves the machine: titles, with addresses that were set, by
        what names them."""
        ...

    async def forget_told(self, service: str) -> None:
        """Tell about this one of `services_told` again before the next start."""
        ...

    async def reset(self) -> None:
        """Clear the latch for a human. Starts nothing."""
        ...

    def covered(self, window_id: int, part: Rect | None = None) -> bool:
        """Whether another program's window covers any of this window, or of a part of it in root coordinates; False if
        unknown."""
        ...

    async def set_held(self, on: bool) -> None:
        """Tell the guard whether the button of hold-to-run is held. Raises OperatorError."""
        ...

    @property
    def devices(self) -> InputDevices | None:
        """What tells presses of a person from those of programs; None where nothing does, or every press counts."""
        ...

    def has_focus(self) -> bool:
        """Whether one of the console's windows has the keyboard focus. Qt learns of a loss some 0.1 s too late."""
        ...

    def notify(self, title: str, text: str) -> None:
        """Show a desktop notification."""
        ...

    async def open_record(self, path: Path) -> OpenRecord:
        """Open a session file for reading. Raises RecordError."""
        ...

    async def sessions(self) -> Sequence[SessionSummary]:
        """The files in the sessions folder, newest first, then those that cannot be read."""
        ...

    async def session_picture(self, path: Path, digest: str) -> bytes | None:
        """The encoded picture with this digest of a session; None if it lacks it. Raises RecordError."""
        ...

    async def verify_session(self, path: Path) -> VerifyReport:
        """Check whether a session was changed or damaged. Raises RecordError."""
        ...

    async def export_session(self, path: Path, target: Path, on_progress: Callable[[int, int], None]) -> None:
        """Export a session to `target`, in the format of its suffix, replacing a file of that name.

        Cancelling this leaves nothing behind.

        Args:
            path: a session file.
            target: appears complete or not at all.
            on_progress: called on a worker thread with how many steps are written, of how many; (0, 0) while that is
                not known.
        """
        ...

    async def rename_session(self, path: Path, name: str) -> Path:
        """Give a session file another name in its folder; its new path. Never overwrites a file."""
        ...

    async def delete_session(self, path: Path) -> int:
        """Delete a session that does not run; the bytes freed."""
        ...

    async def interrupted(self) -> SessionSummary | None:
        """The session that was running when the last console died, unless it was offered before."""
        ...

    def watch_reduced_motion(self, on_change: Callable[[bool], None]) -> None:
        """Call `on_change` on a worker thread when the desktop asks for reduced motion, and when no more. Once."""
        ...

    @property
    def recent_tasks(self) -> Sequence[str]:
        """The tasks of the newest sessions that were set up here, newest first."""
        ...

    @property
    def remembered_setup(self) -> RememberedSetup | None:
        """The set-up of the last session, as the window showed it; None where none is known."""
        ...

    async def remember_start(self, task: str, setup: RememberedSetup | None) -> None:
        """Put a task in front of `recent_tasks`, and keep its set-up for the first picture of the next start."""
        ...

    async def remember_place(self, place: WindowPlace) -> None:
        """Keep the window's place for the next start."""
        ...

    @property
    def folders(self) -> Folders:
        """Where this program keeps its files."""
        ...

    @property
    def preferences(self) -> Preferences:
        """As last chosen."""
        ...

    async def save_preferences(self, preferences: Preferences) -> None:
        """Use them from now on and write them; returns when they, or newer ones, are written."""
        ...
