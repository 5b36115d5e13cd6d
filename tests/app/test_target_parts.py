"""What a session is given beside its computer follows from the kind of the target, not from the display at hand."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from operator_console.app.session_setup import Prepared, RunMode, _began_ns, prepare
from operator_console.domain.actions import Launch, QuoteClipboard
from operator_console.domain.elements import Element
from operator_console.domain.frames import Frame, TargetRef, TextBox, VirtualTarget, VncTarget
from operator_console.domain.geometry import Rect
from operator_console.domain.session_request import SessionRequest
from operator_console.journal.write import SessionJournal
from operator_console.settings.file_locations import find_paths
from tests.fakes.computer import FAKE_TARGET, FakeComputer
from tests.fakes.elements import FakeElements
from tests.fakes.injector import FakeInjector
from tests.fakes.services import FakeServices, SessionFakeGuard
from tests.journal.samples import write_session

ISOLATED = VirtualTarget(spec="virtual:800x600", title="Virtual desktop")
ELSEWHERE = VncTarget(spec="vnc:host:1", title="A machine elsewhere")


async def prepared(target: TargetRef, tmp_path: Path, own: TellsItself | None = None) -> Prepared:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"finished": True}]))
    guard = SessionFakeGuard()
    services = FakeServices(paths=find_paths(), guard=guard, injector=FakeInjector(guard))
    request = SessionRequest(task="look", target=target.spec, provider="scripted", model=str(script))
    mode = RunMode(answerable=False, continue_question=False)
    computer = FakeComputer(target=target)
    computer.own_elements = own
    return await prepare(services, request, computer, (), mode)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(tmp_path))
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)


@pytest.mark.parametrize(("target", "has"), [(FAKE_TARGET, True), (ELSEWHERE, False)])
async def test_only_a_desktop_of_this_machine_tells_elements_starts_programs_and_has_our_clipboard(
    target: TargetRef, has: bool, tmp_path: Path
) -> None:
    session = await prepared(target, tmp_path)
    try:
        assert (session.elements is not None) is has
        for action in (Launch(app="editor"), QuoteClipboard(variable="found")):
            assert any(effect.handles(action) for effect in session.effects) is has
    finally:
        await session.close()


@pytest.mark.parametrize(("target", "sees"), [(FAKE_TARGET, True), (ISOLATED, False), (ELSEWHERE, False)])
async def test_what_appears_in_the_home_folder_is_told_where_programs_see_it(
    target: TargetRef, sees: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    session = await prepared(target, tmp_path)
    try:
        look = session.session._ports.new_files
        assert (look is not None) is sees
        if look is not None:
            assert "tool" not in look()
            (home / "tool").touch()
            assert "tool" in look()
    finally:
        await session.close()


def test_a_session_that_is_continued_began_with_its_first_run(tmp_path: Path) -> None:
    before_ns = time.time_ns()
    file = tmp_path / "one.ocsession"
    journal = SessionJournal.create(file, tmp_path / "anchors")
    write_session(journal)
    journal.close()
    ended_ns = time.time_ns()
    assert before_ns - 1_000 <= _began_ns(file) <= ended_ns
    assert _began_ns(None) >= ended_ns


class TellsItself(FakeElements):
    """Fits `OwnElements`."""

    switches_on = False
    started = False

    async def start(self) -> None:
        self.started = True

    async def visible(self, frame: Frame) -> Sequence[Element]:
        return self.shown

    async def listed(self, frame: Frame) -> Sequence[Element]:
        return self.shown

    async def texts(self, frame: Frame) -> tuple[Sequence[TextBox], Sequence[Rect]] | None:
        return [TextBox(text="Told", box=Rect(0, 0, 9, 9))], []


async def test_a_target_that_tells_its_elements_itself_starts_no_text_recognition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed: list[FakeServices] = []

    def warm(services: FakeServices) -> None:
        warmed.append(services)

    monkeypatch.setattr(FakeServices, "warm_reader", warm)
    told = TellsItself()
    await (await prepared(ELSEWHERE, tmp_path)).close()
    assert len(warmed) == 1
    session = await prepared(ELSEWHERE, tmp_path, own=told)
    try:
        assert session.elements is not None
        assert not session.elements.switches_on
        assert told.started
        assert len(warmed) == 1
    finally:
        await session.close()
