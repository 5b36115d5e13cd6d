"""What the screen must still look like for the next call of a turn: the model's picture plus the turn's own effects.

The model saw one picture for all calls of a turn. Direct, local effects of the turn's earlier calls are accepted as if
the model had seen them: the control that was pressed, the field that was typed into, the focus that a click gave to a
window. Nothing else is: no change elsewhere, and no new window, whoever opened it.

How much the pixels may differ from the expected ones is `SIMILAR_FROM` of desktop/screen_similarity.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from operator_console.domain.actions import Action, Button, Click, Drag, KeyUp, Press, Release, TypeText, UseElement
from operator_console.domain.frames import Frame, OneWindow, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import HolderCheck, OwnerCheck, ScreenCheck
from operator_console.engine.targeting import is_keyboard, owner_points, points, screen_regions

_LARGEST_CONTROL_PX = 320 * 64
_BESIDE_PX = 24  # a focus ring, the shadow of a button
_GIVES_FOCUS = frozenset((Button.LEFT, Button.MIDDLE, Button.RIGHT))

Pointer = tuple[int, int] | None
"""The agent's own pointer position in input units; None: not known."""


class TurnPicture:
    """The expected screen; reset with each picture that the model is shown."""

    def __init__(self) -> None:
        self._frame: Frame | None = None
        self._holder: HolderCheck | None = None
        self._given_focus: WindowInfo | None = None
        self._effects: list[tuple[Rect, Frame]] = []
        self._pressed: NativePoint | None = None

    def begin(self, frame: Frame) -> None:
        """Reset to `frame`, which the model is shown."""
        self._frame = frame
        self._holder = _holder_in(frame)
        self._given_focus = self._pressed = None
        self._effects = []

    @property
    def given_focus(self) -> WindowInfo | None:
        """The window that a click of this turn has focused, as it was in the picture; None: there is none."""
        return self._given_focus

    def acted(self, action: Action, frame: Frame, pointer: Pointer) -> None:
        """Record an action that was sent; `pointer` is the position before it."""
        at = _pressed_at(action, frame, pointer)
        if at is None:
            return
        self._pressed = at
        owner = frame.owner(at)
        if owner is not None and owner.takes_focus:
            self._given_focus = owner.info
            self._holder = HolderCheck(window_id=owner.info.window_id, title=owner.info.title)

    def changed(self, now: Frame, places: Iterable[Rect]) -> None:
        """Accept those of `places` that are the control that was pressed or the field that was typed into."""
        at = self._pressed
        if at is not None:
            self._effects += [(place, now) for place in places if _is_local(place, at)]

    def screen_checks(self, action: Action, frame: Frame, pointer: Pointer) -> tuple[ScreenCheck, ...]:
        """Checks that the screen around each relevant point still looks as in the picture."""
        regions = screen_regions(action, frame, pointer)
        return tuple(
            ScreenCheck(
                region=region, pixels=self._crop(frame, region),
                hidden=tuple(each.box for each in frame.hidden if not each.box.intersect(region).empty),
            )
            for region in regions
        )  # fmt: skip

    def owner_checks(self, action: Action, frame: Frame, pointer: Pointer) -> tuple[OwnerCheck, ...]:
        """Checks that the same windows are still at the points of an action; none where the picture's are unknown."""
        if frame.stack is None:
            return ()
        found = []
        for at in owner_points(action, frame, pointer):
            owner = frame.owner(at)
            info = None if owner is None else owner.info
            found.append(
                OwnerCheck(at=at, window_id=None) if info is None
                else OwnerCheck(at=at, window_id=info.window_id, pid=info.pid, title=info.title or info.app)
            )  # fmt: skip
        return tuple(found)

    def holder_check(self, action: Action, judged: WindowInfo | None) -> HolderCheck | None:
        """Checks that the same window has the focus. None: not known, or irrelevant (releases, for example).

        `judged` is the window that the action was judged for: for keys it counts where no window of the target had the
        focus in the picture.
        """
        frame = self._frame
        if self._holder is None or frame is None or isinstance(action, Release | KeyUp):
            return None
        if self._holder.window_id is None and isinstance(frame.target, OneWindow):
            # The window is activated before keys are sent; a click needs no focus.
            if not is_keyboard(action):
                return None
            if judged is None:
                return HolderCheck(window_id=frame.target.window_id, title=frame.title)
            return HolderCheck(window_id=judged.window_id, title=judged.title or judged.app)
        return self._holder

    def _crop(self, frame: Frame, region: Rect) -> bytes:
        pixels = frame.crop(region)
        if frame is not self._frame:
            return pixels
        for place, later in self._effects:
            pixels = _patched(pixels, region, place.intersect(region), later)
        return pixels


def _holder_in(frame: Frame) -> HolderCheck | None:
    if frame.stack is None or (frame.focus is not None and frame.focus.own):
        return None
    if frame.focus is None or not frame.focus_in_target:
        return HolderCheck(window_id=None)
    return HolderCheck(window_id=frame.focus.window_id, title=frame.focus.title or frame.focus.app)


def _pressed_at(action: Action, frame: Frame, pointer: Pointer) -> NativePoint | None:
    match action:
        case Click(button=button) | Press(button=button) | Drag(button=button) if button in _GIVES_FOCUS:
            return next(iter(points(action, frame, pointer)), None)
        case TypeText(at=at) | UseElement(at=at):
            return at
        case _:
            return None


def _is_local(place: Rect, at: NativePoint) -> bool:
    wider = Rect(
        place.x - _BESIDE_PX, place.y - _BESIDE_PX, place.width + 2 * _BESIDE_PX, place.height + 2 * _BESIDE_PX
    )
    return place.width * place.height <= _LARGEST_CONTROL_PX and wider.contains(at.x, at.y)


def _patched(pixels: bytes, region: Rect, part: Rect, later: Frame) -> bytes:
    """The crop of `region` with `part` of it as in a later frame."""
    if part.empty:
        return pixels
    whole, patch = bytearray(pixels), later.crop(part)
    for row in range(part.height):
        start = ((part.y - region.y + row) * region.width + part.x - region.x) * 4
        whole[start : start + part.width * 4] = patch[row * part.width * 4 : (row + 1) * part.width * 4]
    return bytes(whole)
