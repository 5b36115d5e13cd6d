"""Running the real console as a child and speaking for the model: what the acceptance tests share.

The console is started as a user would start it (`python -m operator_console ...`), against the strict Gemini server on
loopback, on a display of the rig. Nothing here imports the product.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.display.rig import Child, Desktop, wait_until
from tests.servers.scripted_server import Seen, Turn

MODEL = "gemini-3.8-flash"
_HANDED_ON = ("OPERATOR_CONSOLE_HOME", "OPERATOR_CONSOLE_TEST_MARK", "PYTHON_KEYRING_BACKEND")


@dataclass(slots=True, kw_only=True)
class Console:
    """A running `operator-console` child with its output in files."""

    child: Child
    stdout: Path
    events_seen: int = field(default=0)

    def wait(self, timeout_s: float = 180.0) -> int:
        """Its exit code."""
        return self.child.popen.wait(timeout_s)

    def events(self) -> list[dict[str, Any]]:
        """What `--json` printed up to now."""
        lines = self.stdout.read_text(encoding="utf-8").splitlines() if self.stdout.exists() else []
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def wait_event(self, kind: str, timeout_s: float = 90.0, **fields: Any) -> dict[str, Any]:
        """The first event of a kind with these fields."""

        def look() -> dict[str, Any] | None:
            for event in self.events():
                if event["kind"] == kind and all(event.get(name) == value for name, value in fields.items()):
                    return event
            if not self.child.running:
                raise AssertionError(f"ended with {self.child.popen.returncode} before {kind}: {self.report()}")
            return None

        found = wait_until(look, f"a {kind} event {fields}", timeout_s=timeout_s)
        assert found is not None
        return found

    def report(self) -> str:
        """What went wrong, for an assertion's message."""
        kinds = [f"{event['kind']}:{event.get('detail') or event.get('message') or ''}" for event in self.events()]
        return f"{self.child.log_text()[-3000:]}\nevents: {kinds[-30:]}"


def console_env(desktop: Desktop, **extra: str) -> dict[str, str]:
    """The environment of a console on this desktop."""
    env = {**desktop.env, **{name: os.environ[name] for name in _HANDED_ON if name in os.environ}, **extra}
    env["PYTHONPATH"] = str(Path(__file__).resolve().parents[3])
    env.pop("QT_QPA_PLATFORM", None)
    return env


def start_console(
    desktop: Desktop, folder: Path, *args: str, module: Sequence[str] = ("operator_console",), **env: str
) -> Console:
    """`python -m operator_console ARGS`; stdout to a file, stderr to its log. `module`: run instead, with arguments."""
    stdout = folder / "stdout.txt"
    code = (
        "import os, sys; fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600); os.dup2(fd, 1);"
        "os.execv(sys.executable, [sys.executable, '-m', *sys.argv[2:]])"
    )
    child = Child(
        [sys.executable, "-c", code, str(stdout), *module, *args],
        env=console_env(desktop, **env),
        log=folder / "stderr.txt",
        cwd=folder,
    )
    return Console(child=desktop.adopt(child), stdout=stdout)


def start_run(
    desktop: Desktop, folder: Path, url: str, *args: str, task: str = "Do as the script says.", **env: str
) -> Console:
    """`run` with JSON events against the server at `url`."""
    keys = {**env, "GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": url}
    return start_console(desktop, folder, "run", task, "--json", "--model", MODEL, *args, **keys)


def grid(point: tuple[int, int], size: tuple[int, int], origin: tuple[int, int] = (0, 0)) -> dict[str, float]:
    """The model's x and y of a root pixel's centre, for a target of `size` at `origin`."""
    return {
        "x": (point[0] - origin[0] + 0.5) * 1000 / size[0],
        "y": (point[1] - origin[1] + 0.5) * 1000 / size[1],
    }


def turn(*calls: tuple[str, dict[str, Any]], thought: str = "", text: str = "") -> dict[str, Any]:
    """A turn of the model with these calls."""
    made: dict[str, Any] = {
        "calls": [{"name": name, "args": {"intent": f"the script's {name}", **args}} for name, args in calls]
    }
    if thought:
        made["thought"] = thought
    if text:
        made["text"] = text
    return made


def final(text: str = "Done.") -> dict[str, Any]:
    """The model's last word."""
    return {"text": text}


def performed(events: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """(result, detail) of every call that was answered, in order."""
    return [(event["result"], event.get("detail", "")) for event in events if event["kind"] == "performed"]


class _Insistent:
    """Says its turns one by one, and one again where a pause left its calls undone, as a model would."""

    def __init__(self, turns: Sequence[Turn], *, first_again: bool) -> None:
        self._turns = turns
        self._first_again = first_again
        self._place = -1

    def __call__(self, seen: Seen) -> Mapping[str, Any]:
        parts = seen.request["contents"][-1]["parts"]
        answers = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        undone = seen.again or any(answer.get("status") == "not_done" for answer in answers)
        # A first turn that was called off on its way has left no trace in the conversation.
        unheard = self._first_again and self._place == 0 and seen.begins
        if self._place < 0 or not (undone or unheard):
            self._place += 1
        turn = self._turns[self._place]
        return turn(seen) if callable(turn) else turn


def insistent(*turns: Turn, first_again: bool = True) -> list[Turn]:
    """These turns for the server: on a busy machine the console may pause for a moment, and a call is not done.

    Args:
        turns: what the model says.
        first_again: whether a conversation in which the model has said nothing gets the first turn again. Not where a
            test begins a second one, or the console leaves a flagged turn out.
    """
    model = _Insistent(turns, first_again=first_again)
    return [model] * (3 * len(turns))
