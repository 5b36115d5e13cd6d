"""A machine over VNC is opened by what is set for it, and its monitor is asked whether it runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from unittest.mock import AsyncMock, MagicMock

import pytest

from operator_console.app import target_opening as module
from operator_console.app.target_opening import OpenedTarget, open_target
from operator_console.computers.desktop_computer import DesktopComputer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import ComputerUnavailable, OperatorError, UnavailableReason
from operator_console.domain.frames import ImageNeeds, VmTarget, VncTarget
from operator_console.domain.geometry import NativePoint
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.viewer_names import Viewer
from operator_console.qmp.monitor import MonitorUnusable
from operator_console.settings.model import Machine, Settings, Vnc
from operator_console.settings.vnc_machines import PASSWORD_VARIABLE
from tests.qmp.conftest import place, qemu
from tests.servers.qmp_server import QmpServer
from tests.servers.rfb_referee import Referee, Rules
from tests.settings.memory_keyring import memory_keyring

__all__ = ["place", "qemu"]


@pytest.fixture
async def screen(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Referee]:
    """A server of VNC."""
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    with memory_keyring(), Referee(Rules(pointer_mode=1)) as server:
        yield server


def spec(screen: Referee) -> str:
    return f"vnc:127.0.0.1:{screen.port}"


async def opened(screen: Referee, settings: Settings) -> OpenedTarget:
    request = SessionRequest(task="Look.", target=spec(screen))
    return await open_target(request, OwnWindows(), NO_DISPLAY, lambda: settings)


@pytest.mark.parametrize(("own", "layout"), [("de", "de"), ("", "fr")])
async def test_its_own_layout_goes_before_that_of_all_machines(screen: Referee, own: str, layout: str) -> None:
    settings = Settings(vnc=Vnc(layout="fr"), machines={spec(screen): Machine(layout=own)})
    target = await opened(screen, settings)
    await target.computer.close()
    assert isinstance(target.computer.target, VncTarget)
    assert target.computer.target.layout == layout


async def test_a_machine_that_does_not_run_is_not_opened(screen: Referee, qemu: QmpServer) -> None:
    qemu.status = "paused"
    with pytest.raises(ComputerUnavailable, match="is paused"):
        await opened(screen, Settings(machines={spec(screen): Machine(qmp=qemu.path)}))
    assert screen.clients == []


async def test_a_monitor_that_is_not_there_is_told_at_the_start(screen: Referee) -> None:
    with pytest.raises(MonitorUnusable, match="There is no monitor"):
        await opened(screen, Settings(machines={spec(screen): Machine(qmp="/no/such.qmp")}))


async def test_a_machines_window_is_opened_by_what_is_set_for_its_name(
    qemu: QmpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = VmTarget(spec="vm:0x7", title="", window_id=7, viewer=Viewer.QEMU_GTK, name="debian")
    settings = Settings(machines={"vm:debian": Machine(layout="de", qmp=qemu.path)})
    connected = AsyncMock()
    monkeypatch.setattr(module, "resolve", lambda *_: shown)
    monkeypatch.setattr(module, "connect", connected)
    request = SessionRequest(task="Look.", target="vm:deb")
    qemu.mice[0]["absolute"] = False
    with pytest.raises(OperatorError, match="steps of the pointer"):
        await open_target(request, OwnWindows(), NO_DISPLAY, lambda: settings)
    connected.assert_not_awaited()
    qemu.mice[0]["absolute"] = True
    await open_target(request, OwnWindows(), NO_DISPLAY, lambda: settings)
    assert connected.await_args is not None
    (ref, _), rest = connected.await_args
    assert ref.layout == "de"
    qemu.status = "guest-panicked"
    with pytest.raises(ComputerUnavailable, match="debian has crashed"):
        await rest["guest"].require_running()


async def test_a_machine_in_a_window_that_is_paused_is_noticed_before_the_next_picture_and_input() -> None:
    shown = VmTarget(spec="vm:0x7", title="", window_id=7, viewer=Viewer.QEMU_GTK, name="debian")
    paused = ComputerUnavailable("debian is paused.", reason=UnavailableReason.HIDDEN)
    guest = AsyncMock()
    guest.require_running.side_effect = paused
    computer = await DesktopComputer.open(shown, MagicMock, guest=guest)
    try:
        for asked in (computer.observe(ImageNeeds()), computer.prepare_input(NativePoint(1, 1), needs_focus=False)):
            with pytest.raises(ComputerUnavailable, match="is paused"):
                await asked
    finally:
        await computer.close()


async def test_a_machine_that_is_paused_later_is_noticed_before_the_next_picture_and_input(
    screen: Referee, qemu: QmpServer
) -> None:
    target = await opened(screen, Settings(machines={spec(screen): Machine(qmp=qemu.path)}))
    computer = target.computer
    try:
        await computer.observe(ImageNeeds())
        await computer.prepare_input(NativePoint(1, 1), needs_focus=False)
        qemu.status = "paused"
        with pytest.raises(ComputerUnavailable, match="is paused"):
            await computer.observe(ImageNeeds())
        with pytest.raises(ComputerUnavailable, match="is paused"):
            await computer.prepare_input(NativePoint(1, 1), needs_focus=False)
        qemu.status = "running"
        await computer.observe(ImageNeeds())
    finally:
        await computer.close()
    assert qemu.commands == []
