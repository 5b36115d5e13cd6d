"""The leak checks must see leaks: each is shown one, in a test run of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_LEAKING = """
import asyncio, subprocess, threading

kept = []

def test_thread():
    threading.Thread(target=threading.Event().wait, args=(30,), name="forgotten", daemon=True).start()

def test_process():
    kept.append(subprocess.Popen(["sleep", "20"]))

def test_orphan():
    subprocess.run(["setsid", "-f", "sleep", "21"], check=True)
    while subprocess.run(["pgrep", "-xf", "sleep 21"], stdout=subprocess.DEVNULL).returncode:
        pass  # a process that just begins has no environment to be known by

async def test_task():
    kept.append(asyncio.create_task(asyncio.sleep(30), name="forgotten"))
"""


def _run(tmp_path: Path, source: str) -> subprocess.CompletedProcess[str]:
    """Runs one test file under this project's configuration and conftest, kept outside the repository."""
    test = tmp_path / "test_inner.py"
    test.write_text(source)
    (tmp_path / "conftest.py").write_text(
        (ROOT / "tests" / "conftest.py").read_text().replace("GRACE_S = 3.0", "GRACE_S = 0.5")
    )
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--config-file={ROOT / 'pyproject.toml'}",
            f"--rootdir={tmp_path}",
            str(test),
        ],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=tmp_path,
    )


def test_a_leak_fails_the_test(tmp_path: Path) -> None:
    done = _run(tmp_path, _LEAKING)
    try:
        assert done.returncode == 1, done.stdout + done.stderr
        for test, left in (
            ("thread", "thread forgotten"), ("process", r"process \d+ sleep 20"), ("orphan", r"process \d+ sleep 21"),
            ("task", "task forgotten"),
        ):  # fmt: skip
            assert re.search(f"test_{test} (.|\n)*?left behind: {left}", done.stdout), done.stdout
        assert "4 errors" in done.stdout
    finally:
        _end_sleepers(done.stdout)


def test_a_clean_test_passes(tmp_path: Path) -> None:
    done = _run(
        tmp_path,
        """
import asyncio, os, subprocess, threading
async def test_clean():
    task = asyncio.create_task(asyncio.sleep(0)); await task
    await asyncio.to_thread(print, "x")
    thread = threading.Thread(target=print); thread.start(); thread.join()
    subprocess.run(["true"], check=True)
    assert not os.path.exists(os.environ["OPERATOR_CONSOLE_HOME"])
    assert "DISPLAY" not in os.environ and "GEMINI_API_KEY" not in os.environ
""",
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _end_sleepers(report: str) -> None:
    """The leaked processes are ours: the report names their ids."""
    for word, following in zip(report.split(), report.split()[1:], strict=False):
        if word == "process" and following.isdigit():
            try:
                os.kill(int(following), 9)
            except ProcessLookupError:
                continue
