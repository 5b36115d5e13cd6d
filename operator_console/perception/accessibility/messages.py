"""The messages between the process that asks for accessible elements and its client."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.elements import Element, Exposure
from operator_console.domain.frames import Frame, StackedWindow, WindowInfo, target_window_id
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size


class Query(StrEnum):
    """What is asked."""

    AT = "at"
    FOCUSED = "focused"
    FIELDS = "fields"
    ACTIONABLE = "actionable"
    READABLE = "readable"
    LISTED = "listed"
    PASSWORDS = "passwords"
    EXPOSURE = "exposure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a query needs of a frame; fields as of `Frame` and `FrameGeometry`.

    Attributes:
        focus: the window that keys are for. has_focus: it has the keyboard focus.
    """

    frame_id: str
    origin: ScreenPoint
    native: Size
    input_scale: float
    stack: tuple[StackedWindow, ...] | None
    focus: WindowInfo | None
    has_focus: bool
    window_id: int | None
    own_pids: tuple[int, ...]

    @property
    def geometry(self) -> FrameGeometry:
        """That of the frame, but for the picture that the model got."""
        return FrameGeometry(origin=self.origin, native=self.native, sent=self.native, input_scale=self.input_scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementsRequest:
    """One query.

    Attributes:
        job: number of the request, repeated in its reply.
        budget_s: how long it may take.
        points: for AT.
        limit: for FIELDS, ACTIONABLE, READABLE, LISTED and PASSWORDS.
        known: for LISTED: the job of an earlier list, which need not be made again if it still holds; 0: none.
    """

    job: int
    query: Query
    budget_s: float
    scene: Scene
    points: tuple[NativePoint, ...] = ()
    limit: int = 0
    known: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementsReply:
    """The answer to a query.

    Attributes:
        elements: for each point of AT; the one of FOCUSED; those of FIELDS, ACTIONABLE, READABLE, LISTED
            or PASSWORDS.
        exposure: of EXPOSURE.
        complete: whether it was answered in time; otherwise it is not worth keeping.
        same: the known list still holds; no elements are given.
        silent: for PASSWORDS and FOCUSED: the windows of applications that have told windows before and did not answer
            now.
    """

    job: int
    elements: tuple[Element | None, ...] = ()
    exposure: Exposure | None = None
    complete: bool = True
    same: bool = False
    silent: tuple[int, ...] = ()


def scene_of(frame: Frame, own_pids: frozenset[int]) -> Scene:
    """The scene of a frame."""
    return Scene(
        frame_id=frame.frame_id,
        origin=frame.geometry.origin,
        native=frame.geometry.native,
        input_scale=frame.geometry.input_scale,
        stack=frame.stack,
        focus=frame.focus,
        has_focus=frame.focus_in_target,
        window_id=target_window_id(frame.target),
        own_pids=tuple(sorted(own_pids)),
    )
