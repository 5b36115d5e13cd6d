"""Elements with very many children, such as sheets, lists and long pages, and windows that hold too much to search.

An application that is asked to search, or for all children, makes an object of each: a sheet of 20,000 cells took 20
seconds of Java, which does nothing else meanwhile. What is not answered in time is computed nevertheless. So an
application is asked to search only what is known to be small, and of many children only for those that can be seen.
"""

from __future__ import annotations

from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.connection import Call
from operator_console.perception.accessibility.atspi.vocabulary import ACCESSIBLE, TABLE, numbers_of

_MOST_CHILDREN = 250
_MOST_SHOWN = 600
"""Children of an element with many that are looked at."""
_MOST_IN_WINDOW, _MOST_IN_BROWSER = 1_500, 5_000
"""Elements that an application may search: about a tenth of a second. Browsers are faster than others."""
_HOLDERS = (Role.LIST, Role.TABLE, Role.TREE)
_DEEPEST = 60
_EDGE_PX = 4


def holds_many(count: int) -> bool:
    """Whether an element with this number of children is not asked for all of them. It is negative where there are more
    than the application can count."""
    return not 0 <= count <= _MOST_CHILDREN


async def may_be_searched(tree: Tree, window: Window, top: Ref) -> bool:
    """Whether an application has few enough elements below `top` to search them all. Raises NoReply.

    A search with a limit ends at it. The first one ends at the first list or table, before it goes through that.
    """
    if window.libreoffice:
        return False
    for ref in dict.fromkeys((window.ref or top, top)):
        if ref not in tree.small:
            most = _MOST_IN_BROWSER if window.web else _MOST_IN_WINDOW
            tree.small[ref] = await _is_small(tree, ref, most, holders=not window.web)
        if tree.small[ref]:
            return True
    return False


async def _is_small(tree: Tree, top: Ref, most: int, *, holders: bool) -> bool:
    first = await tree.matches(top, states=(), roles=numbers_of(_HOLDERS), limit=1) if holders else ()
    if first and holds_many(await tree.one(first[0], Field.CHILD_COUNT) or 0):
        return False
    found = None if first is None else await tree.matches(top, states=(), limit=most)
    return found is not None and len(found) < most


async def shown_children(tree: Tree, ref: Ref, visible: Rect, *, few_points: bool) -> tuple[Ref, ...]:
    """Those children of an element with many that can be seen, a limited number, in reading order. Raises NoReply.

    The element is asked what lies at some points of its visible part. What can be seen are the cells of a table, or the
    children of anything else, between and somewhat beside what lies there, as far as their extents say so.

    Args:
        tree: for the calls.
        ref: the element.
        visible: its visible part, in the application's coordinates.
        few_points: whether the application takes long to tell what lies at a point, as browsers do.
    """
    if visible.empty:
        return ()
    at_points = dict.fromkeys(await _children_at(tree, ref, _points(visible, few_points=few_points)))
    await tree.read([*at_points], Field.INDEX)
    indices = [index for each in at_points if (index := tree.get(each, Field.INDEX)) is not None and index >= 0]
    near = await _cells(tree, ref, indices) or await _range(tree, ref, indices)
    found = tuple(dict.fromkeys((*near, *at_points)))
    await tree.read(found, Field.EXTENTS)
    return tuple(each for each in found if not _extents(tree, each).intersect(visible).empty)


def _points(visible: Rect, *, few_points: bool) -> list[tuple[int, int]]:
    def along(start: int, length: int, parts: int) -> list[int]:
        inset = min(_EDGE_PX, length // 2)
        return [start + inset + (length - 1 - 2 * inset) * part // parts for part in range(parts + 1)]

    across, down = (2, 2) if few_points else (3, 5)
    return [(x, y) for y in along(visible.y, visible.height, down) for x in along(visible.x, visible.width, across)]


async def _children_at(tree: Tree, ref: Ref, points: list[tuple[int, int]]) -> list[Ref]:
    """The children of an element in which lies what it says is at points."""
    above = {hit: hit for hit in await tree.hits(ref, points) if hit is not None and hit != ref}
    found: list[Ref] = []
    for _ in range(_DEEPEST):
        await tree.read(above.values(), Field.PARENT)
        parents = {hit: tree.get(each, Field.PARENT) for hit, each in above.items()}
        found += [above[hit] for hit, parent in parents.items() if parent == ref]
        above = {hit: parent for hit, parent in parents.items() if parent is not None and parent != ref}
        if not above:
            break
    return found


async def _cells(tree: Tree, ref: Ref, indices: list[int]) -> list[Ref]:
    """The cells of a table in the rows and columns of these children, a limited number; [] where it is no table."""
    rows, columns = [await _numbers(tree, ref, method, indices) for method in ("GetRowAtIndex", "GetColumnAtIndex")]
    if not rows or not columns:
        return []
    across = _widened(columns)
    places = [(row, column) for row in _widened(rows) for column in across]
    cells = await tree.refs([Call(*ref, TABLE, "GetAccessibleAt", "ii", place) for place in places[:_MOST_SHOWN]])
    return [cell for cell in cells if cell is not None]


async def _numbers(tree: Tree, ref: Ref, method: str, indices: list[int]) -> list[int]:
    results = await tree.results([Call(*ref, TABLE, method, "i", (index,)) for index in indices])
    return [int(body[0]) for body in results if body is not None and int(body[0]) >= 0]


async def _range(tree: Tree, ref: Ref, indices: list[int]) -> list[Ref]:
    """The children between the first and the last of these, unless they are too many."""
    near = _widened(indices) if indices else range(0)
    if len(near) > _MOST_SHOWN:
        return []
    found = await tree.refs([Call(*ref, ACCESSIBLE, "GetChildAtIndex", "i", (index,)) for index in near])
    return [child for child in found if child is not None]


def _widened(numbers: list[int]) -> range:
    """From the first to the last, and as far beyond as there may be between two points, or a header at the edge."""
    first, last = min(numbers), max(numbers)
    more = (last - first) // 3 + 2
    return range(max(0, first - more), last + more + 1)


def _extents(tree: Tree, ref: Ref) -> Rect:
    return tree.get(ref, Field.EXTENTS) or Rect(0, 0, 0, 0)
