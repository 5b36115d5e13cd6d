"""Implements `ui.backend.ConsoleBackend`: targets, models, sessions, records, the stop and the settings."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from operator_console.app.guard_status import GuardView
from operator_console.app.machine_snapshots import carry_out, monitor_of
from operator_console.app.model_choices import model_choices, profile_choices, told_mark, told_title
from operator_console.app.profile_editing import ProfileEditing
from operator_console.app.profile_setup import ingredients_for, with_price
from operator_console.app.sandbox_setup import sandbox_trouble
from operator_console.app.services import Services
from operator_console.app.session_files import SessionFiles, listed
from operator_console.app.session_handles import FirstRecordAudience, OpenedRecord, RunningSession, cut_off
from operator_console.app.settings_writer import SettingsWriter
from operator_console.app.target_opening import OpenedTarget, open_target, with_record
from operator_console.computers.browser.target import start_url
from operator_console.computers.live_preview import LiveSource, PreviewSource
from operator_console.computers.target_choice import TargetList, TargetPictures, point_at_window
from operator_console.computers.target_spec import TargetListing
from operator_console.computers.targets import (
    bring_forward,
    list_targets,
    observe_once,
    open_capture,
    resolve,
)
from operator_console.computers.vnc.target import vnc_address
from operator_console.computers.worker_thread import Worker
from operator_console.desktop.keyboard_layouts import keyboard_layout, known_layouts, why_no_layout
from operator_console.desktop.platform import (
    notify,
    open_input_devices,
    open_occlusion,
    open_target_frame,
    watch_reduced_motion,
)
from operator_console.desktop.protocols import InputDevices, Occlusion, ReducedMotionWatch, TargetFrame
from operator_console.desktop.values import TargetDrawing
from operator_console.domain.api_keys import KeyPlace
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.elements import Exposure
from operator_console.domain.errors import ConsoleError, OperatorError, TaskMistake
from operator_console.domain.frames import Frame, TargetKind, TargetRef, machine_name, target_app, target_display
from operator_console.domain.geometry import Rect
from operator_console.domain.hotkeys import HotkeyChords
from operator_console.domain.intents import NoteSnapshot
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.risk import Autonomy
from operator_console.domain.scope import SuggestedScope
from operator_console.domain.secrets_by_name import NamedSecret
from operator_console.domain.session_request import MachinePassword, SessionRequest
from operator_console.domain.shutters import shutters_for
from operator_console.domain.snapshot_acts import MachineSnapshot, SnapshotAct
from operator_console.domain.stopping import StopCause
from operator_console.domain.target_tests import TargetReport
from operator_console.domain.tools import SandboxTool
from operator_console.domain.translations import _
from operator_console.engine.ports import Audience
from operator_console.guard.hotkey_matching import parse_hotkey, parse_hotkeys
from operator_console.guard.latch import ResetRefused, refuse_if_stopped
from operator_console.providers import registry
from operator_console.rfb.server_login import address_of
from operator_console.settings.api_keys import (
    delete_key,
    delete_profile_key,
    keep_for_session,
    refusal,
    store_key,
    store_profile_key,
)
from operator_console.settings.file import save_settings
from operator_console.settings.model import (
    Accessibility,
    Contrast,
    Hotkeys,
    Machine,
    Paste,
    SessionDefaults,
    Settings,
    Theme,
    Typing,
    check_site,
)
from operator_console.settings.named_secrets import delete_named_secret, list_secrets, store_named_secret
from operator_console.settings.remembered_window import RememberedWindow, read_remembered, write_remembered
from operator_console.settings.vnc_machines import accept_certificate
from operator_console.ui.backend import (
    Folders,
    GuardStatus,
    KnownElements,
    MachineDefaults,
    MachineOptions,
    ModelChoice,
    OfferedTools,
    OpenRecord,
    PracticeOffer,
    PracticeResult,
    Preferences,
    SessionHandle,
    SessionSummary,
    TargetChoice,
    TargetSketch,
    VerifyReport,
)
from operator_console.ui.profile_values import CheckReport, ModelProfile, ModelSettings
from operator_console.ui.theme_choice import ContrastChoice, Look, ThemeChoice
from operator_console.ui.view.target_words import target_title
from operator_console.ui.window_place import RememberedSetup, WindowPlace

if TYPE_CHECKING:
    from operator_console.app.practice_session import PracticePlace
    from operator_console.app.session_ports import SessionElements
    from operator_console.computers.target_capture import TargetCapture
    from operator_console.computers.what_is_hidden import Hidden

START_PAGE = "start page"
"""What is noted once the start page need not be shown by itself any more."""


def preferences_of(settings: Settings) -> Preferences:
    """The settings that the window shows."""
    session = settings.session
    return Preferences(
        look=Look(
            ThemeChoice(settings.appearance.theme.value),
            ContrastChoice(settings.appearance.contrast.value),
            settings.appearance.text_size,
        ),
        reduced_motion=settings.appearance.reduced_motion,
        loupe=settings.appearance.loupe,
        target_frame=settings.appearance.target_frame,
        lead_time_s=settings.timing.lead_time_app_s,
        typing_delay_s=settings.timing.typing_delay_s,
        press_time_s=settings.timing.press_time_s,
        pastes=settings.typing.paste is Paste.LONG,
        accessibility=settings.accessibility.switch_on,
        tombstones=settings.record.tombstones,
        only_devices=settings.approval.only_devices,
        resume_after_hand=settings.approval.resume_after_hand,
        hide_passwords=settings.privacy.hide_passwords,
        hide=settings.privacy.hide,
        allow=session.allow,
        target=session.target,
        provider=session.provider,
        model=session.model,
        profile=session.profile,
        autonomy=session.autonomy,
        max_steps=session.max_steps,
        max_minutes=session.max_minutes,
        start_page_seen=START_PAGE in settings.notices.seen,
        headless=settings.browser.headless,
        programs=settings.virtual.programs,
        sites=settings.browser.allowed_sites,
        tools=OfferedTools(
            servers=tuple(settings.mcp.servers),
            enabled=settings.mcp.enabled,
            sandboxable=tuple(SandboxTool),
            sandboxed=settings.sandbox.tools,
            folder=settings.sandbox.folder,
            functions=settings.functions.enabled,
        ),
    )


def with_preferences(settings: Settings, preferences: Preferences) -> Settings:
    """The settings with the window's choices; everything else unchanged."""
    timing = {
        "lead_time_app_s": preferences.lead_time_s,
        "typing_delay_s": preferences.typing_delay_s,
        "press_time_s": preferences.press_time_s,
    }
    session = SessionDefaults(
        target=preferences.target,
        provider=preferences.provider,
        model=preferences.model,
        profile=preferences.profile,
        autonomy=preferences.autonomy,
        allow=preferences.allow,
        max_steps=preferences.max_steps,
        max_minutes=preferences.max_minutes,
    )
    seen = settings.notices.seen
    if preferences.start_page_seen and START_PAGE not in seen:
        seen = (*seen, START_PAGE)
    return settings.model_copy(
        update={
            "notices": settings.notices.model_copy(update={"seen": seen}),
            "privacy": settings.privacy.model_copy(
                update={"hide_passwords": preferences.hide_passwords, "hide": preferences.hide}
            ),
            "appearance": settings.appearance.model_copy(
                update={
                    "theme": Theme(preferences.look.theme.value),
                    "contrast": Contrast(preferences.look.contrast.value),
                    "text_size": preferences.look.text_size,
                    "reduced_motion": preferences.reduced_motion,
                    "loupe": preferences.loupe,
                    "target_frame": preferences.target_frame,
                }
            ),
            "timing": settings.timing.model_copy(update=timing),
            "accessibility": Accessibility(switch_on=preferences.accessibility),
            "approval": settings.approval.model_copy(
                update={"only_devices": preferences.only_devices, "resume_after_hand": preferences.resume_after_hand}
            ),
            "record": settings.record.model_copy(update={"tombstones": preferences.tombstones}),
            "typing": Typing(paste=Paste.LONG if preferences.pastes else Paste.NEVER),
            "session": session,
            "browser": settings.browser.model_copy(update={"headless": preferences.headless}),
            "virtual": settings.virtual.model_copy(update={"programs": preferences.programs}),
        }
    )


