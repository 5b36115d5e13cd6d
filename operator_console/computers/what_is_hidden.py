"""Finds the areas of a picture that are hidden: by shutters, and as fields for passwords."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from operator_console.domain.frames import StackedWindow
from operator_console.domain.geometry import Rect
from operator_console.domain.hidden_areas import HiddenArea
from operator_console.domain.shutters import AppShutter, RegionShutter, Shutter, WindowShutter

LABEL = "hidden from the model"
"""Written in a shuttered area. It is a part of the picture that the model gets."""


@dataclass(slots=True)
class Hidden:
    """What is hidden of one target, shared by all that capture it. Its values are replaced as a whole, so that threads
    may read them at any time.

    Attributes:
        shutters: what the operator has hidden.
        passwords: where fields for passwords were last seen, native pixels.
    """

    shutters: tuple[Shutter, ...] = ()
    passwords: tuple[Rect, ...] = ()

    @property
    def windows(self) -> bool:
        """Whether windows are hidden, so that it must be known where they are."""
        return any(not isinstance(shutter, RegionShutter) for shutter in self.shutters)

    def __bool__(self) -> bool:
        return bool(self.shutters or self.passwords)

    def areas(
        self, whole: Rect, base: tuple[int, int], stacks: Iterable[Sequence[StackedWindow]]
    ) -> tuple[HiddenArea, ...]:
        """The areas of a picture that are hidden, native pixels, each inside it.

        Args:
            whole: the rectangle that the picture shows, in input units, which are its pixels.
            base: the corner of the target, from which places are counted, in input units.
            stacks: the windows on it, bottom first, before and after the picture was taken.
        """
        found = [HiddenArea(box=box) for box in self.passwords]
        for shutter in self.shutters:
            if isinstance(shutter, RegionShutter):
                box = shutter.rect.moved(base[0] - whole.x, base[1] - whole.y)
                found.append(HiddenArea(box=box, label=LABEL))
        for stack in stacks if self.windows else ():
            found += [
                HiddenArea(box=part.moved(-whole.x, -whole.y), label=LABEL, window_id=window_id)
                for window_id, part in _shown_parts(stack, self.shutters)
            ]
        frame = Rect(0, 0, whole.width, whole.height)
        cut = (replace(area, box=area.box.intersect(frame)) for area in found)
        return tuple(dict.fromkeys(area for area in cut if not area.box.empty))


def _shown_parts(stack: Sequence[StackedWindow], shutters: Sequence[Shutter]) -> list[tuple[int, Rect]]:
    """What can be seen of the hidden windows: their rectangles, without what other windows cover of them."""
    hidden = _hidden_windows(stack, shutters)
    found: list[tuple[int, Rect]] = []
    for window in stack:
        info = window.info
        if info.window_id in hidden:
            found += [(info.window_id, part) for part in dict.fromkeys((info.rect, *window.parts))]
        else:
            for part in window.parts:
                found = [(number, left) for number, rect in found for left in _without(rect, part)]
    return found


def _hidden_windows(stack: Sequence[StackedWindow], shutters: Sequence[Shutter]) -> set[int]:
    titles = [shutter.title.casefold() for shutter in shutters if isinstance(shutter, WindowShutter)]
    names = [shutter.name.casefold() for shutter in shutters if isinstance(shutter, AppShutter)]
    infos = [window.info for window in stack if not window.info.own]
    titled = [info for info in infos if any(title in info.title.casefold() for title in titles)]
    apps = [info for info in infos if any(name in info.app.casefold() for name in names)]
    # Menus and tool tips have no title, and sometimes no application: they are those of the process.
    pids = {info.pid for info in (*titled, *apps) if info.pid is not None}
    of_apps = {info.pid for info in apps if info.pid is not None}
    menus = [info for info in infos if info.pid in of_apps or (info.pid in pids and not info.title)]
    return {info.window_id for info in (*titled, *apps, *menus)}


def _without(rect: Rect, cover: Rect) -> list[Rect]:
    """The parts of a rectangle that another one does not cover."""
    inner = rect.intersect(cover)
    if inner.empty:
        return [rect]
    parts = (
        Rect(rect.x, rect.y, rect.width, inner.y - rect.y),
        Rect(rect.x, inner.bottom, rect.width, rect.bottom - inner.bottom),
        Rect(rect.x, inner.y, inner.x - rect.x, inner.height),
        Rect(inner.right, inner.y, rect.right - inner.right, inner.height),
    )
    return [part for part in parts if not part.empty]
