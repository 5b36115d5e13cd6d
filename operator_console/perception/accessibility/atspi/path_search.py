"""Finds the path from a top-level down to an element: the deepest one at a point, or the one that gets keys.

`GetAccessibleAtPoint` alone does not do: GTK 3 answers the first child whose extents contain the point, showing or not;
Chromium answers from its previous hit test and becomes right only when asked again, once the page has told more; Qt
ignores that parents clip. So the tree is walked by extents, and an application is asked only where the extents cannot
tell: where siblings overlap, in web pages (elements lie outside their parents and over each other), and in GTK 4
(extents leave out padding). An answer counts only where the extents of the element contain the point.

GTK 4 answers no disabled element at a point. `Contains` of the elements themselves knows them, and their padding too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import pairwise

from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, NoReply, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.large_containers import holds_many
from operator_console.perception.accessibility.atspi.popups import ENTRIES, PADDING_PX, fits_in_height, shown_below
from operator_console.perception.accessibility.atspi.tree_walk import (
    DEEPEST,
    Path,
    ancestors,
    paths_below,
    search,
    showing,
    visibility,
)
from operator_console.perception.accessibility.atspi.vocabulary import (
    DOCUMENT_WEB,
    EDITABLE,
    FOCUSED,
    PAGE_TAB,
    SELECTED,
    SHOWING,
    has_state,
    numbers_of,
)
from operator_console.perception.accessibility.control_rule import ACTIONABLE
from operator_console.process_activity import main_threads_rest, page_processes

_HIT_TRIES, _HIT_PAUSE_S = 6, 0.008


async def path_at(tree: Tree, window: Window, x: int, y: int, read: Callable[[Path], Awaitable[object]]) -> Path:
    """The path to the deepest showing element at a point, top-level first; () where none is known.

    Args:
        tree: what was read of the application.
        window: the window that owns the point.
        x: in the application's coordinates.
        y: in the application's coordinates.
        read: reads what is needed of the path, so that the tree knows it; called with the likely path while a browser
            is asked once more.

    Raises:
        NoReply: the application did not reply in time.
    """
    if window.ref is None:
        # Where GTK 4 shows a popover that is not known cannot be told from the extents in it.
        return () if window.content_boxes else await _path_in_popup(tree, window, x, y)
    path: Path = ()
    if window.web:
        path = await _path_by_hit(tree, window, window.ref, x, y, read)
    if not path:
        path = await _walk(tree, window, (window.ref,), x, y)
    if window.content_boxes:
        path = await _corrected_by_hit(tree, window, path, x, y)
    if window.toolkit == "gtk":
        path = _without_tabs_beside(tree, window, path, x, y)
    if window.web and not in_page(tree, path) and not _has_control(tree, path):
        # The list of a combo box is a window whose entries belong to the page.
        path = await _path_in_popup(tree, window, x, y) or path
    return path


def in_page(tree: Tree, path: Path) -> bool:
    """Whether a path of which the roles were read leads into a web page."""
    return any(tree.get(ref, Field.ROLE) == DOCUMENT_WEB for ref in path)


def displacement(tree: Tree, window: Window, path: Path) -> tuple[int, int]:
    """What is added to the extents of the last element of a path, in x and y, to get where it is shown.

    LibreOffice tells the extents of what it draws itself without the menu bar above it: such a child is as large as the
    widget that holds it, but lies elsewhere. The extents of the path must have been read.
    """
    dx = dy = 0
    for above, ref in pairwise(path):
        step_x, step_y = _step(tree, window, above, ref)
        dx, dy = dx + step_x, dy + step_y
    return dx, dy


def _step(tree: Tree, window: Window, above: Ref, ref: Ref) -> tuple[int, int]:
    outer, inner = tree.get(above, Field.EXTENTS), tree.get(ref, Field.EXTENTS)
    if not window.libreoffice or outer is None or inner is None or outer.size != inner.size:
        return 0, 0
    return outer.x - inner.x, outer.y - inner.y


def contains(box: Rect | None, x: int, y: int, margin: int = 0) -> bool:
    """Whether a point lies in extents, or at most `margin` outside."""
    return (
        box is not None
        and not box.empty
        and box.x - margin <= x < box.right + margin
        and box.y - margin <= y < box.bottom + margin
    )


async def _walk(tree: Tree, window: Window, path: Path, x: int, y: int) -> Path:
    """Extend a path downwards. Of several children at the point, the last is on top, unless the application knows."""
    if len(path) >= DEEPEST:
        return path
    at_point, others = await _children_at(tree, window, path[-1], x, y)
    if len(at_point) > 1:
        on_top = await tree.hit(path[-1], x, y)
        if on_top in at_point and window.toolkit != "gtk":
            at_point = [on_top]
        at_point.reverse()
    paths = []
    for child in at_point:
        dx, dy = _step(tree, window, path[-1], child)
        paths.append(await _walk(tree, window, (*path, child), x - dx, y - dy))
    for child in others:
        longer = await _walk(tree, window, (*path, child), x, y)
        if len(longer) > len(path) + 1:
            paths.append(longer)
    if not paths:
        return path
    return next((each for each in paths if _has_control(tree, each[len(path) :])), paths[0])


def _has_control(tree: Tree, path: Path) -> bool:
    return any(tree.basic_role(ref) in ACTIONABLE for ref in path)


async def _children_at(tree: Tree, window: Window, ref: Ref, x: int, y: int) -> tuple[list[Ref], list[Ref]]:
    """The showing children at a point, and those that may hold others outside their extents."""
    count = await tree.one(ref, Field.CHILD_COUNT)
    if not count:
        return [], []
    if holds_many(count):
        children = [found] if (found := await tree.hit(ref, x, y)) is not None and found != ref else []
    else:
        children = list(await tree.one(ref, Field.CHILDREN) or ())
    await tree.read([ref, *children], Field.EXTENTS)
    await tree.read(children, *visibility(window), Field.ROLE)
    shown = [child for child in children if showing(tree, window, child)]
    if window.content_boxes:
        near = [child for child in shown if contains(tree.get(child, Field.EXTENTS), x, y, PADDING_PX)]
        inside = await tree.containing((child, x, y) for child in near)
        return [child for child, is_inside in zip(near, inside, strict=True) if is_inside], []
    at_point = []
    for child in shown:
        dx, dy = _step(tree, window, ref, child)
        if contains(tree.get(child, Field.EXTENTS), x - dx, y - dy):
            at_point.append(child)
    return at_point, [child for child in shown if child not in at_point and _holds_outside(tree, window, child)]


def _holds_outside(tree: Tree, window: Window, ref: Ref) -> bool:
    """Whether its children lie outside its extents: it has none, or is a tab of GTK 3, which holds its page."""
    box = tree.get(ref, Field.EXTENTS)
    if box is None or (box.width <= 0 and box.height <= 0):
        return True
    return window.toolkit == "gtk" and tree.get(ref, Field.ROLE) == PAGE_TAB


def _without_tabs_beside(tree: Tree, window: Window, path: Path, x: int, y: int) -> Path:
    """The path without tabs that do not contain the point: what is on a page is no part of its tab."""
    kept: list[Ref] = []
    for index, ref in enumerate(path):
        dx, dy = displacement(tree, window, path[: index + 1])
        if tree.get(ref, Field.ROLE) != PAGE_TAB or contains(tree.get(ref, Field.EXTENTS), x - dx, y - dy):
            kept.append(ref)
    return tuple(kept)


async def _corrected_by_hit(tree: Tree, window: Window, path: Path, x: int, y: int) -> Path:
    """The path of a walk, unless GTK 4 says that something lies over its end.

    GTK 4 says so only of elements that their parents were asked for before.
    """
    found = await tree.hit(path[0], x, y)
    if found is None or found in path:  # what the path has below it is disabled
        return path
    other = await ancestors(tree, found, path[0])
    await tree.read(other, Field.ROLE)
    return await _walk(tree, window, other, x, y) if other[0] == path[0] else path


async def _path_by_hit(
    tree: Tree, window: Window, top: Ref, x: int, y: int, read: Callable[[Path], Awaitable[object]]
) -> Path:
    """The path to what the browser says lies at the point; Chromium's once it says the same twice after the first.

    Chromium says what the page told before until the page has told more. So the process of the page must have been at
    rest before both of these answers: what it told when it came to rest may reach the browser after the first of them.
    Where the answers changed, the sixth counts at the latest. What the second leads to is read while the third one is
    waited for.
    """
    answers: list[Ref | None] = []
    reading: asyncio.Future[None] | None = None
    pages: Sequence[int] = ()
    rests = 0
    try:
        while True:
            rests += len(answers) > 0 and main_threads_rest(pages)
            answers.append(await tree.hit(top, x, y))
            again = len(answers) > 2 and answers[-1] == answers[-2] and rests > 1
            changing = len(set(answers)) > 1 and len(answers) >= _HIT_TRIES
            if window.toolkit == "Gecko" or again or changing:
                break
            if tree.late:
                raise NoReply
            if len(answers) == 1 and window.app.pid is not None:
                pages = await asyncio.to_thread(page_processes, window.app.pid)
            if len(answers) == 2:
                reading = asyncio.ensure_future(_read_ahead(tree, window, top, answers[-1], (x, y), read))
            await asyncio.sleep(_HIT_PAUSE_S)
        if reading is not None and answers[-1] == answers[1]:
            await asyncio.wait({reading})
    finally:
        if reading is not None:
            reading.cancel()
            # What failed is read again, and fails again, below.
            await asyncio.gather(reading, return_exceptions=True)
    return await _path_to(tree, window, top, answers[-1], x, y)


async def _read_ahead(
    tree: Tree, window: Window, top: Ref, found: Ref | None, place: tuple[int, int],
    read: Callable[[Path], Awaitable[object]],
) -> None:  # fmt: skip
    if path := await _path_to(tree, window, top, found, *place):
        await read(path)


async def _path_to(tree: Tree, window: Window, top: Ref, found: Ref | None, x: int, y: int) -> Path:
    """The path to what a browser said lies at the point, and further down; () where its extents say otherwise."""
    if found is None:
        return ()
    await tree.read([top, found], Field.EXTENTS, Field.STATES, Field.ROLE)
    if not contains(tree.get(found, Field.EXTENTS), x, y) or not showing(tree, window, found):
        return ()
    path = await ancestors(tree, found, top)
    await tree.read(path, Field.ROLE)
    return await _walk(tree, window, path, x, y) if path[0] == top else ()


async def _path_in_popup(tree: Tree, window: Window, x: int, y: int) -> Path:
    """The path to an entry of a menu or list that is shown in a window of its own.

    The entries are children of the menu, combo box or field that opened it, whose extents do not contain them.
    """
    best: Path = ()
    for top in window.tops:
        candidates = await shown_below(tree, window, top, ACTIONABLE)
        await tree.read(candidates, Field.EXTENTS, Field.ROLE, Field.STATES)
        fitting = [ref for ref in candidates if fits_in_height(tree.get(ref, Field.EXTENTS), window.info.rect)]
        entries = [ref for ref in fitting if tree.basic_role(ref) in ENTRIES]
        if not window.web and any(_starts_in(tree.get(ref, Field.EXTENTS), window.info.rect) for ref in entries):
            fitting = entries  # not what the list covers
        inside = [
            ref
            for ref in fitting
            if contains(tree.get(ref, Field.EXTENTS), x, y) and tree.basic_role(ref) in ACTIONABLE
        ]
        if window.web:
            listed = [ref for ref in inside if ref in entries]
            inside = listed or [ref for ref in inside if not await _of_a_page(tree, ref, top)]
        if inside:
            # Qt's menu of one entry is as large as this, and stands before it.
            best = await ancestors(tree, min(reversed(inside), key=partial(_entries_first, tree)), top)
    return best


async def _of_a_page(tree: Tree, ref: Ref, top: Ref) -> bool:
    path = await ancestors(tree, ref, top)
    await tree.read(path, Field.ROLE)
    return in_page(tree, path)


def _entries_first(tree: Tree, ref: Ref) -> tuple[bool, int]:
    """Sort key: an entry before the combo box that the list covers, then the smaller one."""
    role, box = tree.basic_role(ref), tree.get(ref, Field.EXTENTS)
    return role not in ENTRIES, box.width * box.height


def _starts_in(box: Rect, popup: Rect) -> bool:
    return popup.x <= box.x < popup.right


_MOST_FOCUSED = 30
_IN_MENUS = (Role.MENU, Role.MENU_ITEM)


async def entry_path(tree: Tree, window: Window) -> Path:
    """The path to the highlighted entry of a menu that the application has open; () where there is none.

    An open menu gets all keys, although the element that had the focus before may say that it still has it. GTK 3 says
    of the entry that it is selected, Qt that it has the focus. Raises NoReply.
    """
    paths: list[Path] = []
    for top in window.tops:
        if window.toolkit == "gtk":
            states = [SHOWING, SELECTED]
        elif window.toolkit == "Qt" and tree.basic_role(top) is Role.MENU:
            states = [FOCUSED]
        else:
            continue
        found = await search(
            tree, window, top, states=states, roles=numbers_of(_IN_MENUS), limit=_MOST_FOCUSED, in_sheets=False
        )
        paths += [await ancestors(tree, ref, top) for ref in found]
    await tree.read({ref for path in paths for ref in path}, Field.ROLE)
    return max((path for path in paths if _is_in_open_menu(tree, path)), key=len, default=())


def _is_in_open_menu(tree: Tree, path: Path) -> bool:
    """Whether it ends in an entry of a menu, which no entry of a menu bar is."""
    below = len(path) > 1 and tree.basic_role(path[-2]) is Role.MENU
    return below and tree.basic_role(path[-1]) in _IN_MENUS


async def focused_path(tree: Tree, window: Window) -> Path:
    """The path from the top-level to the deepest element with the focus; () where none says so. Raises NoReply.

    In a window with too many elements, among the cells of a sheet only where nothing beside them can be written in:
    LibreOffice takes half a second for these, and shows what is being typed into a cell beside the sheet.
    """
    if window.ref is None:
        return ()
    if window.libreoffice:
        path = await _focused_path(tree, window, window.ref, in_sheets=False)
        if path and has_state(tree.get(path[-1], Field.STATES) or 0, EDITABLE):
            return path
    return await _focused_path(tree, window, window.ref, in_sheets=True)


async def _focused_path(tree: Tree, window: Window, top: Ref, *, in_sheets: bool) -> Path:
    found = await search(tree, window, top, states=[FOCUSED], limit=_MOST_FOCUSED, in_sheets=in_sheets)
    await tree.read(found, Field.ROLE)
    # Qt says of the chosen tab that it has the focus, whatever has it.
    sure = [ref for ref in found if tree.basic_role(ref) is not Role.TAB]
    paths = [await ancestors(tree, ref, top) for ref in sure or found if ref != top]
    await tree.read({ref for path in paths for ref in path[-2:]}, Field.ROLE)
    longest = max(paths, key=lambda path: (_is_in_open_menu(tree, path), len(path)), default=())
    if longest and window.libreoffice:
        return (await paths_below(tree, window, top, in_sheets=in_sheets)).get(longest[-1], longest)
    return longest
