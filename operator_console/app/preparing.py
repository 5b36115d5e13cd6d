"""Puts one session together from a request: its provider, computer, record and ports. Called by every way in."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from operator_console import __version__
from operator_console.app.station import Station
from operator_console.computers.desktop import DesktopComputer
from operator_console.computers.virtual import VirtualComputer
from operator_console.desktop.x11.arrivals import Arrivals
from operator_console.desktop.x11.clipboard import read_text
from operator_console.domain.admission import Admission
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import TargetKind
from operator_console.domain.requests import SessionRequest
from operator_console.engine.extras import EffectPort, Options, Ports
from operator_console.engine.history import history_of, unknown_action, unknown_in_words
from operator_console.engine.ports import Audience, Provider
from operator_console.engine.session import Session
from operator_console.guard.latch import forget
from operator_console.journal.read import Reader
from operator_console.journal.write import SessionJournal
from operator_console.providers import catalogue
from operator_console.providers.gemini_settings import GeminiEnvironment, GeminiSettings, OwnFunction
from operator_console.settings.keys import find_key
from operator_console.settings.model import Gemini, Paste
from operator_console.tools.launching import Launcher
from operator_console.tools.quoting import ClipboardQuoter

AnyComputer: TypeAlias = DesktopComputer | VirtualComputer


class RecordFile:
    """The file of one session: the engine opens and writes it, the window reads its pictures meanwhile."""

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

    def blob(self, digest: str) -> bytes | None:
        """A picture of it, on the disk already or not; None: it has none such. From any thread. Raises RecordError."""
        return self._journal.blob(digest) if self._journal is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A session that can run, and what must be closed after it."""

    session: Session
    file: RecordFile
    provider: Provider
    computer: AnyComputer

    @property
    def record(self) -> Path:
        """The session file."""
        return self.file.path

    async def close(self) -> None:
        """Let go of the target and of the model's service."""
        target = self.computer.target
        try:
            await self.provider.close()
        finally:
            await self.computer.close()
            if target.kind is TargetKind.VIRTUAL:
                forget(target.display)  # its number may be another's next


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the way in lets questions be answered."""

    answerable: bool
    continue_question: bool


def make_provider(station: Station, provider: str, model: str) -> Provider:
    """The provider of a request, with its key. Raises OperatorError (unknown, not built, no key)."""
    info, chosen = catalogue.resolve(provider, model)
    key = find_key(info.name) if info.needs_key else None
    if info.needs_key and key is None:
        raise OperatorError(
            f"There is no key for {info.title}.",
            detail=f"Neither {' nor '.join(info.key_env)} is set, and the keyring has none.",
            remedy=f"Run `operator-console models key {info.name}`, or enter it in the app.",
        )
    ingredients = catalogue.Ingredients(
        api_key=key.value if key else None, gemini=_gemini(station.settings.gemini), reader=station.reader
    )
    return catalogue.create(info.name, chosen, ingredients)


def preload(request: SessionRequest) -> None:
    """Import what the request's provider needs. Blocking, up to a second. Raises OperatorError."""
    info, _ = catalogue.resolve(request.provider, request.model)
    catalogue.preload(info.name)


async def prepare(
    station: Station,
    request: SessionRequest,
    computer: AnyComputer,
    audiences: Sequence[Audience],
    manner: Manner,
) -> Prepared:
    """Everything one session needs; nothing is armed and no file is written yet. `computer` is the session's then.

    The keyring, and the record of a session that goes on, are read in a thread.

    Raises:
        OperatorError, RecordError: it cannot be; the computer is still the caller's.
    """
    provider = await asyncio.to_thread(make_provider, station, request.provider, request.model)
    station.warm_reader()
    file = _record(station, request)
    options = await asyncio.to_thread(_options, station, request, manner, file.path)
    ports = Ports(
        provider=provider,
        computer=computer,
        injector=station.injector,
        guard=station.guard,
        open_journal=file.open,
        reader=station.reader,
        effects=_effects(station),
    )
    session = Session(request, ports, options=options, audiences=audiences)
    return Prepared(session=session, file=file, provider=provider, computer=computer)


def _effects(station: Station) -> tuple[EffectPort, ...]:
    """What acts and is no input."""
    admission = Admission(lambda: station.guard.grant_key, lambda: station.guard.epoch)
    return Launcher(admission, Arrivals), ClipboardQuoter(admission, read_text)


def _record(station: Station, request: SessionRequest) -> RecordFile:
    path = request.resume or request.record or station.paths.new_session()
    return RecordFile(path, station.paths.anchors, resumed=request.resume is not None)


def _options(station: Station, request: SessionRequest, manner: Manner, record: Path) -> Options:
    history = unknown = ""
    if request.resume is not None:
        with Reader(request.resume) as reader:
            records = list(reader.records())
        history, unknown = history_of(records), unknown_in_words(unknown_action(records))
    return Options(
        name=str(record),
        answerable=manner.answerable,
        continue_question=manner.continue_question,
        resumed=request.resume is not None,
        history=history,
        unknown=unknown,
        typing_delay_s=station.settings.timing.typing_delay_s,
        paste=station.settings.typing.paste is Paste.LONG,
        version=__version__,
        pid=os.getpid(),
    )


def _gemini(chosen: Gemini) -> GeminiSettings:
    return GeminiSettings(
        environment=GeminiEnvironment(chosen.environment.value),
        excluded_functions=chosen.excluded_functions,
        own_functions=tuple(
            OwnFunction(name=own.name, description=own.description, parameters_json=own.parameters_json)
            for own in chosen.own_functions
        ),
        detect_prompt_injection=chosen.detect_prompt_injection,
        disabled_safety_policies=chosen.disabled_safety_policies,
        keep_screenshots=chosen.keep_screenshots,
        include_thoughts=chosen.include_thoughts,
        thinking_level=chosen.thinking_level,
    )
