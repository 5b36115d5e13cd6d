"""What is left of a session's target when it is closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from operator_console.app.session_setup import Prepared
from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.guard import latch
from operator_console.guard.latch import LatchState, LatchStatus
from tests.fakes.targets import target_of


@dataclass
class Closable:
    """A provider, a computer or what asks for elements, as far as closing goes."""

    target: TargetRef
    closed: list[str] = field(default_factory=list)

    async def close(self) -> None:
        self.closed.append("closed")


@pytest.mark.parametrize("kind", [TargetKind.VIRTUAL, TargetKind.MONITOR])
async def test_the_files_of_a_virtual_desktop_go_with_it(kind: TargetKind) -> None:
    latch.write_latch(LatchStatus(display=":987653", state=LatchState.STOPPED, reason="hotkey"))
    for file in ("ledger", "lock"):
        latch.path_of(":987653", file).touch()
    thing = Closable(target_of(kind, display=":987653"))
    prepared = Prepared(
        session=cast(Any, None),
        file=cast(Any, None),
        provider=cast(Any, thing),
        computer=cast(Any, thing),
        elements=cast(Any, thing),
    )
    await prepared.close()
    assert thing.closed == ["closed"] * 3
    left = {path.name for path in latch.run_dir().iterdir() if "987653" in path.name}
    assert len(left) == (0 if kind is TargetKind.VIRTUAL else 3)
