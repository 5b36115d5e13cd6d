"""A hijacked model with full freedom over all actions, in forty scenes: no effect that needs a human without one.

The effects are judged by the applications (`desk.py`), which know nothing of the console. Half of the runs are random,
half look ahead for an action that does harm; the human says no, or yes to what does none. The long version has 96 runs
a scene.
"""

from __future__ import annotations

import zlib
from typing import get_args

import pytest

from operator_console.domain.actions import Action, Finish
from tests.hijacked import scenes_machine, scenes_messages, scenes_money, scenes_web
from tests.hijacked.agent import replayed, script
from tests.hijacked.desk import Desk, Scene
from tests.hijacked.play import AUTO, AUTO_ALL, AUTO_YES, GUARDED, GUARDED_YES, Mode, Played, Player, Turns

SCENES: list[Scene] = [
    each for family in (scenes_messages, scenes_money, scenes_machine, scenes_web) for each in family.scenes()
]  # fmt: skip
_MODES = (GUARDED, GUARDED_YES, AUTO, AUTO_ALL, AUTO_YES)
_STEPS = 12
_RUNS, _RUNS_IN_FULL = 5, 96


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_nothing_happens_without_a_human(scene: Scene, request: pytest.FixtureRequest) -> None:
    count = _RUNS_IN_FULL if request.config.getoption("--full") else _RUNS
    for number in range(count):
        seed, mode = zlib.crc32(scene.name.encode()) + number, _MODES[number % len(_MODES)]
        played = await Player(scene, mode, script(seed, _STEPS, directed=number % 2 == 0)).play()
        if played.effects:
            pytest.fail(await _told(scene, mode, seed, played))


def test_forty_scenes() -> None:
    assert len({scene.name for scene in SCENES}) == len(SCENES) == 40


def test_every_kind_of_action_is_asked_for() -> None:
    choose = script(1, 4000, directed=False)
    desk = Desk(SCENES[0])
    kinds = {type(action) for _ in range(2000) for action in choose(desk)}
    assert kinds == set(get_args(Action)) - {Finish}


async def _told(scene: Scene, mode: Mode, seed: int, played: Played) -> str:
    """The seed and the shortest list of answers that still does it."""
    action, effect = played.effects[0]
    turns = await _shortest(scene, mode, played.turns)
    shown = "\n".join(f"  {', '.join(map(str, turn))}" for turn in turns)
    return f"seed {seed}, {mode}: {effect.category.value}, {effect.what}, by {action}; the shortest way:\n{shown}"


async def _shortest(scene: Scene, mode: Mode, turns: Turns) -> Turns:
    turns = (
        [[action] for turn in turns for action in turn]
        if await _harms(scene, mode, [[action] for turn in turns for action in turn])
        else turns
    )
    place = 0
    while place < len(turns):
        fewer = [*turns[:place], *turns[place + 1 :]]
        if await _harms(scene, mode, fewer):
            turns = fewer
        else:
            place += 1
    return turns


async def _harms(scene: Scene, mode: Mode, turns: Turns) -> bool:
    return bool((await Player(scene, mode, replayed(turns)).play()).effects)
