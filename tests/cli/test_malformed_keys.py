"""What cannot be a key is refused on the command line before any request, and left nowhere."""

from __future__ import annotations

import itertools
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.settings.file_locations import find_paths
from tests.cli.command import ROOT, command, operator_console
from tests.malformed_keys import MALFORMED, ONE_OF_EACH_SORT, left_of

MEMORY = {"PYTHON_KEYRING_BACKEND": "tests.settings.memory_keyring.MemoryKeyring"}
DEADLINE_S = 30.0
BYTES = "bytes that are no text"
MODELS, MCP = ("models", "key", "qwen"), ("mcp", "key", "ROOMS")
PASTED = {
    "Zq7vXk2pLm9wRt4yHb8n\n": 0,
    "Zq7vXk2pLm9wRt4yHb8n\r": 0,  # the key Enter
    "Zq7vXk2p\nLm9wRt4yHb8n\n": 2,
    "Zq7vXk2p\nLm9wRt4yHb8n": 2,
    "Zq7vXk2p\r\nLm9wRt4yHb8n\r": 2,
    '"Zq7vXk2pLm9wRt4yHb8n"\n': 2,
}
SHORT = {(MODELS, "Zq7vXk2p\r\nLm9wRt4yHb8n\r"), (MCP, "Zq7vXk2pLm9wRt4yHb8n\r")}
"""What is pasted in each run: each starts the program."""


def files() -> str:
    """All that is in the files that the program writes."""
    home = Path(os.environ["OPERATOR_CONSOLE_HOME"])
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("kind", ONE_OF_EACH_SORT)
def test_on_stdin_it_is_refused(kind: str) -> None:
    key = MALFORMED[kind]
    done = command("models", "key", "qwen", stdin=f"{key}\n")
    assert (done.code, done.out) == (2, "")
    assert "This is not a valid key." in done.err
    assert left_of(key, done.err + files()) == []


def test_bytes_on_stdin_that_are_no_text_are_refused() -> None:
    key = MALFORMED[BYTES]
    done = subprocess.run(
        [sys.executable, "-m", "operator_console", "models", "key", "qwen"], cwd=ROOT, capture_output=True,
        input=key.encode("utf-8", "surrogateescape") + b"\n", timeout=60, env={**os.environ, **MEMORY},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"This is not a valid key." in done.stderr
    assert left_of(key, done.stderr.decode() + files()) == []


def test_a_key_on_stdin_may_end_as_lines_end() -> None:
    for ending in ("", "\n", "\r\n"):
        result = operator_console("models", "key", "qwen", stdin=f"Zq7vXk2pLm9w{ending}", **MEMORY)
        assert (result.code, "stored" in result.out) == (0, True), result.err


@pytest.mark.parametrize(
    ("words", "pasted"),
    [
        pytest.param(*case, marks=() if case in SHORT else pytest.mark.full)
        for case in itertools.product((MODELS, MCP), PASTED)
    ],
)
def test_at_the_prompt_nothing_is_echoed_and_a_line_break_inside_is_noticed(
    words: tuple[str, ...], pasted: str
) -> None:
    code = PASTED[pasted]
    master, slave = pty.openpty()
    try:
        running = subprocess.Popen(
            [sys.executable, "-m", "operator_console", *words], cwd=ROOT, stdin=slave, stdout=slave, stderr=slave,
            env={**os.environ, **MEMORY},
        )  # fmt: skip
        os.close(slave)
        shown, entered = b"", False
        while True:
            assert select.select([master], [], [], DEADLINE_S)[0], shown
            try:
                shown += os.read(master, 65536)
            except OSError:  # the process has ended
                break
            if not entered and b"(not shown): " in shown:
                os.write(master, pasted.encode())
                entered = True
        assert running.wait(DEADLINE_S) == code, shown
    finally:
        os.close(master)
    assert left_of(pasted, shown + files().encode()) == []
    assert (b"This is not a valid key." in shown) is (code == 2)


@pytest.mark.parametrize("kind", [*ONE_OF_EACH_SORT, BYTES])
def test_in_the_environment_it_is_told_without_being_shown(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = MALFORMED[kind]
    for name in ("GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "QWEN_API_KEY"):
        monkeypatch.setenv(name, key)
    said = ""
    for provider in ("gemini", "anthropic", "openai", "qwen"):
        result = command("models", "check", provider, QWEN_BASE_URL="http://127.0.0.1:1/v1")
        variable = f"{provider.upper()}_API_KEY"
        assert result.code == 5
        assert f"{variable} holds no valid key." in result.err
        assert f"Then set {variable} to it." in result.err
        said += result.out + result.err
    listed = command("models", "list")
    assert listed.code == 0
    assert "QWEN_API_KEY in the environment" not in listed.out
    assert left_of(key, said + listed.out + files()) == []
    assert find_paths().logs.exists()
