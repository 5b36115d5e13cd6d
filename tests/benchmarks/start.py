"""How long light commands take to start, beside `python -c pass`: python -m tests.benchmarks.start [RUNS]."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

BAR = 5.0


def median_s(words: list[str], runs: int, environment: dict[str, str]) -> float:
    """Median wall-clock time of a process."""
    times = []
    for _ in range(runs):
        began_s = time.perf_counter()
        subprocess.run([sys.executable, *words], capture_output=True, env=environment)
        times.append(time.perf_counter() - began_s)
    return statistics.median(times)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 31
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "OPERATOR_CONSOLE_HOME": home, "DISPLAY": ":7654321"}
        bare_s = median_s(["-c", "pass"], runs, environment)
        print(f"{'python -c pass':<24} {bare_s * 1000:7.1f} ms")
        for words in (["--help"], ["run", "--help"], ["status"], ["stop"]):
            took_s = median_s(["-m", "operator_console", *words], runs, environment)
            ratio = took_s / bare_s
            print(f"{' '.join(words):<24} {took_s * 1000:7.1f} ms  {ratio:4.1f}x  (bar {BAR:.0f}x)")


if __name__ == "__main__":
    main()
