"""A ring closes during its lead time and fades once done; with reduced motion nothing moves."""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.geometry import NativePoint
from operator_console.ui.stage.mark_motion import FADE_S, MarkMotion
from operator_console.ui.stage.plan_marks import Mark, MarkShape, MarkStage

NEXT = Mark(
    key="1.0", number=1, shape=MarkShape.POINT, stage=MarkStage.NEXT, label="click", points=(NativePoint(5, 5),),
    lead_s=2.0,
)  # fmt: skip
DONE = replace(NEXT, stage=MarkStage.DONE, lead_s=0.0)


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_ring_closes_during_its_lead_time_however_often_it_is_shown() -> None:
    clock = Clock()
    motion = MarkMotion(clock)
    motion.show((NEXT,))
    clock.now_s += 0.5
    motion.show((NEXT,))
    assert motion.lead(NEXT) == 0.25
    assert motion.moving((NEXT,), live=True)
    clock.now_s += 5.0
    assert motion.lead(NEXT) == 1.0
    assert not motion.moving((NEXT,), live=True)


def test_what_was_done_fades_over_the_live_picture_only() -> None:
    clock = Clock()
    motion = MarkMotion(clock)
    motion.show((DONE,))
    clock.now_s += FADE_S / 2
    assert abs(motion.opacity(DONE) - 0.5) < 1e-9
    assert motion.moving((DONE,), live=True)
    assert not motion.moving((DONE,), live=False)
    clock.now_s += FADE_S
    assert motion.opacity(DONE) == 0.0
    assert not motion.moving((DONE,), live=True)


def test_with_reduced_motion_nothing_moves() -> None:
    motion = MarkMotion(Clock())
    motion.reduced = True
    motion.show((NEXT, replace(DONE, key="2.0")))
    assert motion.lead(NEXT) == 1.0
    assert motion.opacity(DONE) == 0.0
    assert not motion.moving((NEXT, DONE), live=True)


def test_a_mark_that_comes_back_begins_anew() -> None:
    clock = Clock()
    motion = MarkMotion(clock)
    motion.show((NEXT,))
    clock.now_s += 1.0
    motion.show(())
    motion.show((NEXT,))
    assert motion.lead(NEXT) == 0.0
