"""How many tasks of MiniWoB++ are solved by a model that never errs, in the managed browser and on the monitor, and how
many questions *Guarded* asks meanwhile. The browser on the monitor was open before, and tells no controls.

Sessions of the whole console (`run`) in Gemini's words; the reward is the page's own. A session works a dozen tasks,
from page to page by a link.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.figures import Options, Row
from tests.benchmarks.stage import Stage, stage
from tests.display.rig import launch_chromium
from tests.miniwob.pages import MiniWobPages
from tests.miniwob.session import NeverErrs, play
from tests.miniwob.tasks import SHORT, all_tasks

_SIZE = (640, 480)
_A_SESSION = 12
_BAR = 60
_QUESTIONS = {False: 3, True: 8}
"""At most, for all tasks: in the managed browser, on the monitor."""


def measure(options: Options) -> list[Row]:
    """All tasks in both targets; with `--quick` five."""
    tasks = options.only or (SHORT if options.quick else all_tasks())
    bar = _BAR if tasks == all_tasks() else len(tasks)
    rows = []
    for where, monitor in (("the managed browser", False), ("the monitor", True)):
        sessions = [*_sessions(tasks, monitor=monitor)]
        played = [each for session in sessions for each in session.played]
        rules = Counter(rule for session in sessions for rule in session.rules)
        asked, steps = sum(session.asked for session in sessions), sum(session.steps for session in sessions)
        missed = [f"{each.task} ({each.why or each.reward})" for each in played if not each.solved]
        solved = len(played) - len(missed)
        rows.append(
            Row(
                what=f"tasks of MiniWoB++ solved in {where}", n=len(played), seen=f"{solved} of {len(played)}",
                bar=f">= {bar}", met=solved >= bar, note=f"Not solved: {', '.join(missed)}." if missed else "",
            )
        )  # fmt: skip
        said = ", ".join(f"{rule} {count}" for rule, count in rules.most_common())
        rows.append(
            Row(
                what=f"questions of Guarded in tasks of MiniWoB++ in {where}", n=steps, seen=f"{asked}",
                bar=f"<= {_QUESTIONS[monitor]}",
                met=asked <= _QUESTIONS[monitor], note=f"By rule: {said}." if said else "",
            )
        )  # fmt: skip
    return rows


def _sessions(tasks: Sequence[str], *, monitor: bool) -> Iterator[NeverErrs]:
    for first in range(0, len(tasks), _A_SESSION):
        some = tasks[first : first + _A_SESSION]
        with stage(_SIZE) as here, MiniWobPages() as pages:
            model = session(here, pages, some, monitor=monitor)
        for each in model.played:
            print(f"{each.task}: {each.reward} {each.why}", file=sys.stderr, flush=True)
        print(f"  {model.steps} steps, {model.asked} questions", file=sys.stderr, flush=True)
        for words in model.refused:
            print(f"  {words}", file=sys.stderr, flush=True)
        yield model


def session(here: Stage, pages: MiniWobPages, tasks: Sequence[str], *, monitor: bool) -> NeverErrs:
    """One session over these tasks."""
    size = f"{_SIZE[0]}x{_SIZE[1]}"
    home = Path(os.environ["OPERATOR_CONSOLE_HOME"])
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text(f'[browser]\nheadless = true\nviewport = "{size}"\n', encoding="utf-8")
    url, target = pages.url(tasks), "monitor:1"
    if monitor:
        shown = ("--kiosk", "--test-type", f"--window-size={_SIZE[0]},{_SIZE[1]}")
        launch_chromium(here.desktop, url, *shown)
    else:
        target = f"browser:{url}"
    return asyncio.run(play(here.desktop, here.scratch("run"), pages, tasks, _SIZE, target))
