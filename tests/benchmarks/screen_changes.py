"""How often an input is delivered although the screen changed between the model's picture and the act.

Six kinds of change, each before a single call and right after the first call of a turn, counted by the presses that
reach any window. Tries without a change run among them: everything must arrive there, or the zeros mean nothing.
"""

from __future__ import annotations

import asyncio
import itertools

from operator_console.domain.actions import Chord, Click
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus
from tests.benchmarks.figures import Options, Row
from tests.benchmarks.stage import stage
from tests.display.engine.changing import CHANGES, FAR, Screen, Tried, Try, play

_KEY = Chord(keys=(Key("x"),))


def measure(options: Options) -> list[Row]:
    """Each kind by itself, then all together."""
    rounds = options.times(25, 1)
    kinds = [
        (name, Try(change=change, first=first))
        for (name, change), first in itertools.product(CHANGES.items(), (None, Click(at=FAR)))
    ]
    kinds += [("the focus moved", Try(change=Screen.focus_moved, action=_KEY, first=first)) for first in (None, _KEY)]
    tries = kinds * rounds
    controls = [Try(change=None), Try(change=None, first=Click(at=FAR))] * rounds
    with stage() as here:
        tried = asyncio.run(play(here.desktop, [each for _, each in tries] + controls))
    changed, quiet = tried[: len(tries)], tried[len(tries) :]
    rows = [
        _row(name, [one for (kind, _), one in zip(tries, changed, strict=True) if kind == name]) for name in CHANGES
    ]
    arrived = sum(each.delivered == 1 for each in quiet)
    return [
        *rows,
        _row("all kinds together", changed),
        Row(
            what="the same calls without a change that arrive", n=len(quiet), seen=f"{arrived} of {len(quiet)}",
            bar="all", met=arrived == len(quiet),
        ),
    ]  # fmt: skip


def _row(what: str, tried: list[Tried]) -> Row:
    delivered = sum(each.delivered > 0 for each in tried)
    stale = sum(each.results[-1].status is CallStatus.NOT_DONE for each in tried)
    return Row(
        what=f"input delivered after a change: {what}", n=len(tried), seen=f"{delivered} ({stale} refused as stale)",
        bar="0", met=delivered == 0,
    )  # fmt: skip
