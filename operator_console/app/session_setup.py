"""Builds one session from a request: its provider, computer, record and ports."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from operator_console import __version__
from operator_console.app.browser_restart import restart_command
from operator_console.app.mcp_setup import ChosenServers, chosen_servers
from operator_console.app.profile_setup import ingredients_for
from operator_console.app.sandbox_setup import ChosenSandbox, chosen_sandbox
from operator_console.app.session_ports import SessionElements, SessionReader, SessionServices
from operator_console.app.session_secrets import SessionSecrets
from operator_console.app.target_parts import parts_of
from operator_console.desktop.platform import watch_screen_lock
from operator_console.domain.admission import Admission
from operator_console.domain.frames import VirtualTarget, machine_name
from operator_console.domain.intents import Intent, Pause
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Provider
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import PauseCause
from operator_console.engine.limits import check_cost_limit
from operator_console.engine.past_conversation import (
    NotContinued,
    history_of,
    last_call_of,
    past_conversation,
    unknown_action,
    unknown_in_words,
)
from operator_console.engine.ports import Audience, Computer, EffectPort
from operator_console.engine.session import Session
from operator_console.engine.session_context import Options, Ports
from operator_console.guard.latch import forget
from operator_console.journal.read import Reader
from operator_console.journal.write import SessionJournal
from operator_console.perception.page_reader import PageReader
from operator_console.perception.visible_elements import VisibleElements, VisibleTexts
from operator_console.providers import registry
from operator_console.settings.model import Paste
from operator_console.tools.mcp_servers import McpServers
from operator_console.tools.new_files import document_folders, new_file_names
from operator_console.tools.own_functions import OwnFunctions
from operator_console.tools.sandboxed_tools import SandboxedTools
from operator_console.tools.worker_process import KillableGroups


class RecordFile:
    """The file of one session: the engine writes it while the window reads its pictures."""

    def __init__(self, path: Path, anchors: Path, *, resumed: bool) -> None:
        self.path = path
        self._anchors = anchors
        self._resumed = resumed
        self._journal: SessionJournal | None = None

    def open(self) -> SessionJournal:
        """Open it for writing. Blocking. Raises RecordError."""
        make = SessionJournal.resume if self._resumed else SessionJournal.create
        self._journal = make(self.path, self._anchors)
        return self._journal

    def renamed(self, path: Path) -> None:
        """It was closed and has this path now: its pictures are read from there."""
        self.path = path
        if self._journal is not None:
            self._journal.renamed(path)

    def blob(self, digest: str) -> bytes | None:
        """A picture of it, also one not yet on the disk; None if there is none. From any thread. Raises RecordError."""
        return self._journal.blob(digest) if self._journal is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A session that is ready to run, with what must be closed after it."""

    session: Session
    file: RecordFile
    provider: Provider
    computer: Computer
    elements: SessionElements | None = None
    effects: tuple[EffectPort, ...] = ()

    @property
    def record(self) -> Path:
        """The session file."""
        return self.file.path

    async def close(self) -> None:
        """Close the effects, the provider, the asking for elements and the computer."""
        target = self.computer.target
        try:
            if self.elements is not None:
                await self.elements.close()
            for effect in self.effects:
                await effect.close()
            await self.provider.close()
        finally:
            await self.computer.close()
            if isinstance(target, VirtualTarget):
                forget(target.display)  # another display may get its number


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMode:
    """How questions are answered in the window or the terminal.

    Attributes:
        answerable: whether somebody can answer.
        continue_question: whether a limit or a pause asks "Continue?" instead of waiting for Resume.
    """

    answerable: bool
    continue_question: bool


def make_provider(
    services: SessionServices, request: SessionRequest, elements: SessionElements | None, reader: SessionReader
) -> Provider:
    """The provider of a request, with its key. Raises OperatorError (unknown, not built, no key, no such profile)."""
    spec, chosen = registry.resolve(request.provider, request.model)
    ingredients = replace(
        ingredients_for(services.settings, spec, request.profile),
        reader=reader if spec.needs_reader else None,
        elements=elements if spec.needs_reader else None,
    )
    return registry.create(spec.name, chosen, ingredients)


def check_request(request: SessionRequest) -> None:
    """Check limits and task before anything is opened for them. Blocking. Raises OperatorError, TaskMistake."""
    check_cost_limit(request)
    spec, _ = registry.resolve(request.provider, request.model)
    spec.check_task(request.task)


def preload(request: SessionRequest) -> None:
    """Import what the request's provider needs. Blocking, up to a second. Raises OperatorError."""
    spec, _ = registry.resolve(request.provider, request.model)
    spec.preload()


