"""Several monitors on one screen: each point a model names arrives at its pixel; what changed meanwhile is refused."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from operator_console.computers.live_preview import LiveSource
from operator_console.computers.targets import list_targets, open_capture, open_computer, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Grab, Monitor
from operator_console.domain.actions import Chord, Click
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import (
    ComputerRejected,
    ComputerUnavailable,
    ConsoleError,
    RejectedReason,
    UnavailableReason,
)
from operator_console.domain.frames import Frame, ImageNeeds
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint, SentPoint, Size
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from operator_console.engine.ports import Computer
from operator_console.engine.turn.expected_screen import TurnPicture
from operator_console.providers.gemini.actions import parse_call
from operator_console.providers.gemini.contents import IMAGE_NEEDS
from tests.display.guard.acting import Acting, armed
from tests.display.rig import Desktop, wait_until
from tests.display.rig.monitors import Place, delete_monitor, monitors_of, set_monitor, set_size
from tests.display.rig.sheet import Sheet

WHOLE = (0, 0, 1280, 800)
# Every edge and one corner: a pointer in a corner stops, unless it was announced, which has tests of its own.
GRID = [(0, 0), (0, 501.5), (333.4, 0), (501, 333.3), (642.8, 999), (7, 1000), (999, 250), (1000, 749.9)]
SMALL = ImageNeeds(long_edge=200)

TWO: dict[str, Place] = {"wide": (0, 0, 800, 600), "tall": (800, 0, 480, 800)}
THREE: dict[str, Place] = {"portrait": (0, 0, 300, 800), "low": (300, 411, 640, 389), "odd": (940, 77, 333, 251)}
HANGING: dict[str, Place] = {"hanging out": (-200, -50, 640, 450), "right": (440, 0, 840, 800)}


@dataclass(kw_only=True)
class Hand:
    """A monitor as computer, and the real way to its pixels."""

    computer: Computer
    acting: Acting

    async def press(self, frame: Frame, at: NativePoint) -> Outcome:
        """As the engine does it."""
        action = Click(at=at)
        await self.computer.prepare_input(at, needs_focus=False)
        try:
            expected = TurnPicture()
            return await self.acting.do(
                action, target=frame.target, geometry=frame.geometry,
                checks=expected.screen_checks(action, frame, None), owners=expected.owner_checks(action, frame, None),
            )  # fmt: skip
        finally:
            await self.computer.after_input()


@asynccontextmanager
async def working(acting: Acting, spec: str) -> AsyncIterator[Hand]:
    computer = await open_computer(spec, OwnWindows(), acting.desktop.name)
    try:
        yield Hand(computer=computer, acting=acting)
    finally:
        await computer.close()


async def points_of(hand: Hand, rect: Rect) -> list[tuple[float, float]]:
    """Presses all over a monitor, on the grid and in sent pixels; where on the screen the numbers' points are."""
    frame = await hand.computer.observe(IMAGE_NEEDS)
    assert frame.geometry.origin == ScreenPoint(rect.x, rect.y)
    assert frame.geometry.native == rect.size
    named = []
    for x, y in GRID:
        action = parse_call("click", {"x": x, "y": y}, frame.geometry).action
        assert isinstance(action, Click)
        assert action.at is not None
        outcome = await hand.press(frame, action.at)
        assert outcome.result is ActResult.DONE, outcome
        named.append((rect.x + x * rect.width / 1000, rect.y + y * rect.height / 1000))
    small = await hand.computer.observe(SMALL)
    sent = small.geometry.sent
    for x, y in ((0, 9), (sent.width // 3, sent.height // 2), (sent.width - 1, sent.height - 9)):
        outcome = await hand.press(small, small.geometry.from_sent(SentPoint(x, y)))
        assert outcome.result is ActResult.DONE, outcome
        across, down = (x + 0.5) / sent.width, (y + 0.5) / sent.height
        named.append((rect.x + across * rect.width, rect.y + down * rect.height))
    return named


@pytest.mark.parametrize(
    "places",
    [
        pytest.param(TWO, id="two", marks=pytest.mark.full),
        pytest.param(THREE, id="three", marks=pytest.mark.full),
        pytest.param(HANGING, id="one hangs out to the left"),
    ],
)
async def test_each_point_of_each_monitor_is_hit(desktop: Desktop, places: dict[str, Place]) -> None:
    with monitors_of(desktop, places), Sheet(desktop, WHOLE) as sheet:
        specs = {each.rect: each.ref.spec for each in list_targets(OwnWindows(), desktop.name)}
        named = []
        async with armed(desktop) as acting:
            for rect in (Rect(*place).intersect(Rect(*WHOLE)) for place in places.values()):
                async with working(acting, specs[rect]) as hand:
                    named += await points_of(hand, rect)
        hits = sheet.wait(len(named))
    for hit, (named_x, named_y) in zip(hits, named, strict=True):
        assert abs(hit.root_x + 0.5 - named_x) <= 0.5 + 1e-6
        assert abs(hit.root_y + 0.5 - named_y) <= 0.5 + 1e-6


async def test_a_monitor_that_changed_since_the_picture_is_not_clicked(desktop: Desktop) -> None:
    with monitors_of(desktop, TWO), Sheet(desktop, WHOLE) as sheet:
        async with armed(desktop) as acting, working(acting, "monitor:2") as hand:
            at = NativePoint(100, 100)

            async def refused(frame: Frame, words: str) -> None:
                with pytest.raises(ComputerRejected, match=words) as caught:
                    await hand.computer.prepare_input(at, needs_focus=False)
                assert caught.value.reason is RejectedReason.STALE
                # The child that acts looks for itself; neither a pointer nor a key goes through.
                for action in (Click(at=at), Click(at=None), Chord(keys=(Key("x"),))):
                    focus = FocusRule() if isinstance(action, Chord) else None
                    outcome = await acting.do(action, target=frame.target, geometry=frame.geometry, focus=focus)
                    assert (outcome.result, outcome.reason) == (ActResult.FAILED, "stale"), outcome
                    assert "unplugged, moved or resized" in outcome.detail

            first = await hand.computer.observe(IMAGE_NEEDS)
            assert first.geometry.native == Size(480, 800)
            await asyncio.to_thread(set_monitor, desktop, "tall", (800, 0, 480, 600))
            await refused(first, "changed its size .* It was 480 x 800, now it is 480 x 600")
            second = await hand.computer.observe(IMAGE_NEEDS)
            assert second.geometry.native == Size(480, 600)
            await asyncio.to_thread(set_monitor, desktop, "tall", (700, 90, 480, 600))
            await refused(second, "was moved .* It began at 800, 0 .* now at 700, 90")
            third = await hand.computer.observe(IMAGE_NEEDS)
            assert third.geometry.origin == ScreenPoint(700, 90)
            await asyncio.to_thread(set_monitor, desktop, "added", (1180, 0, 100, 100))
            assert sheet.hits() == []
            assert (await hand.press(third, at)).result is ActResult.DONE  # another one that came is nobody's business
            assert [(hit.root_x, hit.root_y) for hit in await asyncio.to_thread(sheet.wait, 1)] == [(800, 190)]
            await asyncio.to_thread(delete_monitor, desktop, "added")
            await asyncio.to_thread(delete_monitor, desktop, "tall")
            for looking in (hand.computer.prepare_input(at, needs_focus=False), hand.computer.observe(IMAGE_NEEDS)):
                with pytest.raises(ComputerUnavailable, match="switched off or unplugged") as gone:
                    await looking
                assert gone.value.reason is UnavailableReason.HIDDEN
            await asyncio.to_thread(set_monitor, desktop, "tall", (700, 90, 480, 600))
            assert (await hand.computer.observe(IMAGE_NEEDS)).geometry.origin == ScreenPoint(700, 90)
            assert len(sheet.hits()) == 1


def test_the_preview_follows_a_monitor_that_goes_and_comes(desktop: Desktop) -> None:
    frames: list[Frame] = []
    lost: list[ConsoleError] = []
    with monitors_of(desktop, TWO), Sheet(desktop, WHOLE):
        ref = resolve("monitor:2", OwnWindows(), desktop.name)
        source = LiveSource(lambda: open_capture(ref, OwnWindows()))
        source.start(frames.append, lost.append)
        try:
            wait_until(lambda: frames, "the first picture")
            assert frames[-1].geometry.native == Size(480, 800)
            delete_monitor(desktop, "tall")
            wait_until(lambda: lost, "the preview to say that it went")
            assert "switched off or unplugged" in str(lost[0])
            set_monitor(desktop, "tall", (700, 90, 480, 600))
            wait_until(lambda: frames[-1].geometry.origin == ScreenPoint(700, 90), "the picture to come back")
            assert frames[-1].geometry.native == Size(480, 600)
            assert len(lost) == 1
        finally:
            source.stop()


async def test_a_screen_that_changed_its_resolution_is_not_clicked(desktop: Desktop) -> None:
    async with armed(desktop) as acting, working(acting, "monitor:1") as hand:
        before = await hand.computer.observe(IMAGE_NEEDS)
        assert before.geometry.native == Size(1280, 800)
        at = NativePoint(400, 300)
        try:
            await asyncio.to_thread(set_size, desktop, 1024, 600)
            with pytest.raises(ComputerRejected, match="changed its size") as caught:
                await hand.computer.prepare_input(at, needs_focus=False)
            assert caught.value.reason is RejectedReason.STALE
            outcome = await acting.do(Click(at=at), target=before.target, geometry=before.geometry)
            assert (outcome.result, outcome.reason) == (ActResult.FAILED, "stale"), outcome
            after = await hand.computer.observe(IMAGE_NEEDS)
            assert after.geometry.native == Size(1024, 600)
            with await asyncio.to_thread(Sheet, desktop, (0, 0, 1024, 600)) as sheet:
                fresh = await hand.computer.observe(IMAGE_NEEDS)
                assert (await hand.press(fresh, NativePoint(1023, 599))).result is ActResult.DONE
                assert [(hit.root_x, hit.root_y) for hit in await asyncio.to_thread(sheet.wait, 1)] == [(1023, 599)]
        finally:
            await asyncio.to_thread(set_size, desktop, 1280, 800)


async def test_a_window_beyond_an_edge_is_hit_where_it_shows(desktop: Desktop) -> None:
    """Across two monitors too: its picture is whole, its points are its own, and what is off the screen is refused."""
    named = []
    with monitors_of(desktop, TWO), Sheet(desktop, (200, 200, 400, 300), managed=True) as sheet:
        # What blocks runs in a thread, here and elsewhere: this loop answers the lease.
        async with armed(desktop) as acting, working(acting, f"window:{sheet.xid:#x}") as hand:
            for left, top in ((-120, -33), (1100, -33), (-120, 460), (1100, 640), (500, 250)):
                await asyncio.to_thread(desktop.move_window, sheet.xid, left, top)
                frame = await hand.computer.observe(IMAGE_NEEDS)
                assert (frame.geometry.origin, frame.geometry.native) == (ScreenPoint(left, top), Size(400, 300))
                for x, y in itertools.product((0, 311.9, 500, 1000), (0, 115.5, 500, 999)):
                    action = parse_call("click", {"x": x, "y": y}, frame.geometry).action
                    assert isinstance(action, Click)
                    assert action.at is not None
                    if Rect(*WHOLE).contains(left + action.at.x, top + action.at.y):
                        assert (await hand.press(frame, action.at)).result is ActResult.DONE
                        named.append((action.at.x, action.at.y))
                        continue
                    with pytest.raises(ComputerRejected, match="outside the screen") as caught:
                        await hand.press(frame, action.at)
                    assert caught.value.reason is RejectedReason.OUT_OF_RANGE
        assert len(named) == 9 + 6 + 12 + 6 + 16
        assert [(hit.x, hit.y) for hit in sheet.wait(len(named))] == named


def test_where_a_monitor_lies_is_asked_together_with_its_picture(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No waiting for one answer before the other is asked for; where it was moved, the picture is the new place's."""
    course: list[str] = []

    def ask() -> Callable[[], list[Monitor]]:
        answer = asked()

        def answered() -> list[Monitor]:
            course.append("place known")
            return answer()

        course.append("place asked for")
        return answered

    with monitors_of(desktop, TWO), Sheet(desktop, WHOLE):
        capture = open_capture(resolve("monitor:2", OwnWindows(), desktop.name), OwnWindows())
        try:
            assert capture.grab().rect == Rect(*TWO["tall"])
            screen = capture.screen_capture.screen

            def picture(rect: Rect) -> Grab:
                course.append(f"picture {rect.x}")
                return screen(rect)

            asked = capture.display.ask_monitors
            monkeypatch.setattr(capture.display, "ask_monitors", ask)
            monkeypatch.setattr(capture.screen_capture, "screen", picture)
            assert capture.grab().rect == Rect(*TWO["tall"])
            assert course == ["place asked for", "picture 800", "place known"]
            course.clear()
            set_monitor(desktop, "tall", (700, 100, 480, 600))
            assert capture.grab().rect == Rect(700, 100, 480, 600)
            assert course == ["place asked for", "picture 800", "place known", "picture 700"]
        finally:
            capture.close()
