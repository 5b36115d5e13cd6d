"""Answers the queries of the console: which elements a scene of the screen has."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias
from unicodedata import bidirectional, east_asian_width

from operator_console.domain.elements import FIELDS, Element, Exposure, Role
from operator_console.domain.frames import StackedWindow, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, NoReply, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import (
    Application,
    ContextMenus,
    Window,
    applications,
    could_tell,
    window_of,
    without_shadow,
)
from operator_console.perception.accessibility.atspi.chromium_trees import DeferredUpdates, Sleepers
from operator_console.perception.accessibility.atspi.connection import Bus
from operator_console.perception.accessibility.atspi.description import (
    control_at_end,
    describe,
    describe_briefly,
    native_box,
    related,
    step_of,
)
from operator_console.perception.accessibility.atspi.path_search import (
    contains,
    displacement,
    entry_path,
    focused_path,
    in_page,
    path_at,
)
from operator_console.perception.accessibility.atspi.popups import ENTRIES, PADDING_PX, entries_of, with_popover
from operator_console.perception.accessibility.atspi.tree_walk import Path, ancestors, search, showing
from operator_console.perception.accessibility.atspi.vocabulary import (
    EDITABLE,
    FOCUSABLE,
    LABELLED_BY,
    SHOWING,
    numbers_of,
)
from operator_console.perception.accessibility.control_rule import (
    ACTIONABLE,
    CONTAINERS,
    READABLE,
    TEXTS,
    Step,
    is_control,
    is_readable,
)
from operator_console.perception.accessibility.messages import ElementsReply, ElementsRequest, Query, Scene

_Found: TypeAlias = tuple[tuple[Element | None, ...], bool]
"""Elements, and whether all could be asked in time."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Elements to list: of these roles, and accepted.

    Of `only_named` no more is asked than their names and places. Chromium tells the elements of a page later than it
    paints them, and in parts: with `painted`, it is made to tell them first; with `checked`, they are listed again
    where others are found after that. An application that has told no window so far is waited for `first_reply_s`.
    Without `in_sheets`, the cells of LibreOffice's sheets are left out, which take half a second.
    """

    roles: frozenset[Role]
    accepts: Callable[[Step], bool]
    only_named: frozenset[Role] = frozenset()
    painted: bool = False
    in_sheets: bool = True
    checked: bool = False
    first_reply_s: float = math.inf


_WANTED = {
    Query.ACTIONABLE: _Wanted(ACTIONABLE, is_control),
    Query.READABLE: _Wanted(READABLE, is_readable),
    Query.LISTED: _Wanted(READABLE, is_readable, TEXTS, painted=True, checked=True),
    Query.PASSWORDS: _Wanted(
        frozenset((Role.PASSWORD_FIELD,)),
        lambda step: step.role is Role.PASSWORD_FIELD,
        painted=True,
        in_sheets=False,
        first_reply_s=0.5,
    ),
}
_LABELLED_BESIDE = frozenset((Role.CHECK_BOX, Role.RADIO_BUTTON, Role.SWITCH))
_MOST_BOXES = 60
_LINE = 2
"""Height of a line of a label, at most, in heights of its box."""
_TREES_KEPT = 2
_TREE_AGE_S = 2.0
_WRITTEN_IN = (SHOWING, EDITABLE, FOCUSABLE)
_MOST_CONTROLS = 1_500
_MOST_CHECKS = 2
_AGAIN_S = 0.02
_BATCH, _LARGEST_BATCH, _BATCH_S = 60, 240, 0.1
"""Elements that are described together, so that what was read in time is told: more where that was quick the last time,
as many as take this many seconds."""


def _widest_label(name: str, height: int) -> int:
    """How wide a label may be beside a box of this height, in a generous font: two thirds of it for each character,
    twice that for a wide one."""
    cells = sum(2 if east_asian_width(each) in ("W", "F") else 1 for each in name)
    return round(height * (1 + 2 * cells / 3))


def _runs_leftwards(text: str) -> bool:
    """Whether the text begins in a script that is written from right to left, with its box on the right."""
    return next((bidirectional(c) in ("R", "AL") for c in text if bidirectional(c) in ("L", "R", "AL")), False)


def _is_known(window: Window) -> bool:
    """Whether it is known what the window shows. Where GTK 4 shows a popover that is not known, extents do not tell."""
    return window.ref is not None or not window.content_boxes


class Queries:
    """Answers queries on one accessibility bus. Use from one event loop."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._pids: dict[str, int | None] = {}
        self._sleepers = Sleepers(bus)
        self._trees: dict[str, tuple[float, Tree]] = {}
        self._paces_s: dict[str, float] = {}
        self._updates = DeferredUpdates()
        self._menus = ContextMenus(bus)
        self._listed: tuple[int, dict[int, list[Ref]]] = (0, {})
        self._newest: dict[Query, int] = {}
        self._telling: set[int] = set()

    async def answer(self, request: ElementsRequest) -> ElementsReply:
        """The reply to a request, within its budget. Raises BusGone."""
        deadline_s = time.monotonic() + request.budget_s
        job, listed = self._listed
        if request.known and request.known == job:
            if await self._asked(Tree(self._bus), request, deadline_s).still(listed):
                return ElementsReply(job=request.job, same=True)
            self._trees.pop(request.scene.frame_id, None)
        asked = self._asked(self._tree(request), request, deadline_s)
        if request.query in {Query.PASSWORDS, Query.FOCUSED}:
            return await self._until_told(asked, request, deadline_s)
        if request.query is Query.EXPOSURE:
            exposure = await asked.exposure(self._bus)
            # Anything less may change by the next moment: an application registers some time after its window opens.
            return ElementsReply(job=request.job, exposure=exposure, complete=exposure is Exposure.FULL)
        elements, complete = await asked.elements(request)
        if request.query is Query.LISTED:
            self._listed = request.job, asked.listed
        return ElementsReply(job=request.job, elements=elements, complete=complete)

    async def _until_told(self, asked: _Asked, request: ElementsRequest, deadline_s: float) -> ElementsReply:
        """Fields for passwords, or what has the focus. An application that has answered before, and does not now, is
        asked until it answers, unless the same is asked anew."""
        self._newest[request.query] = request.job
        while True:
            elements, complete = await asked.elements(request)
            over = time.monotonic() + _AGAIN_S >= deadline_s or self._newest[request.query] != request.job
            if complete:
                return ElementsReply(job=request.job, elements=elements)
            self._trees.pop(request.scene.frame_id, None)
            if over or not asked.silent:
                return ElementsReply(job=request.job, elements=elements, complete=False, silent=tuple(asked.silent))
            await asyncio.sleep(_AGAIN_S)
            asked = self._asked(Tree(self._bus), request, deadline_s)

    def _asked(self, tree: Tree, request: ElementsRequest, deadline_s: float) -> _Asked:
        tree.deadline_s = deadline_s
        return _Asked(
            tree, request.scene, self._pids, self._sleepers, self._paces_s, self._updates, self._menus,
            self._telling,
        )  # fmt: skip

    def _tree(self, request: ElementsRequest) -> Tree:
        """What was read for the same frame lately is used again, with the deadline of this query."""
        now_s, frame_id = time.monotonic(), request.scene.frame_id
        known = self._trees.get(frame_id)
        if known is not None and now_s - known[0] < _TREE_AGE_S:
            return known[1].for_another_query()
        tree = Tree(self._bus)
        self._trees[frame_id] = (now_s, tree)
        while len(self._trees) > _TREES_KEPT:
            del self._trees[next(iter(self._trees))]
        return tree


