"""The console with its calls noted: `python -m tests.benchmarks.call_tracer DIRECTORY ARGS`.

ARGS are those of `operator-console`. In the console and in its injector, each call from one module of operator_console
into another is a line of `DIRECTORY/PID.jsonl`: seconds of CLOCK_MONOTONIC, the module, the function; where the
function is a station of a click (`STATIONS`), then also the modules whose functions are on the stack, the outermost
first. In the console only what the session's task and the tasks that it started run is noted; what passes beside them,
such as the answers to the guard, is not. The product is not changed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any

ROOM = "operator_console."
PRESS = ("pyautogui", "mouseDown")
STATIONS = frozenset({
    ("providers.gemini.actions", "parse_call"), ("engine.turn.request_with_retries", "with_sandbox_actions"),
    ("engine.turn.locate", "Locator.locate"), ("engine.control_finder", "ControlFinder.at"),
("policy.control_presses", "press_findings"),
    ("policy.run_ask_or_refuse", "verdict"), ("engine.turn.expected_screen", "TurnPicture.screen_checks"),
    ("engine.recorder", "Recorder.durable"), ("engine.turn.act", "Actor.act"),
    ("injector.client", "InjectorClient.perform"), ("json_lines", "packed"), ("json_lines", "receive"),
    ("domain.admission", "Admission.refusal"), ("injector.target_check", "TargetCheck.check_owners"),
    ("injector.target_check", "TargetCheck.check_screen"), PRESS,
    ("injector.client", "InjectorClient._readable"), ("engine.turn.act", "Actor.done"),
    ("engine.recorder", "Recorder.emit"), ("engine.input_state", "InputState.note_sent"),
    ("engine.turn.call_results", "told"), ("engine.turn.settle", "Settler.after"),
    ("engine.turn.observe", "Observer.observe"), ("engine.turn.request_with_retries", "ModelRequests.next_turn"),
})  # fmt: skip
"""Where a click is read, located, judged, decided, permitted, recorded, handed over, admitted, checked and pressed; and
where its outcome is taken, recorded, told and waited for."""

_HOOK = "import os\nfrom tests.benchmarks.call_tracer import install\ninstall(os.environ['CALL_TRACE'])\n"
"""Text of a sitecustomize.py, by which the injector loads this."""

_of_session: ContextVar[bool] = ContextVar("of_session", default=False)


def install(directory: str, *, console: bool = False) -> None:
    """Trace this process, if it is the console or an injector."""
    if not console and "operator_console.injector" not in sys.orig_argv:
        return
    _of_session.set(not console)
    out = (Path(directory) / f"{os.getpid()}.jsonl").open("w", encoding="utf-8", buffering=1)

    def called(frame: FrameType, event: str, _: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event != "call" or not (module.startswith(ROOM) or module == PRESS[0]):
            return
        function = frame.f_code.co_qualname
        if (module, function) == ("operator_console.engine.session", "Session.run"):
            _of_session.set(True)
        station = (module.removeprefix(ROOM), function) in STATIONS
        before = frame.f_back.f_globals.get("__name__", "") if frame.f_back is not None else ""
        if not _of_session.get() or (not station and (module == before or not module.startswith(ROOM))):
            return
        line = [time.monotonic(), module.removeprefix(ROOM), function, _stack(frame) if station else []]
        out.write(json.dumps(line) + "\n")

    sys.setprofile(called)


def _stack(frame: FrameType | None) -> Sequence[str]:
    """The modules of operator_console that have a function on the stack, the outermost first."""
    modules: list[str] = []
    while frame is not None:
        modules.append(frame.f_globals.get("__name__", ""))
        frame = frame.f_back
    return [*dict.fromkeys(each.removeprefix(ROOM) for each in reversed(modules) if each.startswith(ROOM))]


def main() -> int:
    """The exit code of the console."""
    directory, sys.argv = sys.argv[1], ["operator-console", *sys.argv[2:]]
    hook = Path(directory) / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(_HOOK, encoding="utf-8")
    os.environ.update(PYTHONPATH=f"{hook}:{os.environ['PYTHONPATH']}", CALL_TRACE=directory)
    install(directory, console=True)
    code: object = 0
    from operator_console.cli import main as console

    with suppress(SystemExit):
        code = console()
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    raise SystemExit(main())
