"""What a kind of target has to say of itself, to be listed, named on the command line and opened."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from operator_console.computers.eyes import MonitorEye, WindowEye
from operator_console.desktop.own import OwnWindows
from operator_console.desktop.protocols import Desktop, WindowLayers
from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.domain.geometry import Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetListing:
    """One line of `targets`.

    Attributes:
        ref: the target.
        rect: where it is, input units.
        state: "shown", "minimised" and so on, as `WindowState`.
        pid: the window's process, None for a monitor or where unknown.
        primary: whether it is the primary monitor.
    """

    ref: TargetRef
    rect: Rect
    state: str = "shown"
    pid: int | None = None
    primary: bool = False


class Started(Protocol):
    """Something that was started to be the target."""

    @property
    def display(self) -> str:
        """How it is opened."""

    async def close(self) -> None:
        """End it."""


ListHere = Callable[[], Sequence[TargetListing]]
"""The targets of the desktop, asked when it is called. Blocking; raises as `targets.list_targets`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSpec:
    """One kind of target. The argument is what stands after the colon of a spec, "" where there is none.

    Attributes:
        kind: its name is what stands before the colon.
        grammar: how it is written, for messages ("monitor:N").
        accepts: whether an argument is well formed; may raise OperatorError (usage) to say more than that it is not.
        resolve: the target that an argument means. Raises OperatorError where there is none, or several.
        make_eye: connects to it, for the thread that calls it. None: this version does not drive it.
        list_here: those of a desktop, for `targets`; None where it cannot be listed.
        start: starts the target, where it is not there before; the session ends it.
    """

    kind: TargetKind
    grammar: str
    accepts: Callable[[str], bool]
    resolve: Callable[[str, ListHere], TargetRef]
    make_eye: Callable[[TargetRef, OwnWindows], MonitorEye | WindowEye] | None = None
    list_here: Callable[[Desktop, WindowLayers], Sequence[TargetListing]] | None = None
    start: Callable[[str], Awaitable[Started]] | None = None
