"""A watch on the loop that answers the guard's lease: what holds it up for longer than 100 ms is found and named.

A thread sends the loop a beat every 10 ms and waits until it is answered. A late answer is not yet a fault: on a busy
machine every thread comes late. So the time between is taken apart. The kernel says for how long the loop's thread ran
and for how long it was ready and had to queue for a processor (`/proc/self/task/TID/schedstat`). Queueing never counts;
running always does. The rest it was blocked (a disk, a lock, a sleep): that counts as far as it exceeds what the
watching thread, which does nothing, was itself late in the same time, for instance for want of the interpreter lock.
A thread that starts a process is blocked until the kernel has loaded its program (vfork(2)), and one that starts a
thread until that runs. What is new queues for a processor as all do: that does not count either. Nor does collecting
garbage, which goes through all that the tests have imported; the program leaves out what it imports (gc.freeze).

While a beat is late the loop's stack is sampled, so that the culprit has a name: the stack that was seen most often.
What a test itself does on its loop is not counted: the outermost frame below the loop is then one of tests/.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import os
import re
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 0.1
_BEAT_S = 0.01
_LOOK_S = 0.02
_TESTS = str(Path(__file__).resolve().parent)
_FAKES = f"{_TESTS}/fakes/"
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
_LIBRARIES = (str(Path(os.__file__).parent), "site-packages", "<frozen")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """The loop was held up for `held_s`, of which it ran `ran_s`; `stack` is where, innermost last."""

    held_s: float
    ran_s: float
    stack: tuple[traceback.FrameSummary, ...]

    @property
    def ours(self) -> bool:
        """Whether the product held it, not the test that runs on the same loop."""
        mine = [frame for frame in below_the_loop(self.stack) if not any(part in frame.filename for part in _LIBRARIES)]
        # What a test does in a thread's place, and fakes, which encode pictures where the real ones use a thread.
        in_a_threads_place = any(
            (frame.name == "submit" and _TESTS in frame.filename) or frame.filename.startswith(_FAKES) for frame in mine
        )
        in_test = bool(mine) and mine[0].filename.startswith(_TESTS)
        waits_for_start = self.ran_s <= LIMIT_S and any(
            frame.name == "_execute_child" or (frame.name == "start" and frame.filename == threading.__file__)
            for frame in self.stack
        )
        return bool(mine) and not (in_test or in_a_threads_place or waits_for_start)

    def __str__(self) -> str:
        where = "".join(traceback.format_list(list(self.stack)[-12:]))
        return f"held for {self.held_s * 1000:.0f} ms, running {self.ran_s * 1000:.0f}:\n{where}"


def below_the_loop(stack: tuple[traceback.FrameSummary, ...]) -> tuple[traceback.FrameSummary, ...]:
    """The frames of the callback that the loop runs."""
    for place in range(len(stack) - 1, -1, -1):
        if stack[place].name == "_run" and stack[place].filename.endswith("events.py"):
            return stack[place + 1 :]
    return ()  # between two of the loop's turns: a fixture of the test, or the test runner


def stack_of(thread: int) -> tuple[traceback.FrameSummary, ...]:
    """The stack of another thread, which may be running, innermost last; () if there is no such thread.

    By faulthandler: CPython 3.11 can crash where Python code follows the frames of a thread that goes on meanwhile.
    """
    with tempfile.TemporaryFile() as file:
        faulthandler.dump_traceback(file, all_threads=True)
        file.seek(0)
        told = file.read().decode("ascii", "replace")
    _, _, rest = told.partition(f"hread 0x{thread:016x} ")
    frames = _FRAME.findall(rest.partition("\n\n")[0])
    # The sources are read only for a report: in a test that measures memory they would count.
    return tuple(
        traceback.FrameSummary(name, int(line), called, lookup_line=False) for name, line, called in reversed(frames)
    )


def _most_often(stacks: Sequence[tuple[traceback.FrameSummary, ...]]) -> tuple[traceback.FrameSummary, ...]:
    """By hashes: a long stall has hundreds of stacks, and frames compare slowly."""
    keys = [tuple((frame.filename, frame.lineno, frame.name) for frame in stack) for stack in stacks]
    (most, _), *_ = Counter(keys).most_common(1)
    return stacks[keys.index(most)]


class LoopWatch:
    """Watches the running loop from `start` to `stop`; both on the loop's thread."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self.stalls: list[Stall] = []
        self._beaten = threading.Semaphore(0)
        self._limit_s = limit_s
        self._over = threading.Event()
        self._collecting_since_s = self._collected_s = 0.0

    def start(self) -> None:
        """Begin."""
        self._loop = asyncio.get_running_loop()
        self._ident = threading.get_ident()
        self._schedule = os.open(f"/proc/self/task/{threading.get_native_id()}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._watch, name="loop watch", daemon=True)
        self._thread.start()
        gc.callbacks.append(self._collecting)

    def stop(self) -> None:
        """End it."""
        gc.callbacks.remove(self._collecting)
        self._over.set()
        self._thread.join()
        os.close(self._schedule)

    def wait_for_beats(self, count: int) -> None:
        """Until that many more beats were answered. Not on the loop's thread."""
        for _ in range(count):
            self._beaten.acquire()

    def _watch(self) -> None:
        while not self._over.wait(_BEAT_S):
            try:
                self._beat()
            except RuntimeError:  # the loop is closed
                return

    def _beat(self) -> None:
        answered = threading.Event()
        at: list[tuple[float, float, float]] = []

        def answer() -> None:
            if not self._over.is_set():
                at.append((time.monotonic(), *self._ran_and_queued()))
            answered.set()

        sent_s, (ran_s, queued_s) = time.monotonic(), self._ran_and_queued()
        self._loop.call_soon_threadsafe(answer)
        looks: list[tuple[traceback.FrameSummary, ...]] = []
        late_s, looked_s = 0.0, sent_s
        while not answered.wait(_LOOK_S):
            now_s = time.monotonic()
            late_s += max(0.0, now_s - looked_s - _LOOK_S)
            looked_s = now_s
            now = stack_of(self._ident)
            # Between the end of what held the loop and the answer the loop is looked at, too.
            if now and not at and (not looks or ((below := below_the_loop(now)) and below[0].filename != __file__)):
                looks.append(now)
            if self._over.is_set():
                return
        if not at:  # the watch was ended meanwhile
            return
        late_s += max(0.0, time.monotonic() - looked_s - _LOOK_S)
        (done_s, ran_until_s, queued_until_s) = at[0]
        ran, queued = ran_until_s - ran_s, queued_until_s - queued_s
        held_s = ran + max(0.0, done_s - sent_s - ran - queued - late_s)
        if held_s > self._limit_s and looks:
            self.stalls.append(Stall(held_s=held_s, ran_s=ran, stack=_most_often(looks)))
        self._beaten.release()

    def _ran_and_queued(self) -> tuple[float, float]:
        ran_ns, queued_ns, _ = os.pread(self._schedule, 100, 0).split()
        return int(ran_ns) / 1e9 - self._collected_s, int(queued_ns) / 1e9 + self._collected_s

    def _collecting(self, phase: str, _info: dict[str, int]) -> None:
        if threading.get_ident() == self._ident:
            now_s = time.thread_time()
            self._collected_s += now_s - self._collecting_since_s if phase == "stop" else 0.0
            self._collecting_since_s = now_s
