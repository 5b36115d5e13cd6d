"""Runs the command line: in a process of its own, or in this one."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from operator_console.cli import main

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


def operator_console(*words: str, stdin: str = "", **environment: str) -> Result:
    """Run `operator-console WORDS`; `environment` is added to that of this process."""
    done = subprocess.run(
        [sys.executable, "-m", "operator_console", *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env={**os.environ, **environment},
    )
    result = Result(code=done.returncode, out=done.stdout, err=done.stderr)
    assert "Traceback" not in result.err, result.err
    return result


def unread(*words: str, **environment: str) -> Result:
    """Run `operator-console WORDS` with nobody who reads its output, which is not buffered."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "operator_console", *words],
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
        )
    finally:
        os.close(writing)
    return Result(code=done.returncode, out="", err=done.stderr)


def command(*words: str, stdin: str = "", **environment: str) -> Result:
    """The same without a process, whose start takes most of the time.

    For commands that start nothing and that do not depend on what is imported.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as out,
        tempfile.TemporaryFile("w+", encoding="utf-8") as err,
        tempfile.TemporaryFile("w+", encoding="utf-8") as given,
        pytest.MonkeyPatch.context() as patch,
        _logging_restored(),
    ):
        given.write(stdin)
        given.seek(0)
        for name, file in (("stdin", given), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, file)
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            code: object = main(words)
        except SystemExit as end:
            code = end.code
        said = []
        for file in (out, err):
            file.seek(0)
            said.append(file.read())
    assert isinstance(code, int)
    return Result(code=code, out=said[0], err=said[1])


@contextmanager
def _logging_restored() -> Iterator[None]:
    """A command sets the levels of these loggers, and may remove handlers of the test runner."""
    loggers = [logging.getLogger(), logging.getLogger("operator_console")]
    before = [(logger, logger.level, list(logger.handlers)) for logger in loggers]
    yield
    for logger, level, handlers in before:
        logger.setLevel(level)
        logger.handlers[:] = handlers