def load_session_modules() -> None:
    """Import what only sessions and practice need: not before the window can be used. Blocking, about 0.2 s."""
    import operator_console.app.practice_session
    import operator_console.app.session_setup
    import operator_console.perception.picture_reader  # noqa: F401


_LIVE_END_S = 2.0
_MOTION_AFTER_S = 2.0
"""The start of the window goes first."""
_INTERRUPTED = "interrupted:"

_log = logging.getLogger(__name__)


class Backend:
    """The program behind the window. `close` it after the window."""

    def __init__(self, services: Services, occlusion: Occlusion | None = None) -> None:
        """`occlusion`: None opens one, which can take 0.1 s."""
        self._services = services
        self._written = services.settings
        self._writer = SettingsWriter(self._save)
        self._profiles = ProfileEditing(lambda: services.settings, self._change)
        self._files = SessionFiles(services.paths)
        self._remembered = read_remembered(services.paths.remembered)
        self._guard = GuardView(services)
        self._session: RunningSession | None = None
        self._testing = False
        self._live: list[PreviewSource] = []
        self._followed: list[TargetList] = []
        self._opened: OpenedTarget | None = None
        self._drawn: TargetFrame | None = None
        self._previewed: tuple[str, Hidden] | None = None
        self._motion: ReducedMotionWatch | None = None
        self._listed: dict[str, TargetRef] = {}
        self._pictures: tuple[Worker, TargetPictures] | None = None
        self._elements: tuple[str, SessionElements] | None = None
        self._forgetting: set[asyncio.Task[None]] = set()
        self._asks = itertools.count(1)
        self._practice: PracticePlace | None = None
        self._snapshotting = asyncio.Lock()
        self._noted: dict[str, list[NoteSnapshot]] = {}
        self._occlusion = occlusion or open_occlusion(services.own, services.display)
        self._devices: InputDevices | None = None
        self._devices_asked = False

    async def close(self) -> None:
        """End a session that still runs, in order, and finish writing the settings."""
        await self._guard.close()
        await self.forget_elements()
        await asyncio.gather(*self._forgetting)
        if self._session is not None:
            await self._session.end()
        if self._practice is not None:
            await self._practice.close()
        self._occlusion.close()
        if self._devices is not None:
            self._devices.close()
        await self._writer.close()
        if self._motion is not None:
            await asyncio.to_thread(self._motion.stop)
        if self._drawn is not None:
            self._drawn.close()
            await asyncio.to_thread(self._drawn.join, _LIVE_END_S)
        if self._pictures is not None:
            worker, pictures = self._pictures
            await worker.close(pictures.close)
        following: list[PreviewSource | TargetList] = [*self._live, *self._followed]
        for source in following:
            # Its thread talks to the display, and must not be killed there when the process exits.
            source.stop()
            await asyncio.to_thread(source.join, _LIVE_END_S)

    # What can be chosen

    async def list_targets(self) -> Sequence[TargetChoice]:
        """Monitors, windows and the isolated desktop; our windows are not among them."""
        services = self._services
        return self._choices(await asyncio.to_thread(list_targets, services.own, services.display))

    def watch_targets(self, on_targets: Callable[[Sequence[TargetChoice]], None]) -> Callable[[], None]:
        """As `list_targets`, after each change, from a thread of its own."""
        source = TargetList(self._services.own, self._services.display)
        source.start(lambda found: on_targets(self._choices(found)))
        self._followed.append(source)
        return source.stop

    async def picture(self, target: str) -> Frame:
        """One picture of a target."""
        if self._pictures is None:
            self._pictures = (Worker("pictures"), TargetPictures(self._services.own, self._services.display))
        worker, pictures = self._pictures
        return await worker.run(lambda: pictures.take(self._resolve(target)))

    def _choices(self, found: Sequence[TargetListing]) -> list[TargetChoice]:
        """What is listed, with the practice window. From any thread."""
        self._listed = {each.ref.spec: each.ref for each in found if target_display(each.ref)}
        listed, practice = [_choice(each) for each in found], self._practised()
        if practice is None:
            return listed
        ref = practice.ref
        choice = TargetChoice(spec=ref.spec, title=target_title(ref), kind=ref.kind, running=practice.isolated)
        return [choice, *(each for each in listed if each.spec != ref.spec)]

    def _practised(self) -> PracticePlace | None:
        """The practice window that is still open."""
        practice = self._practice
        return practice if practice is not None and practice.open else None

    def _resolve(self, target: str) -> TargetRef:
        """The target with this specification. Blocking. Raises as `resolve`."""
        practice, started = self._practised(), None if self._opened is None else self._opened.computer.target
        if practice is not None and practice.ref.spec == target:
            return practice.ref
        # A target that was started for the session stands on a display of its own.
        if started is not None and started.spec == target and target_display(started):
            return started
        # To list hundreds of windows again takes 0.1 s; one that has gone is noticed when it is captured.
        return self._listed.get(target) or resolve(target, self._services.own, self._services.display)

    def address_trouble(self, address: str) -> str:
        """By the target's own parser."""
        try:
            start_url(address)
        except OperatorError as error:
            return f"{error.title} {error.remedy}"
        return ""

    def site_trouble(self, site: str) -> str:
        """By the rules of the settings file."""
        try:
            check_site(site)
        except ValueError:
            return joined(notice(NoticeCode.NOT_A_SITE, site=site), notice(NoticeCode.WRITE_SITE_SO))
        return ""

    def machine_address(self, text: str) -> str:
        """By the target's own parser."""
        try:
            return address_of(*vnc_address(text))
        except OperatorError:
            return ""

    @property
    def machines(self) -> Sequence[str]:
        """As remembered."""
        return self._remembered.machines

    async def forget_machine(self, address: str) -> None:
        """Remembered no more."""
        await self._remember(self._remembered.without_machine(address))

    def machine_options(self, machine: str) -> MachineOptions:
        """From the settings."""
        own = self._services.settings.machines.get(machine, Machine())
        return MachineOptions(layout=own.layout, paste=own.paste, qmp=own.qmp)

    def machine_defaults(self, machine: str) -> MachineDefaults:
        """From the settings, with the layouts that are installed here."""
        common = Settings(vnc=self._services.settings.vnc).machine(machine)
        return MachineDefaults(layout=common.layout, paste=bool(common.paste), layouts=tuple(known_layouts()))

    def machine_trouble(self, machine: str, options: MachineOptions) -> str:
        """By the rules of the settings file."""
        try:
            Settings.model_validate({"machines": {machine: asdict(options)}})
        except ValidationError as error:
            first = error.errors()[0]
            said = str(first["msg"]).removeprefix("Value error, ")
            names = {"layout": _("Keyboard layout"), "qmp": _("Socket of QEMU’s monitor (QMP)")}
            return _("{setting}: {problem}.").format(
                setting=names.get(str(first["loc"][-1]), first["loc"][-1]), problem=said
            )
        return why_no_layout(options.layout) if options.layout and keyboard_layout(options.layout) is None else ""

    async def save_machine(self, machine: str, options: MachineOptions) -> None:
        """Written to the settings file; a section that says nothing is left out."""
        before = self._services.settings
        machines = {name: each for name, each in before.machines.items() if name != machine}
        if options != MachineOptions():
            machines[machine] = Machine(layout=options.layout, paste=options.paste, qmp=options.qmp)
        await self._change(before.model_copy(update={"machines": machines}))

    async def find_snapshot(self, machine: str) -> MachineSnapshot | None:
        """Asked by its monitor."""
        path = monitor_of(self._services.settings, machine)
        from operator_console.qmp.snapshot_jobs import find_snapshot  # loads a library that most sessions do without

        return await find_snapshot(path)

    async def snapshot(self, act: SnapshotAct, machine: str) -> MachineSnapshot:
        """Recorded in the session that works on the machine; after its end, going back in its record, and a new
        snapshot in that of the next one."""
        path = monitor_of(self._services.settings, machine)
        session = self._session if self._session is not None and self._session.machine == machine else None
        if session is not None and not session.may_change_machine:
            raise OperatorError(notice(NoticeCode.PAUSE_BEFORE_SNAPSHOT), remedy=notice(NoticeCode.PAUSE_OR_STOP_FIRST))
        async with self._snapshotting:
            done = await carry_out(act, path)
        noted = NoteSnapshot(act=act, name=done.name)
        if session is None or (act is SnapshotAct.TAKEN and (session.over or session.ending)):
            self._noted.setdefault(machine, []).append(noted)
        else:
            await session.note(noted, self._services.paths.anchors)
        return done

    async def accept_certificate(self, address: str, fingerprint: str) -> None:
        """Kept in the file that `targets key` writes too."""
        await asyncio.to_thread(accept_certificate, self._services.paths.vnc_certificates, address, fingerprint)

    def _own(self, target: str) -> OpenedTarget | None:
        """What was opened for the newest session, if it is this target."""
        opened = self._opened
        return opened if opened is not None and opened.computer.target.spec == target else None

    @property
    def points_at_windows(self) -> bool:
        """Where there is an X display of the person's."""
        return self._services.display != NO_DISPLAY

    async def applications(self) -> Sequence[str]:
        """From the desktop entries of the system: a home folder of its own hides the person's."""
        from operator_console.tools.installed_applications import Applications

        environment = {name: os.environ[name] for name in ("PATH", "XDG_DATA_DIRS") if name in os.environ}
        return await asyncio.to_thread(Applications(environment).names)

    async def test_target(self, target: str, password: MachinePassword | None = None) -> TargetReport:
        """A session of its own, with nothing shown of it but its result."""
        services = self._services
        self._require_free()
        await asyncio.to_thread(load_session_modules)
        from operator_console.app.target_trial import request_of_test, run_target_test

        await asyncio.to_thread(refuse_if_stopped, [services.display])
        request = await asyncio.to_thread(request_of_test, target, services.paths)
        self._require_free()
        self._testing = True
        try:
            opened = await open_target(request, services.own, services.display, lambda: services.settings, password)
            services.guard.login = opened.login
            services.guard.resume_after_hand = services.settings.approval.resume_after_hand
            services.guard.hold_key = None
            return await run_target_test(services, request, opened, StopCause.BUTTON)
        finally:
            self._testing = False

    def _require_free(self) -> None:
        """Raises OperatorError while a session or a Test runs."""
        if self._testing or (self._session is not None and not self._session.over):
            raise OperatorError(notice(NoticeCode.SESSION_IS_RUNNING), remedy=notice(NoticeCode.STOP_OR_WAIT_FOR_END))

    async def point_at_window(self) -> str:
        """Let the person click a window."""
        return await point_at_window(self._services.own, self._services.display)

    def draw_target(self, sketch: TargetSketch | None) -> None:
        """Draw the target's frame and the next ring on the person's own desktop."""
        if self._drawn is None:
            if sketch is None:
                return
            self._drawn = open_target_frame(self._services.own, self._services.display)
        drawing = None
        if sketch is not None:
            drawing = TargetDrawing(
                rect=sketch.rect, window_id=sketch.window_id, ring=sketch.ring, ring_colour=sketch.ring_colour
            )
        self._drawn.show(drawing)

    async def bring_forward(self, target: str) -> None:
        """Restore and raise a window and give it the focus."""
        opened = self._own(target)
        if opened is not None and opened.bring_forward is not None:
            is_forward = await opened.bring_forward()
        else:
            is_forward = await asyncio.to_thread(lambda: bring_forward(self._resolve(target)))
        if not is_forward:
            raise OperatorError(
                _("The window could not be brought to the front."),
                remedy=_("The window manager did not give it the focus. Choose it in the taskbar."),
            )

    async def may_restart_browser(self, pid: int) -> bool:
        """Of browsers on the person's display."""
        from operator_console.app.browser_restart import may_be_restarted  # only then: few sessions need it

        return await asyncio.to_thread(may_be_restarted, pid)

    async def restart_browser(self, pid: int) -> None:
        """Its pages are opened again by the browser."""
        from operator_console.app.browser_restart import restart

        await asyncio.to_thread(restart, pid)

    async def elements(self, target: str) -> KnownElements:
        """The elements that are known on a target now. Switches accessibility on if the settings say so."""
        frame = await asyncio.to_thread(self._frame, target)
        asked = await self._asking(frame.target)
        if asked is None:
            return KnownElements(exposure=Exposure.NO_SERVICE, native=frame.geometry.native)
        return KnownElements(
            elements=tuple(await asked.actionable(frame)),
            exposure=await asked.exposure(frame),
            native=frame.geometry.native,
            switched_on=asked.switches_on,
        )

    async def forget_elements(self) -> None:
        """End asking, and with it what was switched on."""
        known, self._elements = self._elements, None
        if known is not None:
            closing = asyncio.create_task(known[1].close(), name="forget the elements")
            self._forgetting.add(closing)
            closing.add_done_callback(self._forgetting.discard)
            await asyncio.shield(closing)

    async def _asking(self, target: TargetRef) -> SessionElements | None:
        """What asks for the elements of a target; None where they are not known."""
        if self._elements is not None and self._elements[0] != target_display(target):
            await self.forget_elements()
        if self._elements is None:
            await asyncio.to_thread(load_session_modules)
            from operator_console.app.target_parts import parts_of

            opens = parts_of(target).open_elements
            if opens is None:
                return None
            self._elements = (target_display(target), opens(self._services, target))
            await asyncio.shield(asyncio.ensure_future(self._elements[1].start()))
        return self._elements[1]

    def _frame(self, target: str) -> Frame:
        services = self._services
        frame = observe_once(self._resolve(target), services.own)
        # Answers are kept by picture, but an application may begin to tell its elements without changing its picture.
        return replace(frame, focus=frame.front, frame_id=f"{frame.frame_id} for Set-up, {next(self._asks)}")

    async def models(self) -> Sequence[ModelChoice]:
        """The available models, the last used one first."""
        return await asyncio.to_thread(self._models)

    def _models(self) -> list[ModelChoice]:
        settings = self._services.settings
        chosen = (settings.session.provider, settings.session.model, settings.session.profile)
        found = [
            *profile_choices(settings),
            *(choice for spec in registry.specs() for choice in model_choices(settings, spec)),
        ]
        found.sort(key=lambda one: (one.provider, one.model, one.profile) != chosen)
        return found

    async def store_key(self, choice: ModelChoice, key: str, place: KeyPlace) -> None:
        """Into the system's keyring, or into memory."""
        spec = registry.find(choice.provider)
        if place is not KeyPlace.KEYRING:
            keep_for_session(spec, key, choice.profile)
        elif choice.profile:
            await asyncio.to_thread(store_profile_key, choice.profile, spec, key)
        else:
            await asyncio.to_thread(store_key, spec, key)

    async def forget_key(self, choice: ModelChoice) -> None:
        """From memory and the keyring; of a profile: its own key, or else that of its provider."""
        spec = registry.find(choice.provider)
        if not choice.profile or not await asyncio.to_thread(delete_profile_key, choice.profile):
            await asyncio.to_thread(delete_key, spec)

    async def secrets(self) -> Sequence[NamedSecret]:
        """Of the keyring."""
        return await asyncio.to_thread(list_secrets)

    async def store_secret(self, secret: NamedSecret, value: str) -> None:
        """Into the keyring."""
        await asyncio.to_thread(store_named_secret, secret.name, value, secret.bound_to)

    async def delete_secret(self, name: str) -> None:
        """From the keyring."""
        await asyncio.to_thread(delete_named_secret, name)

    async def keyring_trouble(self) -> str:
        """Ask the keyring, which may have to be loaded first."""
        return (await asyncio.to_thread(refusal)) or ""

    async def check_key(self, choice: ModelChoice) -> str:
        """Ask the service; a sentence for people."""
        # Imported late: the window opens sooner without the session's modules.
        from operator_console.app.model_check import check_model

        spec = registry.find(choice.provider)
        ingredients = await asyncio.to_thread(ingredients_for, self._services.settings, spec, choice.profile)
        profile = self._services.settings.profiles.get(choice.profile)
        price = profile.price.as_price() if profile is not None and profile.price is not None else None
        return (await check_model(choice.provider, choice.model, ingredients, price)).said

    async def suggest_scope(self, choice: ModelChoice, target: TargetKind, task: str) -> SuggestedScope:
        """A request of its own, of which no session knows."""
        # Imported late: the window opens sooner without the session's modules.
        from operator_console.app.scope_question import suggest_scope

        spec = registry.find(choice.provider)
        ingredients = await asyncio.to_thread(ingredients_for, self._services.settings, spec, choice.profile)
        return await suggest_scope(choice.provider, choice.model, ingredients, task, target)

    async def mark_told(self, request: SessionRequest) -> None:
        """Remember that the operator was told what leaves the machine."""
        await self._mark(told_mark(self._services.settings, request.provider, request.profile))

    async def sandbox_trouble(self) -> str:
        """Try the sandbox."""
        return await asyncio.to_thread(sandbox_trouble, self._services.settings.sandbox)

    async def model_settings(self) -> ModelSettings:
        """All profiles and providers."""
        return await self._profiles.model_settings()

    async def save_profile(self, profile: ModelProfile, before: str, key: str | None) -> None:
        """Save a profile and its key."""
        await self._profiles.save(profile, before, key)

    async def delete_profile(self, name: str) -> None:
        """Delete a profile and its key."""
        await self._profiles.delete(name)

    async def check_profile(self, profile: ModelProfile, before: str, key: str | None) -> CheckReport:
        """Check a profile as it is edited."""
        return await self._profiles.check(profile, before, key)

    # Sessions

    async def start(
        self, request: SessionRequest, audience: Audience, password: MachinePassword | None = None
    ) -> SessionHandle:
        """Start a session; returns when it runs. Raises ConsoleError if it is refused."""
        if self._session is not None and self._session.ending:
            await self._session.wait()  # the window shows it as ended already; it still closes its record and target
        self._require_free()
        await asyncio.to_thread(load_session_modules)
        from operator_console.app.session_setup import RunMode, check_request, preload, prepare

        async with self._snapshotting:  # a machine stands still meanwhile
            pass
        mode = RunMode(answerable=True, continue_question=False)
        # First: other faults may follow from the stop, for instance a target that was closed by it.
        await asyncio.to_thread(refuse_if_stopped, [self._services.display])
        request = with_price(self._services.settings, request)
        request = await asyncio.to_thread(with_record, request, self._services.paths)
        await asyncio.to_thread(check_request, request)
        opened = await self._open(request, password)
        computer, begun = opened.computer, FirstRecordAudience(audience, opened.hand)
        self._services.guard.login = opened.login
        approval = self._services.settings.approval
        self._services.guard.resume_after_hand = approval.resume_after_hand
        self._services.guard.hold_key = approval.hold_key if request.autonomy is Autonomy.HOLD else None
        try:
            await asyncio.to_thread(preload, request)
            prepared = await prepare(self._services, request, computer, (begun,), mode)
        except BaseException:
            await computer.close()
            raise
        machine = machine_name(computer.target)
        for noted in self._noted.get(machine, ()):
            prepared.session.post(noted)
        self._session = await RunningSession.begin(prepared, begun, opened.hand)
        self._noted.pop(machine, None)
        self._opened = opened
        return self._session

    async def _open(self, request: SessionRequest, password: MachinePassword | None) -> OpenedTarget:
        practice = self._practised()
        if practice is not None and practice.ref.spec == request.target:
            computer = await practice.open_computer(self._services.own, goes_on=request.resume is not None)
            return OpenedTarget(computer=computer, hand=computer.hand)
        return await open_target(
            request, self._services.own, self._services.display, lambda: self._services.settings, password
        )

    async def task_mistake(self, choice: ModelChoice, task: str) -> TaskMistake | None:
        """Ask the provider, in a thread: it may read a file that the task names."""
        spec = registry.find(choice.provider)
        try:
            await asyncio.to_thread(spec.check_task, task)
        except TaskMistake as mistake:
            return mistake
        return None

    async def open_practice(self, available: Rect, keep_clear: Sequence[Rect]) -> PracticeOffer:
        """Open the practice window, in an isolated desktop where one can be started."""
        await self.close_practice()
        await asyncio.to_thread(load_session_modules)
        from operator_console.app.practice_session import open_practice_place
        from operator_console.practice.launcher import LOG_SUFFIX, practice_runbook
        from operator_console.practice.placement import Screen

        log = self._services.paths.new_session().with_suffix(LOG_SUFFIX)
        place = self._practice = await open_practice_place(
            log, Screen(available=available, keep_clear=tuple(keep_clear))
        )
        request = SessionRequest(
            task=practice_runbook(), target=place.ref.spec, provider="runbook", autonomy=self.preferences.autonomy
        )
        return PracticeOffer(request=request, isolated=place.isolated)

    async def close_practice(self) -> None:
        """End the practice window and its desktop."""
        practice, running = self._practice, self._session is not None and not self._session.over
        if practice is None:
            return
        if running and self._session is not None and self._session.target == practice.ref.spec:
            raise OperatorError(notice(NoticeCode.SESSION_IS_RUNNING), remedy=notice(NoticeCode.STOP_OR_WAIT_FOR_END))
        self._practice = None
        await asyncio.shield(practice.close())

    async def practice_result(self) -> PracticeResult:
        """Judge what the practice window logged."""
        practice = self._practice
        if practice is None:
            raise OperatorError(notice(NoticeCode.PRACTICE_NOT_OPENED))
        verdict = await asyncio.to_thread(practice.window.verdict)
        return PracticeResult(passed=verdict.passed, words=verdict.words, missing=verdict.missing)

    def watch(
        self, target: str, on_frame: Callable[[Frame], None], on_trouble: Callable[[ConsoleError], None]
    ) -> Callable[[], None]:
        """Live frames of a target: of the session's own, or captured in a thread."""
        opened = self._own(target)
        source: PreviewSource
        if opened is not None and opened.preview is not None:
            source = opened.preview()
        else:
            source = LiveSource(lambda: self._capture(target))
        source.start(on_frame, on_trouble, on_same=on_frame)
        self._live = [*(each for each in self._live if each.running), source]
        return source.stop

    def _capture(self, target: str) -> TargetCapture:
        """What captures a target for the preview, without what the model is not shown of it."""
        capture = open_capture(self._resolve(target), self._services.own)
        opened = self._own(target)
        capture.hidden.shutters = (
            shutters_for(self._services.settings.privacy.hide, target) if opened is None else opened.hidden.shutters
        )
        self._previewed = (target, capture.hidden)
        return capture

    def _hide_more(self, settings: Settings) -> None:
        """Let the settings' shutters hold at once: in the preview, and for a session, which loses none of its own."""
        opened = self._opened
        if opened is not None:
            found = shutters_for(settings.privacy.hide, opened.computer.target.spec)
            opened.hidden.shutters = tuple(dict.fromkeys((*opened.hidden.shutters, *found)))
        if self._previewed is not None:
            target, hidden = self._previewed
            own = self._own(target)
            hidden.shutters = shutters_for(settings.privacy.hide, target) if own is None else own.hidden.shutters

    async def open_record(self, path: Path) -> OpenRecord:
        """A session file, for reading."""
        return await asyncio.to_thread(OpenedRecord, path, self._services.paths.anchors)

    async def sessions(self) -> Sequence[SessionSummary]:
        """The sessions folder."""
        return await self._files.sessions()

    async def session_picture(self, path: Path, digest: str) -> bytes | None:
        """A picture of a session."""
        return await self._files.picture(path, digest)

    async def verify_session(self, path: Path) -> VerifyReport:
        """Check whether a session was changed or damaged."""
        return await self._files.verify(path)

    async def export_session(self, path: Path, target: Path, on_progress: Callable[[int, int], None]) -> None:
        """Export a session, replacing a file of the target's name."""
        await self._files.export(path, target, on_progress)

    async def rename_session(self, path: Path, name: str) -> Path:
        """Give a session file another name."""
        return await self._files.rename(path, name)

    async def delete_session(self, path: Path) -> int:
        """Delete a session; the bytes freed."""
        return await self._files.delete(path, tombstone=self._services.settings.record.tombstones)

    async def interrupted(self) -> SessionSummary | None:
        """The newest interrupted session that was not offered before."""
        for each in await asyncio.to_thread(cut_off, self._services.paths, self._services.display):
            mark = f"{_INTERRUPTED}{each.session_id}"
            if mark not in self._services.settings.notices.seen:
                try:
                    await self._mark(mark)
                except OperatorError as error:  # it is offered again next time
                    _log.warning("the offer of an interrupted session was not noted: %s", error)
                return listed(each)
        return None

    # The stop

    @property
    def guard(self) -> GuardStatus:
        """As last heard."""
        return self._guard.status

    def subscribe_guard(self, hear: Callable[[GuardStatus], None]) -> Callable[[], None]:
        """Hear of every change."""
        return self._guard.subscribe(hear)

    async def stop(self) -> None:
        """The Stop button: it stops what a terminal runs on this display, too."""
        guard = self._services.guard
        await asyncio.gather(guard.stop(StopCause.BUTTON, notice(NoticeCode.STOP_IN_WINDOW)), guard.stop_others())
        self._guard.refresh()

    def hotkey_trouble(self, chords: HotkeyChords) -> str:
        """By the parser of the guard, and by the rules of the settings file, which are told in its notation."""
        try:
            for chord in chords:
                parse_hotkey(chord)
            Hotkeys(stop=chords.stop, pause=chords.pause, approve=chords.approve)
            parse_hotkeys(*chords)
        except ValidationError as error:
            return str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        except OperatorError as error:
            return str(error.detail or error.title)
        return ""

    async def use_hotkeys(self, chords: HotkeyChords) -> None:
        """Restart the guard's listener with them; it works with the previous ones where that fails."""
        self._require_free()
        await asyncio.to_thread(refuse_if_stopped, [self._services.display])
        await self._guard.restart(chords)
        hotkeys = Hotkeys(stop=chords.stop, pause=chords.pause, approve=chords.approve)
        await self._change(self._services.settings.model_copy(update={"hotkeys": hotkeys}))
        self._guard.refresh()

    @property
    def hotkeys(self) -> HotkeyChords:
        """From the settings."""
        kept = self._services.settings.hotkeys
        return HotkeyChords(stop=kept.stop, pause=kept.pause, approve=kept.approve)

    @property
    def services_told(self) -> Mapping[str, str]:
        """The marks of services."""
        seen = self._services.settings.notices.seen
        marks = (mark for mark in seen if mark != START_PAGE and not mark.startswith(_INTERRUPTED))
        return {mark: told_title(mark) for mark in marks}

    async def forget_told(self, service: str) -> None:
        """Tell about the service again before the next start."""
        before = self._services.settings
        seen = tuple(mark for mark in before.notices.seen if mark != service)
        await self._change(before.model_copy(update={"notices": before.notices.model_copy(update={"seen": seen})}))

    async def reset(self) -> None:
        """Clear the latch; starts no session. A guard that died is replaced."""
        try:
            await self._services.guard.reset()
        except ResetRefused as error:
            raise OperatorError(notice(NoticeCode.STOP_NOT_RESET_NOW), detail=error.text) from error
        await self._guard.revive()

    def covered(self, window_id: int, part: Rect | None = None) -> bool:
        """Whether another program's window lies over any of this one, or of a part of it."""
        return self._occlusion.covered(window_id, part)

    @property
    def devices(self) -> InputDevices | None:
        """Connected to where it is first needed."""
        if not self._services.settings.approval.only_devices or self._services.display == NO_DISPLAY:
            return None
        if not self._devices_asked:
            self._devices_asked = True
            self._devices = open_input_devices(self._services.display)
        return self._devices

    async def set_held(self, on: bool) -> None:
        """Whether the button of hold-to-run is held."""
        await self._services.guard.set_held(on)

    def has_focus(self) -> bool:
        """Whether one of the console's windows has the keyboard focus, as the display says."""
        return self._occlusion.has_focus()

    def notify(self, title: str, text: str) -> None:
        """A desktop notification, from a thread: the bus may be slow or missing."""
        asyncio.get_running_loop().run_in_executor(None, notify, title, text)

    # Settings

    def watch_reduced_motion(self, on_change: Callable[[bool], None]) -> None:
        """What the desktop says, from a thread of its own."""
        if self._motion is None:
            self._motion = watch_reduced_motion(on_change, after_s=_MOTION_AFTER_S)
            self._motion.start()

    @property
    def recent_tasks(self) -> Sequence[str]:
        """As remembered."""
        return self._remembered.tasks

    @property
    def remembered_setup(self) -> RememberedSetup | None:
        """As remembered."""
        return RememberedSetup.read(self._remembered.setup)

    async def remember_start(self, task: str, setup: RememberedSetup | None) -> None:
        """Kept beside the logs, for this user alone."""
        remembered = self._remembered.with_task(task)
        kind, _, address = ("" if setup is None else setup.target).partition(":")
        if kind == TargetKind.VNC.value:
            remembered = remembered.with_machine(address)
        await self._remember(remembered._replace(setup=setup._asdict() if setup is not None else {}))

    async def remember_place(self, place: WindowPlace) -> None:
        """As `remember_start`."""
        await self._remember(self._remembered._replace(geometry=place.geometry, sizes=dict(place.sizes)))

    async def _remember(self, remembered: RememberedWindow) -> None:
        if remembered == self._remembered:
            return
        self._remembered = remembered
        try:
            await asyncio.to_thread(write_remembered, self._services.paths.remembered, remembered)
        except OSError as error:
            _log.warning("the window's place and tasks were not remembered: %s", error)

    @property
    def folders(self) -> Folders:
        """From the paths of this user."""
        paths = self._services.paths
        return Folders(sessions=paths.sessions, logs=paths.logs, settings=paths.settings)

    @property
    def preferences(self) -> Preferences:
        """As last chosen."""
        return preferences_of(self._services.settings)

    async def save_preferences(self, preferences: Preferences) -> None:
        """Use them from now on and write them. Raises OperatorError where the file cannot be written."""
        settings = with_preferences(self._services.settings, preferences)
        self._hide_more(settings)
        await self._change(settings)

    async def _mark(self, mark: str) -> None:
        before = self._services.settings
        if mark not in before.notices.seen:
            notices = before.notices.model_copy(update={"seen": (*before.notices.seen, mark)})
            await self._change(before.model_copy(update={"notices": notices}))

    async def _change(self, settings: Settings) -> None:
        self._services.settings = settings
        await self._writer.write(settings)

    def _save(self, settings: Settings) -> None:
        """Write what was changed since the last time. Blocking, never twice at once."""
        path = self._services.paths.settings
        save_settings(path, settings, registry.options_of, before=self._written)
        self._written = settings


def _choice(listing: TargetListing) -> TargetChoice:
    ref = listing.ref
    state, trouble = _why_unseen(listing.state)
    if listing.trouble:
        trouble = f"{listing.trouble} {listing.remedy}"
    if ref.kind is TargetKind.VNC:
        state = _("Connects with the session")
    elif ref.kind.starts_with_session:
        state = _("Cannot be started here") if listing.trouble else _("Starts with the session")
    return TargetChoice(
        spec=ref.spec, title=target_title(ref), kind=ref.kind, app=target_app(ref), state=state, trouble=trouble,
        pid=listing.pid, machine=machine_name(ref),
    )  # fmt: skip


def _why_unseen(state: str) -> tuple[str, str]:
    """Why a window cannot be seen, in a word and in sentences; "" where it can."""
    match state:
        case "minimised":
            return _("Minimised"), _("This window is minimised. Restore it to see it.")
        case "other_desktop":
            return _("On another workspace"), _("This window is on another workspace. Go there to see it.")
        case "hidden":
            return _("Hidden"), _("This window is hidden.")
        case _:
            return "", ""
