"""Shutters on a real screen: nothing behind them is captured, and what stands beside them can be clicked."""

from __future__ import annotations

import asyncio
from contextlib import closing

import numpy as np

from operator_console.computers.targets import open_capture, open_computer, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import Click
from operator_console.domain.decisions import ActResult
from operator_console.domain.frames import Frame, ImageNeeds
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.shutters import parse_shutters
from operator_console.engine.turn.expected_screen import TurnPicture
from tests.display.guard.acting import armed
from tests.display.rig import Desktop
from tests.display.rig.sheet import Sheet

BANK, NOTES = Rect(100, 100, 400, 300), Rect(300, 250, 500, 400)


def part(frame: Frame, box: Rect) -> np.ndarray:
    return np.frombuffer(frame.crop(box), dtype=np.uint8).reshape(box.height, box.width, 4)[:, :, :3]


async def test_a_hidden_window_is_black_and_the_one_before_it_can_be_clicked(desktop: Desktop) -> None:
    with (
        Sheet(desktop, (100, 100, 400, 300), colour="ff00aa", title="My bank"),
        Sheet(desktop, (300, 250, 500, 400), colour="00aa55", title="Notes") as notes,
    ):
        async with armed(desktop) as acting:
            computer = await open_computer("monitor:1", OwnWindows(), desktop.name)
            try:
                bare = await computer.observe(ImageNeeds())
                computer.hidden.shutters = parse_shutters(["window:bank"])
                frame = await computer.observe(ImageNeeds())
                seen = part(frame, BANK)
                assert not (seen == (0xAA, 0x00, 0xFF)).all(axis=2).any()
                assert (part(frame, NOTES) == part(bare, NOTES)).all()
                assert all(area.box.intersect(NOTES).empty for area in frame.hidden)
                at = NativePoint(302, 255)  # what must still look the same there lies half under the shutter
                action, expected = Click(at=at), TurnPicture()
                await computer.prepare_input(at, needs_focus=False)
                outcome = await acting.do(
                    action, target=frame.target, geometry=frame.geometry,
                    checks=expected.screen_checks(action, frame, None),
                    owners=expected.owner_checks(action, frame, None),
                )  # fmt: skip
                assert outcome.result is ActResult.DONE, outcome
                await asyncio.to_thread(notes.wait, 1)
            finally:
                await computer.close()


async def test_the_preview_shows_what_the_model_is_shown(desktop: Desktop) -> None:
    with Sheet(desktop, (100, 100, 400, 300), colour="ff00aa", title="My bank"):
        target = resolve("monitor:1", OwnWindows(), desktop.name)
        with closing(open_capture(target, OwnWindows())) as capture:
            bare = part(capture.preview(ImageNeeds()), BANK)
            capture.hidden.shutters = parse_shutters(["region:150,150,100x50"])
            same = (part(capture.preview(ImageNeeds()), BANK) == bare).all(axis=2)
            assert same.sum() == 400 * 300 - 100 * 50
            assert not same[50:100, 50:150].any()
            capture.hidden.shutters = parse_shutters(["app:sheet"])
            assert not (part(capture.preview(ImageNeeds()), BANK) == (0xAA, 0x00, 0xFF)).all(axis=2).any()
