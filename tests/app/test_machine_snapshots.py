"""A snapshot taken or gone back to in the window is recorded with the session that it belongs to."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import AsyncMock, MagicMock

import pytest

from operator_console.app import backend as module
from operator_console.app import session_setup
from operator_console.app.backend import Backend
from operator_console.app.machine_snapshots import append_to_record
from operator_console.app.session_handles import RunningSession
from operator_console.app.target_opening import OpenedTarget
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Ended, EndedOutcome, SessionStarted, Snapshot
from operator_console.domain.frames import VncTarget
from operator_console.domain.intents import NoteSnapshot
from operator_console.domain.proposals import Usage
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.states import Ended as EndedState
from operator_console.domain.states import HandedOver, Observing, Paused, State
from operator_console.domain.stopping import PauseCause
from operator_console.journal.call_outcomes import run_was_cut_off
from operator_console.journal.read import Reader
from operator_console.journal.summary import session_summary
from operator_console.journal.verify import verify
from operator_console.journal.write import SessionJournal
from operator_console.settings.model import Machine, Settings
from operator_console.ui.backend import MachineOptions
from tests.qmp.conftest import place, qemu
from tests.servers.qmp_server import QmpServer

__all__ = ["place", "qemu"]
HERE = "vnc:build-7:5900"
NAME = "operator-console-20261129-003412"


@dataclass
class Session:
    """What the window's session is for `Backend.snapshot`."""

    machine: str = HERE
    over: bool = False
    state: State = field(default_factory=lambda: Paused(by=PauseCause.HUMAN))
    noted: list[NoteSnapshot] = field(default_factory=list)

    @property
    def ending(self) -> bool:
        return isinstance(self.state, EndedState)

    @property
    def may_change_machine(self) -> bool:
        return self.over or self.ending or isinstance(self.state, Paused | HandedOver)

    async def note(self, noted: NoteSnapshot, _anchors: Path) -> None:
        self.noted.append(noted)


@pytest.fixture
def backend(qemu: QmpServer, monkeypatch: pytest.MonkeyPatch) -> Backend:
    monkeypatch.setattr(module, "GuardView", MagicMock())
    services = MagicMock()
    services.settings = Settings(machines={HERE: Machine(qmp=qemu.path)})
    services.paths.remembered = Path("/no/such/file")
    return Backend(services, MagicMock())


def with_session(backend: Backend, session: Session | None) -> Backend:
    backend._session = session  # type: ignore[assignment]
    return backend


async def test_without_a_session_it_waits_for_the_next_one_on_that_machine(backend: Backend) -> None:
    for session in (None, Session(machine="vm:other", state=Observing())):
        await with_session(backend, session).snapshot(SnapshotAct.TAKEN, HERE)
    assert [each.act for each in backend._noted[HERE]] == [SnapshotAct.TAKEN] * 2


@pytest.mark.parametrize("state", [Paused(by=PauseCause.HUMAN), HandedOver()])
async def test_in_a_pause_it_is_the_sessions(backend: Backend, state: State) -> None:
    session = Session(state=state)
    for act in SnapshotAct:
        await with_session(backend, session).snapshot(act, HERE)
    assert [each.act for each in session.noted] == list(SnapshotAct)
    assert backend._noted == {}


async def test_while_the_session_acts_it_is_refused(backend: Backend, qemu: QmpServer) -> None:
    for act in SnapshotAct:
        with pytest.raises(OperatorError, match="A session is running") as told:
            await with_session(backend, Session(state=Observing())).snapshot(act, HERE)
        assert "Pause or stop it first." in told.value.remedy
    assert qemu.told == []


@pytest.mark.parametrize("over", [True, False])
async def test_after_the_end_going_back_is_the_sessions_and_a_new_one_the_nexts(backend: Backend, over: bool) -> None:
    session = Session(over=over, state=EndedState(outcome=EndedOutcome.FINISHED))
    taken = await with_session(backend, session).snapshot(SnapshotAct.TAKEN, HERE)
    await backend.snapshot(SnapshotAct.RESTORED, HERE)
    assert session.noted == [NoteSnapshot(act=SnapshotAct.RESTORED, name=taken.name)]
    assert backend._noted == {HERE: [NoteSnapshot(act=SnapshotAct.TAKEN, name=taken.name)]}


async def test_one_that_failed_is_recorded_nowhere(backend: Backend, qemu: QmpServer) -> None:
    qemu.failing["snapshot-save"] = "No space left on device"
    session = Session()
    with pytest.raises(OperatorError):
        await with_session(backend, session).snapshot(SnapshotAct.TAKEN, HERE)
    assert session.noted == []
    assert backend._noted == {}


