"""Typing 1,000 characters into a terminal: the whole way of a grant, beside raw XTEST and beside xdotool.

Raw XTEST sends the same presses and releases from one process with no look, no ledger and one wait at the end. The
terminal keeps every byte, so what was lost would be seen.
"""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xcffib
import xcffib.xtest

from operator_console.domain.actions import TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.grants import FocusRule
from tests.benchmarks.figures import Options, Row, Samples, elapsed_ms, ratio_row
from tests.benchmarks.stage import stage, terminal_into
from tests.display.guard.acting import armed
from tests.display.rig import Desktop, wait_until

_TEXT = ("The Quick Brown Fox jumps over the lazy dog. 0123456789; " * 20)[:1000]
_BAR = 3.0
_PRESS, _RELEASE = 2, 3


class Raw:
    """Presses keys by XTEST and nothing else; `each` sends every event by itself."""

    def __init__(self, desktop: Desktop) -> None:
        self._connection: Any = xcffib.connect(display=desktop.name)  # type: ignore[no-untyped-call]
        self._xtest = self._connection(xcffib.xtest.key)
        self._root = self._connection.get_setup().roots[0].root
        self._shift = desktop.keycode("Shift_L")
        first = self._connection.get_setup().min_keycode
        self._codes: dict[str, tuple[int, int]] = {}
        for index, symbols in enumerate(desktop.keyboard_mapping()):
            for level, symbol in enumerate(symbols[:2]):
                if symbol > ord("~"):
                    continue
                self._codes.setdefault(chr(symbol), (first + index, level))

    def type(self, text: str, *, each: bool) -> None:
        """Returns when the server has done it."""
        for character in text:
            code, shifted = self._codes[character]
            codes = (self._shift, code) if shifted else (code,)
            for kind, order in ((_PRESS, codes), (_RELEASE, codes[::-1])):
                for one in order:
                    self._xtest.FakeInput(kind, one, 0, self._root, 0, 0, 0)
                    if each:
                        self._connection.flush()
        self._connection.core.GetInputFocus().reply()

    def close(self) -> None:
        self._connection.disconnect()


def measure(options: Options) -> list[Row]:
    """In turn, on one armed desktop."""
    return asyncio.run(_measure(options))


async def _measure(options: Options) -> list[Row]:
    took: dict[str, list[float]] = {"ours": [], "batched": [], "each": [], "xdotool": []}
    with stage() as here:
        sink = _Sink(here.folder / "typed.txt")
        terminal_into(here.desktop, sink.path)
        raw = Raw(here.desktop)
        command = ["xdotool", "type", "--delay", "0", _TEXT]
        others: dict[str, Callable[[], object]] = {
            "batched": lambda: raw.type(_TEXT, each=False),
            "each": lambda: raw.type(_TEXT, each=True),
            "xdotool": lambda: subprocess.run(command, env=here.desktop.env, check=True),
        }
        try:
            async with armed(here.desktop) as acting:
                for turn in range(1 + options.times(30, 4)):
                    began_s = time.perf_counter()
                    outcome = await acting.do(TypeText(text=_TEXT), focus=FocusRule())
                    now = {"ours": (time.perf_counter() - began_s) * 1000}
                    assert outcome.result is ActResult.DONE, outcome
                    await asyncio.to_thread(sink.take)
                    for name, work in others.items():
                        now[name] = await asyncio.to_thread(elapsed_ms, work)
                        await asyncio.to_thread(sink.pass_over)
                    for name, value in now.items() if turn else ():
                        took[name].append(value)
        finally:
            raw.close()
    return _rows({name: Samples.of(values) for name, values in took.items()}, sink.wrong)


class _Sink:
    """What the terminal got: everything that was typed must arrive before the next is typed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.wrong = 0
        self._expected = 0

    def take(self) -> None:
        """Ours came: compare."""
        self.pass_over()
        came = self.path.read_bytes()[-len(_TEXT) :].decode()
        self.wrong += sum(a != b for a, b in zip(came, _TEXT, strict=True))

    def pass_over(self) -> None:
        """Wait for a text; raises where some of it is lost."""
        self._expected += len(_TEXT)
        wait_until(lambda: self.path.stat().st_size == self._expected, "the terminal to take the text")


def _rows(took: dict[str, Samples], wrong: int) -> list[Row]:
    what, ours = "typing 1,000 characters into xterm", took["ours"]
    return [
        ratio_row(what, ours, took["each"], _BAR, beside="raw XTEST, event by event"),
        ratio_row(what, ours, took["batched"], None, beside="raw XTEST, all in one write"),
        ratio_row(what, ours, took["xdotool"], None, beside="xdotool type --delay 0"),
        Row(what=f"{what}: lost or wrong", n=ours.n, seen=f"{wrong} characters", bar="0", met=wrong == 0),
    ]
