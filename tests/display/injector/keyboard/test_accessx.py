"""Text and chords are exact while slow, bounce and sticky keys are on, which stay as the person has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.domain.actions import Chord, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from tests.display.guard.acting import armed
from tests.display.rig import Desktop, launch_mousepad
from tests.display.rig.inputs import KeyControl

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]

TEXT = "aa ABBA-- łŁ!!"
ALL = KeyControl.SLOW_KEYS | KeyControl.BOUNCE_KEYS | KeyControl.STICKY_KEYS
SHIFT, CONTROL = (Chord(keys=(Key(name),), repeat=2) for name in ("shift", "ctrl"))


@pytest.mark.parametrize("controls", [KeyControl.STICKY_KEYS, ALL], ids=["sticky", "all"])
async def test_mousepad_saves_what_was_typed(desktop: Desktop, tmp_path: Path, controls: KeyControl) -> None:
    """After a modifier that a person has latched, and after those that the agent has pressed alone."""
    file = tmp_path / "out.txt"
    file.write_text("old text\n")
    launch_mousepad(desktop, file)
    save = Chord(keys=(Key("ctrl"), Key("s")))
    async with armed(desktop) as acting:
        with desktop.with_key_controls(controls):
            if KeyControl.SLOW_KEYS not in controls:
                desktop.xdo("key", "Control_L")
            for action in (
                TypeText(text=TEXT, clear=True),
                SHIFT,
                TypeText(text="a"),
                CONTROL,
                TypeText(text="s"),
                save,
            ):
                outcome = await acting.do(action, focus=FocusRule())
                assert outcome.result is ActResult.DONE, outcome
            assert desktop.key_controls() == controls
            assert desktop.modifier_state() == 0
        await acting.ears.wait(lambda: file.read_text().rstrip("\n") == f"{TEXT}as")
    assert desktop.keys_down() == []
