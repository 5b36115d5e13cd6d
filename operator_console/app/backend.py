"""Everything behind the window: fits `ui.backend.ConsoleBackend`. Joins the rooms, holds no rule of its own.

Lives on the window's event loop; slow work goes to threads. Made by `desktop`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from operator_console.app.guard_view import GuardView
from operator_console.app.kept import preferences_of, with_preferences
from operator_console.app.preparing import Manner, check_task, preload, prepare
from operator_console.app.records import OpenedRecord, RunningSession, cut_off
from operator_console.app.station import Station
from operator_console.computers.live import LiveSource
from operator_console.computers.target_spec import TargetListing
from operator_console.computers.targets import list_targets, make_eye, open_computer, resolve, snapshot
from operator_console.desktop.platform import notify, open_occlusion
from operator_console.desktop.x11.scene import Occlusion
from operator_console.domain.errors import ConsoleError, OperatorError
from operator_console.domain.events import StopCause
from operator_console.domain.frames import Frame
from operator_console.domain.requests import SessionRequest
from operator_console.engine.ports import Audience
from operator_console.guard.latch import ResetRefused, refuse_if_stopped
from operator_console.journal.summary import list_sessions
from operator_console.providers import registry
from operator_console.providers.spec import Ingredients, ProviderSpec
from operator_console.settings.file import save_settings
from operator_console.settings.keys import KeyringUnusable, find_key, store_key
from operator_console.settings.model import Settings
from operator_console.ui.backend import (
    GuardStatus,
    ModelChoice,
    OpenRecord,
    Preferences,
    SessionHandle,
    SessionSummary,
    TargetChoice,
)

_LIVE_END_S = 2.0


class Backend:
    """The window's way to the rest. `close` it when the window has gone."""

    def __init__(self, station: Station, occlusion: Occlusion | None = None) -> None:
        """`occlusion`: where it was opened before, which can take a tenth of a second."""
        self._station = station
        self._guard = GuardView(station)
        self._session: RunningSession | None = None
        self._live: list[LiveSource] = []
        self._occlusion = occlusion or open_occlusion(station.own, station.display)

    async def close(self) -> None:
        """End a session that still runs, in order."""
        await self._guard.close()
        if self._session is not None:
            await self._session.end()
        self._occlusion.close()
        for source in self._live:
            # Its thread speaks to the display: the end of the process must not cut it off there.
            source.stop()
            await asyncio.to_thread(source.join, _LIVE_END_S)

    # What can be chosen

    async def list_targets(self) -> Sequence[TargetChoice]:
        """Monitors and windows, with pictures; ours are not among them."""
        return await asyncio.to_thread(self._targets)

    def _targets(self) -> list[TargetChoice]:
        station = self._station
        return [_choice(each, station) for each in list_targets(station.own, station.display)]

    async def models(self) -> Sequence[ModelChoice]:
        """What this version has, the one chosen last first."""
        return await asyncio.to_thread(self._models)

    def _models(self) -> list[ModelChoice]:
        chosen = self._station.settings.session
        found = [choice for spec in registry.specs() for choice in self._choices(spec)]
        found.sort(key=lambda one: (one.provider, one.model) != (chosen.provider, chosen.model))
        return found

    def _choices(self, spec: ProviderSpec) -> list[ModelChoice]:
        if spec.model_is:
            return []  # its model is a file: for the command line
        has_key = not spec.needs_key or _has_key(spec)
        leaves = ""
        if spec.sends_to:
            leaves = (
                f"Your task, your messages and every picture of the target go to {spec.sends_to}, "
                "together with what was typed and read there. Nothing else leaves this machine."
            )
        told = not leaves or spec.name in self._station.settings.notices.seen
        models = spec.models or (spec.default_model,)
        return [
            ModelChoice(
                provider=spec.name,
                model=model,
                title=_model_title(spec, model),
                needs_key=spec.needs_key,
                has_key=has_key,
                leaves=leaves,
                told=told,
            )
            for model in models
        ]

    async def store_key(self, provider: str, key: str) -> None:
        """Into the system's keyring."""
        await asyncio.to_thread(store_key, registry.find(provider), key)

    async def check_key(self, provider: str, model: str) -> str:
        """Ask the service; a sentence for people."""
        spec = registry.find(provider)
        key = await asyncio.to_thread(find_key, spec)
        options = self._station.settings.section(spec.name)
        return await registry.check(provider, model, Ingredients(api_key=key.value if key else None, options=options))

    def tell(self, provider: str) -> None:
        """The operator has been told what leaves the machine."""
        self._notice(provider)

    # Sessions

    async def start(self, request: SessionRequest, audience: Audience) -> SessionHandle:
        """Begin one; returns when it runs. Raises ConsoleError where it was refused."""
        if self._session is not None and self._session.ending:
            await self._session.wait()  # shown as over already; its record and target are let go of in a moment
        if self._session is not None and not self._session.over:
            raise OperatorError("A session runs already.", remedy="Stop it, or wait until it has ended.")
        manner = Manner(answerable=True, continue_question=False)
        begun = RunningSession.audience(audience)
        # Before anything else that may be wrong, for instance a target that went with what was stopped.
        await asyncio.to_thread(refuse_if_stopped, [self._station.display])
        await asyncio.to_thread(check_task, request)
        computer = await open_computer(request.target, self._station.own, self._station.display)
        try:
            await asyncio.to_thread(preload, request)
            prepared = await prepare(self._station, request, computer, (begun,), manner)
        except BaseException:
            await computer.close()
            raise
        self._session = await RunningSession.begin(prepared, begun)
        return self._session

    def watch(
        self, target: str, on_frame: Callable[[Frame], None], on_trouble: Callable[[ConsoleError], None]
    ) -> Callable[[], None]:
        """Live frames of a target, from a thread of their own."""
        station = self._station

        source = LiveSource(lambda: make_eye(resolve(target, station.own, station.display), station.own))
        source.start(on_frame, on_trouble, on_same=on_frame)
        self._live = [*(each for each in self._live if each.running), source]
        return source.stop

    async def open_record(self, path: Path) -> OpenRecord:
        """A session file, for reading."""
        return await asyncio.to_thread(OpenedRecord, path, self._station.paths.anchors)

    async def sessions(self) -> Sequence[SessionSummary]:
        """The sessions folder, newest first; files that cannot be read are left out."""
        paths = self._station.paths
        found, _ = await asyncio.to_thread(list_sessions, paths.sessions, paths.anchors)
        return [
            SessionSummary(
                path=each.path,
                task=each.task,
                started=each.created,
                outcome=each.outcome.value if each.outcome else "",
                steps=each.steps,
                size_bytes=each.size_bytes,
            )
            for each in found
        ]

    async def interrupted(self) -> SessionSummary | None:
        """The newest session that broke off and was not offered before."""
        for each in await asyncio.to_thread(cut_off, self._station.paths, self._station.display):
            mark = f"interrupted:{each.session_id}"
            if mark not in self._station.settings.notices.seen:
                self._notice(mark)
                return SessionSummary(
                    path=each.path, task=each.task, started=each.created, steps=each.steps, size_bytes=each.size_bytes
                )
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
        """The Stop button."""
        await self._station.guard.stop(StopCause.BUTTON, "Stop was pressed in the window.")
        self._guard.refresh()

    async def reset(self) -> None:
        """A human typed the word; clears the latch and starts no session. A guard that died is replaced."""
        try:
            await self._station.guard.reset()
        except ResetRefused as error:
            raise OperatorError("It cannot be reset now.", detail=str(error)) from error
        await self._guard.revive()

    def covered(self, window_id: int) -> bool:
        """Whether another program's window lies over part of this one."""
        return self._occlusion.covered(window_id)

    def notify(self, title: str, text: str) -> None:
        """A desktop notification, from a thread: the bus may be slow or missing."""
        asyncio.get_running_loop().run_in_executor(None, notify, title, text)

    # What is kept

    @property
    def preferences(self) -> Preferences:
        """As kept."""
        return preferences_of(self._station.settings)

    def keep(self, preferences: Preferences) -> None:
        """Keep them. Raises OperatorError where the file cannot be written."""
        self._save(with_preferences(self._station.settings, preferences))

    def _notice(self, mark: str) -> None:
        kept = self._station.settings
        if mark not in kept.notices.seen:
            seen = (*kept.notices.seen, mark)
            self._save(kept.model_copy(update={"notices": kept.notices.model_copy(update={"seen": seen})}))

    def _save(self, settings: Settings) -> None:
        self._station.settings = settings
        save_settings(self._station.paths.settings, settings, registry.options_of)


def _has_key(spec: ProviderSpec) -> bool:
    try:
        return find_key(spec) is not None
    except KeyringUnusable:  # a start with this service says so
        return False


def _choice(listing: TargetListing, station: Station) -> TargetChoice:
    trouble = "" if listing.state == "shown" else listing.state
    picture: Frame | None = None
    if not trouble:
        try:
            picture = snapshot(listing.ref, station.own)
        except ConsoleError as error:
            trouble = error.title
    return TargetChoice(spec=listing.ref.spec, title=listing.ref.title, picture=picture, trouble=trouble)


def _model_title(spec: ProviderSpec, model: str) -> str:
    return model.replace("-", " ").title() if model else spec.model_title
