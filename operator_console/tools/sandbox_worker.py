"""The process that runs shell commands and file edits in a sandbox, one after another.

The shell lives from one command to the next, so that variables, the folder and background processes stay; each edit has
a sandbox of its own. The process leads a group, which a stop kills: the sandbox then dies with its parent, and all that
is in it with its first process.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from operator_console.bubblewrap import interpreter
from operator_console.private_files import make_private_folder
from operator_console.tools.sandbox import Limits, Sandbox, SandboxUnavailable
from operator_console.tools.worker_pipes import MAX_CHARACTERS, Console

MAX_KEPT_BYTES = 40_000
EDIT_TIMEOUT_S = 30.0

_DRAINED_WITHIN_S = 0.2
_MAX_EDIT_ANSWER = 2_000_000
# Reads commands, each ended by a NUL, and reports their exit codes. Neither pipe is open in a command.
_LOOP = r"""
while IFS= read -r -d '' -u {commands} REPLY; do
  eval "$REPLY" </dev/null {commands}<&- {codes}>&-
  printf '%d\n' "$?" >&{codes}
done
"""


def main() -> None:
    """Serve requests until one says "close"."""
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    console = Console(requests.put)
    worker: _Worker | None = None
    try:
        while (request := requests.get())["do"] != "close":
            try:
                if worker is None:
                    worker = _Worker(request)
                answer = worker.answer(request)
            except SandboxUnavailable as error:
                answer = {"error": error.why, "remedy": error.remedy, "unusable": True}
            except Exception as error:  # noqa: BLE001 - told, and the process goes on
                answer = {"error": f"{type(error).__name__}: {error}"}
            console.answer(answer)
    finally:
        if worker is not None:
            worker.close()
    console.answer({"closed": True})
    os._exit(0)


class _Worker:
    """The sandbox, from the request "open" on. Raises SandboxUnavailable."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._sandbox = Sandbox(Limits(**request["limits"]))
        self._folder = Path(request["folder"])
        self._shell: _Shell | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        match request["do"]:
            case "open":
                return {"opened": True, "limited_by": self._sandbox.limited_by}
            case "run":
                return self._run(request["command"], request["restart"], request["timeout_s"])
            case "edit":
                return self._edit(request)
        raise LookupError(request["do"])

    def _run(self, command: str, restart: bool, timeout_s: float) -> dict[str, Any]:
        if restart:
            self._end_shell()
            return {"texts": ["The shell was restarted."], "pictures": []}
        if self._shell is None:
            self._make_folder()
            self._shell = _Shell(self._sandbox, self._folder)
        output, note = self._shell.run(command, timeout_s)
        if not self._shell.lives:
            self._end_shell()
        texts = [text for text in (output, note) if text]
        return {"texts": texts, "pictures": [], "failed": self._shell is None}

    def _edit(self, request: Mapping[str, Any]) -> dict[str, Any]:
        self._make_folder()
        program, shown = interpreter()
        script = Path(__file__).with_name("sandbox_editor.py")
        command = self._sandbox.command([program, "-I", "-S", str(script)], self._folder, [*shown, script])
        asked = json.dumps({name: request[name] for name in ("command", "path", "arguments")})
        try:
            done = subprocess.run(
                command, env={"PATH": os.defpath}, input=asked.encode(), capture_output=True, timeout=EDIT_TIMEOUT_S
            )
        except subprocess.TimeoutExpired:
            return {"error": f"It did not end within {EDIT_TIMEOUT_S:g} s, so it was killed."}
        try:
            said = json.loads(done.stdout[:_MAX_EDIT_ANSWER])
        except ValueError:
            return {"error": f"The editor ended with code {done.returncode}: {_text(done.stderr[-300:])}"}
        return {"error": said["error"]} if "error" in said else {"texts": [said["text"]], "pictures": []}

    def _make_folder(self) -> None:
        make_private_folder(self._folder)

    def _end_shell(self) -> None:
        if self._shell is not None:
            self._shell.close()
            self._shell = None
        self._sandbox.empty()

    def close(self) -> None:
        self._end_shell()
        self._sandbox.close()


