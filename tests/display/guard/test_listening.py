"""Pause and approve, who may press them, a dead listener, grabs; and stop, status and reset from a terminal."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.actions import Chord, Move, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import FocusRule
from operator_console.domain.keys import Key
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.guard import latch
from operator_console.guard.client import GuardClient
from operator_console.guard.latch import LatchState
from tests.display.guard.acting import armed, guarded, injector_pid
from tests.display.guard.test_stop import LONG, in_flight, nothing_is_down, sink
from tests.display.rig import Desktop, Witness

NO_PROCESS = 2**22 + 1
"""More than Linux numbers processes."""


async def test_the_pause_chord_pauses_in_the_middle_of_typing_and_resuming_needs_a_new_grant(
    xephyr_desktop: Desktop, tmp_path: Path
) -> None:
    desktop = xephyr_desktop
    sink(desktop, tmp_path / "out.txt")
    with Witness(desktop) as witness:
        async with armed(desktop) as acting:
            # Without an x: with the Ctrl and Alt of the person it would be the stop.
            text = LONG.replace("x", "y")
            task = await in_flight(acting, TypeText(text=text), witness)
            await asyncio.to_thread(desktop.human_xdo, "key", "ctrl+alt+p")
            outcome = await task
            assert (outcome.result, outcome.reason) == (ActResult.STOPPED, "paused"), (outcome, acting.ears.stops)
            assert 0 < outcome.delivered < outcome.total
            await acting.ears.wait(lambda: acting.ears.pauses)
            assert acting.ears.pauses == [PauseCause.HOTKEY]
            assert latch.read_status(desktop.name).state is LatchState.PAUSED
            nothing_is_down(desktop)
            await acting.guard.set_gate(open_=True)
            assert (await acting.do(Move(at=NativePoint(5, 6)))).result is ActResult.DONE
            assert acting.ears.stops == []


async def test_only_a_hand_approves_and_only_while_a_review_is_open(xephyr_desktop: Desktop) -> None:
    desktop = xephyr_desktop
    async with armed(desktop) as acting:
        desktop.human_xdo("key", "ctrl+alt+Return")  # no review, gate open
        await acting.guard.set_review_open(True)
        desktop.human_xdo("key", "ctrl+alt+Return")  # gate open
        await acting.guard.prove()  # it was heard
        await acting.guard.set_gate(open_=False)
        desktop.xdo("key", "ctrl+alt+Return")  # a program
        desktop.human_xdo("keydown", "ctrl", "keydown", "alt")
        desktop.xdo("key", "Return")  # a program completes what a hand began
        await acting.guard.set_review_open(True)  # a round trip: all of it was heard
        assert acting.ears.approvals == 0
        desktop.human_xdo("key", "Return", "key", "Return")  # a key that repeats answers one question
        desktop.human_xdo("keyup", "alt", "keyup", "ctrl")
        await acting.ears.wait(lambda: acting.ears.approvals)
        await acting.guard.set_review_open(True)
        assert acting.ears.approvals == 1
        desktop.human_xdo("key", "ctrl+alt+Return")
        await acting.ears.wait(lambda: acting.ears.approvals == 2)


_LATE = """
import threading
from Xlib.ext import record
asked, served, enable = threading.Event(), threading.Event(), record.enable_context
def enable_late(*arguments):
    asked.set()
    served.wait(20)
    return enable(*arguments)
