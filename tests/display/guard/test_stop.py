"""The stop: in the middle of typing and dragging, pressed by a hand, by a program, by a terminal, by nobody at all."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from operator_console.domain.actions import Action, Drag, KeyDown, Move, Press, Scroll, TypeText
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import StopCause
from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from tests.display.guard.acting import Acting, armed, guarded, injector_pid
from tests.display.rig import Desktop, InputEvent, Witness, later_by_ms, launch_xterm
from tests.display.rig.monitors import monitors_of, set_monitor
from tests.display.rig.processes import processes_with_env

LIMIT_MS = 100
# Long enough that it cannot be over before the witness has told that it began: 5,000 characters take 0.7 s.
LONG = "The Quick Brown Fox jumps over the lazy dog. 0123456789; " * 1500


def sink(desktop: Desktop, path: Path) -> None:
    launch_xterm(desktop, "sh", "-c", f"stty raw -echo -ixon; exec cat > '{path}'")


async def in_flight(acting: Acting, action: Action, witness: Witness) -> asyncio.Task[Outcome]:
    """Start it and return when it is well under way. The witness is asked in a thread: this loop answers the lease."""
    before = len(await asyncio.to_thread(witness.acts))
    task = asyncio.ensure_future(acting.do(action, focus=FocusRule()))
    await asyncio.to_thread(witness.wait_count, before + 60)
    assert not task.done(), task.result()
    return task


def late_ms(events: list[InputEvent], pressed: InputEvent) -> int:
    """How long after the chord's last key the agent still pressed or moved."""
    acts = [e.time_ms for e in events if e.acts and e.synthetic and e is not pressed]
    return max((later_by_ms(t, pressed.time_ms) for t in acts), default=0)


def nothing_is_down(desktop: Desktop) -> None:
    assert desktop.keys_down() == []
    assert desktop.buttons_down() == []


async def stopped_by_hand(acting: Acting, task: asyncio.Task[Outcome], witness: Witness) -> int:
    """Press the chord on the outer display; how late the last press or motion was."""
    desktop = acting.desktop
    await asyncio.to_thread(desktop.human_xdo, "key", "ctrl+alt+x")
    report = await acting.ears.stopped()
    outcome = await task
    assert outcome.result is ActResult.STOPPED
    assert report.reason is StopCause.HOTKEY
    await acting.ears.wait(lambda: latch.read_file(desktop.name).reason == "hotkey")  # written after all is told
    events = await asyncio.to_thread(witness.wait_quiet)
    pressed = [e for e in events if e.kind == "key_down" and not e.synthetic][-1]
    assert report.press_to_last_event_ms is not None
    assert report.press_to_last_event_ms <= LIMIT_MS
    nothing_is_down(desktop)
    return late_ms(events, pressed)


@pytest.mark.parametrize(
    ("layout", "before", "held"),
    [
        ("us", "Caps_Lock", "shift"),
        ("us,ru", "", ""),
        *(
            pytest.param(*each, marks=pytest.mark.full)
            for each in (("us", "", ""), ("ru", "", ""), ("us", "Caps_Lock", ""), ("us", "", "shift"))
        ),
    ],
)
async def test_a_hand_stops_5000_characters(
    xephyr_desktop: Desktop, tmp_path: Path, layout: str, before: str, held: str
) -> None:
    desktop = xephyr_desktop
    desktop.set_layout(layout)
    if before:
        desktop.xdo("key", before)
    sink(desktop, tmp_path / "out.txt")
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            if held:
                await acting.do(KeyDown(key=Key(held)), focus=FocusRule())
            task = await in_flight(acting, TypeText(text=LONG), witness)
            assert await stopped_by_hand(acting, task, witness) <= LIMIT_MS
            with pytest.raises(OperatorError):
                await acting.guard.arm(session="again", target=acting.target)
            await acting.guard.reset()
            await acting.guard.arm(session="again", target=acting.target)
            await acting.guard.disarm()