class _Shell:
    """One shell in a sandbox."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        command_end, self._commands = os.pipe()
        self._codes, code_end = os.pipe()
        self._output, output_end = os.pipe()
        loop = _LOOP.format(commands=command_end, codes=code_end)
        try:
            self._process = subprocess.Popen(
                sandbox.command(["bash", "--noprofile", "--norc", "-c", loop], folder), env={"PATH": os.defpath},
                stdin=subprocess.DEVNULL, stdout=output_end, stderr=output_end, pass_fds=(command_end, code_end),
            )  # fmt: skip
        finally:
            for descriptor in (command_end, code_end, output_end):
                os.close(descriptor)
        os.set_blocking(self._output, False)
        os.set_blocking(self._commands, False)
        self.lives = True

    def run(self, command: str, timeout_s: float) -> tuple[str, str]:
        """The output of a command, and a note about its end."""
        kept = _Kept()
        until = time.monotonic() + timeout_s
        unsent = memoryview(command.encode("utf-8", "replace") + b"\0")
        code = ""
        while not code.endswith("\n"):
            writing = [self._commands] if unsent else []
            left = until - time.monotonic()
            readable, writable, _ = select.select([self._output, self._codes], writing, [], max(0.0, left))
            if self._output in readable:
                self._take(kept)
            if writable:
                try:
                    unsent = unsent[os.write(self._commands, unsent) :]
                except BrokenPipeError:
                    unsent = memoryview(b"")
            if self._codes in readable:
                piece = os.read(self._codes, 16).decode("ascii", "replace")
                if not piece:
                    return self._ended(kept, "The shell ended; the next command starts a new one.")
                code += piece
            if left <= 0:
                said = f"It did not end within {timeout_s:g} s, so it was killed with all that it had started."
                return self._ended(kept, f"{said} The next command starts a new shell.")
        self._drain(kept, 0.0)
        return kept.text(), f"exit code {code.strip()}"

    def _ended(self, kept: _Kept, note: str) -> tuple[str, str]:
        self._process.kill()
        self._drain(kept, _DRAINED_WITHIN_S)
        self.lives = False
        return kept.text(), note

    def _drain(self, kept: _Kept, within_s: float) -> None:
        """Take what was written already."""
        until = time.monotonic() + within_s
        while select.select([self._output], [], [], max(0.0, until - time.monotonic()))[0] and self._take(kept):
            if time.monotonic() > until + _DRAINED_WITHIN_S:
                return

    def _take(self, kept: _Kept) -> bool:
        try:
            piece = os.read(self._output, 1 << 20)
        except BlockingIOError:
            return False
        kept.add(piece)
        return bool(piece)

    def close(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()
        for descriptor in (self._commands, self._codes, self._output):
            os.close(descriptor)


class _Kept:
    """The beginning and the end of an output."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, piece: bytes) -> None:
        self._total += len(piece)
        room = MAX_KEPT_BYTES - len(self._head)
        self._head += piece[:room]
        self._tail += piece[max(0, room) :][-MAX_KEPT_BYTES:]
        del self._tail[:-MAX_KEPT_BYTES]

    def text(self) -> str:
        half = MAX_CHARACTERS // 2
        if self._total <= len(self._head):
            whole = _text(self._head)
            if len(whole) <= MAX_CHARACTERS:
                return whole
            return f"{whole[:half]}\n… ({len(whole) - 2 * half} characters left out) …\n{whole[-half:]}"
        head, tail = _text(self._head)[:half], _text(self._tail)[-half:]
        left_out = self._total - len(head.encode()) - len(tail.encode())
        return f"{head}\n… ({left_out} bytes left out) …\n{tail}"


def _text(data: bytes | bytearray) -> str:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return "".join(char for char in text if char.isprintable() or char in "\n\t")


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
