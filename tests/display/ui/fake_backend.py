"""A backend for the window that tests and the gallery drive by hand: it keeps what was asked of it and says what it is
told to say. Not the program's: app makes the real one.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from PySide6.QtWidgets import QApplication

from operator_console.app.profile_editing import schema_of
from operator_console.domain.actions import Action
from operator_console.domain.api_keys import KeyPlace
from operator_console.domain.decisions import Assessment
from operator_console.domain.elements import Exposure
from operator_console.domain.errors import ConsoleError, LoginRefused, OperatorError, RecordError, TaskMistake
from operator_console.domain.events import Event, Observed, Record
from operator_console.domain.frames import Frame, TargetKind
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.hand_input import HandInput
from operator_console.domain.hotkeys import DEFAULT_HOTKEYS, HotkeyChords
from operator_console.domain.intents import Intent, Stop
from operator_console.domain.scope import SuggestedScope
from operator_console.domain.secrets_by_name import NamedSecret
from operator_console.domain.session_request import MachinePassword, SessionRequest
from operator_console.domain.snapshot_acts import MachineSnapshot, SnapshotAct
from operator_console.domain.states import Idle, State
from operator_console.domain.stopping import StopCause, StopLiveness
from operator_console.domain.target_tests import TargetReport
from operator_console.engine.ports import Audience
from operator_console.providers.registry import find, specs
from operator_console.settings.profiles import Profile
from operator_console.ui.backend import (
    Folders,
    GuardStatus,
    InputDevices,
    KnownElements,
    Latch,
    MachineDefaults,
    MachineOptions,
    ModelChoice,
    OpenRecord,
    PracticeOffer,
    PracticeResult,
    Preferences,
    SessionHandle,
    SessionOutcome,
    SessionSummary,
    TargetChoice,
    TargetSketch,
    VerifyFinding,
    VerifyReport,
)
from operator_console.ui.profile_values import (
    CheckOutcome,
    CheckReport,
    ModelProfile,
    ModelSettings,
    ProviderChoice,
)
from operator_console.ui.window_place import NO_PLACE, RememberedSetup, WindowPlace
from tests.display.ui.scene import TARGET, Story, frame_of

PROVIDERS = tuple(
    ProviderChoice(
        name=spec.name, title=spec.title, models=spec.models, default_model=spec.default_model,
        takes_key=bool(spec.key_env), needs_key=spec.needs_key, has_endpoint=bool(spec.sends_to),
        needs_endpoint=spec.key_optional, options=schema_of(spec.options()),
        values=spec.options()().model_dump(mode="json"),
    )
    for spec in specs()
)  # fmt: skip
RUNBOOK = ModelChoice(provider="runbook", model="", title="Runbook: written steps, no AI", runbook=True)
GEMINI = ModelChoice(
    provider="gemini", model="gemini-3.8-flash", title="gemini-3.8-flash", needs_key=True, has_key=False, told=False,
    takes_key=True, key_page="https://aistudio.google.com/apikey", service="Google Gemini", answers_text=True,
    leaves="Your task, your messages and every picture of the target go to Google (generativelanguage.googleapis.com).",
)  # fmt: skip


class FakeHandle:
    """A session that does nothing by itself. A posted Stop ends it, unless `ends_at_stop` is False."""

    def __init__(self, path: Path, story: Story) -> None:
        self.path = path
        self.story = story
        self.state: State = Idle()
        self.intents: list[Intent] = []
        self.by_hands: list[HandInput] = []
        self.over = asyncio.Event()
        self.ends_at_stop = True
        self.error: ConsoleError | None = None
        self.judgement: Assessment | None = None
        self.judges: list[Action] = []

    async def judged(self, _step: int, _call: int, action: Action) -> Assessment | None:
        self.judges.append(action)
        return self.judgement

    def post(self, intent: Intent) -> None:
        self.intents.append(intent)
        if isinstance(intent, Stop) and self.ends_at_stop:
            self.over.set()

    def by_hand(self, given: HandInput) -> None:
        self.by_hands.append(given)

    def tell_of_hand(self, told: Callable[[str], None]) -> None:
        self.hand_told = told

    def renamed(self, path: Path) -> None:
        self.path = path

    def blob(self, digest: str) -> bytes | None:
        return self.story.blobs.get(digest)

    async def wait(self) -> ConsoleError | None:
        await self.over.wait()
        return self.error


class FakeRecord:
    """A session file that was opened."""

    def __init__(self, path: Path, story: Story, note: str = "") -> None:
        self.path, self.note, self.cut_off = path, note, bool(note)
        self.records: Sequence[Record] = tuple(story.records)
        self.story = story
        self.closed = False

    def blob(self, digest: str) -> bytes | None:
        return self.story.blobs.get(digest)

    def close(self) -> None:
        self.closed = True


class FakeBackend:
    """Everything behind the window, in the test's hands."""

    def __init__(self, *, preferences: Preferences | None = None) -> None:
        self.story = Story()
        self.handle: FakeHandle | None = None
        self.audience: Audience | None = None
        self.requests: list[SessionRequest] = []
        self.suggested = SuggestedScope()
        self.suggestions: list[tuple[str, TargetKind, str]] = []
        self.suggestion_error: ConsoleError | None = None
        self.suggesting = asyncio.Event()
        self.passwords: list[MachinePassword | None] = []
        self.login_refused: list[LoginRefused] = []
        self.book: list[str] = []
        self.accepted: list[tuple[str, str]] = []
        self.points_at_windows = True
        self.tested: list[tuple[str, MachinePassword | None]] = []
        self.test_results: asyncio.Queue[TargetReport | ConsoleError] = asyncio.Queue()
        self.stops = self.resets = 0
        self.restartable: set[int] = set()
        self.restarted: list[int] = []
        self.not_restarted: ConsoleError | None = None
        self.chords = DEFAULT_HOTKEYS
        self.told_services = {
            "gemini": "Google Gemini",
            "qwen at https://bench.example.test:8000/v1": "Qwen at https://bench.example.test:8000/v1",
        }
        self.tasks: list[str] = []
        self.setup: RememberedSetup | None = None
        self.place = NO_PLACE
        self.brought_up: list[str] = []
        self.held: list[bool] = []
        self.notes: list[tuple[str, str]] = []
        self.told: list[str] = []
        self.keys: dict[str, str] = {}
        self.named: dict[str, tuple[NamedSecret, str]] = {}
        self.key_places: dict[str, KeyPlace] = {}
        self.no_keyring = ""
        self.practice: PracticeOffer | None = None
        self.practice_told = PracticeResult(passed=True, words="The practice window received every action.")
        self.practice_rooms: list[tuple[Rect, tuple[Rect, ...]]] = []
        self.isolated = True
        self.kept = preferences or Preferences(start_page_seen=True)
        self.live = StopLiveness(live=True, detail="", proven_s=time.monotonic())
        self._guard = GuardStatus(liveness=self.live)
        self._listeners: list[Callable[[GuardStatus], None]] = []
        self.refusal: ConsoleError | None = None
        self.unwritable: ConsoleError | None = None
        self.covering = False
        self.files: dict[Path, Story] = {}
        self.listed: list[SessionSummary] = []
        self.unlisted: ConsoleError | None = None
        self.file_error: ConsoleError | None = None
        self.pictures_read: list[Path] = []
        self.verdict = VerifyReport(finding=VerifyFinding.INTACT, events=61, blobs=9)
        self.exported: list[tuple[Path, Path]] = []
        self.export_lasts: asyncio.Event | None = None
        self.on_progress: Callable[[int, int], None] | None = None
        self.on_motion: Callable[[bool], None] | None = None
        self.broken: SessionSummary | None = None
        self.on_frame: Callable[[Frame], None] | None = None
        self.on_trouble: Callable[[ConsoleError], None] | None = None
        self.on_targets: Callable[[Sequence[TargetChoice]], None] | None = None
        self.pictured: list[str] = []
        self.forward: list[str] = []
        self.pointed: asyncio.Queue[str] = asyncio.Queue()
        self.drawn: TargetSketch | None = None
        self.watching = ""
        self.choices: list[ModelChoice] = [RUNBOOK, GEMINI]
        self.profiles: dict[str, ModelProfile] = {}
        self.profile_keys: list[tuple[str, str | None]] = []
        self.checked: list[tuple[ModelProfile, str, str | None]] = []
        self.no_sandbox = ""
        self.check_lasts: asyncio.Event | None = None
        self.report = CheckReport(outcome=CheckOutcome.WORKS, said="The model answers.", seconds=0.6)
        self.target_pictures = True
        self.gone: set[str] = set()
        self.known = KnownElements(exposure=Exposure.FULL, native=Size(1280, 800))
        self.asked_for_elements: list[str] = []
        self.no_elements: ConsoleError | None = None
        self.has_browser = self.has_machines = False
        self.machine_window = ""
        self.machine_settings: dict[str, MachineOptions] = {}
        self.snapshots: dict[str, MachineSnapshot] = {}
        self.snapshot_acts: list[tuple[SnapshotAct, str]] = []
        self.snapshot_lasts: asyncio.Event | None = None
        self.snapshot_error: ConsoleError | None = None

    # driven by the test

    def emit(self, event: Event) -> None:
        """The session writes a record."""
        assert self.audience is not None
        self.audience.on_record(self.story.add(event))

    def play(self) -> None:
        """The session wrote everything that the story has."""
        assert self.audience is not None
        for record in self.story.records:
            self.audience.on_record(record)

    def enter(self, state: State) -> None:
        """The session is elsewhere."""
        assert self.audience is not None
        self.audience.on_state(state)

    def say_guard(self, **changes: object) -> None:
        """The guard's status changes."""
        self._guard = replace(self._guard, **changes)  # type: ignore[arg-type]
        for hear in tuple(self._listeners):
            hear(self._guard)

    # the protocol

    async def list_targets(self) -> Sequence[TargetChoice]:
        picture = frame_of(self.story.image) if self.target_pictures else None
        listed = [
            TargetChoice(spec="monitor:1", title=TARGET.title, kind=TargetKind.MONITOR, picture=picture),
            TargetChoice(spec="window:0x7", title="Expense report — Chromium", app="Chromium", picture=picture),
            TargetChoice(spec="window:0x8", title="receipts.txt — xterm", app="XTerm", state="Minimised",
                         trouble="This window is minimised. Restore it to see it."),
            TargetChoice(spec="virtual", title="Virtual desktop · 1440 × 900", kind=TargetKind.VIRTUAL,
                         state="Starts with the session"),
        ]  # fmt: skip
        if self.has_browser:
            listed.append(TargetChoice(spec="browser", title="Browser", kind=TargetKind.BROWSER,
                                       state="Starts with the session"))  # fmt: skip
        if self.has_machines:
            listed.append(TargetChoice(spec="vnc", title="VNC machine", kind=TargetKind.VNC,
                                       state="Connects with the session"))  # fmt: skip
        if self.machine_window:
            listed.append(TargetChoice(spec=self.machine_window, title="Virtual machine · debian", kind=TargetKind.VM,
                                       machine="vm:debian"))  # fmt: skip
        if self.practice is not None:
            target = self.practice.request.target
            listed.insert(0, TargetChoice(spec=target, title="Plant diary (practice)", kind=TargetKind.VIRTUAL,
                                          picture=picture, running=True))  # fmt: skip
        return [choice for choice in listed if choice.spec not in self.gone]

    def watch_targets(self, on_targets: Callable[[Sequence[TargetChoice]], None]) -> Callable[[], None]:
        self.on_targets = on_targets

        def ended() -> None:
            self.on_targets = None

        return ended

    async def picture(self, target: str) -> Frame:
        self.pictured.append(target)
        return frame_of(self.story.image)

    def address_trouble(self, address: str) -> str:
        return "That is no web address." if " " in address else ""

    def site_trouble(self, site: str) -> str:
        return f"{site} is not a site." if "/" in site else ""

    def machine_address(self, text: str) -> str:
        found = text.strip()
        return "" if not found or " " in found else found if ":" in found else f"{found}:5900"

    @property
    def machines(self) -> Sequence[str]:
        return self.book

    async def forget_machine(self, address: str) -> None:
        self.book.remove(address)

    def machine_options(self, machine: str) -> MachineOptions:
        return self.machine_settings.get(machine, MachineOptions())

    def machine_defaults(self, machine: str) -> MachineDefaults:
        return MachineDefaults(layout="us", paste=False, layouts=("us", "gb", "de", "fr", "pl"))

    def machine_trouble(self, machine: str, options: MachineOptions) -> str:
        return (
            "Socket of QEMU’s monitor (QMP): write the socket's whole path, beginning with /."
            if options.qmp.startswith("~")
            else ""
        )

    async def save_machine(self, machine: str, options: MachineOptions) -> None:
        if self.unwritable is not None:
            raise self.unwritable
        self.machine_settings[machine] = options

    async def find_snapshot(self, machine: str) -> MachineSnapshot | None:
        return self.snapshots.get(machine)

    async def snapshot(self, act: SnapshotAct, machine: str) -> MachineSnapshot:
        self.snapshot_acts.append((act, machine))
        if self.snapshot_lasts is not None:
            await self.snapshot_lasts.wait()
        if self.snapshot_error is not None:
            raise self.snapshot_error
        made = MachineSnapshot(name="operator-console-20261129-003412", taken_s=1_795_912_452)
        return self.snapshots.setdefault(machine, made)

    async def accept_certificate(self, address: str, fingerprint: str) -> None:
        self.accepted.append((address, fingerprint))

    async def applications(self) -> Sequence[str]:
        return ("Calculator", "Mousepad")

    async def test_target(self, target: str, password: MachinePassword | None = None) -> TargetReport:
        self.tested.append((target, password))
        result = await self.test_results.get()
        if isinstance(result, ConsoleError):
            raise result
        return result

    async def point_at_window(self) -> str:
        return await self.pointed.get()

    def draw_target(self, sketch: TargetSketch | None) -> None:
        self.drawn = sketch

    async def bring_forward(self, target: str) -> None:
        self.forward.append(target)

    async def may_restart_browser(self, pid: int) -> bool:
        return pid in self.restartable

    async def restart_browser(self, pid: int) -> None:
        self.restarted.append(pid)
        if self.not_restarted is not None:
            raise self.not_restarted

    async def elements(self, target: str) -> KnownElements:
        self.asked_for_elements.append(target)
        if self.no_elements is not None:
            raise self.no_elements
        return self.known

    async def forget_elements(self) -> None:
        self.asked_for_elements.clear()

    async def models(self) -> Sequence[ModelChoice]:
        profiles = [
            ModelChoice(
                provider=each.values["provider"], model=each.values["model"], title=f"{each.name} (profile)",
                profile=each.name,
                max_steps=each.values.get("max_steps"), max_minutes=each.values.get("max_minutes"),
            )
            for each in self.profiles.values()
        ]  # fmt: skip
        return [*profiles, *(self._with_key(c) for c in self.choices)]

    def _with_key(self, choice: ModelChoice) -> ModelChoice:
        place = self.key_places.get(choice.provider, KeyPlace.KEYRING)
        return replace(choice, has_key=True, key_place=place) if choice.provider in self.keys else choice

    async def store_key(self, choice: ModelChoice, key: str, place: KeyPlace) -> None:
        self.keys[choice.profile or choice.provider] = key
        self.key_places[choice.profile or choice.provider] = place

    async def forget_key(self, choice: ModelChoice) -> None:
        self.keys.pop(choice.profile or choice.provider, None)

    async def secrets(self) -> Sequence[NamedSecret]:
        return [self.named[name][0] for name in sorted(self.named)]

    async def store_secret(self, secret: NamedSecret, value: str) -> None:
        if self.no_keyring:
            raise OperatorError(self.no_keyring)
        self.named[secret.name] = (secret, value)

    async def delete_secret(self, name: str) -> None:
        del self.named[name]

    async def keyring_trouble(self) -> str:
        return self.no_keyring

    async def task_mistake(self, choice: ModelChoice, task: str) -> TaskMistake | None:
        try:
            find(choice.provider).check_task(task)
        except TaskMistake as mistake:
            return mistake
        return None

    async def open_practice(self, available: Rect, keep_clear: Sequence[Rect]) -> PracticeOffer:
        self.practice_rooms.append((available, tuple(keep_clear)))
        request = SessionRequest(task='click "Save"', target="virtual:800x600", provider="runbook")
        self.practice = PracticeOffer(request=request, isolated=self.isolated)
        return self.practice

    async def close_practice(self) -> None:
        self.practice = None

    async def practice_result(self) -> PracticeResult:
        return self.practice_told

    async def check_key(self, choice: ModelChoice) -> str:
        return f"The key works for {choice.model}."

    async def suggest_scope(self, choice: ModelChoice, target: TargetKind, task: str) -> SuggestedScope:
        self.suggestions.append((choice.model, target, task))
        await self.suggesting.wait()
        if self.suggestion_error is not None:
            raise self.suggestion_error
        return self.suggested

    async def mark_told(self, request: SessionRequest) -> None:
        self.told.append(request.provider)

    async def sandbox_trouble(self) -> str:
        return self.no_sandbox

    async def model_settings(self) -> ModelSettings:
        return ModelSettings(
            profiles=tuple(self.profiles.values()), providers=PROVIDERS, schema=Profile.model_json_schema()
        )

    async def save_profile(self, profile: ModelProfile, before: str, key: str | None) -> None:
        if self.unwritable is not None:
            raise self.unwritable
        kept = replace(profile, own_key=profile.own_key if key is None else bool(key))
        others = [each for each in self.profiles.values() if each.name != before]
        self.profiles = {each.name: each for each in (*others, kept)}
        self.profile_keys.append((profile.name, key))

    async def delete_profile(self, name: str) -> None:
        del self.profiles[name]

    async def check_profile(self, profile: ModelProfile, before: str, key: str | None) -> CheckReport:
        self.checked.append((profile, before, key))
        if self.check_lasts is not None:
            await self.check_lasts.wait()
        return self.report

    async def start(
        self, request: SessionRequest, audience: Audience, password: MachinePassword | None = None
    ) -> SessionHandle:
        self.requests.append(request)
        self.passwords.append(password)
        if self.login_refused:
            raise self.login_refused.pop(0)
        if self.refusal is not None:
            raise self.refusal
        self.audience = audience
        self.handle = FakeHandle(Path("expense-report.ocsession"), self.story)
        return self.handle

    def watch(
        self, target: str, on_frame: Callable[[Frame], None], on_trouble: Callable[[ConsoleError], None]
    ) -> Callable[[], None]:
        self.watching, self.on_frame, self.on_trouble = target, on_frame, on_trouble

        def ended() -> None:
            self.watching, self.on_frame, self.on_trouble = "", None, None

        return ended

    @property
    def guard(self) -> GuardStatus:
        return self._guard

    def subscribe_guard(self, hear: Callable[[GuardStatus], None]) -> Callable[[], None]:
        self._listeners.append(hear)

        def ended() -> None:
            self._listeners.remove(hear)

        return ended

    async def stop(self) -> None:
        self.stops += 1
        self.say_guard(latch=Latch(reason=StopCause.BUTTON, since=self.story.now.isoformat()))

    @property
    def hotkeys(self) -> HotkeyChords:
        return self.chords

    def hotkey_trouble(self, chords: HotkeyChords) -> str:
        return "two of them are the same" if len(set(chords)) < 3 else ""

    async def use_hotkeys(self, chords: HotkeyChords) -> None:
        self.chords = chords

    @property
    def services_told(self) -> Mapping[str, str]:
        return self.told_services

    async def forget_told(self, service: str) -> None:
        del self.told_services[service]

    async def reset(self) -> None:
        self.resets += 1
        self.say_guard(latch=None)

    def covered(self, window_id: int, part: Rect | None = None) -> bool:
        return self.covering

    async def set_held(self, on: bool) -> None:
        self.held.append(on)

    @property
    def devices(self) -> InputDevices | None:
        return None

    def has_focus(self) -> bool:
        return QApplication.activeWindow() is not None

    def notify(self, title: str, text: str) -> None:
        self.notes.append((title, text))

    async def open_record(self, path: Path) -> OpenRecord:
        if path not in self.files:
            raise RecordError("This is no session file.", detail=str(path), remedy="Choose an .ocsession file.")
        return FakeRecord(path, self.files[path])

    async def sessions(self) -> Sequence[SessionSummary]:
        if self.unlisted is not None:
            raise self.unlisted
        return [*self.listed, *map(self._summary, self.files, itertools.count())]

    def _summary(self, path: Path, hours_ago: int) -> SessionSummary:
        story = self.files[path]
        started = (story.now - timedelta(hours=hours_ago)).isoformat()
        seen = [record.event.picture for record in story.records if isinstance(record.event, Observed)]
        return SessionSummary(
            path=path, task="Copy the receipt", started=started, outcome=SessionOutcome.FINISHED, steps=5,
            length_s=74, size_bytes=1_234_567, model="gemini-3.8-flash", picture=seen[-1] if seen else "",
        )  # fmt: skip

    async def session_picture(self, path: Path, digest: str) -> bytes | None:
        self.pictures_read.append(path)
        story = self.files.get(path)
        return story.blobs.get(digest) if story is not None else None

    async def verify_session(self, path: Path) -> VerifyReport:
        if self.file_error is not None:
            raise self.file_error
        return self.verdict

    async def export_session(self, path: Path, target: Path, on_progress: Callable[[int, int], None]) -> None:
        if self.file_error is not None:
            raise self.file_error
        if self.export_lasts is not None:
            self.on_progress = on_progress
            await self.export_lasts.wait()
        self.exported.append((path, target))

    async def rename_session(self, path: Path, name: str) -> Path:
        if self.file_error is not None:
            raise self.file_error
        renamed = path.with_name(f"{name}.ocsession")
        self.files = {renamed if each == path else each: story for each, story in self.files.items()}
        return renamed

    async def delete_session(self, path: Path) -> int:
        if self.file_error is not None:
            raise self.file_error
        del self.files[path]
        return 1_234_567

    async def interrupted(self) -> SessionSummary | None:
        return self.broken

    def watch_reduced_motion(self, on_change: Callable[[bool], None]) -> None:
        self.on_motion = on_change

    @property
    def recent_tasks(self) -> Sequence[str]:
        return self.tasks

    @property
    def remembered_setup(self) -> RememberedSetup | None:
        return self.setup

    async def remember_start(self, task: str, setup: RememberedSetup | None) -> None:
        self.tasks.insert(0, task)
        self.setup = setup
        if setup is not None and setup.target.startswith("vnc:"):
            self.book.insert(0, setup.target.removeprefix("vnc:"))

    async def remember_place(self, place: WindowPlace) -> None:
        self.place = place

    @property
    def folders(self) -> Folders:
        home = Path("/home/operator/.local")
        return Folders(
            sessions=home / "share/operator-console/sessions", logs=home / "state/operator-console/logs",
            settings=Path("/home/operator/.config/operator-console/settings.toml"),
        )  # fmt: skip

    @property
    def preferences(self) -> Preferences:
        return self.kept

    async def save_preferences(self, preferences: Preferences) -> None:
        self.kept = preferences
        if self.unwritable is not None:
            raise self.unwritable
