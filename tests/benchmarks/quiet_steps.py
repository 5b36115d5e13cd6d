"""How often an input is refused although nothing changed but what always does: carets, clocks, hover and spinners.

A session on a monitor clicks, moves, types and presses keys all over such a window, single calls and two to a turn.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from pathlib import Path

from operator_console.domain.actions import Action, Chord, Click, Move, TypeText
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus, Observation, Proposal
from tests.benchmarks import quiet_window
from tests.benchmarks.figures import Options, Row
from tests.benchmarks.stage import stage
from tests.display.engine.changing import session_on
from tests.display.rig import launch
from tests.engine.rig import Turn, does

_MOST = 0.01
_EDGE = 14


class _Steps:
    """Turns of one or two calls at random places of the window."""

    def __init__(self, steps: int, origin: tuple[int, int]) -> None:
        self._left = steps
        self._origin = origin
        self._chance = random.Random(8)
        self.statuses: Counter[CallStatus] = Counter()
        self.refusals: Counter[str] = Counter()

    def turns(self) -> list[Turn]:
        found: list[Turn] = []
        while self._left > 0:
            calls = min(self._left, self._chance.choice((1, 1, 2)))
            self._left -= calls
            found.append(self._turn([self._action() for _ in range(calls)]))
        return found

    def take(self, seen: Observation) -> None:
        for result in seen.results:
            self.statuses[result.status] += 1
            if result.status is not CallStatus.DONE:
                self.refusals[result.text] += 1

    def _turn(self, actions: list[Action]) -> Turn:
        def turn(seen: Observation) -> Proposal:
            self.take(seen)
            return does(*actions)

        return turn

    def _action(self) -> Action:
        at = NativePoint(
            self._origin[0] + self._chance.randint(_EDGE, quiet_window.SIZE[0] - _EDGE),
            self._origin[1] + self._chance.randint(_EDGE, quiet_window.SIZE[1] - _EDGE),
        )
        field = NativePoint(self._origin[0] + 120, self._origin[1] + 30)
        return self._chance.choice(
            (Click(at=at), Click(at=at), Move(at=at), Chord(keys=(Key("shift"),)), TypeText(text="a", at=field))
        )


def measure(options: Options) -> list[Row]:
    """Steps that were refused."""
    steps = options.times(1000, 60)
    with stage() as here:
        window = launch(
            here.desktop, [sys.executable, str(Path(quiet_window.__file__))], title=quiet_window.TITLE,
            env={"QT_QPA_PLATFORM": "xcb"},
        ).window  # fmt: skip
        played = _Steps(steps, (window.x, window.y))
        last = asyncio.run(session_on(here.desktop, played.turns(), steps))
        played.take(last)
    n = sum(played.statuses.values())
    refused = n - played.statuses[CallStatus.DONE]
    said = "; ".join(f"{count} x {text}" for text, count in played.refusals.most_common(4))
    return [
        Row(
            what="quiet steps that were refused, beside a caret, a clock, hover and a spinner", n=n,
            seen=f"{refused} ({refused / n:.1%})", bar=f"<= {_MOST:.0%}", met=refused <= _MOST * n and n >= steps,
            note=said,
        )
    ]  # fmt: skip
