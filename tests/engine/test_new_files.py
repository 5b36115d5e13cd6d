"""What appeared on the disk while the session ran is not opened in a file manager unasked."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Action, Button, Click, Press, Release, TypeText, Wait
from operator_console.domain.elements import Element, Role
from operator_console.domain.events import Decided
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.risk import Category
from operator_console.engine.session_context import Options
from tests.engine.rig import click, does, rig, said
from tests.fakes.elements import FakeElements

FILES = WindowInfo(window_id=5, title="Downloads - Thunar", app="Thunar", pid=1, rect=Rect(0, 0, 400, 300))
ROW, ENTRY = NativePoint(100, 100), NativePoint(100, 200)
SHOWN = (
    Element(element_id="/row", role=Role.LIST_ITEM, name="weather", box=Rect(90, 90, 60, 30)),
    Element(element_id="/open", role=Role.MENU_ITEM, name="Open", box=Rect(90, 190, 60, 30)),
)


async def decided(*turns: tuple[Action, ...], new: frozenset[str] = frozenset({"weather"})) -> tuple[set[str], int]:
    """The categories of the last action that was decided, and how often was looked for new files."""
    looks: list[int] = []

    def look() -> frozenset[str]:
        looks.append(1)
        return new

    answers = [does(*turn) for turn in turns]
    r = rig(*answers, said("ok"), new_files=look, elements=FakeElements(*SHOWN), options=Options(answerable=False))
    r.computer.windows, r.computer.focus = [FILES], FILES
    await r.run()
    found = r.of(Decided)[-1].assessment
    assert found is not None
    return set(found.categories), len(looks)


WAYS: list[tuple[tuple[Action, ...], ...]] = [
    ((Click(at=ROW, count=2),),),
    ((click(), click()),),
    ((click(), Wait(duration_s=0.05), click()),),
    ((click(), Press(at=ROW)),),
    ((Press(at=ROW), Release(at=ROW), Press(at=ROW)),),
    ((click(), TypeText(text="x", at=ROW)),),
    ((Click(at=ROW, button=Button.RIGHT),), (Click(at=ENTRY),)),
]


@pytest.mark.parametrize("turns", WAYS)
async def test_every_way_to_open_it_asks(turns: tuple[tuple[Action, ...], ...]) -> None:
    assert await decided(*turns) == ({Category.DOWNLOAD_RUN}, 1)


async def test_what_was_there_before_is_opened_unasked() -> None:
    assert await decided((Click(at=ROW, count=2),), new=frozenset({"another"})) == (set(), 1)


async def test_the_disk_is_looked_at_only_where_something_may_be_opened() -> None:
    assert await decided((click(),)) == (set(), 0)
