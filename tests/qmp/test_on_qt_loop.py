"""The window asks a monitor on Qt's event loop."""

from __future__ import annotations

from operator_console.qmp.snapshots import find_snapshot, restore_snapshot, take_snapshot
from tests.servers.qmp_server import QmpServer
from tests.ui.conftest import Run, app, on_qt

__all__ = ["app", "on_qt"]


def test_a_snapshot_is_taken_and_gone_back_to(on_qt: Run, qemu: QmpServer) -> None:
    async def work() -> None:
        taken = await take_snapshot(qemu.path)
        assert await find_snapshot(qemu.path) == taken
        assert await restore_snapshot(qemu.path) == taken

    on_qt(work())
