"""A whole session, as `run` runs it, on a machine that is no X display: what is X's is behind doors."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from operator_console.app.headless import work
from operator_console.cli.terminal import AnswerMode, RunOptions
from operator_console.domain.actions import Action, Click, TypeText
from operator_console.domain.codec import encode
from operator_console.domain.errors import ExitCode, RejectedReason
from operator_console.domain.events import Answered, Event, Performed, Stopped
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.message_texts import notice, worded
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus, SafetySignal
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import StopCause
from operator_console.injector.client import InjectorClient
from operator_console.journal.read import Reader
from operator_console.settings.file_locations import find_paths
from tests.fakes.machine import GREEN, Machine, MachineComputer, MachineGuard
from tests.fakes.services import FakeServices

PRESS = Click(at=NativePoint(160, 120))
WORDS = TypeText(text="hello")


@dataclass
class Run:
    """A machine, and a session on it.

    Attributes:
        events: the record, in order, once it is over.
    """

    folder: Path
    machine: Machine
    guard: MachineGuard
    injector: InjectorClient
    events: list[Event] = field(default_factory=list)

    async def acts(self, *actions: Action, safety: SafetySignal | None = None) -> int:
        """Run a session in which the model takes these actions, a turn each, and is done; returns the exit code.

        `safety` is what its provider says of each.
        """
        script = self.folder / "script.json"
        turns = [{"calls": [{"action": encode(action), "safety": encode(safety)}]} for action in actions]
        script.write_text(json.dumps([*turns, {"finished": True, "narration": "done"}]))
        computer = MachineComputer(self.machine)
        request = SessionRequest(
            task="Press it and write.", target=computer.target.spec, provider="scripted", model=str(script),
            record=self.folder / "machine.ocsession",
        )  # fmt: skip
        services = FakeServices(paths=find_paths(), guard=self.guard, injector=self.injector)
        code = await work(services, request, computer, RunOptions(answer=AnswerMode.DENY))
        assert computer.closed
        with Reader(self.folder / "machine.ocsession") as record:
            self.events = [each.event for each in record.records()]
        return code

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    @property
    def performed(self) -> list[Performed]:
        return [event for event in self.events if isinstance(event, Performed)]


@pytest.fixture
async def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Run]:
    monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(tmp_path))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    machine, injector = Machine(), InjectorClient()
    guard = MachineGuard(machine, injector)
    yield Run(tmp_path, machine, guard, injector)
    await guard.close()


async def test_a_session_observes_decides_acts_settles_and_is_recorded(run: Run) -> None:
    assert await run.acts(PRESS, WORDS) == ExitCode.FINISHED
    assert run.machine.received == [PRESS, WORDS]
    assert [each.status for each in run.performed] == [CallStatus.DONE] * 2
    step = ["observed", "proposed", "decided", "granted", "performed", "settled"]
    assert [kind for kind in run.kinds if kind in step] == [*step, *step, "observed", "proposed"]
    assert run.guard.calls == ["arm", "disarm"]


async def test_what_has_changed_under_the_point_is_refused_by_the_machines_own_check(run: Run) -> None:
    run.machine.before_input = lambda: run.machine.paint(Rect(150, 110, 20, 20), GREEN)
    assert await run.acts(PRESS) == ExitCode.FINISHED
    assert run.machine.received == []
    assert "granted" in run.kinds, "the engine saw no change"
    assert [(each.status, each.reason) for each in run.performed] == [(CallStatus.NOT_DONE, RejectedReason.STALE)]


async def test_what_nobody_permits_never_reaches_the_machine(run: Run) -> None:
    await run.acts(PRESS, safety=SafetySignal(source="test", decision="require_confirmation"))
    assert run.machine.received == []
    assert "granted" not in run.kinds
    assert [event.answer for event in run.events if isinstance(event, Answered)] == ["declined"]


@pytest.mark.parametrize("told", [True, False, None])
async def test_the_start_says_where_a_person_is_not_told_from_programs(
    run: Run, capfd: pytest.CaptureFixture[str], told: bool | None
) -> None:
    run.guard.devices_told = told
    await run.acts()
    said = worded(notice(NoticeCode.INPUT_NOT_TOLD_FROM_PROGRAMS))
    assert (said in " ".join(capfd.readouterr().err.split())) is (told is False)


async def test_a_stop_kills_the_injector_of_the_machine_and_nothing_comes_after_it(run: Run) -> None:
    def stop_at_the_second() -> None:
        if run.machine.received:
            run.guard.press_stop()

    run.machine.before_input = stop_at_the_second
    assert await run.acts(PRESS, WORDS) == ExitCode.STOPPED
    assert run.machine.received == [PRESS]
    assert not run.injector.attached
    stopped = next(event for event in run.events if isinstance(event, Stopped))
    assert (stopped.reason, stopped.latched) == (StopCause.HOTKEY, True)


def test_none_of_it_needs_a_module_that_speaks_x11() -> None:
    blocked = "import sys, pytest; sys.modules.update(dict.fromkeys(%r)); sys.exit(pytest.main(sys.argv[1:]))"
    names = ("Xlib", "xcffib", "mss", "pyautogui", "pynput")
    test = f"{__file__}::{test_a_session_observes_decides_acts_settles_and_is_recorded.__name__}"
    command = [sys.executable, "-c", blocked % (names,), "-q", "-p", "no:cacheprovider", "-p", "no:xdist", test]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
