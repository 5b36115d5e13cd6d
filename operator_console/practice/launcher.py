"""Starts the practice window in its own process, waits until it is shown, and ends it.

The calling process does not need Qt.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from operator_console.domain.codec import CodecError
from operator_console.domain.environment import without_keys
from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.practice.event_log import Ready, parse_line, read_log
from operator_console.practice.judge import Verdict, judge
from operator_console.resource_files import resource_path

LOG_SUFFIX = ".practice.jsonl"
_SCALING = ("QT_SCALE_FACTOR", "QT_SCREEN_SCALE_FACTORS", "QT_FONT_DPI", "QT_AUTO_SCREEN_SCALE_FACTOR")
START_TIMEOUT_S = 60.0
_GRACE_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningPractice:
    """A practice window that is shown on the screen."""

    ready: Ready
    log: Path
    process: Process

    @property
    def target(self) -> str:
        """Its target specification for `--target`: `window:0x…`."""
        return f"window:{self.ready.window_id:#x}"

    def verdict(self) -> Verdict:
        """Judge the practice run by the log so far."""
        return judge(read_log(self.log))

    async def stop(self) -> None:
        """Close its standard input, which ends it, and kill it if it is still running after 3 s."""
        await _end(self.process)


def practice_runbook() -> str:
    """The text of the runbook that uses every control of the window."""
    return resource_path("runbooks", "practice.runbook").read_text(encoding="utf-8")


async def start_practice(
    log: Path,
    *,
    ambiguous: bool = False,
    at: Rect | None = None,
    fill: bool = False,
    marks: bool = False,
    env: Mapping[str, str] | None = None,
    timeout_s: float = START_TIMEOUT_S,
) -> RunningPractice:
    """Start the window and wait until it has been painted.

    Args:
        log: its log file, replaced if it exists.
        ambiguous: show two buttons labelled Save.
        at: its client area on the screen, in the window's own units; None: where the window manager puts it.
        fill: cover the whole screen, without a frame.
        marks: show the marks of a target's Test instead.
        env: its complete environment; None for the environment of this process. API keys are removed.
        timeout_s: how long to wait for the window.

    Raises:
        OperatorError: the window did not open.
    """
    arguments = [sys.executable, "-m", "operator_console.practice", "--follow", "--log", str(log)]
    if ambiguous:
        arguments.append("--ambiguous")
    if fill:
        arguments.append("--fill")
    if marks:
        arguments.append("--marks")
    if at is not None:
        arguments += ["--at", *map(str, (at.x, at.y, at.width, at.height))]
    process = await asyncio.create_subprocess_exec(
        *arguments, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=without_keys(os.environ if env is None else env)
    )
    try:
        async with asyncio.timeout(timeout_s):
            ready = await _ready(process)
    except BaseException as error:
        await _end(process)
        if isinstance(error, TimeoutError | CodecError):
            raise _did_not_open(process, timeout_s) from error
        raise
    return RunningPractice(ready=ready, log=log, process=process)


async def _ready(process: Process) -> Ready:
    """Wait for its message that it is shown. Raises CodecError if the process ends first."""
    assert process.stdout is not None
    while text := await process.stdout.readline():
        with contextlib.suppress(CodecError):  # output of a library
            event = parse_line(text.decode("utf-8", "replace"))
            if isinstance(event, Ready):
                return event
    raise CodecError("the practice window ended before it was shown")


async def _end(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), _GRACE_S)
    except TimeoutError:
        process.kill()
        await process.wait()
    with contextlib.suppress(ConnectionError, RuntimeError):
        await process.stdin.wait_closed()


def _did_not_open(process: Process, timeout_s: float) -> OperatorError:
    ended = process.returncode
    if ended in (None, 0):
        detail = notice(NoticeCode.NOT_APPEARED_IN, seconds=timeout_s)
    else:
        detail = notice(NoticeCode.EXITED_WITH_CODE, exit_code=ended)
    return OperatorError(
        notice(NoticeCode.PRACTICE_NOT_OPENED),
        detail=detail,
        remedy=notice(NoticeCode.CHECK_DISPLAY_WITH_DOCTOR),
    )


def unscaled_on(display: str) -> dict[str, str]:
    """The environment of a window on a display whose logical pixels are the display's own."""
    kept = {name: value for name, value in os.environ.items() if name not in (*_SCALING, "WAYLAND_DISPLAY")}
    return {**kept, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
