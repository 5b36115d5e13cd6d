"""When text is pasted. Without a display."""

from __future__ import annotations

from typing import cast

import pytest

from operator_console.domain.actions import TypeText
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.injector.input_method.client import InputMethod
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.key_actions import KeyActions
from operator_console.injector.keyboard.typist import Typist
from operator_console.injector.pointer import PointerActions
from operator_console.injector.target_check import TargetCheck

HAN = "".join(chr(0x4E00 + i) for i in range(100))


class FakeParts:
    """Replaces sender, typist and target check."""

    def __init__(self, *, program: str = "mousepad", holds_keys: bool = False) -> None:
        self._program = program
        self.holds_keys = holds_keys

    def program(self, window_id: int) -> str:
        return self._program


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_is_pasted_into_what_policy_takes_for_a_terminal(terminal: bool) -> None:
    assert may_paste(FakeParts(), terminal=terminal) is not terminal


def may_paste(parts: FakeParts, *, paste: bool = True, delay_s: float = 0.0, terminal: bool = False) -> bool:
    size = Size(100, 100)
    grant = Grant(
        grant_id="a", step=1, call=0, action=TypeText(text=HAN), epoch=1, expires_s=0.0, paste=paste,
        typing_delay_s=delay_s, target=MonitorTarget(spec="monitor:1", title=""),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size), terminal=terminal,
    )  # fmt: skip
    actions = KeyActions(
        cast(InputSender, parts), cast(Typist, parts), cast(TargetCheck, parts), cast(PointerActions, parts),
        cast(InputMethod, parts),
    )  # fmt: skip
    return actions._may_paste(grant, 7)


@pytest.mark.parametrize(
    ("parts", "paste", "delay_s", "may"),
    [
        (FakeParts(), True, 0.0, True),
        (FakeParts(), False, 0.0, False),
        (FakeParts(), True, 0.01, False),
        (FakeParts(program="xephyr"), True, 0.0, False),
        (FakeParts(holds_keys=True), True, 0.0, False),
    ],
)
def test_when_anything_may_be_pasted(parts: FakeParts, paste: bool, delay_s: float, may: bool) -> None:
    assert may_paste(parts, paste=paste, delay_s=delay_s) is may
