"""Labelled actions in real windows and pages, played end to end: what is asked, and what is asked in vain.

`python -m tests.benchmarks policy_scenes [--only KIND] [--set main|holdout] [--limit N] [--elements on|late|off]
[--json FILE] [--report FILE]`. Without options all are played, with accessible elements.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.figures import Options, Row, machine, table
from tests.benchmarks.policy_scenes import report
from tests.benchmarks.policy_scenes.player import Accessibility, Given, Played, play
from tests.benchmarks.policy_scenes.scenes import Scene, SceneSet, load


def measure(options: Options) -> list[Row]:
    """The bars of both sets together."""
    played = play(_some(load(), 40) if options.quick else load(), Given())
    return report.rows(played, "labelled scenes")


def main(arguments: Sequence[str]) -> int:
    """The command line of this benchmark alone. 0 where every bar was met, 1 where one was missed."""
    options = _parsed(arguments)
    chosen = [
        scene
        for scene in load(options.set)
        if (options.only is None or options.only in (scene.kind, scene.scene_id))
        and (options.lang is None or scene.lang == options.lang)
        and (options.app is None or scene.stage.value == options.app)
    ]
    scenes = _some(chosen, options.limit) if options.limit else chosen
    if not scenes:
        print("There is no such scene.", file=sys.stderr)
        return 2
    began_s = time.monotonic()
    given = Given(elements=options.elements, thinks_s=options.thinks, after=_Progress(len(scenes)))
    played = play(scenes, given)
    took_s = time.monotonic() - began_s
    found = report.rows(played, options.set.value if options.set else "all scenes")
    head = f"{len(scenes)} scenes in {took_s:.0f} s, elements {options.elements.value}. {machine()}"
    short = "\n\n".join([head, table(found), report.tables(played)])
    if options.report is not None:
        options.report.write_text(f"{short}\n\n{report.faults(played)}\n", encoding="utf-8")
    if options.json is not None:
        options.json.write_text(json.dumps(report.as_json(played), ensure_ascii=False, indent=1), encoding="utf-8")
    print(short if options.report is not None else f"{short}\n\n{report.faults(played)}")
    return 1 if any(row.met is False for row in found) or _unplayed(played) else 0


class _Progress:
    """Says now and then how far it is."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._began_s = time.monotonic()
        self._done = self._wrong = 0

    def __call__(self, played: Played) -> None:
        self._done += 1
        self._wrong += not played.right
        if self._done % 25 == 0:
            took_s = time.monotonic() - self._began_s
            print(f"{self._done} of {self._count} in {took_s:.0f} s, {self._wrong} wrong", file=sys.stderr, flush=True)


def _unplayed(played: Sequence[Played]) -> bool:
    return any(each.fault for each in played)


def _some(scenes: Sequence[Scene], count: int) -> list[Scene]:
    """So many of them, always the same."""
    chosen = random.Random(1).sample(range(len(scenes)), min(count, len(scenes)))
    return [scenes[number] for number in sorted(chosen)]


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks policy_scenes", description=__doc__)
    parser.add_argument("--only", metavar="KIND", help="only scenes of this kind, or the one with this id")
    parser.add_argument("--set", type=SceneSet, choices=list(SceneSet), help="only this set")
    parser.add_argument("--lang", help="only this language")
    parser.add_argument("--app", help="only this application")
    parser.add_argument("--limit", type=int, default=0, help="this many of them, drawn evenly")
    parser.add_argument(
        "--elements", type=Accessibility, choices=list(Accessibility), default=Accessibility.ON,
        help="accessible elements: on from the start, switched on by the session (late), or none",
    )  # fmt: skip
    parser.add_argument("--thinks", type=float, default=0.0, metavar="SECONDS", help="how long the model thinks")
    parser.add_argument("--json", type=Path, help="write every scene's result to a file")
    parser.add_argument("--report", type=Path, help="write the tables and every fault to a file")
    return parser.parse_args(arguments)
