"""What an operator's hand gives: keys and chords, and waiting until they were sent."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from operator_console.computers.operator_hand import OperatorHand
from operator_console.domain.hand_input import HandButton, HandInput, HandKey
from operator_console.domain.keys import Key
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.rig import wait_until


async def use(hand: OperatorHand, inputs: Sequence[HandInput]) -> None:
    """As fast as the machine takes it."""
    for each in inputs:
        assert hand.give(each)
        assert hand._working is not None
        await hand._working


async def point(hand: OperatorHand, window: EventWindow, inputs: Sequence[HandInput]) -> list[ButtonEvent]:
    """No faster than a hand: the window is told of each press before anything follows. Returns what it was told."""
    presses = 0
    for each in inputs:
        await use(hand, [each])
        if isinstance(each, HandButton) and each.down:
            presses += 1
            await asyncio.to_thread(_told_of, window, presses)
    return await asyncio.to_thread(window.buttons)


def _told_of(window: EventWindow, presses: int) -> None:
    wait_until(lambda: sum(each.kind == "Press" for each in window.buttons()) >= presses, "the press")


def keys(text: str, *, shifted: str = "") -> list[HandInput]:
    """Each key down and up; Shift is held for those of `shifted`."""
    found: list[HandInput] = []
    for each in text:
        around = each in shifted
        found += [HandKey(key=Key("shift"), down=True)] * around
        found += [HandKey(key=Key(each), down=True, text=each), HandKey(key=Key(each), down=False)]
        found += [HandKey(key=Key("shift"), down=False)] * around
    return found


def chord(*names: str) -> list[HandInput]:
    down: list[HandInput] = [HandKey(key=Key(each), down=True) for each in names]
    return [*down, *(HandKey(key=Key(each), down=False) for each in reversed(names))]
