"""Measures what the design promises and prints one Markdown table: `python -m tests.benchmarks [names] [--quick]`.

Every name is a module of this folder with a function `measure`. Without names all are run, one after another: they
would disturb each other. `--runs` is the number of stops (and half as many releases); the design asks for 1,000.
`policy_scenes` alone takes options of its own: `python -m tests.benchmarks policy_scenes --help`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import traceback
from pathlib import Path

from tests.benchmarks.figures import Options, Row, machine, table

NAMES = (
    "stop", "release", "stop_in_browser", "steps", "capture", "pictures", "preview", "typing_speed", "pasting", "grid",
    "endurance", "start", "journal", "screen_changes", "quiet_steps", "decisions", "step_phases", "session_load",
    "elements", "dialect_steps", "session_library", "policy_scenes", "export", "window_stalls",
    "click_path", "typing_goes_on", "browser", "miniwob", "machines", "machine_endurance",
)  # fmt: skip


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)} (all)")
    parser.add_argument("--quick", action="store_true", help="few runs: to see that all works")
    parser.add_argument("--runs", type=int, default=0, help="stops for each run of `stop`, releases for `release`")
    parser.add_argument("--only", nargs="+", default=[], metavar="TASK", help="tasks of `miniwob` (all)")
    parser.add_argument("--to", type=Path, help="write the table to a file too")
    found = parser.parse_args()
    unknown = set(found.names) - set(NAMES)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return found


def main() -> int:
    """0 where every bar was met, 1 where one was missed, 3 where a benchmark failed."""
    if sys.argv[1:2] == ["policy_scenes"]:
        return int(importlib.import_module("tests.benchmarks.policy_scenes").main(sys.argv[2:]))
    arguments = _arguments()
    options = Options(quick=arguments.quick, runs=arguments.runs, only=tuple(arguments.only))
    head, rows, failed, text = machine(), list[Row](), list[str](), ""
    for name in arguments.names or NAMES:
        began_s = time.monotonic()
        try:
            rows += importlib.import_module(f"tests.benchmarks.{name}").measure(options)
        except Exception:  # the others' figures are not lost with it
            traceback.print_exc()
            failed.append(name)
        print(f"{name}: {time.monotonic() - began_s:.0f} s", file=sys.stderr, flush=True)
        text = "\n\n".join([head, table(rows), *(f"Failed: {', '.join(failed)}." for _ in failed[:1])])
        if arguments.to is not None:  # what is measured is kept, should the rest be cut short
            arguments.to.write_text(text + "\n", encoding="utf-8")
    print(text)
    if failed:
        return 3
    return 1 if any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
