"""One run on a terminal that works an editor, brought into a phase, disturbed there, and judged at its end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.display.acceptance.deaths import latched, product_processes
from tests.display.acceptance.harness import MODEL, final, insistent, turn
from tests.display.acceptance.terminal import TerminalConsole
from tests.display.acceptance.test_stop import command
from tests.display.rig import Desktop, RigError, Witness, launch_mousepad, wait_until
from tests.servers.gemini_server import GeminiServer, GeminiServerThread

PROCESSES = {
    "console": "operator_console run",
    "guard": "operator_console.guard",
    "injector": "operator_console.injector",
    "ocr": "operator_console.perception.ocr.worker",
    "accessibility": "operator_console.perception.accessibility.atspi.worker",
}
PHASES = ("starting", "thinking", "reviewing", "acting", "settling", "paused", "stopped")
TEXT = "The Quick Brown Fox Jumps Over It. " * 40
_LONG_S = 40.0


def words_of(pid: int) -> str:
    """The module that a process of ours runs, and its command; "" for others."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return ""
    module, *more = [*words[words.index("-m") + 1 :], ""] if "-m" in words else [""]
    return f"{module} {more[0]}" if module == "operator_console" else module


class Trial:
    """Made by `trial`."""

    def __init__(self, desktop: Desktop, server: GeminiServer, console: TerminalConsole, before: set[int]) -> None:
        self.desktop = desktop
        self._server, self._console, self._before = server, console, before

    def process(self, name: str) -> int | None:
        """One of PROCESSES; None: there is none."""
        mine = sorted(product_processes() - self._before)
        return next((pid for pid in mine if words_of(pid) == PROCESSES[name]), None)

    def wait_process(self, name: str) -> int:
        """The same, once there is one."""

        def there() -> int | None:
            assert self._console.running, self._console.report()
            return self.process(name)

        pid = wait_until(there, f"the process {name}", interval_s=0.002)
        assert pid is not None
        return pid

    def reach(self, phase: str) -> None:
        """Wait until the run is in a phase; have it paused or stopped. Raises RigError with what the run said."""
        try:
            self._reach(phase)
        except RigError as error:
            raise RigError(f"{error}\n{self._console.report()}") from error

    def _reach(self, phase: str) -> None:
        with Witness(self.desktop) as witness:
            if phase == "starting":
                self.wait_process("guard")
            elif phase in ("thinking", "paused"):
                wait_until(self._server.waiting.is_set, "the request to the model")
            elif phase == "reviewing":
                self._console.wait_event("question")
            elif phase == "settling":
                self._console.wait_event("performed")
            else:
                self._console.wait_event("performed")  # the click before
                wait_until(lambda: len(witness.acts(synthetic=True)) >= 60, "keys")
        if phase == "paused":
            self.desktop.xdo("key", "ctrl+alt+p")
            self._console.wait_event("paused")
        elif phase == "stopped":
            assert command(self.desktop, "stop").returncode == 0
            self._console.wait_event("stopped")

    def end(self) -> int:
        """Say yes to each question until it ends; Ctrl-C where it does not. Returns the exit code."""
        try:
            return self._console.say_until_end("yes", _LONG_S)
        except RigError:
            self._console.interrupt()
            return self._console.say_until_end("yes", _LONG_S)

    def judge(self) -> str | None:
        """Nothing lives on, nothing is held, no traceback was written. Returns why the display is stopped."""
        wait_until(lambda: product_processes() <= self._before, "all to end")
        assert (self.desktop.keys_down(), self.desktop.buttons_down()) == ([], [])
        home = Path(os.environ["OPERATOR_CONSOLE_HOME"])
        logs = [path.read_text(errors="replace") for path in sorted(home.rglob("*.log*"))]
        written = "\n".join([self._console.shown(), *logs])
        assert "Traceback" not in written, written
        return latched(self.desktop)


@contextmanager
def trial(desktop: Desktop, folder: Path, phase: str) -> Iterator[Trial]:
    """A click that the model thinks about for a while, a text, a click; asked about where the phase is reviewing."""
    editor = launch_mousepad(desktop)
    click = turn(("click", {"x": 500, "y": 600}))
    turns = insistent({**click, "delay_s": 3.0}, turn(("type", {"text": TEXT})), click, final())
    level = "step" if phase == "reviewing" else "auto"
    arguments = ["run", "Do it.", "--json", "--model", MODEL, "--target", f"window:{editor.window.xid:#x}"]
    before = product_processes()
    with (
        GeminiServerThread(turns, api_key="test-key") as server,
        TerminalConsole(desktop, folder, server.url, [*arguments, "--autonomy", level]) as console,
    ):
        yield Trial(desktop, server, console, before)
