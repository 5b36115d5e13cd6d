"""One task in domain actions, which each dialect must be able to say and understand alike."""

from __future__ import annotations

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    Move,
    Screenshot,
    Scroll,
    TypeText,
    Wait,
)
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key

TEXT = "Zażółć gęślą jaźń — 你好, “quoted” 100% \\n $(id)"

TASK: tuple[Action, ...] = (
    Screenshot(),
    Click(at=NativePoint(720, 450)),
    Click(at=NativePoint(36, 18), count=2),
    Click(at=NativePoint(1404, 27), button=Button.RIGHT),
    TypeText(text=TEXT),
    Chord(keys=(Key("ctrl"), Key("s"))),
    Chord(keys=(Key("enter"),)),
    Scroll(at=NativePoint(720, 450), dy=3),
    Scroll(at=NativePoint(720, 450), dy=-2),
    Move(at=NativePoint(72, 882)),
    Drag(path=(NativePoint(144, 90), NativePoint(1296, 810))),
    Wait(duration_s=2.0),
    Click(at=NativePoint(720, 90)),
)
"""For a screen of 1440x900 pixels."""
