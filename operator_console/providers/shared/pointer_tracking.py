"""Where the pointer is, for calls that begin there without naming a point."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.actions import Action, Click, Drag, Move, Press, Release, Scroll, TypeText
from operator_console.domain.geometry import NativePoint
from operator_console.domain.proposals import CallResult, CallStatus


def after(action: Action | None, pointer: NativePoint | None) -> NativePoint | None:
    """The position after an action, if it was at `pointer` before."""
    match action:
        case Move(at=at) | Click(at=at) | Press(at=at) | Release(at=at) | Scroll(at=at) | TypeText(at=at):
            return at if at is not None else pointer
        case Drag(path=path):
            return path[-1]
        case _:
            return pointer


def after_results(results: Sequence[CallResult], pointer: NativePoint | None) -> NativePoint | None:
    """The position after what was carried out of a turn, if it was at `pointer` before."""
    for result in results:
        if result.status is CallStatus.DONE:
            pointer = after(result.executed or result.call.action, pointer)
    return pointer
