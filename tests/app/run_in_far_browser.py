"""`operator-console run --target browser`, with a machine in memory in the place of the browser at an address."""

from __future__ import annotations

import sys

from operator_console.app import headless
from operator_console.app.target_opening import OpenedTarget
from operator_console.cli import main
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.frames import BrowserTarget
from operator_console.domain.session_request import SessionRequest
from tests.fakes.machine import Machine, MachineComputer

ADDRESS = sys.argv[1]


class FarComputer(MachineComputer):
    target = BrowserTarget(spec="browser", title="Browser", address=ADDRESS)  # type: ignore[assignment]


async def _open(request: SessionRequest, own: OwnWindows, display: str) -> OpenedTarget:
    return OpenedTarget(computer=FarComputer(Machine()))


setattr(headless, "open_target", _open)  # noqa: B010  it is imported there, not exported
sys.exit(main(["run", "Write.", "--target", "browser", "--provider", "scripted", *sys.argv[2:]]))
