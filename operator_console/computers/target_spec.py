"""`TargetSpec`: how one kind of target is written on the command line, listed, resolved and opened.

`parse_target` in targets.py, which knows all kinds, splits a specification such as `window:TITLE` at the colon. What
follows the colon is checked and resolved by the kind's own `accepts` and `resolve`, for example in window/target.py.
A `Guest` tells what is known of a target's machine beside its picture.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.protocols import Desktop, StartedDesktop, WindowLayers
from operator_console.desktop.values import DesktopPlan
from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.domain.geometry import Rect

if TYPE_CHECKING:
    from operator_console.computers.target_capture import TargetCapture


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetListing:
    """An entry of the list of targets.

    Attributes:
        ref: the target.
        rect: its position on the desktop, in input units; None: it is on none before its session.
        state: a value of `WindowState`.
        pid: the window's process; None for a monitor, or if unknown.
        primary: whether it is the primary monitor.
        trouble, remedy: why it cannot be used here and what to do about it, as sentences; "" if it can.
    """

    ref: TargetRef
    rect: Rect | None = None
    state: str = "shown"
    pid: int | None = None
    primary: bool = False
    trouble: str = ""
    remedy: str = ""


ListHere = Callable[[], Sequence[TargetListing]]
"""Lists the targets of the desktop. Blocking; raises as `list_targets`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSpec:
    """One kind of target. The argument is the part of the specification after the colon, "" if there is none.

    Attributes:
        kind: its value is the part before the colon.
        grammar: how it is written, for messages ("monitor:N").
        accepts: whether an argument is well formed; may raise OperatorError (usage) to explain why not.
        resolve: the target that an argument names. Raises OperatorError if there is none, or more than one.
        open_capture: connects to the target in the calling thread. None: not available in this version.
        list_here: lists the targets of this kind on a desktop; None if there are none on any.
        list_anywhere: lists what needs no desktop of the person: a session starts it, or connects to it; None: not so.
        start: starts the target, for kinds that do not exist beforehand; it is closed with the session.
    """

    kind: TargetKind
    grammar: str
    accepts: Callable[[str], bool]
    resolve: Callable[[str, ListHere], TargetRef]
    open_capture: Callable[[TargetRef, OwnWindows], TargetCapture] | None = None
    list_here: Callable[[Desktop, WindowLayers], Sequence[TargetListing]] | None = None
    list_anywhere: Callable[[], Sequence[TargetListing]] | None = None
    start: Callable[[str, DesktopPlan], Awaitable[StartedDesktop]] | None = None


class Guest(Protocol):
    """A virtual machine whose monitor can be asked. A paused one shows a picture as ever."""

    async def require_running(self) -> None:
        """Raise ComputerUnavailable if it is known not to run."""
        ...


class UnknownGuest:
    """A machine whose monitor is not known."""

    async def require_running(self) -> None:
        """Nothing is known."""


UNKNOWN_GUEST = UnknownGuest()