async def prepare(
    services: SessionServices,
    request: SessionRequest,
    computer: Computer,
    audiences: Sequence[Audience],
    mode: RunMode,
    own_provider: Provider | None = None,
) -> Prepared:
    """Build one session; nothing is armed and no file is written yet. The session then owns `computer`.

    `own_provider`: instead of the one that the request names.

    The keyring and the record of a continued session are read in a thread.

    Raises:
        OperatorError, RecordError: the session cannot be built; the caller still owns the computer.
    """
    parts, own = parts_of(computer.target), computer.own_elements
    elements: SessionElements | None = own
    if own is None and parts.open_elements is not None:
        elements = parts.open_elements(services, computer.target)
    reader: SessionReader = services.reader if own is None else PageReader(VisibleTexts(own), services.reader)
    if elements is not None:
        elements = VisibleElements(elements)
    provider = own_provider
    if provider is None:
        provider = await asyncio.to_thread(make_provider, services, request, elements, reader)
    if own is None:
        services.warm_reader()
    file = _record(services, request)
    options = await asyncio.to_thread(
        _options, services, request, mode, file.path, provider, paste=_pastes(services, computer),
        accessibility=elements is not None and elements.switches_on, hide=tuple(computer.shutters),
    )  # fmt: skip
    began_ns = await asyncio.to_thread(_began_ns, request.resume)
    secrets = await asyncio.to_thread(SessionSecrets)
    servers = await asyncio.to_thread(chosen_servers, services.settings.mcp, request.mcp_servers)
    sandbox = chosen_sandbox(services.settings.sandbox, request, services.paths, file.path)
    admission = Admission(lambda: services.guard.grant_key, lambda: services.guard.epoch)
    on_target = parts.effects(admission, computer.programs)
    effects = (*on_target, *_offered(services, admission, servers, sandbox))
    ports = Ports(
        provider=provider,
        computer=computer,
        injector=services.injector,
        guard=services.guard,
        open_journal=file.open,
        reader=reader,
        elements=elements,
        clipboard=parts.clipboard,
        new_files=partial(new_file_names, document_folders(), began_ns) if parts.on_this_computer else None,
        secrets=secrets,
        effects=effects,
        restart_command=restart_command,
    )
    session = Session(request, ports, options=options, audiences=audiences)
    if elements is not None:
        await elements.start()
    return Prepared(
        session=session, file=file, provider=provider, computer=computer, elements=elements, effects=effects
    )


def _offered(
    services: SessionServices, admission: Admission, chosen: ChosenServers, sandbox: ChosenSandbox | None
) -> tuple[EffectPort, ...]:
    """What is offered to the model by name: own functions, MCP servers, sandboxed tools."""
    functions, killable = services.settings.functions, KillableGroups(services.guard.set_killable)
    offered: list[EffectPort] = []
    if functions.enabled:
        own = OwnFunctions(admission, functions.enabled, timeout_s=functions.timeout_s, killable=killable)
        offered.append(own)
    if chosen.servers or chosen.problems:
        servers = McpServers(admission, chosen.servers, killable=killable, unusable=chosen.problems)
        offered.append(servers)
    if sandbox is not None:
        offered.append(
            SandboxedTools(
                admission, sandbox.tools, sandbox.folder, limits=sandbox.limits, timeout_s=sandbox.timeout_s,
                killable=killable,
            )
        )  # fmt: skip
    return tuple(offered)


def _record(services: SessionServices, request: SessionRequest) -> RecordFile:
    path = request.resume or request.record or services.paths.new_session()
    return RecordFile(path, services.paths.anchors, resumed=request.resume is not None)


def _began_ns(resumed: Path | None) -> int:
    """When the session began, as time.time_ns(): one that is continued, with its first run."""
    if resumed is not None:
        with Reader(resumed) as reader:
            for record in reader.records():
                return round(datetime.fromisoformat(record.time).timestamp() * 1e9)
    return time.time_ns()


def _folders(services: SessionServices) -> tuple[str, ...]:
    paths = services.paths
    folders = (paths.settings.parent, paths.sessions, paths.anchors, paths.logs, paths.run)
    return tuple(dict.fromkeys(str(folder) for folder in folders))


def _pastes(services: SessionServices, computer: Computer) -> bool:
    """Whether text that has no keys there may be pasted."""
    if name := machine_name(computer.target):
        return bool(services.settings.machine(name).paste)
    return services.settings.typing.paste is Paste.LONG


def _options(
    services: SessionServices, request: SessionRequest, mode: RunMode, record: Path, provider: Provider, *,
    paste: bool, accessibility: bool, hide: tuple[str, ...],
) -> Options:  # fmt: skip
    history = unknown = not_past = last_call = ""
    last_call_done = False
    past = None
    if request.resume is not None:
        with Reader(request.resume) as reader:
            records = list(reader.records())
            history, unknown = history_of(records), unknown_in_words(unknown_action(records))
            last_call, last_call_done = last_call_of(records, request.task)
            try:
                past = past_conversation(
                    records, reader.blob, provider=provider.name, model=provider.model, task=request.task
                )
            except NotContinued as error:
                not_past = error.why
    return Options(
        name=str(record),
        answerable=mode.answerable,
        continue_question=mode.continue_question,
        resumed=request.resume is not None,
        history=history,
        unknown=unknown,
        last_call=last_call,
        last_call_done=last_call_done,
        past=past,
        not_past=not_past,
        typing_delay_s=services.settings.timing.typing_delay_s,
        press_time_s=services.settings.timing.press_time_s,
        paste=paste,
        accessibility=accessibility,
        hide=hide,
        hide_passwords=services.settings.privacy.hide_passwords,
        own_folders=_folders(services),
        version=__version__,
        pid=os.getpid(),
    )


@asynccontextmanager
async def pausing_on_lock(post: Callable[[Intent], None]) -> AsyncIterator[None]:
    """While the block lasts, a screen lock posts a pause. Unlocking resumes nothing: the human does."""
    loop = asyncio.get_running_loop()

    def changed(locked: bool) -> None:
        if locked:
            loop.call_soon_threadsafe(post, Pause(by=PauseCause.SCREEN_LOCK, detail=notice(NoticeCode.SCREEN_LOCKED)))

    watch = watch_screen_lock(changed)
    # Connecting may wait for D-Bus; the session must not.
    starting = asyncio.create_task(asyncio.to_thread(watch.start), name="screen lock")
    try:
        yield
    finally:
        await asyncio.wait({starting})
        await asyncio.to_thread(watch.stop)
