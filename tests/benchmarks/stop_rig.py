"""What the stop's and the release's benchmarks share: the console under test, the watch, the chord, and a run.

One console is armed again and again, which takes a new injector each time, as a session does. The chord is pressed by
XTEST from here. Times are the X server's own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xcffib
import xcffib.xtest

from operator_console.guard import latch
from operator_console.guard.latch import LatchState
from tests.display.rig import Desktop, later_by_ms, wait_until

_ROOT = Path(__file__).parents[2]
_CONSOLE = Path(__file__).with_name("stopping_console.py")
_WATCH = Path(__file__).with_name("stop_watch.py")
_ACTS = 60
_POLL_S = 0.002
_AFTERWARDS_S = 0.03
_ORDERLY_S = 10.0
_PRESS, _RELEASE = 2, 3
_BUSY = "while True: sum(range(10000))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Milliseconds from the chord (or the kill) to the last press or motion, and to the last release."""

    late_ms: int
    released_ms: int


class Lines:
    """A process that is spoken to by lines."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def say(self, text: str) -> None:
        """A command."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def line(self) -> str:
        """Its next line."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        assert line, f"{self.process.args!r} ended"
        return line

    def until(self, start: str) -> str:
        """Its next line that begins so."""
        while not (line := self.line()).startswith(start):
            continue
        return line


@contextmanager
def lines(command: list[str], env: dict[str, str]) -> Iterator[Lines]:
    """Ended with the context, in order where it still can."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True, start_new_session=True) as process:
        try:
            yield Lines(process)
        finally:
            assert process.stdin is not None
            with suppress(BrokenPipeError):
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_ORDERLY_S)
            process.kill()


@contextmanager
def console(desktop: Desktop) -> Iterator[Lines]:
    """A console to be stopped."""
    env = {**desktop.env, "OPERATOR_CONSOLE_HOME": os.environ["OPERATOR_CONSOLE_HOME"], "PYTHONPATH": str(_ROOT)}
    with lines([sys.executable, str(_CONSOLE)], env) as found:
        yield found


@contextmanager
def both_cores_busy() -> Iterator[None]:
    """A process for each."""
    with ExitStack() as stack:
        for _ in range(os.cpu_count() or 2):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", _BUSY]))
            stack.callback(process.kill)
        yield


class Bench:
    """The chord's keys, the watch, and the state that a stop must leave."""

    def __init__(self, desktop: Desktop, watch: Lines) -> None:
        self.desktop = desktop
        self._watch = watch
        self._chord = chord_of(desktop)
        self._mapping = desktop.keyboard_mapping()
        self._connection: Any = xcffib.connect(display=desktop.name)  # type: ignore[no-untyped-call]
        self._xtest = self._connection(xcffib.xtest.key)
        self._root = self._connection.get_setup().roots[0].root

    def close(self) -> None:
        self._connection.disconnect()

    def told(self, command: str = "tell") -> dict[str, int]:
        """What the watch knows."""
        self._watch.say(command)
        found: dict[str, int] = json.loads(self._watch.line())
        return found

    def under_way(self, victim: Lines, what: str) -> None:
        """Arm, and return when it acts."""
        victim.say(f"arm {what}")
        victim.until("acting")
        self.told("mark")
        wait_until(lambda: self.told()["acts"] >= _ACTS, "the agent to act", interval_s=_POLL_S)

    def press(self) -> None:
        """The stop chord, kept down."""
        self._send(_PRESS, self._chord)

    def let_go(self) -> None:
        """The chord's keys."""
        self._send(_RELEASE, self._chord[::-1])

    def _send(self, kind: int, codes: tuple[int, ...]) -> None:
        for code in codes:
            self._xtest.FakeInput(kind, code, 0, self._root, 0, 0, 0)
        self._connection.core.GetInputFocus().reply()

    def seen(self, since_ms: int | None = None, *, latched: bool = True) -> Seen:
        """Wait until it is `latched`, nothing is held and the mapping is as before; then the times, from the chord or
        from `since_ms`."""
        if latched:
            self.wait_latched()
        wait_until(self._nothing_is_held, "everything to be released", interval_s=_POLL_S)
        time.sleep(_AFTERWARDS_S)  # what would come still, would come by then: the injector is dead
        told = self.told()
        start = told["chord_ms"] if since_ms is None else since_ms
        assert start >= 0, "the chord was not seen"
        return Seen(
            late_ms=later_by_ms(told["last_act_ms"], start), released_ms=later_by_ms(told["last_release_ms"], start)
        )

    def wait_latched(self) -> None:
        """Until the display is."""
        name = self.desktop.name
        wait_until(lambda: latch.read_file(name).state is LatchState.STOPPED, "the latch", interval_s=_POLL_S)

    def _nothing_is_held(self) -> bool:
        desktop = self.desktop
        return (
            not set(desktop.keys_down()) - set(self._chord)
            and not desktop.buttons_down()
            and desktop.keyboard_mapping() == self._mapping
        )


def chord_of(desktop: Desktop) -> tuple[int, ...]:
    """The stop chord's keycodes, in order."""
    return tuple(desktop.keycode(name) for name in ("Control_L", "Alt_L", "x"))


@contextmanager
def bench(desktop: Desktop) -> Iterator[Bench]:
    """With its watch."""
    command = [sys.executable, str(_WATCH), desktop.name, *map(str, chord_of(desktop))]
    with lines(command, desktop.env) as watch:
        watch.until("ready")
        found = Bench(desktop, watch)
        try:
            yield found
        finally:
            found.close()