record.enable_context = enable_late
from operator_console.guard.x11.xrecord_listener import RecordListener
listener = RecordListener(print, print, 0)
starting = threading.Thread(target=listener.start)
starting.start()
asked.wait(20)
starting.join(0.3)
print(starting.is_alive())
served.set()
starting.join(20)
print(starting.is_alive(), listener.alive)
listener.stop()
"""


def test_the_second_listener_has_started_when_the_server_records(desktop: Desktop) -> None:
    """pynput says so earlier, and the first test of the stop would go past it on a busy machine."""
    command = [sys.executable, "-c", _LATE]
    done = subprocess.run(command, env={**os.environ, **desktop.env}, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["True", "False", "True"], done.stderr


async def test_the_agent_stops_itself(desktop: Desktop, tmp_path: Path) -> None:
    sink(desktop, tmp_path / "out.txt")
    async with armed(desktop) as acting:
        chord = Chord(keys=(Key("ctrl"), Key("alt"), Key("x")))
        outcome = await acting.do(chord, focus=FocusRule())
        assert outcome.result is not ActResult.FAILED, outcome
        assert (await acting.ears.stopped()).reason is StopCause.HOTKEY
        nothing_is_down(desktop)


async def test_the_stop_is_heard_through_another_clients_grab(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        with desktop.keyboard_grabbed():
            desktop.xdo("key", "ctrl+alt+x")
            assert (await acting.ears.stopped()).reason is StopCause.HOTKEY


async def test_other_modifiers_do_not_hide_the_stop(desktop: Desktop) -> None:
    async with guarded(desktop) as acting:
        for also in ("Shift_L", "Super_L", "ISO_Level3_Shift"):
            await acting.guard.arm(session="s", target=acting.target)
            acting.ears.stops.clear()
            desktop.xdo("keydown", also, "key", "ctrl+alt+x", "keyup", also)
            assert (await acting.ears.stopped()).reason is StopCause.HOTKEY, also
            await acting.guard.reset()


async def test_a_probe_goes_through_both_listeners_and_a_dead_one_is_said(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        first = acting.guard.liveness
        assert first.live
        assert first.proven_s is not None
        again = await acting.guard.prove()
        assert again.live
        assert again.proven_s is not None
        assert again.proven_s > first.proven_s
        # Somebody closes the second listener's connection: XRecord's data connection is the last the guard opened.
        await asyncio.to_thread(cut_record, desktop)
        await acting.ears.wait(lambda: acting.ears.pauses)
        assert acting.ears.pauses == [PauseCause.STOP_NOT_LIVE]
        # What is live now is another matter: another listener may have been started and proven since.
        assert "second listener" in acting.ears.reasons[0]
        assert (await acting.do(Move(at=NativePoint(1, 2)))).result is ActResult.STOPPED
        # The next proof starts another, and a person may resume.
        assert (await acting.guard.prove()).live
        await acting.guard.set_gate(open_=True)
        assert (await acting.do(Move(at=NativePoint(1, 2)))).result is ActResult.DONE


def cut_record(desktop: Desktop) -> None:
    """Ends the client that records, and no other: the server says whose RECORD context there is."""
    import xcffib
    import xcffib.res
    import xcffib.xproto

    connection: Any = xcffib.connect(display=desktop.name)  # type: ignore[no-untyped-call]
    res = connection(xcffib.res.key)
    res.QueryVersion(1, 2).reply()
    for client in res.QueryClients().reply().clients:
        types = res.QueryClientResources(client.resource_base).reply().types
        names = {connection.core.GetAtomName(each.resource_type).reply().name.to_string() for each in types}
        if "RecordContext" in names:
            for offset in range(4):
                try:
                    connection.core.KillClientChecked(client.resource_base + offset).check()
                except xcffib.xproto.BadValue:
                    continue
                connection.disconnect()
                return
    connection.disconnect()
    raise AssertionError("nobody records")


async def test_a_terminal_stops_asks_and_resets(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        status = latch.read_status(desktop.name)
        assert (status.state, status.stop_live, status.session) == (LatchState.RUNNING, True, "test")
        with pytest.raises(latch.ResetRefused):
            latch.reset(desktop.name)
        sockets = list(latch.run_dir().glob("*.sock"))
        assert [stat.S_IMODE(path.stat().st_mode) for path in sockets] == [0o600]
        stopped = await asyncio.to_thread(latch.request_stop, desktop.name)
        assert [(s.state, s.reason) for s in stopped] == [(LatchState.STOPPED, "command")]
        assert (await acting.ears.stopped()).reason is StopCause.COMMAND
        assert latch.read_status(desktop.name).state is LatchState.STOPPED
        seen: list[LatchState] = []
        acting.guard.watch(lambda s: seen.append(s.state))
        assert (await asyncio.to_thread(latch.reset, desktop.name)).state is LatchState.IDLE
        await acting.ears.wait(lambda: LatchState.IDLE in seen)


async def test_a_stop_when_nothing_runs_latches_and_start_refuses(desktop: Desktop) -> None:
    latch.request_stop(desktop.name)
    async with guarded(desktop) as acting:
        with pytest.raises(OperatorError) as refused:
            await acting.guard.arm(session="s", target=acting.target)
        assert "command" in refused.value.detail
        await acting.guard.reset()
        await acting.guard.arm(session="s", target=acting.target)
        await acting.guard.disarm()


async def test_a_hung_guard_is_stopped_from_a_terminal(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        assert acting.guard._process is not None
        acting.guard._process.send_signal(signal.SIGSTOP)
        stopped = await asyncio.to_thread(latch.request_stop, desktop.name)
        assert stopped[0].state is LatchState.STOPPED
        await acting.ears.stopped()


async def test_a_second_console_is_refused_whatever_its_home(
    desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with armed(desktop) as first:
        async with guarded(desktop) as second:
            with pytest.raises(OperatorError, match="Another console"):
                await second.guard.arm(session="s", target=first.target)
        monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(tmp_path / "elsewhere"))
        async with guarded(desktop) as third:
            with pytest.raises(OperatorError, match="Another console"):
                await third.guard.arm(session="s", target=first.target)
        monkeypatch.undo()
        assert first.ears.stops == []


async def test_the_key_is_in_no_argument_and_no_environment_and_no_port_is_open(desktop: Desktop) -> None:
    async with armed(desktop) as acting:
        await acting.do(Move(at=NativePoint(3, 3)))
        pids = [injector_pid(desktop), acting.guard._process.pid if acting.guard._process else 0]
        for pid in pids:
            for name in ("cmdline", "environ"):
                data = await asyncio.to_thread(Path(f"/proc/{pid}/{name}").read_bytes)
                assert acting.guard.grant_key.hex().encode() not in data
                assert acting.guard.grant_key not in data
            assert listening_sockets(pid) == set()
        for path in latch.run_dir().iterdir():
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def listening_sockets(pid: int) -> set[str]:
    """The inodes of the sockets of this process that take connections over TCP."""
    held = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            held.add(str(fd.readlink()))
    lines = Path(f"/proc/{pid}/net/tcp").read_text() + Path(f"/proc/{pid}/net/tcp6").read_text()
    rows = [line.split() for line in lines.splitlines() if ":" in line]
    return {row[9] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in held}


def test_no_display_is_a_sentence_not_a_traceback(tmp_path: Path) -> None:
    program = (
        "import asyncio\nfrom operator_console.guard.client import open_guard\n"
        "from operator_console.injector.client import InjectorClient\n"
        "from operator_console.domain.errors import OperatorError\n"
        "async def main():\n"
        "    try:\n        await open_guard(':7777', InjectorClient())\n"
        "    except OperatorError as error:\n        print('said:', error)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert "said:" in done.stdout, done
    assert "Traceback" not in done.stdout + done.stderr, done.stderr


async def test_typing_is_not_affected_by_a_review_of_the_mapping(desktop: Desktop, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    sink(desktop, path)
    async with armed(desktop) as acting:
        outcome = await acting.do(TypeText(text="ł" * 50), focus=FocusRule())
        assert outcome.result is ActResult.DONE
        assert (await acting.guard.prove()).live


async def test_a_hand_is_told_from_a_program(xephyr_desktop: Desktop) -> None:
    desktop = xephyr_desktop
    async with guarded(desktop) as acting:
        for words in (("key", "x"), ("mousemove", "50", "60"), ("click", "1")):
            await asyncio.to_thread(desktop.xdo, *words)
        await acting.guard.prove()  # a press of its own, heard after all of them
        assert acting.guard.human_input_s is None
        for words in (("key", "x"), ("mousemove", "70", "80"), ("click", "1")):
            begun_s = time.monotonic()
            await asyncio.to_thread(desktop.human_xdo, *words)
            await acting.ears.wait(partial(used_since, acting.guard, begun_s))


async def test_that_x11vnc_shows_the_screen_is_told_as_long_as_it_runs(xephyr_desktop: Desktop) -> None:
    def mark(*words: str) -> None:
        subprocess.run(["xprop", "-root", *words], env=xephyr_desktop.env, check=True)

    async with guarded(xephyr_desktop) as acting:
        assert not acting.guard.liveness.viewed
        try:
            for pid, viewed in ((os.getpid(), True), (NO_PROCESS, False)):
                beat = f"{pid}/00000001/1/0.000000"
                await asyncio.to_thread(mark, "-f", "X11VNC_TICKER", "8s", "-set", "X11VNC_TICKER", beat)
                assert (await acting.guard.prove()).viewed is viewed
                assert acting.guard.devices_told
        finally:
            await asyncio.to_thread(mark, "-remove", "X11VNC_TICKER")


def used_since(guard: GuardClient, begun_s: float) -> bool:
    """Whether a hand was told of after that."""
    return guard.human_input_s is not None and guard.human_input_s >= begun_s