@pytest.mark.full
async def test_five_stops_in_a_row_leave_nothing_held(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: one stop, above."""
    sink(desktop, tmp_path / "out.txt")
    with Witness(desktop) as witness:
        async with guarded(desktop) as acting:
            for _ in range(5):
                await acting.guard.arm(session="s", target=acting.target)
                acting.ears.stops.clear()
                task = await in_flight(acting, TypeText(text=LONG), witness)
                await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
                report = await acting.ears.stopped()
                assert (await task).result is ActResult.STOPPED
                assert report.press_to_last_event_ms is not None
                assert report.press_to_last_event_ms <= LIMIT_MS
                nothing_is_down(desktop)
                await acting.guard.reset()


async def test_the_button_stops_a_drag_and_releases_its_button(desktop: Desktop) -> None:
    path = tuple(NativePoint(100 + (i % 2) * 900, 100 + i * 10) for i in range(40))
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            task = await in_flight(acting, Drag(path=path), witness)
            assert desktop.buttons_down() == [1]
            await acting.guard.stop(StopCause.BUTTON)
            report = await acting.ears.stopped()
            assert (await task).result is ActResult.STOPPED
            assert (report.reason, report.released_buttons) == (StopCause.BUTTON, 1)
            nothing_is_down(desktop)


def group_of(*command: str) -> subprocess.Popen[bytes]:
    """A process group of its own."""
    return subprocess.Popen(command, env={"PATH": os.environ["PATH"]}, start_new_session=True)


async def test_a_stop_kills_the_process_groups_that_it_was_told_of(desktop: Desktop) -> None:
    group, other = group_of("sh", "-c", "sleep 1000 & wait"), group_of("sleep", "1000")
    try:
        async with guarded(desktop) as acting:
            with pytest.raises(OperatorError):
                await acting.guard.set_killable([group.pid])
        async with armed(desktop) as acting:
            await acting.guard.set_killable([group.pid, other.pid])
            await acting.guard.set_killable([group.pid])
            await acting.guard.stop(StopCause.BUTTON)
            await acting.ears.stopped()
            assert await asyncio.to_thread(group.wait) == -signal.SIGKILL
            assert other.poll() is None
    finally:
        for process in (group, other):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


async def test_a_corner_stops_a_scroll_and_an_announced_corner_does_not(xephyr_desktop: Desktop) -> None:
    desktop = xephyr_desktop
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            corner = NativePoint(desktop.server.size[0] - 1, 0)
            for at in (corner, NativePoint(300, 300), corner, NativePoint(300, 300)):
                assert (await acting.do(Move(at=at))).result is ActResult.DONE
            assert acting.ears.stops == []
            await in_flight(acting, Scroll(at=None, dy=2000), witness)
            await asyncio.to_thread(desktop.human_xdo, "mousemove", "200", "200", "mousemove", "0", "0")
            report = await acting.ears.stopped()
            assert report.reason is StopCause.CORNER
            assert "top-left corner of monitor 1" in report.detail
            assert [each.code for each in notices_of(report.detail)] == [NoticeCode.POINTER_IN_CORNER]
            nothing_is_down(desktop)


async def test_corners_follow_the_monitors(xephyr_desktop: Desktop) -> None:
    """A monitor that ends elsewhere now: its old corner is a place like any other, its new one stops."""
    desktop = xephyr_desktop
    height = desktop.server.size[1]
    with monitors_of(desktop, {"one": (0, 0, 700, 500), "hanging out": (-100, 500, 400, height - 500)}):
        async with armed(desktop) as acting:
            await asyncio.to_thread(set_monitor, desktop, "one", (0, 0, 600, 400))
            for monitor, corner in ((Rect(0, 0, 600, 400), (599, 399)), (Rect(0, 500, 300, height - 500), (0, 0))):
                geometry = FrameGeometry(
                    origin=ScreenPoint(monitor.x, monitor.y), native=monitor.size, sent=monitor.size
                )
                for at in (corner, (100, 100), corner, (100, 100)):
                    assert (await acting.do(Move(at=NativePoint(*at)), geometry=geometry)).result is ActResult.DONE
            places = (("699", "499"), ("650", "300"), ("599", "0"))
            moves = [word for place in places for word in ("mousemove", *place)]
            await asyncio.to_thread(desktop.human_xdo, *moves)
            report = await acting.ears.stopped()
            assert report.reason is StopCause.CORNER
            assert "top-right corner of monitor" in report.detail


async def test_a_killed_injector_is_replaced_after_a_pause_and_its_keys_are_released(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        old_key = acting.guard.grant_key
        await acting.do(Press(at=NativePoint(400, 400)))
        await acting.do(KeyDown(key=Key("shift")), focus=FocusRule())
        assert desktop.buttons_down() == [1]
        os.kill(injector_pid(desktop), signal.SIGKILL)
        await acting.ears.wait(lambda: acting.ears.pauses)
        await acting.ears.wait(lambda: acting.guard.grant_key != old_key)
        nothing_is_down(desktop)
        await acting.guard.set_gate(open_=True)
        assert (await acting.do(Press(at=NativePoint(400, 400)))).result is ActResult.DONE


@pytest.mark.parametrize("how", ["stop", "disarm"])
async def test_an_injector_that_is_being_replaced_at_the_end_does_not_come(desktop: Desktop, how: str) -> None:
    async with guarded(desktop) as acting:
        await acting.guard.arm(session="one", target=acting.target)
        os.kill(injector_pid(desktop), signal.SIGKILL)
        await acting.ears.wait(lambda: acting.ears.pauses)
        await acting.ears.wait(_injectors)
        [another] = _injectors()
        os.kill(another, signal.SIGSTOP)  # it starts slowly
        if how == "stop":
            await acting.guard.stop(StopCause.BUTTON)
            await acting.guard.reset()
        else:
            await acting.guard.disarm()
        await acting.guard.arm(session="two", target=acting.target)
        acts = injector_pid(desktop)
        with suppress(ProcessLookupError):
            os.kill(another, signal.SIGCONT)
        await acting.ears.wait(lambda: another not in _injectors())
        assert injector_pid(desktop) == acts
        assert _injectors() == [acts]
        await acting.guard.disarm()


def _injectors() -> list[int]:
    mark = f"OPERATOR_CONSOLE_TEST_MARK={os.environ['OPERATOR_CONSOLE_TEST_MARK']}"
    return [pid for pid in processes_with_env(mark) if b"operator_console.injector" in _command(pid)]


def _command(pid: int) -> bytes:
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


async def test_the_chord_latches_when_idle_and_pause_only_pauses(desktop: Desktop) -> None:
    async with guarded(desktop) as acting:
        desktop.xdo("key", "ctrl+alt+p")
        desktop.xdo("key", "ctrl+alt+x")
        report = await acting.ears.stopped()
        assert report.press_to_last_event_ms is None
        assert acting.ears.pauses == []
        assert latch.read_status(desktop.name).state is LatchState.STOPPED
        await acting.guard.reset()
        assert latch.read_status(desktop.name).state is LatchState.IDLE


async def test_a_stop_pressed_while_disarming_stands(desktop: Desktop) -> None:
    async with guarded(desktop) as acting:
        await acting.guard.arm(session="s", target=acting.target)
        ending = asyncio.ensure_future(acting.guard.disarm())
        await asyncio.sleep(0)  # the request is on its way before the stop's
        await acting.guard.stop(StopCause.BUTTON)
        await ending
        assert latch.read_file(desktop.name).reason == "button"
        with pytest.raises(OperatorError):
            await acting.guard.arm(session="s", target=acting.target)


def stopped_by_hotkey(desktop: Desktop) -> bool:
    return latch.read_file(desktop.name).reason == "hotkey"


async def test_whose_keys_stopped_is_said_as_far_as_it_can_be_told(desktop: Desktop, xephyr_desktop: Desktop) -> None:
    """XTEST is the only input of the first display, as where a person works through x11vnc; the second has devices."""
    untold, by_program = NoticeCode.STOP_KEYS_FROM_ANYBODY, NoticeCode.STOP_KEYS_FROM_PROGRAM
    for where, told in ((desktop, untold), (xephyr_desktop, by_program)):
        async with armed(where) as acting:
            await asyncio.to_thread(where.xdo, "key", "ctrl+alt+x")
            report = await acting.ears.stopped()
            assert report.reason is StopCause.HOTKEY
            # The listener that cannot see who sent keys may be the first to hear them.
            assert [each.code for each in notices_of(report.detail)] in ([told], [] if where.human else [told])
            await acting.ears.wait(partial(stopped_by_hotkey, where))
