"""A machine over VNC is opened by what is set for it, and its monitor is asked whether it runs."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from operator_console.app.target_opening import OpenedTarget, open_target
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import ComputerUnavailable
from operator_console.domain.frames import ImageNeeds, VncTarget
from operator_console.domain.geometry import NativePoint
from operator_console.domain.requests import SessionRequest
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
