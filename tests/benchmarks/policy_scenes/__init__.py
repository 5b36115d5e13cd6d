"""Labelled actions in real windows and pages, played end to end: what is asked, and what is asked in vain.

`python -m tests.benchmarks policy_scenes [--only KIND] [--set main|holdout] [--limit N] [--elements on|late|off]
[--managed] [--part N/M] [--json FILE] [--report FILE]`. Without options all are played, with accessible elements.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.figures import Options, Row, machine, table
from tests.benchmarks.policy_scenes import report, results
from tests.benchmarks.policy_scenes.player import Accessibility, Given, Played, play
from tests.benchmarks.policy_scenes.scenes import Scene, SceneSet, load


def measure(options: Options) -> list[Row]:
    """The bars of both sets together."""
    played = play(_some(load(), 40) if options.quick else load(), Given())
    return report.rows([results.result_of(each) for each in played], "labelled scenes")


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
    number, parts = options.part
    scenes = scenes[number - 1 :: parts]
    if not scenes:
        print("There is no such scene.", file=sys.stderr)
        return 2
    began_s = time.monotonic()
    given = Given(
        elements=options.elements, thinks_s=options.thinks, managed=options.managed, after=_Progress(len(scenes))
    )
    found = [results.result_of(each) for each in play(scenes, given)]
    took_s = time.monotonic() - began_s
    if options.json is not None:
        results.write(options.json, found)
    found += [each for path in options.add for each in results.read(path)]
    with_elements = options.elements is not Accessibility.OFF
    bars = report.rows(found, options.set.value if options.set else "all scenes", elements=with_elements)
    where = ", managed browser" if options.managed else ""
    head = f"{len(scenes)} scenes in {took_s:.0f} s, elements {options.elements.value}{where}. {machine()}"
    short = "\n\n".join([head, table(bars), report.tables(found)])
    if options.report is not None:
        options.report.write_text(f"{short}\n\n{report.faults(found)}\n", encoding="utf-8")
    print(short if options.report is not None else f"{short}\n\n{report.faults(found)}")
    return 1 if any(row.met is False for row in bars) or any(each.fault for each in found) else 0


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


def _some(scenes: Sequence[Scene], count: int) -> list[Scene]:
    """So many of them, always the same."""
    chosen = random.Random(1).sample(range(len(scenes)), min(count, len(scenes)))
    return [scenes[number] for number in sorted(chosen)]


def _part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    if not 1 <= int(number) <= int(parts):
        raise ValueError(text)
    return int(number), int(parts)


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
    parser.add_argument("--managed", action="store_true", help="pages in a browser of the console's own")
    parser.add_argument("--thinks", type=float, default=0.0, metavar="SECONDS", help="how long the model thinks")
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="N/M", help="every Mth scene, from the Nth on")
    parser.add_argument("--add", type=Path, nargs="*", default=[], help="results of other parts, to be reported too")
    parser.add_argument("--json", type=Path, help="write every scene's result to a file")
    parser.add_argument("--report", type=Path, help="write the tables and every fault to a file")
    return parser.parse_args(arguments)