@pytest.fixture
def starting(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    """A session that Start prepares and begins: its parts, of which nothing works."""
    parts = MagicMock()
    parts.open, parts.prepare, parts.begin = AsyncMock(), AsyncMock(), AsyncMock()
    parts.open.return_value = OpenedTarget(computer=MagicMock(target=VncTarget(spec=HERE, title="")))
    parts.post = parts.prepare.return_value.session.post = MagicMock()
    monkeypatch.setattr(backend, "_open", parts.open)
    monkeypatch.setattr(RunningSession, "begin", parts.begin)
    for name in ("refuse_if_stopped", "load_session_modules"):
        monkeypatch.setattr(module, name, MagicMock())
    monkeypatch.setattr(module, "with_price", lambda _, request: request)
    monkeypatch.setattr(module, "with_record", lambda request, _: request)
    monkeypatch.setattr(session_setup, "prepare", parts.prepare)
    for name in ("check_request", "preload"):
        monkeypatch.setattr(session_setup, name, MagicMock())
    return parts


async def test_what_waited_for_a_session_is_noted_in_the_first_one_that_begins(
    backend: Backend, starting: MagicMock
) -> None:
    taken = await backend.snapshot(SnapshotAct.TAKEN, HERE)
    request = SessionRequest(task="Do it.", target=HERE)
    starting.begin.side_effect = OperatorError("It is refused.")
    with pytest.raises(OperatorError):
        await backend.start(request, MagicMock())
    starting.begin.side_effect = None
    starting.post.reset_mock()
    await backend.start(request, MagicMock())
    starting.post.assert_called_once_with(NoteSnapshot(act=SnapshotAct.TAKEN, name=taken.name))
    backend._session = None
    starting.post.reset_mock()
    await backend.start(request, MagicMock())
    starting.post.assert_not_called()


async def test_a_start_waits_until_the_machine_no_longer_stands_still(backend: Backend, starting: MagicMock) -> None:
    async with backend._snapshotting:
        start = asyncio.ensure_future(backend.start(SessionRequest(task="Do it.", target=HERE), MagicMock()))
        done, _ = await asyncio.wait({start}, timeout=0.2)
        assert not done
        starting.open.assert_not_awaited()
    await start
    starting.open.assert_awaited_once()


async def running(state: State, *, over: bool, record: Path) -> tuple[RunningSession, MagicMock]:
    """A session of the window in this state, and the engine's."""
    session = object.__new__(RunningSession)
    session._prepared = MagicMock(record=record)
    session._prepared.session.state = state
    session._task = asyncio.get_running_loop().create_future()  # type: ignore[assignment]
    if over:
        session._task.set_result(None)
    return session, session._prepared.session


@pytest.mark.parametrize(
    ("state", "over", "may"),
    [
        (Observing(), False, False),
        (Paused(by=PauseCause.HUMAN), False, True),
        (HandedOver(), False, True),
        (EndedState(outcome=EndedOutcome.FINISHED), False, True),
        (Observing(), True, True),
    ],
)
async def test_a_machine_may_be_changed_while_nothing_can_act(
    tmp_path: Path, state: State, over: bool, may: bool
) -> None:
    session, _ = await running(state, over=over, record=tmp_path)
    assert session.may_change_machine is may


async def test_it_is_noted_in_a_running_session_and_else_in_its_closed_record(tmp_path: Path) -> None:
    path, anchors = recorded(tmp_path)
    noted = NoteSnapshot(act=SnapshotAct.RESTORED, name=NAME)
    session, engine = await running(Paused(by=PauseCause.HUMAN), over=False, record=path)
    await session.note(noted, anchors)
    engine.post.assert_called_once_with(noted)
    session, engine = await running(EndedState(outcome=EndedOutcome.FINISHED), over=True, record=path)
    await session.note(noted, anchors)
    engine.post.assert_not_called()
    with Reader(path) as record:
        assert list(record.records())[-1].event == Snapshot(act=SnapshotAct.RESTORED, name=NAME)


def recorded(folder: Path) -> tuple[Path, Path]:
    """The record of a session that has ended, and the folder of anchors."""
    path, anchors = folder / "a.ocsession", folder / "anchors"
    with SessionJournal.create(path, anchors) as journal:
        journal.append(
            SessionStarted(
                task="t", target=VncTarget(spec=HERE, title=""), provider="p", model="m", autonomy=Autonomy.STEP,
                max_steps=1, max_minutes=1,
            )
        )  # fmt: skip
        journal.append(Ended(outcome=EndedOutcome.FINISHED, usage=Usage()))
    return path, anchors


def test_a_closed_record_takes_it_and_stays_intact(tmp_path: Path) -> None:
    path, anchors = recorded(tmp_path)
    event = Snapshot(act=SnapshotAct.RESTORED, name=NAME)
    append_to_record(path, anchors, event)
    with Reader(path) as record:
        records = list(record.records())
    assert records[-1].event == event
    assert not run_was_cut_off(records)
    assert session_summary(path, anchors).outcome is EndedOutcome.FINISHED
    assert not verify(path, anchors).problems


async def test_settings_of_a_machine_are_saved_and_cleared(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[Settings] = []

    async def write(settings: Settings) -> None:
        saved.append(settings)

    monkeypatch.setattr(backend._writer, "write", write)
    other = "vnc:other:5900"
    assert backend.machine_options(other) == MachineOptions()
    defaults = backend.machine_defaults(other)
    assert (defaults.layout, defaults.paste) == ("us", False)
    assert {"us", "de(nodeadkeys)"} <= set(defaults.layouts)
    assert backend.machine_defaults("vm:a").layout == ""
    chosen = MachineOptions(layout="de", paste=True, qmp="/run/a.qmp")
    assert backend.machine_trouble(other, chosen) == ""
    await backend.save_machine(other, chosen)
    assert backend.machine_options(other) == chosen
    await backend.save_machine(HERE, MachineOptions())
    assert set(saved[-1].machines) == {other}
    for wrong, said in (
        (MachineOptions(layout="Deutsch"), "layout"),
        (MachineOptions(qmp="a.qmp"), "beginning with /"),
    ):
        assert said in backend.machine_trouble(other, wrong)
