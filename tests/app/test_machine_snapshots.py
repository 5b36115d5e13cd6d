"""A snapshot taken or gone back to in the window is recorded with the session that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from operator_console.app import backend as module
from operator_console.app.backend import Backend
from operator_console.app.machine_snapshots import append_to_record
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Ended, EndedOutcome, SessionStarted, Snapshot
from operator_console.domain.frames import VncTarget
from operator_console.domain.intents import NoteSnapshot
from operator_console.domain.proposals import Usage
from operator_console.domain.risk import Autonomy
from operator_console.domain.snapshots import SnapshotAct
from operator_console.domain.states import Ended as EndedState
from operator_console.domain.states import HandedOver, Observing, Paused, State
from operator_console.domain.stopping import PauseCause
from operator_console.journal.call_outcomes import run_was_cut_off
from operator_console.journal.read import Reader
from operator_console.journal.summary import session_summary
from operator_console.journal.verify import verify
from operator_console.journal.write import SessionJournal
from operator_console.settings.model import Machine, Settings
from operator_console.ui.backend import MachineDefaults, MachineOptions
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


def test_a_closed_record_takes_it_and_stays_intact(tmp_path: Path) -> None:
    path, anchors = tmp_path / "a.ocsession", tmp_path / "anchors"
    with SessionJournal.create(path, anchors) as journal:
        journal.append(
            SessionStarted(
                task="t", target=VncTarget(spec=HERE, title=""), provider="p", model="m", autonomy=Autonomy.STEP,
                max_steps=1, max_minutes=1,
            )
        )  # fmt: skip
        journal.append(Ended(outcome=EndedOutcome.FINISHED, usage=Usage()))
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
    assert backend.machine_options(other) == (
        MachineOptions(), MachineDefaults(layout="us", paste=False, layouts=("us", "gb", "de", "fr", "pl"))
    )  # fmt: skip
    assert backend.machine_options("vm:a")[1].layout == ""
    chosen = MachineOptions(layout="de", paste=True, qmp="/run/a.qmp")
    assert backend.machine_trouble(other, chosen) == ""
    await backend.save_machine(other, chosen)
    assert backend.machine_options(other)[0] == chosen
    await backend.save_machine(HERE, MachineOptions())
    assert set(saved[-1].machines) == {other}
    for wrong, said in (
        (MachineOptions(layout="Deutsch"), "layout"),
        (MachineOptions(qmp="a.qmp"), "beginning with /"),
    ):
        assert said in backend.machine_trouble(other, wrong)
