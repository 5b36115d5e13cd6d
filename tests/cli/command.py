"""Runs the command line in its own process."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

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