class _Asked:
    """One query about one scene.

    `pids` and `paces_s` are kept by bus name between queries: the latter is how long an element took the last time.
    `listed` is what LISTED found, by window; `telling` are the processes that have told windows, `silent` the windows
    of these that did not tell their elements in time.
    """

    def __init__(
        self, tree: Tree, scene: Scene, pids: dict[str, int | None], sleepers: Sleepers, paces_s: dict[str, float],
        updates: DeferredUpdates, menus: ContextMenus, telling: set[int],
    ) -> None:  # fmt: skip
        self.tree = tree
        self._scene = scene
        self._geometry = scene.geometry
        self._pids = pids
        self._sleepers = sleepers
        self._paces_s = paces_s
        self._updates = updates
        self._menus = menus
        self._telling = telling
        self.listed: dict[int, list[Ref]] = {}
        self.silent: list[int] = []

    async def elements(self, request: ElementsRequest) -> _Found:
        """The answer to any query but EXPOSURE."""
        if request.query is Query.AT:
            return await self.at(request.points)
        if request.query is Query.FOCUSED:
            return await self.focused()
        if request.query is Query.FIELDS:
            return await self.fields(request.limit)
        return await self.visible(_WANTED[request.query], request.limit)

    async def at(self, points: Sequence[NativePoint]) -> _Found:
        """The elements at points."""
        found: list[Element | None] = []
        complete = True
        apps: list[Application] | None = None
        windows: dict[int, Window | None] = {}
        for point in points:
            try:
                info = self._owner(point)
                if info is None:
                    found.append(None)
                    continue
                apps = apps or await self._applications()
                if info.window_id not in windows:
                    windows[info.window_id] = await self._window_of(apps, info)
                window = windows[info.window_id]
                complete = complete and window is not None  # it may register later
                found.append(None if window is None else await self._element_at(window, point))
            except NoReply:
                found.append(None)
                complete = False
        return tuple(found), complete

    async def focused(self) -> _Found:
        """The element that has the focus in the window that keys are for."""
        try:
            window = await self._window(self._scene.focus)
            # A menu that is open in another window of the application takes the focus from this one.
            has_focus = window is not None and self._scene.has_focus
            if window is not None and has_focus and (path := await entry_path(self.tree, window)):
                return (await describe(self.tree, self._scene, window, path),), True
            for each in () if window is None else (window, *await self._popovers_of(window)):
                await self._updates.tell(self.tree, each, painted=False)
                path = await focused_path(self.tree, each)
                whole = bool(path) and self.tree.basic_role(path[-1]) in CONTAINERS
                # Chromium tells the page until it has told that a field of it has the focus.
                if whole and await self._updates.tell(self.tree, each, painted=True):
                    path = await focused_path(self.tree, each)
                if path:
                    return (await describe(self.tree, self._scene, each, path),), True
        except NoReply:
            if self._scene.focus is not None and self._may_tell(self._scene.focus):
                self.silent.append(self._scene.focus.window_id)
        return (None,), False

    async def fields(self, limit: int) -> _Found:
        """What can be typed into in the focused window: fields in reading order, then the rest of a page."""
        found: list[Element] = []
        try:
            window = await self._window(self._scene.focus)
            if window is None or window.ref is None:
                return (), False
            refs = await self._candidates(window, _Wanted(FIELDS, is_control))
            if window.web:  # where the author of a page lets one write without making a field of it
                refs += await search(self.tree, window, window.ref, states=_WRITTEN_IN, limit=limit)
            await self.tree.read(refs, Field.STATES)
            shown = [ref for ref in dict.fromkeys(refs) if showing(self.tree, window, ref)]
            for ref in shown[:limit]:
                path = await ancestors(self.tree, ref, window.ref)
                found.append(await describe(self.tree, self._scene, window, path))
        except NoReply:
            return tuple(found), False
        return tuple(found), True

    async def visible(self, wanted: _Wanted, limit: int) -> _Found:
        """The wanted elements that can be seen, window by window from the top, each in reading order."""
        found: list[Element] = []
        complete = True
        try:
            apps = await self._applications()
        except NoReply:
            self.silent += [each.info.window_id for each in self._scene.stack or () if self._may_tell(each.info)]
            return (), False
        above: list[Rect] = []
        deadline_s = self.tree.deadline_s
        first_reply_s = min(deadline_s, time.monotonic() + wanted.first_reply_s)
        for stacked in reversed(self._scene.stack or ()):
            if len(found) >= limit:
                break
            if not self._own(stacked.info):
                self.tree.deadline_s = deadline_s if self._may_tell(stacked.info) else first_reply_s
                try:
                    if time.monotonic() >= deadline_s:
                        raise NoReply
                    await self._wanted_in(apps, stacked, wanted, tuple(above), limit, found)
                except NoReply:
                    complete = False
                    if self._may_tell(stacked.info):
                        self.silent.append(stacked.info.window_id)
            above += stacked.parts
        return tuple(found), complete

    def _may_tell(self, info: WindowInfo) -> bool:
        """Whether the window is of an application that has told windows before."""
        return info.pid in self._telling and not self._own(info)

    async def still(self, listed: dict[int, list[Ref]]) -> bool:
        """Whether the windows have the elements that were listed, and no others."""
        wanted, found = _WANTED[Query.LISTED], dict[int, list[Ref]]()
        try:
            apps = await self._applications()
            for stacked in self._scene.stack or ():
                window = None if self._own(stacked.info) else await self._window_of(apps, stacked.info)
                if window is not None and _is_known(window):
                    found[stacked.info.window_id] = await self._candidates(window, wanted)
        except NoReply:
            return False
        return found == listed

    async def exposure(self, bus: Bus) -> Exposure:
        """What the application of the focused window tells."""
        info = self._scene.focus
        if info is None or self._own(info):
            return Exposure.NOTHING
        try:
            apps = await self._applications()
        except NoReply:
            return Exposure.NO_SERVICE
        if any(app.pid == info.pid and bus.silent(app.ref.owner) for app in apps):
            return Exposure.NOT_ANSWERING
        switched_off = Exposure.SWITCHED_OFF if could_tell(info.pid) else Exposure.NOTHING
        try:
            window = await self._window_of(apps, info)
            if window is None or window.ref is None:
                return switched_off
            children = await self.tree.one(window.ref, Field.CHILD_COUNT)
        except NoReply:
            return Exposure.NOT_ANSWERING
        return Exposure.FULL if children else switched_off

    async def _element_at(self, window: Window, point: NativePoint) -> Element | None:
        place = self._geometry.to_screen(point)
        x, y = place.x - window.offset.dx, place.y - window.offset.dy
        self._updates.asked(window, x, y)
        try:
            path = await path_at(self.tree, window, x, y, partial(self._describe_end, window))
        finally:
            self._updates.asked(window, x, y)
        if not path:
            return None
        path = await control_at_end(self.tree, path)
        in_gap = in_page(self.tree, path) and not is_control(step_of(self.tree, path[-1]))
        if in_gap and (box := await self._box_of_label(window, path[-1], x, y)):
            element = await describe(self.tree, self._scene, window, (*path, box))
            return replace(element, box=element.box.union(Rect(point.x, point.y, 1, 1)))
        await self.tree.read(path, Field.EXTENTS)
        dx, dy = displacement(self.tree, window, path)
        margin = PADDING_PX if window.content_boxes else 0
        if not contains(self.tree.get(path[-1], Field.EXTENTS), x - dx, y - dy, margin):
            return None  # the window's frame, or what has no extents
        return await describe(self.tree, self._scene, window, path)

    async def _describe_end(self, window: Window, path: Path) -> Element:
        return await describe(self.tree, self._scene, window, await control_at_end(self.tree, path))

    async def _box_of_label(self, window: Window, inside: Ref, x: int, y: int) -> Ref | None:
        """The check box or radio button whose label is at a place of a page; browsers press it with its label.

        Firefox tells the label. Chromium tells none that contains its box, only that there is one: then it is the
        nearest box before it, in the same row.
        """
        roles = numbers_of(_LABELLED_BESIDE)
        boxes = await search(self.tree, window, inside, states=[SHOWING], roles=roles, limit=_MOST_BOXES)
        await self.tree.read(boxes, Field.EXTENTS, Field.NAME, Field.RELATIONS, Field.ATTRIBUTES)
        labels = [(label, ref) for ref in boxes for label in related(self.tree, ref, LABELLED_BY)]
        await self.tree.read([label for label, _ in labels], Field.EXTENTS)
        for label, ref in labels:
            if contains(self.tree.get(label, Field.EXTENTS), x, y):
                return ref
        outer = await self.tree.one(inside, Field.EXTENTS) or Rect(0, 0, 0, 0)
        return self._box_beside([ref for ref in boxes if self._named_by_label(ref)], outer, x, y)

    def _named_by_label(self, ref: Ref) -> bool:
        source = (self.tree.get(ref, Field.ATTRIBUTES) or {}).get("name-from")
        return source == "related-element" and not related(self.tree, ref, LABELLED_BY)

    def _box_beside(self, boxes: Sequence[Ref], outer: Rect, x: int, y: int) -> Ref | None:
        """The nearest box before a place, if its label may reach as far as the place: in the same row, or below where
        the label needs several lines."""
        found: list[tuple[int, int, Ref]] = []
        for ref in boxes:
            extents, name = self.tree.get(ref, Field.EXTENTS), self.tree.get(ref, Field.NAME) or ""
            if extents is None or (extents.x > x and not _runs_leftwards(name)):
                continue
            gap, room = (x - extents.right, outer.right - extents.right)
            if extents.x > x:
                gap, room = (extents.x - x, extents.x - outer.x)
            needed = _widest_label(name, extents.height)
            below = max(0, y - extents.bottom - extents.height // 2)
            lines = math.ceil(needed / max(1, room)) - 1
            if y >= extents.y - extents.height // 2 and gap <= needed and below <= lines * _LINE * extents.height:
                found.append((below, gap, ref))
        return min(found)[-1] if found else None

    async def _wanted_in(
        self,
        apps: Sequence[Application],
        stacked: StackedWindow,
        wanted: _Wanted,
        above: Sequence[Rect],
        limit: int,
        found: list[Element],
    ) -> None:
        """Add those of a window to `found`, up to the limit. Raises NoReply at the deadline; what was added stays."""
        window = await self._window_of(apps, stacked.info)
        if window is None or not _is_known(window):
            return
        before = len(found)
        await self._updates.tell(self.tree, window, painted=wanted.painted and window.info == self._scene.focus)
        refs = await self._candidates(window, wanted)
        for _ in range(_MOST_CHECKS if wanted.checked else 0):
            await self._describe(window, refs, wanted, above, limit, found)
            again = await self._candidates(window, wanted)
            self.listed[stacked.info.window_id] = again
            if again == refs:
                return
            refs = again
            del found[before:]
        await self._describe(window, refs, wanted, above, limit, found)

    async def _describe(
        self,
        window: Window,
        refs: Sequence[Ref],
        wanted: _Wanted,
        above: Sequence[Rect],
        limit: int,
        found: list[Element],
    ) -> None:
        owner = window.app.ref.owner
        while refs and len(found) < limit:
            if self.tree.late:
                raise NoReply
            pace_s = self._paces_s.get(owner, _BATCH_S)
            size = max(_BATCH, min(int(_BATCH_S / pace_s), _LARGEST_BATCH))
            batch, refs = refs[:size], refs[size:]
            began_s, unread = time.monotonic(), sum(self.tree.get(ref, Field.NAME) is None for ref in batch)
            await self.tree.read(batch, Field.ROLE, Field.NAME)
            # A page has a nameless paragraph around most of its texts, of which no more is asked.
            named = [ref for ref in batch if wanted.accepts(replace(step_of(self.tree, ref), selectable=True))]
            await self.tree.read(named, Field.EXTENTS, Field.STATES)
            seen = [
                ref for ref in named
                if self._can_be_seen(window, ref, above) and wanted.accepts(step_of(self.tree, ref))
            ]  # fmt: skip
            seen = (await self._mapped(window, seen))[: limit - len(found)]
            found += await describe_briefly(self.tree, self._scene, window, seen, only_named=wanted.only_named)
            if unread >= _BATCH:  # fewer tell more of the way than of the application
                self._paces_s[owner] = (time.monotonic() - began_s) / unread

    def _can_be_seen(self, window: Window, ref: Ref, above: Sequence[Rect]) -> bool:
        extents = self.tree.get(ref, Field.EXTENTS)
        if extents is None or not showing(self.tree, window, ref):
            return False
        native = self._scene.native
        box = native_box(self._scene, window, extents).intersect(Rect(0, 0, native.width, native.height))
        return not box.empty and self._on_top(box, above)

    async def _mapped(self, window: Window, refs: list[Ref]) -> list[Ref]:
        """Those that are shown. GTK 4 tells the last extents of what is on the page that is not open of a stack or of a
        menu whose submenu is shown in its place, but not that such an element contains its own centre."""
        if not window.content_boxes:
            return refs
        centres = [(ref, *self.tree.get(ref, Field.EXTENTS).centre) for ref in refs]
        return [ref for ref, is_mapped in zip(refs, await self.tree.containing(centres), strict=True) if is_mapped]

    async def _candidates(self, window: Window, wanted: _Wanted) -> list[Ref]:
        """Elements of the wanted roles, in reading order."""
        top = window.ref
        if top is None:
            return await entries_of(self.tree, window, wanted.roles)
        roles = numbers_of(wanted.roles)
        refs = await search(
            self.tree, window, top, states=[SHOWING], roles=roles, limit=_MOST_CONTROLS, in_sheets=wanted.in_sheets
        )
        if window.web and not refs and not wanted.roles.isdisjoint(ENTRIES):
            # The list of a combo box is a window whose entries belong to the page.
            return await entries_of(self.tree, window, wanted.roles)
        if self.tree.small.get(top):  # and so searched by the application
            return list(refs)
        await self.tree.read(refs, Field.EXTENTS)
        return sorted(refs, key=self._place)

    def _place(self, ref: Ref) -> tuple[int, int]:
        extents = self.tree.get(ref, Field.EXTENTS) or Rect(0, 0, 0, 0)
        return extents.y, extents.x

    def _on_top(self, box: Rect, above: Sequence[Rect]) -> bool:
        x, y = box.centre
        place = self._geometry.to_screen(NativePoint(x, y))
        return not any(part.contains(place.x, place.y) for part in above)

    async def _window(self, info: WindowInfo | None) -> Window | None:
        if info is None or self._own(info):
            return None
        return await self._window_of(await self._applications(), info)

    async def _popovers_of(self, window: Window) -> list[Window]:
        """The windows in which a GTK 4 application shows popovers, which have no focus of the window system."""
        if not window.content_boxes:
            return []
        others = [each.info for each in self._scene.stack or () if each.info.pid == window.app.pid]
        found = [await self._window_of([window.app], info) for info in others if info != window.info]
        return [each for each in found if each is not None and each.ref not in {None, *window.tops}]

    async def _window_of(self, apps: Sequence[Application], info: WindowInfo) -> Window | None:
        parts = [each.parts for each in self._scene.stack or () if each.info.window_id == info.window_id]
        visible = without_shadow(info.rect, parts[0]) if parts else info.rect
        window = await window_of(self.tree, apps, info, visible, self._menus, active=self._is_active(info))
        if window is not None:
            if info.pid is not None:
                self._telling.add(info.pid)
            window = await with_popover(self.tree, window)
            await self._sleepers.wake(window, self.tree.deadline_s)
        return window

    def _is_active(self, info: WindowInfo) -> bool:
        focus = self._scene.focus
        return focus is None or (self._scene.has_focus and info.window_id == focus.window_id)

    async def _applications(self) -> list[Application]:
        own = set(self._scene.own_pids)
        return [app for app in await applications(self.tree, self._pids) if app.pid not in own]

    def _owner(self, point: NativePoint) -> WindowInfo | None:
        native = self._scene.native
        if not (0 <= point.x < native.width and 0 <= point.y < native.height):
            return None
        place = self._geometry.to_screen(point)
        for window in reversed(self._scene.stack or ()):
            if any(part.contains(place.x, place.y) for part in window.parts):
                return None if self._own(window.info) else window.info
        return None

    def _own(self, info: WindowInfo) -> bool:
        return info.own or info.pid in self._scene.own_pids
