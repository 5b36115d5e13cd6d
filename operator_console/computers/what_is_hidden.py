"""Finds the areas of a picture that are hidden: by shutters, and as fields for passwords."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from operator_console.domain.frames import StackedWindow
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.hidden_areas import SHUTTERED, UNTOLD, HiddenArea
from operator_console.domain.shutters import AppShutter, RegionShutter, Shutter, WindowShutter

GONE_AFTER_S = 2.0
"""An application may tell that a field is gone before it has painted what comes instead: for so long the field's place
stays black while it looks as it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaving:
    """The place of a field that is no longer told, with what it looked like, and the time (monotonic) of its end."""

    area: HiddenArea
    look: int
    ends_s: float


@dataclass(slots=True)
class Hidden:
    """What is hidden of one target, shared by all that capture it. Its values are replaced as a whole, so that threads
    may read them at any time.

    Attributes:
        shutters: what the operator has hidden.
        passwords: where fields for passwords were last seen, and windows of which that was not told. Set it by `tell`.
    """

    shutters: tuple[Shutter, ...] = ()
    passwords: tuple[HiddenArea, ...] = ()
    _leaving: tuple[_Leaving, ...] = ()
    _looks: Mapping[Rect, int] = field(default_factory=dict)
    _newest_looks: Mapping[Rect, int] = field(default_factory=dict)

    def tell(self, passwords: Sequence[HiddenArea], now_s: float) -> bool:
        """Hide these fields for passwords, and windows that may show some, from now on; whether others were so before.

        Args:
            passwords: the areas.
            now_s: the time (monotonic).
        """
        before, told = self.passwords, {area.box for area in passwords if area.password}
        ends_s = now_s + GONE_AFTER_S
        left = [
            _Leaving(area=area, look=self._looks[area.box], ends_s=ends_s)
            for area in before
            if area.box in self._looks and area.box not in told
        ]
        self._leaving = (*(each for each in self._leaving if each.area.box not in told), *left)
        looks = {box: look for box, look in self._newest_looks.items() if box in told}
        self.passwords, self._looks, self._newest_looks = tuple(passwords), looks, looks
        return before != self.passwords

    def without(
        self, pixels: bytes | bytearray | memoryview, size: Size, areas: tuple[HiddenArea, ...], now_s: float
    ) -> tuple[memoryview, tuple[HiddenArea, ...]]:
        """The pixels (BGRX rows) with what is hidden in black, and the areas that are.

        Args:
            pixels: of a picture.
            size: its size.
            areas: of that picture, as of `areas`.
            now_s: the time (monotonic).
        """
        from operator_console.computers.blackening import blackened  # Pillow and numpy: not for the start

        looks = {area.box: _look(pixels, size, area.box) for area in areas if area.password}
        self._newest_looks, self._looks = looks, {**looks, **self._looks}
        self._leaving = tuple(each for each in self._leaving if now_s < each.ends_s)
        frame = Rect(0, 0, size.width, size.height)
        left = [
            each.area
            for each in self._leaving
            if each.area.box.intersect(frame) == each.area.box and _look(pixels, size, each.area.box) == each.look
        ]
        black = tuple(dict.fromkeys((*areas, *left)))
        return blackened(pixels, size, black) if black else memoryview(pixels), black

    @property
    def windows(self) -> bool:
        """Whether windows are hidden, so that it must be known where they are."""
        return any(not isinstance(shutter, RegionShutter) for shutter in self.shutters) or bool(self._untold)

    @property
    def _untold(self) -> set[int]:
        return {area.window_id for area in self.passwords if area.window_id is not None}

    def __bool__(self) -> bool:
        return bool(self.shutters or self.passwords or self._leaving)

    def areas(
        self, whole: Rect, base: tuple[int, int], stacks: Iterable[Sequence[StackedWindow]]
    ) -> tuple[HiddenArea, ...]:
        """The areas of a picture that are hidden, native pixels, each inside it.

        Args:
            whole: the rectangle that the picture shows, in input units, which are its pixels.
            base: the corner of the target, from which places are counted, in input units.
            stacks: the windows on it, bottom first, before and after the picture was taken.
        """
        untold = self._untold
        found = [area for area in self.passwords if area.window_id is None]
        for shutter in self.shutters:
            if isinstance(shutter, RegionShutter):
                box = shutter.rect.moved(base[0] - whole.x, base[1] - whole.y)
                found.append(HiddenArea(box=box, label=SHUTTERED))
        for stack in stacks if self.windows else ():
            for label, hidden in ((SHUTTERED, _hidden_windows(stack, self.shutters)), (UNTOLD, untold)):
                found += [
                    HiddenArea(box=part.moved(-whole.x, -whole.y), label=label, window_id=window_id)
                    for window_id, part in _shown_parts(stack, hidden)
                ]
        frame = Rect(0, 0, whole.width, whole.height)
        cut = (replace(area, box=area.box.intersect(frame)) for area in found)
        return tuple(dict.fromkeys(area for area in cut if not area.box.empty))


def _look(pixels: bytes | bytearray | memoryview, size: Size, box: Rect) -> int:
    """A checksum of what a box of the picture shows."""
    import numpy as np

    rows = np.frombuffer(pixels, dtype=np.uint8).reshape(size.height, size.width, 4)
    return zlib.crc32(rows[box.y : box.bottom, box.x : box.right, :3].tobytes())


def _shown_parts(stack: Sequence[StackedWindow], hidden: set[int]) -> list[tuple[int, Rect]]:
    """What can be seen of the hidden windows: their rectangles, without what other windows cover of them."""
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
