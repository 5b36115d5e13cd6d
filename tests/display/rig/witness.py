"""A witness of one display's input: what was pressed, released and moved, when by the server's clock, by which device.

It is a process of its own, so nothing that the test or the product does delays it; the server stamps the times. On
Linux the X server's clock is CLOCK_MONOTONIC in milliseconds modulo 2**32, so ``now_ms()`` of this process compares
with the events' ``time_ms``. Limits: XWarpPointer makes no raw event (``xdotool mousemove`` warps; XTEST motion does
make one), nor does the server's own auto-repeat.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

from tests.display.rig.desktop import Desktop
from tests.display.rig.processes import RigError, wait_until

Kind = Literal["key_down", "key_up", "button_down", "button_up", "motion"]
_PROGRAM = Path(__file__).with_name("witness_main.py")


def now_ms() -> int:
    """This moment by the X server's clock."""
    return int(time.clock_gettime(time.CLOCK_MONOTONIC) * 1000) % 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEvent:
    """One raw event. ``detail`` is a keycode or a button; ``time_ms`` is the server's."""

    kind: Kind
    detail: int
    time_ms: int
    device: int
    device_name: str

    @property
    def synthetic(self) -> bool:
        """From XTEST, i.e. from a program on this display; a human's device (or Xephyr's) is not."""
        return "XTEST" in self.device_name

    @property
    def acts(self) -> bool:
        """A press or a motion: what must not come after a stop (releases may)."""
        return self.kind in {"key_down", "button_down", "motion"}


class Witness:
    """Use as a context manager; ``events()`` gives everything that the server had done when it was called."""

    def __init__(self, desktop: Desktop) -> None:
        self._path = desktop.folder / f"witness-{time.monotonic_ns()}.jsonl"
        self._seen: list[InputEvent] = []
        self._read_bytes = 0
        self._reading = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, str(_PROGRAM), desktop.name, str(self._path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=desktop.env,
        )
        self._answer()

    def __enter__(self) -> Witness:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def events(self, *, since_ms: int | None = None, synthetic: bool | None = None) -> list[InputEvent]:
        """All events so far, or those after ``since_ms`` (server's clock), or those of one kind of device."""
        found = self._all()
        if since_ms is not None:
            found = [e for e in found if later_by_ms(e.time_ms, since_ms) > 0]
        if synthetic is not None:
            found = [e for e in found if e.synthetic == synthetic]
        return found

    def acts(self, *, since_ms: int | None = None, synthetic: bool | None = None) -> list[InputEvent]:
        """Presses and motions only."""
        return [e for e in self.events(since_ms=since_ms, synthetic=synthetic) if e.acts]

    def wait_count(self, count: int, *, timeout_s: float = 30.0) -> list[InputEvent]:
        """Waits until at least ``count`` presses and motions came."""
        return wait_until(
            lambda: found if len(found := self.acts()) >= count else [], f"{count} input events", timeout_s=timeout_s
        )

    def wait_quiet(self, quiet_ms: int = 300, *, timeout_s: float = 30.0) -> list[InputEvent]:
        """Waits until nothing was pressed or moved for ``quiet_ms``, and returns everything."""
        started = now_ms()

        def quiet() -> bool:
            last = max([started, *(e.time_ms for e in self.acts(since_ms=started))])
            return later_by_ms(now_ms(), last) >= quiet_ms

        wait_until(quiet, "the input to end", timeout_s=timeout_s)
        return self.events()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _all(self) -> list[InputEvent]:
        """Everything so far. Each line is read once: a test asks hundreds of times."""
        assert self._process.stdin is not None
        with self._reading:
            self._process.stdin.write("sync\n")
            self._process.stdin.flush()
            self._answer()
            with self._path.open("rb") as file:
                file.seek(self._read_bytes)
                new = file.read()
            self._read_bytes += len(new)
            self._seen += [InputEvent(**json.loads(line)) for line in new.splitlines()]
            return list(self._seen)

    def _answer(self) -> None:
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            self._process.wait()
            raise RigError(f"the witness ended with {self._process.returncode}")


def later_by_ms(time_ms: int, reference_ms: int) -> int:
    """How much later the first is than the second, across the clock's wrap at 2**32."""
    return (time_ms - reference_ms + 2**31) % 2**32 - 2**31
